"""The text of a kernel file, and what a launch must know of it."""

from __future__ import annotations

import ast
import json
from dataclasses import asdict, dataclass

from .. import types as T
from .dialect import MINX
from .source import source_of
from .team import TeamRef
from .values import Accumulator, ArrayRef, Self, Spec, Unit, Val, c_name
from .translate import Translator
from ..types import BOOL, FLOAT, INT, Array

SLOT = {FLOAT: "double", "f64": "double", "f32": "double", "u64": "uint64_t"}  # other numbers: int64_t


def kernel_name(function) -> str:
    """As messages and profiling tools show it."""
    name = function.__name__
    return "py_" + (name if name.isascii() and name.isidentifier() else "lambda")


@dataclass
class Generated:
    text: str
    name: str
    scalars: str  # a struct format, one letter for each number argument
    value: list  # numpy types of the fields of the result
    arrays: list  # argument numbers of the arrays, in the order of the accessors
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
    for name in filter(None, (accumulator,)):
        names[name] = Accumulator("*mx_v")
    if final:
        names[final] = Val("mx_final", BOOL)
        names["mx_final_by_hand"] = True

    def argument(name, n, t, code):
        if isinstance(t, Array):
            return Val("", None, ref=ArrayRef(code, t, n, (), name))
        return Val(code, t)

    for n, (name, t) in enumerate(zip(parameters, spec.arguments)):
        if name.startswith("self."):  # of a lambda
            name = name[5:]
            unit.members[name] = argument(name, n, t, f"mx_a->{c_name(name)}")
            names["self"] = Val("", None, ref=Self(None))
        else:
            names[name] = argument(name, n, t, f"mx_a->{c_name(name)}")
    parameters = [name.removeprefix("self.") for name in parameters]
    for n, name in enumerate(members, start=len(parameters)):
        unit.members[name] = argument(name, n, spec.arguments[n], f"mx_a->{c_name(name)}")
    rebound = {n.id for n in ast.walk(source.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    copies = [name for name in parameters if name in rebound and name in names and T.is_number(names[name].type)]
    translator = Translator(unit, source, names, kernel=True, level="team" if spec.space == "TEAM" else None)
    body = translator.translate()
    for name in copies:  # an argument that the kernel changes is a variable
        body.insert(0, f"    {T.C_TYPES[translator.types[name]]} {c_name(name)} = mx_a->{c_name(name)};")
    if spec.space != "TEAM":
        own = [f"    {'' if name in rebound else 'const '}int64_t {c_name(name)} = mx_i{n};"
               for n, name in enumerate(formal[: spec.indices])]
        body = own + ["    " + "".join(f"(void){c_name(name)}; " for name in formal[: spec.indices]).rstrip()] + body
    return assemble(spec, unit, [*parameters, *members], body, body_parameters), unit


def items_of(spec: Spec, unit: Unit) -> str:
    if spec.items:
        return f"MX_ITEMS_{spec.items.upper()}"
    return "MX_ITEMS_PLAIN" if spec.space == "TEAM" or unit.loops else "MX_ITEMS_SIMD"


def assemble(spec, unit, names, body, body_parameters) -> Generated:
    k = unit.name
    arrays = [n for n, t in enumerate(spec.arguments) if isinstance(t, Array)]
    numbers = [n for n, t in enumerate(spec.arguments) if not isinstance(t, Array)]
    out = []
    for t in sorted({a.element for a in (spec.arguments[n] for n in arrays)} - set(T.MINX_NUMBERS) - {BOOL}):
        out.append(f"MX_ACCESSORS({t}, {T.C_TYPES[t]})")
    listed = " ".join(f"({spec.arguments[n].accessor(n not in unit.written)}, {c_name(names[n])})" for n in arrays)
    others = [f"    {T.C_TYPES[spec.arguments[n]]} {c_name(names[n])};" for n in numbers]
    if not spec.arguments:
        others = ["    char mx_none;"]
    out += [f"MX_ARGS({k}_args, {listed}{','if others else ''}", *others, ");"]
    value = fields = None
    if spec.pattern != "for":
        fields = unit.fields or [spec.value or unit.value or "i64"]
        fields = ["i64" if f == BOOL else f for f in fields]
        value = T.C_TYPES[fields[0]]
        if len(fields) > 1:
            rows = " ".join(f"FIELD({T.C_TYPES[f]}, v{n}, MX_{r})" for n, (f, r) in enumerate(zip(fields, spec.reducers)))
            out += [f"#define {k}_fields(FIELD) {rows}", f"MX_VALUE({k}_value, {k}_fields)"]
            value = f"{k}_value"
    pattern = "SCAN" if spec.pattern == "scan" else "REDUCE" if value else "FOR"
    out.append(f"MX_DECLARE_{pattern}({spec.space}, {k}, {k}_args{', ' + value if value else ''})")
    out += unit.helpers.values()
    for key in unit.prototypes:
        if key in unit.functions:
            out += unit.functions[key][1]
    tail = "" if value is None else f", {value} *mx_v"
    tail += ", bool mx_final" if spec.pattern == "scan" else ""
    out += [f"MX_BODY void {k}_body(const {k}_args *mx_a, {body_parameters}{tail})", "{",
            "    (void)mx_a;", *body, "}"]
    if spec.debug:
        out.append('#line 1 "generated"')
    trait = items_of(spec, unit)
    if spec.pattern == "for":
        out.append(f"MX_FOR({spec.space}, {k}, {trait})")
    elif len(fields) > 1:
        out.append(f"MX_REDUCE_FIELDS({spec.space}, {k}, {k}_fields, {trait})")
    else:
        out.append(f"MX_{pattern}({spec.space}, {k}, MX_{spec.reducers[0]}, {trait})")
    out += driver(spec, unit, names, arrays, numbers, value)
    scalars = "".join({"double": "d", "uint64_t": "Q"}.get(SLOT.get(spec.arguments[n]), "q") for n in numbers)
    return Generated("\n".join(out) + "\n", k, scalars, [str(T.dtype_of(f)) for f in fields] if fields else [], arrays,
                     list(names), sorted(unit.written))


def driver(spec, unit, names, arrays, numbers, value) -> list[str]:
    """What Python calls. NAME_call begins with numbers that struct.pack writes."""
    k, d = unit.name, spec.indices
    out = ["#ifdef MX_DRIVER", f"typedef struct {k}_call {{", "    mx_ctx ctx;"]
    out.append("    int64_t league, size, lanes;" if spec.space == "TEAM" else
               f"    int64_t begin[{d}], end[{d}], tile[{d}], dynamic;")
    out += [f"    {SLOT.get(spec.arguments[n], 'int64_t')} {c_name(names[n])};" for n in numbers]
    out.append(f"    {k}_args args;")
    if value:
        out.append(f"    {value} value __attribute__((aligned(8)));")
    out += [f"}} {k}_call;", '#define MX_PY_ENTRY __attribute__((visibility("default")))',
            f"MX_PY_ENTRY int64_t {k}_size(int what);",
            f"MX_PY_ENTRY mx_err {k}_bind({k}_call *c, const mx_view *views);",
            f"MX_PY_ENTRY mx_err {k}_launch({k}_call *c);",
            f"int64_t {k}_size(int what)", "{",
            f"    return what == 0 ? (int64_t)sizeof({k}_call) : "
            + (f"(int64_t)offsetof({k}_call, value);" if value else "0;"), "}",
            f"mx_err {k}_bind({k}_call *c, const mx_view *views)", "{", "    (void)c;", "    (void)views;"]
    out += [f"    MX_TRY(mx_bind(c->ctx, views[{n}], &c->args.{c_name(names[a])}));" for n, a in enumerate(arrays)]
    out += ["    return MX_OK;", "}", f"mx_err {k}_launch({k}_call *c)", "{"]
    for n in numbers:
        t, name = spec.arguments[n], c_name(names[n])
        out.append(f"    c->args.{name} = " + (f"({T.C_TYPES[t]})" if T.C_TYPES[t] not in ("int64_t", "double") else "") +
                   f"c->{name};")
    if spec.space == "TEAM":
        out.append("    mx_teams policy = mx_league(c->ctx, c->league, (int)c->size, (int)c->lanes);")
        out.append(f"    const {k}_args *const mx_a = &c->args;\n    (void)mx_a;")
        for level in (0, 1):
            sums = [" + ".join(f"(({code} + 15) & ~(size_t)15)" for lev, own, code in unit.scratch
                               if lev == level and own == per) or "0" for per in (False, True)]
            if sums != ["0", "0"]:
                out.append(f"    policy = mx_with_scratch(policy, {level}, {sums[0]}, {sums[1]});")
    else:
        each = lambda a: ", ".join(f"c->{a}[{n}]" for n in range(d))
        out.append(f"    const mx_range_{d} policy = {{c->ctx, {{{each('begin')}}}, {{{each('end')}}}, {{{each('tile')}}}, "
                   "c->dynamic != 0};")
    result = ", &c->value" if value else ""
    out += [f"    return {k}(policy, &c->args{result});", "}", "#endif"]
    return out
