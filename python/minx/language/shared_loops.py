"""Loops that a team shares: team.threads(n), team.lanes(n), team.items(n).

Variables from outside of such a loop that its items join get a part of their own for each thread or lane:
    s += x, s -= x               a sum
    m = min(m, x), max(m, x)     an extreme
    s += x where items read s    a scan: each item sees the sum of all items before

    threads   MX_TEAM_FOR, parts of threads, then mx_team_sum
    lanes     MX_VECTOR_SUM and the like, inside of a loop over threads; elsewhere a loop over lanes is one over items
    items     without joins MX_TEAM_VECTOR_FOR; with them each thread has a part of the range, whose items its lanes share"""

from __future__ import annotations

import ast
import copy

from .. import types as T
from ..types import INT
from .assignments import several_items
from .order import COLLECTIVES, Memory, meet
from .reducers import result_type
from .results import extreme_of
from .team import Team
from .values import LOOPS, Val, c_name, strip

MACROS = {"+": "SUM", "min": "MIN", "max": "MAX"}


class Joined:
    """A variable that the items of a loop join."""

    def __init__(self, t, name, kind, scan):
        self.name, self.kind, self.scan = name, kind, scan
        type_ = T.strong(t.types.get(name) or t.seen_types.get(name) or "f64")
        self.type = type_ if type_ in COLLECTIVES else "i64"
        self.outer = t.renamed.get(name, c_name(name))
        self.above = t.scanned.get(name, self.outer)
        self.part = t.new("mx_part")

    def declare(self, t, variable=None, zero=True):
        t.line(f"{t.c_type(self.type)} {variable or self.part} = 0;")

    def team(self, value):
        return f"mx_team_{MACROS[self.kind].lower()}(mx_t, {value})"

    def into(self, value) -> str:
        """The statement that joins what the loop gave to the variable."""
        if self.kind == "+":
            return f"{self.outer} += {value};"
        return f"{self.outer} = mx_{self.kind}({self.outer}, {value});"


def join_kinds(t, loop) -> dict:
    """The variables from outside that the items of a loop join: name -> "+", "min" or "max"."""
    found: dict = {}
    inside = {n.target.id for n in ast.walk(loop) if isinstance(n, ast.For) and isinstance(n.target, ast.Name)}
    for n in (n for s in loop.body for n in ast.walk(s)):
        name = kind = None
        if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name) and isinstance(n.op, (ast.Add, ast.Sub)):
            name, kind = n.target.id, "+"
        elif extreme_of(n):
            name, kind = n.targets[0].id, extreme_of(n)
        if name is None or name in inside or name in t.names:
            continue
        home, _ = t.declaration(name)
        if home is None or home not in list(t.block.above()):
            continue
        if found.setdefault(name, kind) != kind:
            raise t.error(n, f"items of one loop join {name} in two ways")
    for n in (n for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Assign) and not extreme_of(n)):
        for name in (x.id for target in n.targets for x in ast.walk(target) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)):
            if name in found:
                raise t.error(n, several_items(name))
    return found


def continues(node):
    """The `continue` statements of the loop around a statement."""
    if isinstance(node, ast.Continue):
        yield node
    elif not isinstance(node, (ast.For, ast.While)):
        for child in ast.iter_child_nodes(node):
            yield from continues(child)


def share_of(t, loop, name):
    """What an item adds to a variable that the items also read, as an expression of the loop's index; None: nothing reads it."""
    reads = [n for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    if not reads:
        return None
    adds = [s for s in loop.body if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) and s.target.id == name]
    every = [n for s in loop.body for n in ast.walk(s) if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
             and n.target.id == name]
    if len(adds) != 1 or len(every) != 1 or not isinstance(adds[0].op, ast.Add):
        raise t.error(reads[0], f"items read {name}, which makes this a scan: then one statement of the loop, outside of branches, "
                                f"adds to it: {name} += ...")
    before = loop.body[: loop.body.index(adds[0])]
    skipped = next((n for s in before for n in continues(s)), None)
    if skipped is not None:
        raise t.error(skipped, f"`continue` in front of {name} += ...: the items of a scan all add; add 0 if there is nothing to add")
    stored = [n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    values = {s.targets[0].id: s.value for s in before if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
              and stored.count(s.targets[0].id) == 1}

    class Replace(ast.NodeTransformer):
        def visit_Name(self, node):
            if node.id == name:
                raise t.error(adds[0], f"what an item adds to {name} depends on {name}: that is no scan")
            value = values.pop(node.id, None)  # one that is computed from itself is none of the loop
            if value is None:
                return node
            found = self.visit(copy.deepcopy(value))
            values[node.id] = value
            return found

    share = Replace().visit(copy.deepcopy(adds[0].value))
    local = {n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} - {name}
    used = {n.id for n in ast.walk(share) if isinstance(n, ast.Name)}
    if used & local:
        raise t.error(adds[0], f"what an item of a scan adds is an expression of its index: {min(used & local)} is none")
    written: set = set()
    for s in [*before, adds[0]]:  # the shares of all items are computed in front of what they store
        is_part = s is adds[0] or isinstance(s, ast.Assign) and s.value in values.values()
        if is_part and meet(t.accesses([s.value]).reads, written):
            raise t.error(s, "what an item of a scan adds is read behind a store of the same loop: read it in front of the store")
        written |= t.accesses([s]).writes
    return share


def shared_loop(kind):
    def handler(t, node, call):
        if t.level is None:
            raise t.error(node, "team loops are in kernels that are launched over minx.Team(...)")
        here = "items" if kind == "lanes" and t.level == "team" else kind
        if t.level not in {"threads": ("team",), "lanes": ("thread",), "items": ("team",)}[here]:
            raise t.error(node, f"a loop over team.{kind} inside of one over {'lanes' if t.level == 'lane' else 'threads'}")
        begin, end, step = t.range_bounds(call)
        if step.const != 1:
            raise t.error(call, "the loops of a team have a step of 1")
        emit_loop(t, node, here, begin, end)

    return handler


def emit_loop(t, node, kind, begin, end):
    t.unit.loops = True
    kinds = join_kinds(t, node)
    joined = [Joined(t, name, k, share_of(t, node, name) if k == "+" else None) for name, k in kinds.items()]
    for j in joined:
        t.occurs(j.name, False)
    scans = [j for j in joined if j.scan is not None]
    if len(scans) > 1 or scans and len(joined) > 1:
        raise t.error(node, "a scan joins nothing but its sum: write another loop for the rest")
    if scans and kind == "threads":
        raise t.error(node, f"items of a loop over team.threads read {scans[0].name}: use team.items")
    if len({j.kind for j in joined}) > 1 and kind != "threads":
        raise t.error(node, "a loop over lanes or items has joins of one kind: write another loop for the rest")
    if len(joined) > 4:
        raise t.error(node, "at most four variables are joined in a loop over lanes or items")
    bounds = bounds_of(t, node, begin, end)
    state = t.level, t.renamed, t.kinds, t.scanned, t.memory
    t.parallel_outside.append(list(t.block.above()))
    if scans:
        emit_scan(t, node, kind, bounds, begin, scans[0])
    elif kind == "threads":
        emit_threads(t, node, bounds, begin, joined)
    elif joined:
        emit_joins(t, node, kind, bounds, begin, joined)
    else:
        variable = t.new("mx_i")
        t.line(f"MX_{'VECTOR' if kind == 'lanes' else 'TEAM_VECTOR'}_FOR(mx_t, {variable}, {bounds[0]}, {bounds[1]}) {{", node)
        t.level = "lane"
        loop_body(t, node, variable, begin)
    t.level, t.renamed, t.kinds, t.scanned, t.memory = state
    t.parallel_outside.pop()


def bounds_of(t, node, begin, end) -> tuple[str, str]:
    """The bounds in C. The macros of loops compute them at each item; what is read from an array is read once, in front of the loop."""
    out, stored = [], False
    for value in (begin, end):
        code = strip(t.cast(value, INT))
        if "MX_AT(" in code:
            name, stored = t.new("mx_bound"), True
            t.line(f"const int {name} = (int)({code});", node)
            code = name
        elif not code.lstrip("-").isdigit():
            code = f"(int)({code})"
        out.append(code)
    if stored and meet(t.accesses([node.iter]).reads, t.accesses(node.body).writes):
        t.wait(node)
    return out[0], out[1]


def rename(t, joined):
    t.renamed = {**t.renamed, **{j.name: j.part for j in joined}}
    t.kinds = {**t.kinds, **{j.name: j.kind for j in joined}}
    t.scanned = {name: code for name, code in t.scanned.items() if name not in t.renamed}


def emit_threads(t, node, bounds, begin, joined):
    variable = t.new("mx_i")
    for j in joined:
        identity = {"+": "0", "min": "", "max": ""}[j.kind] or j.outer  # an extreme may begin with the variable's own value
        t.line(f"{t.c_type(j.type)} {j.part} = {identity};")
    t.line(f"MX_TEAM_FOR(mx_t, {variable}, {bounds[0]}, {bounds[1]}) {{", node)
    t.level = "thread"
    rename(t, joined)
    own, known, first = t.accesses(node.body), set(t.thread_scratch), len(t.lines)
    t.memory = Memory(own.reads & known, own.writes & known)  # of the iteration before
    loop_body(t, node, variable, begin)
    if t.thread_scratch - known:  # scratch of this loop, which lanes may still read in the iteration before
        t.lines.insert(first, f"{'    ' * (t.depth + 1)}{t.helper('lanes_wait')}(mx_t);")
    join_team(t, node, joined)


def join_team(t, node, joined):
    """Joins the parts of the threads. A sum that the kernel only returns needs no join in the team, which would cost barriers: each
    thread adds its part to the result."""
    for j in joined:
        if is_only_returned(t, node, j):
            t.line(f"MX_VECTOR_SINGLE(mx_t) *mx_v += {j.part};")
            t.returned_in_parts = j.name
        else:
            t.line(j.into(j.team(j.part)))


def is_only_returned(t, node, j) -> bool:
    """Is j.name a sum of this loop alone, `s = 0.0` in front of it, and `return s` the statement behind it, the last one? And does the
    launch add what teams return?"""
    spec, body = t.spec, getattr(t.source.tree, "body", None)
    if result_type("SUM", j.type) != j.type or spec.value not in (None, j.type):
        return False  # a sum of 32 bits wraps before it is converted
    if not t.kernel or j.kind != "+" or spec.pattern != "reduce" or spec.reducers != ("SUM",) or spec.custom is not None or spec.array:
        return False
    if not isinstance(body, list) or len(body) < 3 or body[-2] is not node or not isinstance(body[-1], ast.Return):
        return False
    if not isinstance(body[-1].value, ast.Name) or body[-1].value.id != j.name:
        return False
    stores = [n for s in body[:-2] for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == j.name]
    zero = [s for s in body[:-2] if isinstance(s, ast.Assign) and s.targets == stores and isinstance(s.value, ast.Constant)]
    return len(stores) == len(zero) == 1 and type(zero[0].value.value) in (int, float) and zero[0].value.value == 0


def part_of_thread(t, bounds) -> tuple:
    """The part of a range that belongs to this thread."""
    first, count = t.new("mx_first"), t.new("mx_count")
    t.line(f"const int {first} = {bounds[0]}, {count} = {bounds[1]} > {first} ? {bounds[1]} - {first} : 0;")
    return (f"{first} + (int)((int64_t){count} * mx_t->rank / mx_t->size)",
            f"{first} + (int)((int64_t){count} * (mx_t->rank + 1) / mx_t->size)")


def emit_joins(t, node, kind, bounds, begin, joined):
    if kind == "items":
        bounds = part_of_thread(t, bounds)
    variable = t.new("mx_i")
    for j in joined:
        j.declare(t)
    parts = ", ".join(j.part for j in joined)
    t.line(f"MX_VECTOR_{MACROS[joined[0].kind]}(mx_t, {variable}, {bounds[0]}, {bounds[1]}, {parts}) {{", node)
    t.level = "lane"
    rename(t, joined)
    loop_body(t, node, variable, begin)
    if kind == "items":
        return join_team(t, node, joined)
    for j in joined:
        t.line(j.into(j.part))


def emit_scan(t, node, kind, bounds, begin, j):
    """A scan of the lanes of a thread. Where threads share the range, each first sums its part."""
    c, before = t.c_type(j.type), t.new("mx_before")
    total = j.part
    if kind == "items":
        bounds, total, variable = part_of_thread(t, bounds), t.new("mx_total"), t.new("mx_i")
        j.declare(t, total)
        share = share_code(t, node, j, variable, begin)
        t.line(f"MX_VECTOR_SUM(mx_t, {variable}, {bounds[0]}, {bounds[1]}, {total}) {total} += {share};", node)
        t.line(f"const {c} {before} = ({c})({j.above} + mx_team_scan(mx_t, {total}));")
    else:
        t.line(f"const {c} {before} = {j.above};")
    variable = t.new("mx_i")
    share = share_code(t, node, j, variable, begin)
    j.declare(t)
    t.line(f"MX_VECTOR_SCAN(mx_t, {variable}, {bounds[0]}, {bounds[1]}, {j.part}, {share}) {{", node)
    t.level = "lane"
    rename(t, [j])
    t.scanned = {**t.scanned, j.name: f"({before} + {j.part})"}
    loop_body(t, node, variable, begin)
    t.line(j.into(j.team(total) if kind == "items" else total))


def share_code(t, node, j, variable, begin) -> str:
    name = node.target.id
    saved = t.local_refs.get(name)
    t.local_refs[name] = Val(f"((int64_t){variable})", INT, nonneg=begin.nonneg)
    lines = len(t.lines)
    code = t.cast(t.number(j.scan), j.type)
    if len(t.lines) != lines:
        raise t.error(j.scan, "what an item of a scan adds is an expression without statements of its own")
    if saved is None:
        t.local_refs.pop(name)
    else:
        t.local_refs[name] = saved
    return f"({t.c_type(j.type)}){code}" if code[0] == "(" else f"({t.c_type(j.type)})({code})"


def loop_body(t, node, variable, begin):
    name = node.target.id
    t.loop_names.append("parallel")
    t.enter()
    before = t.local_refs.get(name)
    changed = any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for s in node.body for n in ast.walk(s))
    t.line(f"{'' if changed else 'const '}int64_t {c_name(name)} = {variable};")
    t.local_refs[name] = Val(c_name(name), INT, nonneg=begin.nonneg and not changed)
    for s in node.body:
        t.statement(s)
    t.local_refs.pop(name, None)
    if before is not None:
        t.local_refs[name] = before
    t.leave()
    t.loop_names.pop()
    t.line("}")


LOOPS[Team.threads] = shared_loop("threads")
LOOPS[Team.lanes] = shared_loop("lanes")
LOOPS[Team.items] = shared_loop("items")
