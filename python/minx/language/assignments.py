"""Assignments: to variables, elements, fields; of several at once; += and its like; names for parts of arrays.

A variable has one type, which holds all that is assigned to it: see types.join. A name for an array, a part of one or a
record of one is no variable: it stands for that array, with its indices as they are at the assignment."""

from __future__ import annotations

import ast
from dataclasses import replace

from .. import types as T
from ..types import FLOAT, INT, Struct
from .arithmetic import WORDS
from .values import MISSING, Accumulator, ArrayRef, Shape, Val, c_name, describe, number_type, strip

COMPOUND = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}  # that C's += means, too, for floats


def several_items(name: str) -> str:
    return f"{name} is assigned by several items of a parallel loop, and is from outside of it: use another name in the loop, or add to it " \
           f"by {name} += ..."


class Assignments:
    # ---- statements ----

    def do_Assign(self, node):
        if self.changes_value(node):
            return
        targets = node.targets
        if len(targets) == 1 and isinstance(targets[0], (ast.Tuple, ast.List)):
            return self.assign_tuple(node, targets[0], self.expr(node.value))
        value = self.expr(node.value)
        if len(targets) > 1:
            value = self.once(value, node.value) if value.type is not None else value
        for target in targets:
            self.assign(target, value, node)

    def assign_tuple(self, node, target, value: Val):
        """a, b = b, a: all values are computed before the first is assigned."""
        if isinstance(value.type, Struct) and value.type.kind == "tuple":
            name = self.new("mx_tuple")
            self.line(f"const {value.type.name} {name} = {value.code};", node)
            values = [Val(f"{name}.{n}", t) for n, t in value.type.fields]
        elif isinstance(value.ref, tuple):
            values = [self.kept(v if isinstance(v, Val) else self.constant_of(node.value, v), node) for v in value.ref]
        elif isinstance(value.ref, Shape):
            values = [self.extent(value.ref.array, d, node) for d in range(value.ref.array.rank)]
        elif isinstance(value.ref, ArrayRef):
            raise self.error(
                node.value, f"{value.ref} is assigned to several names: write its elements, as in x, y = a[0], a[1]"
            )
        else:
            raise self.error(node.value, f"{describe(value)} is assigned to {len(target.elts)} names: expected a tuple")
        self.between(node)
        if len(values) != len(target.elts):
            raise self.error(node, f"{len(values)} values are assigned to {len(target.elts)} names")
        for part, v in zip(target.elts, values):
            if isinstance(part, ast.Starred):
                raise self.error(part, "`*` in an assignment: name each element")
            if isinstance(part, (ast.Tuple, ast.List)):
                self.assign_tuple(node, part, v)
            else:
                self.assign(part, v, node)

    def kept(self, value: Val, node, const="const ") -> Val:
        """A value that later assignments do not change."""
        if value.const is not MISSING or value.type is None:
            return value
        name = self.new("mx_tuple")
        self.line(f"{const}{self.c_type(value.type)} {name} = {strip(value.code)};", node)
        return Val(name, value.type, nonneg=value.nonneg)

    def do_AnnAssign(self, node):
        if node.value is None:
            raise self.error(node, "a variable needs a value where it is declared")
        if not isinstance(node.target, ast.Name):
            raise self.error(node.target, "only a variable can have an annotation")
        self.annotated_as = node.annotation
        value = self.expr(node.value)
        if value.ref is not None and value.type is None:
            return self.assign(node.target, value, node)
        if isinstance(value.type, Struct):
            return self.assign_name(node.target, node.target.id, value, node)
        t = self.annotation(node.annotation)
        if t is None:
            raise self.error(
                node.annotation,
                f"{ast.unparse(node.annotation)} is no type of a number here: int, float, "
                "bool, minx.f32, numpy.int32, ...",
            )
        convert = self.spec.dialect.annotations_convert
        if not convert and T.combine(T.kind(value.type), T.kind(t)) != T.kind(t):
            raise self.error(node.value, f"a {value.type} for a variable of type {t}: convert it, as in int(...)")
        if convert:
            t = INT if t == "i64" and self.is_python_type(node.annotation) else t  # as in C++, int * float is a float
            self.declared_as[node.target.id] = t
        else:
            t = {"i64": INT, "f64": T.FLOAT, "c128": T.COMPLEX}.get(t, t) if self.is_python_type(node.annotation) else t
        self.assign_name(
            node.target, node.target.id, Val(self.cast(value, t, node.value), t, nonneg=value.nonneg), node
        )

    def is_python_type(self, node) -> bool:
        """Is the annotation int, float or complex, whose numbers are weak?"""
        return self.annotation_value(node) in (int, float, complex)

    def annotation_value(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = ast.parse(node.value, mode="eval").body
        try:
            return self.expr(node).ref
        except SyntaxError:
            return None

    def annotation(self, node):
        """The type of a number that an annotation names, or None."""
        return number_type(self.annotation_value(node))

    # ---- one target ----

    def assign(self, target, value: Val, node):
        if isinstance(value.type, Struct) and value.type.kind == "random" and value.place:
            raise self.error(node, "a stream of random numbers has one name: pass it to functions, or make another one")
        if isinstance(target, ast.Name):
            if isinstance(value.ref, tuple):
                value = self.packed(node, value)
            if value.place and isinstance(value.type, Struct) and value.type.kind in ("record", "generator"):
                return self.bind_record(node, target.id, value)
            if value.ref is not None and value.type is None:
                return self.bind_ref(node, target, value)
            return self.assign_name(target, target.id, value, node)
        if isinstance(target, (ast.Tuple, ast.List)):
            return self.assign_tuple(node, target, value)
        if isinstance(target, ast.Starred):
            raise self.error(target, "`*` in an assignment: name each element")
        (place, t), private = self.lvalue(target), self.private
        if value.type is None:
            raise self.error(node, f"an element gets {describe(value)}: expected a number")
        self.fits_list(node, t, value, self.listed)
        if self.stored_by_dialect(node, target, place, t, None, value):
            return
        self.put(f"{place} = {strip(self.cast(value, t, node))};", target, node, private)

    def fits_list(self, node, t, value: Val, listed: bool) -> None:
        """Elements of a list have the type that they begin with. In Python they take any: a store that would change the number is an
        error."""
        if not listed or not T.is_number(value.type):
            return
        kinds = T.is_bool, T.is_integer, T.is_float, T.is_complex
        wider = [is_kind(value.type) for is_kind in kinds] < [is_kind(t) for is_kind in kinds]
        if wider or T.strong(value.type) == "f64" and t == "f32" and value.type != FLOAT:
            element = f"minx.{T.strong(value.type)}(0)" if value.type in ("f32", "c64") else {"int": "0", "float": "0.0"}.get(
                T.kind(value.type), "0j")
            raise self.error(node, f"an element of a list of {t} gets a {value.type}: the list has to begin with such numbers, as in "
                                   f"[{element}, {element}]")

    def put(self, text, target, node, private: bool) -> None:
        """A store: to an array of a lane's own, or to one that others see."""
        if not private:
            return self.effect(text, node)
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            target = target.value
        if isinstance(target, ast.Name) and self.parallel_outside:
            home = self.ref_blocks.get(target.id) or self.declaration(target.id)[0]
            kinds = [kind for kind in self.loop_names if kind != "plain"]
            if any(home in outside and kind != "simd" for outside, kind in zip(self.parallel_outside, kinds)):
                raise self.error(
                    node,
                    f"{target.id} has elements of its own for each lane, and is from outside of this loop: "
                    "make it one of the loop, or use team.scratch",
                )
        self.line(text, node)

    def stored_by_dialect(self, node, target, place, t, op, value) -> bool:
        return isinstance(target, ast.Subscript) and self.spec.dialect.store(
            self, node, self.expr(target.value).ref, place, t, op, value)

    def bind_ref(self, node, target, value):
        """A name for an array, a part of one, or scratch. No C variable."""
        ref, name = value.ref, target.id
        if isinstance(ref, str) or not isinstance(ref, ArrayRef) and not callable(ref) and not hasattr(ref, "__dict__"):
            raise self.error(
                target, f"{name} is {describe(value)}: variables of kernels are numbers, arrays and objects of numbers"
            )
        self.name_for(node, name, value)
        if isinstance(ref, ArrayRef):
            ref = replace(self.fixed(ref, node), name=name)
        self.local_refs[name] = Val(value.code, None, ref=ref, outside=value.outside)

    def bind_record(self, node, name, value):
        """r = a[i] of an array of records is that element, no copy, as in NumPy."""
        self.name_for(node, name, value)
        pointer = self.new("mx_record")
        const = "const " if value.origin is not None and value.origin not in self.unit.written else ""
        self.line(f"{const}{value.type.name} *const {pointer} = &{value.code};", node)
        self.local_refs[name] = Val(f"(*{pointer})", value.type, origin=value.origin, place=True)

    def name_for(self, node, name, value):
        if name in self.seen_types:
            raise self.error(node, f"{name} is a {self.seen_types[name]} and {describe(value)}: use another name")
        before = self.ref_blocks.get(name)
        if before is not None and before is not self.block and before in self.block.above():
            raise self.error(node, f"{name} is something else outside of this branch or loop: use another name")
        self.ref_blocks[name] = self.block

    def assign_name(self, target, name, value: Val, node=None):
        local = self.local_refs.get(name)
        if isinstance(local, Val) and local.type == INT:  # a loop's variable
            return self.line(f"{local.code} = {strip(self.cast(value, INT, node))};", node)
        if isinstance(local, Val) and value.type is not None:
            raise self.error(target, f"{name} is {describe(local)} and {describe(value)}: use another name")
        bound = self.names.get(name)
        if isinstance(bound, Accumulator):
            if self.spec.dialect.sums_only:
                raise self.no_sum(node, name)
            t = self.accumulated(bound, value, node)
            single = self.single() if bound.type is None else ""
            return self.line(f"{single}{bound.code} = {self.cast(value, t, node)};", node)
        if not self.is_value(value.type):
            raise self.error(target, f"expected a number, got {describe(value)}")
        if bound is not None and (not self.is_value(bound.type) or bound.place):
            raise self.error(target, f"{name} is {describe(bound)}, an argument: use another name")
        if name in self.declared_as and T.is_number(value.type):
            value = Val(self.cast(value, self.declared_as[name]), self.declared_as[name], nonneg=value.nonneg)
        t = self.type_of_variable(target, name, value, bound)
        code = strip(self.as_type(value, t, target))
        home, by_assignment = self.declaration(name)
        if home is not None and by_assignment and not self.declared.get((home.number, name)):
            self.declared[(home.number, name)] = True
            self.line(f"{self.c_type(t)} {c_name(name)} = {code};", node)
        else:
            self.line(f"{self.renamed.get(name, c_name(name))} = {code};", node)

    def type_of_variable(self, target, name, value: Val, bound):
        """The type of a variable, with what is known of it now and from the pass before."""
        before, constant = self.seen_types.get(name), value.const is not MISSING
        if bound is not None and before is None and self.is_value(bound.type):  # an argument that changes
            before, self.seen_constant[name], self.seen_nonneg[name] = bound.type, False, bound.nonneg
        was_constant = self.seen_constant.get(name, True)
        joined = self.join_types(before, value.type, was_constant, constant)
        if joined is None:
            raise self.error(
                target,
                f"{name} is a {before} and a {value.type}: a variable has one type; use another name, "
                "or convert one of them",
            )
        self.seen_types[name] = joined
        self.seen_constant[name] = was_constant and constant
        self.seen_nonneg[name] = self.seen_nonneg.get(name, True) and value.nonneg
        self.check_shared(target, name)
        self.occurs(name, True)
        return (
            self.join_types(self.types.get(name), joined, self.constants.get(name, True), self.seen_constant[name])
            or joined
        )

    def check_shared(self, node, name):
        """A variable of outside that items of a parallel loop assign."""
        if (
            self.parallel_outside
            and name not in self.renamed
            and self.declaration(name)[0] in self.parallel_outside[-1]
        ):
            raise self.error(node, several_items(name))

    # ---- augmented ----

    def do_AugAssign(self, node):
        if self.changes_value(node):
            return
        if not isinstance(node.target, ast.Name):
            return self.augment_place(node)
        name = node.target.id
        if name in self.renamed:
            return self.augment_sum(node, name)
        self.check_lost(node, name)
        load = ast.copy_location(ast.Name(name, ast.Load()), node.target)
        value = self.binary(node, node.op, *self.in_order([load, node.value]))
        self.assign_name(node.target, name, value, node)

    def check_lost(self, node, name):
        """s += x of an argument that is a number, and that the kernel reads nowhere else: a sum that nobody gets."""
        bound = self.names.get(name)
        if not self.kernel or bound is None or not T.is_number(bound.type) or not bound.code.startswith("mx_a->") or name in self.local_refs:
            return
        if self.spec.dialect.threads_run_all or any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)
                                                    for n in ast.walk(self.source.tree)):
            return
        raise self.error(node, f"{name} is a number, of which each index has its own: return what is added, for parallel_reduce, or add to an "
                               f"array, as in minx.atomic_add({name}, 0, 1)")

    def augment_sum(self, node, name):
        """s += x in a loop whose items have shares of s."""
        value = self.number(node.value)
        if type(node.op) not in (ast.Add, ast.Sub):
            raise self.error(
                node, f"{name} {WORDS[type(node.op)]}= ... by several items of a parallel loop: they may only add to it"
            )
        self.seen_types[name] = T.join(self.seen_types.get(name), value.type) or T.combine(
            self.seen_types[name], value.type
        )
        t = self.types.get(name) or T.strong(value.type)
        self.occurs(name, False)
        share, word = self.cast(value, t, node), WORDS[type(node.op)]
        if t in T.SIGNED:  # wraps
            return self.line(f"{self.renamed[name]} = {strip(self.operate(word, self.renamed[name], share, t))};", node)
        self.line(f"{self.renamed[name]} {word}= {strip(share)};", node)

    def augment_place(self, node):
        """a[i] += x. The index is computed once: where its code may not stand twice, it goes to a variable first."""
        (place, t), private, listed = self.lvalue(node.target), self.private, self.listed
        if "(" in place.replace("MX_AT(", "") and not self.expr_is_pure(node.target):
            pointer = self.new("mx_to")
            self.line(f"{self.c_type(t)} *const {pointer} = &{place};", node)
            place = f"*{pointer}"
        old = Val(place if place[0] != "*" else f"({place})", t)
        lines, calls = len(self.lines), self.ordered_calls
        right, kept = self.expr(node.value), old
        if self.ordered_calls > calls:  # Python reads the element first
            after, self.lines = self.lines[lines:], self.lines[:lines]
            kept = self.read_now(old, node)
            self.lines += after
        if self.stored_by_dialect(node, node.target, place, t, node.op, right):
            return
        if kept is not old:
            value = self.binary(node, node.op, kept, right)
            self.fits_list(node, t, value, listed)
            return self.put(f"{place} = {strip(self.cast(value, t, node))};", node.target, node, private)
        value = self.binary(node, node.op, old, right)
        self.fits_list(node, t, value, listed)
        word = COMPOUND.get(type(node.op))
        if word and T.is_float(t) and T.combine(t, right.type) == t:
            return self.put(f"{place} {word}= {strip(self.cast(right, t, node))};", node.target, node, private)
        self.put(f"{place} = {strip(self.cast(value, t, node))};", node.target, node, private)

    def expr_is_pure(self, node) -> bool:
        return not any(isinstance(n, ast.Call) for n in ast.walk(node))
