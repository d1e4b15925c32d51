"""What tests of building share: a small kernel file, caches of their own, and compilers that count, sleep or fail."""

import os
import shutil
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from minx.build import compile as build

PYTHON = Path(__file__).resolve().parents[2] / "python"
HOST = ("host_right",)


def kernel_file(number: int = 0) -> str:
    """A kernel file; others for other numbers."""
    return textwrap.dedent(f"""
        MX_ARGS(set_args, (mx_f64_1, y), double a;);
        MX_DECLARE_FOR(1D, set, set_args)
        MX_BODY void set_body(const set_args *a, int i) {{ MX_AT(a->y, i) = a->a + {number}; }}
        MX_FOR(1D, set)
    """)


@pytest.fixture(scope="session")
def headers(tmp_path_factory) -> Path:
    """A folder with precompiled headers: to make them takes longer than all tests that need some."""
    folder = tmp_path_factory.mktemp("headers")
    before = os.environ.get("MINX_PY_CACHE")
    os.environ["MINX_PY_CACHE"] = str(folder)
    try:
        build.compile_kernel(kernel_file(), HOST)
    finally:
        del os.environ["MINX_PY_CACHE"]
        if before is not None:
            os.environ["MINX_PY_CACHE"] = before
    return folder / "headers"


@pytest.fixture
def cache(tmp_path, headers, monkeypatch) -> Path:
    """An empty cache but for the headers, for this process and its children."""
    root = tmp_path / "cache"
    root.mkdir()
    (root / "headers").symlink_to(headers)
    monkeypatch.setenv("MINX_PY_CACHE", str(root))
    return root


class Wrapper:
    """A C compiler that notes each call, and does something before it compiles a unit."""

    def __init__(self, folder: Path, before: str = ""):
        self.log, self.path = folder / "calls", folder / "gcc"
        real = shutil.which("gcc") or shutil.which("cc")
        self.log.touch()
        self.path.write_text(f"#!/bin/sh\ncase \" $* \" in *' -c '*) echo $$ >>{self.log}; {before or ':'} ;; esac\nexec {real} \"$@\"\n")
        self.path.chmod(self.path.stat().st_mode | stat.S_IXUSR)

    def processes(self) -> list[int]:
        """Those that have compiled a unit."""
        return [int(line) for line in self.log.read_text().split()]


def child(code: str, **environment) -> subprocess.Popen:
    """A Python that runs the code; `build`, `kernel_file` and HOST are there."""
    head = "import sys; from minx.build import compile as build; from builds import kernel_file, HOST\n"
    path = os.pathsep.join([str(PYTHON), str(Path(__file__).parent)])
    return subprocess.Popen([sys.executable, "-c", head + textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "PYTHONPATH": path, **environment}, start_new_session=True)
