"""Streams of random numbers in kernels: minx.Random(seed, stream).

The generator is Philox4x32-10, that of minx/kit/random.h, which has the citation. As plain Python the numbers are the
same."""

from __future__ import annotations

import ast
import math

import numpy as np

from ..types import FLOAT, INT, RANDOM
from .values import ATTRIBUTES, HANDLERS, Method, Val, const_val, strip

MASK, WORD = 2**64 - 1, 2**32 - 1


class Random:
    """Random numbers of an item of a kernel: r = minx.Random(seed, i).

    seed, stream, block: integers of 64 bits. Each (seed, stream) is a sequence of its own, the same on every backend
    and for any number of threads; so give each item its own stream, by its index. block: where to begin in it, to
    continue in a later step: a block has
    two numbers of 64 bits. Methods:

        uniform()            a float in [0, 1), a multiple of 2**-53
        uniform(low, high)   low + (high - low) * uniform()
        f32()                a float32 in [0, 1), a multiple of 2**-24     normal()             of mean 0 and variance 1
        integer(low, high)   low, low + 1, ..., high, each as probable     u32(), u64()         bits

    >>> def noise(i, x, seed):
    ...     r = minx.Random(seed, i)
    ...     x[i] = r.uniform(-1.0, 1.0)
    >>> x = np.zeros(1000)
    >>> minx.parallel_for(1000, noise, x, 42)
    >>> bool(-1 <= x.min() < -0.9 and 0.9 < x.max() < 1), bool(x[7] == minx.Random(42, 7).uniform(-1.0, 1.0))
    (True, True)
    """

    def __init__(self, seed, stream, block=0):
        self.key = int(seed) & MASK
        self.counter = int(block) & MASK | (int(stream) & MASK) << 64
        self.left: list = []

    def _next(self) -> int:
        if not self.left:
            self.left = _philox([self.counter >> s & WORD for s in (0, 32, 64, 96)], [self.key & WORD, self.key >> 32])
            self.counter = self.counter & ~MASK | (self.counter + 1) & MASK
        return self.left.pop(0)

    def _next64(self) -> int:
        low = self._next()
        return low | self._next() << 32

    def u32(self):
        return np.uint32(self._next())

    def u64(self):
        return np.uint64(self._next64())

    def uniform(self, low=0.0, high=1.0):
        return low + (high - low) * ((self._next64() >> 11) * 2.0**-53)

    def f32(self):
        return np.float32((self._next() >> 8) * 2.0**-24)

    def integer(self, low, high):
        values = (int(high) - int(low) + 1) & MASK
        if values == 0:
            return self._next64() - 2**63
        while True:
            product = self._next64() * values
            if not (product & MASK < values and product & MASK < -values % 2**64 % values):
                return int(low) + (product >> 64)

    def normal(self):
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return radius * math.cos(2 * math.pi * self.uniform())


def _philox(c, k) -> list:
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & WORD, a >> 32 ^ c[3] ^ k[1], a & WORD]
        k = [k[0] + 0x9E3779B9 & WORD, k[1] + 0xBB67AE85 & WORD]
    return c


def new_stream(t, node, statement):
    given = {k.arg: k.value for k in node.keywords}
    names = ("seed", "stream", "block")
    values = [*node.args, *[given[n] for n in names[len(node.args):] if n in given]]
    if not 2 <= len(values) <= 3 or len(values) != len(node.args) + len(given):
        raise t.error(node, "Random takes a seed and a stream, and perhaps a block")
    numbers = [t.number(v) for v in values] + [const_val(0)] * (3 - len(values))
    codes = [strip(t.cast(v, "u64", n)) for v, n in zip(numbers, [*values, node])]
    t.unit.includes.add("minx/kit/random.h")
    return Val(f"mx_random_at({', '.join(codes)})", RANDOM)


HANDLERS[Random] = new_stream
METHODS = {"u32": ("mx_random_u32", "u32"), "u64": ("mx_random_u64", "u64"), "uniform": ("mx_random_f64", FLOAT),
           "f32": ("mx_random_f32", "f32"), "integer": ("mx_random_int", INT), "normal": ("pyh_normal", FLOAT)}


def method_of(t, node, base: Val) -> Val:
    """r.uniform and the like. Numbers are drawn in the order in which Python draws them."""
    if node.attr not in METHODS:
        raise t.error(node, f"a stream of random numbers has {', '.join(METHODS)}; not {node.attr}")
    if not base.place:
        raise t.error(node, "give the stream a name first: r = minx.Random(seed, i)")
    t.unit.includes.add("minx/kit/random.h")
    return Val("", None, ref=Method(lambda t, call, statement: draw(t, call, base, node.attr, statement)))


def draw(t, node, base: Val, name: str, statement) -> Val:
    c, type_ = METHODS[name]
    if name == "normal":
        t.helper("normal")
    bounds = {"integer": 2, "uniform": len(node.args) and 2}.get(name, 0)
    if len(node.args) != bounds or node.keywords:
        raise t.error(node, f"{name} takes {bounds} numbers, got {len(node.args) + len(node.keywords)}")
    values = [t.number(a) for a in node.args]
    arguments = [f"&{base.code}"]
    if name == "integer":
        arguments += [strip(t.cast(v, INT, a)) for v, a in zip(values, node.args)]
    value = t.ordered(
        Val(f"{c}({', '.join(arguments)})", type_, nonneg=type_ == FLOAT and name != "normal", pure=False),
        node,
        statement,
    )
    if name == "uniform" and values:
        width = t.binary(node, ast.Sub(), values[1], values[0])
        return t.binary(node, ast.Add(), values[0], t.binary(node, ast.Mult(), width, value))
    return value


ATTRIBUTES["random"] = method_of
