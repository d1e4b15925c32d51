"""python -m pytest tests; BACKENDS="serial openmp:threads=2 simt" by default."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path += [str(Path(__file__).parents[2] / "python"), str(Path(__file__).parent)]
import kernels as k
import minx

BACKENDS = os.environ.get("BACKENDS", "serial,openmp:threads=2,simt,openmp:threads=2;check=serial").split(",")


@pytest.fixture(params=BACKENDS)
def ctx(request):
    return minx.Context(request.param.replace(";", ","))


class Data:
    """Arrays where kernels of a context reach them, and back."""

    def __init__(self, ctx):
        self.ctx = ctx

    def to(self, a):
        a = np.asarray(a)
        return a if self.ctx.host else self.ctx.array(a)

    def back(self, a):
        return a if self.ctx.host else a.numpy()


def lj_data(n=300, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.random((n, 3)) * 6
    d = ((x[:, None] - x[None]) ** 2).sum(2)
    near = (d < 4) & (d > 0)
    count = near.sum(1).astype(np.int32)
    neighbours = np.zeros((n, count.max()), np.int32)
    for i in range(n):
        neighbours[i, : count[i]] = np.flatnonzero(near[i])
    return x, count, neighbours


def test_axpy_and_dot(ctx):
    d = Data(ctx)
    x, y = d.to(np.arange(1000.0)), d.to(np.ones(1000))
    minx.parallel_for(minx.Range(1000), k.axpy, y, x, 2.0, ctx=ctx)
    assert np.array_equal(d.back(y), 1 + 2 * np.arange(1000.0))


def test_stencil(ctx):
    d, u = Data(ctx), np.random.default_rng(0).random((12, 13, 14))
    a, out = d.to(u), d.to(np.zeros_like(u))
    minx.parallel_for(minx.MDRange((1, 1, 1), (11, 12, 13)), k.stencil, out, a, 0.1, ctx=ctx)
    lap = sum(np.roll(u, s, a) for a in range(3) for s in (1, -1)) - 6 * u
    assert np.allclose(d.back(out)[1:-1, 1:-1, 1:-1], (u + 0.1 * lap)[1:-1, 1:-1, 1:-1])


@pytest.mark.parametrize("size,lanes", [(minx.AUTO, minx.AUTO), (2, 4), (1, 1)])
def test_team(ctx, size, lanes):
    d, rng = Data(ctx), np.random.default_rng(0)
    if size > 1 and ctx.backend == "serial":
        pytest.skip("serial has teams of one")
    y, A, x = rng.random((20, 7)), rng.random((20, 7, 9)), rng.random((20, 9))
    got = minx.parallel_reduce(minx.Team(20, size, lanes), k.yAx, d.to(y), d.to(A), d.to(x), ctx=ctx)
    assert math.isclose(got, np.einsum("ej,eji,ei", y, A, x))
    out, data = d.to(np.zeros((20, 33))), rng.random((20, 33))
    minx.parallel_for(minx.Team(20, size, lanes), k.smooth, out, d.to(data), 3, ctx=ctx)
    for _ in range(3):
        data[:, 1:-1] = (data[:, :-2] + data[:, 1:-1] + data[:, 2:]) / 3
    assert np.allclose(d.back(out), data)


def test_lj(ctx):
    d, (x, count, neighbours) = Data(ctx), lj_data()
    args = d.to(x), d.to(count), d.to(neighbours), 2.25, 48.0, 24.0
    forces = []
    for kernel in (k.lj, k.lj_simd):
        f = d.to(np.zeros_like(x))
        minx.parallel_for(len(x), kernel, f, *args, ctx=ctx)
        forces.append(d.back(f))
    assert np.allclose(*forces, rtol=1e-9)
    rij = x[:, None] - x[None]
    rsq = (rij**2).sum(2)
    np.fill_diagonal(rsq, np.inf)
    r6 = np.where(rsq < 2.25, 1 / rsq**3, 0)
    assert np.allclose(forces[0], (rij * (r6 * (48 * r6 - 24) / rsq)[..., None]).sum(1))
    energy, nearest = minx.parallel_reduce(len(x), k.lj_energy, *args, op=("sum", "min"), ctx=ctx)
    assert math.isclose(energy, 0.5 * (r6 * (4 * r6 - 4)).sum(), rel_tol=1e-9) and math.isclose(nearest, rsq.min())


def test_scan_and_atomics(ctx):
    if "check" in ctx.resource:
        ctx = minx.Context("openmp:threads=2")
    d, count = Data(ctx), np.random.default_rng(0).integers(0, 9, 5000)
    begin = d.to(np.zeros(5000, int))
    assert minx.parallel_scan(5000, k.offsets, begin, d.to(count), ctx=ctx) == count.sum()
    assert np.array_equal(d.back(begin), np.cumsum(count) - count)
    x, bins = np.random.default_rng(1).normal(size=5000), d.to(np.zeros(10, np.int32))
    minx.parallel_for(5000, k.histogram, bins, d.to(x), -2.0, 0.4, ctx=ctx)
    assert np.array_equal(d.back(bins), np.histogram(x[(x >= -2) & (x < 2)], 10, (-2.0, 2.0))[0])


def test_layouts_and_types():
    @minx.kernel
    def scale(i, j, a, s):
        a[i, j] *= s

    for make in (np.ascontiguousarray, np.asfortranarray, lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3]):
        all_types = np.float64, np.float32, np.int32, np.int64, np.int16, np.uint8
        for dtype in all_types if make is np.ascontiguousarray else all_types[::4]:
            a = make(np.arange(20).reshape(4, 5).astype(dtype))
            expected = a * 3
            minx.parallel_for(minx.MDRange(a.shape), scale, a, 3)
            assert np.array_equal(a, expected), (make, dtype)
    with pytest.raises(minx.Error, match="MX_ERR_LAYOUT"):
        minx.parallel_for(minx.MDRange((4, 5)), scale, np.zeros((4, 5))[::-1], 3)
    readonly = np.zeros((4, 5))
    readonly.setflags(write=False)
    with pytest.raises(minx.Error, match="MX_ERR_CONST"):
        minx.parallel_for(minx.MDRange((4, 5)), scale, readonly, 3)


def test_types_follow_numpy():
    @minx.kernel
    def f(i, out, a, b, n):
        s = 0
        for q in range(3):
            s += a[i]
        out[i] = s * 0.1 + b[i] // 3 - (b[i] - n) % 5 + (b[i] - n) // 2 + n**2

    for dtype in (np.float64, np.float32):
        a, b = np.arange(10).astype(dtype), np.arange(10, dtype=np.int32)
        out = np.zeros(10, dtype)
        minx.parallel_for(10, f, out, a, b, 7)
        expected = sum([a] * 3, np.zeros(10, dtype)) * dtype(0.1) + b // 3 - (b - 7) % 5 + (b - 7) // 2 + 49
        assert np.allclose(out, expected)
    source = f.c_source()
    assert any("0.1f" in s and "float s = " in s for s in source)


def test_constants_and_functions():
    global SCALE
    SCALE = 3

    def inner(v):
        return v * SCALE

    @minx.kernel
    def g(i, out):
        out[i] = inner(i) if i % 2 == 0 else -1

    out = np.zeros(6, int)
    minx.parallel_for(6, g, out)
    assert list(out) == [0, -1, 6, -1, 12, -1]
    SCALE = 5  # a change is noticed
    minx.parallel_for(6, g, out)
    assert list(out) == [0, -1, 10, -1, 20, -1]


def test_methods():
    class Model:
        def __init__(self):
            self.u, self.factor = np.ones(5), 2.0

        def scaled(self, v):
            return v * self.factor

        def step(self, i):
            self.u[i] = self.scaled(self.u[i]) + i

    m = Model()
    minx.parallel_for(5, m.step)
    assert list(m.u) == [2, 3, 4, 5, 6]
    m.u, m.factor = np.zeros(5), 0.5
    minx.parallel_for(5, m.step)
    assert list(m.u) == [0, 1, 2, 3, 4]


def test_variables_of_loops():
    @minx.kernel
    def h(i, out):
        last = -1
        for n in range(i):
            if n == 3:
                break
            last = n
        for n in range(10, 0, -3):
            last += n
        m = 0
        while True:
            m += 1
            if m > i:
                break
        out[i] = last * 100 + m + n

    def python(i):
        out = {}
        h.function(i, out)
        return out[i]

    out = np.zeros(8, int)
    minx.parallel_for(8, h, out)
    assert list(out) == [python(i) for i in range(8)]


def test_changed_parameters():
    @minx.kernel
    def shift(i, out, s):
        s = s * 2.0
        i = i + 1
        while s > 10:
            s -= 10
        out[i] = s

    out = np.zeros(5)
    minx.parallel_for(4, shift, out, 8)
    assert list(out) == [0, 6, 6, 6, 6]


def test_index_notices_changes(tmp_path):
    """A kernel of the cache is found without translating it, unless a number or function that it uses is another."""
    program = """
import sys, numpy as np, minx, minx.build
import {module} as m
def helper(v): return v {operator} m.N
@minx.kernel
def f(i, out): out[i] = helper(i)
out = np.zeros(4, int)
minx.parallel_for(4, f, out)
print(out.tolist(), "translated" if "minx.source" in sys.modules and minx.source.source_of.cache_info().misses else "found")
"""
    outputs = []
    for number, operator in ((3, "+"), (3, "+"), (4, "+"), (4, "*")):
        (tmp_path / "config.py").write_text(f"N = {number}")
        (tmp_path / "p.py").write_text(program.format(module="config", operator=operator))
        run = subprocess.run([sys.executable, "p.py"], cwd=tmp_path, capture_output=True, text=True, check=True,
                             env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "python"), "PYTHONDONTWRITEBYTECODE": "1"})
        outputs.append(run.stdout.strip())
    assert outputs[0].startswith("[3, 4, 5, 6]") and outputs[1] == "[3, 4, 5, 6] found"
    assert outputs[2].startswith("[4, 5, 6, 7]") and outputs[3].startswith("[0, 4, 8, 12]")


def test_rows_and_branches():
    @minx.kernel
    def rows(i, out, a):
        row = a[i, :]
        for j in range(len(row)):
            other = a[(i + 1) % a.shape[0]]
            out[i] += row[j] * other[-1]

    a, out = np.arange(12.0).reshape(3, 4), np.zeros(3)
    minx.parallel_for(3, rows, out, a)
    assert np.array_equal(out, a.sum(1) * np.roll(a[:, -1], -1))

    @minx.kernel
    def which(i, out, a, b):
        r = a
        if i > 1:
            r = b
        out[i] = r[i]

    fails(which, 3, out, out, out, match="something else outside of this branch")


def test_plain_python():
    y, x = np.ones(5), np.arange(5.0)
    minx.parallel_for(5, k.axpy, y, x, 2.0, ctx="python")
    assert list(y) == [1, 3, 5, 7, 9]
    A = np.random.default_rng(0).random((3, 4, 5))
    total = minx.parallel_reduce(minx.Team(3), k.yAx, A[:, :, 0].copy(), A, A[:, 0].copy(), ctx="python")
    assert math.isclose(total, np.einsum("ej,eji,ei", A[:, :, 0], A, A[:, 0]))


def fails(kernel, policy, *args, match, column=None):
    with pytest.raises(minx.NotSupported, match=match) as info:
        minx.parallel_for(policy, kernel, *args)
    assert info.value.filename == __file__ and info.value.lineno and info.value.offset
    return info.value


def test_errors():
    a = np.zeros((4, 4))

    def with_(i, a):
        with a:
            pass

    def listed(i, a):
        a[i, 0] = sum([v for v in range(3)])

    def unknown(i, a):
        a[i, 0] = no_such_name

    def rank(i, a):
        a[i] = 1.0

    def index(i, a):
        a[i, 0.5] = 1

    def shared(team, a):
        last = 0.0
        for j in team.threads(4):
            last = a[0, j]
        a[0, 0] = last

    def returned(i, a):
        return a[i, 0]

    assert "`with`" in fails(with_, 4, a, match="`with` is not supported").msg
    assert fails(listed, 4, a, match="sum cannot be called|list comprehension").text.strip().startswith("a[i, 0]")
    fails(unknown, 4, a, match="no_such_name is not defined")
    fails(rank, 4, a, match="1 index for an array of 2 dimensions")
    fails(index, 4, a, match="an index is an integer")
    fails(shared, minx.Team(2), a, match="assigned by several items")
    fails(returned, 4, a, match="parallel_for has no result")


def test_recip(ctx):
    """Within one unit in the last place of numpy's quotient, in the type of the argument."""

    @minx.kernel
    def inverses(i, out, out32, x, x32, n):
        out[i, 0], out[i, 1] = minx.recip(x[i]), minx.recip(n[i])
        out32[i] = minx.recip(x32[i])

    rng = np.random.default_rng(7)
    x = rng.uniform(-1, 1, 1000) * 10.0 ** rng.integers(-30, 30, 1000)
    n = np.arange(1, 1001)
    d = Data(ctx)
    out, out32 = d.to(np.zeros((1000, 2))), d.to(np.zeros(1000, np.float32))
    minx.parallel_for(1000, inverses, out, out32, d.to(x), d.to(x.astype(np.float32)), d.to(n), ctx=ctx)
    np.testing.assert_array_max_ulp(d.back(out)[:, 0], 1 / x, 1)
    np.testing.assert_array_max_ulp(d.back(out)[:, 1], 1 / n, 1)
    np.testing.assert_array_max_ulp(d.back(out32), np.float32(1) / x.astype(np.float32), 1)
    assert minx.recip(4.0) == 0.25  # as a function of Python
