"""Atomics, the trait Atomic and printf: as plain Python for the space Debug, and how they are translated.

pk.atomic_fetch_add(view, [i, j], value)      also an integer or a tuple as the index; gives the value before
pk.atomic_add(view, [i, j], value)            gives nothing that counts
pk.atomic_add_fetch(view, [i, j], value)      gives the value after"""

from __future__ import annotations

import ast
import operator
import re

from .. import types as T
from ..language.values import MISSING, Val, c_string
from ..types import BOOL

OPERATIONS = {  # name: (as plain Python, only for integers)
    "add": (operator.add, False),
    "sub": (operator.sub, False),
    "mul": (operator.mul, False),
    "div": (lambda a, b: a / b if isinstance(a, float) else a // b, False),
    "min": (min, False),
    "max": (max, False),
    "mod": (operator.mod, True),
    "and": (operator.and_, True),
    "or": (operator.or_, True),
    "xor": (operator.xor, True),
    "lshift": (operator.lshift, True),
    "rshift": (operator.rshift, True),
}
AUGMENTED = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "div",
    ast.Mod: "mod",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
HANDLERS: dict = {}


def place(index):
    """An index as views take it."""
    return tuple(index) if isinstance(index, (list, tuple)) else index


def target(t, node, view, index):
    """The element of an atomic as C, and its type."""
    parts = index.elts if isinstance(index, (ast.List, ast.Tuple)) else [index]
    chosen = parts[0] if len(parts) == 1 else ast.copy_location(ast.Tuple(list(parts), ast.Load()), index)
    element, type_ = t.lvalue(ast.copy_location(ast.Subscript(view, chosen, ast.Load()), node))
    if type_ not in ("f64", "f32", "i64", "i32", "u64", "u32"):
        raise t.error(
            node, f"atomics are on double, float, int32, int64, uint32 and uint64, not on elements of type {type_}"
        )
    return element, type_


def arguments(t, node, names):
    """The arguments of a call, given by position or by name."""
    given = dict(zip(names, node.args))
    given.update({k.arg: k.value for k in node.keywords})
    if len(node.args) > len(names) or sorted(given) != sorted(names):
        raise t.error(node, f"{ast.unparse(node.func)} takes {', '.join(names)}")
    return [given[n] for n in names]


def _operation(name, form):
    """form: "atomic_fetch_{}", "atomic_{}" or "atomic_{}_fetch"."""
    python, integers = OPERATIONS[name]

    def atomic(view, index, value):
        before = view[place(index)]
        view[place(index)] = python(before, value)
        return view[place(index)] if form.endswith("fetch") else before

    def handler(t, node, statement):
        view, index, value = arguments(t, node, ("view", "index", "value"))
        element, type_ = target(t, node, view, index)
        if integers and T.is_float(type_):
            raise t.error(node, f"{atomic.__name__} is on integers")
        number = t.cast(t.number(value), type_, value)
        macro = "mx_" + (
            f"atomic_{name}" if statement else form.format(name) if "fetch" in form else f"atomic_fetch_{name}"
        )
        return Val(f"{macro}(&{element}, {number})", type_, pure=False)

    atomic.__name__ = atomic.__qualname__ = form.format(name)
    HANDLERS[atomic] = handler
    return atomic


for _name in OPERATIONS:
    for _form in ("atomic_{}", "atomic_fetch_{}", "atomic_{}_fetch"):
        globals()[_form.format(_name)] = _operation(_name, _form)


def _step(name, by):
    def atomic(view, index):
        before = view[place(index)]
        view[place(index)] = before + by
        return before

    def handler(t, node, statement):
        view, index = arguments(t, node, ("view", "index"))
        element, type_ = target(t, node, view, index)
        return Val(
            f"mx_atomic_{'' if statement else 'fetch_'}{'add' if by > 0 else 'sub'}(&{element}, ({t.c_type(type_)})1)",
            type_,
            pure=False,
        )

    atomic.__name__ = name
    HANDLERS[atomic] = handler
    return atomic


atomic_increment, atomic_fetch_inc = _step("atomic_increment", 1), _step("atomic_fetch_inc", 1)
atomic_decrement, atomic_fetch_dec = _step("atomic_decrement", -1), _step("atomic_fetch_dec", -1)


def atomic_exchange(view, index, value):
    """Sets an element; gives the value before."""
    before = view[place(index)]
    view[place(index)] = value
    return before


def atomic_compare_exchange(view, index, expected, desired):
    """Sets an element to `desired` if it is `expected`; gives the value before."""
    before = view[place(index)]
    if before == expected:
        view[place(index)] = desired
    return before


def atomic_load(view, index):
    return view[place(index)]


def atomic_store(view, index, value):
    view[place(index)] = value


atomic_assign = atomic_store


def _plain(function, macro, names, result=True):
    def handler(t, node, statement):
        view, index, *values = arguments(t, node, names)
        element, type_ = target(t, node, view, index)
        numbers = [t.cast(t.number(v), type_, v) for v in values]
        void = "(void)" if statement and result else ""
        return Val(f"{void}{macro}({', '.join(['&' + element, *numbers])})", type_ if result else None, pure=False)

    HANDLERS[function] = handler


_plain(atomic_exchange, "mx_atomic_exchange", ("view", "index", "value"))
_plain(atomic_compare_exchange, "mx_atomic_compare_exchange", ("view", "index", "expected", "desired"))
_plain(atomic_load, "mx_atomic_load", ("view", "index"))
_plain(atomic_store, "mx_atomic_store", ("view", "index", "value"), result=False)


def store(t, node, element, type_, op, value):
    """A store, or `a[i] += x`, into a view with the trait Atomic."""
    if type_ not in ("f64", "f32", "i64", "i32", "u64", "u32"):
        raise t.error(
            node,
            f"a view with the trait Atomic has elements of double, float, int32, int64, uint32 or uint64, not {type_}",
        )
    if op is None:
        return t.effect(f"mx_atomic_store(&{element}, {t.cast(value, type_, node)});", node)
    name = AUGMENTED.get(type(op))
    if name is None or OPERATIONS[name][1] and T.is_float(type_):
        raise t.error(node, f"`{ast.unparse(node)}` is not possible atomically")
    return t.effect(f"mx_atomic_{name}(&{element}, {t.cast(value, type_, node)});", node)


# ---- printf ----

CONVERSION = re.compile(r"%([-+ #0]*)(\d*)((?:\.\d+)?)(?:hh|h|ll|l|z|j|t|L)?([diouxXeEfFgGcs%])")


def printf(text, *values):
    """printf of C, for numbers and constant strings; no length letters are needed."""
    print(CONVERSION.sub(lambda m: f"%{m[1]}{m[2]}{m[3]}{m[4]}", text) % values, end="")


def c_printf(t, node, statement):
    text = t.expr(node.args[0]).const if node.args else MISSING
    if not isinstance(text, str):
        raise t.error(node, "printf begins with a string")
    kinds = [m[4] for m in CONVERSION.finditer(text) if m[4] != "%"]
    if len(kinds) != len(node.args) - 1:
        raise t.error(node, f"printf: {len(kinds)} conversions, {len(node.args) - 1} values")
    code = []
    for kind, argument in zip(kinds, node.args[1:]):
        value = t.expr(argument)
        if kind == "s":
            if value.type == BOOL or not isinstance(value.const, str):
                raise t.error(argument, "%s is for constant strings")
            code.append(c_string(value.const))
        else:
            number = t.number(argument)
            code.append(f"({'double' if kind in 'eEfFgG' else 'int' if kind == 'c' else 'long long'})({number.code})")
    text = CONVERSION.sub(lambda m: f"%{m[1]}{m[2]}{m[3]}{'ll' if m[4] in 'diouxX' else ''}{m[4]}", text)
    return Val(f"printf({', '.join([c_string(text), *code])})")


HANDLERS[printf] = c_printf
