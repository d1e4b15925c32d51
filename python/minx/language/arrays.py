"""Arrays in kernels: elements, rows and other parts, fields of records, local arrays.

A part of an array is no copy and no variable of C: it is the array with what is known of its indices (ArrayRef.axes).
The place of an element is an lvalue of C; who asks for it to store there says so, and the argument becomes one that the
kernel writes."""

from __future__ import annotations

import ast
import math
from dataclasses import replace

from .. import types as T
from ..types import INT, NP_BOOL, Array, FieldArray, Struct
from .constructs import ATTRIBUTES
from .values import (
    MISSING,
    WHOLE,
    ArrayRef,
    Part,
    Shape,
    Val,
    c_name,
    c_string,
    const_val,
    describe,
    is_atom,
    strip,
    wrap,
)

NEIGHBOURS = 4096  # of an index of 32 bits: INDEX_END (policy.py) leaves room for them
LOCAL_BYTES = 4096  # of one local array: more is not for registers or a GPU's stack


class Arrays:
    # ---- what arrays have ----

    def array_attribute(self, node, ref: ArrayRef) -> Val:
        if node.attr == "shape":
            return Val("", None, ref=Shape(ref))
        if node.attr == "ndim":
            return const_val(ref.rank)
        if node.attr == "size":
            return self.product_of([self.extent(ref, d, node) for d in range(ref.rank)])
        other = self.spec.dialect.array_attribute(self, node, ref)
        if other is not None:
            return other
        if isinstance(ref.array.element, Struct):
            return self.field_of_array(node, ref, node.attr)
        instead = ATTRIBUTES.get(node.attr)
        raise self.error(node, f"arrays have shape, ndim and size in kernels, not {node.attr}" + (f": {instead}" if instead else ""))

    def product_of(self, values) -> Val:
        if all(v.const is not MISSING for v in values):
            return const_val(math.prod(v.const for v in values))
        return Val("(" + " * ".join(v.code for v in values) + ")", INT, nonneg=True)

    def extent(self, ref: ArrayRef, d: int, node) -> Val:
        """The extent of dimension d of an array or a part of one."""
        if not -ref.rank <= d < ref.rank:
            raise self.error(node, f"dimension {d} of {ref}")
        return self.whole_extent(ref, ref.dimensions[d])

    def whole_extent(self, ref: ArrayRef, d: int) -> Val:
        part = ref.axes[d] if d < len(ref.axes) else WHOLE
        if isinstance(part, Part):
            return Val(part.count, INT, int(part.count) if part.count.isdigit() else MISSING, True)
        if ref.shape:
            return const_val(ref.shape[d])
        static = ref.array.static
        if d >= ref.array.rank - len(static):
            return const_val(static[d - ref.array.rank + len(static)])
        return Val(f"MX_EXTENT({ref.code}, {d})", INT, nonneg=True)

    # ---- subscripts ----

    def of_Subscript(self, node) -> Val:
        base = self.expr(node.value)
        if isinstance(base.ref, ArrayRef):
            return self.of_array(node, base.ref)
        if isinstance(base.ref, Shape):
            return self.extent(base.ref.array, self.constant_index(node, "the dimension of a shape"), node)
        if isinstance(base.type, Struct):
            return self.of_struct(node, base)
        if isinstance(base.ref, tuple):
            return self.of_tuple(node, base.ref)
        if base.ref is not None and not isinstance(base.ref, (str, list, dict)):  # View1D[int] and other annotations
            try:
                return Val("", None, ref=base.ref[self.expr(node.slice).ref])
            except Exception:
                pass
        raise self.error(node, f"{describe(base)} has no elements: `{ast.unparse(node.value)}` is no array")

    def constant_index(self, node, what) -> int:
        found = self.number(node.slice).const
        if not isinstance(found, int):
            raise self.error(node.slice, f"{what} is a constant integer")
        return found

    def of_struct(self, node, base: Val) -> Val:
        """A field of a record by its name, an element of a tuple by its number."""
        if base.type.kind == "tuple":
            n, count = self.constant_index(node, "the index of a tuple (not that of a list)"), len(base.type.fields)
            if not -count <= n < count:
                raise self.error(node.slice, f"index {n} of a {base.type}")
            return Val(f"{wrap(base.code)}.v{n % count}", base.type.fields[n][1], pure=base.pure)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if base.type.kind != "record" or not isinstance(key, str):
            raise self.error(node.slice, f"a {base.type} has fields, as in r[\"x\"] or r.x")
        return self.field(node, base, key)

    def of_tuple(self, node, values) -> Val:
        """An element of a tuple that is written in the kernel or a constant of outside of it."""
        index = self.number(node.slice)
        if isinstance(index.const, int):
            if not -len(values) <= index.const < len(values):
                raise self.error(node.slice, f"index {index.const} of a tuple of {len(values)}")
            found = values[index.const]
            return found if isinstance(found, Val) else self.constant_of(node, found)
        numbers = [v if isinstance(v, Val) else self.constant_of(node, v) for v in values]
        return self.of_array(node, self.table(node, numbers))

    def table(self, node, values) -> ArrayRef:
        """A local array with these numbers; of tuples of as many numbers each, one of two dimensions, and so on."""
        shape, numbers = self.table_of(node, values)
        if not numbers:
            raise self.error(node, "an array without elements")
        common = numbers[0].type
        for value in numbers[1:]:
            common = T.combine(common, value.type)
        element, name = T.NP_BOOL if T.is_bool(common) else T.strong(common), self.new("mx_table")
        listed = [strip(self.cast(v, element, node)) for v in numbers]
        for n in shape[::-1]:
            listed = [f"{{{', '.join(listed[k:k + n])}}}" for k in range(0, len(listed), n)]
        self.line(f"{self.c_type(element)} {name}{''.join(f'[{n}]' for n in shape)} = {listed[0]};", node)
        return ArrayRef(name, Array(element, len(shape)), shape=shape, name="a list or tuple", listed=True)

    def table_of(self, node, values) -> tuple:
        """The extents of a table, and its numbers."""
        if all(T.is_number(v.type) for v in values):
            return (len(values),), list(values)
        if not all(isinstance(v.ref, tuple) for v in values) or len({len(v.ref) for v in values}) > 1:
            wrong = next((v for v in values if not T.is_number(v.type) and not isinstance(v.ref, tuple)), None)
            found = f"a tuple with {describe(wrong)}" if wrong is not None else "a tuple whose elements have different forms"
            raise self.error(node, f"an index that is no constant, of {found}: expected numbers, or tuples of as many numbers each")
        rows = [self.table_of(node, [e if isinstance(e, Val) else self.constant_of(node, e) for e in v.ref]) for v in values]
        if len({shape for shape, _ in rows}) > 1:
            raise self.error(node, "an index that is no constant, of a tuple whose elements have different forms: expected numbers, or tuples "
                                   "of as many numbers each")
        return (len(rows), *rows[0][0]), [v for _, numbers in rows for v in numbers]

    # ---- elements and parts ----

    def of_array(self, node, ref: ArrayRef) -> Val:
        key = node.slice
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            return self.field_of_array(node, ref, key.value)
        keys = key.elts if isinstance(key, ast.Tuple) else [key]
        if isinstance(ref.array.element, FieldArray) and len(keys) > ref.rank:  # a["v"][i, 1] is a["v"][i][1]
            first, second = (
                ast.copy_location(ast.Tuple(list(k), ast.Load()), key) for k in (keys[: ref.rank], keys[ref.rank :])
            )
            inner = self.of_array(ast.copy_location(ast.Subscript(node.value, first, ast.Load()), node), ref)
            return self.of_array(ast.copy_location(ast.Subscript(node.value, second, ast.Load()), node), inner.ref)
        axes = self.axes_of(node, ref)
        part = replace(ref, axes=axes, name=f"a part of {ref.name}")
        if part.rank:
            return Val("", None, ref=part)
        return self.element_of(replace(part, name=ref.name))

    def element_of(self, ref: ArrayRef) -> Val:
        """The element of a part of no dimensions."""
        element = ref.array.element
        axes = [self.index_in(ref, d, axis) for d, axis in enumerate(ref.axes)]
        code = (
            ref.code + "".join(f"[{strip(a)}]" for a in axes) if ref.shape else f"MX_AT({', '.join([ref.code, *axes])})"
        )
        code += ref.field
        if isinstance(element, FieldArray):
            return Val(
                "",
                None,
                ref=ArrayRef(
                    code, Array(element.element, len(element.shape)), ref.origin, name=ref.name, shape=element.shape
                ),
            )
        t = NP_BOOL if T.is_bool(element) else element
        return Val(
            code, t, nonneg=t in T.UNSIGNED, origin=ref.origin, place=True, shared=ref.origin is None and not ref.shape, listed=ref.listed
        )

    def index_in(self, ref, d, axis: str) -> str:
        """An index of an array of C, checked where kernels check. Accessors check theirs themselves."""
        if not ref.shape or not self.spec.checked or axis.isdigit():
            return axis
        self.helper("index")
        text = c_string(f"index of dimension {d} of {ref.name} is not 0 to {ref.shape[d] - 1}"[:63])
        return f"PY_INDEX({axis}, {ref.shape[d]}, {text})"

    def axes_of(self, node, ref: ArrayRef) -> tuple:
        """What the axes of a part become by one more subscript."""
        keys = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        places = ref.dimensions
        dots = [n for n, k in enumerate(keys) if isinstance(k, ast.Constant) and k.value is Ellipsis]
        if len(dots) > 1:
            raise self.error(keys[dots[1]], "two `...` in one subscript")
        if dots:
            missing = len(places) - len(keys) + 1
            keys[dots[0]:dots[0] + 1] = [ast.copy_location(ast.Slice(), keys[dots[0]]) for _ in range(missing)]
        if len(keys) > len(places):
            raise self.error(node, f"{len(keys)} ind{'ices' if len(keys) > 1 else 'ex'} for {ref}")
        axes = list(ref.axes) + [WHOLE] * (ref.array.rank - len(ref.axes))
        for key, d in zip(keys, places):
            axes[d] = (
                self.sliced(key, ref, d, axes[d]) if isinstance(key, ast.Slice) else self.index(key, ref, d, axes[d])
            )
        while axes and axes[-1] is WHOLE:
            axes.pop()
        return tuple(axes)

    def index(self, key, ref: ArrayRef, d: int, axis) -> str:
        value = self.number(key)
        if not T.is_integer(value.type):
            raise self.error(key, f"an index is an integer, got a {value.type}")
        extent = self.whole_extent(ref, d)
        if (
            value.const is not MISSING
            and extent.const is not MISSING
            and not -extent.const <= value.const < extent.const
        ):
            raise self.error(key, f"index {value.const} of a dimension of {extent.const}")
        if value.const is not MISSING and value.const < 0:
            value = Val(f"({extent.code} - {-value.const})", INT) if extent.const is MISSING else const_val(
                extent.const + value.const)
        self.note_index(key)
        if not isinstance(axis, Part):
            return self.narrow(key) or strip(value.code)
        index = self.cast(value, INT)
        if self.spec.checked:
            self.helper("index")
            text = c_string(f"index of dimension {ref.dimensions.index(d)} of {ref.name} is out of bounds"[:63])
            index = f"PY_INDEX({strip(index)}, {axis.count}, {text})"
        scaled = index if axis.step == 1 else f"{wrap(index)} * {axis.step}"
        return scaled if axis.begin == "0" else f"{axis.begin} + {scaled}"

    def narrow(self, key) -> str | None:
        """A neighbour of an index of the range, `i - 1`, in the 32 bits that it has (see MX_INDEX_END): a GPU computes its address with
        fewer instructions."""
        if not isinstance(key, ast.BinOp) or not isinstance(key.left, ast.Name) or not isinstance(key.right, ast.Constant):
            return None
        name, offset, sign = key.left.id, key.right.value, {ast.Add: "+", ast.Sub: "-"}.get(type(key.op))
        value, index = self.indices.get(name, (None, None))
        if index is None or self.names.get(name) is not value or name in self.local_refs:  # an inner function may have the name, too
            return None
        if sign is None or type(offset) is not int or not 0 <= offset < NEIGHBOURS or sign == "-" and not value.nonneg:
            return None
        return f"{index} {sign} {offset}"

    def sliced(self, key: ast.Slice, ref: ArrayRef, d: int, axis):
        """begin:end:step of a dimension. Bounds are as in Python: negative ones count from the end, others are cut."""
        step = 1 if key.step is None else self.number(key.step).const
        if not isinstance(step, int) or step < 1:
            raise self.error(key.step, "the step of a slice is a constant of 1 or more in kernels")
        if key.lower is None and key.upper is None and step == 1:
            return axis
        extent = self.whole_extent(ref, d)
        begin = self.bound(key.lower, extent, Val("0", INT, 0, True))
        end = self.bound(key.upper, extent, extent)
        if all(v.const is not MISSING for v in (begin, end)):
            count = str(len(range(begin.const, end.const, step)))
        else:
            count = self.stored(f"{self.helper('count')}({strip(begin.code)}, {strip(end.code)}, {step})", key)
        if not isinstance(axis, Part):
            return Part(begin.code if begin.code.isdigit() else self.stored(begin.code, key), count, step)
        first = self.stored(f"{axis.begin} + {axis.step} * {wrap(begin.code)}", key)
        return Part(first, count, step * axis.step)

    def bound(self, node, extent: Val, default: Val) -> Val:
        if node is None:
            return default
        value = self.number(node)
        if not T.is_integer(value.type):
            raise self.error(node, f"the bounds of a slice are integers, got a {value.type}")
        if value.const is not MISSING and extent.const is not MISSING:
            return const_val(slice(value.const, None).indices(extent.const)[0])
        if value.const == 0:
            return value
        return Val(f"{self.helper('bound')}({strip(self.cast(value, INT))}, {strip(extent.code)})", INT, nonneg=True)

    def stored(self, code: str, node=None) -> str:
        """A variable that has an integer as it is now."""
        name = self.new("mx_at")
        self.line(f"const int64_t {name} = {strip(code)};", node)
        return name

    def fixed(self, ref: ArrayRef, node) -> ArrayRef:
        """The same part of an array, when what its indices are computed from has changed."""
        axes = [
            a if not isinstance(a, str) or a.isdigit() or a.startswith("mx_at_") else self.stored(a, node)
            for a in ref.axes
        ]
        return replace(ref, axes=tuple(axes))

    def note_index(self, part):
        if isinstance(part, ast.BinOp):
            self.unit.offsets = True
        if (
            any(isinstance(n, ast.Subscript) for n in ast.walk(part))
            or self.loop_names
            and isinstance(part, ast.Name)
            and part.id in self.seen_types
        ):
            self.unit.indirect = True

    # ---- fields of records ----

    def field_of_array(self, node, ref: ArrayRef, name: str) -> Val:
        """a.x or a["x"]: the array of a field of all elements."""
        record = ref.array.element
        if not isinstance(record, Struct):
            raise self.error(node, f"the elements of `{ast.unparse(node.value)}` are {record}: they have no fields")
        t = self.field_of_record(node, record, name)
        return Val(
            "",
            None,
            ref=ArrayRef(
                ref.code,
                Array(t, ref.array.rank, ref.array.layout, ref.array.static),
                ref.origin,
                ref.axes,
                ref.name,
                ref.shape,
                f"{ref.field}.{c_name(name)}",
            ),
        )

    def field_of_record(self, node, struct: Struct, name: str):
        found = dict(struct.fields).get(name)
        if found is None:
            names = ", ".join(n for n, _ in struct.fields) or "no fields"
            raise self.error(node, f"a {struct} has {names}; not {name}")
        return found

    def field(self, node, base: Val, name: str) -> Val:
        """x.name of an object or record."""
        t = self.field_of_record(node, base.type, name)
        code = f"{base.code if base.place or is_atom(base.code) else wrap(base.code)}.{c_name(name)}"
        if isinstance(t, FieldArray):
            return Val(
                "", None, ref=ArrayRef(code, Array(t.element, len(t.shape)), base.origin, name=name, shape=t.shape)
            )
        t = NP_BOOL if T.is_bool(t) and base.type.kind == "record" else t
        return Val(code, t, nonneg=t in T.UNSIGNED if isinstance(t, str) else False, pure=base.pure, origin=base.origin,
                   place=base.place)

    # ---- stores ----

    def lvalue(self, node) -> tuple:
        """A subscript or an attribute as an lvalue of C and its type; the array is one that the kernel writes."""
        value = self.expr(node)
        if isinstance(value.ref, ArrayRef):
            indices = (
                len(node.slice.elts) if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) else 1
            )
            if any(isinstance(n, ast.Slice) for n in ast.walk(node)):
                raise self.error(node, f"an assignment to {value.ref}: write a loop that assigns its elements")
            raise self.error(node, f"{indices} ind{'ices' if indices > 1 else 'ex'} for {self.base_of(node)}: "
                                   "assign element by element")
        if value.type is None or not value.place:
            raise self.error(node, f"`{ast.unparse(node)}` is not a place that a kernel can store to")
        self.private, self.listed = value.origin is None and not value.shared, value.listed
        if value.origin is not None:
            self.unit.written.add(value.origin)
        return value.code, value.type

    def base_of(self, node):
        base = self.expr(node.value) if isinstance(node, (ast.Subscript, ast.Attribute)) else None
        return base.ref if base is not None and isinstance(base.ref, ArrayRef) else "an array"

    def element(self, node, store=False):
        """A subscript as an lvalue and its type."""
        if store:
            return self.lvalue(node)
        value = self.expr(node)
        return (value, None) if value.type is None else (value.code, value.type)

    # ---- local arrays ----

    def local_array(self, node, shape, element) -> Val:
        """A new array of C, of zeros. shape: constants; element: the type of its elements."""
        total = math.prod(shape) * (element.size if isinstance(element, Struct) else T.dtype_of(element).itemsize)
        if not shape or min(shape) < 1 or total > LOCAL_BYTES:
            raise self.error(node, f"a local array of shape {shape} has {total} bytes: expected 1 to {LOCAL_BYTES}")
        name = self.new("mx_local")
        extents = "".join(f"[{n}]" for n in shape)
        self.line(
            (
                f"{self.c_type(element)} {name}{extents} = {{{'{' * (len(shape) - 1)}0{'}' * (len(shape) - 1)}}};"
                if T.is_number(element) and not T.is_complex(element)
                else f"{self.c_type(element)} {name}{extents};\n"
                + "    " * self.depth
                + f"memset({name}, 0, sizeof {name});"
            ),
            node,
        )
        return Val("", None, ref=ArrayRef(name, Array(element, len(shape)), name="a local array", shape=tuple(shape)))


def record_text(struct: Struct) -> str:
    """The C type of a record: with gaps where the dtype has them, and packed if its fields are not aligned."""
    lines, at, packed, largest = [], 0, False, 1
    for n, ((name, t), offset) in enumerate(zip(struct.fields, struct.offsets)):
        base = t.element if isinstance(t, FieldArray) else t
        shape = "".join(f"[{e}]" for e in t.shape) if isinstance(t, FieldArray) else ""
        bytes_ = base.size if isinstance(base, Struct) else T.dtype_of(base).itemsize
        align = 1 if isinstance(base, Struct) else bytes_ // 2 if T.is_complex(base) else bytes_
        packed, largest = packed or offset % align != 0, max(largest, align)
        if offset > at:
            lines.append(f"    char mx_gap{n}[{offset - at}];")
        c = base.name if isinstance(base, Struct) else T.C_TYPES[base]
        lines.append(f"    {c} {c_name(name)}{shape};")
        at = offset + bytes_ * (math.prod(t.shape) if isinstance(t, FieldArray) else 1)
    if struct.size > at:
        lines.append(f"    char mx_gap[{struct.size - at}];")
    packed = packed or struct.size % largest != 0
    attribute = "__attribute__((packed)) " if packed or any(isinstance(t, Struct) for _, t in struct.fields) else ""
    checks = [f"MX_STATIC_ASSERT(sizeof({struct.name}) == {struct.size}, \"the size of a record\");"]
    checks += [f"MX_STATIC_ASSERT(offsetof({struct.name}, {c_name(n)}) == {o}, \"the offset of {n}\");"
               for (n, _), o in zip(struct.fields, struct.offsets) if n.isascii()]
    return "\n".join([f"typedef struct {attribute}{struct.name} {{", *lines, f"}} {struct.name};", *checks])


def element_texts(element, types: dict) -> None:
    """Adds the C types that an array of these elements needs to `types`: name -> text, in the order of their use."""
    from .c_helpers import complex_text

    if isinstance(element, FieldArray):
        return element_texts(element.element, types)
    if isinstance(element, Struct):
        for _, t in element.fields:
            element_texts(t, types)
        types.setdefault(element.name, record_text(element))
    elif T.is_complex(element):
        types.setdefault(T.C_TYPES[element], complex_text(T.strong(element)))
