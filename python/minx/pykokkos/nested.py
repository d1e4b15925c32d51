"""How the parallelism inside of workunits over teams is translated: nested policies, single, scratch, the methods of
TeamMember.

A loop over TeamThreadRange becomes MX_TEAM_FOR, one over ThreadVectorRange MX_VECTOR_FOR, and so on (minx/team.h). The
body of the inner function is written into the loop. `level` of the translator says what runs a statement: "team" (each
thread), "thread" (a thread, one item), "lane", "single"."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass

from ..language import team
from ..language.team import TeamRef
from ..language.values import MISSING, Accumulator, ArrayRef, Val, c_name, number_type, strip
from ..types import BOOL, INT, is_number
from .policies import (
    Nested,
    PerTeam,
    PerThread,
    Scratch,
    Single,
    TeamThreadMDRange,
    TeamThreadRange,
    TeamVectorMDRange,
    TeamVectorRange,
    ThreadVectorMDRange,
    ThreadVectorRange,
)
from .rewrite import body_of

LAMBDA_VIEW = "mx_view_"  # the argument that a lambda sets
SUMS = ("f64", "f32", "i64", "i32", "u64", "u32")  # types that teams add
LEVELS = {"threads": ("team",), "items": ("team",), "lanes": ("team", "thread")}
LOOP = {"threads": "MX_TEAM_FOR", "lanes": "MX_VECTOR_FOR", "items": "MX_TEAM_VECTOR_FOR"}
HANDLERS: dict = {}


@dataclass(frozen=True)
class RangeRef:
    """A nested policy in a workunit."""

    kind: type
    bounds: tuple  # Vals

    def __hash__(self):
        return id(self)


@dataclass(frozen=True)
class SingleRef:
    kind: type


@dataclass(frozen=True)
class ScratchArea:
    """What team_scratch(level) gives."""

    described = "scratch, of which a ScratchView takes a part"

    level: int
    per_thread: bool


# ---- policies ----


def take_team(t, node, name):
    if not node.args or not isinstance(t.expr(node.args[0]).ref, TeamRef):
        raise t.error(node, f"{name} takes the TeamMember of a workunit over a TeamPolicy first")


def make_range(kind):
    def handler(t, node, statement):
        take_team(t, node, kind.__name__)
        bounds = [t.number(a) for a in node.args[1:]]
        if node.keywords or not (bounds if kind.dimensions else 1 <= len(bounds) <= 2):
            expected = "an extent for each dimension" if kind.dimensions else "n, or begin and end"
            raise t.error(node, f"{kind.__name__} takes the team and {expected}")
        return Val("", None, ref=RangeRef(kind, tuple(fixed(t, b, a) for b, a in zip(bounds, node.args[1:]))))

    return handler


def fixed(t, value, node):
    """A bound as it is now."""
    if value.const is not MISSING:
        return Val(f"(int)({t.cast(value, INT)})", INT, value.const, value.nonneg)
    name = t.new("mx_bound")
    t.line(f"const int {name} = (int)({strip(t.cast(value, INT, node))});")
    return Val(name, INT, nonneg=value.nonneg)


def make_single(kind):
    def handler(t, node, statement):
        take_team(t, node, kind.__name__)
        return Val("", None, ref=SingleRef(kind))

    return handler


for _kind in (
    TeamThreadRange,
    ThreadVectorRange,
    TeamVectorRange,
    TeamThreadMDRange,
    ThreadVectorMDRange,
    TeamVectorMDRange,
):
    HANDLERS[_kind] = make_range(_kind)
for _kind in (PerTeam, PerThread):
    HANDLERS[_kind] = make_single(_kind)


# ---- loops ----


def inner_function(t, node, expected):
    """The policy and the inner function or lambda expression of a call."""
    args = list(node.args)
    if args and isinstance(args[0], ast.Constant) and isinstance(args[0].value, str):
        args.pop(0)  # a label
    name = ast.unparse(node.func)
    if len(args) != 2 or node.keywords:
        raise t.error(node, f"{name} takes {expected} and a function of this workunit")
    policy = t.expr(args[0]).ref
    if not isinstance(policy, (RangeRef, SingleRef)):
        raise t.error(args[0], f"{name} takes {expected} inside of workunits")
    function = args[1] if isinstance(args[1], ast.Lambda) else t.expr(args[1]).ref
    if not isinstance(function, (ast.FunctionDef, ast.Lambda)):
        raise t.error(
            args[1], f"{ast.unparse(args[1])} is no function inside of this workunit and no lambda expression"
        )
    return policy, function


def check_level(t, node, policy):
    who = policy.kind.who
    if t.level not in LEVELS[who]:
        inside = {"thread": "a loop that threads share", "lane": "a loop that lanes share", "single": "single"}.get(
            t.level, "no team"
        )
        raise t.error(node, f"{policy.kind.__name__} inside of {inside}")
    return who


def shape_of(t, policy):
    """(begin, end, codes of the extents behind the first) of a loop over one number."""
    bounds = [b.code for b in policy.bounds]
    if not policy.kind.dimensions:
        return ("0", bounds[0], []) if len(bounds) == 1 else (bounds[0], bounds[1], [])
    return "0", " * ".join(bounds), bounds[1:]


def indices_of(t, function, parameters, policy, variable, inner):
    """The parameters of an inner function that are indices: name -> its value as C."""
    if not policy.kind.dimensions:
        return {parameters[0]: variable}
    found, rest = {}, variable
    for d in range(len(policy.bounds) - 1, 0, -1):
        found[parameters[d]] = f"({rest}) % {inner[d - 1]}"
        rest = f"({rest}) / {inner[d - 1]}"
    found[parameters[0]] = rest
    return found


def parameters_of(t, node, function, policy, more, what):
    parameters = [a.arg for a in function.args.args]
    count = (len(policy.bounds) if policy.kind.dimensions else 1) + more
    if len(parameters) != count:
        raise t.error(
            function,
            f"{what} over {policy.kind.__name__} takes a function of {count} arguments, this has {len(parameters)}",
        )
    return parameters


def nested_for(t, node, statement):
    policy, function = inner_function(t, node, "pk.TeamThreadRange(team, n) or another nested policy")
    if not isinstance(policy, RangeRef):
        raise t.error(node, "parallel_for takes a range, pk.single takes pk.PerTeam(team)")
    who, parameters = check_level(t, node, policy), parameters_of(t, node, function, policy, 0, "parallel_for")
    begin, end, inner = shape_of(t, policy)
    variable, level = t.new("mx_i"), t.level
    t.unit.loops = True
    t.line(f"{LOOP[who]}(mx_t, {variable}, {begin}, {end}) {{", node)
    t.level = "thread" if who == "threads" else "lane"
    write_body(t, function, indices_of(t, function, parameters, policy, variable, inner), is_nonneg(policy))
    t.line("}")
    t.level = level
    return Val("")


def is_nonneg(policy) -> bool:
    return policy.kind.dimensions or len(policy.bounds) == 1 or policy.bounds[0].nonneg


def value_type(t, argument) -> str:
    """The type of the value of a nested reduction or scan."""
    annotation = argument.annotation
    acc = t.expr(annotation).ref if annotation is not None else None
    found = number_type(getattr(acc, "value_type", float)) or "f64"
    if found not in SUMS:
        raise t.error(
            annotation,
            f"a team does not add numbers of type {found}: pk.Acc[float], pk.Acc[int], pk.Acc[pk.int64], ...",
        )
    return found


def nested_reduce(t, node, statement):
    policy, function = inner_function(t, node, "pk.TeamThreadRange(team, n) or another nested policy")
    if not isinstance(policy, RangeRef):
        raise t.error(node, "parallel_reduce takes a range")
    who, parameters = check_level(t, node, policy), parameters_of(t, node, function, policy, 1, "parallel_reduce")
    begin, end, inner = shape_of(t, policy)
    type_ = value_type(t, function.args.args[-1])
    c, part, variable, level, names = t.c_type(type_), t.new("mx_part"), t.new("mx_i"), t.level, t.names
    t.unit.loops = True
    t.line(f"{c} {part} = 0;")
    if who == "threads":
        t.line(f"MX_TEAM_FOR(mx_t, {variable}, {begin}, {end}) {{", node)
    elif who == "lanes":
        t.line(f"MX_VECTOR_SUM(mx_t, {variable}, {begin}, {end}, {part}) {{", node)
    else:  # each thread has a part of the items, which its lanes share
        first, count = t.new("mx_first"), t.new("mx_count")
        t.line(f"const int {first} = {begin}, {count} = {end} > {first} ? {end} - {first} : 0;")
        t.line(
            f"MX_VECTOR_SUM(mx_t, {variable}, {first} + (int)((int64_t){count} * mx_t->rank / mx_t->size), "
            f"{first} + (int)((int64_t){count} * (mx_t->rank + 1) / mx_t->size), {part}) {{",
            node,
        )
    t.level = "thread" if who == "threads" else "lane"
    t.names = {**names, parameters[-1]: Accumulator(part, type_)}
    write_body(
        t, function, indices_of(t, function, parameters, policy, variable, inner), is_nonneg(policy), parameters[-1]
    )
    t.line("}")
    t.names, t.level = names, level
    result = t.new("mx_result")
    t.line(f"const {c} {result} = {part if who == 'lanes' else f'mx_team_sum(mx_t, {part})'};")
    t.line(f"(void){result};")
    return Val(result, type_)


def nested_scan(t, node, statement):
    """Each thread, or each lane (over a TeamVectorRange each lane of each thread) has one part of the range. It runs it
    twice: first for the sum of the part, then, beginning with the sum of the parts before, with final set."""
    expected = "pk.TeamThreadRange(team, n), pk.ThreadVectorRange(team, n) or pk.TeamVectorRange(team, n)"
    policy, function = inner_function(t, node, expected)
    if not isinstance(policy, RangeRef) or policy.kind.dimensions:
        raise t.error(node, f"parallel_scan takes {expected} inside of workunits")
    who, parameters = check_level(t, node, policy), parameters_of(t, node, function, policy, 2, "parallel_scan")
    begin, end, _ = shape_of(t, policy)
    type_, level = value_type(t, function.args.args[1]), t.level
    c, part, base, total = t.c_type(type_), t.new("mx_part"), t.new("mx_base"), t.new("mx_total")
    first, count, variable = t.new("mx_first"), t.new("mx_count"), t.new("mx_i")
    number, of = {
        "threads": ("mx_t->rank", "mx_t->size"),
        "lanes": ("mx_t->lane", "mx_t->lanes"),
        "items": ("(mx_t->rank * mx_t->lanes + mx_t->lane)", "(mx_t->size * mx_t->lanes)"),
    }[who]
    t.unit.loops = True
    t.line(f"const int {first} = {begin}, {count} = {end} > {first} ? {end} - {first} : 0;", node)
    t.line(f"{c} {part} = 0, {base} = 0, {total} = 0;")

    def one_run(value, final):
        names = t.names
        t.line(
            f"for (int {variable} = {first} + (int)((int64_t){count} * {number} / {of}); {variable} < {first} + "
            f"(int)((int64_t){count} * ({number} + 1) / {of}); {variable}++) {{",
            node,
        )
        t.level = "thread" if who == "threads" else "lane"
        t.names = {
            **names,
            parameters[1]: Accumulator(value, type_),
            parameters[2]: Val("true" if final else "false", BOOL),
        }
        write_body(t, function, {parameters[0]: variable}, is_nonneg(policy), parameters[1])
        t.line("}")
        t.names, t.level = names, level

    one_run(part, False)
    if who == "threads":
        t.line(f"{total} = {part};")
    else:
        lane = t.new("mx_lane")
        t.line(f"MX_VECTOR_SCAN(mx_t, {lane}, 0, mx_t->lanes, {total}, {part}) {base} = {total};")
    if who != "lanes":
        t.line(f"{base} += mx_team_scan(mx_t, {total});")
        t.line(f"{total} = mx_team_sum(mx_t, {total});")
    one_run(base, True)
    return Val(total, type_)


def single(t, node, statement):
    policy, function = inner_function(t, node, "pk.PerTeam(team) or pk.PerThread(team)")
    if not isinstance(policy, SingleRef):
        raise t.error(node, "pk.single takes pk.PerTeam(team) or pk.PerThread(team)")
    if t.level not in ("team", "thread") or policy.kind is PerTeam and t.level != "team":
        raise t.error(
            node,
            f"pk.single({policy.kind.__name__}) inside of a loop that threads or lanes share, or of single",
        )
    if function.args.args:
        raise t.error(function, "pk.single takes a function without arguments")
    level = t.level
    t.line(f"{policy.kind.macro}(mx_t) {{", node)
    t.level = "single"
    write_body(t, function, {}, True)
    t.line("}")
    t.level = level
    return Val("")


def statements_of(function, accumulator=None) -> list:
    """The body of an inner function; of `lambda i, acc: acc + share` an assignment to acc."""
    if isinstance(function, ast.FunctionDef):
        return function.body
    (value,) = body_of(function)
    made = ast.Assign([ast.Name(accumulator, ast.Store())], value) if accumulator else ast.Expr(value)
    return [ast.fix_missing_locations(ast.copy_location(made, value))]


def write_body(t, function, indices: dict, nonneg: bool, accumulator=None):
    """The statements of an inner function, in a block of their own."""
    statements = statements_of(function, accumulator)
    changed = {
        n.id for s in statements for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }
    t.loop_names.append("parallel")
    t.enter()
    saved = dict(t.local_refs)
    for name, code in indices.items():
        t.line(f"{'' if name in changed else 'const '}int64_t {c_name(name)} = {code};")
        t.line(f"(void){c_name(name)};")
        t.local_refs[name] = Val(c_name(name), INT, nonneg=nonneg and name not in changed)
    for statement in statements:
        if isinstance(statement, ast.Return):
            if statement.value is not None:
                raise t.error(statement, "a function that runs in parallel returns nothing")
            continue
        t.statement(statement)
    t.local_refs = saved
    t.leave()
    t.loop_names.pop()


def call_inner(t, node, statement):
    """A plain call of a function inside of a workunit: its body is written here."""
    function = t.expr(node.func).ref
    if not isinstance(function, ast.FunctionDef):
        raise t.error(node, f"{ast.unparse(node.func)} cannot be called in kernels")
    running = t.__dict__.setdefault("inner_calls", [])
    if function.name in running:
        raise t.error(node, f"{function.name} calls itself: recursion is not supported in kernels")
    if len(node.args) != len(function.args.args) or node.keywords:
        raise t.error(node, f"{function.name} takes {len(function.args.args)} arguments")
    for parameter, argument in zip(function.args.args, node.args):
        target = ast.copy_location(ast.Name(parameter.arg, ast.Store()), argument)
        assignment = ast.Assign([target], argument)
        if parameter.annotation is not None and is_number(t.expr(argument).type):
            assignment = ast.AnnAssign(target, parameter.annotation, argument, 1)
        t.statement(ast.copy_location(assignment, argument))
    running.append(function.name)
    body, result = list(function.body), Val("")
    if isinstance(body[-1], ast.Return):
        last = body.pop()
    elif any(isinstance(x, ast.Return) for s in body for x in ast.walk(s)):  # each way through it ends with a return
        name = f"result_of_{function.name}"
        body = [returns_as_assignments(s, name) for s in body]
        last = ast.copy_location(ast.Return(ast.copy_location(ast.Name(name, ast.Load()), node)), node)
    else:
        last = None
    for s in body:
        t.statement(s)
    if last is not None and last.value is not None:
        result = t.expr(last.value)
    running.pop()
    if is_number(result.type) and result.const is MISSING:
        name = t.new("mx_result")
        t.line(f"const {t.c_type(result.type)} {name} = {t.cast(result, result.type)};")
        result = Val(name, result.type, nonneg=result.nonneg)
    return Val("") if statement else result


def returns_as_assignments(statement, name):
    class Replace(ast.NodeTransformer):
        def visit_Return(self, node):
            if node.value is None:
                return ast.copy_location(ast.Pass(), node)
            target = ast.copy_location(ast.Name(name, ast.Store()), node)
            return ast.copy_location(ast.Assign([target], node.value), node)

    return Replace().visit(copy.deepcopy(statement))


# ---- teams and scratch ----


def no_arguments(t, node):
    if node.args or node.keywords:
        raise t.error(node, f"{ast.unparse(node.func)} takes no arguments")


def team_value(member):
    def handler(t, node, statement):
        no_arguments(t, node)
        return Val(f"mx_t->{member}", INT, nonneg=True)

    return handler


def barrier(t, node, statement):
    no_arguments(t, node)
    if t.level != "team":
        raise t.error(node, "team_barrier inside of a loop that threads share, or of single")
    t.line("mx_team_barrier(mx_t);", node)
    return Val("")


def scratch_area(per_thread, level=None):
    def handler(t, node, statement):
        chosen = t.number(node.args[0]).const if level is None and len(node.args) == 1 else level
        if chosen not in (0, 1):
            raise t.error(node, "scratch has level 0 or 1")
        return Val("", None, ref=ScratchArea(chosen, per_thread))

    return handler


TEAM_METHODS = {
    "league_rank": team_value("league_rank"),
    "league_size": team_value("league_size"),
    "team_rank": team_value("rank"),
    "team_size": team_value("size"),
    "team_barrier": barrier,
    "team_scratch": scratch_area(False),
    "thread_scratch": scratch_area(True),
    "team_shmem": scratch_area(False, 0),
}


def written_out(t, node):
    """An extent with its variables replaced by what they were set to, because the driver of the kernel computes it,
    too."""
    values: dict = {}
    for n in ast.walk(t.source.tree):
        if isinstance(n, (ast.Assign, ast.AnnAssign)):
            for target in n.targets if isinstance(n, ast.Assign) else [n.target]:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(n.value)
        elif isinstance(n, (ast.AugAssign, ast.For)) and isinstance(n.target, ast.Name):
            values.setdefault(n.target.id, []).extend([None, None])

    class Replace(ast.NodeTransformer):
        def visit_Name(self, name):
            found = values.get(name.id)
            if not found:
                return name
            if len(found) != 1 or found[0] is None:
                raise t.error(node, f"the extents of scratch depend on arguments only: {name.id} has several values")
            return self.visit(copy.deepcopy(found[0]))

    return Replace().visit(copy.deepcopy(node))


def new_scratch(t, node, statement):
    kind = t.expr(node.func).ref
    area = t.expr(node.args[0]).ref if node.args else None
    if not isinstance(area, ScratchArea) or len(node.args) != kind.rank + 1:
        raise t.error(
            node,
            f"{kind.__name__} takes team.team_scratch(level) or team.thread_scratch(level), and {kind.rank} extents",
        )
    annotation = getattr(t, "annotated_as", None)
    declared = t.expr(annotation).ref if annotation is not None else None
    if not (isinstance(declared, type) and issubclass(declared, Scratch)):
        declared = kind
    t.annotated_as = None
    element = number_type(declared.element) or "f64"
    extents = [t.number(written_out(t, a)) for a in node.args[1:]]
    return team.new_scratch(t, node, extents, element, area.level, area.per_thread)
