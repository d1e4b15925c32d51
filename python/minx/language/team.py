"""Teams. A team kernel means what it means as plain Python: code outside of loops runs once for each team, and the loops over
team.threads(n), team.lanes(n) and team.items(n) are shared. The translation adds what that takes: singles around stores,
reductions of sums, and barriers where a part reads what the part before wrote.

A dialect with threads_run_all has Kokkos' meaning instead: each thread runs everything; barriers and singles are the program's
own."""

from __future__ import annotations

import ast

import numpy as np

from .. import types as T
from .vectors import sums_of
from .values import ATTRIBUTES, HANDLERS, LOOPS, ArrayRef, Val, c_name, number_type, strip
from ..types import INT, Array


class Team:
    """The team of a kernel that runs as plain Python."""

    def __init__(self, league_rank, league_size):
        self.league_rank, self.league_size = league_rank, league_size

    def threads(self, *bounds):
        return range(*bounds)

    lanes = items = threads

    def barrier(self):
        pass

    def scratch(self, shape, dtype=float):
        return np.full(shape, np.nan) if np.dtype(dtype).kind == "f" else np.zeros(shape, dtype)


class TeamRef:
    pass


MEMBERS = {"league_rank": "league_rank", "league_size": "league_size"}  # not rank: code outside of loops is the same for all threads


def attribute(t, node, team):
    other = t.spec.dialect.team_attribute(t, node)
    if other is not None:
        return other
    if node.attr in MEMBERS:
        return Val(f"mx_t->{MEMBERS[node.attr]}", INT, nonneg=True)
    if hasattr(Team, node.attr):
        return Val("", None, ref=getattr(Team, node.attr) if node.attr not in ("lanes", "items") else (Team, node.attr))
    raise t.error(node, f"a team has threads, lanes, items, barrier, scratch, {', '.join(MEMBERS)}; not {node.attr}")


ATTRIBUTES[TeamRef] = attribute


def arrays_in(t, statements):
    """The arrays that statements read, and those that they write; "*" for any."""
    reads, writes, unknown = set(), set(), set()
    for n in (n for s in statements for n in ast.walk(s)):
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name):
            unknown.add(n.targets[0].id)  # may become a row of an array
        base = None
        if isinstance(n, ast.Subscript):
            base, store = n, isinstance(n.ctx, ast.Store)
        elif isinstance(n, ast.Call) and "atomic" in ast.unparse(n.func) and n.args:
            base, store = n.args[0], True
        while isinstance(base, ast.Subscript):
            base = base.value
        if isinstance(base, ast.Name):
            bound = t.local_refs.get(base.id) or t.names.get(base.id)
            ref = getattr(bound, "ref", None)
            name = ref.code if isinstance(ref, ArrayRef) else "*" if base.id in unknown else None
            if name:
                (writes if store else reads).add(name)
    return reads, writes


def order(t, statements, only_note=False):
    """A barrier if this part of a team's work depends on the one before."""
    reads, writes = arrays_in(t, statements)

    def meet(a, b):
        return a and b and (a & b or "*" in a | b)

    if not only_note and (meet(writes, t.reads_before | t.writes_before) or meet(reads, t.writes_before)):
        t.line("mx_team_barrier(mx_t);")
        t.reads_before, t.writes_before = set(), set()
    t.reads_before |= reads
    t.writes_before |= writes


def is_shared(loop):
    """Is it a loop that threads share? Then its own parts need no order."""
    return isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Attribute) and \
        loop.iter.func.attr in ("threads", "lanes", "items")


def shared_loop(kind):
    def handler(t, node, call):
        if t.level is None:
            raise t.error(node, "team loops are in kernels that are launched over minx.Team(...)")
        allowed = {"threads": ("team",), "lanes": ("team", "thread"), "items": ("team",)}[kind]
        if t.level not in allowed:
            raise t.error(node, f"a loop over team.{kind} inside of one over {'lanes' if t.level == 'lane' else 'threads'}")
        begin, end, step = t.range_bounds(call)
        if step.const != 1:
            raise t.error(call, "the loops of a team have a step of 1")
        if t.level == "team":
            order(t, node.body)
        emit_loop(t, node, kind, begin, end, node.target.id, node.body)

    return handler


def emit_loop(t, node, kind, begin, end, name, body):
    t.unit.loops = True
    names = sums_of(t, ast.For(ast.Name(name, ast.Store()), call_none(), body, []))
    for s in names:
        t.occurs(s, False)
    outer = {s: t.renamed.get(s, c_name(s)) for s in names}
    parts = {s: t.new("mx_sum") for s in names}
    types = {s: T.strong(t.types.get(s) or t.seen_types.get(s) or "f64") for s in names}
    b, e = strip(t.cast(begin, INT)), strip(t.cast(end, INT))
    level, above = t.level, list(t.block.above())
    t.parallel_outside.append(above)
    saved, t.renamed = t.renamed, {**t.renamed, **parts}
    variable = t.new("mx_i")
    for s in names:
        t.line(f"{t.c_type(types[s])} {parts[s]} = 0;")
    lanes = {}
    if kind == "threads":
        t.line(f"MX_TEAM_FOR(mx_t, {variable}, (int)({b}), (int)({e})) {{", node)
        t.level = "thread"
    elif kind == "lanes" and names:
        t.line(f"MX_VECTOR_SUM(mx_t, {variable}, (int)({b}), (int)({e}), {', '.join(parts.values())}) {{", node)
        t.level = "lane"
    elif kind == "lanes":
        t.line(f"MX_VECTOR_FOR(mx_t, {variable}, (int)({b}), (int)({e})) {{", node)
        t.level = "lane"
    elif names:  # items with sums: each thread has a part, whose items its lanes share
        lanes = {s: t.new("mx_part") for s in names}
        first, count = t.new("mx_first"), t.new("mx_count")
        t.line(f"const int {first} = (int)({b}), {count} = (int)({e}) > {first} ? (int)({e}) - {first} : 0;")
        for s in names:
            t.line(f"{t.c_type(types[s])} {lanes[s]} = 0;")
        t.line(f"MX_VECTOR_SUM(mx_t, {variable}, {first} + (int)((int64_t){count} * mx_t->rank / mx_t->size), "
               f"{first} + (int)((int64_t){count} * (mx_t->rank + 1) / mx_t->size), {', '.join(lanes.values())}) {{", node)
        t.renamed = {**t.renamed, **lanes}
        t.level = "lane"
    else:
        t.line(f"MX_TEAM_VECTOR_FOR(mx_t, {variable}, (int)({b}), (int)({e})) {{", node)
        t.level = "lane"
    t.loop_names.append("parallel")
    t.enter()
    before = t.local_refs.get(name)
    t.line(f"const int64_t {c_name(name)} = {variable};")
    t.local_refs[name] = Val(c_name(name), INT, nonneg=begin.nonneg)
    for s in body:
        t.statement(s)
    t.local_refs.pop(name)
    if before is not None:
        t.local_refs[name] = before
    t.leave()
    t.loop_names.pop()
    t.line("}")
    t.level, t.renamed = level, saved
    t.parallel_outside.pop()
    for s in names:
        part = lanes.get(s, parts[s])
        total = f"mx_team_sum(mx_t, {part})" if kind in ("threads", "items") else part
        t.line(f"{outer[s]} += {total};")


def call_none():
    return ast.Constant(None)


LOOPS[Team.threads] = shared_loop("threads")
LOOPS[(Team, "lanes")] = shared_loop("lanes")
LOOPS[(Team, "items")] = shared_loop("items")


def barrier(t, node, statement):
    if t.level != "team" and not t.spec.dialect.threads_run_all:
        raise t.error(node, "a barrier inside of a loop that threads share")
    t.line("mx_team_barrier(mx_t);", node)
    t.reads_before, t.writes_before = set(), set()
    return Val("")


def scratch(t, node, statement):
    """team.scratch(shape, dtype): the driver computes its bytes from the same expressions."""
    if t.level != "team" or t.loop_names:
        raise t.error(node, "scratch is asked for outside of loops")
    shape = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else [node.args[0]]
    values = [t.number(s) for s in shape]
    element = number_type(t.expr(node.args[1]).ref) if len(node.args) > 1 else "f64"
    if element is None:
        raise t.error(node.args[1], "the type of a number: float, minx.f32, ...")
    return new_scratch(t, node, values, element, 0)


def new_scratch(t, node, values, element, level, per_thread=False):
    name = t.new("mx_scratch")
    array = Array(element, len(values))
    extents = [strip(t.cast(v, INT)) for v in values]
    macro = "MX_THREAD_SCRATCH" if per_thread else "MX_TEAM_SCRATCH"
    t.line(f"{macro}(mx_t, {level}, {array.accessor(False)}, {name}, {', '.join(extents)});", node)
    if any("mx_t->" in e or "mx_" in e.replace("mx_a", "") for e in extents):
        raise t.error(node, "the shape of scratch depends on arguments only")
    t.unit.scratch.append((level, per_thread, f"sizeof({t.c_type(element)}) * (size_t)({' * '.join(f'({e})' for e in extents)})"))
    return Val("", None, ref=ArrayRef(name, array, None, (), name))


HANDLERS[Team.barrier] = barrier
HANDLERS[Team.scratch] = scratch
