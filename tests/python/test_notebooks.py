"""The notebooks of examples/python/notebooks run from top to bottom, each in a kernel of Jupyter's of its own.

Needs nbclient and ipykernel (Debian: python3-nbclient, python3-ipykernel) and matplotlib; skipped without them."""

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
NOTEBOOKS = sorted((REPOSITORY / "examples" / "python" / "notebooks").glob("*.ipynb"))
sys.path.insert(0, str(REPOSITORY / "python"))
NEEDS = {"4-minimd": ("h5py",)}


def why_not(name: str) -> str | None:
    """Why a notebook cannot run here; None: it can."""
    for module in ("nbclient", "ipykernel", "matplotlib", *NEEDS.get(name, ())):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed"
    if name == "4-minimd":
        from minx import apps

        try:
            apps.program("minimd")
        except apps.AppError:
            return "the apps are not built: MINX_BIN names the folder that has them"
    return None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, monkeypatch):
    why = why_not(path.stem)
    if why:
        pytest.skip(why)
    import nbclient
    import nbformat

    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(filter(None, [str(REPOSITORY / "python"), os.environ.get("PYTHONPATH")]))
    )
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    book = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
    )
    client.execute()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_have_no_outputs(path):
    """They are sources: what they print depends on the machine."""
    for cell in json.loads(path.read_text())["cells"]:
        assert not cell.get("outputs") and cell.get("execution_count") is None, cell["source"]


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 3
