"""Numbers in kernels mean what they mean in NumPy 2 and Python: every rule is compared with NumPy itself.

A kernel computes `x[i] op y[i]` for all pairs of values at the edges of two types. The expected results are those of
NumPy's scalars, and their types are what the kernel's own types have to be."""

import itertools
import linecache
import math
import operator
import warnings

import numpy as np
import pytest

import minx
from minx import types as T

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f4", "f8"]
TYPES = ["?", *INTEGERS, *FLOATS]


def edges(dtype):
    """Values at the edges of a type, and small ones of both signs."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = {info.min, info.min + 1, info.max, info.max - 1, info.max // 2, 0, 1, 2, 3, 5, 7, -1, -2, -3, -7}
        return np.array(sorted(v for v in values if info.min <= v <= info.max), dtype)
    return np.array(
        [0.0, -0.0, 1.0, -1.0, 0.1, 2.5, -2.5, 3.0, -3.0, 7.25, 1e30, -1e-30, np.inf, -np.inf, np.nan], dtype
    )


def pairs(a, b):
    """All pairs, as two arrays."""
    grid = np.array(list(itertools.product(range(len(a)), range(len(b)))))
    return a[grid[:, 0]], b[grid[:, 1]]


def numpy_result(op, x, y):
    """What NumPy's scalars give; None: it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return [op(a, b) for a, b in zip(x, y)]
        except (TypeError, ValueError, OverflowError):
            return None


def same(got, expected, approximate):
    got, expected = np.asarray(got), np.asarray(expected)
    if not approximate:
        return np.array_equal(got, expected, equal_nan=got.dtype.kind == "f")
    # pow of C and of NumPy differ by some units in the last place; x ** 3 is products here
    return np.allclose(got, expected, rtol=8 * np.finfo(expected.dtype).eps, atol=0, equal_nan=True)


def k_compare(i, out, x, y):
    out[i] = (x[i] < y[i]) * 1 + (x[i] <= y[i]) * 2 + (x[i] > y[i]) * 4 + (x[i] >= y[i]) * 8 + (x[i] == y[i]) * 16 + (
        x[i] != y[i]) * 32


def compared(a, b):
    return sum(bool(op(a, b)) << n for n, op in enumerate(
        (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)))


OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


@pytest.fixture(scope="module")
def serial():
    return minx.Context("serial")


def kernel_of(symbols):
    """A kernel that stores x[i] SYMBOL y[i] for each symbol, in an array of its own."""
    outs = [f"out{k}" for k in range(len(symbols))]
    lines = [f"def f(i, {', '.join([*outs, 'x', 'y'])}):\n"]
    lines += [f"    {out}[i] = x[i] {symbol} y[i]\n" for out, symbol in zip(outs, symbols)]
    file, space = f"operators {' '.join(symbols)}", {}
    linecache.cache[file] = (1, None, lines, file)  # where the source of a function is looked for
    exec(compile("".join(lines), file, "exec"), space)
    return minx.kernel(space["f"])


# All pairs of types would be 121 compilations: these are the pairs with another rule each.
PAIRS = [
    ("i4", "i4"),
    ("i1", "i1"),
    ("u1", "u1"),
    ("u2", "u2"),
    ("i8", "i8"),
    ("u8", "u8"),
    ("u4", "i4"),
    ("i8", "u8"),
    ("i2", "u1"),
    ("f4", "f4"),
    ("f8", "f8"),
    ("i4", "f4"),
    ("i2", "f4"),
    ("?", "?"),
    ("?", "i2"),
]


@pytest.mark.parametrize("s,t", PAIRS)
def test_operators(s, t, serial):
    """One kernel for all operators that NumPy has for a pair of types; each other one is refused."""
    x, y = pairs(edges(s), edges(t))
    expected = {}
    for symbol, op in OPERATORS.items():
        values = numpy_result(op, x, y)
        if values is None or any(np.asarray(v).dtype.kind == "O" for v in values):
            with pytest.raises(minx.NotSupported):
                minx.parallel_for(1, kernel_of([symbol]), np.zeros(1), x, y, ctx=serial)
        elif values[0].dtype != np.float16:  # kernels have none
            assert all(v.dtype == values[0].dtype for v in values)
            expected[symbol] = values
    outs = [np.zeros(len(x), values[0].dtype) for values in expected.values()]
    minx.parallel_for(len(x), kernel_of(list(expected)), *outs, x, y, ctx=serial)
    for (symbol, values), out in zip(expected.items(), outs):
        wrong = [(a, b, e, g) for a, b, e, g in zip(x, y, values, out) if not same(g, e, False)]
        assert not wrong, (symbol, s, t, wrong[:3])


def test_every_pair_has_numpys_type():
    """The table of types, without compiling: for all pairs, and for NumPy's scalars beside Python's numbers."""
    for s, t in itertools.product(TYPES + ["c8", "c16"], repeat=2):
        a, b = T.of_dtype(s), T.of_dtype(t)
        assert T.combine(a, b) == T.of_dtype(np.promote_types(s, t)), (s, t)
    for s in TYPES + ["c8", "c16"]:
        scalar = np.dtype(s).type(1)
        for weak, number in ((T.BOOL, True), (T.INT, 1), (T.FLOAT, 1.0), (T.COMPLEX, 1j)):
            expected = (scalar * number).dtype
            assert T.combine(T.of_dtype(s), weak) == T.of_dtype(expected), (s, weak)
            assert T.combine(weak, T.of_dtype(s)) == T.of_dtype(expected), (weak, s)


@pytest.mark.parametrize(
    "s,t",
    [("i8", "u8"), ("u8", "i4"), ("i1", "u4"), ("u8", "u8"), ("f8", "i4"), ("f4", "f4"), ("?", "i8"), ("u1", "i1")],
)
def test_comparisons(s, t, serial):
    x, y = pairs(edges(s), edges(t))
    expected = [compared(a, b) for a, b in zip(x, y)]
    if {s, t} == {"i8", "u8"} or {s, t} == {"u8", "i4"}:  # exact, where Python's integers are
        expected = [compared(int(a), int(b)) for a, b in zip(x, y)]
    out = np.zeros(len(x), np.int64)
    minx.parallel_for(len(x), k_compare, out, x, y, ctx=serial)
    wrong = [(a, b, e, g) for a, b, e, g in zip(x, y, expected, out) if e != g]
    assert not wrong, wrong[:3]


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "f8"])
def test_python_numbers_take_the_type_beside(dtype, serial):
    """x op 3, 3 op x and x op n for an argument n; wrapping like NumPy's."""

    @minx.kernel
    def f(i, a, b, c, d, e, x, n):
        a[i] = x[i] * 3
        b[i] = 100 - x[i]
        c[i] = x[i] + n
        d[i] = -x[i]
        e[i] = abs(x[i])

    x = edges(dtype)
    outs = [np.zeros(len(x), dtype) for _ in range(5)]
    minx.parallel_for(len(x), f, *outs, x, 7, ctx=serial)
    with np.errstate(all="ignore"):
        expected = [[v * 3 for v in x], [100 - v for v in x], [v + 7 for v in x], [-v for v in x], [abs(v) for v in x]]
    for out, values in zip(outs, expected):
        assert np.asarray(values[0]).dtype == dtype
        assert same(out, np.array(values), False), (dtype, out, values)


def test_powers(serial):
    @minx.kernel
    def f(i, a2, a3, a7, an, x, n):
        a2[i] = x[i] ** 2
        a3[i] = x[i] ** 3
        a7[i] = x[i] ** 7
        an[i] = x[i] ** n[i]

    for dtype in ("i4", "u1", "i8", "f4", "f8"):
        x = edges(dtype)
        n = np.resize(np.array([0, 1, 2, 3, 5, 31], dtype), len(x))
        outs = [np.zeros(len(x), dtype) for _ in range(4)]
        minx.parallel_for(len(x), f, *outs, x, n, ctx=serial)
        with np.errstate(all="ignore"):
            expected = [[v**2 for v in x], [v**3 for v in x], [v**7 for v in x], [v**k for v, k in zip(x, n)]]
        for out, values in zip(outs, expected):
            assert same(out, np.array(values), dtype[0] == "f"), (dtype, x, out, values)


def test_pythons_integers(serial):
    """// % ** and divmod of Python's own integers, of any sign; / of them; shifts."""

    @minx.kernel
    def f(i, q, r, d, s, t, p, n):
        a, b = i - 20, n
        q[i] = a // b
        r[i] = a % b
        quotient, rest = divmod(a, b)
        d[i] = quotient * 1000 + rest
        s[i] = a / b
        t[i] = (a << 3) + (a >> 1)
        p[i] = a**3 + 2 ** abs(b)

    for n in (-7, -1, 1, 3, 1000):
        q, r, d, s, t, p = (np.zeros(41, float if k == 3 else int) for k in range(6))
        minx.parallel_for(41, f, q, r, d, s, t, p, n, ctx=serial)
        values = range(-20, 21)
        assert list(q) == [a // n for a in values] and list(r) == [a % n for a in values]
        assert list(d) == [a // n * 1000 + a % n for a in values]
        assert list(s) == [a / n for a in values] and list(t) == [(a << 3) + (a >> 1) for a in values]
        if n != 1000:
            assert list(p) == [a**3 + 2 ** abs(n) for a in values]


def test_indices_do_not_overflow(serial):
    """Loop indices and Python's integers have 64 bits, even where they come from an index of 32."""

    @minx.kernel
    def f(i, out, n):
        total = 0
        for k in range(3):
            total += (i + k) * n
        out[i] = total

    out = np.zeros(3, np.int64)
    minx.parallel_for(3, f, out, 10**12, ctx=serial)
    assert list(out) == [sum((i + k) * 10**12 for k in range(3)) for i in range(3)]


def test_zero_divisors_are_numpys(serial):
    @minx.kernel
    def f(i, q, r, x, y):
        q[i] = x[i] // y[i]
        r[i] = x[i] % y[i]

    x, zero = np.array([5, -5, 0, 7], np.int32), np.zeros(4, np.int32)
    q, r = np.ones(4, np.int32), np.ones(4, np.int32)
    minx.parallel_for(4, f, q, r, x, zero, ctx=serial)
    with np.errstate(all="ignore"):
        assert np.array_equal(q, x // zero) and np.array_equal(r, x % zero)


def test_and_or_not(serial):
    """`and` and `or` give one of their operands; chains compare each neighbour; not is a bool."""

    @minx.kernel
    def f(i, out, x, a):
        out[i, 0] = x[i] and a
        out[i, 1] = x[i] or a
        out[i, 2] = not x[i]
        out[i, 3] = 1 if x[i] and i else 0
        out[i, 4] = 1 if -1 < x[i] <= 2 < a else 0
        out[i, 5] = (i or 5) + (i > 1 and i < 3) + (x[i] > 0 or i)

    x = np.array([0.0, 1.5, -2.0, np.nan])
    out, expected = np.zeros((4, 6)), np.zeros((4, 6))
    minx.parallel_for(4, f, out, x, 2.5, ctx=serial)
    for i in range(4):
        f.function(i, expected, x, 2.5)
    assert np.array_equal(out, expected, equal_nan=True)


def test_min_max_and_nan(serial):
    """Python's min and max give the first where a comparison with NaN is false; numpy's give NaN."""

    @minx.kernel
    def f(i, out, x, y):
        out[i, 0] = min(x[i], y[i])
        out[i, 1] = max(x[i], y[i])
        out[i, 2] = np.minimum(x[i], y[i])
        out[i, 3] = np.maximum(x[i], y[i])
        out[i, 4] = np.fmin(x[i], y[i])
        out[i, 5] = min(x[i], 2, y[i])
        out[i, 6] = max((x[i], -1.5, i))
        out[i, 7] = np.clip(x[i], -1.0, y[i])

    x, y = pairs(np.array([1.0, -3.0, np.nan, np.inf]), np.array([2.0, np.nan, -5.0]))
    out, expected = np.zeros((len(x), 8)), np.zeros((len(x), 8))
    minx.parallel_for(len(x), f, out, x, y, ctx=serial)
    for i in range(len(x)):
        f.function(i, expected, x, y)
    expected[:, 7] = np.clip(x, -1.0, y)  # arrays: for NumPy 1, a single NaN is no bound
    assert np.array_equal(out, expected, equal_nan=True)


def test_conversions_and_rounding(serial):
    @minx.kernel
    def f(i, out, x):
        out[i, 0] = int(x[i])
        out[i, 1] = round(x[i])
        out[i, 2] = math.floor(x[i])
        out[i, 3] = math.ceil(x[i])
        out[i, 4] = math.trunc(x[i])
        out[i, 5] = np.floor(x[i])
        out[i, 6] = float(i) / 2
        out[i, 7] = bool(x[i])
        out[i, 8] = minx.i8(int(x[i]) * 10) + minx.i8(100)
        out[i, 9] = np.float32(x[i]) * 0.1
        out[i, 10] = np.rint(x[i]) + np.sign(x[i])
        out[i, 11] = int(True) + abs(-3) + math.isnan(x[i])

    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 3.7, -3.7, 0.0, 11.25])
    out, expected = np.zeros((len(x), 12)), np.zeros((len(x), 12))
    minx.parallel_for(len(x), f, out, x, ctx=serial)
    for i in range(len(x)):
        with np.errstate(all="ignore"):
            f.function(i, expected, x)
    assert np.array_equal(out, expected)


ONE = (
    "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh cbrt fabs arcsin arccos arctan "
    "arcsinh arccosh "
    "arctanh"
).split()


def test_functions(serial):
    """The functions of math and numpy, as floats of 64 and 32 bits."""
    names = [n for n in ONE if hasattr(np, n)]
    lines = [f"    out[i, {n}] = np.{name}(x[i])" for n, name in enumerate(names)]
    lines += [
        f"    out[i, {len(names) + n}] = math.{name}(x[i], y[i])"
        for n, name in enumerate(("hypot", "atan2", "copysign", "fmod"))
    ]
    import linecache

    text = "def f(i, out, x, y):\n" + "\n".join(lines) + "\n"
    linecache.cache["functions_of_numbers.py"] = (len(text), None, text.splitlines(True), "functions_of_numbers.py")
    space = {"np": np, "math": math}
    exec(compile(text, "functions_of_numbers.py", "exec"), space)
    for dtype in (np.float64, np.float32):
        x = np.array([0.25, 0.9, 1.0, 0.001], dtype)
        y = np.array([0.3, -2.0, 7.0, 0.5], dtype)
        out, expected = np.zeros((4, len(lines)), dtype), np.zeros((4, len(lines)), dtype)
        minx.parallel_for(4, space["f"], out, x, y, ctx=serial)
        with np.errstate(all="ignore"):
            for i in range(4):
                space["f"](i, expected, x, y)
        # two correct libraries of mathematics differ by some units in the last place
        assert np.allclose(out, expected, rtol=16 * np.finfo(dtype).eps, atol=0, equal_nan=True), dtype


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex(dtype, serial):
    @minx.kernel
    def f(i, out, size, z, w):
        out[i, 0] = z[i] + w[i] * 2 - 1j
        out[i, 1] = z[i] / w[i]
        out[i, 2] = z[i].conjugate() * (0.5 + 1j)
        out[i, 3] = complex(z[i].real, -w[i].imag)
        out[i, 4] = np.exp(z[i]) + np.sqrt(w[i])
        out[i, 5] = z[i] ** 3 + w[i] ** 2
        out[i, 6] = -z[i] if z[i] == w[i] else z[i] ** (0.5 + 0.25j)
        total = 0j
        for k in range(3):
            total += z[i] * k
        out[i, 7] = total
        out[i, 8] += z[i]
        size[i, 0] = abs(z[i])
        size[i, 1] = np.angle(w[i])

    rng = np.random.default_rng(1)
    z, w = ((rng.normal(size=20) + 1j * rng.normal(size=20)).astype(dtype) for _ in range(2))
    w[3] = z[3]
    real = z.real.dtype
    out, size = np.zeros((20, 9), dtype), np.zeros((20, 2), real)
    expected, sizes = np.zeros((20, 9), dtype), np.zeros((20, 2), real)
    minx.parallel_for(20, f, out, size, z, w, ctx=serial)
    for i in range(20):
        f.function(i, expected, sizes, z, w)
    # some operations each, whose rounding NumPy may do in another order
    assert np.allclose(out, expected, rtol=64 * np.finfo(real).eps, atol=64 * np.finfo(real).eps)
    assert np.allclose(size, sizes, rtol=8 * np.finfo(real).eps)


def test_variables_hold_what_they_are_assigned(serial):
    @minx.kernel
    def f(i, out, x, n, big):
        s = 0
        for k in range(4):
            s += x[i]  # an i4 now, which wraps as NumPy's
        out[i, 0] = s
        m = n * 5  # 64 bits
        if i == 1:
            m = x[i]
        out[i, 1] = m
        t = i
        if i > 1:
            t = 0.5 * i
        out[i, 2] = t

    x = np.array([2**30, 5, -7], np.int32)
    out = np.zeros((3, 3))
    minx.parallel_for(3, f, out, x, 2**40, 1, ctx=serial)
    assert out[:, 0].tolist() == [0.0, 20.0, -28.0]  # 2**32 is 0 in 32 bits
    assert out[:, 1].tolist() == [5 * 2.0**40, 5, 5 * 2.0**40] and out[:, 2].tolist() == [0, 1, 1]


def test_f32_kernels_stay_f32(serial):
    @minx.kernel
    def f(i, y, x):
        s = 0.0
        for k in range(8):
            s += math.sqrt(x[i]) * 0.1
        y[i] = s

    y, x = np.zeros(4, np.float32), np.arange(4, dtype=np.float32)
    minx.parallel_for(4, f, y, x, ctx=serial)
    text = f.c_source()[0]
    assert (
        "float s = 0.0f" in text
        and "sqrtf(" in text
        and "double" not in text.split("_body(")[1].split("#line")[0].split("MX_FOR")[0]
    )
