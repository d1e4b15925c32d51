"""The blocks of docs/python.md run, in their order, and print what the page says; so do the examples of docstrings.

A block ```python is run, in one namespace for the page. Words behind `python` say what it needs (cuda, cupy, torch,
apps, h5py, xarray), and `raises`, that it ends with an exception. A block ```text that follows it is what it prints, or
the exception as Python's last lines show it; `...` stands for anything. Lines have the numbers that they have on the
page, so that a failure names its place.
"""

import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import os
import re
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "python.md"
sys.path.insert(0, str(REPOSITORY / "python"))
import minx

FENCE = re.compile(r"^```(\w+)?(.*)$")


@dataclass
class Block:
    line: int  # of its first line
    language: str
    words: tuple
    text: str
    printed: str | None = None  # the block of text behind it


def blocks_of(page: Path) -> list[Block]:
    found, start = [], None
    lines = page.read_text().splitlines()
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if fence and start is None:
            start = number + 1, fence[1] or "", tuple(fence[2].split())
        elif fence:
            found.append(Block(start[0], start[1], start[2], "\n".join(lines[start[0] - 1 : number - 1]) + "\n"))
            start = None
    assert start is None, f"{page.name}: a block without end"
    blocks = [b for b in found if b.language == "python"]
    for before, block in zip(found, found[1:]):
        if block.language == "text" and before.language == "python":
            before.printed = block.text
    return blocks


def missing(word: str) -> str | None:
    """Why a block that needs this cannot run; None: it can."""
    if word == "raises":
        return None
    if word == "cuda":
        return minx.backend_missing("cuda")
    if word == "apps":
        from minx import apps

        try:
            apps.program("minimd")
        except apps.AppError:
            return "the apps are not built: MINX_BIN names the folder that has them"
        return None
    assert word in (
        "cupy",
        "torch",
        "h5py",
        "xarray",
        "IPython",
    ), f"{PAGE.name}: a block needs {word}, which this test does not know"
    return None if importlib.util.find_spec(word) else f"{word} is not installed"


def matches(expected: str, got: str) -> bool:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(expected, got, flags)


BLOCKS = blocks_of(PAGE)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The namespace of the page, the folder in which it runs (that of the repository's decks is linked to), and the blocks that are
    to run."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "inputs").symlink_to(REPOSITORY / "inputs")
    before = Path.cwd()
    os.chdir(folder)
    minx.set_default("openmp")  # whatever MINX_BACKEND says
    yield {"__name__": "__docs__"}, folder, iter(BLOCKS)
    minx.set_default(None)
    os.chdir(before)


@pytest.mark.parametrize("block", BLOCKS, ids=[f"line{b.line}" for b in BLOCKS])
def test_block(block, page):
    """A block uses what those before it have made: a process that has not run them, as pytest divides tests, runs them first."""
    namespace, folder, rest = page
    for before in rest:
        if before is block:
            break
        if not any(missing(word) for word in before.words):
            run(before, namespace, folder)
    for word in block.words:
        why = missing(word)
        if why:
            pytest.skip(f"{PAGE.name}, line {block.line}: {why}")
    run(block, namespace, folder)


def run(block, namespace, folder):
    """Runs a block; AssertionError: it prints something else."""
    file = folder / f"line_{block.line}.py"  # kernels are read from their files
    file.write_text("\n" * (block.line - 1) + block.text)
    printed, raised = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(file.read_text(), str(file), "exec"), namespace)
        except Exception as error:
            raised = error
            if "raises" not in block.words:
                raise
    if "raises" in block.words:
        assert raised is not None, f"{PAGE.name}, line {block.line}: no exception"
        printed.write("".join(traceback.format_exception_only(raised)).replace(str(file), "example.py"))
    if block.printed is not None:
        assert matches(
            block.printed, printed.getvalue()
        ), f"{PAGE.name}, line {block.line} prints\n{printed.getvalue()}"


def test_the_page_has_examples():
    assert len(BLOCKS) > 20


def test_links_of_the_page():
    """Those to files, relative to the page, and those to its own headings."""
    text = PAGE.read_text()
    headings = {re.sub(r"[^a-z0-9 -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text, re.M)}
    links = re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text)
    assert len(links) > 20
    lost = [file for file, _ in links if file and not (PAGE.parent / file).exists()]
    assert not lost and not [h for file, h in links if not file and h not in headings]


def test_every_variable_of_the_environment_is_on_the_page():
    """Those that the package reads."""
    text, named = PAGE.read_text(), set()
    for file in (REPOSITORY / "python" / "minx").rglob("*.py"):
        named |= set(re.findall(r"""["'](MINX_(?!ERR|PY_ENTRY)[A-Z_]+)["']""", file.read_text()))
    internal = {"MINX_PROGRESS", "MINX_BOUNDS_CHECK"}  # set for apps (docs/summary.md has it); a macro of the build
    assert named - internal, "no variable found"
    assert not {name for name in named - internal if f"`{name}`" not in text}


def test_the_first_program_of_the_readme(tmp_path, capsys):
    text = (REPOSITORY / "README.md").read_text()
    block = re.search(r"^(    import numpy as np, minx\n(?:    .*\n|\n)+)", text, re.M)[1]
    file = tmp_path / "first.py"
    file.write_text(re.sub("^    ", "", block, flags=re.M))
    exec(compile(file.read_text(), str(file), "exec"), {})
    assert capsys.readouterr().out == "[1. 3. 5. 7. 9.] 70.0\n"


# ---- docstrings ----


def public(module: str) -> list[str]:
    """What a module offers to be called."""
    names = vars(importlib.import_module(module))
    listed = names.get("__all__") or [n for n in names if not n.startswith("_")]
    return [
        f"{module}.{n}" for n in listed if callable(names[n]) and not isinstance(names[n], type(minx.f64))
    ]  # they are of one class, NumberType


PUBLIC = [*public("minx"), *public("minx.apps")]
WITHOUT_EXAMPLE = {
    "minx.CompileError",
    "minx.load_ipython_extension",
    "minx.SetupError",
    "minx.apps.Figure",
    "minx.apps.Region",
    "minx.apps.AppError",
}


@pytest.mark.parametrize("name", PUBLIC)
def test_docstring(name):
    """Each public name has a docstring with an example, which runs. Methods have one where it says more than their
    line."""
    module, _, word = name.rpartition(".")
    why = missing("apps") or missing("h5py") if module == "minx.apps" else None
    thing = getattr(importlib.import_module(module), word)
    given = {"minx": minx, "np": np, "apps": importlib.import_module("minx.apps"), "inputs": REPOSITORY / "inputs"}
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner, examples = doctest.DocTestRunner(optionflags=flags), 0
    assert inspect.getdoc(thing), f"{name} has no docstring"
    for test in doctest.DocTestFinder().find(thing, name, module=False, globs=given):
        examples += len(test.examples)
        if why is None:
            runner.run(test)
    assert examples or name in WITHOUT_EXAMPLE, f"{name} has no example"
    assert runner.summarize(verbose=False).failed == 0
    if why:
        pytest.skip(why)
