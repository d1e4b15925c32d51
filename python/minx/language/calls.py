"""The functions of math, cmath, numpy and Python itself that kernels can call.

Those of numpy give a strong number, those of math a weak one, as in Python. One thing differs: math's functions of an
f32 give an f32 (in Python a float), so that a kernel of f32 stays one. NumPy's 16-bit floats, of functions of 8-bit
integers, are f32 here."""

from __future__ import annotations

import ast
import builtins
import cmath
import math

import numpy as np

from .. import types as T
from ..types import BOOL, FLOAT, INT, NP_BOOL
from .values import HANDLERS, MISSING, ArrayRef, Method, Shape, Val, as_dtype, const_val, describe, number_type, strip, wrap

ONE = {  # name in C: names in Python
    "sqrt": "sqrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2", "log10": "log10",
    "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "cbrt": "cbrt", "fabs": "fabs", "erf": "erf", "erfc": "erfc", "tgamma": "gamma", "lgamma": "lgamma",
    "asin": "asin arcsin", "acos": "acos arccos", "atan": "atan arctan", "asinh": "asinh arcsinh",
    "acosh": "acosh arccosh", "atanh": "atanh arctanh",
}
TWO = {"pow": "pow", "fmod": "fmod", "hypot": "hypot", "atan2": "atan2 arctan2", "copysign": "copysign",
       "fmin": "fmin", "fmax": "fmax", "nextafter": "nextafter"}
COMPLEX = ("sqrt", "exp", "log")


def arguments(t, node, low, high=None):
    """The numbers that a call has: low, or low to high."""
    high = high or low
    if not low <= len(node.args) <= high or node.keywords:
        count = f"{low}" if low == high else f"{low} to {high}"
        raise t.error(node, f"{ast.unparse(node.func)} takes {count} argument{'s' * (high > 1)} in kernels, got "
                            f"{len(node.args) + len(node.keywords)}")
    return t.in_order(node.args, t.number)


def add(handler, *objects):
    for o in objects:
        if o is not None:
            HANDLERS[o] = handler


def combined(values) -> str:
    out = values[0].type
    for v in values[1:]:
        out = T.combine(out, v.type)
    return out


def float_type(values, weak: bool) -> str:
    """The type in which a function of floats is computed. weak: of math."""
    out = combined(values)
    if out == "f32" or T.is_complex(out):
        return out
    if weak or out in T.WEAK:
        return FLOAT if weak else "f64"
    return "f32" if not T.is_float(out) and T.dtype_of(out).itemsize < 4 else "f64"


def call_of(c, count, weak, nonneg=False):
    def handler(t, node, statement):
        values = arguments(t, node, count)
        type_ = float_type(values, weak)
        if T.is_complex(type_):
            if c not in COMPLEX or weak:
                raise t.error(node, f"{ast.unparse(node.func)} of a complex number")
            return Val(f"{t.helper(c, type_)}({t.cast(values[0], type_)})", type_)
        suffix = "f" if type_ == "f32" else ""
        return Val(f"{c}{suffix}({', '.join(strip(t.cast(v, type_)) for v in values)})", type_, nonneg=nonneg)

    return handler


for table, count in ((ONE, 1), (TWO, 2)):
    for c, names in table.items():
        for name in names.split():
            for module in (math, np):
                add(call_of(c, count, module is math, c in ("sqrt", "fabs", "exp")), getattr(module, name, None))


def complex_call(c):
    def handler(t, node, statement):
        (value,) = arguments(t, node, 1)
        type_ = T.combine(value.type, T.COMPLEX)
        return Val(f"{t.helper(c, type_)}({t.cast(value, type_)})", type_)

    return handler


for c in COMPLEX:
    add(complex_call(c), getattr(cmath, c))


# ---- rounding, signs ----


def rounding(c, to_int, weak):
    def handler(t, node, statement):
        (value,) = arguments(t, node, 1)
        if T.is_integer(value.type) or T.is_bool(value.type):
            return Val(t.cast(value, INT), INT, value.const, value.nonneg) if to_int else value
        if T.is_complex(value.type):
            raise t.error(node, f"{ast.unparse(node.func)} of a complex number")
        code = f"{c}{'f' if value.type == 'f32' else ''}({strip(value.code)})"
        if to_int:
            return Val(f"(int64_t){code}", INT, nonneg=value.nonneg)
        return Val(code, T.strong(value.type), nonneg=value.nonneg)

    return handler


for c, name in (("floor", "floor"), ("ceil", "ceil"), ("trunc", "trunc")):
    add(rounding(c, True, True), getattr(math, name))
    add(rounding(c, False, False), getattr(np, name))
add(rounding("rint", True, True), builtins.round)
add(rounding("rint", False, False), np.rint)


def predicate(c):
    def handler(t, node, statement):
        (value,) = arguments(t, node, 1)
        type_ = float_type([value], True)
        return Val(f"({c}({strip(t.cast(value, type_))}) != 0)", BOOL)

    return handler


for c in ("isnan", "isinf", "isfinite"):
    add(predicate(c), getattr(math, c), getattr(np, c))


def absolute(t, node, statement):
    (value,) = arguments(t, node, 1)
    if T.is_complex(value.type):
        real = {"c64": "f32", "c128": "f64"}.get(value.type, FLOAT)
        return Val(f"{t.helper('abs', value.type)}({t.cast(value, value.type)})", real, nonneg=True)
    if T.is_float(value.type):
        return Val(f"fabs{'f' if value.type == 'f32' else ''}({strip(value.code)})", value.type, nonneg=True)
    if T.is_bool(value.type):
        return Val(value.code, INT if value.type == BOOL else NP_BOOL, nonneg=True)
    return Val(f"{t.helper('abs', value.type)}({strip(value.code)})", value.type, nonneg=value.type == INT)


add(absolute, abs, np.abs)


def sign(t, node, statement):
    (value,) = arguments(t, node, 1)
    if T.is_complex(value.type) or T.is_bool(value.type):
        raise t.error(node, f"sign of a {value.type}")
    return Val(f"{t.helper('sign', value.type)}({strip(t.cast(value, value.type))})", T.strong(value.type))


add(sign, np.sign)


# ---- the smaller and the larger ----


def extreme(name, weak):
    def handler(t, node, statement):
        nodes = node.args
        if len(nodes) == 1 and isinstance(nodes[0], (ast.Tuple, ast.List)):
            nodes = nodes[0].elts
        if len(nodes) < 2 or node.keywords:
            raise t.error(node, f"{ast.unparse(node.func)} takes two or more numbers in kernels: over an array write a loop, or parallel_reduce")
        values = t.in_order(nodes, t.number)
        out = values[0]
        for v, part in zip(values[1:], nodes[1:]):
            type_ = T.combine(out.type, v.type)
            if T.is_complex(type_):
                raise t.error(part, f"{ast.unparse(node.func)} of complex numbers: they have no order")
            if weak and T.is_integer(out.type) and T.is_integer(v.type):  # the result is one of them
                type_ = T.join(out.type, v.type, out.const is not MISSING, v.const is not MISSING)
                if type_ is None:
                    raise t.error(part, f"{ast.unparse(node.func)} of a {out.type} and a {v.type}: convert one of them")
            if T.is_bool(type_):
                type_ = INT
            code = f"{t.helper(name, type_)}({strip(t.cast(out, type_, part))}, {strip(t.cast(v, type_, part))})"
            any_ = out.nonneg or v.nonneg
            out = Val(code, type_, MISSING, nonneg=any_ if name in ("max", "maximum") else out.nonneg and v.nonneg,
                      pure=out.pure and v.pure)
        return out if weak else Val(out.code, T.strong(out.type), nonneg=out.nonneg, pure=out.pure)

    return handler


add(extreme("min", True), min)
add(extreme("max", True), max)
add(extreme("minimum", False), np.minimum)
add(extreme("maximum", False), np.maximum)


def clip(t, node, statement):
    x, low, high = arguments(t, node, 3)
    type_ = combined([x, low, high])
    parts = [strip(t.cast(v, type_)) for v in (x, low, high)]
    inner = f"{t.helper('maximum', type_)}({parts[0]}, {parts[1]})"
    return Val(f"{t.helper('minimum', type_)}({inner}, {parts[2]})", T.strong(type_))


add(clip, np.clip)


# ---- operators by name ----


def operator_call(op):
    def handler(t, node, statement):
        a, b = arguments(t, node, 2)
        return t.binary(node, op, a, b)

    return handler


add(operator_call(ast.Pow()), pow, np.power)
add(operator_call(ast.FloorDiv()), np.floor_divide)
add(operator_call(ast.Mod()), np.remainder)


def divide_with_rest(t, node, statement):
    a, b = [t.once(v, node) for v in arguments(t, node, 2)]
    return Val("", None, ref=(t.binary(node, ast.FloorDiv(), a, b), t.binary(node, ast.Mod(), a, b)))


add(divide_with_rest, divmod, np.divmod)


def where(t, node, statement):
    if len(node.args) != 3 or node.keywords:
        raise t.error(node, "where takes a condition and two numbers in kernels")
    a, b = t.in_order(node.args[1:], t.number)
    type_ = T.strong(T.combine(a.type, b.type))
    return Val(
        f"({t.test(node.args[0])} ? {t.cast(a, type_)} : {t.cast(b, type_)})", type_, nonneg=a.nonneg and b.nonneg
    )


add(where, np.where)


def scaled(factor):
    def handler(t, node, statement):
        (value,) = arguments(t, node, 1)
        return t.binary(node, ast.Mult(), value, const_val(factor))

    return handler


def recip(x):
    """1 / x, on cuda faster than a division. Within one unit in the last place if x and 1 / x are normal numbers, else any number or NaN. x: a
    number; the result is a float32 for a float32, else a float.

    >>> @minx.kernel
    ... def inverse_square(i, y, x):
    ...     y[i] = minx.recip(x[i] * x[i])
    >>> y = np.zeros(2)
    >>> minx.parallel_for(2, inverse_square, y, np.array([2.0, 4.0]))
    >>> y
    array([0.25  , 0.0625])
    """
    return 1 / x


def recip_call(t, node, statement):
    values = arguments(t, node, 1)
    type_ = float_type(values, True)
    if T.is_complex(type_):
        raise t.error(node, "recip of a complex number: write 1 / x")
    return Val(f"mx_recip({strip(t.cast(values[0], type_))})", type_)


add(recip_call, recip)
add(scaled(math.pi / 180), math.radians)
add(scaled(180 / math.pi), math.degrees)


def part_of_complex(name):
    def handler(t, node, statement):
        (value,) = arguments(t, node, 1)
        found = t.number_attribute(ast.copy_location(ast.Attribute(node.args[0], name, ast.Load()), node), value)
        return found.ref.call(t, node, statement) if isinstance(found.ref, Method) else found

    return handler


for name in ("real", "imag", "conjugate"):
    add(part_of_complex(name), getattr(np, name))


def angle(t, node, statement):
    (value,) = arguments(t, node, 1)
    type_ = T.combine(value.type, T.COMPLEX)
    code, c = wrap(t.cast(value, type_)), "atan2f" if type_ == "c64" else "atan2"
    return Val(f"{c}({code}.im, {code}.re)", "f32" if type_ == "c64" else "f64")


add(angle, np.angle, cmath.phase)


# ---- arrays ----


def length(t, node, statement):
    if len(node.args) != 1:
        raise t.error(node, "len takes one array")
    value = t.expr(node.args[0])
    if isinstance(value.ref, Shape):
        return const_val(value.ref.array.rank)
    if isinstance(value.ref, tuple):
        return const_val(len(value.ref))
    if isinstance(value.type, T.Struct) and value.type.kind == "tuple":
        return const_val(len(value.type.fields))
    if not isinstance(value.ref, ArrayRef):
        raise t.error(node.args[0], f"len of {describe(value)}: expected an array")
    return t.extent(value.ref, 0, node)


add(length, len)


def local(shape, dtype=float):
    """An array of zeros for one item of a kernel: in registers or on the stack. shape: an int or a tuple of ints,
    constants; at most 4096 bytes. dtype: float, int, minx.f32, numpy.int32, ... or a dtype of records. In plain Python:
    numpy.zeros.

    >>> @minx.kernel
    ... def median_of_three(i, out, x):
    ...     v = minx.local(3, float)
    ...     for k in range(3):
    ...         v[k] = x[i, k]
    ...     out[i] = v[0] + v[1] + v[2] - min(v[0], v[1], v[2]) - max(v[0], v[1], v[2])
    >>> out = np.zeros(1)
    >>> minx.parallel_for(1, median_of_three, out, np.array([[7.0, 1.0, 4.0]]))
    >>> out
    array([4.])
    """
    return np.zeros(shape, as_dtype(dtype))


def local_array(t, node, statement):
    given = {k.arg: k.value for k in node.keywords}
    kind = node.args[1] if len(node.args) > 1 else given.pop("dtype", None)
    if not node.args or len(node.args) > 2 or given:
        raise t.error(node, "local takes a shape and a type")
    shape = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else [node.args[0]]
    extents = []
    for part in shape:
        value = t.expr(part)
        values = value.ref if isinstance(value.ref, tuple) else [value]
        for v in values:
            const = getattr(v, "const", v)
            if not isinstance(const, int):
                raise t.error(
                    part, "the shape of a local array is made of constants: pass an array for one that is not"
                )
            extents.append(const)
    element = "f64"
    if kind is not None:
        ref = t.expr(kind).ref
        element = T.of_dtype(ref) if isinstance(ref, np.dtype) else number_type(ref)
        element = NP_BOOL if element == BOOL else element
        if element is None:
            raise t.error(kind, f"{ast.unparse(kind)} is no type of numbers here: float, minx.f32, numpy.int32, ...")
    if isinstance(element, T.Struct):
        from .arrays import element_texts

        element_texts(element, t.unit.types)
    return t.local_array(node, extents, element)


add(local_array, local, np.zeros, np.empty)
