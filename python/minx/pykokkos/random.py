"""Pools of random numbers under Kokkos' names: pool.get_state() in workunits, and methods of what it gives.

The numbers are those of Philox (minx/kit/random.h), whatever the pool is called. An item of a launch (of a team: a lane)
has one stream, which get_state() gives whenever it asks. It depends on the pool's seed, on how many launches got the
pool before, and on the index of the item; so over a range the numbers are the same on every space and for any number of
threads."""

from __future__ import annotations

import ast

import numpy as np

from ..language.random import METHODS, Random
from ..language.values import ATTRIBUTES, Method, Self, Val, strip
from ..types import INT, Struct

GENERATOR = Struct("mx_random", (), "generator")
BITS = 40  # a launch begins at block number (its number) << BITS of each stream
HANDLERS: dict = {}


class Random_XorShift64_Pool:
    """Random_XorShift64_Pool(seed): an argument of workunits, or an attribute of functors and workloads.

    @pk.workunit
    def darts(i, acc, pool):
        generator = pool.get_state()
        x, y = generator.drand(), generator.drand()
        pool.free_state(generator)
        acc += 1.0 if x * x + y * y < 1 else 0.0"""

    minx_struct = True

    def __init__(self, seed=0):
        self.seed, self.launch = np.uint64(int(seed) & 2**64 - 1), np.uint64(0)

    def begin_launch(self):
        """Another launch gets other numbers."""
        self.launch += np.uint64(1)

    def get_state(self):
        """Of plain runs: one generator after the other."""
        self.begin_launch()
        return Generator(Random(self.seed, 0, int(self.launch) << BITS))

    def free_state(self, generator):
        """Nothing: an item keeps its stream."""


class Random_XorShift1024_Pool(Random_XorShift64_Pool):
    """The same under another name."""


class Generator:
    """What get_state() gives. Ranges are half-open: rand(10) is 0 to 9, drand(2.0, 3.0) below 3."""

    def __init__(self, stream):
        self.stream = stream

    def _integer(self, highest, bounds):
        low, high = bounds_of(bounds, 0, highest)
        return self.stream.integer(low, high - 1)

    def rand(self, *bounds):
        return self._integer(2**31 - 1, bounds)

    def urand(self, *bounds):
        return self._integer(2**32, bounds)

    def rand64(self, *bounds):
        return self._integer(2**63 - 1, bounds)

    def urand64(self, *bounds):
        return self._integer(2**63 - 1, bounds)

    def drand(self, *bounds):
        return self.stream.uniform(*bounds_of(bounds, 0.0, 1.0))

    def frand(self, *bounds):
        low, high = bounds_of(bounds, 0.0, 1.0)
        return np.float32(low) + (np.float32(high) - np.float32(low)) * self.stream.f32()

    def normal(self, mean=0.0, deviation=1.0):
        return mean + deviation * self.stream.normal()


def bounds_of(given, low, high):
    """(begin, end) from no bound, the end, or both."""
    return (low, high) if not given else (low, given[0]) if len(given) == 1 else given


# ---- the translation ----


def get_state(t, node, statement):
    """The stream of this item (or lane): a variable at the begin of the body."""
    pool = t.expr(node.func.value).ref
    if not t.kernel or not isinstance(pool, Self) or node.args or node.keywords:
        raise t.error(node, "get_state() of a pool of random numbers is in the workunit; functions get what it gives")
    t.unit.includes.add("minx/kit/random.h")
    seed, launch = (t.unit.members[pool.path + name].code for name in ("seed", "launch"))
    name = "mx_generator_" + "_".join(pool.path.strip(".").split("."))
    text = f"    mx_random {name} = mx_random_at({seed}, {stream_of_item(t)}, {launch} << {BITS});"
    if text not in t.hoisted:
        t.hoisted.append(text)
    return Val(name, GENERATOR, place=True, pure=False)


def stream_of_item(t) -> str:
    """The number of this item in its launch."""
    if t.spec.space == "TEAM":
        return "(uint64_t)(((int64_t)mx_t->league_rank * mx_t->size + mx_t->rank) * mx_t->lanes + mx_t->lane)"
    code = "(uint64_t)mx_i0"
    for n in range(1, t.spec.indices):
        code = f"(({code} << {64 // t.spec.indices}) + (uint64_t)mx_i{n})"
    return code


def free_state(t, node, statement):
    return Val("")


HANDLERS[Random_XorShift64_Pool.get_state] = get_state
HANDLERS[Random_XorShift64_Pool.free_state] = free_state
INTEGERS = {"rand": 2**31 - 1, "urand": 2**32, "rand64": 2**63 - 1, "urand64": 2**63 - 1}  # the end without bounds


def method_of(t, node, base: Val) -> Val:
    name = node.attr
    if name not in INTEGERS and name not in ("drand", "frand", "normal"):
        raise t.error(node, f"a generator has {', '.join((*INTEGERS, 'drand', 'frand', 'normal'))}; not {name}")
    return Val("", None, ref=Method(lambda t, call, statement: draw(t, call, base, name, statement)))


def draw(t, node, base: Val, name: str, statement) -> Val:
    if len(node.args) > 2 or node.keywords:
        raise t.error(node, f"{name} takes at most two numbers")
    values = [t.number(a) for a in node.args]
    if name in INTEGERS:
        low, high = bounds_of([strip(t.cast(v, INT, a)) for v, a in zip(values, node.args)], "0", f"{INTEGERS[name]}LL")
        return t.ordered(Val(f"mx_random_int(&{base.code}, {low}, ({high}) - 1)", INT, pure=False), node, statement)
    c, type_ = METHODS[{"drand": "uniform", "frand": "f32"}.get(name, name)]
    if name == "normal":
        t.helper("normal")
    drawn = t.ordered(Val(f"{c}(&{base.code})", type_, pure=False), node, statement)
    if not values:
        return drawn
    if name == "normal":
        low, width = values[0], values[1] if len(values) > 1 else None
    else:
        low, width = (values[0], t.binary(node, ast.Sub(), values[1], values[0])) if len(values) > 1 else (None, values[0])
    scaled = drawn if width is None else t.binary(node, ast.Mult(), width, drawn)
    return scaled if low is None else t.binary(node, ast.Add(), low, scaled)


ATTRIBUTES["generator"] = method_of
