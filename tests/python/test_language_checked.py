"""MINX_PY_CHECK=1: indices out of bounds, integer division by zero and asserts are errors that name the Python file and
line."""

import os
import re
import subprocess
import sys

import pytest

PROGRAM = '''
import sys
import numpy as np
import minx


def halves(n, by):
    return n // by  # LINE function


def index(i, a, b, n):
    a[i + n] = 1.0  # LINE index


def part(i, a, b, n):
    row = a[1:3]
    row[i + n] = 1.0  # LINE part


def local(i, a, b, n):
    w = minx.local(4)
    w[i + n] = 1.0  # LINE local
    a[i] = w[0]


def divide(i, a, b, n):
    b[i] = b[i] % (n - 2)  # LINE divide


def function(i, a, b, n):
    b[i] = halves(i, n - 2)


def asserted(i, a, b, n):
    assert i < n, "an item of too large a number"  # LINE asserted
    a[i] = 1.0


def fine(i, a, b, n):
    assert n == 2
    a[i] = b[i] // n + a[:2][i % 2]


def reduced(i, a, b, n):
    return b[i] // (n - 2)  # LINE reduced


def add_to(bins, e):
    bins[e] += 1  # LINE bins


def bins(i, into, a, b, n):
    add_to(into, b[i])
    into[i % n] += 1


ctx = minx.Context(sys.argv[1])
for kernel in (fine, index, part, local, divide, function, asserted, reduced, bins, fine):
    a, b = np.zeros(4), np.arange(4)
    if not ctx.host:
        a, b = ctx.array(a), ctx.array(b)
    try:
        run = minx.parallel_reduce if kernel in (reduced, bins) else minx.parallel_for
        run(4, kernel, a, b, 2, ctx=ctx, **({"length": 2} if kernel is bins else {}))
        print(kernel.__name__, "ran")
    except minx.Error as error:
        print(kernel.__name__, error.name, error)
'''


@pytest.mark.parametrize("resource", ["serial", "openmp:threads=2", "simt"])
def test_checked(tmp_path, resource):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    path = os.pathsep.join(p for p in sys.path if p)
    run = subprocess.run([sys.executable, str(program), resource], capture_output=True, text=True,
                         env={**os.environ, "MINX_PY_CHECK": "1", "PYTHONPATH": path})
    if "SetupError" in run.stderr:
        pytest.skip("no libminx that checks: -DMINX_CHECKED_LIBRARY=ON")
    assert run.returncode == 0, run.stderr
    lines = {name: n for n, text in enumerate(PROGRAM.splitlines(), 1) for name in re.findall(r"# LINE (\w+)", text)}
    said = dict(line.split(" ", 1) for line in run.stdout.splitlines())
    assert said.pop("fine") == "ran"
    expected = {
        "index": r"index of dimension 0 of view '\w+' is [45], expected 0 to 3",
        "part": "index of dimension 0 of row is out of bounds",
        "local": "index of dimension 0 of w is not 0 to 3",
        "divide": r"integer division by zero: `b\[i\] % \(n - 2\)`",
        "function": "integer division by zero: `n // by`",
        "asserted": "an item of too large a number",
        "bins": "index of bins, the value of the launch, is out of bounds",
        "reduced": r"integer division by zero: `b\[i\] // \(n - 2\)`",
    }
    assert set(said) == set(expected)
    for name, text in expected.items():
        assert said[name].startswith("MX_ERR_BOUNDS")
        assert re.search(text, said[name]), (name, said[name])
        assert f"program.py:{lines[name]}:" in said[name], (name, said[name])


RACES = '''
import sys
import numpy as np
import minx


def scatter(i, a, b):
    a[b[i]] += 1.0  # LINE scatter


def atomic(i, a, b):
    minx.atomic_add(a, b[i], 1.0)


ctx = minx.Context(sys.argv[1], check="races")
for kernel in (atomic, scatter, atomic):
    a, b = np.zeros(4), np.array([0, 1, 2, 1, 0, 3])
    if not ctx.host:
        a, b = ctx.array(a), ctx.array(b)
    try:
        minx.parallel_for(6, kernel, a, b, ctx=ctx)
        print(kernel.__name__, "ran")
    except minx.Error as error:
        print(kernel.__name__, error.name, error)
'''


@pytest.mark.parametrize("resource", ["serial", "openmp:threads=2", "simt"])
def test_races(tmp_path, resource):
    program = tmp_path / "program.py"
    program.write_text(RACES)
    path = os.pathsep.join(p for p in sys.path if p)
    run = subprocess.run([sys.executable, str(program), resource], capture_output=True, text=True,
                         env={**os.environ, "MINX_PY_CHECK": "1", "PYTHONPATH": path})
    if "SetupError" in run.stderr:
        pytest.skip("no libminx that checks: -DMINX_CHECKED_LIBRARY=ON")
    assert run.returncode == 0, run.stderr
    line = next(n for n, text in enumerate(RACES.splitlines(), 1) if "# LINE scatter" in text)
    before, said, after = run.stdout.splitlines()
    assert before == after == "atomic ran"
    assert said.startswith("scatter MX_ERR_MISMATCH")
    assert re.search(rf"race on element 1 of view '\w+': item 1 writes it, item 3 (read|write)s it \(.*program\.py:{line}\)", said), said
