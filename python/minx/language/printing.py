"""print(...) of kernels: printf of C.

Floats without a format have 6 digits (%g), less than Python's. Items print in any order."""

from __future__ import annotations

import ast
import re

from .. import types as T
from .values import HANDLERS, Val, c_string, describe, wrap

FORMAT = re.compile(r"([-+ 0<>]?)(\d*)((?:\.\d+)?)([dxXofFeEgG]?)")


def of_value(t, node, spec="") -> tuple[str, list]:
    """The format and the arguments of printf for one expression; spec: Python's format, as in f"{x:.3f}"."""
    v = t.expr(node)
    if isinstance(v.ref, str):
        return v.ref.replace("%", "%%"), []
    found = FORMAT.fullmatch(spec)
    if found is None:
        raise t.error(node, f"the format {spec}: expected width, precision and one of d x o f e g, as in 8.3f")
    flag, width, precision, kind = found.groups()
    head = "%" + flag.replace("<", "-").replace(">", "") + width + precision
    if T.is_bool(v.type) and not kind:
        return "%s", [f'{v.code} ? "True" : "False"']
    if T.is_complex(v.type):
        code = wrap(t.cast(v, v.type))
        return f"({head}{kind or 'g'}%+{precision}{kind or 'g'}j)", [f"(double){code}.re", f"(double){code}.im"]
    if T.is_float(v.type) or kind and kind in "fFeEgG" and T.is_number(v.type):
        if kind and kind in "dxXo":
            raise t.error(node, f"the format {spec} of a {v.type}")
        return head + (kind or "g"), [f"(double){wrap(v.code)}"]
    if T.is_number(v.type):
        unsigned = v.type in T.UNSIGNED
        return head + "ll" + (kind.replace("d", "") or ("u" if unsigned else "d")), [
            f"({'unsigned long long' if unsigned else 'long long'}){wrap(v.code)}"]
    raise t.error(node, f"print of {describe(v)}: kernels print numbers and strings")


def of_f_string(t, node) -> tuple[str, list]:
    text, values = "", []
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += part.value.replace("%", "%%")
            continue
        if part.conversion != -1:
            raise t.error(part.value, "a conversion, as !r, in an f-string")
        spec = ""
        if part.format_spec is not None:
            if not all(isinstance(s, ast.Constant) for s in part.format_spec.values):
                raise t.error(part.value, "a format that is not a constant")
            spec = "".join(s.value for s in part.format_spec.values)
        more, listed = of_value(t, part.value, spec)
        text, values = text + more, values + listed
    return text, values


def printing(t, node, statement):
    words = {"sep": " ", "end": "\n"}
    for k in node.keywords:
        if k.arg not in words or not (isinstance(k.value, ast.Constant) and isinstance(k.value.value, str)):
            raise t.error(k.value, "print takes sep=... and end=..., constant strings, in kernels")
        words[k.arg] = k.value.value
    parts, values = [], []
    for a in node.args:
        text, listed = of_f_string(t, a) if isinstance(a, ast.JoinedStr) else of_value(t, a)
        parts.append(text)
        values += listed
    text = words["sep"].replace("%", "%%").join(parts) + words["end"].replace("%", "%%")
    return Val(f"printf({', '.join([c_string(text), *values])})")


HANDLERS[print] = printing
