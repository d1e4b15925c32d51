"""The programs of the paper, in their three styles, on every backend. Each checks its own result.

A style is another way to write the same kernel, so simt, which compiles each once more, has one of them in turn;
MINX_TEST_FULL=1: all."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import minx.pykokkos as pk

FOLDER = Path(__file__).parents[3] / "examples" / "python" / "paper"
SHORT = [
    "subview",
    "mdrange",
    "team_policy",
    "team_vector_loop",
    "team_scratch",
    "babelstream",
    "nstream",
    "stencil",
    "transpose",
]
STYLES = ["function", "functor", "workload"]
FULL = bool(os.environ.get("MINX_TEST_FULL"))


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def only_in_full(space, chosen=False):
    """Skips what simt has not by default."""
    if space == "simt" and not chosen and not FULL:
        pytest.skip("simt has this with MINX_TEST_FULL=1")


def runs(name, style, space=pk.OpenMP, **changed):
    program = importlib.import_module(name)
    sizes = {**program.SIZES, **changed}
    result = program.run(style, space, **sizes)
    program.check(result, **sizes)
    return result


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", SHORT)
def test_program(space, name, style):
    only_in_full(space, STYLES[SHORT.index(name) % 3] == style)
    runs(name, style)


@pytest.mark.parametrize("exercise", [1, 2, 3, 4])
def test_tutorial(space, exercise):
    for style in STYLES[:1] if exercise in (1, 3) else STYLES:
        runs("tutorial", style, exercise=exercise)


@pytest.mark.parametrize("style", STYLES)
def test_molecular_dynamics(space, style):
    """Against NumPy over all pairs, and by conservation."""
    only_in_full(space, style == "workload")
    runs("md", style, steps=20)


def test_other_sizes(space):
    only_in_full(space)
    runs("babelstream", "function", precision="float", n=777)
    runs("babelstream", "functor", precision="float")
    runs("stencil", "functor", radius=4, n=33)
    runs("transpose", "function", permute=0, order=33, tile=7)
    runs("team_vector_loop", "function", E=1, N=1, M=1)


def test_a_wrong_result_is_found(space):
    program = importlib.import_module("nstream")
    with pytest.raises(ValueError, match="sum: got"):
        program.check(1.0, **program.SIZES)


@pytest.mark.parametrize("style", STYLES)
def test_command_line(style):
    run = subprocess.run(
        [sys.executable, str(FOLDER / "team_vector_loop.py"), "--style", style, "--space", "Serial", "-E", "3"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0 and f"{style} on Serial: passed" in run.stdout, run.stderr
