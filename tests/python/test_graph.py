"""Graphs recorded from Python."""

import gc
import weakref

import numpy as np
import pytest
from contexts import make
from numpy.testing import assert_array_equal

import minx


@pytest.fixture(params=["serial", "openmp:threads=2", "simt", "serial:order=shuffled", "cuda"])
def ctx(request):
    return make(request.param)


@minx.kernel
def smooth(i, y, x, a):
    y[i] = a * (x[i] + x[(i + 1) % len(x)])


@minx.kernel
def total(i, x):
    return x[i]


def smoothed(x, a):
    return a * (x + np.roll(x, -1))


def test_launches(ctx):
    """A graph of two launches, run again and again, computes what the launches do; numbers are those of the
    recording."""
    source = np.arange(16.0) % 5
    x, y, a = ctx.array(source), ctx.zeros(16), 0.5
    with minx.graph(ctx) as g:
        minx.parallel_for(16, smooth, y, x, a, ctx=ctx)
        first = g.last
        minx.parallel_for(16, smooth, x, y, a, ctx=ctx)
        assert (first, g.last) == (0, 1)
        a = 99.0
    assert_array_equal(x.numpy(), source)  # nothing has run
    expected = source
    for _ in range(10):
        g.launch()
        expected = smoothed(smoothed(expected, 0.5), 0.5)
    assert_array_equal(x.numpy(), expected)  # divided by powers of two: exact


def test_fills_copies_and_branches(ctx):
    x, y, z, sums = ctx.zeros(8), ctx.zeros(8), ctx.zeros(8), ctx.zeros(1)
    with minx.graph(ctx) as g:
        x.fill(2)
        filled = g.last
        minx.parallel_for(8, smooth, y, x, 1.0, ctx=ctx)
        left = g.last
        g.after(filled)
        minx.parallel_for(8, smooth, z, x, 2.0, ctx=ctx)
        g.after(left, g.last)
        minx.parallel_reduce(8, total, z, into=sums, ctx=ctx)
        ctx.copy(x, y)
    g.launch()
    assert_array_equal(y.numpy(), np.full(8, 4.0))
    assert_array_equal(z.numpy(), np.full(8, 8.0))
    assert_array_equal(x.numpy(), np.full(8, 4.0))
    assert_array_equal(sums.numpy(), [64.0])


def test_numpy_arrays_are_kept():
    """Arrays that nothing else refers to stay as long as the graph."""
    ctx = make("openmp:threads=2")
    x, y = np.ones(8), np.zeros(8)
    gone = weakref.ref(x)
    with minx.graph(ctx) as g:
        minx.parallel_for(8, smooth, y, x, 3.0, ctx=ctx)
    del x
    gc.collect()
    assert gone() is not None
    g.launch()
    ctx.fence()
    assert_array_equal(y, np.full(8, 6.0))
    del g
    gc.collect()
    assert gone() is None


def test_errors(ctx):
    """What a graph cannot record, and graphs that cannot run."""
    x, y = ctx.zeros(8), ctx.zeros(8)
    g = minx.graph(ctx)
    with pytest.raises(minx.Error, match="give it into=") as failed, g:
        minx.parallel_reduce(8, total, x, ctx=ctx)  # a result in host memory
    assert failed.value.name == "MX_ERR_ARG"
    with pytest.raises(minx.Error, match="MX_ERR_ARG: the graph is closed"):
        g.launch()
    assert minx.parallel_reduce(8, total, x, ctx=ctx) == 0  # the recording has ended
    with minx.graph(ctx) as g:
        with pytest.raises(minx.Error, match="records a graph already"):
            minx.graph(ctx)
        with pytest.raises(minx.Error, match="no such node|node"):
            g.after(7)
        with pytest.raises(minx.Error):
            x.numpy()
        with pytest.raises(minx.Error):
            g.launch()
        minx.parallel_for(8, smooth, y, x, 1.0, ctx=ctx)
    g.launch()
    x.close()
    with pytest.raises(minx.Error, match="MX_ERR_STALE: the graph uses the view 'zeros', which is closed"):
        g.launch()


def test_a_graph_records_in_its_with_statement_only(ctx):
    x = ctx.zeros(8)
    g = minx.graph(ctx)
    minx.parallel_for(8, add_one, x, ctx=ctx)  # runs
    assert_array_equal(x.numpy(), np.ones(8))
    with pytest.raises(minx.Error, match="has not recorded anything"):
        g.launch()
    with g:
        minx.parallel_for(8, add_one, x, ctx=ctx)
    minx.parallel_for(8, add_one, x, ctx=ctx)
    g.launch()
    assert_array_equal(x.numpy(), np.full(8, 3.0))
    with pytest.raises(minx.Error, match="has recorded already: record another one"), g:
        pass
    g.launch()
    assert_array_equal(x.numpy(), np.full(8, 4.0))
    minx.graph(ctx).close()
    with pytest.raises(TypeError, match="got a str, expected a minx.Context"):
        minx.graph("serial")


@minx.kernel
def add_one(i, x):
    x[i] += 1


@minx.kernel
def offsets(i, before, begin, count):
    begin[i] = before
    before += count[i]


@minx.kernel
def both(i, x):
    return x[i], x[i]


@minx.kernel
def histogram(i, bins, x):
    bins.add(int(x[i]), 1)


@minx.kernel
def row_sums(team, y, a):
    s, w = 0.0, team.scratch(a.shape[1])
    for k in team.items(a.shape[1]):
        w[k] = a[team.league_rank, k]
    for k in team.items(a.shape[1]):
        s += w[k]
    y[team.league_rank] = s


class Clock:
    def __init__(self, x):
        self.x, self.dt = x, 0.5

    @minx.kernel
    def step(self, i):
        self.x[i] += self.dt


def test_all_kinds_of_launches(ctx):
    """Scans, reductions of several results, scatter views, teams with scratch, methods, kernels in C: twice, by a graph."""
    x, rows = ctx.array(np.array([0.0, 1, 1, 2])), ctx.array(np.arange(6.0).reshape(2, 3))
    begin, count, last = ctx.zeros(4, np.int64), ctx.array(np.array([3, 0, 2, 4])), ctx.zeros(1, np.int64)
    several, bins, sums = ctx.zeros(1, [("sum", "f8"), ("max", "f8")]), ctx.zeros(3, np.int64), ctx.zeros(2)
    scatter, clock, y = minx.Scatter(bins, ctx=ctx), Clock(ctx.zeros(3)), ctx.full(3, 1.0)
    scale = minx.c_kernel("""
        MX_ARGS(scale_args, (mx_f64_1, y), double factor;);
        MX_DECLARE_FOR(1D, scale, scale_args)
        MX_BODY void scale_body(const scale_args *a, int i) { MX_AT(a->y, i) *= a->factor; }
        MX_FOR(1D, scale)
    """)
    with minx.graph(ctx) as g:
        minx.parallel_scan(4, offsets, begin, count, into=last, ctx=ctx)
        minx.parallel_reduce(4, both, x, op=("sum", "max"), into=several, ctx=ctx)
        minx.parallel_for(4, histogram, scatter, x, ctx=ctx)
        scatter.contribute()
        minx.parallel_for(minx.Team(2), row_sums, sums, rows, ctx=ctx)
        minx.parallel_for(3, clock.step, ctx=ctx)
        scale(3, y=y, factor=3.0, ctx=ctx)
    clock.dt = 9.0  # the recorded number is another one
    g.launch()
    g.launch()
    ctx.fence()
    assert_array_equal(begin.numpy(), [0, 3, 3, 5])
    assert last.numpy()[0] == 9 and several.numpy()[0].item() == (4.0, 2.0)
    assert_array_equal(bins.numpy(), [2, 4, 2])
    assert_array_equal(sums.numpy(), [3.0, 12.0])
    assert_array_equal(clock.x.numpy(), np.ones(3))
    assert_array_equal(y.numpy(), np.full(3, 9.0))


def test_closed_context():
    ctx = minx.Context("serial")
    x, y = ctx.zeros(8), ctx.zeros(8)
    with minx.graph(ctx) as g:
        minx.parallel_for(8, smooth, y, x, 1.0, ctx=ctx)
    ctx.close()
    with pytest.raises(minx.Error, match="the graph is closed"):
        g.launch()


def test_checked_context():
    ctx = make("openmp:threads=2,check=serial")
    with pytest.raises(minx.Error, match="check"):
        minx.graph(ctx)
