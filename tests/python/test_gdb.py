"""MINX_PY_DEBUG=1: gdb stops on lines of the Python file, and shows its variables."""

import os
import shutil
import subprocess
import sys

import pytest

PROGRAM = """\
import numpy as np
import minx


def half(v):
    return v / 2


@minx.kernel
def work(i, y, x, scale):
    share = x[i] * scale
    part = half(share)
    y[i] = part + 1.0


y = np.zeros(3)
minx.parallel_for(3, work, y, np.arange(3.0) + 5, 4.0, ctx=minx.Context("serial"))
print("result", y)
"""


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_lines_and_variables(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    line = PROGRAM.split("\n").index("    part = half(share)") + 1
    function = PROGRAM.split("\n").index("    return v / 2") + 1
    commands = ["set breakpoint pending on", "set debuginfod enabled off", f"break program.py:{line}", f"break program.py:{function}",
                "run", "backtrace 1", "info locals", "delete 1", "continue", "backtrace 2", "print v", "delete", "continue"]
    arguments = [word for c in commands for word in ("-ex", c)]
    run = subprocess.run(["gdb", "-nx", "-batch", *arguments, "--args", sys.executable, "program.py"], cwd=tmp_path, timeout=300,
                         capture_output=True, text=True, env={**os.environ, "MINX_PY_DEBUG": "1", "MINX_PY_CACHE": str(tmp_path / "cache")})
    said = run.stdout + run.stderr
    if "ptrace" in said and "Operation not permitted" in said:
        pytest.skip("this machine does not let gdb trace a process")
    assert f"program.py:{line}" in said and "share = 20" in said, said
    assert f"program.py:{function}" in said and "= 20" in said.split(f"program.py:{function}")[-1], said
    assert "result [11. 13. 15.]" in said, said
