"""The C that kernels become has no warnings: of gcc and clang with -Wall -Wextra, and of nvcc, which compiles it as
CUDA C++."""

import os
import shutil
import subprocess

import numpy as np
import pytest

import minx
import test_language_arrays as arrays
import test_language_statements as statements
from minx.build import settings as settings_module
from minx.build import units

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
    """The C text of each kernel."""
    out = {}
    for kernel, n, arguments in launches():
        kernel = kernel if isinstance(kernel, minx.Kernel) else minx.kernel(kernel)
        minx.parallel_for(n, kernel, *arguments, ctx=ctx)
        out[kernel.function.__name__] = kernel.c_source()[-1]
    minx.parallel_for(minx.Team(6), columns, np.zeros(6), ROWS, ctx=ctx)
    minx.parallel_reduce(minx.MDRange((6, 9)), reduced, ROWS, op=("sum", "any", "max"), ctx=ctx)
    scatter = minx.Scatter(np.zeros(8), ctx=ctx)
    histogram = minx.kernel(arrays.histogram)
    minx.parallel_for(9, histogram, scatter, np.arange(9) % 8, ctx=ctx)
    for kernel in (columns, reduced, histogram):
        out[kernel.function.__name__] = kernel.c_source()[-1]
    return out


@pytest.fixture(scope="module")
def sources():
    return texts(minx.Context("serial"))


def compile_all(sources, folder, command, suffix, head):
    for name, text in sources.items():
        source = folder / f"{name}.{suffix}"
        source.write_text(head(text) + text)
        run = subprocess.run(
            [*command, "-c", str(source), "-o", str(folder / f"{name}.o")], capture_output=True, text=True
        )
        assert run.returncode == 0 and "warning" not in run.stderr, f"{name}\n{run.stderr}\n{text}"


@pytest.mark.parametrize("compiler", ["gcc", "clang", "clang-14"])
def test_no_warnings(sources, compiler, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    include = settings_module.settings().include
    for instance in ("host_right", "dispatch"):
        command = [compiler, "-std=gnu11", "-O3", "-march=native", "-fopenmp-simd", "-Wall", "-Wextra", f"-I{include}"]
        command += ["-Wno-pass-failed"] if "clang" in compiler else []  # a loop that is not vectorised
        compile_all(
            sources,
            tmp_path,
            command,
            "c",
            lambda text: units.head(instance, ("host_right",)) + units.includes(units.headers_of(text)),
        )


def test_cuda(sources, tmp_path):
    """Compiled, not run. It takes some minutes: MINX_TEST_NVCC=1."""
    nvcc = shutil.which("nvcc")
    if nvcc is None or not os.environ.get("MINX_TEST_NVCC"):
        pytest.skip("nvcc, with MINX_TEST_NVCC=1")
    include = settings_module.settings().include
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
