"""Teams. A team kernel means what it means as plain Python: code outside of loops runs once for each team, and the loops over
team.threads(n), team.lanes(n) and team.items(n) are shared. The translation adds what that takes: singles around stores, joins of
what items add to (shared_loops.py), and barriers where a part must wait for the part before (order.py).

A dialect with threads_run_all has Kokkos' meaning instead: each thread runs everything; barriers and singles are the program's
own."""

from __future__ import annotations

import ast
import copy
import re

import numpy as np

from .order import Memory
from .values import ATTRIBUTES, HANDLERS, ArrayRef, Val, as_dtype, number_type, strip
from ..types import INT, Array


class Team:
    """What a team kernel gets as its first parameter.

    league_rank, league_size: the number of this team, and of teams.
    threads(n), threads(begin, end): a loop whose items the threads of the team share. Inside of it, lanes(n): a loop whose items
    the lanes of one thread share. items(n): a loop that threads and lanes share. Items of these loops may run in any order and at
    the same time. A variable from outside may be joined in them, by s += x, m = min(m, x) or m = max(m, x). In a loop over lanes
    or items it may also be read, which makes a scan: the items then see the sum of all items before.
    scratch(shape, dtype=float, level=0): an array that the team shares; in a loop over threads one for each thread. Its contents
    are undefined at first; its shape depends on the kernel's arguments only. level 0 is small and fast, 1 large.
    barrier(): waits for all threads. The translation inserts barriers where they are needed; one more does no harm.

    This class is the team of a kernel that runs as plain Python."""

    def __init__(self, league_rank, league_size):
        self.league_rank, self.league_size = league_rank, league_size

    def threads(self, *bounds):
        return range(*bounds)

    def lanes(self, *bounds):
        return range(*bounds)

    def items(self, *bounds):
        return range(*bounds)

    def barrier(self):
        pass

    def scratch(self, shape, dtype=float, level=0):
        dtype = as_dtype(dtype)
        return np.full(shape, np.nan, dtype) if dtype.kind == "f" else np.zeros(shape, dtype)


class TeamRef:
    described = "a team"


MEMBERS = {"league_rank": "league_rank", "league_size": "league_size"}  # not rank: code outside of loops is the same for all threads


def attribute(t, node, team):
    other = t.spec.dialect.team_attribute(t, node)
    if other is not None:
        return other
    if node.attr in MEMBERS:
        return Val(f"mx_t->{MEMBERS[node.attr]}", INT, nonneg=True)
    if hasattr(Team, node.attr):
        return Val("", None, ref=getattr(Team, node.attr))
    raise t.error(node, f"a team has threads, lanes, items, barrier, scratch, {', '.join(MEMBERS)}; not {node.attr}")


ATTRIBUTES[TeamRef] = attribute


def barrier(t, node, statement):
    if t.level != "team" and not t.spec.dialect.threads_run_all:
        raise t.error(node, "a barrier inside of a loop that threads share")
    t.line("mx_team_barrier(mx_t);", node)
    t.memory = Memory()
    return Val("")


def scratch(t, node, statement):
    """team.scratch(shape, dtype, level): the driver computes its bytes from the same expressions."""
    given = {**dict(zip(("shape", "dtype", "level"), node.args)), **{k.arg: k.value for k in node.keywords}}
    if "shape" not in given or set(given) - {"shape", "dtype", "level"}:
        raise t.error(node, "team.scratch(shape, dtype=float, level=0)")
    per_thread = t.level == "thread"
    if not t.kernel:
        raise t.error(node, "scratch is asked for in the kernel, and given to the functions that it calls")
    if t.level not in ("team", "thread") or not per_thread and t.loop_names:
        raise t.error(node, "scratch of a team is asked for outside of loops, scratch of each thread in a loop over team.threads")
    shape = given["shape"].elts if isinstance(given["shape"], ast.Tuple) else [given["shape"]]
    values = [t.number(by_arguments(t, s)) for s in shape]
    element = number_type(t.expr(given["dtype"]).ref) if "dtype" in given else "f64"
    if element is None:
        raise t.error(given["dtype"], "the type of a number: float, minx.f32, ...")
    level = t.number(given["level"]).const if "level" in given else 0
    if level not in (0, 1):
        raise t.error(given["level"], "the level of scratch is 0 or 1")
    return new_scratch(t, node, values, element, level, per_thread)


def by_arguments(t, node):
    """An expression with its variables replaced by what they are assigned, if that is once."""
    assigned: dict = {}
    for n in ast.walk(t.source.tree):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            assigned.setdefault(n.id, []).append(None)
        for target, value in pairs_of(n):
            assigned.setdefault(target.id, []).append(value)

    class Replace(ast.NodeTransformer):
        def visit_Name(self, name):
            values = assigned.get(name.id, [])
            if len(values) == 2 and name.id not in t.names:  # the name itself, and its value
                value = next(v for v in values if v is not None) if any(values) else None
                return name if value is None else self.visit(copy.deepcopy(value))
            return name

    return Replace().visit(copy.deepcopy(node))


def pairs_of(node):
    """The names that an assignment of one target sets, each with its value."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
        targets, values = ([target], [value]) if isinstance(target, ast.Name) else \
            (target.elts, value.elts) if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) else ([], [])
        if len(targets) == len(values):
            yield from ((t, v) for t, v in zip(targets, values) if isinstance(t, ast.Name))


def new_scratch(t, node, values, element, level, per_thread=False):
    """An array in scratch. What a loop asks for is declared in front of all statements, and so asked for once."""
    name = t.new("mx_scratch")
    array = Array(element, len(values))
    extents = [strip(t.cast(v, INT)) for v in values]
    macro = "MX_THREAD_SCRATCH" if per_thread else "MX_TEAM_SCRATCH"
    text = f"{macro}(mx_t, {level}, {array.accessor(False)}, {name}, {', '.join(extents)});"
    if not all(of_arguments(e) for e in extents):
        raise t.error(node, "the shape of scratch depends on the kernel's arguments only")
    if t.kernel and (t.loop_names or t.level != "team"):
        t.hoisted.append("    " + text)
        t.thread_scratch.add(name)
    else:
        t.line(text, node)
    t.unit.scratch.append((level, per_thread, f"sizeof({t.c_type(element)}) * (size_t)({' * '.join(f'({e})' for e in extents)})"))
    return Val("", None, ref=ArrayRef(name, array, None, (), name))


WORDS_OF_SHAPES = {"mx_a", "MX_EXTENT", "int64_t", "int32_t", "uint64_t", "uint32_t", "int", "mx_min", "mx_max"}


def of_arguments(code: str) -> bool:
    """Does an expression of C use nothing but the kernel's arguments and constants?"""
    found = set(re.findall(r"(?<![\w>])[A-Za-z_]\w*", code.replace("mx_a->", "mx_a>")))
    return all(word in WORDS_OF_SHAPES or word.startswith("pyh_") for word in found)


HANDLERS[Team.barrier] = barrier
HANDLERS[Team.scratch] = scratch
