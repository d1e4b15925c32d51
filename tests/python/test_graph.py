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
    with pytest.raises(minx.Error) as failed:
        g.launch()
    assert failed.value.name == "MX_ERR_STALE"


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
