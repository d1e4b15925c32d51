"""What kernels can call: functions of math and numpy, of Python itself, and those of minx that only kernels have."""

from __future__ import annotations

import ast
import builtins
import math

import numpy as np

from .. import types as T
from .values import HANDLERS, LOOPS, ArrayRef, Shape, Val, c_name, strip
from ..types import BOOL, FLOAT, INT

ONE = {  # name in C: objects in Python
    "sqrt": "sqrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
    "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "cbrt": "cbrt", "fabs": "fabs", "trunc": "trunc", "erf": "erf", "erfc": "erfc", "tgamma": "gamma", "lgamma": "lgamma",
    "asin": "asin arcsin", "acos": "acos arccos", "atan": "atan arctan", "asinh": "asinh arcsinh",
    "acosh": "acosh arccosh", "atanh": "atanh arctanh",
}
TWO = {"pow": "pow power", "fmod": "fmod", "hypot": "hypot", "atan2": "atan2 arctan2", "copysign": "copysign",
       "fmin": "fmin", "fmax": "fmax", "nextafter": "nextafter"}


def arguments(t, node, count):
    if len(node.args) != count or node.keywords:
        raise t.error(node, f"{ast.unparse(node.func)} takes {count} argument{'s' * (count > 1)} in kernels")
    return [t.number(a) for a in node.args]


def float_type(values):
    out = values[0].type
    for v in values[1:]:
        out = T.combine(out, v.type)
    return out if T.is_float(out) else FLOAT if out in (INT, BOOL) else "f64"


def call_of(c, count, nonneg=False):
    def handler(t, node, statement):
        values = arguments(t, node, count)
        type_ = float_type(values)
        suffix = "f" if type_ == "f32" else ""
        return Val(f"{c}{suffix}({', '.join(strip(t.cast(v, type_)) for v in values)})", type_, nonneg=nonneg)

    return handler


def add(handler, *objects):
    for o in objects:
        if o is not None:
            HANDLERS[o] = handler


for table, count in ((ONE, 1), (TWO, 2)):
    for c, names in table.items():
        for name in names.split():
            add(call_of(c, count, c in ("sqrt", "fabs", "exp")), getattr(math, name, None), getattr(np, name, None))


def rounding(c, to_int):
    def handler(t, node, statement):
        (value,) = arguments(t, node, 1)
        if not T.is_float(value.type):
            return value
        code = f"{c}{'f' if value.type == 'f32' else ''}({strip(value.code)})"
        return Val(f"(int64_t){code}", INT, nonneg=value.nonneg) if to_int else Val(code, value.type, nonneg=value.nonneg)

    return handler


add(rounding("floor", True), math.floor)
add(rounding("ceil", True), math.ceil)
add(rounding("rint", True), builtins.round)
add(rounding("floor", False), np.floor)
add(rounding("ceil", False), np.ceil)
add(rounding("rint", False), np.rint)


def predicate(c):
    def handler(t, node, statement):
        (value,) = arguments(t, node, 1)
        return Val(f"(bool){c}({t.cast(value, float_type([value]))})", BOOL)

    return handler


for c in ("isnan", "isinf", "isfinite"):
    add(predicate(c), getattr(math, c), getattr(np, c))


def absolute(t, node, statement):
    (value,) = arguments(t, node, 1)
    if T.is_float(value.type):
        return Val(f"fabs{'f' if value.type == 'f32' else ''}({strip(value.code)})", value.type, nonneg=True)
    code = f"{t.helper('iabs')}({strip(value.code)})"
    return Val(code if value.type in (INT, "i64") else f"({t.c_type(value.type)}){code}", value.type, nonneg=True)


add(absolute, abs, np.abs)


def extreme(c):
    def handler(t, node, statement):
        if len(node.args) < 2 or node.keywords:
            raise t.error(node, "min and max take two or more numbers in kernels")
        values = [t.number(a) for a in node.args]
        out = values[0]
        for v in values[1:]:
            type_ = T.combine(out.type, v.type)
            out = Val(f"mx_{c}({strip(t.cast(out, type_))}, {strip(t.cast(v, type_))})", type_,
                      nonneg=out.nonneg and v.nonneg or c == "max" and (out.nonneg or v.nonneg))
        return out

    return handler


add(extreme("min"), min, np.minimum)
add(extreme("max"), max, np.maximum)


def length(t, node, statement):
    value = t.expr(node.args[0])
    if isinstance(value.ref, Shape):
        return Val(str(value.ref.array.array.rank), INT, value.ref.array.array.rank, True)
    if not isinstance(value.ref, ArrayRef):
        raise t.error(node, "len of something that is no array")
    return t.extent(value.ref, 0, node)


add(length, len)


def printing(t, node, statement):
    """print(...): %g for floats, so it shows less digits than Python's."""
    text, values = [], []
    for a in node.args:
        v = t.expr(a)
        if isinstance(v.ref, str):
            text.append(v.ref.replace("%", "%%"))
        elif v.type == BOOL:
            text.append("%s")
            values.append(f'{v.code} ? "True" : "False"')
        elif T.is_number(v.type):
            text.append("%g" if T.is_float(v.type) else "%lld")
            values.append(v.code if T.is_float(v.type) else f"(long long){v.code}")
        else:
            raise t.error(a, "kernels print numbers and strings")
    return Val(f"printf({', '.join([c_string(' '.join(text) + chr(10)), *values])})")


def c_string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


add(printing, print)

# ---- functions of minx. In plain Python, for debugging, they do the same one after the other. ----


def _atomic(name, python):
    def atomic(array, index, value):
        old = array[index]
        array[index] = python(old, value)
        return old

    atomic.__name__ = atomic.__qualname__ = f"atomic_{name}"
    atomic.__doc__ = f"""{name} of array[index] and a value, atomically; gives the old value."""

    def handler(t, node, statement, array=None, index=None, value=None):
        if array is None:
            if len(node.args) != 3:
                raise t.error(node, f"atomic_{name}(array, index, value)")
            array, index, value = node.args
        place = ast.copy_location(ast.Subscript(array, index, ast.Load()), node)
        element, type_ = t.element(place, store=True)
        if type_ in ("i8", "i16", "u8", "u16", BOOL):
            raise t.error(node, f"atomics are on f64, f32, i32, i64, u32 and u64, not on {type_}")
        if T.is_float(type_) and name in ("and", "or", "xor"):
            raise t.error(node, f"atomic_{name} is on integers")
        x = t.cast(t.number(value), type_)
        if name == "exchange":
            return Val(f"{'(void)' * statement}mx_atomic_exchange(&{element}, {x})", type_)
        return Val(f"mx_atomic_{'' if statement else 'fetch_'}{name}(&{element}, {x})", type_, pure=False)

    HANDLERS[atomic] = handler
    return atomic


atomic_add = _atomic("add", lambda a, b: a + b)
atomic_sub = _atomic("sub", lambda a, b: a - b)
atomic_min = _atomic("min", min)
atomic_max = _atomic("max", max)
atomic_and = _atomic("and", lambda a, b: a & b)
atomic_or = _atomic("or", lambda a, b: a | b)
atomic_xor = _atomic("xor", lambda a, b: a ^ b)
atomic_exchange = _atomic("exchange", lambda a, b: b)


def simd(items):
    """for k in minx.simd(range(n)): the items may run in any order and at once. A host vectorises the loop, also with
    sums (s += ...), whose terms it then adds in another order."""
    return items


def unroll(items, times=4):
    """for k in minx.unroll(range(n)): the loop is unrolled, so that loads of several passes are on their way at once."""
    return items


def sums_of(t, loop):
    """The variables from outside to which a loop's items add: name -> "+", "min" or "max"."""
    found: dict = {}
    inside = {n.target.id for n in ast.walk(loop) if isinstance(n, ast.For) and isinstance(n.target, ast.Name)}
    for statement in loop.body:
        for n in ast.walk(statement):
            if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name) and isinstance(n.op, (ast.Add, ast.Sub)):
                found.setdefault(n.target.id, "+")
    outside = set()
    for name in found:
        home, _ = t.declaration(name)
        if home is not None and home in list(t.block.above()) and name not in inside:
            outside.add(name)
    return [name for name in found if name in outside]


def loop_over_simd(t, node, call):
    (items,) = call.args
    names = sums_of(t, node)
    for name in names:
        t.occurs(name, False)
    variables = [t.renamed.get(n) or c_name(n) for n in names]
    t.parallel_outside.append(list(t.block.above()))
    saved, t.renamed = t.renamed, {**t.renamed, **dict(zip(names, variables))}
    pragma = f"MX_SIMD_SUM({', '.join(variables)})" if names else "MX_SIMD"
    t.range_loop(node, items, pragma, "simd")
    t.renamed = saved
    t.parallel_outside.pop()


def loop_unrolled(t, node, call):
    times = t.number(call.args[1]).const if len(call.args) > 1 else 4
    t.line(f"MX_UNROLL({times}) MX_HOST_UNROLL({times})")
    t.range_loop(node, call.args[0])


LOOPS[simd] = loop_over_simd
LOOPS[unroll] = loop_unrolled
