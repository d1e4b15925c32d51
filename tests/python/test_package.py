"""The package as users have it: its version, its command line, kernels compiled ahead of time, and pip install."""

import importlib.resources
import os
import re
import shutil
import subprocess
import sys
import textwrap
import venv
from pathlib import Path

import pytest

from builds import HOST, PYTHON, cache, headers, kernel_file  # noqa: F401 (fixtures)
import minx
from minx.build import compile as build
from minx.build import settings
from minx.launch import ahead

REPOSITORY = PYTHON.parent
PROGRAM = """
    import numpy as np, minx

    @minx.kernel
    def axpy(i, y, x, alpha):
        y[i] += alpha * x[i]

    @minx.kernel
    def dot(i, x, y):
        return x[i] * y[i]

    minx.declare(minx.Range, axpy, minx.f64[:], minx.f64[:], float)
    minx.declare(minx.Range, dot, minx.f64[:], np.zeros(2), op="sum")

    if __name__ == "__main__":
        x, y = np.ones(1000), np.arange(1000.0)
        minx.parallel_for(minx.Range(y.size), axpy, y, x, 2.0)
        print(y[-1], minx.parallel_reduce(minx.Range(y.size), dot, x, y))
"""
ANSWER = "1001.0 501500.0\n"  # 999 + 2, and the sum of 2 to 1001


def run(*words, **environment):
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, timeout=600, env={**os.environ, **environment})


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM))
    return path


def test_one_version():
    project = re.search(r"project\(minx VERSION ([0-9.]+)", (REPOSITORY / "CMakeLists.txt").read_text())
    assert minx.__version__ == project[1]
    assert (importlib.resources.files("minx") / "py.typed").is_file()


def test_an_import_needs_neither_library_nor_compiler(tmp_path):
    done = run("-c", "import minx; print(minx.__version__)", MINX_PREFIX=str(tmp_path), CC="/nowhere", PATH="/nowhere")
    assert done.stdout == minx.__version__ + "\n", done.stderr


def test_the_configuration(cache):
    done = run("-m", "minx")
    assert done.returncode == 0, done.stderr
    for line in (f"minx +{minx.__version__}, library /", "serial +available", "compiler .*-march|compiler .*default", f"cache +{cache}: 0 kernels"):
        assert re.search(line, done.stdout), done.stdout


def test_what_is_missing_has_exit_code_3(cache, tmp_path):
    done = run("-m", "minx", MINX_PREFIX=str(tmp_path))
    assert done.returncode == 3 and "no minx is installed there" in done.stderr and "Traceback" not in done.stderr
    done = run("-m", "minx", CC="/nowhere/gcc")  # it shows the rest
    assert done.returncode == 0 and "CC is '/nowhere/gcc', which cannot be run" in done.stdout


def test_ahead_of_time(cache, program):
    """What the command has compiled, the program finds: it compiles nothing."""
    done = run("-m", "minx", "compile", program)
    assert done.returncode == 0 and done.stdout.count("kernel.so") == 2, done.stderr
    entries = sorted((cache / "kernels").iterdir())
    done = run(program, MINX_BACKEND="serial", TMPDIR="/nowhere")
    assert done.stdout == ANSWER, done.stderr
    assert sorted((cache / "kernels").iterdir()) == entries
    assert "2 kernels" in run("-m", "minx", "cache").stdout
    assert "removed" in run("-m", "minx", "cache", "--clear").stdout


WITHOUT_COMPILER = """
    import minx, numpy as np

    scale = minx.c_kernel('''
    MX_ARGS(scale_args, (mx_f64_1, y), double factor;);
    MX_DECLARE_FOR(1D, scale, scale_args)
    MX_BODY void scale_body(const scale_args *a, int i) { MX_AT(a->y, i) *= a->factor; }
    MX_FOR(1D, scale)
    ''')
    y = np.ones(3)
    scale(3, y=y, factor=2.5)
    print(y)
"""


def test_a_machine_without_a_compiler(cache, program, tmp_path):
    """It runs what was compiled on another machine, in Python and in C, also from a copy of the cache. What was not, is an error."""
    in_c = tmp_path / "in_c.py"
    in_c.write_text(textwrap.dedent(WITHOUT_COMPILER))
    assert run("-m", "minx", "compile", program).returncode == 0 and run(in_c).returncode == 0
    copied = tmp_path / "copied"
    shutil.copytree(cache, copied, ignore=shutil.ignore_patterns("headers"))
    nothing = {"CC": "/nowhere/gcc", "PATH": "/nowhere", "TMPDIR": "/nowhere"}
    for _ in range(2):  # the second time without a translation
        done = run(program, MINX_PY_CACHE=str(copied), **nothing)
        assert done.stdout == ANSWER, done.stderr
        done = run(in_c, MINX_PY_CACHE=str(copied), **nothing)
        assert done.stdout == "[2.5 2.5 2.5]\n", done.stderr
    program.write_text(program.read_text().replace("+= alpha", "-= alpha"))
    done = run(program, MINX_PY_CACHE=str(copied), **nothing)
    assert done.returncode == 1 and "CC is '/nowhere/gcc', which cannot be run" in done.stderr.splitlines()[-1]


def test_what_is_compiled_for_another_minx_or_cpu_is_not_used(cache, monkeypatch):
    build.compile_kernel(kernel_file(), HOST)
    monkeypatch.setenv("CC", "/nowhere/gcc")
    found = build.compile_kernel(kernel_file(), HOST)
    assert found.is_relative_to(cache)
    changes = [(settings, "cpu", lambda: "another"), (settings, "PACKAGE", "another")]
    for place, name, value in changes if build.settings().tune == "native" else changes[1:]:
        with monkeypatch.context() as changed:
            changed.setattr(place, name, value)
            settings._settings.cache_clear()
            with pytest.raises(minx.SetupError, match="which cannot be run"):
                build.compile_kernel(kernel_file(), HOST)
    settings._settings.cache_clear()
    monkeypatch.setenv("MINX_PY_DEBUG", "1")
    with pytest.raises(minx.SetupError):
        build.compile_kernel(kernel_file(), HOST)
    monkeypatch.delenv("MINX_PY_DEBUG")
    assert build.compile_kernel(kernel_file(), HOST) == found
    library = Path(str(build.settings().library))
    monkeypatch.setattr(Path, "read_bytes", lambda path, read=Path.read_bytes: read(path) + b"!" * (path == library))
    settings._settings.cache_clear()
    with pytest.raises(minx.SetupError):  # another libminx
        build.compile_kernel(kernel_file(), HOST)
    settings._settings.cache_clear()


def test_mistakes_of_the_command_line(cache, tmp_path):
    nothing = tmp_path / "nothing.py"
    nothing.write_text("import minx\n")
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import minx\ndef f(i, x):\n    x[i] = 'a'\nminx.declare(minx.Range, f, minx.f64[:])\n")
    for words, code, said in (([nothing], 2, "declares nothing"), ([tmp_path / "none.py"], 2, "there is no file"), ([wrong], 1, "wrong.py"),
                              ([wrong, "--backend=gpu"], 3, "there is no backend 'gpu', but serial")):
        done = run("-m", "minx", "compile", *words)
        assert done.returncode == code and said in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_declared_types():
    before = list(ahead.declared)
    try:
        with pytest.raises(TypeError, match=r"expected a colon for each dimension, as in minx.f64\[:, :\]"):
            minx.f64[3]
        with pytest.raises(TypeError, match="f: type 0 is 'f8', expected one such as minx.f64"):
            minx.declare(minx.Range, f, "f8")
        with pytest.raises(TypeError, match="expected minx.Range"):
            minx.declare(8.0, f)
    finally:
        ahead.declared[:] = before


def f(i):
    pass


@pytest.mark.skipif(os.environ.get("MINX_TEST_PIP") != "1", reason="pip install takes 40 s and a network: MINX_TEST_PIP=1 runs it")
def test_pip_install(tmp_path, program):
    """A new virtual environment, one command, and a program: with a C compiler only."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv/bin/python"
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MINX_", "PYTHON"))}
    environment |= {"PATH": "/usr/bin:/bin", "MINX_PY_CACHE": str(tmp_path / "cache")}
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(REPOSITORY)], check=True, env=environment, cwd=tmp_path)
    done = subprocess.run([python, program], capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.stdout == ANSWER, done.stderr
