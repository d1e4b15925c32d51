"""The join of a minx.Reducer, as a function of C."""

from __future__ import annotations

import ast

from .. import types as T
from .source import source_of
from .translate import Translator
from .values import Parts, Val, c_name, strip


def join_function(unit, spec) -> list[str]:
    """void NAME_join(value *into, const value *v): the Python function, whose result is stored in *into."""
    reducer, k = spec.custom, unit.name
    source = source_of(reducer.join)
    formal = [a.arg for a in source.tree.args.args]
    if len(formal) != 2:
        raise source.error(source.tree, "a join takes two values")
    c_type = f"{k}_value" if reducer.is_tuple else T.C_TYPES[reducer.types[0]]
    names, lines = {}, []
    for name, code in zip(formal, ("into", "v")):
        if reducer.is_tuple:
            names[name] = Val("", None, ref=parts(Parts, f"mx_{code}", reducer))
        else:
            names[name] = Val(c_name(name), reducer.types[0])
            lines.append(f"    {c_type} {c_name(name)} = *mx_{code};")
    inner = Translator(unit, source, names, kernel=False)
    inner.on_return = lambda node: store(inner, node, reducer)
    body = inner.translate()
    head = f"MX_BODY void {k}_join({c_type} *mx_into, const {c_type} *mx_v)"
    fault = ["    mx_fault_ *const mx_fault = NULL;", "    (void)mx_fault;"] * spec.checked
    return [*inner.placed([]), head, "{", *inner.placed([*fault, *lines]), *body, "}"]


def parts(cls, code, reducer):
    """The numbers of a value that a pointer of C points to."""
    out = cls(Val(f"{code}->v{n}", t) for n, t in enumerate(reducer.types))
    out.fields = getattr(reducer.init, "_fields", ())
    return out


def store(t, node, reducer):
    """`return a, b`: all parts are computed before the first is stored."""
    if node.value is None:
        raise t.error(node, "a join returns the joined value")
    values = t.parts_of(node.value)
    if len(values) != len(reducer.types) or not all(T.is_number(p.type) for p in values):
        raise t.error(node, f"a join returns {len(reducer.types)} numbers, as the Reducer's init has")
    t.line("{")
    names = [t.new("mx_part") for _ in values]
    for value, type_, name in zip(values, reducer.types, names):
        t.line(f"    const {t.c_type(type_)} {name} = {strip(t.cast(value, t.keeps_fractions(node, value, type_), node))};", node)
    for n, name in enumerate(names):
        t.line(f"    mx_into->v{n} = {name};" if reducer.is_tuple else f"    *mx_into = {name};")
    t.line("    return;")
    t.line("}")
