"""The comparison of kernels in Python with those in C works, and their results agree; nothing is timed here."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[1] / "bench" / "python"


@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake, which compiles the kernels in C, is not installed")
@pytest.mark.parametrize(
    "words",
    [("throughput.py",), ("overhead.py",), ("cuda.py", "--backend=simt", "yax", "lj")],
    ids=lambda words: words[0],
)
def test_quick(words, tmp_path_factory):
    build = tmp_path_factory.getbasetemp() / "native"  # compiled once for all of them
    command = [sys.executable, str(BENCH / words[0]), *words[1:], "--quick", "--build", str(build)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=600, env={**os.environ, "OMP_NUM_THREADS": "2"}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "C " in done.stdout
