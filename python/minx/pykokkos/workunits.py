"""Workunits and their launches: parallel_for, parallel_reduce, parallel_scan."""

from __future__ import annotations

import ast
import types as pytypes

import numpy as np

from ..launch.call import launch_with
from ..launch.kernel import BoundKernel, Kernel, kernel_members
from .. import types as T
from ..language.source import source_of
from ..language.values import number_type
from . import debug, nested, spaces
from .dialect import HANDLERS, PyKokkos
from .nested import LAMBDA_VIEW
from .policies import MDRangePolicy, Nested, Policy, RangePolicy, TeamPolicy, is_integer
from .spaces import ExecutionSpaceInstance, MemorySpace
from .views import Trait, View, is_ordinary

DIALECT = PyKokkos()


class Workunit(Kernel):
    """A function that launches run: indices (or a TeamMember) first, then, in a reduction, the value; in a scan the value and
    `final`; then views and numbers, which a launch gives by name."""

    def __init__(self, function, traits=None):
        super().__init__(function, dialect=DIALECT)
        self.traits = traits or {}  # of views, by the decorator: name -> ViewTypeInfo
        self.atomic: dict = {}  # numbers of atomic arguments -> Workunit for them
        self.annotations = Annotations(function)

    def roles(self, spec, count, method):
        rest, accumulator, final = self.split(spec.pattern, spec.indices, method)
        if accumulator and spec.value is None:
            spec.value = number_type(getattr(self.annotations.get(accumulator), "value_type", float)) or "f64"
        return rest[:count], accumulator, final

    def as_declared(self, name, value):
        """A float for an argument that is declared an integer becomes one, as in C++."""
        if isinstance(value, (float, np.floating)):
            declared = number_type(self.annotations.get(name))
            return value if declared is None or T.is_float(declared) else int(value)
        return value

    def split(self, pattern, indices, method):
        """(names of arguments, accumulator, final)"""
        rest = self.parameters[(1 if method else 0) + indices:]
        needed = {"for": 0, "reduce": 1, "scan": 2}[pattern]
        if len(self.parameters) - (1 if method else 0) < indices or len(rest) < needed:
            raise TypeError(f"{self.function.__name__} has the parameters {', '.join(self.parameters)}: parallel_{pattern} over this "
                            f"policy gives it {indices} ind{'ices' if indices > 1 else 'ex'}"
                            + {"for": "", "reduce": " and the value", "scan": ", the value and final"}[pattern])
        return rest[needed:], (rest[0] if needed else None), (rest[1] if needed > 1 else None)

    def marked(self, pattern, indices, instance) -> set:
        """The numbers of the arguments that decorators of the function or its class say to be atomic."""
        traits = {**getattr(type(instance), "pk_traits", {}), **self.traits}
        names = {n for n, info in traits.items() if getattr(info, "trait", None) is Trait.Atomic}
        if not names:
            return names
        own, *_ = self.split(pattern, indices, instance is not None)
        members = kernel_members(self, instance) if instance is not None else ()
        return {n for n, name in enumerate([*own, *members]) if name in names}

    def with_atomic(self, atomic: frozenset):
        """The same, translated with these arguments atomic."""
        if not atomic:
            return self
        if atomic not in self.atomic:
            self.atomic[atomic] = made = type(self)(self.function, self.traits)
            made.dialect = PyKokkos(atomic)
        return self.atomic[atomic]


class Annotations:
    """The annotations of a function, evaluated where they are text (from __future__ import annotations)."""

    def __init__(self, function):
        self.function = function

    def get(self, name, default=None):
        value = self.function.__annotations__.get(name, default)
        if isinstance(value, str):
            code = self.function.__code__
            cells = zip(code.co_freevars, self.function.__closure__ or ())
            try:
                value = eval(value, self.function.__globals__, {n: c.cell_contents for n, c in cells})
            except Exception:
                return default
        return value

    def __getitem__(self, name):
        return self.get(name)


class LambdaUnit(Workunit):
    """lambda i: value, for a view that it sets; lambda i, acc: acc + share. `self` of the method around it and its attributes are
    arguments; other variables from around it are constants."""

    def __init__(self, function):
        super().__init__(function)
        tree = source_of(function).tree
        self.members = tuple(dict.fromkeys(n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)
                                           and isinstance(n.value, ast.Name) and n.value.id == "self"))
        self.has_view = False

    def marked(self, pattern, indices, instance):
        return set()

    def roles(self, spec, count, method):
        names = [LAMBDA_VIEW] * self.has_view + [f"self.{m}" for m in self.members]
        accumulator = self.parameters[spec.indices] if spec.pattern != "for" else None
        if accumulator:
            spec.value = "f64"
        return names, accumulator, None


def workunit(*args, **traits):
    """@pk.workunit, @pk.workunit(x=pk.ViewTypeInfo(trait=pk.Atomic))"""
    if args and callable(args[0]):
        return Workunit(args[0])
    return lambda function: Workunit(function, traits)


# ---- launches ----


def parallel_for(*args, **values):
    """parallel_for([label,] policy, workunit, name=view_or_number, ...). policy: a number n (the range 0 to n), or a policy. Inside
    of workunits: parallel_for(pk.TeamThreadRange(team, n), function)."""
    dispatch("for", args, values)


def parallel_reduce(*args, initial_value=0, **values):
    """The sum of what the workunit adds to its value (pk.Acc[float]), plus initial_value. Arguments as in parallel_for."""
    result = dispatch("reduce", args, values)
    return result + initial_value if initial_value else result


def parallel_scan(*args, **values):
    """A prefix sum: workunit(i, acc, final, ...) adds the share of i to acc, and if final stores. The result is the total."""
    return dispatch("scan", args, values)


def arguments_of(pattern, args, values):
    """(policy, workunit, view of a lambda) from the ways in which programs write a launch."""
    args = list(args)
    if args and isinstance(args[0], str):
        args.pop(0)
    for name in ("policy", "workunit"):
        if name in values and len(args) < 2:
            args.insert(0 if name == "policy" else len(args), values.pop(name))
    if len(args) not in (2, 3):
        raise TypeError(f"parallel_{pattern} takes a label, which may be left out, a policy and a workunit; arguments of the workunit are "
                        "given by name")
    return args[0], args[1], args[2:]


def dispatch(pattern, args, values):
    policy, unit, views = arguments_of(pattern, args, values)
    if isinstance(policy, Nested):
        return debug.nested(pattern, policy, unit)
    if is_integer(policy):
        policy = RangePolicy(0, int(policy))
    elif not isinstance(policy, Policy):
        raise TypeError(f"parallel_{pattern} takes an integer or a policy (pk.RangePolicy, pk.MDRangePolicy, pk.TeamPolicy), got {policy!r}")
    unit, instance, arguments = unit_of(pattern, policy, unit, views, values)
    ctx = spaces.context(policy.space)
    if ctx == "python":
        return debug.launch(pattern, policy, unit, instance, arguments)
    if isinstance(policy, TeamPolicy):
        ctx = context_of_teams(policy, unit, ctx)
    data = [of_kernel(a, ctx) for a in arguments]
    marked = unit.marked(pattern, policy_indices(policy), instance)
    unit = unit.with_atomic(frozenset(n for n, a in enumerate(arguments) if n in marked or is_atomic(a)))
    try:
        return launch_with(pattern, policy.policy(ctx), unit, instance, tuple(data), ctx, () if pattern == "for" else ("sum",))
    finally:
        if not ctx.host and not isinstance(policy.space, ExecutionSpaceInstance):
            ctx.fence()


def policy_indices(policy) -> int:
    """How many indices a workunit over a policy gets; a TeamMember counts as one."""
    return len(policy.begin) if isinstance(policy, MDRangePolicy) else 1


def is_atomic(value) -> bool:
    return type(value) is View and value.trait is Trait.Atomic


def of_kernel(value, ctx):
    """What minx takes for a view."""
    if type(value) is View:
        if not ctx.host and value.space is MemorySpace.MemorySpaceDefault and is_ordinary(value.data):
            value.move(ctx)
        return value.data
    if not ctx.host and is_ordinary(value):
        raise TypeError(f"a NumPy array is in ordinary memory, which kernels on {ctx.backend} do not access: pass pk.array(a), a copy, or "
                        "a pk.View")
    return value


_plain: dict = {}  # code of functions without decorator, and of lambda expressions -> Workunit


def undecorated(function, make):
    found = _plain.get(function.__code__)
    if found is None:
        found = _plain[function.__code__] = make(function)
    found.function = function  # the same code with other variables around it
    return found


def unit_of(pattern, policy, unit, views, values):
    """(Workunit, object of a method or None, values of its arguments)"""
    if isinstance(unit, pytypes.FunctionType) and unit.__name__ == "<lambda>":
        return lambda_unit(unit, views, values)
    instance = None
    if isinstance(unit, BoundKernel):
        unit, instance = unit.kernel, unit.instance
    elif isinstance(unit, pytypes.MethodType):
        unit, instance = undecorated(unit.__func__, Workunit), unit.__self__
    elif isinstance(unit, pytypes.FunctionType):
        unit = undecorated(unit, Workunit)
    if not isinstance(unit, Workunit):
        raise TypeError(f"parallel_{pattern} got {unit!r}: expected a function with @pk.workunit or a lambda expression")
    if views:
        raise TypeError(f"{unit.function.__name__}: arguments of workunits are given by name, a view behind the workunit is for lambda "
                        "expressions")
    names, *_ = unit.split(pattern, policy_indices(policy), instance is not None)
    unknown, missing = [n for n in values if n not in names], [n for n in names if n not in values]
    if unknown:
        raise TypeError(f"{unit.function.__name__} has no parameter {unknown[0]}: its arguments are {', '.join(names) or 'none'}")
    if missing:
        raise TypeError(f"{unit.function.__name__}: the argument {missing[0]} is missing")
    members = kernel_members(unit, instance) if instance is not None else ()
    return unit, instance, [*[unit.as_declared(n, values[n]) for n in names], *[member_of(instance, m, unit) for m in members]]


def member_of(instance, name, unit):
    if not hasattr(instance, name):
        raise AttributeError(f"{unit.function.__name__} uses {name}, which a {type(instance).__name__} does not have")
    return getattr(instance, name)


def lambda_unit(function, views, values):
    if values:
        raise TypeError(f"a lambda expression takes no arguments by name ({', '.join(values)}): it sees the variables around it")
    unit = undecorated(function, LambdaUnit)
    unit.has_view = bool(views)
    around = dict(zip(function.__code__.co_freevars, [c.cell_contents for c in function.__closure__ or ()]))
    return unit, None, [*views, *[member_of(around.get("self"), m, unit) for m in unit.members]]


def context_of_teams(policy, unit, ctx):
    """The context of a launch of teams. Where a host has less threads than a team, teams of one thread do, unless the workunit
    uses the rank or size of the team for more than to choose one thread: then a context with so many threads."""
    if ctx.backend not in ("serial", "openmp") or policy.team_size <= ctx.threads:
        return ctx
    if not uses_rank(unit.function):
        policy.team_size = 1
        return ctx
    wanted = f"openmp:threads={policy.team_size}"
    try:
        return spaces.context_of_resource(wanted)
    except Exception as error:
        raise ValueError(f"{unit.function.__name__} uses team_rank or team_size, and its teams have {policy.team_size} threads: "
                         f"{ctx.resource} has {ctx.threads}, and {wanted} is not possible here ({error})") from None


def uses_rank(function) -> bool:
    """Does a workunit use team_rank() or team_size() other than in `team_rank() == 0`?"""
    tree = source_of(function).tree
    calls = {n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
             and n.func.attr in ("team_rank", "team_size")}
    harmless = {n.left for n in ast.walk(tree) if isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.Eq)
                and isinstance(n.comparators[0], ast.Constant) and n.comparators[0].value == 0}
    return bool(calls - harmless)


HANDLERS.update({parallel_for: nested.nested_for, parallel_reduce: nested.nested_reduce, parallel_scan: nested.nested_scan,
                 debug.single: nested.single})
