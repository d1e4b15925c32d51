"""Expressions: names, attributes, conditions. Operators are in arithmetic.py, subscripts in arrays.py, calls in
functions.py."""

from __future__ import annotations

import ast
import types as pytypes

import numpy as np

from .. import types as T
from ..types import BOOL, INT, Struct
from .constructs import EXPRESSIONS, say
from .source import behind
from .values import (
    ATTRIBUTES,
    MISSING,
    Accumulator,
    ArrayRef,
    Method,
    Parts,
    Self,
    Val,
    assigned_names,
    c_name,
    const_val,
    describe,
    strip,
    wrap,
)

class Expressions:
    def expr(self, node) -> Val:
        method = getattr(self, "of_" + type(node).__name__, None)
        if method is None:
            raise self.error(node, say(EXPRESSIONS, node))
        return method(node)

    def number(self, node) -> Val:
        value = self.expr(node)
        if not T.is_number(value.type):
            raise self.error(node, f"expected a number, got {describe(value)}")
        return value

    def of_Constant(self, node):
        v = node.value
        if isinstance(v, int) and not -(2**63) <= v < 2**64:
            raise self.error(node, "a number of more than 64 bits: integers of kernels have 64")
        if isinstance(v, (bool, int, float, complex)):
            return const_val(v)
        if isinstance(v, str):
            return Val("", None, v, ref=v)
        raise self.error(node, f"{v!r} is not supported in kernels: they have numbers")

    # ---- names ----

    def of_Name(self, node):
        name = node.id
        if name in self.local_refs:
            ref = self.local_refs[name]
            return ref if isinstance(ref, Val) else Val("", None, ref=ref)
        if name in self.seen_types or name in self.types and name in self.last_places:
            t = self.types.get(name) or self.seen_types.get(name)
            self.occurs(name, False)
            if name in self.scanned:
                return Val(self.scanned[name], t)
            if name in self.renamed:
                raise self.error(node, f"{name} has no value inside this loop: its items may only add to it")
            return Val(c_name(name), t, nonneg=self.nonneg.get(name, self.seen_nonneg.get(name, False)),
                       place=isinstance(t, Struct) and t.kind != "tuple")
        if name in self.names:
            bound = self.names[name]
            if isinstance(bound, Accumulator):
                return Val(f"({bound.code})", bound.type or self.spec.value or self.unit.value or INT)
            return bound
        place = self.source.scope(name)
        if name in assigned_names(self.source.tree):
            raise self.error(node, f"{name} is read before it is assigned")
        if place is None:
            return self.unknown_name(node)
        return self.constant_of(node, place.get(name, MISSING), (self.source.function, name))

    def unknown_name(self, node):
        if self.spec.dialect.members_without_self and node.id in self.unit.members:
            return self.unit.members[node.id]
        bare = self.spec.dialect.names.get(node.id)
        if bare is None:
            raise self.error(node, f"{node.id} is not defined")
        return Val("", None, ref=bare)

    def constant_of(self, node, value, outside=None):
        """What is outside of the kernel: numbers, and tuples of them, are constants of it. outside: (function, expression), None for an
        element of a tuple, which is known as a whole."""
        if value is MISSING:
            raise self.error(node, f"{ast.unparse(node)} has no value yet")
        if isinstance(value, (bool, int, float, complex, np.generic)):
            if outside is not None:
                self.unit.depends(*outside, value)
            if isinstance(value, int) and not -(2**63) <= value < 2**64:
                raise self.error(node, f"{ast.unparse(node)} has more than 64 bits: integers of kernels have 64")
            if isinstance(value, np.generic) and not T.is_number(T.of_dtype(value.dtype)):
                raise self.error(node, f"{ast.unparse(node)} is a {value.dtype}: kernels do not have this type")
            return const_val(value)
        if (hasattr(value, "__array__") or hasattr(value, "__cuda_array_interface__")) and not isinstance(value, type):
            raise self.error(node, f"{ast.unparse(node)} is an array of outside: pass it as an argument")
        if isinstance(value, (list, dict, set)):
            raise self.error(
                node,
                f"{ast.unparse(node)} is a {type(value).__name__} of outside, which may change: "
                + ("pass an array, or make it a tuple" if isinstance(value, list) else "pass what the kernel needs as arguments"),
            )
        if outside is not None and (isinstance(value, tuple) or callable(value)):
            self.unit.depends(*outside, behind(value))
        return Val("", None, ref=value, outside=outside)

    # ---- attributes ----

    def of_Attribute(self, node):
        base = self.expr(node.value)
        if isinstance(base.ref, ArrayRef):
            return self.array_attribute(node, base.ref)
        if isinstance(base.ref, Self):
            return self.member(node, base.ref)
        if isinstance(base.type, Struct):
            attribute = ATTRIBUTES.get(base.type.kind)
            if attribute is not None:
                return attribute(self, node, base)
            return self.method_of_struct(node, base) or self.field(node, base, node.attr)
        if isinstance(base.ref, Parts) and node.attr in base.ref.fields:
            return base.ref[base.ref.fields.index(node.attr)]
        attribute = ATTRIBUTES.get(type(base.ref))
        if attribute is not None:
            return attribute(self, node, base.ref)
        if base.ref is None:
            return self.number_attribute(node, base)
        value = getattr(base.ref, node.attr, MISSING)
        if value is MISSING:
            raise self.error(node, f"{ast.unparse(node.value)} has no {node.attr}")
        return self.constant_of(node, value, base.outside and (base.outside[0], f"{base.outside[1]}.{node.attr}"))

    def number_attribute(self, node, base: Val) -> Val:
        """z.real, z.imag, z.conjugate() of numbers."""
        if not T.is_number(base.type) or node.attr not in ("real", "imag", "conjugate", "conj"):
            raise self.error(node, f"{describe(base)} has no attribute {node.attr} in kernels")
        if node.attr in ("conjugate", "conj"):
            return Val("", None, ref=Method(lambda t, call, statement: t.conjugate(base)))
        if not T.is_complex(base.type):
            return base if node.attr == "real" else const_val(0)
        real = {"c64": "f32", "c128": "f64"}.get(base.type, "float")
        return Val(f"{wrap(self.cast(base, base.type))}.{'re' if node.attr == 'real' else 'im'}", real, pure=base.pure)

    def conjugate(self, value: Val) -> Val:
        if not T.is_complex(value.type):
            return value
        return Val(f"{self.helper('conj', value.type)}({self.cast(value, value.type)})", value.type)

    def member(self, node, ref):
        """self.x: an argument of the kernel, whatever it is at the launch."""
        name = ref.path + node.attr
        if name in self.unit.members:
            return self.unit.members[name]
        if name in self.spec.dialect.objects:
            return Val("", None, ref=Self(self.spec.dialect.objects[name], name + "."))
        found = getattr(ref.object, node.attr, MISSING)
        if found is MISSING:
            raise self.error(node, f"{ast.unparse(node.value)} has no {node.attr}")
        function = getattr(found, "function", found)
        if self.spec.dialect.handler(function) is not None:
            return Val("", None, ref=function)
        if ref.path and isinstance(function, pytypes.FunctionType):
            return Val("", None, ref=Method(lambda t, call, statement: t.user_function(call, function, bound=ref)))
        return Val("", None, ref=found)

    # ---- operators ----

    def of_UnaryOp(self, node):
        if isinstance(node.op, ast.Not):
            return Val(f"!{wrap(self.test(node.operand))}", BOOL)
        return self.unary(node, node.op, self.number(node.operand))

    def of_BinOp(self, node):
        return self.binary(node, node.op, *self.in_order([node.left, node.right]))

    def of_Compare(self, node):
        for op in node.ops:
            self.comparison(node, op)
        values = self.in_order([node.left, *node.comparators], self.number)
        values[1:-1] = [self.once(v, n) for v, n in zip(values[1:-1], node.comparators)]
        parts = [self.compare(node, op, a, b) for a, op, b in zip(values, node.ops, values[1:])]
        if len(parts) == 1:
            return parts[0]
        t = BOOL if all(p.type == BOOL for p in parts) else T.NP_BOOL
        return Val("(" + " && ".join(p.code for p in parts) + ")", t)

    def ordered(self, value: Val, node, statement) -> Val:
        """A value whose computation changes something: C may evaluate operands in any order, Python does from left to
        right."""
        if not statement and value.effects and self.guard():
            raise self.error(node, f"`{ast.unparse(node)}` stores something and gives a value: the body of a scan runs twice for an "
                                   "index, and stores only the second time. Write a statement of its own that stores, or give the kernel "
                                   "one parameter more, which is whether it may store")
        if statement or self.conditional or value.type is None or value.effects and self.orders():
            return value
        self.effects = self.effects or value.effects
        self.ordered_calls += 1
        return self.once(value, node)

    def in_order(self, nodes, translate=None) -> list:
        """The values of expressions, of which Python computes one after the other: what a call in one of them may change is read for
        those in front of it before."""
        values = []
        for node in nodes:
            lines, calls = len(self.lines), self.ordered_calls
            value = (translate or self.expr)(node)
            if self.ordered_calls > calls:
                after, self.lines = self.lines[lines:], self.lines[:lines]
                values = [self.read_now(v, n) for v, n in zip(values, nodes)]
                self.lines += after
            values.append(value)
        return values

    def read_now(self, value: Val, node) -> Val:
        """A value that may be read from memory, as it is now."""
        if value.const is not MISSING or not T.is_number(value.type) or value.code.isidentifier():
            return value
        name = self.new("mx_before")
        self.line(f"const {self.c_type(value.type)} {name} = {strip(value.code)};", node)
        return Val(name, value.type, nonneg=value.nonneg)

    def once(self, value: Val, node) -> Val:
        """A value whose code may stand twice."""
        if value.pure or value.const is not MISSING:
            return value
        if self.conditional:
            raise self.error(node, f"`{ast.unparse(node)}` would run twice here: give its result to a variable first")
        name = self.new("mx_once")
        self.line(f"const {self.c_type(value.type)} {name} = {self.cast(value, value.type)};", node)
        return Val(name, value.type, nonneg=value.nonneg)

    # ---- conditions ----

    def test(self, node) -> str:
        """A condition in C, with Python's truth of numbers; of `and` and `or`, the truth of each operand."""
        if isinstance(node, ast.BoolOp):
            parts = [self.test(node.values[0])]
            self.conditional += 1
            parts += [self.test(v) for v in node.values[1:]]
            self.conditional -= 1
            return "(" + (" && " if isinstance(node.op, ast.And) else " || ").join(parts) + ")"
        return self.truth(self.expr(node), node)

    def of_BoolOp(self, node):
        """`a and b` is b if a is true, else a."""
        first = self.number(node.values[0])
        self.conditional += 1
        values = [first, *[self.number(v) for v in node.values[1:]]]
        self.conditional -= 1
        if self.spec.dialect.numbers_are_tests or all(T.is_bool(v.type) for v in values):
            t = T.NP_BOOL if any(v.type == T.NP_BOOL for v in values) else BOOL
            word = " && " if isinstance(node.op, ast.And) else " || "
            return Val("(" + word.join(self.truth(v) for v in values) + ")", t)
        result = values[-1]
        for value, part in zip(values[-2::-1], node.values[-2::-1]):
            value = self.once(value, part)
            kept, other = (result, value) if isinstance(node.op, ast.And) else (value, result)
            result = self.either(node, self.truth(value), kept, other)
        return result

    def of_IfExp(self, node):
        test = self.test(node.test)
        self.conditional += 1
        a, b = self.expr(node.body), self.expr(node.orelse)
        self.conditional -= 1
        for value, part in ((a, node.body), (b, node.orelse)):
            if not self.is_value(value.type):
                raise self.error(part, f"expected a number, got {describe(value)}: use `if` and `else`")
        return self.either(node, test, a, b)

    def either(self, node, test: str, a: Val, b: Val) -> Val:
        t = T.join(a.type, b.type, a.const is not MISSING, b.const is not MISSING)
        if t is None:
            raise self.error(node, f"either a {a.type} or a {b.type}: convert one of them")
        return Val(f"({test} ? {self.cast(a, t, node)} : {self.cast(b, t, node)})", t, nonneg=a.nonneg and b.nonneg,
                   pure=a.pure and b.pure)

    # ---- several values ----

    def of_Tuple(self, node):
        return Val("", None, ref=tuple(self.in_order(node.elts)))

    def of_List(self, node):
        if not node.elts:
            raise self.error(node, "an empty list: kernels' arrays do not grow; use minx.local(n, float)")
        inner = next((e for e in node.elts if isinstance(e, (ast.List, ast.Tuple))), None)
        if inner is not None:
            raise self.error(inner, f"a list of lists or tuples: use minx.local(({len(node.elts)}, {len(inner.elts)}), float)")
        return Val("", None, ref=self.table(node, self.in_order(node.elts, self.number)))

    def packed(self, node, value: Val) -> Val:
        """A tuple as one value of C: a struct of its elements."""
        values = [v if isinstance(v, Val) else self.constant_of(node, v) for v in value.ref]
        values = [self.packed(node, v) if isinstance(v.ref, tuple) else v for v in values]
        for v in values:
            if not self.is_value(v.type):
                raise self.error(node, f"a tuple with {describe(v)}: expected numbers")
        return self.struct_of(T.tuple_type([v.type for v in values]), values)

    def struct_of(self, struct: Struct, values) -> Val:
        """A struct that is made of values."""
        members = "\n".join(f"    {self.c_type(t)} {n};" for n, t in struct.fields)
        self.unit.types.setdefault(struct.name, f"typedef struct {struct.name} {{\n{members}\n}} {struct.name};")
        parameters = ", ".join(f"{self.c_type(t)} {n}" for n, t in struct.fields)
        sets = "\n".join(f"    mx_s.{n} = {n};" for n, _ in struct.fields)
        self.unit.helpers.setdefault(struct.name, f"MX_BODY {struct.name} pyh_new_{struct.name}({parameters})\n"
                                     f"{{\n    {struct.name} mx_s;\n{sets}\n    return mx_s;\n}}")
        codes = [self.cast(v, t) for v, (_, t) in zip(values, struct.fields)]
        return Val(f"pyh_new_{struct.name}({', '.join(codes)})", struct, pure=all(v.pure for v in values))
