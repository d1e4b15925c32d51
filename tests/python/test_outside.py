"""What a kernel uses of outside: when it changes, the kernel is made anew, in a process and from the disk."""

import subprocess
import sys

import numpy as np
import pytest

import minx
from builds import cache, headers  # noqa: F401 (fixtures)

PROGRAM = """
import math, sys
import numpy as np, minx

def plus(v):
    return v + 1

def much(v):
    return v + 100

first = sys.argv[1] == "1"
FUNCTION, REAL, OTHER = (math.sin, minx.f32, plus) if first else (math.cos, minx.f64, much)

@minx.kernel
def kernel(i, y):
    v = minx.local(1, REAL)
    v[0] = 1 / 3
    y[0] = FUNCTION(0.0)
    y[1] = v[0]
    y[2] = plus(i) + OTHER(i)

y = np.zeros(3)
minx.parallel_for(1, kernel, y)
expected = [0, np.float32(1 / 3), 2] if first else [1, 1 / 3, 101]
assert list(y) == expected, (y, expected)
"""


def test_functions_and_types_from_the_disk(tmp_path, cache):  # noqa: F811
    """Names of outside for functions and types: another run of the program gives them other values."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    for which in ("1", "2", "1"):
        result = subprocess.run([sys.executable, program, which], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr


def helper(v):
    return v + 1


@minx.kernel
def uses_helper(i, y):
    y[i] = helper(i)


def test_a_function_that_is_defined_again(monkeypatch):
    """As when a cell of a notebook runs again."""
    y = np.zeros(2)
    minx.parallel_for(2, uses_helper, y)
    monkeypatch.setitem(globals(), "helper", lambda v: v + 100)
    minx.parallel_for(2, uses_helper, y)
    assert list(y) == [100, 101]


class Settings:
    pass


settings = Settings()
settings.a, settings.inner, settings.pair = 3, Settings(), (1, (2, 3))
settings.inner.b = 2


def sum_of(s, i):
    return s.a + i


@minx.kernel
def by_another_name(i, y):
    s = settings
    y[i] = s.inner.b


@minx.kernel
def by_argument(i, y):
    y[i] = sum_of(settings, i)


@minx.kernel
def of_tuples(i, y):
    y[i] = settings.pair[1][1]


@pytest.mark.parametrize("kernel, old, new", [(by_another_name, 2, 20), (by_argument, 3, 30), (of_tuples, 3, 33)])
def test_attributes(kernel, old, new, monkeypatch):
    """They change, and as long as they do not, a launch compares them and no more."""
    y = np.zeros(1)
    minx.parallel_for(1, kernel, y)
    calls = list(kernel.calls.values())
    minx.parallel_for(1, kernel, y)
    assert list(kernel.calls.values()) == calls and y[0] == old
    monkeypatch.setattr(settings, "a", 30)
    monkeypatch.setattr(settings.inner, "b", 20)
    monkeypatch.setattr(settings, "pair", (1, (2, 33)))
    minx.parallel_for(1, kernel, y)
    assert y[0] == new


def test_a_file_that_changes_behind_its_import(tmp_path, monkeypatch):
    """The text of a kernel is read at its first launch."""
    file = tmp_path / "edited_kernels.py"
    file.write_text("def one(i, y):\n    y[i] = 1\n\n\ndef two(i, y):\n    y[i] = 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    import edited_kernels

    file.write_text("\ndef one(i, y):\n    y[i] = 10\n\n\ndef two(i, y):\n    y[i] = 20\n")
    for kernel in (edited_kernels.one, edited_kernels.two):
        with pytest.raises(SyntaxError, match="has changed since"):
            minx.parallel_for(1, kernel, np.zeros(1))
