"""Expressions."""

from __future__ import annotations

import ast

import numpy as np

from .. import types as T
from .values import (ATTRIBUTES, MISSING, Accumulator, ArrayRef, Parts, Self, Shape, Val, assigned_names, c_name, const_val,
                   describe, fold, strip, wrap)
from ..types import BOOL, FLOAT, INT, Struct

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
             ast.LShift: "<<", ast.RShift: ">>"}
WORDS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
         ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
EXPRESSIONS = {
    ast.ListComp: "a list comprehension", ast.DictComp: "a dict comprehension", ast.SetComp: "a set comprehension",
    ast.GeneratorExp: "a generator", ast.Dict: "a dict", ast.Set: "a set", ast.Lambda: "a lambda", ast.JoinedStr: "an f-string",
    ast.Await: "`await`", ast.Yield: "`yield`", ast.Starred: "`*`", ast.NamedExpr: "`:=`",
}


class Expressions:
    def expr(self, node) -> Val:
        method = getattr(self, "of_" + type(node).__name__, None)
        if method is None:
            what = EXPRESSIONS.get(type(node), type(node).__name__)
            raise self.error(node, f"{what} is not supported in kernels")
        return method(node)

    def number(self, node) -> Val:
        value = self.expr(node)
        if not T.is_number(value.type):
            raise self.error(node, f"expected a number, got {describe(value)}")
        return value

    def test(self, node) -> str:
        value = self.number(node)
        return value.code if value.type == BOOL else f"({value.code} != 0)"

    def of_Constant(self, node):
        v = node.value
        if isinstance(v, (bool, int, float)):
            return const_val(v)
        if isinstance(v, str):
            return Val("", None, v, ref=v)
        raise self.error(node, f"{v!r} is not supported in kernels")

    def of_Name(self, node):
        name = node.id
        if name in self.local_refs:
            ref = self.local_refs[name]
            return ref if isinstance(ref, Val) else Val("", None, ref=ref)
        if name in self.seen_types or name in self.types and name in self.last_places:
            t = self.types.get(name) or self.seen_types.get(name)
            self.occurs(name, False)
            if name in self.renamed:
                raise self.error(node, f"{name} has no value inside this loop: its items may only add to it")
            return Val(c_name(name), t, nonneg=self.nonneg.get(name, self.seen_nonneg.get(name, False)))
        if name in self.names:
            bound = self.names[name]
            if isinstance(bound, Accumulator):
                return Val(f"({bound.code})", bound.type or self.spec.value or self.unit.value or INT)
            return bound
        place = self.source.scope(name)
        if place is None:
            if name in assigned_names(self.source.tree):
                raise self.error(node, f"{name} is read before it is assigned")
            return self.unknown_name(node)
        return self.constant_of(node, place.get(name, MISSING))

    def unknown_name(self, node):
        if self.spec.dialect.members_without_self and node.id in self.unit.members:
            return self.unit.members[node.id]
        bare = self.spec.dialect.names.get(node.id)
        if bare is None:
            raise self.error(node, f"{node.id} is not defined")
        return Val("", None, ref=bare)

    def constant_of(self, node, value):
        """What is outside of the kernel: numbers are constants of it."""
        if isinstance(value, (bool, int, float, np.generic)):
            self.unit.depends(self.source.function, ast.unparse(node), value)
            return const_val(value)
        if isinstance(value, np.ndarray):
            raise self.error(node, f"{ast.unparse(node)} is an array: pass it as an argument")
        return Val("", None, ref=value)

    def of_Attribute(self, node):
        base = self.expr(node.value)
        if isinstance(base.ref, ArrayRef):
            return self.array_attribute(node, base.ref)
        if isinstance(base.ref, Self):
            return self.member(node, base.ref)
        if isinstance(base.type, Struct):
            found = dict(base.type.fields).get(node.attr)
            if found is None:
                raise self.error(node, f"a {base.type} has {', '.join(n for n, _ in base.type.fields)}, not {node.attr}")
            return Val(f"{base.code}.{c_name(node.attr)}", found)
        if isinstance(base.ref, Parts) and node.attr in base.ref.fields:
            return base.ref[base.ref.fields.index(node.attr)]
        attribute = ATTRIBUTES.get(type(base.ref))
        if attribute is not None:
            return attribute(self, node, base.ref)
        if base.ref is None:
            raise self.error(node, f"numbers have no attribute {node.attr} in kernels")
        value = getattr(base.ref, node.attr, MISSING)
        if value is MISSING:
            raise self.error(node, f"{ast.unparse(node.value)} has no {node.attr}")
        return self.constant_of(node, value)

    def member(self, node, ref):
        """self.x: an argument of the kernel, whatever it is at the launch."""
        if node.attr in self.unit.members:
            return self.unit.members[node.attr]
        return Val("", None, ref=getattr(ref.object, node.attr))

    def array_attribute(self, node, ref):
        if node.attr == "shape":
            return Val("", None, ref=Shape(ref))
        if node.attr == "ndim":
            return const_val(ref.array.rank - len(ref.given))
        if node.attr == "size":
            terms = [f"MX_EXTENT({ref.code}, {d})" for d in range(len(ref.given), ref.array.rank)]
            return Val("(" + " * ".join(terms or ["1"]) + ")", INT, nonneg=True)
        other = self.spec.dialect.array_attribute(self, node, ref)
        if other is not None:
            return other
        raise self.error(node, f"arrays have shape, ndim and size in kernels, not {node.attr}")

    def extent(self, ref, d: int, node) -> Val:
        rank = ref.array.rank - len(ref.given)
        if not -rank <= d < rank:
            raise self.error(node, f"dimension {d} of an array of {rank}")
        return Val(f"MX_EXTENT({ref.code}, {d % rank + len(ref.given)})", INT, nonneg=True)

    def of_Subscript(self, node):
        base = self.expr(node.value)
        if isinstance(base.ref, Shape):
            d = self.number(node.slice).const
            if d is MISSING:
                raise self.error(node, "the dimension of a shape is a constant")
            return self.extent(base.ref.array, d, node)
        if isinstance(base.ref, ArrayRef):
            code, t = self.element(node)
            return code if isinstance(code, Val) else Val(code, t, nonneg=t[0] == "u" or t == BOOL)
        if isinstance(base.ref, tuple) and base.ref and T.is_number(getattr(base.ref[0], "type", None)):
            return base.ref[self.number(node.slice).const]
        if base.ref is not None:  # View1D[int] and other annotations
            try:
                return Val("", None, ref=base.ref[self.expr(node.slice).ref])
            except Exception:
                pass
        raise self.error(node, f"{ast.unparse(node.value)} is no array")

    def element(self, node, store=False):
        """A subscript as an lvalue of C and its type; or, with fewer indices than dimensions, a row."""
        base = self.expr(node.value)
        ref = base.ref
        if not isinstance(ref, ArrayRef):
            raise self.error(node, f"{ast.unparse(node.value)} is no array")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        while parts and isinstance(parts[-1], ast.Slice) and parts[-1].lower is parts[-1].upper is None:
            parts = parts[:-1]  # a[i, :] is the row a[i]
        indices = list(ref.given)
        for part in parts:
            if isinstance(part, ast.Slice):
                raise self.error(part, "a part of an array: only the whole rest of it (a[i, :]) is supported in kernels; pass "
                                       "the part as an argument")
            index = self.number(part)
            if T.is_float(index.type):
                raise self.error(part, "an index is an integer")
            if len(indices) >= ref.array.rank:
                raise self.error(node, f"{len(indices) + 1} or more indices for an {ref.array}")
            if index.const is not MISSING and index.const < 0:
                last = self.extent(ArrayRef(ref.code, ref.array), len(indices), node).code
                index = Val(f"({last} - {-index.const})", INT)
            self.note_index(part)
            indices.append(strip(index.code) if index.type != BOOL else f"(int){index.code}")
        if len(indices) < ref.array.rank:
            if store:
                raise self.error(node, f"{len(indices)} indices for an {ref.array}: assign element by element")
            row = ArrayRef(ref.code, ref.array, ref.origin, tuple(indices), ref.name)
            return Val("", None, ref=row), None
        if store and ref.origin is not None:
            self.unit.written.add(ref.origin)
        return f"MX_AT({', '.join([ref.code, *indices])})", ref.array.element

    def note_index(self, part):
        if isinstance(part, ast.BinOp):
            self.unit.offsets = True
        if any(isinstance(n, ast.Subscript) for n in ast.walk(part)) or self.loop_names and isinstance(part, ast.Name) and \
                part.id in self.seen_types:
            self.unit.indirect = True

    def of_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            return Val(f"!{wrap(self.test(node.operand))}", BOOL)
        value = self.number(node.operand)
        if value.const is not MISSING:
            return const_val({ast.USub: lambda v: -v, ast.UAdd: lambda v: +v, ast.Invert: lambda v: ~v}[type(node.op)](value.const))
        t = INT if value.type == BOOL else value.type
        if isinstance(node.op, ast.UAdd):
            return Val(value.code, t, nonneg=value.nonneg)
        if isinstance(node.op, ast.Invert):
            if T.is_float(t):
                raise self.error(node, "~ of a float")
            return Val(f"(~{self.cast(value, t)})", t)
        return Val(f"(-{self.cast(value, t)})", t)

    def of_BinOp(self, node):
        return self.binary(node, node.op, self.number(node.left), self.number(node.right))

    def binary(self, node, op, a: Val, b: Val) -> Val:
        kind = type(op)
        if kind is ast.MatMult:
            raise self.error(node, "@ is not supported in kernels")
        for v in (a, b):
            if not T.is_number(v.type):
                raise self.error(node, f"{WORDS[kind]} of {describe(v)}")
        if a.const is not MISSING and b.const is not MISSING:
            try:
                return const_val(fold(kind, a.const, b.const))
            except (ArithmeticError, ValueError, TypeError) as why:
                raise self.error(node, str(why))
        t = T.combine(a.type, b.type)
        nonneg = a.nonneg and b.nonneg
        if kind is ast.Div:
            t = t if T.is_float(t) else "f64" if t not in (INT,) else FLOAT
            return Val(f"({self.cast(a, t)} / {self.cast(b, t)})", t)
        if kind is ast.Pow:
            return self.power(node, a, b, t)
        if kind in (ast.FloorDiv, ast.Mod):
            return self.floor(kind, a, b, t, nonneg)
        if kind in (ast.BitAnd, ast.BitOr, ast.BitXor) and a.type == b.type == BOOL:
            return Val(f"({a.code} {OPERATORS[kind]} {b.code})", BOOL)
        if kind not in (ast.Add, ast.Sub, ast.Mult) and T.is_float(t):
            raise self.error(node, f"{WORDS[kind]} of a float")
        return Val(f"({self.cast(a, t)} {OPERATORS[kind]} {self.cast(b, t)})", t, nonneg=nonneg and kind is not ast.Sub)

    def floor(self, kind, a, b, t, nonneg):
        x, y = self.cast(a, t), self.cast(b, t)
        if T.is_float(t):
            suffix = "f" if t == "f32" else ""
            if kind is ast.FloorDiv:
                return Val(f"floor{suffix}({x} / {y})", t)
            return Val(f"({self.c_type(t)}){self.helper('fmod')}({x}, {y})", t)
        if nonneg or t[0] == "u":
            return Val(f"({x} {'/' if kind is ast.FloorDiv else '%'} {y})", t, nonneg=True)
        name = self.helper("floordiv" if kind is ast.FloorDiv else "mod")
        code = f"{name}({x}, {y})"
        return Val(code if t in (INT, "i64") else f"({self.c_type(t)}){code}", t, nonneg=kind is ast.Mod and b.nonneg)

    def power(self, node, a, b, t):
        n = b.const
        if n is not MISSING and isinstance(n, int) and 1 <= n <= 8:
            base = T.strong(a.type) if a.type == BOOL else a.type
            c, name = self.c_type(base), f"pow{n}_{base}"
            self.unit.helpers[name] = f"MX_BODY {c} py_{name}({c} x) {{ return {' * '.join('x' * n)}; }}"
            return Val(f"py_{name}({self.cast(a, base)})", base, nonneg=a.nonneg or n % 2 == 0)
        if T.is_float(t):
            return Val(f"pow{'f' if t == 'f32' else ''}({self.cast(a, t)}, {self.cast(b, t)})", t)
        if n is not MISSING and n < 0:
            return Val(f"pow({self.cast(a, FLOAT)}, {float(n)})", FLOAT)
        return Val(f"{self.helper('ipow')}({self.cast(a, INT)}, {self.cast(b, INT)})", t, nonneg=a.nonneg)

    def of_BoolOp(self, node):
        values = [self.number(v) for v in node.values]
        word = "&&" if isinstance(node.op, ast.And) else "||"
        if any(v.type != BOOL for v in values) and not self.spec.dialect.numbers_are_tests:
            raise self.error(node, "`and` and `or` of numbers: compare them first, as in n != 0")
        return Val("(" + f" {word} ".join(v.code if v.type == BOOL else f"({v.code} != 0)" for v in values) + ")", BOOL)

    def of_Compare(self, node):
        values = [self.number(v) for v in (node.left, *node.comparators)]
        parts = []
        for a, op, b in zip(values, node.ops, values[1:]):
            if type(op) not in COMPARE:
                raise self.error(node, f"`{ast.unparse(node)}`: only < <= > >= == != are supported in kernels")
            t = BOOL if a.type == b.type == BOOL else T.combine(a.type, b.type)
            parts.append(f"({self.cast(a, t)} {COMPARE[type(op)]} {self.cast(b, t)})")
        return Val(parts[0] if len(parts) == 1 else "(" + " && ".join(parts) + ")", BOOL)

    def of_IfExp(self, node):
        a, b = self.number(node.body), self.number(node.orelse)
        t = a.type if a.type == b.type else T.combine(a.type, b.type)
        return Val(f"({self.test(node.test)} ? {self.cast(a, t)} : {self.cast(b, t)})", t, nonneg=a.nonneg and b.nonneg)

    def of_Tuple(self, node):
        return Val("", None, ref=tuple(self.expr(e) for e in node.elts))

    of_List = of_Tuple
