"""Atomics: minx.atomic_add(array, index, value) and its like. As plain Python, one item after the other, they are
plain."""

from __future__ import annotations

import ast

import numpy as np

from .. import types as T
from .values import HANDLERS, Val, describe

TYPES = ("f64", "f32", "i32", "i64", "u32", "u64")
INTEGERS_ONLY = ("and", "or", "xor", "nand", "lshift", "rshift")
FLOATS_ONLY = ("div",)  # C divides integers in another way than Python


def _element(t, node, name, array, index):
    place = ast.copy_location(ast.Subscript(array, index, ast.Load()), node)
    element, type_ = t.lvalue(place)
    if type_ not in TYPES:
        raise t.error(node, f"atomic_{name} of a {type_}: atomics are on {', '.join(TYPES)}")
    if T.is_float(type_) and name in INTEGERS_ONLY:
        raise t.error(node, f"atomic_{name} of a {type_}: it is on integers")
    if not T.is_float(type_) and name in FLOATS_ONLY:
        raise t.error(node, f"atomic_{name} of a {type_}: it is on floats")
    return element, type_


def _value(t, node, type_):
    value = t.expr(node)
    if not T.is_number(value.type):
        raise t.error(node, f"expected a number, got {describe(value)}")
    return t.cast(value, type_, node)


def _atomic(name, python):
    def atomic(array, index, value):
        old = array[index]
        array[index] = python(old, value)
        return old

    only = "; integers only" if name in INTEGERS_ONLY else "; floats only" if name in FLOATS_ONLY else ""
    first, kind = (6.0, float) if name in FLOATS_ONLY else (6, int)
    atomic.__name__ = atomic.__qualname__ = f"atomic_{name}"
    atomic.__doc__ = f"""array[index] becomes {name} of it and value, atomically; gives the old value.

    index: an integer, or a tuple of them. Elements: {', '.join(TYPES)}{only}.

    >>> x = np.array([{first}, 3])
    >>> {kind.__name__}(minx.atomic_{name}(x, 0, 5)), x
    ({first}, {np.array([python(first, 5), 3])!r})
    """

    def handler(t, node, statement, array=None, index=None, value=None):
        if array is None:
            if len(node.args) != 3 or node.keywords:
                raise t.error(node, f"atomic_{name} takes an array, an index and a value, as in minx.atomic_{name}(a, i, 1)")
            array, index, value = node.args
        element, type_ = _element(t, node, name, array, index)
        x = _value(t, value, type_)
        if name == "exchange":
            return Val(
                f"{'(void)' * statement}mx_atomic_exchange(&{element}, {x})", type_, pure=False, effects=not statement
            )
        call = f"mx_atomic_{'' if statement else 'fetch_'}{name}(&{element}, {x})"
        return t.ordered(Val(call, type_, pure=False, effects=not statement), node, statement)

    HANDLERS[atomic] = handler
    return atomic


atomic_add = _atomic("add", lambda a, b: a + b)
atomic_sub = _atomic("sub", lambda a, b: a - b)
atomic_mul = _atomic("mul", lambda a, b: a * b)
atomic_div = _atomic("div", lambda a, b: a / b)
atomic_nand = _atomic("nand", lambda a, b: ~(a & b))
atomic_lshift = _atomic("lshift", lambda a, b: a << b)
atomic_rshift = _atomic("rshift", lambda a, b: a >> b)
atomic_min = _atomic("min", min)
atomic_max = _atomic("max", max)
atomic_and = _atomic("and", lambda a, b: a & b)
atomic_or = _atomic("or", lambda a, b: a | b)
atomic_xor = _atomic("xor", lambda a, b: a ^ b)
atomic_exchange = _atomic("exchange", lambda a, b: b)


def atomic_compare_exchange(array, index, expected, desired):
    """array[index] becomes desired if it is expected, atomically; gives the old value.

    >>> @minx.kernel
    ... def first_comes(i, winner):
    ...     minx.atomic_compare_exchange(winner, 0, -1, i)
    >>> winner = np.array([-1])
    >>> minx.parallel_for(100, first_comes, winner)
    >>> bool(0 <= winner[0] < 100)
    True
    """
    old = array[index]
    if old == expected:
        array[index] = desired
    return old


def _compare_exchange(t, node, statement):
    if len(node.args) != 4 or node.keywords:
        raise t.error(node, "atomic_compare_exchange takes an array, an index, the expected and the desired value")
    element, type_ = _element(t, node, "compare_exchange", *node.args[:2])
    expected, desired = (_value(t, a, type_) for a in node.args[2:])
    return Val(
        f"{'(void)' * statement}mx_atomic_compare_exchange(&{element}, {expected}, {desired})",
        type_,
        pure=False,
        effects=not statement,
    )


HANDLERS[atomic_compare_exchange] = _compare_exchange


def atomic_load(array, index):
    """array[index], which other items may store at the same time.

    >>> int(minx.atomic_load(np.array([3, 4]), 1))
    4
    """
    return array[index]


def _load(t, node, statement):
    if len(node.args) != 2 or node.keywords:
        raise t.error(node, "atomic_load takes an array and an index")
    element, type_ = _element(t, node, "load", *node.args)
    return Val(
        f"mx_atomic_load(&{element})", type_, pure=False, effects=not statement
    )  # all lanes of a team get the same


HANDLERS[atomic_load] = _load


def atomic_store(array, index, value):
    """array[index] = value, which other items may load at the same time.

    >>> x = np.zeros(2)
    >>> minx.atomic_store(x, 1, 5.0)
    >>> x
    array([0., 5.])
    """
    array[index] = value


def _store(t, node, statement):
    if len(node.args) != 3 or node.keywords:
        raise t.error(node, "atomic_store takes an array, an index and a value, as in minx.atomic_store(a, i, 1)")
    element, type_ = _element(t, node, "store", *node.args[:2])
    return Val(f"mx_atomic_store(&{element}, {_value(t, node.args[2], type_)})")


HANDLERS[atomic_store] = _store
