"""The driver of a kernel file (#ifdef MX_DRIVER): plain functions that ctypes calls.

A call is a struct NAME_call that Python fills: the context, the numbers of the policy and of the arguments (packed by Python's
struct, 8 bytes each), the kernel's arguments with their accessors, the result, and where else the result goes.

    int64_t NAME_size(int what)                              0: bytes of a call; 1, 2: offsets of `value` and `to` in it
    mx_err NAME_bind(NAME_call *c, const mx_view *views)     makes the accessors; a view more where the result goes into one
    mx_err NAME_scatter(NAME_call *c, const mx_scatter *const *s)   binds its scatter views, if it has some
    mx_err NAME_launch(NAME_call *c)                         launches; waits for the result unless it goes into a view"""

from __future__ import annotations

from .. import types as T
from ..types import FLOAT
from .scatter import ScatterType
from .values import c_name

SLOT = {FLOAT: "double", "f64": "double", "f32": "double", "u64": "uint64_t"}  # other numbers: int64_t
ENTRY = '#define MX_PY_ENTRY __attribute__((visibility("default")))'
TARGET = """typedef struct mx_py_target { /* where a result goes */
    int64_t into, index;      /* into element `index` of a view; else the launch waits for it */
    int64_t length;           /* of an array */
    void *array;
    mx_view view;
} mx_py_target;"""


def slot(t: str, name: str) -> str:
    """Where Python packs an argument: 8 bytes, for a complex number 16."""
    return f"double {name}[2]" if T.is_complex(t) else f"{SLOT.get(t, 'int64_t')} {name}"


def letter(t: str) -> str:
    """The slot for Python's struct."""
    return "dd" if T.is_complex(t) else "?7x" if t == T.NP_BOOL else {"double": "d", "uint64_t": "Q"}.get(SLOT.get(t), "q")


def policy_members(space: str) -> str:
    """The numbers of a policy in a call, as policy.py has them."""
    if space == "TEAM":
        return "    int64_t league, size, lanes, team_bytes[2], thread_bytes[2];"
    return f"    int64_t begin[{space[0]}], end[{space[0]}], tile[{space[0]}], dynamic;"


def policy_lines(space: str, scratch=()) -> list[str]:
    """`policy`, from the numbers of a call. scratch: (level, per thread, bytes) of what the kernel asks for."""
    if space != "TEAM":
        each = lambda a: ", ".join(f"c->{a}[{n}]" for n in range(int(space[0])))
        return [f"    const mx_range_{space[0]} policy = {{c->ctx, {{{each('begin')}}}, {{{each('end')}}}, {{{each('tile')}}}, "
                "c->dynamic != 0};"]
    out = ["    mx_teams policy = mx_league(c->ctx, c->league, (int)c->size, (int)c->lanes);"]
    for level in (0, 1):
        sums = ["".join(f" + (({code} + 15) & ~(size_t)15)" for lev, own, code in scratch if lev == level and own == per)
                for per in (False, True)]
        out.append(f"    policy = mx_with_scratch(policy, {level}, (size_t)c->team_bytes[{level}]{sums[0]}, "
                   f"(size_t)c->thread_bytes[{level}]{sums[1]});")
    return out


def result_members(value: str, array: bool) -> list[str]:
    return ([] if array else [f"    {value} value __attribute__((aligned(8)));"]) + ["    mx_py_target to;"]


def launch_line(kernel: str, value: str | None, array: bool) -> str:
    if value is None:
        return f"    return {kernel}(policy, &c->args);"
    if array:
        return (f"    return c->to.into ? {kernel}_into(policy, &c->args, c->to.view)\n"
                f"                      : {kernel}(policy, &c->args, c->to.length, ({value} *)c->to.array);")
    return (f"    return c->to.into ? {kernel}_into(policy, &c->args, c->to.view, c->to.index)\n"
            f"                      : {kernel}(policy, &c->args, &c->value);")


def size_function(kernel: str, value: str | None, array: bool) -> list[str]:
    value_at = f"(int64_t)offsetof({kernel}_call, value)" if value and not array else "0"
    to_at = f"(int64_t)offsetof({kernel}_call, to)" if value else "0"
    return [f"MX_PY_ENTRY int64_t {kernel}_size(int what);", f"int64_t {kernel}_size(int what)", "{",
            f"    return what == 0 ? (int64_t)sizeof({kernel}_call) : what == 1 ? {value_at} : {to_at};", "}"]


def driver(spec, unit, names, arrays, numbers, value) -> list[str]:
    """names: of the arguments. arrays, numbers: which of them are. value: the C type of the result, or None."""
    k = unit.name
    out = ["#ifdef MX_DRIVER", ENTRY, *([TARGET] if value else []), f"typedef struct {k}_call {{", "    mx_ctx ctx;",
           policy_members(spec.space)]
    if numbers:  # in a struct of their own: their names are the user's
        out += ["    struct {", *[f"        {slot(spec.arguments[n], c_name(names[n]))};" for n in numbers],
                "    } numbers;"]
    out += [f"    {k}_args args;", *(result_members(value, spec.array) if value else []), f"}} {k}_call;"]
    out += size_function(k, value, spec.array)
    out += [f"MX_PY_ENTRY mx_err {k}_bind({k}_call *c, const mx_view *views);",
            f"mx_err {k}_bind({k}_call *c, const mx_view *views)", "{", "    (void)c;", "    (void)views;"]
    out += [f"    MX_TRY(mx_bind(c->ctx, views[{n}], &c->args.{c_name(names[a])}));" for n, a in enumerate(arrays)]
    if value:
        out.append(f"    if (c->to.into) c->to.view = views[{len(arrays)}];")
    out += ["    return MX_OK;", "}"]
    scatters = [n for n, t in enumerate(spec.arguments) if isinstance(t, ScatterType)]
    if scatters:
        out += [f"MX_PY_ENTRY mx_err {k}_scatter({k}_call *c, const mx_scatter *const *s);",
                f"mx_err {k}_scatter({k}_call *c, const mx_scatter *const *s)", "{"]
        out += [f"    MX_TRY(mx_scatter_bind(c->ctx, s[{n}], &c->args.{c_name(names[a])}));" for n, a in enumerate(scatters)]
        out += ["    return MX_OK;", "}"]
    out += [f"MX_PY_ENTRY mx_err {k}_launch({k}_call *c);", f"mx_err {k}_launch({k}_call *c)", "{"]
    if spec.array and spec.checked:
        out.append("    c->args.mx_length = c->to.length;")
    for n in numbers:
        c = T.C_TYPES[spec.arguments[n]]
        if T.is_complex(spec.arguments[n]):
            real, name = "float" if c == "pyt_c64" else "double", c_name(names[n])
            out.append(f"    c->args.{name}.re = ({real})c->numbers.{name}[0];\n    c->args.{name}.im = ({real})c->numbers.{name}[1];")
            continue
        out.append(f"    c->args.{c_name(names[n])} = {'' if c in ('int64_t', 'double') else f'({c})'}c->numbers.{c_name(names[n])};")
    if spec.space == "TEAM":
        out.append(f"    const {k}_args *const mx_a = &c->args;\n    (void)mx_a;")
    out += [*policy_lines(spec.space, unit.scratch), launch_line(k, value, spec.array), "}", "#endif"]
    return out
