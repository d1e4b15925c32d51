"""The text of a kernel file, and what a launch must know of it."""

from __future__ import annotations

import ast
import json
from dataclasses import asdict, dataclass

from .. import types as T
from .dialect import MINX
from .arrays import element_texts
from .driver import driver, letter
from .joins import join_function, parts
from .reducers import c_value, struct_format
from .results import ArrayAccumulator, TupleAccumulator
from . import shared_loops  # noqa: F401  (it adds what it translates to LOOPS)
from .scatter import ScatterRef, ScatterType
from .scan_share import check_shares
from .source import source_of
from .team import TeamRef
from .values import Accumulator, ArrayRef, Self, Spec, Unit, Val, c_name
from .translate import Translator
from ..types import BOOL, INT, Array



def kernel_name(function) -> str:
    """As messages and profiling tools show it."""
    name = function.__name__
    return "py_" + (name if name.isascii() and name.isidentifier() else "lambda")


@dataclass
class Generated:
    text: str
    name: str
    scalars: str  # a struct format, one letter for each number argument
    value: str  # a struct format: the numbers of the result
    array: str  # a NumPy type: of the elements, where the result is an array
    arrays: list  # argument numbers of the arrays, in the order of the accessors
    scatters: list  # argument numbers of the scatter views
    names: list  # of the arguments
    written: list  # argument numbers of arrays that the kernel writes

    def dumps(self) -> str:
        return json.dumps({k: v for k, v in asdict(self).items() if k != "text"})


def names_of(code) -> set:
    """The variables of a function and of those inside it."""
    inner = [names_of(c) for c in code.co_consts if isinstance(c, type(code))]
    return {*code.co_varnames, *code.co_cellvars, *code.co_freevars}.union(*inner)


def members_of(function, cls, dialect=MINX) -> tuple:
    """The attributes of self that a method, and the methods that it calls, use as numbers or arrays; where the
    dialect says so, also names without self that mean nothing else."""
    found, done, todo = [], set(), [function]
    while todo:
        f = todo.pop()
        done.add(f)
        source = source_of(f)
        me = source.tree.args.args[0].arg
        known = {*dialect.names, *names_of(source.code)}
        for n in ast.walk(source.tree):
            if dialect.members_without_self and isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and source.scope(n.id) is None and n.id not in known:
                found.append(n.id)
            if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == me:
                method = getattr(cls, n.attr, None)
                method = getattr(method, "function", method)
                if not callable(method):
                    found.append(n.attr)
                elif method not in done and hasattr(method, "__code__"):
                    todo.append(method)
    return tuple(dict.fromkeys(found))


def generate(function, spec: Spec, parameters, accumulator=None, final=None, me=None, members=()) -> tuple[Generated, Unit]:
    """parameters: the names of the kernel's arguments behind its indices. me: the object of a method."""
    source = spec.dialect.source(source_of(function))
    formal = [a.arg for a in source.tree.args.args]
    unit, names = Unit(spec, kernel_name(function)), {}
    if me is not None:
        names[formal[0]] = Val("", None, ref=Self(me))
        formal = formal[1:]
    index = "int64_t" if spec.space.endswith("_64") else "int"
    if spec.space == "TEAM":
        names[formal[0]] = Val("", None, ref=TeamRef())
        body_parameters = "mx_team *mx_t"
    else:
        for n, name in enumerate(formal[: spec.indices]):
            names[name] = Val(c_name(name), INT, nonneg=spec.nonneg)
        body_parameters = ", ".join(f"{index} mx_i{n}" for n in range(spec.indices))
    if accumulator:
        names[accumulator] = value_of(spec)
    if final:
        names[final] = Val("mx_final", BOOL)
        names["mx_final_by_hand"] = True

    def argument(name, n, t, code):
        if isinstance(t, Array):
            return Val("", None, ref=ArrayRef(code, t, n, (), name))
        if isinstance(t, ScatterType):
            return Val("", None, ref=ScatterRef(code, t, name))
        return Val(code, t)

    for n, (name, t) in enumerate(zip(parameters, spec.arguments)):
        root, dot, _ = name.partition(".")
        (unit.members if dot else names)[name] = argument(name, n, t, f"mx_a->{c_name(name)}")
        if dot:  # an attribute of an argument
            names[root] = Val("", None, ref=Self(spec.dialect.objects[root], root + "."))
    for n, name in enumerate(members, start=len(parameters)):
        unit.members[name] = argument(name, n, spec.arguments[n], f"mx_a->{c_name(name)}")
    if accumulator and not spec.array and not spec.dialect.threads_run_all:
        check_shares(source, accumulator, names, spec, bool(final))
    rebound = {n.id for n in ast.walk(source.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    copies = [name for name in parameters if name in rebound and name in names and T.is_number(names[name].type)]
    translator = Translator(unit, source, names, kernel=True, level="team" if spec.space == "TEAM" else None)
    if index == "int" and spec.space != "TEAM":
        unchanged = [(n, name) for n, name in enumerate(formal[: spec.indices]) if name not in rebound]
        translator.indices = {name: (names[name], f"mx_i{n}") for n, name in unchanged}
    body = translator.translate()
    if spec.pattern == "reduce" and not accumulator and not unit.fields:
        raise translator.error(source.tree, "a kernel of parallel_reduce returns its contribution, this one returns nothing")
    first = [f"    {translator.c_type(translator.types[name])} {c_name(name)} = mx_a->{c_name(name)};"
             for name in filter(translator.types.get, copies)]  # an argument that the kernel changes is a variable
    first += translator.hoisted
    unit.place = translator.placed([])
    if spec.space != "TEAM":
        own = [f"    {'' if name in rebound else 'const '}int64_t {c_name(name)} = mx_i{n};"
               for n, name in enumerate(formal[: spec.indices])]
        own.append("    " + "".join(f"(void){c_name(name)}; " for name in formal[: spec.indices]).rstrip())
    else:
        own = []
    body = [*translator.placed([*own, *first]), *body]
    return assemble(spec, unit, [*parameters, *members], body, body_parameters), unit


def value_of(spec):
    """What the name of a kernel's value stands for."""
    if spec.array:
        return Val("", None, ref=ArrayAccumulator())
    if spec.custom is not None and spec.custom.is_tuple:
        return Val("", None, ref=parts(TupleAccumulator, "mx_v", spec.custom))
    return Accumulator("*mx_v", None)


def items_of(spec: Spec, unit: Unit) -> str:
    """The kind of items (minx/kernel.h), chosen by the body if the kernel does not say: plain for teams and bodies with loops,
    resident_4 for loops with scattered loads (an index that was read from an array), else simd."""
    if spec.items:
        return f"MX_ITEMS_{spec.items.upper()}"
    if spec.space == "TEAM":
        return "MX_ITEMS_PLAIN"
    scattered = unit.loops and unit.indirect and spec.pattern != "scan" and not spec.array
    return "MX_ITEMS_RESIDENT_4" if scattered else "MX_ITEMS_PLAIN" if unit.loops else "MX_ITEMS_SIMD"


QUIET = """\
#if defined __CUDACC__
#pragma nv_diag_suppress 177, 550
#elif defined __GNUC__ /* what a Python function does not use is no mistake */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#endif"""


def arguments_text(spec, unit, names, arrays, numbers) -> list[str]:
    """The head of the file: headers, the types of elements, accessors and the argument struct."""
    if any(isinstance(t, ScatterType) for t in spec.arguments):
        unit.includes.add("minx/kit/scatter.h")
    out, types, accessors = [QUIET, *sorted(f"#include <{h}>" for h in unit.includes)], {}, {}
    for n in arrays:
        t, const = spec.arguments[n], n not in unit.written
        element_texts(t.element, types)
        if t.tag not in T.MINX_NUMBERS and not t.static:
            accessors[t.tag] = f"MX_ACCESSORS({t.tag}, {t.tag if isinstance(t.element, T.Struct) else T.C_TYPES[t.element]})"
        if t.static:
            accessors[t.accessor(const)] = t.declaration(const)
    for n in numbers:
        element_texts(spec.arguments[n], types)
    out += [*{**types, **unit.types}.values(), *accessors.values()]
    listed = [f"({spec.arguments[n].accessor(n not in unit.written)}, {c_name(names[n])})" for n in arrays]
    listed += [f"({t.member}, {c_name(names[n])}, MX_SCATTER_ACCESSOR)" for n, t in enumerate(spec.arguments)
               if isinstance(t, ScatterType)]
    others = [f"    {T.C_TYPES[spec.arguments[n]]} {c_name(names[n])};" for n in numbers]
    if spec.array and spec.checked:
        others.append("    int64_t mx_length;")  # of the array that the launch reduces into
    if not spec.arguments and not others:
        others = ["    char mx_none;"]
    return [*out, f"MX_ARGS({unit.name}_args, {' '.join(listed)}{',' if others else ''}", *others, ");"]


def assemble(spec, unit, names, body, body_parameters) -> Generated:
    k = unit.name
    arrays = [n for n, t in enumerate(spec.arguments) if isinstance(t, Array)]
    numbers = [n for n, t in enumerate(spec.arguments) if isinstance(t, str)]
    join = join_function(unit, spec) if spec.custom is not None else []
    out = arguments_text(spec, unit, names, arrays, numbers)
    value, fields = None, []
    if spec.pattern != "for":
        fields = list(unit.fields or [spec.value or unit.value or "i64"])
        value = c_value(k, spec, fields)
        out += value.declarations
    functions = [line for key in unit.prototypes if key in unit.functions for line in unit.functions[key][1]]
    pattern = "FOR" if value is None else "REDUCE_ARRAY" if spec.array else "SCAN" if spec.pattern == "scan" else "REDUCE"
    out.append(f"MX_DECLARE_{pattern}({spec.space}, {k}, {k}_args{', ' + value.c_type if value else ''})")
    out += [*unit.helpers.values(), *functions, *join]
    tail = "" if value is None else f", {k}_array mx_v" if spec.array else f", {value.c_type} *mx_v"
    tail += ", bool mx_final" if spec.pattern == "scan" else ""
    fault = []
    if spec.checked:
        fault = [f"    mx_fault_ *const mx_fault = {f'mx_a->{c_name(names[arrays[0]])}.fault' if arrays else 'NULL'};"]
    out += [*unit.place, f"MX_BODY void {k}_body(const {k}_args *mx_a, {body_parameters}{tail})", "{", *unit.place, "    (void)mx_a;",
            *fault, *body, "}"]
    if spec.debug or spec.checked:
        out.append('#line 1 "generated"')
    macro, what = (value.macro, f", {value.what}") if value else ("MX_FOR", "")
    out.append(f"{macro}({spec.space}, {k}{what}, {items_of(spec, unit)})")
    out += driver(spec, unit, names, arrays, numbers, value.c_type if value else None)
    scalars = "".join(letter(spec.arguments[n]) for n in numbers)
    form = "" if value is None or spec.array else struct_format(spec.reducers, fields) if spec.custom is None else \
        struct_format(["SUM"] * len(fields), fields)
    return Generated("\n".join(out) + "\n", k, scalars, form, str(T.dtype_of(fields[0])) if spec.array else "", arrays,
                     [n for n, t in enumerate(spec.arguments) if isinstance(t, ScatterType)], list(names),
                     sorted(unit.written))
