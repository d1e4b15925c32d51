"""Workunits, and what they call."""

from __future__ import annotations

import ast
import functools
import math
import types as pytypes

from ..launch import kernel as L
from ..launch.call import launch
from ..language import team
from ..language.calls import HANDLERS, c_string
from ..language.calls import atomic_add as minx_add, atomic_and, atomic_max, atomic_min, atomic_or, atomic_sub, atomic_xor
from ..language.values import Accumulator, Hooks, Val, c_name, number_type, strip
from ..types import INT
from . import policies

AUTO = "auto"


class Acc:
    def __class_getitem__(cls, t):
        return type("Acc", (), {"value_type": float if t is float else t})


class TeamMember:
    pass


def workunit(*args, **views):
    if args:
        return made(args[0])
    return made


def made(function):
    kernel = L.Kernel(function, loose=True)
    kernel.roles = functools.partial(roles, kernel)
    return kernel


def roles(kernel, spec, count, method):
    rest = kernel.parameters[(1 if method else 0) + spec.indices:]
    accumulator = final = None
    if spec.pattern != "for":
        accumulator, rest = rest[0], rest[1:]
        spec.value = "f64"
    if spec.pattern == "scan":
        final, rest = rest[0], rest[1:]
    return rest[:count], accumulator, final


_lambdas: dict = {}


def dispatch(pattern, args, values):
    args = list(args)
    if isinstance(args[0], str):
        args.pop(0)
    policy, unit, *views = args
    space = getattr(policy, "space", policies.Default)
    ctx = policies.context(space)
    policy = int(policy) if not hasattr(policy, "policy") else policy.policy
    if isinstance(unit, pytypes.LambdaType) and unit.__name__ == "<lambda>":
        return run_lambda(pattern, policy, unit, views, ctx)
    kernel = unit.kernel if isinstance(unit, L.BoundKernel) else unit
    if not isinstance(kernel, L.Kernel):
        raise TypeError(f"{unit} is no @workunit")
    names = [n for n in kernel.parameters if n in values]
    unknown = set(values) - set(names)
    if unknown:
        raise TypeError(f"{kernel.function.__name__} has no parameter {unknown.pop()}")
    return launch(pattern, policy, unit, tuple(values[n] for n in names), ctx, () if pattern == "for" else ("sum",))


def parallel_for(*args, **values):
    dispatch("for", args, values)


def parallel_reduce(*args, **values):
    return dispatch("reduce", args, values)


def parallel_scan(*args, **values):
    return dispatch("scan", args, values)


def run_lambda(pattern, policy, unit, views, ctx):
    """lambda i: value, for a view that gets it; lambda i, acc: acc + share. self and other variables come from around it."""
    code = unit.__code__
    outside = dict(zip(code.co_freevars, [c.cell_contents for c in unit.__closure__ or ()]))
    me = outside.get("self")
    if code not in _lambdas:
        _lambdas[code] = L.Kernel(unit, loose=True)
        _lambdas[code].roles = functools.partial(roles_of_lambda, _lambdas[code])
    kernel = _lambdas[code]
    kernel.function = unit
    from ..language.source import source_of

    members = ()
    if me is not None:
        found = [n.attr for n in ast.walk(source_of(unit).tree) if isinstance(n, ast.Attribute) and
                 isinstance(n.value, ast.Name) and n.value.id == "self"]
        members = tuple(dict.fromkeys(found))
    kernel.lambda_members, kernel.lambda_self, kernel.lambda_view = members, me, bool(views)
    args = [*views, *[getattr(me, m) for m in members]]
    return launch(pattern, policy, kernel, tuple(args), ctx, () if pattern == "for" else ("sum",))


def roles_of_lambda(kernel, spec, count, method):
    names = (["mx_view_"] if kernel.lambda_view else []) + [f"self.{m}" for m in kernel.lambda_members]
    accumulator = kernel.parameters[spec.indices] if spec.pattern != "for" else None
    if accumulator:
        spec.value = "f64"
    return names, accumulator, None


def lambda_body(t):
    """The statement that a lambda stands for."""
    tree = t.source.tree
    node = ast.copy_location(ast.Return(tree.body), tree.body)
    if t.spec.pattern == "reduce":  # acc + share
        acc = tree.args.args[t.spec.indices].arg
        node = ast.copy_location(ast.Assign([ast.Name(acc, ast.Store())], tree.body), tree.body)
    elif "mx_view_" in t.names:
        index = ast.Name(tree.args.args[0].arg, ast.Load())
        target = ast.Subscript(ast.Name("mx_view_", ast.Load()), index, ast.Store())
        node = ast.copy_location(ast.Assign([target], tree.body), tree.body)
    else:
        node = ast.copy_location(ast.Expr(tree.body), tree.body)
    return ast.fix_missing_locations(node)


Hooks.lambda_body = lambda_body
for _name in ("sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh fabs trunc erf "
              "erfc pow fmod hypot atan2 copysign cbrt floor ceil isnan isinf").split():
    if hasattr(math, _name):
        Hooks.bare_names[_name] = getattr(math, _name)

# ---- teams ----


class Nested:
    def __init__(self, *args):
        pass


class TeamThreadRange(Nested):
    kind = "threads"


class ThreadVectorRange(Nested):
    kind = "lanes"


class TeamVectorRange(Nested):
    kind = "items"


class TeamThreadMDRange(Nested):
    kind = "threads"


class PerTeam(Nested):
    macro = "MX_TEAM_SINGLE"


class PerThread(Nested):
    macro = "MX_VECTOR_SINGLE"


def single(*_):
    raise TypeError("single is for workunits")


def inner(t, node):
    """The policy and the function of a nested call."""
    if len(node.args) != 2 or not isinstance(node.args[0], ast.Call):
        raise t.error(node, "expected a nested policy and a function")
    policy, function = node.args
    kind = t.expr(policy.func).ref
    body = t.local_refs.get(function.id) if isinstance(function, ast.Name) else None
    if not isinstance(body, ast.FunctionDef) or not (isinstance(kind, type) and issubclass(kind, Nested)):
        raise t.error(node, "expected pk.TeamThreadRange(team, n) or another nested policy, and a function of this workunit")
    return kind, policy, body


def nested_loop(t, node, statement, reduce=False):
    kind, policy, function = inner(t, node)
    bounds = [t.number(a) for a in policy.args[1:]]
    parameters = [a.arg for a in function.args.args]
    if kind is TeamThreadMDRange:
        return md_loop(t, node, function, parameters, bounds)
    begin, end = bounds if len(bounds) > 1 else (Val("0", INT, 0, True), bounds[0])
    variable = t.new("mx_i")
    b, e = strip(t.cast(begin, INT)), strip(t.cast(end, INT))
    head = f"mx_t, {variable}, (int)({b}), (int)({e})"
    saved_names, level = dict(t.names), t.level
    part = None
    if reduce:
        annotation = function.args.args[1].annotation
        acc = t.expr(annotation).ref if annotation is not None else None
        value = number_type(getattr(acc, "value_type", float)) or "f64"
        part = t.new("mx_sum")
        t.line(f"{t.c_type(value)} {part} = 0;")
        t.names = {**t.names, parameters[1]: Accumulator(part, value)}
    if kind.kind == "threads":
        t.line(f"MX_TEAM_FOR({head}) {{", node)
    elif kind.kind == "lanes":
        t.line(f"MX_VECTOR_SUM({head}, {part}) {{" if reduce else f"MX_VECTOR_FOR({head}) {{", node)
    elif reduce:
        raise t.error(node, "a reduction over TeamVectorRange: use TeamThreadRange and ThreadVectorRange")
    else:
        t.line(f"MX_TEAM_VECTOR_FOR({head}) {{", node)
    t.level = "thread" if kind.kind == "threads" else "lane"
    nested_body(t, function, [(parameters[0], variable)])
    t.line("}")
    t.names, t.level = saved_names, level
    if not reduce:
        return Val("")
    result = t.new("mx_result")
    total = f"mx_team_sum(mx_t, {part})" if kind.kind == "threads" else part
    t.line(f"const {t.c_type(value)} {result} = {total};")
    return Val(result, value)


def nested_body(t, function, indices):
    t.loop_names.append("parallel")
    t.enter()
    saved = dict(t.local_refs)
    for name, variable in indices:
        t.line(f"const int64_t {c_name(name)} = {variable};")
        t.local_refs[name] = Val(c_name(name), INT)
    for n, s in enumerate(function.body):
        if isinstance(s, ast.Nonlocal):
            continue
        t.statement(s, last=n == len(function.body) - 1)
    t.local_refs = saved
    t.leave()
    t.loop_names.pop()


def md_loop(t, node, function, parameters, bounds):
    n1 = t.new("mx_n")
    t.line(f"const int {n1} = (int)({strip(t.cast(bounds[1], INT))});")
    variable, level = t.new("mx_i"), t.level
    t.line(f"MX_TEAM_FOR(mx_t, {variable}, 0, (int)({strip(t.cast(bounds[0], INT))}) * {n1}) {{", node)
    t.level = "thread"
    nested_body(t, function, [(parameters[0], f"{variable} / {n1}"), (parameters[1], f"{variable} % {n1}")])
    t.line("}")
    t.level = level
    return Val("")


def single_call(t, node, statement):
    kind, _, function = inner(t, node)
    level = t.level
    t.line(f"{kind.macro}(mx_t) {{", node)
    t.level = "single"
    nested_body(t, function, [])
    t.level = level
    t.line("}")
    return Val("")


HANDLERS[parallel_for] = nested_loop
HANDLERS[parallel_reduce] = functools.partial(nested_loop, reduce=True)
HANDLERS[single] = single_call


def team_value(member):
    return lambda t, node, statement: Val(f"mx_t->{member}", INT, nonneg=True)


def team_scratch(level_of, per_thread):
    return lambda t, node, statement: Val("", None, ref=("scratch", t.number(node.args[0]).const, per_thread))


team.LOOSE_METHODS.update(
    league_rank=team_value("league_rank"), league_size=team_value("league_size"), team_rank=team_value("rank"),
    team_size=team_value("size"), team_barrier=lambda t, node, s: barrier(t, node),
    team_scratch=team_scratch(0, False), thread_scratch=team_scratch(0, True))


def barrier(t, node):
    t.line("mx_team_barrier(mx_t);", node)
    return Val("")


class _Scratch:
    rank = 0

    def __class_getitem__(cls, t):
        return type(cls.__name__, (cls,), {"element": t})

    @classmethod
    def shmem_size(cls, *shape):
        import numpy as np

        from .views import dtype_of

        t = getattr(cls, "element", float)
        return int(np.prod(shape)) * dtype_of(float if t is float else t).itemsize


ScratchView1D, ScratchView2D, ScratchView3D = (type(f"ScratchView{n}D", (_Scratch,), {"rank": n}) for n in (1, 2, 3))


def new_scratch(t, node, statement):
    _, level, per_thread = t.expr(node.args[0]).ref
    annotation = t.expr(t.annotated_as).ref
    element = number_type(getattr(annotation, "element", float)) or "f64"
    return team.new_scratch(t, node, [t.number(a) for a in node.args[1:]], element, level, per_thread)


for _view in (ScratchView1D, ScratchView2D, ScratchView3D):
    HANDLERS[_view] = new_scratch

# ---- atomics, printf ----


def _fetch(name, minx_function):
    def atomic(view, index, value):
        return minx_function(view.data, tuple(index), value)

    atomic.__name__ = f"atomic_fetch_{name}"

    def handler(t, node, statement):
        view, index, value = node.args
        place = index.elts[0] if isinstance(index, ast.List) and len(index.elts) == 1 else ast.copy_location(
            ast.Tuple(index.elts, ast.Load()), index)
        return HANDLERS[minx_function](t, node, statement, view, place, value)

    HANDLERS[atomic] = handler
    return atomic


atomic_fetch_add = _fetch("add", minx_add)
atomic_fetch_sub = _fetch("sub", atomic_sub)
atomic_fetch_min = _fetch("min", atomic_min)
atomic_fetch_max = _fetch("max", atomic_max)
atomic_fetch_and = _fetch("and", atomic_and)
atomic_fetch_or = _fetch("or", atomic_or)
atomic_fetch_xor = _fetch("xor", atomic_xor)
atomic_add = _fetch("add", minx_add)


def printf(text, *values):
    print(text % values, end="")


def c_printf(t, node, statement):
    text = t.expr(node.args[0]).const
    kinds = [c for n, c in enumerate(text) if c in "diuxXoeEfFgGcs" and "%" in text[max(0, n - 6):n] and not
             any(p.isspace() for p in text[text.rindex("%", 0, n):n])]
    values = [t.number(a) for a in node.args[1:]]
    casts = ["double" if k in "eEfFgG" else "long" if "l" in text else "int" for k in kinds] + ["int"] * len(values)
    code = [f"({c}){v.code}" for c, v in zip(casts, values)]
    return Val(f"printf({', '.join([c_string(text), *code])})")


HANDLERS[printf] = c_printf
