"""What a kernel contributes to a reduction or scan: what it returns, and what it adds to its value."""

from __future__ import annotations

import ast

from .. import types as T
from ..types import INT
from .reducers import LOCATIONS, member, op_of, result_type
from .values import MISSING, Accumulator, Parts, Val, c_string, join_code, strip

SIGNS = {ast.Add: ("+", "SUM"), ast.Sub: ("-", "SUM"), ast.Mult: ("*", "PROD"), ast.BitAnd: ("&", "BAND"), ast.BitOr: ("|", "BOR")}
CALLS = {"min": "MIN", "minimum": "MIN", "fmin": "MIN", "max": "MAX", "maximum": "MAX", "fmax": "MAX"}
ATOMICS = {"SUM": "add", "PROD": "mul", "MIN": "min", "MAX": "max", "BAND": "and", "BOR": "or"}


def extreme_of(node) -> str | None:
    """m = min(m, x) or m = max(m, x)?"""
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Call) and len(node.value.args) == 2 and not node.value.keywords):
        return None
    kind = CALLS.get(ast.unparse(node.value.func).rpartition(".")[2])
    itself = any(isinstance(a, ast.Name) and a.id == node.targets[0].id for a in node.value.args)
    return kind.lower() if kind and itself else None


def is_sum(node) -> bool:
    """v += x, v -= x, v = v + x and the like, with an x that does not read v?"""
    name = (node.target if isinstance(node, ast.AugAssign) else node.targets[0]).id
    read = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node.value))
    if isinstance(node, ast.AugAssign):
        return isinstance(node.op, (ast.Add, ast.Sub)) and read == 0

    def adds(part) -> bool:
        if isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Add, ast.Sub)):
            return adds(part.left) or isinstance(part.op, ast.Add) and adds(part.right)
        return isinstance(part, ast.Name) and part.id == name

    return read == 1 and adds(node.value)


class TupleAccumulator(Parts):
    """The value of a scan or reduction with a Reducer of several numbers: a Val for each."""


class ArrayAccumulator:
    """The value of a reduction into an array."""


class Results:
    def contribute(self, node):
        """`return value` of a reduction."""
        if self.spec.array:
            raise self.error(node, "a reduction into an array returns nothing: its kernel adds to its second argument")
        if self.spec.custom is not None:
            return self.effect(self.joined(node.value), node)
        parts, reducers = self.parts_of(node.value), self.spec.reducers
        if len(reducers) == 1 and reducers[0] in LOCATIONS.values():
            parts = [parts]
        if len(parts) != len(reducers):
            raise self.error(node, f"{len(parts)} results, but {len(reducers)} reducers: {', '.join(reducers).lower()}; op= names one "
                                   "for each, as in op=('sum', 'max')")
        before = self.unit.fields or [None] * len(parts)
        fields, texts = [], []
        for n, (part, t, reducer) in enumerate(zip(parts, before, reducers)):
            if reducer in LOCATIONS.values():
                t, text = self.location(node, part, t, reducer, member(n, len(parts)))
            else:
                t, text = self.number_result(node, part, t, reducer, member(n, len(parts)))
            fields.append(t)
            texts.append(text)
        self.unit.fields = fields
        self.unit.value = fields[0] if len(fields) == 1 else "+".join(fields)
        if isinstance(node.value, ast.Name) and node.value.id == self.returned_in_parts:
            return  # the threads have added it: shared_loops.py
        for text in texts:
            self.effect(text, node)

    def parts_of(self, node) -> list:
        """The values of a tuple; of anything else, itself."""
        if isinstance(node, ast.Tuple):
            return [self.expr(e) for e in node.elts]
        value = self.expr(node)
        return list(value.ref) if isinstance(value.ref, tuple) else [value]

    def keeps_fractions(self, node, value: Val, t: str) -> str:
        """The type of a result, which the user has given by a Reducer or by into=. An error if a share of the result loses its
        fraction."""
        lost = (T.is_float(value.type) or T.is_complex(value.type)) and not T.is_float(t) and not T.is_complex(t)
        if lost and not self.spec.dialect.annotations_convert:
            init = self.spec.custom is not None
            raise self.error(node, f"the result is a {t}, as {'the init of the Reducer' if init else 'the elements of into='}, and gets a "
                                   f"{value.type}: give {'0.0 or another float as init' if init else 'an array of floats'}, or convert by int()")
        return t

    def field_type(self, node, value: Val, before, reducer: str) -> str:
        if not T.is_number(value.type):
            raise self.error(node, "a kernel of parallel_reduce returns numbers")
        if self.spec.value and len(self.spec.reducers) == 1:
            return self.spec.value if reducer in ("LAND", "LOR") else self.keeps_fractions(node, value, self.spec.value)
        t = result_type(reducer, value.type)
        joined = t and T.strong(T.join(before, t))
        if joined is None:
            instead = ": return z.real, z.imag, with an operator for each" * T.is_complex(value.type)
            raise self.error(node, f"{reducer.lower()} of a {value.type}{instead}")
        return joined

    def number_result(self, node, value: Val, before, reducer: str, to: str):
        t = self.field_type(node, value, before, reducer)
        if reducer in ("LAND", "LOR"):
            value = Val(f"({value.code} != 0)", T.BOOL)
        return t, join_code(reducer, to, self.cast(value, t, node), self.c_type(t))

    def location(self, node, part, before, reducer: str, to: str):
        """A value and its index. Over a range of one dimension the index may be left out."""
        parts = part if isinstance(part, list) else list(part.ref) if isinstance(part.ref, tuple) else [part]
        if len(parts) == 1 and self.spec.indices == 1 and self.spec.space != "TEAM":
            parts = [*parts, Val("mx_i0", INT)]
        if len(parts) != 2 or not all(T.is_number(p.type) for p in parts) or T.is_float(parts[1].type):
            raise self.error(node, f"{reducer.lower()} takes a value and its index: return value, index")
        t = self.field_type(node, parts[0], before, reducer)
        place = "mx_v" if to == "*mx_v" else f"&{to}"
        return t, f"mx_{reducer.lower()}_{t}_update({place}, {self.cast(parts[0], t)}, {self.cast(parts[1], INT)});"

    def joined(self, node) -> str:
        """The statement that joins a share to the value, with the user's join."""
        reducer, k = self.spec.custom, self.unit.name
        parts = self.parts_of(node)
        if len(parts) != len(reducer.types) or not all(T.is_number(p.type) for p in parts):
            raise self.error(node, f"expected {len(reducer.types)} number{'s' * (len(reducer.types) > 1)}, as the Reducer's init has")
        self.unit.fields = list(reducer.types)
        self.unit.value = "+".join(reducer.types)
        values = ", ".join(strip(self.cast(p, self.keeps_fractions(node, p, t), node)) for p, t in zip(parts, reducer.types))
        share = f"const {k}_value mx_share = {{{values}}};" if reducer.is_tuple else \
            f"const {self.c_type(reducer.types[0])} mx_share = {values};"
        return f"{{ {share} {k}_join(mx_v, &mx_share); }}"

    # ---- statements on the value itself ----

    def changes_value(self, node) -> bool:
        """An assignment to the value of a reduction or scan, or to a part of it: True, and it is translated."""
        target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
        base = target.value if isinstance(target, ast.Subscript) else target
        if not isinstance(base, ast.Name) or base.id in self.local_refs or isinstance(node, ast.Assign) and len(node.targets) > 1:
            return False
        if isinstance(target, ast.Name) and isinstance(node, ast.Assign) and self.kinds.get(base.id) in ("min", "max"):
            return self.change_extreme(node, base.id)
        bound = self.names.get(base.id)
        ref = getattr(bound, "ref", None)
        if self.is_kernels_value(bound) and (self.level == "lane" or "simd" in self.loop_names):
            raise self.error(node, f"items that run at the same time change {base.id}: add to a variable in this loop, and to {base.id} "
                                   "behind it")
        if isinstance(ref, ArrayAccumulator):
            self.change_element(node, target)
        elif isinstance(ref, TupleAccumulator):
            self.change_tuple(node, target, ref)
        elif isinstance(bound, Accumulator) and not isinstance(target, ast.Subscript):
            self.change_number(node, bound)
        else:
            return False
        return True

    def is_kernels_value(self, bound) -> bool:
        """Is it the value of the launch? (In other dialects a nested reduction has one of its own.)"""
        return isinstance(bound, Accumulator) and bound.type is None or isinstance(
            getattr(bound, "ref", None), (ArrayAccumulator, TupleAccumulator))

    def change_extreme(self, node, name) -> bool:
        """m = min(m, x) of a variable that the items of a shared loop join."""
        if extreme_of(node) is None:
            raise self.error(node, f"items join {name} by {self.kinds[name]}: they may only assign {self.kinds[name]}({name}, ...)")
        own = [isinstance(a, ast.Name) and a.id == name for a in node.value.args]
        share = self.number(node.value.args[own.index(False) if False in own else 1])
        t = T.strong(self.types.get(name) or share.type)
        self.seen_types[name] = T.join(self.seen_types.get(name), share.type)
        self.occurs(name, False)
        part, less = self.renamed[name], "mx_x < {0}" if self.kinds[name] == "min" else "{0} < mx_x"
        self.line(f"{{ const {self.c_type(t)} mx_x = {strip(self.cast(share, t))}; {part} = {less.format(part)} ? mx_x : {part}; }}", node)
        return True

    def change_number(self, node, bound):
        if self.spec.custom is not None and bound.type is None and isinstance(node, ast.Assign) and self.is_join(node):
            return self.line(self.value_single() + self.joined(node.value.args[1]), node)
        if self.spec.dialect.sums_only and not is_sum(node):
            raise self.no_sum(node, ast.unparse(node.target if isinstance(node, ast.AugAssign) else node.targets[0]))
        value = self.number(node.value)
        t = self.accumulated(bound, value, node)
        if isinstance(node, ast.AugAssign):
            op, reducer = SIGNS.get(type(node.op), (None, None))
            if op is None:
                raise self.error(node, "expected +=, -=, *=, &= or |=")
            self.check_reducer(node, bound, reducer)
            text = f"{bound.code} {op}= {strip(self.cast(value, t))};"
        else:
            if isinstance(node.value, ast.Call):
                name = ast.unparse(node.value.func).rpartition(".")[2]
                self.check_reducer(node, bound, CALLS.get(name))
            text = f"{bound.code} = {strip(self.cast(value, t))};"
        self.line((self.value_single() if bound.type is None else "") + text, node)

    def no_sum(self, node, name):
        return self.error(node, f"{name} is a sum: write {name} += ..., without {name} on the right; for a maximum or minimum use atomic_max or "
                                "atomic_min of a view")

    def value_single(self) -> str:
        """Once for each part of the work, not once for each thread or lane that takes part in it."""
        return self.single()

    def check_reducer(self, node, bound, reducer):
        """Is the statement what the operator of the launch does?"""
        if bound.type is None and reducer and not self.spec.dialect.threads_run_all and self.spec.custom is None and reducer != self.spec.reducers[0]:
            raise self.error(node, f"this joins by {op_of(reducer)}, but the launch has op={op_of(self.spec.reducers[0])!r}")

    def accumulated(self, bound, value, node=None) -> str:
        """The type of a value to which another is added."""
        if bound.type is not None:
            return bound.type
        if self.spec.custom is not None:
            self.unit.fields = list(self.spec.custom.types)
            self.unit.value = self.unit.fields[0]
            return self.keeps_fractions(node, value, self.unit.value)
        if self.spec.value:
            self.unit.value = self.keeps_fractions(node, value, self.spec.value)
        else:
            joined = T.strong(T.join(self.unit.value, value.type) or value.type)
            t = joined if self.spec.dialect.threads_run_all else result_type(self.spec.reducers[0], joined)
            if t is None:
                raise self.error(node, f"{self.spec.reducers[0].lower()} of a {value.type}")
            self.unit.value = t
        return self.unit.value

    def is_join(self, node) -> bool:
        """value = join(value, share)?"""
        call, target = node.value, node.targets[0]
        if not isinstance(call, ast.Call) or len(call.args) != 2 or call.keywords:
            return False
        called = self.expr(call.func).ref
        same = getattr(called, "function", called) is self.spec.custom.join
        return same and isinstance(call.args[0], ast.Name) and call.args[0].id == target.id

    def change_tuple(self, node, target, ref):
        self.unit.fields, self.unit.value = list(self.spec.custom.types), "+".join(self.spec.custom.types)
        if isinstance(target, ast.Subscript):
            n = self.number(target.slice).const
            if n is MISSING or not -len(ref) <= n < len(ref):
                raise self.error(target, f"a part of the value: a constant from 0 to {len(ref) - 1}")
            value = self.number(node.value)
            if isinstance(node, ast.AugAssign):
                value = self.binary(node, node.op, ref[n], value)
            t = self.keeps_fractions(node, value, ref[n].type)
            return self.line(f"{self.value_single()}{ref[n].code} = {strip(self.cast(value, t))};", node)
        if isinstance(node, ast.AugAssign):
            raise self.error(node, "the value is a tuple: value = join(value, share)")
        if self.is_join(node):
            return self.line(self.value_single() + self.joined(node.value.args[1]), node)
        parts = self.parts_of(node.value)
        if len(parts) != len(ref):
            raise self.error(node, f"expected a tuple of {len(ref)}")
        temporaries = [self.new("mx_part") for _ in parts]
        sets = [f"const {self.c_type(r.type)} {name} = {strip(self.cast(p, self.keeps_fractions(node, p, r.type), node))};"
                for p, r, name in zip(parts, ref, temporaries)]
        sets += [f"{r.code} = {name};" for r, name in zip(ref, temporaries)]
        self.line(f"{self.value_single()}{{ {' '.join(sets)} }}", node)

    def change_element(self, node, target):
        """bins[e] += x, or bins[e] = max(bins[e], x): of a reduction into an array."""
        reducer = self.spec.reducers[0]
        shown = {"SUM": "+= x", "PROD": "*= x", "BAND": "&= x", "BOR": "|= x"}.get(reducer)
        expected = f"value[e] {shown}" if shown else f"value[e] = {reducer.lower()}(value[e], x)"
        if not isinstance(target, ast.Subscript) or isinstance(target.slice, (ast.Tuple, ast.Slice)):
            raise self.error(node, f"the value is an array: {expected}")
        share = self.element_share(node, target, reducer)
        if share is None:
            raise self.error(node, f"expected {expected}, because the launch has op={op_of(reducer)!r}")
        index = self.number(target.slice)
        if T.is_float(index.type) or index.const is not MISSING and index.const < 0:
            raise self.error(target.slice, "an index of the result is an integer, 0 or more")
        value = self.number(share)
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub):
            value = Val(f"(-{self.cast(value, T.strong(value.type))})", value.type)
        given = self.spec.value and self.keeps_fractions(node, value, self.spec.value)
        self.unit.value = given or self.element_type(node, value, reducer)
        self.unit.fields = [self.unit.value]
        e, x = strip(index.code), strip(self.cast(value, self.unit.value))
        if self.spec.checked:
            self.helper("index")
            text = c_string(f"index of {ast.unparse(target.value)}, the value of the launch, is out of bounds"[:63])
            e = f"PY_INDEX({e}, mx_a->mx_length, {text})"
        call = f"mx_array_add(mx_v, {e}, {x});" if reducer == "SUM" else f"mx_atomic_{ATOMICS[reducer]}(mx_array_at(mx_v, {e}), {x});"
        self.line(call, node)

    def element_share(self, node, target, reducer):
        if isinstance(node, ast.AugAssign):
            return node.value if SIGNS.get(type(node.op), (None, None))[1] == reducer else None
        call = node.value
        if isinstance(call, ast.Call) and len(call.args) == 2 and CALLS.get(ast.unparse(call.func).rpartition(".")[2]) == reducer:
            place = ast.unparse(target)
            for share, other in (call.args[::-1], call.args):
                if ast.unparse(other) == place:
                    return share
        return None

    def element_type(self, node, value, reducer) -> str:
        t = result_type(reducer, T.strong(T.join(self.unit.value, value.type) or value.type))
        if t is None or reducer not in ATOMICS:
            raise self.error(node, f"{reducer.lower()} of a {value.type} into an array")
        return t
