"""Statements, functions and calls of kernels: each is compared with the same function as plain Python."""

import math

import numpy as np
import pytest

import minx
from contexts import Arrays, context  # noqa: F401


def both(context, n, kernel, *arguments, rtol=0.0):
    """Runs a kernel on a context and as plain Python, and compares all arrays."""
    function = getattr(kernel, "function", kernel)
    plain = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    for i in range(n):
        function(i, *plain)
    data = Arrays(context)
    given = [data.to(a) if isinstance(a, np.ndarray) else a for a in arguments]
    minx.parallel_for(n, kernel, *given, ctx=context)
    for got, expected in zip(given, plain):
        if isinstance(expected, np.ndarray):
            # rtol: products and sums that compilers join to one instruction, with one rounding
            assert np.allclose(data.back(got), expected, rtol=rtol, atol=0, equal_nan=True), (data.back(got), expected)


def loops(i, out):
    n = 0
    for k in range(10):
        if k == i:
            break
        n += k
    else:
        n = -1
    out[i, 0] = n
    while n > 3:
        n -= 2
        if n == 5:
            continue
        if n == 4:
            break
    else:
        n += 100
    out[i, 1] = n
    for k in range(i, -3, -2):
        n += k
        for q in range(k, k + 2):
            if q % 3 == 0:
                break
            n += q
    out[i, 2] = n
    step = 1 + abs(i % 3)
    for k in range(0, 12, step):
        n += k * step
        step = 1
    out[i, 3] = n + k


def test_loops(context):
    both(context, 12, loops, np.zeros((12, 4)))


def loops_over_one_name(i, out):
    """A loop in a loop over the same name sets its variable, after its own bounds are computed from it."""
    n = 0
    for k in range(3):
        for k in range(k, k + 2):
            n = n * 10 + k
        n = n * 10 + k
    for k in range(i % 4):
        k = 2 * k
        for j in range(k):
            n += j
        if k == 2:
            for k in range(5, 7):
                n += k
        n = n * 3 + k
    out[i] = n


def test_loops_over_one_name(context):
    both(context, 4, loops_over_one_name, np.zeros(4))


def rebinding(i, out, n):
    a, b = 1, 2
    for k in range(i):
        a, b = b, a + b
    (c, d), e = (a, b), 5
    x = y = a * 2
    y += 1
    n = n + 1 if i % 2 == 0 else n * 0.5
    out[i, 0], out[i, 1] = out[i, 1] + a, b + c * d + e
    out[i, 0], out[i, 1] = out[i, 1], out[i, 0]
    out[i, 2] = x + y + n
    m: int = 3
    f: minx.f32 = minx.f32(0.1)
    out[i, 3] = m // 2 + f


def test_assignments(context):
    both(context, 8, rebinding, np.ones((8, 4)), 7)


def augmented(i, out, counts, x):
    counts[i] += 5
    counts[i] -= 2
    counts[i] *= 3
    counts[i] //= 2
    counts[i] <<= 2
    counts[i] |= 1
    counts[i] ^= 6
    counts[i] %= 19
    out[i] = 2
    out[i] /= 4
    out[i] **= 2
    out[i] += x[i] > 0
    out[counts[i] % 2 + i] += 0.25


@pytest.mark.parametrize("dtype", ["i4", "u1", "i8"])
def test_augmented(context, dtype):
    both(context, 5, augmented, np.zeros(6), np.arange(5).astype(dtype), np.array([-1.0, 0, 1, 2, 3]))


# ---- functions ----


def polar(x, y):
    r = math.sqrt(x * x + y * y)
    if r == 0:
        return 0.0, 0
    return r, y / r


def clamp(v, low=0.0, high=1.0, *, scale=2):
    v = v * scale
    return min(max(v, low), high)


def swap(p):
    return p[1], p[0]


def counts_down(n):
    n = n * 1.5
    while n > 10:
        n -= 3
    return n


def nothing(a, i):
    a[i, 5] += 1.0


def half_and(a, /, b):
    q = b // 2
    a, b = b, a
    return 100 * q + (a if a > b else a - b)


def signs(i, out, /, n):
    """What is assigned later says nothing of the sign before."""
    x = n // 2 + n % 3 * 10
    y = half_and(i, n)
    n = i
    z = 0
    for k in range(4):
        z += n // 2
        n = -k
    out[i, 0], out[i, 1], out[i, 2] = x, y, z + n
    out[i, 3] = 1 if i > 5 or -9 < half_and(i, i) < 40 else 0


def test_signs(context):
    both(context, 4, signs, np.zeros((4, 4)), -7)


def functions(i, out, x):
    r, s = polar(x[i], x[i + 1])
    pair = polar(x[i], 2.0)
    out[i, 0] = r + s * 10 + pair[0] * pair[-1]
    out[i, 1] = clamp(x[i]) + clamp(x[i], high=0.5) + clamp(high=3.0, v=i, low=1, scale=1)
    a, b = swap((i, x[i]))
    out[i, 2] = a * 100 + b
    out[i, 3] = counts_down(i) + counts_down(30)
    q, m = divmod(i - 3, 2)
    out[i, 4] = q * 10 + m + swap(polar(x[i], 1.0))[1]
    nothing(out, i)


def test_functions(context):
    both(context, 6, functions, np.zeros((6, 6)), np.arange(7.0) - 2, rtol=1e-14)


SHIFT, TABLE = 3, (2, 3, 5, 7)
STENCIL = ((1, -2, 1), (0.5, 0, 4))


class Settings:
    factor = 4


def test_constants_of_outside():
    def f(i, out):
        s = SHIFT * np.pi + TABLE[i % 4] + TABLE[2] + Settings.factor + len(TABLE)
        for p in range(2):
            for q in range(3):
                s += STENCIL[p][q] * (p + 2 * q + i)
        out[i] = s

    both(minx.default(), 6, f, np.zeros(6), rtol=1e-14)
    Settings.factor = 9
    both(minx.default(), 6, f, np.zeros(6), rtol=1e-14)
    Settings.factor = 4


def test_constants_of_enclosing_functions():
    def made(power, weights):
        @minx.kernel
        def f(i, out):
            out[i] = i**power + weights[1]

        return f

    for power, weights in ((2, (1, 2)), (3, (0.5, 0.25))):
        out = np.zeros(5)
        minx.parallel_for(5, made(power, weights), out)
        assert list(out) == [i**power + weights[1] for i in range(5)]


def test_default_arguments_are_part_of_a_function():
    """The same text with another default is another kernel, also in the cache."""
    def made(default):
        def helper(v, by=default):
            return v * by

        def f(i, out):
            out[i] = helper(i)

        return f

    for default in (2, 3, 2.5):
        out = np.zeros(4)
        minx.parallel_for(4, made(default), out)
        assert list(out) == [i * default for i in range(4)]


def test_default_arguments_that_change():
    def helper(v, by=2):
        return v * by

    def f(i, out, more=1.0):
        out[i] = helper(i) + more

    for by, more in ((2, 1.0), (2, 4.0), (5, 4.0)):
        helper.__defaults__, f.__defaults__ = (by,), (more,)
        out = np.zeros(4)
        minx.parallel_for(4, f, out)
        assert list(out) == [i * by + more for i in range(4)]


class Body:
    def __init__(self, n):
        self.x, self.gain, self.shape = np.arange(float(n)), 0.5, (2, 3)

    def scaled(self, v, more=1.0):
        return v * self.gain + more

    def step(self, i, out):
        out[i] = self.scaled(self.x[i]) + self.scaled(i, more=2.0)
        self.x[i] += 1


def test_methods_with_keywords():
    body, out = Body(5), np.zeros(5)
    minx.parallel_for(5, body.step, out)
    assert list(out) == [i * 0.5 + 1 + i * 0.5 + 2 for i in range(5)] and list(body.x) == [1, 2, 3, 4, 5]


# ---- loops of one item, atomics, print ----


def inner_loops(i, out, x):
    s = 0.0
    for k in minx.simd(range(x.shape[1])):
        s += x[i, k]
    t = 0.0
    for k in minx.unroll(range(x.shape[1]), 2):
        t += x[i, k] * k
    w = minx.local(4)
    for k in minx.simd(range(4)):
        w[k] = x[i, k]
    out[i] = s + t + w[0] * w[3]


def test_simd_and_unroll(context):
    both(context, 4, inner_loops, np.zeros(4), np.arange(40.0).reshape(4, 10))


def test_atomics(context):
    @minx.kernel
    def f(i, a, b, seen):
        minx.atomic_add(a, 0, i)
        minx.atomic_sub(a, 1, 1)
        minx.atomic_max(a, 2, i)
        minx.atomic_min(a, 3, -i)
        minx.atomic_or(a, 4, 1 << (i % 5))
        minx.atomic_xor(a, 5, i)
        minx.atomic_and(a, 6, ~(1 << (i % 3)))
        minx.atomic_add(b, (0, 1), 0.5)
        if i < 3:
            minx.atomic_mul(b, (1, 1), 2.0)
        n = minx.atomic_add(a, 7, 1)
        seen[n] += 1
        minx.atomic_compare_exchange(a, 8, 0, 9)
        minx.atomic_store(a, 9, 4)
        if i < 2:
            minx.atomic_div(b, (0, 0), 2.0)
            minx.atomic_lshift(a, 10, 2)
            minx.atomic_rshift(a, 11, 1)
        if i == 5:
            minx.atomic_nand(a, 12, 6)
            old = minx.atomic_load(a, 13)
            minx.atomic_exchange(a, 13, old + 1)

    if context != "python" and "check" in context.resource:
        pytest.skip("the order in which items get numbers depends on timing")
    n, data = 100, Arrays(context)
    a, b, seen = (
        data.to(np.array([0, 0, -9, 9, 0, 0, 255, 0, 0, 0, 3, 64, 3, 8])),
        data.to(np.ones((2, 2), np.float32)),
        data.to(np.zeros(n, int)),
    )
    minx.parallel_for(n, f, a, b, seen, ctx=context)
    xors = 0
    for i in range(n):
        xors ^= i
    assert list(data.back(a)) == [n * (n - 1) // 2, -n, n - 1, -(n - 1), 31, xors, 255 & ~7, n, 9, 4, 48, 16, ~2, 9]
    assert data.back(b).tolist() == [[0.25, 1 + 0.5 * n], [1, 8]] and np.all(data.back(seen) == 1)


def test_print(capfd):
    @minx.kernel
    def f(i, x, n):
        if i == 2:
            print("item", i, x[i], x[i] > 1, end=";\n")
            print(f"{i:4d}|{x[i]:8.3f}|{x[i]:e}|{n:x}% {n}", sep=", ")

    minx.parallel_for(3, f, np.array([0.0, 1.0, 2.5]), np.int64(255), ctx=minx.Context("serial"))
    import ctypes

    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr().out == "item 2 2.5 True;\n   2|   2.500|2.500000e+00|ff% 255\n"


# ---- arguments ----


def arguments(i, out, x, flag, z, w, small, by=2.0, more=1):
    out[i, 0] = x[i] * by + more + flag
    out[i, 1] = (z * w).real + small
    out[i, 2] = (z * w).imag


def test_arguments(context):
    """Numbers of all kinds, by place, by name and by default."""
    data = Arrays(context)
    for named in ({}, {"by": 3}, {"more": 5, "by": 0.5}):
        out, x, expected = np.zeros((4, 3)), np.arange(4.0), np.zeros((4, 3))
        numbers = np.bool_(True), 1 + 2j, np.complex64(2 - 1j), np.int8(-7)
        for i in range(4):
            arguments(i, expected, x, *numbers, **named)
        given = data.to(out)
        minx.parallel_for(4, arguments, given, data.to(x), *numbers, ctx=context, **named)
        assert np.array_equal(data.back(given), expected)


def test_kernels_have_no_starred_parameters():
    def f(i, *arrays):
        pass

    with pytest.raises(TypeError, match="no parameters with or behind `\\*`"):
        minx.parallel_for(3, f, np.zeros(3))


def names_of_c(i, out, x):
    """Names that mean something in C: keywords, macros, functions that the translation calls."""
    double = i
    floor, sqrtf, printf = 1.5, 2, 3
    NAN, M_PI, I, y0, errno, class_, mx_a, py_x = 4, 5, 6, 7, 8, 9, 10, 11
    out[i] = math.floor(x[i]) + math.sqrt(x[i]) + floor + sqrtf + printf + double
    out[i] += NAN + M_PI + I + y0 + errno + class_ + mx_a + py_x


def test_names_of_c(context):
    both(context, 4, names_of_c, np.zeros(4), np.arange(4.0) + 0.25)


def order(i, out, a):
    """Operands are computed from left to right, each once."""
    w = minx.local(1)
    out[i] = bump(w) * 100 + bump(w) * 10 + bump(w)
    n = 0
    while 0 < bump(w) < 8:
        n += 1
    out[i] += n * 1000


def bump(w):
    w[0] += 1
    return w[0]


def test_order(context):
    both(context, 3, order, np.zeros(3), np.zeros(3))


def test_annotations_of_variables_are_part_of_a_kernel(tmp_path):
    """They are not in Python's code, by which a stored kernel is found."""
    import importlib.util

    for number, kind in enumerate(("minx.f64", "minx.f32")):
        file = tmp_path / f"module{number}.py"
        file.write_text(f"import minx\n\n\ndef f(i, out):\n    x: {kind} = 0.1\n    out[i] = x\n")
        spec = importlib.util.spec_from_file_location(f"module{number}", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        out = np.zeros(2)
        minx.parallel_for(2, module.f, out)
        assert out[0] == (0.1 if number == 0 else np.float32(0.1))
