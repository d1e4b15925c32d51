"""Arrays in kernels: records, parts, local arrays, static extents, random numbers. Each is compared with the same
function as plain Python on NumPy arrays."""

import numpy as np
import pytest

import minx
from contexts import Arrays, context  # noqa: F401


def both(context, n, kernel, arrays, *numbers):
    """Runs a kernel on a context and as plain Python, and compares all arrays."""
    function = getattr(kernel, "function", kernel)
    plain = [a.copy() for a in arrays]
    for i in range(n):
        function(i, *plain, *numbers)
    data = Arrays(context)
    given = [data.to(a) for a in arrays]
    minx.parallel_for(n, kernel, *given, *numbers, ctx=context)
    for got, expected in zip(given, plain):
        assert np.array_equal(data.back(got), expected, equal_nan=expected.dtype.kind == "f"), (got, expected)
    return plain


# ---- records ----

ATOM = np.dtype([("x", "f8"), ("kind", "i4"), ("q", "f4"), ("fixed", "?"), ("v", "f8", (3,))], align=True)
PACKED = np.dtype([("flag", "i1"), ("x", "f8"), ("n", "u2"), ("z", "c16")])
GAPS = np.dtype({"names": ["a", "b"], "formats": ["f4", "i8"], "offsets": [4, 16], "itemsize": 40})


def atoms_step(i, atoms, out, dt):
    a = atoms[i]
    for d in range(3):
        a["v"][d] += dt * d
    atoms[i]["x"] += dt * a["v"][1] * atoms["q"][i]
    if a["kind"] == 2 and not atoms[i]["fixed"]:
        atoms["kind"][i] = 7
    out[i] = atoms[i]["x"] + len(a["v"])


def packed_step(i, items, out):
    items[i]["x"] = items[i]["x"] * 2 + items[i]["flag"]
    items[i]["n"] += 1
    items["z"][i] = items[i]["z"] * 1j
    out[i] = items[i]["z"].real


def gaps_step(i, items, out):
    items[i]["a"] += 0.5
    out[i] = items[i]["b"] * 2


def filled(dtype, n, seed=0):
    rng, out = np.random.default_rng(seed), np.zeros(n, dtype)
    for name in dtype.names:
        out[name] = rng.integers(0, 4, out[name].shape)
    return out


@pytest.mark.parametrize(
    "dtype,kernel,numbers", [(ATOM, atoms_step, (0.5,)), (PACKED, packed_step, ()), (GAPS, gaps_step, ())]
)
def test_records(context, dtype, kernel, numbers):
    out = np.zeros(9)
    both(context, 9, kernel, [filled(dtype, 9), out], *numbers)


def test_fields_as_attributes(context):
    """a.x[i] and a[i].x, as of numpy.recarray."""

    def f(i, a, out):
        out[i] = a.x[i] + a[i].v[2] + a.v[i, 1]
        a[i].kind = i

    if context == "python":
        pytest.skip("the other contexts are compared with it")
    both(context, 6, f, [filled(ATOM, 6).view(np.recarray), np.zeros(6)])


def test_records_in_matrices_and_functions(context):
    def length(v):
        return v[0] ** 2 + v[1] ** 2 + v[2] ** 2

    def move(atom, by):
        atom["x"] += by

    def turn(atom, by):
        move(atom, by)
        atom["v"][1] = atom["x"]

    def f(i, a, out):
        first = a[i, 0]
        turn(first, 2.0)
        move(a[i, 1], 3.0)
        for j in range(a.shape[1]):
            out[i, j] = length(a[i, j]["v"]) + a["x"][i, j]

    both(context, 3, f, [filled(ATOM, 12).reshape(3, 4), np.zeros((3, 4))])


# ---- parts of arrays ----


def parts(i, out, a, b):
    row = a[i]
    column = a[:, i]
    middle = a[i, 1:-1]
    every = a[1:, ::2]
    last = b[..., -1]
    total = 0.0
    for k in range(len(row)):
        total += row[k]
    for k in range(column.shape[0]):
        total += 10 * column[k]
    for k in range(middle.size):
        total += 100 * middle[k]
    for p in range(every.shape[0]):
        for q in range(every.shape[1]):
            total += every[p, q] * (p + 2 * q)
    out[i] = total + last[i, 1] + b[1, :, 2][i] + every[0][1] + middle[-1] + len(every[:, 1])


def test_parts(context):
    rng = np.random.default_rng(0)
    both(
        context,
        3,
        parts,
        [np.zeros(3), rng.integers(0, 9, (5, 7)).astype(float), rng.integers(0, 9, (3, 4, 5)).astype(float)],
    )


def slice_bounds(i, out, a, low, high):
    """Bounds that are no constants are cut as Python cuts them."""
    part = a[low + i:high + i:2]
    out[i, 0] = len(part)
    for k in range(len(part)):
        out[i, 1] += part[k] * (k + 1)
    inner = part[1:3]
    if len(inner) > 0:
        out[i, 2] = inner[0]


@pytest.mark.parametrize("low,high", [(0, 4), (-3, 20), (5, 2), (-20, -1), (2, 7)])
def test_slice_bounds(context, low, high):
    both(context, 4, slice_bounds, [np.zeros((4, 3)), np.arange(11.0)], low, high)


def total_of(v):
    s = 0.0
    for k in range(len(v)):
        s += v[k]
    return s


def scale(v, by):
    for k in range(v.shape[0]):
        v[k] *= by


def pass_parts(i, out, a):
    scale(a[i, 1:4], 2.0)
    scale(a[i], 3.0)
    out[i] = total_of(a[i]) + 10 * total_of(a[:, 0][i:i + 1]) + total_of(a[i, ::2])
    w = minx.local(3)
    for k in range(3):
        w[k] = a[i, k]
    scale(w, 0.5)
    out[i] += total_of(w) + total_of(w[1:])


def test_parts_are_passed_to_functions(context):
    both(context, 4, pass_parts, [np.zeros(4), np.arange(24.0).reshape(4, 6)])


def names_keep_their_index(i, out, a):
    k = 0
    row = a[k]
    k = 1
    out[i] = row[i] + a[k][i]


def test_a_part_keeps_its_index(context):
    both(context, 3, names_keep_their_index, [np.zeros(3), np.arange(9.0).reshape(3, 3)])


# ---- local arrays, tuples ----

WEIGHTS = (1.0, 4.0, 1.0)


def local_arrays(i, out, x):
    r = minx.local((3, 3))
    count = minx.local(4, minx.i32)
    listed = [1.0, 2.0, x[i]]
    v = (x[i], 2 * x[i])
    for p in range(3):
        for q in range(3):
            r[p, q] = p * 10 + q + x[i]
        count[p] += p
    total = 0.0
    for p in range(3):
        total += r[p, 2 - p] * WEIGHTS[p] + count[p] + listed[p]
    for q in range(len(WEIGHTS)):
        total += r[1][q]
    listed[0] = 5.0
    out[i] = total + v[1] + v[0] + listed[0] + WEIGHTS[-1] + np.zeros(2)[1] + r.shape[1] + len(v)


def test_local_arrays(context):
    both(context, 5, local_arrays, [np.zeros(5), np.arange(5.0)])


# ---- static extents ----


def test_static_extents(context):
    @minx.kernel
    def centre(i, out: minx.Array[float, :, 3], x: minx.Array[float, :, 3]):
        for d in range(x.shape[1]):
            out[i, d] = x[i, d] - x[i, 0]

    both(context, 4, centre, [np.zeros((4, 3)), np.arange(12.0).reshape(4, 3)])
    if context != "python":
        assert "MX_ACCESSOR(py_cf64_2" in centre.c_source()[0]
        data = Arrays(context)
        with pytest.raises(minx.Error, match="MX_ERR_EXTENT"):
            minx.parallel_for(4, centre, data.to(np.zeros((4, 4))), data.to(np.zeros((4, 3))), ctx=context)
        with pytest.raises(TypeError, match="out is declared"):
            minx.parallel_for(4, centre, data.to(np.zeros((4, 3), np.float32)), data.to(np.zeros((4, 3))), ctx=context)
        with pytest.raises(TypeError, match="2 dimensions"):
            minx.parallel_for(4, centre, data.to(np.zeros(4)), data.to(np.zeros((4, 3))), ctx=context)


# ---- random numbers ----


def draw(i, out, seed):
    r = minx.Random(seed, i)
    out[i, 0] = r.uniform()
    out[i, 1] = r.integer(-3, 5)
    out[i, 2] = r.u32() % 1000
    out[i, 3] = r.uniform(2.0, 4.0)
    out[i, 4] = helper_draw(r)
    out[i, 5] = r.uniform()


def helper_draw(r):
    return r.uniform() + r.uniform()


def test_random_is_the_same_everywhere(context):
    both(context, 50, draw, [np.zeros((50, 6))], 42)


def test_random_is_philox():
    """The blocks of Philox4x32-10 of its authors' test vectors (kat_vectors of Random123)."""
    vectors = [((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
               ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
               ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
                (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1))]
    for counter, key, expected in vectors:
        r = minx.Random(key[0] | key[1] << 32, counter[2] | counter[3] << 32, counter[0] | counter[1] << 32)
        assert tuple(r.u32() for _ in range(4)) == expected


def test_random_normal(context):
    """Mean 0 and variance 1: of 20000 numbers, within 5 standard errors (0.007 and 0.01)."""

    @minx.kernel
    def normal(i, out):
        r = minx.Random(7, i)
        out[i] = r.normal()

    if context == "python" or "check" in context.resource:
        pytest.skip("many numbers")
    data = Arrays(context)
    out = data.to(np.zeros(20000))
    minx.parallel_for(20000, normal, out, ctx=context)
    x = data.back(out)
    assert abs(x.mean()) < 0.036 and abs(x.var() - 1) < 0.05


# ---- scatter views ----


def histogram(i, bins, x):
    bins.add(x[i], 1.0)
    if i % 2 == 0:
        bins.add(0, 0.5)


def test_scatter(context):
    x = np.random.default_rng(0).integers(0, 8, 3000)
    expected = np.bincount(x, minlength=8) + np.array([0.5 * 1500, *[0] * 7])
    data = Arrays(context)
    bins, values = data.to(np.zeros(8)), data.to(x)
    scatter = minx.Scatter(bins, ctx=context)
    for repeat in (1, 2):
        minx.parallel_for(3000, histogram, scatter, values, ctx=context)
        scatter.contribute()
        assert np.array_equal(data.back(bins), repeat * expected)


@pytest.mark.parametrize("op", ["min", "max", "prod"])
def test_scatter_operators(context, op):
    def f(i, s, x):
        s.add((i % 2, x[i] % 3), x[i] + 1)

    x = np.arange(40)
    start = np.full((2, 3), 20) if op != "prod" else np.ones((2, 3), int)
    expected = start.copy()
    join = {"min": min, "max": max, "prod": lambda a, b: a * b}[op]
    for i in range(len(x) if op != "prod" else 8):
        expected[i % 2, x[i] % 3] = join(expected[i % 2, x[i] % 3], x[i] + 1)
    data = Arrays(context)
    target = data.to(start)
    scatter = minx.Scatter(target, op=op, ctx=context)
    minx.parallel_for(len(x) if op != "prod" else 8, f, scatter, data.to(x), ctx=context)
    scatter.contribute()
    assert np.array_equal(data.back(target), expected)


@minx.kernel
def neighbours(i, out, x):
    if i > 0:
        out[i - 1] = x[i + 1] - x[i + 5000 - 5000]


@minx.kernel
def moved(i, out, x):
    i += 1
    out[i - 1] = x[i - 1]


def test_neighbours_of_an_index():
    """They are computed in 32 bits where they surely fit: not below an index that may be negative, nor of one that the body changes."""
    x = np.arange(6.0) ** 2
    for begin, narrow in ((0, True), (-1, False)):
        out = np.zeros(4)
        minx.parallel_for(minx.Range(begin, 5), neighbours, out, x, ctx=minx.Context("serial"))
        assert np.array_equal(out, np.diff(x)[1:])
        text = neighbours.c_source()[-1]
        assert "mx_i0 + 1" in text and ("mx_i0 - 1" in text) == narrow and "mx_i0 + 5000" not in text
    minx.parallel_for(4, moved, out, x, ctx=minx.Context("serial"))
    assert np.array_equal(out, x[:4]) and "mx_i0 - 1" not in moved.c_source()[0]
