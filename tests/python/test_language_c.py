"""The C that kernels become has no warnings: of gcc and clang with -Wall -Wextra, and of nvcc, which compiles it as
CUDA C++. MINX_TEST_COMPILERS="gcc clang-14" names other C compilers."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import minx
import test_language_arrays as arrays
import test_language_statements as statements
from minx.build import settings as settings_module
from minx.build import units
from minx.build.compile import compile_kernel
from minx.language import c_helpers

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.integers(1, 9, (6, 9)).astype(float)


@minx.kernel
def everything(i, out, z, small, big, x, flags, n):
    """Operators of all kinds of types, once."""
    r = minx.Random(3, i)
    s = 0.0
    for k in minx.simd(range(x.shape[1])):
        s += x[i, k] * 0.5
    a, b = divmod(small[i] - 100, small[i] | 1)
    m = (big[i] >> 3) ^ (big[i] << n) if flags[i] or n > 1 and not flags[i] else big[i] % 7
    total = z[i] * 2j + z[i].conjugate() / (1 + z[i] ** 2) - np.sqrt(z[i])
    z[i] = total if abs(total) < 1e6 else 0
    w = minx.local((2, 3), minx.f32)
    w[1, 2] = s
    small[i] *= 3
    small[i] //= 2
    big[i] **= 2
    flags[i] = small[i] < big[i] and n != 0
    out[i] = (
        a
        + b
        + m
        + w[1][2]
        + r.uniform(-1, 1)
        + min(n, i, 3)
        + max(x[i, 0], 2)
        + statements.clamp(s, high=2)
        + x[i, 0] // 3 % 2
    )
    if small[i] > big[i]:
        minx.atomic_add(out, i, 1.0)
    while n > 3:
        n -= 1
    else:
        out[i] += n


@minx.kernel
def columns(team, out, x):
    w = team.scratch(x.shape[1])
    e = team.league_rank
    for k in team.items(x.shape[1]):
        w[k] = x[e, k]
    total = 0.0
    for k in team.threads(x.shape[1]):
        total += w[k]
    out[e] = total


@minx.kernel
def reduced(i, j, x):
    return x[i, j], x[i, j] > 3, i * j


def launches():
    """One kernel after the other, each with its arguments."""
    return [
        (
            everything,
            6,
            (
                np.zeros(6),
                RANDOM.normal(size=6) + 1j,
                np.arange(6, dtype=np.uint8),
                np.arange(6, dtype=np.uint64),
                ROWS,
                np.zeros(6, bool),
                2,
            ),
        ),
        (arrays.atoms_step, 6, (arrays.filled(arrays.ATOM, 6), np.zeros(6), 0.5)),
        (arrays.packed_step, 6, (arrays.filled(arrays.PACKED, 6), np.zeros(6))),
        (arrays.parts, 3, (np.zeros(3), ROWS[:5, :7].copy(), np.ones((3, 4, 5)))),
        (arrays.slice_bounds, 4, (np.zeros((4, 3)), np.arange(11.0), 1, 6)),
        (arrays.pass_parts, 4, (np.zeros(4), np.ones((4, 6)))),
        (arrays.local_arrays, 5, (np.zeros(5), np.arange(5.0))),
        (arrays.draw, 5, (np.zeros((5, 6)), 42)),
        (statements.loops, 5, (np.zeros((5, 4)),)),
        (statements.rebinding, 5, (np.ones((5, 4)), 7)),
        (statements.augmented, 5, (np.zeros(6), np.arange(5, dtype=np.int32), np.ones(5))),
        (statements.functions, 5, (np.zeros((5, 6)), np.arange(7.0))),
    ]


def texts(ctx):
    """The C text of each kernel. Every kernel is new, so the compiler of now compiles it."""
    out = {}

    def keep(launch, policy, kernel, *arguments, **options):
        kernel = minx.kernel(getattr(kernel, "function", kernel))
        launch(policy, kernel, *arguments, ctx=ctx, **options)
        out[kernel.function.__name__] = kernel.c_source()[-1]

    for kernel, n, arguments in launches():
        keep(minx.parallel_for, n, kernel, *arguments)
    keep(minx.parallel_for, minx.Team(6), columns, np.zeros(6), ROWS)
    keep(minx.parallel_reduce, minx.MDRange((6, 9)), reduced, ROWS, op=("sum", "any", "max"))
    keep(minx.parallel_for, 9, arrays.histogram, minx.Scatter(np.zeros(8), ctx=ctx), np.arange(9) % 8)
    return out


@pytest.mark.parametrize("compiler", os.environ.get("MINX_TEST_COMPILERS", "gcc clang").split())
def test_no_warnings(compiler, monkeypatch):
    """Launches compile the kernels, and a warning is an error. The text for simt is the same."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    options = ["-Wall", "-Wextra", "-Werror", *["-Wno-pass-failed"] * ("clang" in compiler)]  # a loop without vectors
    monkeypatch.setenv("CC", " ".join([compiler, *options]))
    assert len(texts(minx.Context("serial"))) == len(launches()) + 3


def test_a_warning_is_found(monkeypatch):
    monkeypatch.setenv("CC", "gcc -Wall -Wextra -Werror")
    with pytest.raises(minx.CompileError, match="unused variable"):
        compile_kernel("static inline void f(void) { int unused; }", ("host_right",))


def compile_all(sources, folder, command, suffix, head):
    for name, text in sources.items():
        source = folder / f"{name}.{suffix}"
        source.write_text(head(text) + text)
        run = subprocess.run(
            [*command, "-c", str(source), "-o", str(folder / f"{name}.o")], capture_output=True, text=True
        )
        assert run.returncode == 0 and "warning" not in run.stderr, f"{name}\n{run.stderr}\n{text}"


def test_helpers_name_what_headers_have():
    """Not every build has nvcc to say so of the parts for devices."""
    assert "lanes_wait" in c_helpers.MIXED
    have, name = set(), re.compile(r"\b(?:mx|MX)_\w+")
    for header in Path(settings_module.settings().include).rglob("*.h"):
        have |= set(name.findall(header.read_text()))
    for helper, text in {**c_helpers.MIXED, **c_helpers.CHECKS}.items():
        assert not {n for n in name.findall(text) if n.endswith("_")} - have, helper


def test_cuda(tmp_path):
    """Compiled, not run. It takes some minutes: MINX_TEST_NVCC=1."""
    nvcc = shutil.which("nvcc")
    if nvcc is None or not os.environ.get("MINX_TEST_NVCC"):
        pytest.skip("nvcc, with MINX_TEST_NVCC=1")
    include, sources = settings_module.settings().include, texts(minx.Context("serial"))
    chosen = {
        name: sources[name]
        for name in os.environ.get("MINX_TEST_NVCC_KERNELS", "everything columns histogram draw").split()
    }
    command = [
        nvcc,
        "-std=c++17",
        "-O3",
        "--expt-relaxed-constexpr",
        "-gencode=arch=compute_90,code=sm_90",
        "-Xcompiler=-Wall,-Wextra",
        f"-I{include}",
    ]
    compile_all(
        chosen,
        tmp_path,
        command,
        "cu",
        lambda text: units.head("cuda_left", ()) + units.includes(units.headers_of(text)),
    )
