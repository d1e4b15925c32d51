"""Kernels as plain Python, ctx="python": the same results as on a backend, and lines where a debugger stops."""

import bdb
import math
import sys

import numpy as np
import pytest

import kernels as k
import minx

HOST = "serial"


def both(launch, *arrays):
    """launch(context, copies of the arrays) as plain Python and on a backend: results and arrays, pairwise."""
    runs = []
    for ctx in ("python", minx.Context(HOST)):
        copies = [a.copy() for a in arrays]
        runs.append((launch(ctx, *copies), copies))
    return zip(runs[0][1] + [runs[0][0]], runs[1][1] + [runs[1][0]])


def same(launch, *arrays, rtol=1e-13):
    """Sums of some hundred numbers may be added in another order, and gcc contracts a * b + c."""
    for plain, compiled in both(launch, *arrays):
        if plain is None:
            assert compiled is None
        else:
            assert np.allclose(plain, compiled, rtol=rtol, atol=1e-300)


def lj_data(n=60, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.random((n, 3)) * 4
    d = ((x[:, None] - x[None]) ** 2).sum(2)
    near = (d < 4) & (d > 0)
    count = near.sum(1).astype(np.int32)
    neighbours = np.zeros((n, count.max()), np.int32)
    for i in range(n):
        neighbours[i, : count[i]] = np.flatnonzero(near[i])
    return x, count, neighbours


RNG = np.random.default_rng(0)
X, COUNT, NEIGHBOURS = lj_data()
U = RNG.random((6, 7, 8))
CASES = {
    "axpy": (lambda c, y, x: minx.parallel_for(50, k.axpy, y, x, 2.0, ctx=c), RNG.random(50), RNG.random(50)),
    "triad": (lambda c, a, b, s: minx.parallel_for(50, k.triad, a, b, s, 3.0, ctx=c), *RNG.random((3, 50))),
    "stencil": (lambda c, out, u: minx.parallel_for(minx.MDRange((1, 1, 1), (5, 6, 7)), k.stencil, out, u, 0.1, ctx=c),
                np.zeros_like(U), U),
    "yAx": (lambda c, y, A, x: minx.parallel_reduce(minx.Team(5), k.yAx, y, A, x, ctx=c),
            RNG.random((5, 4)), RNG.random((5, 4, 6)), RNG.random((5, 6))),
    "lj": (lambda c, f, x, n, m: minx.parallel_for(len(x), k.lj, f, x, n, m, 2.25, 48.0, 24.0, ctx=c),
           np.zeros_like(X), X, COUNT, NEIGHBOURS),
    "lj_simd": (lambda c, f, x, n, m: minx.parallel_for(len(x), k.lj_simd, f, x, n, m, 2.25, 48.0, 24.0, ctx=c),
                np.zeros_like(X), X, COUNT, NEIGHBOURS),
    "lj_energy": (lambda c, x, n, m: minx.parallel_reduce(len(x), k.lj_energy, x, n, m, 2.25, 48.0, 24.0, op=("sum", "min"), ctx=c),
                  X, COUNT, NEIGHBOURS),
    "offsets": (lambda c, b, n: minx.parallel_scan(len(n), k.offsets, b, n, ctx=c), np.zeros(90, int), RNG.integers(0, 9, 90)),
    "histogram": (lambda c, b, x: minx.parallel_for(len(x), k.histogram, b, x, -2.0, 0.4, ctx=c),
                  np.zeros(10, np.int32), RNG.normal(size=200)),
    "smooth": (lambda c, out, x: minx.parallel_for(minx.Team(4), k.smooth, out, x, 3, ctx=c), np.zeros((4, 20)), RNG.random((4, 20))),
}


@pytest.mark.parametrize("name", CASES)
def test_kernels(name):
    launch, *arrays = CASES[name]
    # atomics and neighbour sums cancel: a force is a sum of terms up to 1e4 of its size
    same(launch, *arrays, rtol=1e-9 if name.startswith("lj") else 1e-13)


def test_every_kernel_is_there():
    assert {n for n, v in vars(k).items() if isinstance(v, minx.Kernel)} == set(CASES)


# ---- returns and values ----


@minx.kernel
def early(i, total, out, x):
    """A value that some ways out of the function do not change."""
    if x[i] < 0.25:
        return
    total += x[i]
    if x[i] > 0.75:
        out[i] = -total
        return
    out[i] = total


def test_returns_of_scans():
    x = np.random.default_rng(2).integers(0, 4, 300) / 4
    same(lambda c, out, x: minx.parallel_scan(300, early, out, x, ctx=c), np.zeros(300), x)


def test_closures_of_scans():
    factor, shift = 2, 1

    @minx.kernel
    def scaled(i, total, out, x):
        out[i] = total
        total += factor * x[i] + shift

    x = np.random.default_rng(3).integers(0, 9, 50)
    same(lambda c, out, x: minx.parallel_scan(50, scaled, out, x, ctx=c), np.zeros(50, int), x)


class Particles:
    def __init__(self):
        self.mass, self.scale = np.arange(1.0, 6.0), 2.0
        self.begin = np.zeros(5)

    def add(self, i, total):
        self.begin[i] = total
        total += self.mass[i] * self.scale

    def heaviest(self, i):
        return self.mass[i] * self.scale

    def grow(self, i):
        self.mass[i] += self.scale


def test_methods():
    results = []
    for ctx in ("python", minx.Context(HOST)):
        p = Particles()
        minx.parallel_for(5, p.grow, ctx=ctx)
        total = minx.parallel_scan(5, p.add, ctx=ctx)
        results.append((total, list(p.begin), minx.parallel_reduce(5, p.heaviest, op="maxloc", ctx=ctx)))
    assert results[0] == results[1] == (50.0, [0.0, 6.0, 14.0, 24.0, 36.0], (14.0, 4))


def test_types_of_results():
    """Python's numbers, whatever the arrays have."""
    x = np.arange(1, 5, dtype=np.int8)
    for op, expected in (("sum", 10), ("prod", 24), ("max", 4), ("all", True), ("minloc", (1, 0))):
        for ctx in ("python", minx.Context(HOST)):
            got = minx.parallel_reduce(4, lambda_free, x, op=op, ctx=ctx)
            assert got == expected and type(got) is type(expected), (op, ctx)


def lambda_free(i, x):
    return x[i]


def test_views():
    """Views of a context, in whatever memory, are copied there and back."""
    for resource in ("serial", "simt"):
        if minx.backend_missing(resource):
            continue
        ctx = minx.Context(resource)
        y, x = ctx.array(np.ones(7)), ctx.array(np.arange(7.0))
        minx.parallel_for(7, k.axpy, y, x, 3.0, ctx="python")
        assert np.array_equal(y.numpy(), 1 + 3 * np.arange(7.0))


def test_empty_ranges():
    x = np.ones(3)
    for op, expected in (("sum", 0), ("prod", 1), ("min", math.inf), ("max", -math.inf), ("all", True), ("any", False)):
        assert minx.parallel_reduce(0, lambda_free, x, op=op, ctx="python") == expected
        assert minx.parallel_reduce(0, lambda_free, x, op=op, ctx=minx.Context(HOST)) == expected


def test_prints_and_exceptions(capsys):
    def talks(i, x):
        if x[i] < 0:
            raise ValueError(f"x[{i}] is negative")  # plain Python may do what kernels may not
        print("item", i)

    with pytest.raises(ValueError, match=r"x\[2\] is negative"):
        minx.parallel_for(4, talks, np.array([1.0, 2.0, -1.0, 5.0]), ctx="python")
    assert capsys.readouterr().out == "item 0\nitem 1\n"


# ---- debuggers ----


class Stops(bdb.Bdb):
    """Notes the values of a variable each time a line is about to run."""

    def __init__(self, file, line, name):
        super().__init__()
        self.at, self.name, self.values = (self.canonic(file), line), name, []
        self.set_break(file, line)

    def user_line(self, frame):
        if (self.canonic(frame.f_code.co_filename), frame.f_lineno) == self.at:
            self.values.append(frame.f_locals[self.name])
        self.set_continue()


def line_of(function, text):
    import inspect

    lines, first = inspect.getsourcelines(function)
    return first + next(n for n, line in enumerate(lines) if text in line)


@pytest.mark.parametrize("kernel, text, variable, expected", [
    (early, "out[i] = total", "total", [0.5, 1.0]), (k.axpy, "y[i] += alpha * x[i]", "i", [0, 1, 2])])
def test_breakpoints(kernel, text, variable, expected):
    """A breakpoint on a line of the kernel stops there, in scans too, whose function is a copy."""
    x = np.array([0.5, 0.5, 0.0])
    stops = Stops(kernel.function.__code__.co_filename, line_of(kernel.function, text), variable)
    run = (lambda: minx.parallel_scan(3, early, np.zeros(3), x, ctx="python")) if kernel is early else \
        (lambda: minx.parallel_for(3, k.axpy, np.zeros(3), x, 1.0, ctx="python"))
    previous = sys.gettrace()
    try:
        stops.runcall(run)
    finally:
        sys.settrace(previous)
    assert stops.values == expected


@minx.kernel
def with_types(team, out):
    w, t = team.scratch(2, np.int64), minx.local(2, np.int32)
    u, v = minx.local(2, minx.u8), minx.local((1, 1), np.float32)
    w[0], t[0], u[0], v[0, 0] = 7, 2.5, 3, 0.1
    out[team.league_rank] = w[0] + t[0] + u[0] + v[0, 0]


def test_types_of_scratch_and_local_arrays():
    """Those of NumPy, and minx's own."""
    out = np.zeros(2)
    minx.parallel_for(minx.Team(2), with_types, out, ctx="python")
    assert np.array_equal(out, np.full(2, 12 + float(np.float32(0.1))))
