"""The comparison of kernels in Python with those in C works, and their results agree; nothing is timed here.

A case of each program; MINX_TEST_FULL=1: all of them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench" / "python"
FULL = bool(os.environ.get("MINX_TEST_FULL"))
PROGRAMS = [
    ["throughput.py", *([] if FULL else ["yax"])],
    ["overhead.py"],
    ["gpu.py", "--backend=simt", *(["yax", "lj"] if FULL else ["triad"])],
]


def test_names():
    """The folder is the first in which these programs look for modules: none hides a package that they or CuPy (cuda.pathfinder)
    import."""
    assert not {file.stem for file in BENCH.glob("*.py")} & {"cuda", "cupy", "minx", "numba", "numpy", "torch"}


@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake, which compiles the kernels in C, is not installed")
def test_quick(tmp_path):
    """One test, so that the kernels in C are compiled once."""
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}  # tests share cores
    for words in PROGRAMS:
        command = [sys.executable, str(BENCH / words[0]), *words[1:], "--quick", "--build", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
        assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
        assert "C " in done.stdout, words
