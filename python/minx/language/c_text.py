"""Kernels written in C: what a kernel file defines, and the driver that Python calls.

The file is preprocessed as its dispatch unit, so that macros of the file's own may define structs and kernels, too. What the
core's macros make of them is then found in the text: each kernel (NAME__kernel), the struct of its arguments (NAME__args), the
list of its accessors (the table of MX_ARGS), and the struct's other members, which are numbers, arrays of numbers and structs of
such."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field

from .driver import ENTRY, TARGET, launch_line, policy_lines, policy_members, result_members, size_function

PATTERNS = {"FOR_": "for", "REDUCE_": "reduce", "ARRAY_": "reduce", "SCAN_": "scan"}
LOCATION = re.compile(r"mx_(minmaxloc|loc)_(f64|f32|i32|i64)$")


class CTextError(Exception):
    """The text of a kernel file has something that Python cannot fill or call."""


@dataclass
class Leaf:
    """A number in a struct: its path ("lj.one.sigma6"), and its extents, () for one number."""

    path: str
    shape: tuple = ()

    @property
    def elements(self) -> list[str]:
        out = [self.path]
        for n in self.shape:
            out = [f"{code}[{i}]" for code in out for i in range(n)]
        return out


@dataclass
class CKernelText:
    """A kernel of a file."""

    name: str
    pattern: str  # for, reduce, scan
    space: str  # 1D, ..., 6D_64, TEAM
    args: str  # the struct of its arguments
    array: bool  # it reduces into an array
    value: str | None  # the C type of its value
    accessors: list = field(default_factory=list)  # paths in the struct
    leaves: list = field(default_factory=list)  # its other members
    value_leaves: list = field(default_factory=list)  # of a value that is a struct

    def dumps(self) -> dict:
        return asdict(self)

    @classmethod
    def loads(cls, made: dict) -> "CKernelText":
        leaves = {k: [Leaf(leaf["path"], tuple(leaf["shape"])) for leaf in made[k]] for k in ("leaves", "value_leaves")}
        return cls(**{**made, **leaves})


def find_kernels(text: str) -> list[CKernelText]:
    """The kernels that a preprocessed file defines, in their order."""
    declared = {}
    for name, pattern, space in re.findall(r'__kernel __asm__\("(\w+)" "__declared_as_" "(\w+_)" "(\w+)"\)', text):
        declared[name] = pattern, space
    out = []
    for name in re.findall(r"\bconst mx_kernel (\w+)__kernel = \{", text):
        pattern, space = declared[name]
        args = re.search(rf"typedef (\w+) {name}__args;", text)[1]
        value = None
        if pattern != "FOR_":
            value = re.search(rf"typedef ([\w ]+?) {name}__value;", text)[1]
        kernel = CKernelText(name, PATTERNS[pattern], space, args, pattern == "ARRAY_", value)
        kernel.accessors = accessors_of(text, args)
        kernel.leaves = [leaf for leaf in leaves_of(text, args) if not inside(leaf.path, kernel.accessors)]
        if value is not None and struct_body(text, value) is not None:
            kernel.value_leaves = leaves_of(text, value)
        out.append(kernel)
    return out


def inside(path: str, accessors) -> bool:
    return any(path == a or path.startswith(f"{a}.") for a in accessors)


def accessors_of(text: str, args: str) -> list[str]:
    """The accessors of an argument struct, by its table."""
    begin = text.index(f"{args}__table(void)")
    table = text[begin:text.index("return &table;", begin)]
    return re.findall(r"offsetof\s*\(args_, ([\w.\[\]]+)\)", table)


def struct_body(text: str, name: str) -> str | None:
    """The members of a struct, or None if it is no struct of the text."""
    tag = name.removeprefix("struct ").strip()
    found = re.search(rf"\bstruct {re.escape(tag)}\s*(?:__attribute__\s*\(\([^)]*\)\)\s*)?\{{", text)
    if found is None:
        return None
    depth, at = 1, found.end()
    while depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return text[found.end():at - 1]


def leaves_of(text: str, struct: str, prefix="") -> list[Leaf]:
    """The numbers in a struct, and in the structs in it."""
    out = []
    for type_, name, shape in members_of(text, struct):
        path = prefix + name
        if type_.endswith("*") or "(" in type_:
            raise CTextError(f"member {path} of {struct} is a pointer: Python fills accessors and numbers only")
        if struct_body(text, type_) is None:
            out.append(Leaf(path, shape))
        elif not is_accessor(text, type_):
            if shape:
                raise CTextError(f"member {path} of {struct} is an array of structs: Python fills structs and arrays of numbers")
            out += leaves_of(text, type_, f"{path}.")
        else:
            out.append(Leaf(path))  # one of the list, which is taken out by its name
    return out


def is_accessor(text: str, type_: str) -> bool:
    body = struct_body(text, type_)
    return "stamp" in body and "data" in body


def members_of(text: str, struct: str):
    """(type, name, extents) for each member."""
    for declaration in struct_body(text, struct).split(";"):
        declaration = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", declaration).strip()
        if not declaration:
            continue
        if "{" in declaration:
            raise CTextError(f"struct {struct} has a struct without a name inside: give it one")
        first, *others = re.split(r",(?![^\[]*\])", declaration)
        found = re.fullmatch(r"(.*?[\s*])(\w+)((?:\s*\[[^\]]*\])*)", first.strip(), re.S)
        if found is None:
            raise CTextError(f"struct {struct}: `{' '.join(declaration.split())}` is no member of a simple type")
        type_ = re.sub(r"\b(const|volatile)\b", "", found[1]).strip()
        for name in (first[len(found[1]):] if first.strip() == first else found[2] + found[3], *others):
            name = name.strip()
            word = re.match(r"\**\s*(\w+)", name)
            yield (type_ + "*" * name.count("*"), word[1],
                   tuple(extent(text, e) for e in re.findall(r"\[([^\]]*)\]", name)))


def extent(text: str, code: str) -> int:
    """An extent of an array: an integer, or a constant of an enum."""
    code = code.strip()
    found = re.search(rf"\b{re.escape(code)}\s*=\s*(\d+)\s*[,}}]", text) if not code.isdigit() else None
    if not code.isdigit() and found is None:
        raise CTextError(f"the extent [{code}] is no integer and no constant of an enum")
    return int(found[1] if found else code)


# ---- the driver ----

KINDS = """typedef union mx_py_slot { int64_t i; uint64_t u; double d; } mx_py_slot;
#define MX_PY_KIND(x) _Generic((x), double: 'd', float: 'd', uint64_t: 'Q', default: 'q')
#define MX_PY_SET(to, from) ((to) = _Generic((to), double: (from).d, float: (float)(from).d, uint64_t: (from).u, default: (from).i))
/* letters of NumPy's types */
#define MX_PY_LETTER(x) _Generic((x), double: 'd', float: 'f', int8_t: 'b', uint8_t: 'B', int16_t: 'h', uint16_t: 'H', int32_t: 'i', \\
                                 uint32_t: 'I', int64_t: 'q', uint64_t: 'Q', bool: '?', default: '-')"""


def driver(kernels) -> str:
    """Behind the file: for each kernel a bind, a launch, and descriptions of its numbers."""
    out = ["", "#ifdef MX_DRIVER", '#line 1 "driver"', ENTRY, TARGET, KINDS]
    for k in kernels:
        out += kernel_driver(k)
    return "\n".join([*out, "#endif", ""])


def table(kernel: str, what: str, type_: str, rows) -> list[str]:
    """NAME_what: an array that Python reads."""
    return [f"extern MX_PY_ENTRY const {type_} {kernel}_{what}[];",
            f"const {type_} {kernel}_{what}[] = {{{', '.join([*rows, '0'])}}};"]


def kernel_driver(k: CKernelText) -> list[str]:
    slots = [e for leaf in k.leaves for e in leaf.elements]
    member = lambda struct, path: f"((({struct} *)0)->{path})"
    out = [f"typedef struct {k.name}_call {{", "    mx_ctx ctx;", policy_members(k.space)]
    out += [f"    mx_py_slot slot[{len(slots)}];"] * bool(slots)
    out += [f"    {k.args} args;", *(result_members(k.value, k.array) if k.value else []), f"}} {k.name}_call;"]
    out += size_function(k.name, k.value, k.array)
    out += table(k.name, "kinds", "char", [f"MX_PY_KIND({member(k.args, e)})" for e in slots])
    if k.value:
        paths = [e for leaf in k.value_leaves for e in leaf.elements]
        letters = [f"MX_PY_LETTER({member(k.value, p)})" for p in paths] or [f"MX_PY_LETTER(*({k.value} *)0)"]
        out += table(k.name, "letters", "char", letters)
        out += table(k.name, "offsets", "int64_t", [f"offsetof({k.value}, {p})" for p in paths] or ["0"])
    out += [f"MX_PY_ENTRY mx_err {k.name}_bind({k.name}_call *c, const mx_view *views);",
            f"mx_err {k.name}_bind({k.name}_call *c, const mx_view *views)", "{", "    (void)c;", "    (void)views;"]
    out += [f"    MX_TRY(mx_bind(c->ctx, views[{n}], &c->args.{path}));" for n, path in enumerate(k.accessors)]
    out += [f"    if (c->to.into) c->to.view = views[{len(k.accessors)}];"] * bool(k.value)
    out += ["    return MX_OK;", "}", f"MX_PY_ENTRY mx_err {k.name}_launch({k.name}_call *c);",
            f"mx_err {k.name}_launch({k.name}_call *c)", "{"]
    out += [f"    MX_PY_SET(c->args.{e}, c->slot[{n}]);" for n, e in enumerate(slots)]
    return [*out, *policy_lines(k.space), launch_line(k.name, k.value, k.array), "}"]
