"""Reductions, scans and index spaces, on every backend and as plain Python, against NumPy and closed formulas.

python -m pytest tests/python/test_patterns.py; BACKENDS="serial openmp:threads=2" for others."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import minx
from contexts import CONTEXTS, Arrays, context  # noqa: F401  (a fixture)

N = 5003  # no multiple of a block or a vector


# ---- operators ----


@minx.kernel
def value(i, x):
    return x[i]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.int16, np.uint8, np.uint32, np.uint64])
def test_types(context, dtype):
    """One kernel with three results, for every type."""

    @minx.kernel
    def three(i, x):
        return x[i], x[i], x[i]

    x = np.random.default_rng(1).integers(1, 100, N).astype(dtype)  # sums of such integers are exact in every type here
    got = minx.parallel_reduce(N, three, Arrays(context).to(x), op=("sum", "min", "max"), ctx=context)
    assert got == (np.sum(x), np.min(x), np.max(x))


@pytest.mark.parametrize("dtype", [np.float64, np.int32])
@pytest.mark.parametrize("op", ["sum", "min", "max"])
def test_one_number(context, op, dtype):
    x = np.random.default_rng(1).integers(1, 100, N).astype(dtype)  # sums of such integers are exact in every type here
    got = minx.parallel_reduce(N, value, Arrays(context).to(x), op=op, ctx=context)
    assert got == getattr(np, op)(x)


def test_products_and_bits(context):
    d = Arrays(context)
    x = np.ones(N)
    x[[5, 700, 4000]] = 2, 3, 0.5
    assert minx.parallel_reduce(N, value, d.to(x), op="prod", ctx=context) == 3.0
    bits = np.random.default_rng(2).integers(0, 2**30, N) | 4
    assert minx.parallel_reduce(N, value, d.to(bits), op="band", ctx=context) == np.bitwise_and.reduce(bits)
    assert minx.parallel_reduce(N, value, d.to(bits), op="bor", ctx=context) == np.bitwise_or.reduce(bits)


def test_logical(context):
    @minx.kernel
    def positive(i, x):
        return x[i] > 0

    d = Arrays(context)
    some, every = np.arange(N) - 3.0, np.arange(N) + 0.5
    for x in (some, every):
        assert minx.parallel_reduce(N, positive, d.to(x), op="all", ctx=context) is bool((x > 0).all())
        assert minx.parallel_reduce(N, positive, d.to(-x), op="any", ctx=context) is bool((-x > 0).any())
    # 0.5 is true
    assert minx.parallel_reduce(N, value, d.to(every), op="all", ctx=context) is True


def test_nan_is_ignored_by_extremes(context):
    x = np.random.default_rng(3).random(N)
    x[::7] = np.nan
    d = Arrays(context)
    assert minx.parallel_reduce(N, value, d.to(x), op="min", ctx=context) == np.nanmin(x)
    assert minx.parallel_reduce(N, value, d.to(x), op="max", ctx=context) == np.nanmax(x)
    assert math.isnan(minx.parallel_reduce(N, value, d.to(x), op="sum", ctx=context))


def test_locations(context):
    d, x = Arrays(context), np.random.default_rng(4).random(N)
    x[[40, 4100]] = 2.0  # the lowest index of equal ones
    x[[900, 901]] = -1.0
    assert minx.parallel_reduce(N, value, d.to(x), op="maxloc", ctx=context) == (2.0, 40)
    assert minx.parallel_reduce(N, value, d.to(x), op="minloc", ctx=context) == (-1.0, 900)
    assert minx.parallel_reduce(N, value, d.to(x), op="minmaxloc", ctx=context) == ((-1.0, 900), (2.0, 40))
    assert minx.parallel_reduce(N, value, d.to((x * 8).astype(np.int16)), op="minloc", ctx=context) == (-8, 900)
    assert minx.parallel_reduce(0, value, d.to(x), op="maxloc", ctx=context)[1] == -1


def test_location_of_two_dimensions(context):
    @minx.kernel
    def place(i, j, a):
        return a[i, j], i * a.shape[1] + j

    a = np.random.default_rng(5).random((61, 83))
    got = minx.parallel_reduce(minx.MDRange(a.shape), place, Arrays(context).to(a), op="maxloc", ctx=context)
    assert got == (a.max(), a.argmax())


def test_several_results(context):
    @minx.kernel
    def summary(i, x, k):
        return x[i], k[i], (x[i], i), x[i] > 0.25

    rng = np.random.default_rng(6)
    x, k = rng.random(N), rng.integers(-50, 50, N).astype(np.int32)
    d = Arrays(context)
    total, least, (largest, where), every = minx.parallel_reduce(
        N, summary, d.to(x), d.to(k), op=("sum", "min", "maxloc", "all"), ctx=context)
    # a sum of N numbers below 1 in another order: at most N roundings of 2^-53 of the total
    assert math.isclose(total, x.sum(), rel_tol=N * 2**-53)
    assert (least, largest, where, every) == (k.min(), x.max(), x.argmax(), False)


def test_a_value_that_the_kernel_adds_to(context):
    @minx.kernel
    def dot(i, acc, x, y):
        acc += x[i] * y[i]

    @minx.kernel
    def top(i, acc, x):
        acc = max(acc, x[i])

    x, y = np.random.default_rng(7).integers(0, 99, (2, N)).astype(float)
    d = Arrays(context)
    assert minx.parallel_reduce(N, dot, d.to(x), d.to(y), ctx=context) == x @ y
    assert minx.parallel_reduce(N, top, d.to(x), op="max", ctx=context) == x.max()


# ---- joins of one's own ----


class Moments(NamedTuple):
    n: float
    mean: float
    m2: float


def chan(a, b):
    """Chan, Golub and LeVeque's (1979) joint mean and sum of squared differences."""
    n = a.n + b.n
    if n == 0.0:
        return a.n, a.mean, a.m2
    delta = b.mean - a.mean
    return n, a.mean + delta * b.n / n, a.m2 + b.m2 + delta * delta * a.n * b.n / n


MOMENTS = minx.Reducer(Moments(0.0, 0.0, 0.0), chan)


@minx.kernel
def moments(i, x):
    return 1.0, x[i], 0.0


def test_custom_join(context):
    x = np.random.default_rng(8).normal(3, 2, N)
    got = minx.parallel_reduce(N, moments, Arrays(context).to(x), op=MOMENTS, ctx=context)
    assert isinstance(got, Moments) and got.n == N
    # each join has a few roundings; errors of such sums grow no faster than N of them
    assert math.isclose(got.mean, x.mean(), rel_tol=1e-12) and math.isclose(got.m2 / N, x.var(), rel_tol=1e-11)
    assert minx.parallel_reduce(0, moments, Arrays(context).to(x), op=MOMENTS, ctx=context) == (0, 0, 0)


def test_custom_join_of_one_number(context):
    def larger_magnitude(a, b):
        return b if abs(b) > abs(a) or abs(b) == abs(a) and b > a else a

    x = np.random.default_rng(9).integers(-10000, 10000, N)
    got = minx.parallel_reduce(N, value, Arrays(context).to(x), op=minx.Reducer(0, larger_magnitude), ctx=context)
    assert got == max(x.tolist(), key=lambda v: (abs(v), v))


def test_custom_join_uses_functions_and_constants():
    def gcd(a, b):
        while b != 0:
            a, b = b, a % b
        return a

    def joined(a, b):
        return gcd(a, b)

    x = np.random.default_rng(10).integers(1, 50, 300) * 84
    for ctx in ("python", None):
        assert minx.parallel_reduce(300, value, x, op=minx.Reducer(0, joined), ctx=ctx) == np.gcd.reduce(x)


# ---- into arrays ----


@minx.kernel
def histogram(i, bins, x):
    bins[math.floor(x[i] * 16)] += 1


def test_reduction_into_an_array(context):
    d, x = Arrays(context), np.random.default_rng(11).random(N)
    expected = np.histogram(x, 16, (0, 1))[0]
    got = minx.parallel_reduce(N, histogram, d.to(x), length=16, ctx=context)
    assert got.dtype == np.int64 and np.array_equal(got, expected)
    again = minx.parallel_reduce(N, histogram, d.to(x), length=16, ctx=context)
    assert again is not got and np.array_equal(again, expected)
    for dtype in (np.int32, np.float64):
        bins = d.to(np.full(16, 77, dtype))
        assert minx.parallel_reduce(N, histogram, d.to(x), length=16, into=bins, ctx=context) is None
        assert np.array_equal(d.back(bins), expected)


def test_other_reductions_into_an_array(context):
    @minx.kernel
    def largest(i, row, k, x):
        row[k[i]] = max(row[k[i]], x[i])

    def see(bits, n, v):
        bits[n] |= minx.i64(1) << v

    @minx.kernel
    def seen_by_a_function(i, j, bits, a):
        see(bits, i % 5, a[i, j])

    rng, d = np.random.default_rng(12), Arrays(context)
    k, x = rng.integers(0, 9, N), rng.random(N)
    got = minx.parallel_reduce(N, largest, d.to(k), d.to(x), op="max", length=9, ctx=context)
    assert np.array_equal(got, [x[k == n].max() for n in range(9)])
    a = rng.integers(0, 40, (31, 3))
    got = minx.parallel_reduce(minx.MDRange(a.shape), seen_by_a_function, d.to(a), op="bor", length=5, ctx=context)
    assert np.array_equal(got, [np.bitwise_or.reduce(1 << a[n::5].ravel()) for n in range(5)])


# ---- results in views ----


def test_results_in_views(context):
    d, x = Arrays(context), np.random.default_rng(13).integers(0, 9, N).astype(float)
    out, zero = d.to(np.zeros(3)), d.to(np.zeros(()))
    assert minx.parallel_reduce(N, value, d.to(x), into=out, index=1, ctx=context) is None
    assert minx.parallel_reduce(N, value, d.to(x), op="max", into=zero, ctx=context) is None
    assert list(d.back(out)) == [0, x.sum(), 0] and d.back(zero) == x.max()


def test_records_in_views(context):
    @minx.kernel
    def both(i, x):
        return x[i], x[i]

    d, x = Arrays(context), np.random.default_rng(14).random(N).round(2)
    pair = d.to(np.zeros(1, [("total", "f8"), ("top", "f8")]))
    minx.parallel_reduce(N, both, d.to(x), op=("sum", "max"), into=pair, ctx=context)
    # as in test_several_results
    assert math.isclose(d.back(pair)[0]["total"], x.sum(), rel_tol=N * 2**-53) and d.back(pair)[0]["top"] == x.max()
    place = d.to(np.zeros(2, [("value", "f8"), ("index", "i8")]))
    minx.parallel_reduce(N, value, d.to(x), op="maxloc", into=place, index=1, ctx=context)
    assert tuple(d.back(place)[1]) == (x.max(), x.argmax())


# ---- scans ----


@minx.kernel
def exclusive(i, total, out, x):
    out[i] = total
    total += x[i]


@minx.kernel
def inclusive(i, total, out, x):
    total += x[i]
    out[i] = total


@pytest.mark.parametrize("n", [0, 1, 7, 64, 65, 8193, 20000])
def test_scans(context, n):
    d, x = Arrays(context), np.random.default_rng(15).integers(-9, 9, n)
    out = d.to(np.zeros(n, int))
    for kernel, expected in ((exclusive, np.cumsum(x) - x), (inclusive, np.cumsum(x))):
        assert minx.parallel_scan(n, kernel, out, d.to(x), ctx=context) == x.sum()
        assert np.array_equal(d.back(out), expected)


def test_scan_in_place(context):
    """An element that the body stores is read before, a local array at any time, and a tuple is no mistake."""

    @minx.kernel
    def in_place(i, total, out, x):
        w = minx.local(2, int)
        w[1] = x[i]
        before, own = total, w[1]
        x[i] = before
        total += own
        out[i] = total

    d, x = Arrays(context), np.random.default_rng(15).integers(-9, 9, 9000)
    out, given = d.to(np.zeros(9000, int)), d.to(x)
    assert minx.parallel_scan(9000, in_place, out, given, ctx=context) == x.sum()
    assert np.array_equal(d.back(out), np.cumsum(x)) and np.array_equal(d.back(given), np.cumsum(x) - x)


def test_scan_of_a_part(context):
    d, x = Arrays(context), np.arange(100.0)
    out = d.to(np.zeros(100))
    assert minx.parallel_scan(minx.Range(10, 20), inclusive, out, d.to(x), ctx=context) == x[10:20].sum()
    assert np.array_equal(d.back(out)[10:20], np.cumsum(x[10:20])) and not d.back(out)[20:].any()


def test_scan_by_another_operator(context):
    @minx.kernel
    def running(i, best, out, x):
        best = max(best, x[i])
        out[i] = best

    d, x = Arrays(context), np.random.default_rng(16).random(20000)
    out, total = d.to(np.zeros(20000)), d.to(np.zeros(1))
    assert minx.parallel_scan(20000, running, out, d.to(x), op="max", ctx=context) == x.max()
    assert np.array_equal(d.back(out), np.maximum.accumulate(x))
    minx.parallel_scan(20000, running, out, d.to(x), op="max", into=total, ctx=context)
    assert d.back(total)[0] == x.max()


def affine(f, g):
    """x -> g(f(x)) of two functions x -> a x + b. Not commutative."""
    a, b = f
    c, e = g
    return c * a % 10007, (c * b + e) % 10007


AFFINE = minx.Reducer((1, 0), affine)


def test_scan_with_a_join(context):
    @minx.kernel
    def recurrence(i, f, out, a, b):
        f = affine(f, (a[i], b[i]))
        out[i] = (f[0] * 3 + f[1]) % 10007  # the value of a linear recurrence that begins with 3

    rng, n = np.random.default_rng(17), 20000
    a, b = rng.integers(0, 10007, (2, n))
    x, expected = 3, []
    for p, q in zip(a.tolist(), b.tolist()):
        x = (p * x + q) % 10007
        expected.append(x)
    d = Arrays(context)
    out = d.to(np.zeros(n, int))
    last = minx.parallel_scan(n, recurrence, out, d.to(a), d.to(b), op=AFFINE, ctx=context)
    assert np.array_equal(d.back(out), expected) and (last[0] * 3 + last[1]) % 10007 == expected[-1]


def test_scan_that_guards_its_stores(context):
    @minx.kernel
    def compress(i, n, final, out, x):
        if x[i] > 0.5:
            if final:
                out[n] = x[i]
            n += 1

    d, x = Arrays(context), np.random.default_rng(18).random(9001)
    out, expected = d.to(np.zeros(9001)), x[x > 0.5]
    assert minx.parallel_scan(9001, compress, out, d.to(x), ctx=context) == len(expected)
    assert np.array_equal(d.back(out)[: len(expected)], expected)


# ---- index spaces ----


def weighted(*indices):
    return sum((3 * n + 1) * i for n, i in enumerate(indices))


@minx.kernel
def at1(i, out):
    out[i] = i


@minx.kernel
def at4(i, j, k, l, out):
    out[i, j, k, l] = i + 4 * j + 7 * k + 10 * l


@minx.kernel
def at5(i, j, k, l, m, out):
    out[i, j, k, l, m] = i + 4 * j + 7 * k + 10 * l + 13 * m


@minx.kernel
def at6(i, j, k, l, m, n, out):
    out[i, j, k, l, m, n] = i + 4 * j + 7 * k + 10 * l + 13 * m + 16 * n


@minx.kernel
def at2(i, j, out):
    out[i, j] = i + 4 * j


@minx.kernel
def at3(i, j, k, out):
    out[i, j, k] = i + 4 * j + 7 * k


@pytest.mark.parametrize("shape", [(11,), (5, 7), (4, 5, 6), (3, 4, 2, 5), (2, 3, 4, 2, 3), (2, 3, 2, 3, 2, 3)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_dimensions(context, shape, dynamic):
    d, rank = Arrays(context), len(shape)
    kernel = (at1, at2, at3, at4, at5, at6)[rank - 1]
    expected = np.zeros(shape)
    inside = tuple(slice(1, n) for n in shape)
    expected[inside] = sum((3 * n + 1) * g for n, g in enumerate(np.indices(shape)))[inside]
    for tile in (None, (2,) * rank):
        out = d.to(np.zeros(shape))
        policy = minx.MDRange((1,) * rank, shape, tile=tile, dynamic=dynamic)
        minx.parallel_for(policy, kernel, out, ctx=context)
        assert np.array_equal(d.back(out), expected)


def test_wide_range(context):
    """Indices beyond 2^31 in 64 bits."""

    @minx.kernel
    def shifted(i, out, first):
        out[i - first] = i

    d, first = Arrays(context), 2**40
    out = d.to(np.zeros(10, int))
    minx.parallel_for(minx.Range(first, first + 10), shifted, out, first, ctx=context)
    assert list(d.back(out)) == list(range(first, first + 10))

    @minx.kernel
    def shares(i, total, out, first):
        out[i - first] = total
        total += 1

    assert minx.parallel_scan(minx.Range(first, first + 10), shares, out, first, ctx=context) == 10
    assert list(d.back(out)) == list(range(10))


def test_negative_indices(context):
    @minx.kernel
    def halves(i, out):
        out[i + 5] = i // 2

    out = Arrays(context).to(np.zeros(10, int))
    minx.parallel_for(minx.Range(-5, 5), halves, out, ctx=context)
    assert list(Arrays(context).back(out)) == [i // 2 for i in range(-5, 5)]


# ---- arguments by name ----


@minx.kernel
def axpy(i, y, x, alpha=2.0):
    y[i] += alpha * x[i]


def test_named_arguments(context):
    d, x = Arrays(context), np.arange(5.0)
    y = d.to(np.ones(5))
    minx.parallel_for(5, axpy, x=d.to(x), y=y, alpha=3.0, ctx=context)
    minx.parallel_for(5, axpy, y, x=d.to(x), ctx=context)  # alpha is 2
    minx.parallel_for(5, axpy, y, d.to(x), ctx=context)
    assert np.array_equal(d.back(y), 1 + 7 * x)
    out = d.to(np.zeros(5))
    assert minx.parallel_scan(5, exclusive, out, x=d.to(x), ctx=context) == 10
    with pytest.raises(TypeError, match="axpy.*missing.*'x'"):
        minx.parallel_for(5, axpy, y=y, ctx=context)
    with pytest.raises(TypeError, match="axpy.*unexpected.*'z'"):
        minx.parallel_for(5, axpy, y, x=y, z=1, ctx=context)


# ---- mistakes ----


def returns_two(i, x):
    return x[i], i


def adds(i, total, x):
    total += x[i]


def adds_to_array(i, bins, x):
    bins[0] *= x[i]


def float_bits(i, x):
    return x[i] * 0.5


def adds_fractions(i, bins, x):
    bins[i % 2] += x[i]


def bad_join(a, b):
    return a, b


larger = minx.Reducer(0, lambda a, b: b if b > a else a)


@pytest.mark.parametrize("error, match, launch", [
    (minx.NotSupported, "2 results, but 1 reducers: sum; op= names one for each, as in op=", lambda x: minx.parallel_reduce(4, returns_two, x)),
    (ValueError, "no operator 'mean'", lambda x: minx.parallel_reduce(4, value, x, op="mean")),
    (minx.NotSupported, "joins by sum, but the launch has op='max'", lambda x: minx.parallel_reduce(4, adds, x, op="max")),
    (minx.NotSupported, "expected value\\[e\\] \\+= x", lambda x: minx.parallel_reduce(4, adds_to_array, x, length=2)),
    (minx.NotSupported, "band of an f64", lambda x: minx.parallel_reduce(4, float_bits, x, op="band")),
    (minx.NotSupported, "a join returns 1 number", lambda x: minx.parallel_reduce(4, value, x, op=minx.Reducer(0.0, bad_join))),
    (minx.NotSupported, "is an i64, as the init of the Reducer, and gets an f64", lambda x: minx.parallel_reduce(4, value, x, op=larger)),
    (minx.NotSupported, "an i64, as the elements of into=, and gets an f64",
     lambda x: minx.parallel_reduce(4, value, x, into=np.zeros(1, int))),
    (minx.NotSupported, "an i32, as the elements of into=, and gets an f64",
     lambda x: minx.parallel_scan(4, exclusive, x, x, into=np.zeros(1, "i4"))),
    (minx.NotSupported, "a u8, as the elements of into=, and gets an f64",
     lambda x: minx.parallel_reduce(4, adds_fractions, x, length=2, into=np.zeros(2, "u1"))),
    (TypeError, "Reducer's init has 'a'", lambda x: minx.Reducer("a", bad_join)),
    (TypeError, "scans are over minx.Range", lambda x: minx.parallel_scan(minx.MDRange((2, 2)), returns_two, x)),
    (ValueError, "a scan has one operator", lambda x: minx.parallel_scan(4, adds, x, op="minloc")),
    (ValueError, "length=3, but into has 2", lambda x: minx.parallel_reduce(4, adds, x, length=3, into=np.zeros(2))),
    (TypeError, "reductions into arrays have one op", lambda x: minx.parallel_reduce(4, adds, x, length=3, op="all")),
    (minx.Error, "MX_ERR", lambda x: minx.parallel_reduce(4, value, x, into=np.zeros(2), index=2)),
    (ValueError, "items='gather'", lambda x: minx.kernel(items="gather")),
    (TypeError, "3 arguments", lambda x: minx.parallel_for(4, axpy, x, x, 2.0, 3.0) if False else
     minx.parallel_for(4, adds, x, x, x)),
])
def test_mistakes(error, match, launch):
    with pytest.raises(error, match=match):
        launch(np.ones(4))
