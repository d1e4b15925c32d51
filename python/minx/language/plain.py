"""Kernels as plain Python, one index after the other: for debuggers, prints and tests.

A kernel that adds to its value (`total += x`) changes a variable of its own, which a caller of the function cannot see. So such a
kernel runs as a copy that returns the value: the same text, with the lines of its file, where a debugger stops."""

from __future__ import annotations

import ast
import copy
import functools

import numpy as np

from .reducers import Reducer, identity, join
from .source import source_of
from .team import Team as PythonTeam


def run_python(pattern, policy, kernel, args, reducers, target=None, instance=None):
    """A launch. Results are joined in the order of the indices; views of a context are copied to the host and back."""
    views = [(n, a) for n, a in enumerate(args) if is_view(a)]
    args = list(args)
    for n, view in views:
        args[n] = view.numpy()
    run = {"for": run_for, "reduce": run_reduce, "scan": run_scan}[pattern]
    function = kernel.function if instance is None else functools.partial(kernel.function, instance)
    if instance is not None:
        args = args[: len(args) - members_count(kernel, instance)]
    result = run(kernel, function, indices_of(policy), args, reducers, target, instance)
    for n, view in views:
        view.put(args[n])
    if target is not None and target.into is not None:
        store(target, result)
        return None
    return result


def is_view(array) -> bool:
    """Is it a view of a context, which plain Python cannot index?"""
    return not isinstance(array, np.ndarray) and hasattr(array, "numpy") and hasattr(array, "put")


def members_count(kernel, instance) -> int:
    from .generate import members_of  # plain runs of methods only

    return len(members_of(kernel.function, type(instance), kernel.dialect))


def indices_of(policy):
    if policy.space[0] == "TEAM":
        league = policy.numbers[0]
        return ((PythonTeam(n, league),) for n in range(league))
    shape = [max(e - b, 0) for b, e in zip(policy.begin, policy.end)]
    return (tuple(i + b for i, b in zip(index, policy.begin)) for index in np.ndindex(*shape))


def run_for(kernel, function, indices, args, reducers, target, instance):
    for index in indices:
        function(*index, *args)


def has_value(kernel, args, index, instance) -> bool:
    """Has a reduction's kernel its value as a parameter?"""
    return len(kernel.parameters) == (instance is not None) + len(index) + 1 + len(args)


def run_reduce(kernel, function, indices, args, reducers, target, instance):
    if target is not None and target.length is not None:
        return reduce_array(function, indices, args, reducers[0], target)
    total, adds = [identity(op) for op in reducers], None
    for index in indices:
        if adds is None and has_value(kernel, args, index, instance):
            adds = returning_value(kernel.function, (instance is not None) + len(index))
            function = adds if instance is None else functools.partial(adds, instance)
        if adds is not None:
            total[0] = function(*index, total[0], *args)
            continue
        share = function(*index, *args)
        if share is not None:
            total = [join(op, t, s) for op, t, s in zip(reducers, total, shares(share, reducers, index))]
    results = [bool(t) if op in ("all", "any") else python_number(t) for op, t in zip(reducers, total)]
    return results[0] if len(results) == 1 else tuple(results)


def python_number(value):
    """The same value without NumPy's types; of a tuple (or named tuple) each part."""
    if isinstance(value, tuple):
        parts = [python_number(v) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value.item() if isinstance(value, np.generic) else value


def wide(value):
    """Sums of small integers are large: integers become Python's, floats keep their type."""
    if isinstance(value, tuple):
        return tuple(wide(v) for v in value)
    return value.item() if isinstance(value, (np.integer, np.bool_)) else value


def shares(share, reducers, index):
    """What a kernel returned, for each operator: with an index for locations."""
    if len(reducers) == 1 and (isinstance(reducers[0], Reducer) or reducers[0].endswith("loc")):
        share = (share,)
    parts = share if isinstance(share, tuple) else (share,)
    if len(parts) != len(reducers):
        raise TypeError(f"{len(parts)} results, but {len(reducers)} reducers")
    for op, part in zip(reducers, map(wide, parts)):
        located = not isinstance(op, Reducer) and op.endswith("loc") and not isinstance(part, tuple)
        yield (part, index[0]) if located else part


def reduce_array(function, indices, args, op, target):
    """The kernel adds to an array of a NumPy type that holds any share."""
    into = target.into
    dtype = into.dtype if into is not None else None
    array = Collected(target.length, op, dtype)
    for index in indices:
        function(*index, array, *args)
    return array.numpy()


class Collected:
    """The value of a reduction into an array, whose element type is that of what is added."""

    def __init__(self, length, op, dtype):
        self.values, self.op, self.dtype = [None] * length, op, dtype

    def _at(self, e) -> int:
        if not 0 <= e < len(self.values):
            raise IndexError(f"element {e} of a result with {len(self.values)}")
        return int(e)

    def __getitem__(self, e):
        value = self.values[self._at(e)]
        return identity(self.op) if value is None else value

    def __setitem__(self, e, value):
        self.values[self._at(e)] = value

    def numpy(self) -> np.ndarray:
        there = [v for v in self.values if v is not None]
        dtype = self.dtype or (np.result_type(*there) if there else np.dtype("i8"))
        empty = identity(self.op)
        if dtype.kind in "iu" and isinstance(empty, float):
            empty = np.iinfo(dtype).max if empty > 0 else np.iinfo(dtype).min
        return np.array([empty if v is None else v for v in self.values], dtype)


def run_scan(kernel, function, indices, args, reducers, target, instance):
    op, value = reducers[0], identity(reducers[0])
    first = (instance is not None) + 1
    by_hand = len(kernel.parameters) == first + 2 + len(args)
    adds = returning_value(kernel.function, first)
    adds = adds if instance is None else functools.partial(adds, instance)
    for index in indices:
        value = adds(*index, value, *((True,) if by_hand else ()), *args)
    return bool(value) if op in ("all", "any") else python_number(value)


def store(target, result):
    """The result, where it was to go."""
    into = target.into.numpy() if is_view(target.into) else target.into
    if target.length is not None:
        into.reshape(-1)[...] = result
    elif into.dtype.names:
        into.reshape(-1)[target.index] = flat(result, into.dtype)
    else:
        into.reshape(-1)[target.index] = result
    if is_view(target.into):
        target.into.put(into)


def flat(result, dtype):
    """Results as a record: in the form of its type."""
    numbers = []

    def walk(r):
        if isinstance(r, tuple):
            for part in r:
                walk(part)
        else:
            numbers.append(r)

    def fill(t):
        return tuple(fill(t[n]) for n in t.names) if t.names else numbers.pop(0)

    walk(result)
    return fill(dtype)


class _Returns(ast.NodeTransformer):
    """`return` gives the value."""

    def __init__(self, name):
        self.name = name

    def value(self, node):
        return ast.copy_location(ast.Return(ast.copy_location(ast.Name(self.name, ast.Load()), node)), node)

    def visit_Return(self, node):
        return self.value(node)

    def visit_FunctionDef(self, node):
        return node  # one inside the kernel keeps its own

    visit_Lambda = visit_FunctionDef


@functools.lru_cache(maxsize=1024)
def returning_value(function, position: int):
    """A copy of a kernel that returns its parameter number `position`, as it is at the end."""
    tree = copy.deepcopy(source_of(function).tree)
    if isinstance(tree, ast.Lambda):  # lambda i, acc: acc + share
        return function
    transform = _Returns(tree.args.args[position].arg)
    body = [transform.visit(s) for s in tree.body]
    tree.body = [*body, transform.value(body[-1])]
    tree.decorator_list, tree.returns = [], None
    for a in tree.args.args:
        a.annotation = None
    tree.args.defaults = []
    free = function.__code__.co_freevars
    if free:  # as variables of a function around it, so that they are free in the copy too
        arguments = ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, [])
        tree = ast.FunctionDef("around", arguments, [tree], [], None, lineno=tree.lineno, col_offset=0, end_lineno=tree.end_lineno, end_col_offset=tree.end_col_offset)
    module = ast.fix_missing_locations(ast.Module([tree], []))
    code = compile(module, function.__code__.co_filename, "exec")
    wanted = function.__code__.co_name
    code = find_code(code, wanted)
    cells = dict(zip(free, function.__closure__ or ()))
    return type(function)(code, function.__globals__, function.__name__, function.__defaults__,
                          tuple(cells[name] for name in code.co_freevars))


def find_code(code, name):
    """The code object of a function in a module, or in the function around it."""
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            return constant if constant.co_name == name else find_code(constant, name)
    raise LookupError(name)
