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
from .random import Random_XorShift64_Pool
from .spaces import ExecutionSpaceInstance, MemorySpace
from .views import Trait, View, is_ordinary

DIALECT = PyKokkos()


class Workunit(Kernel):
    """A function that launches run: indices (or a TeamMember) first, then, in a reduction, the value; in a scan the
    value and `final`; then views and numbers, which a launch gives by name.

    An argument, or attribute of a functor, may be an object with attributes: these are arguments under names such as
    "p.x" (objects.py). For what such objects are, and which views are atomic, a Workunit has forms of its own, which
    differ in their dialect."""

    def __init__(self, function, traits=None):
        super().__init__(function, dialect=DIALECT)
        self.traits = traits or {}  # of views, by the decorator: name -> ViewTypeInfo
        self.plans: dict = {}  # of launches like those before
        self.forms: dict = {}  # (numbers of atomic arguments, objects, names) -> Workunit
        self.names = None  # of a form: those of arguments and of attributes
        self.annotations = Annotations(function)

    def roles(self, spec, count, method):
        names, accumulator, final = self.split(spec.pattern, spec.indices, method)
        if accumulator and spec.value is None:
            spec.value = number_type(getattr(self.annotations.get(accumulator), "value_type", float)) or "f64"
        return (self.names[0] if self.names else names), accumulator, final

    def members(self, instance):
        return self.names[1] if self.names else super().members(instance)

    def as_declared(self, name, value):
        """A float for an argument that is declared an integer becomes one, as in C++."""
        if isinstance(value, (float, np.floating)):
            declared = number_type(self.annotations.get(name))
            return value if declared is None or T.is_float(declared) else int(value)
        return value

    def split(self, pattern, indices, method):
        """(names of arguments, accumulator, final)"""
        rest = self.parameters[(1 if method else 0) + indices :]
        needed = {"for": 0, "reduce": 1, "scan": 2}[pattern]
        if len(self.parameters) - (1 if method else 0) < indices or len(rest) < needed:
            raise TypeError(
                f"{self.function.__name__} has the parameters {', '.join(self.parameters)}: parallel_{pattern} over "
                f"this policy gives it {indices} ind{'ices' if indices > 1 else 'ex'}"
                + {"for": "", "reduce": " and the value", "scan": ", the value and final"}[pattern]
            )
        return rest[needed:], (rest[0] if needed else None), (rest[1] if needed > 1 else None)

    def form(self, atomic: frozenset, objects: dict, names: tuple):
        """The Workunit that is translated with these arguments atomic, and these objects."""
        if not atomic and not objects:
            return self
        key = atomic, tuple(objects.items()), names
        if key not in self.forms:
            self.forms[key] = made = type(self)(self.function, self.traits)
            made.dialect, made.names = PyKokkos(atomic, objects), names
        self.forms[key].function = self.function
        return self.forms[key]


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
    """lambda i: value, for a view that it sets; lambda i, acc: acc + share. `self` of the method around it is an object
    whose attributes are arguments; other variables from around it are constants."""

    def __init__(self, function, traits=None):
        super().__init__(function, traits)
        tree = source_of(function).tree
        self.attributes = tuple(
            dict.fromkeys(
                n.attr
                for n in ast.walk(tree)
                if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == "self"
            )
        )
        self.has_view = False

    def split(self, pattern, indices, method):
        return (LAMBDA_VIEW,) * self.has_view, (self.parameters[indices] if pattern != "for" else None), None


def workunit(*args, **traits):
    """@pk.workunit, @pk.workunit(x=pk.ViewTypeInfo(trait=pk.Atomic))"""
    if args and callable(args[0]):
        return Workunit(args[0])
    return lambda function: Workunit(function, traits)


# ---- launches ----


def parallel_for(*args, **values):
    """parallel_for([label,] policy, workunit, name=view_or_number, ...). policy: a number n (the range 0 to n), or a
    policy. Inside of workunits: parallel_for(pk.TeamThreadRange(team, n), function)."""
    dispatch("for", args, values)


def parallel_reduce(*args, initial_value=0, **values):
    """The sum of what the workunit adds to its value (pk.Acc[float]), plus initial_value. Arguments as in
    parallel_for."""
    result = dispatch("reduce", args, values)
    return result + initial_value if initial_value else result


def parallel_scan(*args, **values):
    """A prefix sum: workunit(i, acc, final, ...) adds the share of i to acc, and if final stores. The result is the
    total."""
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
        raise TypeError(
            f"parallel_{pattern} takes perhaps a label, a policy and a workunit; arguments of the workunit are "
            "given by name"
        )
    return args[0], args[1], args[2:]


def dispatch(pattern, args, values):
    policy, unit, views = arguments_of(pattern, args, values)
    if isinstance(policy, Nested):
        return debug.nested(pattern, policy, unit)
    if is_integer(policy):
        policy = RangePolicy(0, int(policy))
    elif not isinstance(policy, Policy):
        raise TypeError(
            f"parallel_{pattern} takes an integer or a policy (pk.RangePolicy, ...), got {policy!r}"
        )
    ctx = spaces.context(policy.space)
    ready = None if views else prepared(pattern, policy, unit, values, ctx)
    if ready is not None:
        return launch_with(pattern, policy.policy(ctx), *ready, ctx, () if pattern == "for" else ("sum",))
    unit, instance, arguments = unit_of(pattern, policy, unit, views, values)
    if ctx == "python":
        return debug.launch(pattern, policy, unit, instance, arguments)
    made = None
    if isinstance(policy, TeamPolicy):
        ctx, team_size = context_of_teams(policy, unit, ctx)
        made = policy.policy(ctx, team_size)
    names, objects, data, atomic = flattened(unit, instance, arguments, policy_indices(policy), pattern, ctx)
    unit = unit.form(atomic, objects, names)
    try:
        return launch_with(
            pattern, made or policy.policy(ctx), unit, instance, data, ctx, () if pattern == "for" else ("sum",)
        )
    finally:
        if not ctx.host and not isinstance(policy.space, ExecutionSpaceInstance):
            ctx.fence()


def prepared(pattern, policy, unit, values, ctx):
    """(Workunit, object, values as minx takes them) of a launch like most: on a host, over no teams, of views without
    the trait Atomic, arrays and numbers, all of whose names are known from a launch before. None: it is no such launch,
    or has a mistake."""
    instance = None
    if type(unit) is BoundKernel:
        unit, instance = unit.kernel, unit.instance
    if type(unit) is not Workunit or ctx == "python" or not ctx.host or type(policy) is TeamPolicy:
        return None
    plan = unit.plans.get((pattern, policy_indices(policy), type(instance)))
    if plan is None or len(values) != len(plan.names):
        return None
    given = [values.get(name) for name in plan.names]
    given += [getattr(instance, name, None) for name in plan.members]
    data = []
    for value, is_integer_argument in zip(given, plan.integers):
        kind = type(value)
        if kind is View and value.trait is not Trait.Atomic:
            data.append(value.data)
        elif kind is float and not is_integer_argument or kind is int or kind is np.ndarray or kind is bool:
            data.append(value)
        else:
            return None
    return unit, instance, tuple(data)


class Plan:
    """What prepared() knows of the launches of a workunit."""

    def __init__(self, unit, names, members):
        self.names, self.members = names, members
        types = [number_type(unit.annotations.get(n)) for n in names]
        self.integers = [t is not None and not T.is_float(t) for t in types] + [False] * len(
            members
        )  # is it declared one?


def flattened(unit, instance, arguments, indices, pattern, ctx):
    """(names of arguments and of attributes, objects, values as minx takes them, numbers of those that are atomic)"""
    own, *_ = unit.split(pattern, indices, instance is not None)
    members = unit.members(instance) if instance is not None else ()
    roots = [*own, *members, *(["self"] if isinstance(unit, LambdaUnit) and unit.attributes else [])]
    traits = {**getattr(type(instance), "pk_traits", {}), **unit.traits}
    names, objects, data, atomic, first = [], {}, [], set(), None
    for n, (root, argument) in enumerate(zip(roots, arguments)):
        if n == len(own):
            first = len(names)
        only = unit.attributes if root == "self" and isinstance(unit, LambdaUnit) else None
        for name, value in parts_of(root, argument, objects, only):
            if is_atomic(value) or getattr(traits.get(name), "trait", None) is Trait.Atomic:
                atomic.add(len(names))
            names.append(name)
            data.append(of_kernel(value, ctx))
    first = len(names) if first is None or isinstance(unit, LambdaUnit) else first
    if not atomic and not objects and not any(getattr(i, "trait", None) is Trait.Atomic for i in traits.values()):
        unit.plans[pattern, indices, type(instance)] = Plan(unit, tuple(own), tuple(members))
    return (tuple(names[:first]), tuple(names[first:])), objects, tuple(data), frozenset(atomic)


PLAIN = (View, np.ndarray, np.generic, int, float, bool, complex)


def parts_of(name, value, objects: dict, only=None):
    """(name, value) of an argument, and if it is an object of each of its attributes."""
    if isinstance(value, PLAIN) or only is None and not getattr(type(value), "minx_struct", False):
        yield name, value
        return
    objects[name] = type(value)
    if isinstance(value, Random_XorShift64_Pool):
        value.begin_launch()
    for attribute in only if only is not None else [n for n, v in vars(value).items() if is_argument(v)]:
        yield from parts_of(f"{name}.{attribute}", getattr(value, attribute), objects)


def is_argument(value) -> bool:
    """Can kernels have it as an argument?"""
    return (
        isinstance(value, PLAIN)
        or getattr(type(value), "minx_struct", False)
        or hasattr(value, "__cuda_array_interface__")
    )


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
        raise TypeError(
            f"a NumPy array is in ordinary memory, which kernels on {ctx.backend} do not access: pass pk.array(a), or "
            "a pk.View"
        )
    return value


_plain: dict = {}  # (code, what is around it) of functions without decorator, and of lambda expressions -> Workunit


def undecorated(function, make):
    """The Workunit of a function: one for its code and the constants around it, which are constants of the kernel."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or ())
    around = [c.cell_contents for name, c in cells if name != "self"]
    key = function.__code__, *[(type(v), v) if isinstance(v, (int, float, str, np.generic)) else id(v) for v in around]
    found = _plain.get(key)
    if found is None:
        if len(_plain) > 1024:
            _plain.clear()
        found = _plain[key] = make(function)
        found.around = around  # alive, so that no other object gets its number
    found.function = function
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
        raise TypeError(
            f"parallel_{pattern} got {unit!r}: expected a function with @pk.workunit or a lambda expression"
        )
    if views:
        raise TypeError(
            f"{unit.function.__name__}: arguments of workunits are given by name, a view behind it is for lambda "
            "expressions"
        )
    names, *_ = unit.split(pattern, policy_indices(policy), instance is not None)
    unknown, missing = [n for n in values if n not in names], [n for n in names if n not in values]
    if unknown:
        raise TypeError(
            f"{unit.function.__name__} has no parameter {unknown[0]}: its arguments are {', '.join(names) or 'none'}"
        )
    if missing:
        raise TypeError(f"{unit.function.__name__}: the argument {missing[0]} is missing")
    members = kernel_members(unit, instance) if instance is not None else ()
    return (
        unit,
        instance,
        [*[unit.as_declared(n, values[n]) for n in names], *[member_of(instance, m, unit) for m in members]],
    )


def member_of(instance, name, unit):
    if not hasattr(instance, name):
        raise AttributeError(f"{unit.function.__name__} uses {name}, which a {type(instance).__name__} does not have")
    return getattr(instance, name)


def lambda_unit(function, views, values):
    if values:
        raise TypeError(
            f"a lambda expression takes no arguments by name ({', '.join(values)}): it sees the variables around it"
        )
    unit = undecorated(function, LambdaUnit)
    unit.has_view = bool(views)
    around = dict(zip(function.__code__.co_freevars, [c.cell_contents for c in function.__closure__ or ()]))
    for name in unit.attributes:
        member_of(around.get("self"), name, unit)
    return unit, None, [*views, *([around["self"]] if unit.attributes else [])]


def context_of_teams(policy, unit, ctx):
    """The context and the team size of a launch of teams. Where a host has less threads than a team, teams of one
    thread do, unless the workunit uses the rank or size of the team for more than to choose one thread: then a context
    with so many threads."""
    if ctx.backend not in ("serial", "openmp") or policy.team_size <= ctx.threads:
        return ctx, policy.team_size
    if not uses_rank(unit.function):
        return ctx, 1
    wanted = f"openmp:threads={policy.team_size}"
    try:
        return spaces.context_of_resource(wanted), policy.team_size
    except Exception as error:
        raise ValueError(
            f"{unit.function.__name__} uses team_rank or team_size, and its teams have {policy.team_size} threads: "
            f"{ctx.resource} has {ctx.threads}, and {wanted} is not possible here ({error})"
        ) from None


def uses_rank(function) -> bool:
    """Does a workunit use team_rank() or team_size() other than in `team_rank() == 0`?"""
    tree = source_of(function).tree
    calls = {
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in ("team_rank", "team_size")
    }
    harmless = {
        n.left
        for n in ast.walk(tree)
        if isinstance(n, ast.Compare)
        and isinstance(n.ops[0], ast.Eq)
        and isinstance(n.comparators[0], ast.Constant)
        and n.comparators[0].value == 0
    }
    return bool(calls - harmless)


HANDLERS.update(
    {
        parallel_for: nested.nested_for,
        parallel_reduce: nested.nested_reduce,
        parallel_scan: nested.nested_scan,
        debug.single: nested.single,
    }
)
