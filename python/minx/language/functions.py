"""Calls: of what has a handler, of types that convert, of classes, and of Python functions, which are translated too.

A Python function is translated once for each combination of types that it is called with. Arrays and streams of random
numbers are passed by pointer, with the indices of a part of an array beside; numbers by value. Code that a function has
from outside (another function, a module) is a constant of it."""

from __future__ import annotations

import ast
import types as pytypes
from dataclasses import replace

from .. import types as T
from ..types import BOOL, COMPLEX, FLOAT, INT, Struct
from .constructs import BUILTINS, module_hint
from .results import ArrayAccumulator
from .source import source_of
from .team import TeamRef
from .values import (
    HANDLERS,
    MISSING,
    WHOLE,
    ArrayRef,
    Method,
    Part,
    Self,
    Val,
    assigned_names,
    balanced,
    c_name,
    const_val,
    describe,
    is_hashable,
    number_type,
    strip,
)
TEAM = "mx_team"  # in the key of a function: it gets the team


def ends(statements) -> bool:
    """Does a block never continue behind its end?"""
    last = statements[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and ends(last.body) and ends(last.orelse)
    if isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and last.test.value:
        return not any(breaks(s) for s in last.body)
    if isinstance(last, (ast.For, ast.While)) and last.orelse:
        return ends(last.orelse) and not any(breaks(s) for s in last.body)
    return isinstance(last, ast.Return)


def breaks(node) -> bool:
    """Has a statement a `break` of the loop around it?"""
    if isinstance(node, (ast.For, ast.While)):
        return any(breaks(s) for s in node.orelse)
    return isinstance(node, ast.Break) or any(breaks(c) for c in ast.iter_child_nodes(node))


class Functions:
    def of_Call(self, node):
        value = self.call_once(self.call(node), node)
        if value.type is None and value.ref is None and not value.code:
            raise self.error(node, f"{ast.unparse(node.func)} gives no value")
        return value

    def call(self, node, statement=False) -> Val:
        for a in [*node.args, *[k for k in node.keywords if k.arg is None]]:
            if isinstance(a, (ast.Starred, ast.keyword)):
                raise self.error(
                    a.value if isinstance(a, ast.keyword) else a,
                    "`*` in a call is not supported in kernels: name each argument",
                )
        called = self.expr(node.func)
        ref = called.ref
        if isinstance(ref, Method):
            return ref.call(self, node, statement)
        handler = self.spec.dialect.handler(ref)
        if handler is None and is_hashable(ref):
            handler = HANDLERS.get(ref)
        if handler is None and isinstance(ref, pytypes.MethodType):
            handler = HANDLERS.get(ref.__func__)
        if handler is not None:
            return handler(self, node, statement)
        t = number_type(ref) if ref is not None else None
        if t is not None:
            return self.conversion(node, ref, t)
        if isinstance(ref, type) and getattr(ref, "minx_struct", False):
            return self.new_object(node, ref)
        function = getattr(ref, "function", ref)
        instead = module_hint(ref) or module_hint(function)
        if instead is None and isinstance(function, pytypes.MethodType) and isinstance(function.__func__, pytypes.FunctionType):
            return self.user_function(node, function.__func__, function.__self__, statement)
        if instead is None and isinstance(function, pytypes.FunctionType):
            return self.user_function(node, function, None, statement)
        if called.type is not None or isinstance(ref, ArrayRef):
            text = ast.unparse(node.func)
            text = text if called.type is not None else f"{text}[{', '.join(map(ast.unparse, node.args))}]"
            raise self.error(node, f"{describe(called)} is called, but is no function: write {text}")
        instead = instead or (BUILTINS.get(ref) if is_hashable(ref) else None)
        raise self.error(
            node, f"{ast.unparse(node.func)} cannot be called in kernels" + (f": {instead}" if instead else "")
        )

    def conversion(self, node, ref, t) -> Val:
        """int(x), float(x), bool(x), complex(x, y), minx.f32(x), numpy.int32(x)."""
        weak = {int: INT, float: FLOAT, bool: BOOL, complex: COMPLEX}.get(ref)
        t = weak or t
        if node.keywords or not 0 <= len(node.args) <= (2 if T.is_complex(t) else 1):
            raise self.error(
                node,
                f"{ast.unparse(node.func)} takes one {'or two numbers' if T.is_complex(t) else 'number'} in kernels",
            )
        if weak == FLOAT and len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
            return self.folded(node, lambda: float(node.args[0].value))  # float("inf")
        values = [self.number(a) for a in node.args] or [const_val(0)]
        if T.is_complex(t) and len(values) == 2:
            real = "f32" if t == "c64" else FLOAT
            parts = ", ".join(strip(self.cast(v, real, a)) for v, a in zip(values, node.args))
            self.complex_type(t)
            return Val(f"{T.C_TYPES[t]}_of({parts})", t)
        value = values[0]
        if T.is_bool(t):
            return Val(self.truth(value, node), t)
        if value.const is not MISSING and value.type in T.WEAK and weak:
            return self.folded(node, lambda: ref(value.const))
        code = self.cast(value, t, node)
        return Val(
            code if T.is_complex(t) else f"({self.c_type(t)})({strip(code)})" if code == value.code else f"({code})",
            t,
            nonneg=t in T.UNSIGNED or value.nonneg and t in (INT, FLOAT, "f64", "f32"),
            pure=value.pure,
        )

    # ---- functions of the user ----

    def user_function(self, node, function, bound=None, statement=False, struct=None):
        """A Python function that is translated too, for the types that it is called with. bound: the object of a
        method, or the Self of one; struct: the Val of an object of numbers whose method it is."""
        source = source_of(function)
        names, parameters, arguments, key = {}, [], [], [function]
        formal = self.formal_names(node, source, function)
        if bound is not None:
            names[formal[0]] = Val("", None, ref=bound if isinstance(bound, Self) else Self(bound))
            key += self.pass_self(names[formal[0]].ref, parameters, arguments)
            formal = formal[1:]
        elif struct is not None:
            names[formal[0]] = Val(f"(*{c_name(formal[0])})", struct.type, place=True)
            parameters.append(f"{struct.type.name} *{c_name(formal[0])}")
            arguments.append(f"&{struct.code if struct.place else self.kept(struct, node, const='').code}")
            key.append(struct.type)
            formal = formal[1:]
        if self.spec.checked:
            arguments.append("mx_fault")
            parameters.append("mx_fault_ *mx_fault")
        first = len(key)
        for name, (value, value_node) in zip(formal, self.actual_values(node, function, formal)):
            key += self.pass_argument(source, name, value, value_node, names, parameters, arguments)
        team = TEAM in key[first:]
        key = (*key, self.level) if team else tuple(key)
        found = self.unit.functions.get(key)
        if found is None or found[1] is None:  # None: it is being translated, so it calls itself
            level = self.level if team else None
            found = self.translate_function(node, function, source, key, names, parameters, level)
        if team:
            self.effects = self.effects or self.unit.effects.get(found[0], False)
            return self.call_of_team(node, f"{found[0]}({', '.join(arguments)})", found[2], statement)
        value = Val(
            f"{found[0]}({', '.join(arguments)})", found[2], pure=False, effects=self.unit.effects.get(found[0], False)
        )
        changes = any(
            v.place or isinstance(v.ref, ArrayRef) and (v.ref.origin is None or v.ref.origin in self.unit.written)
            for v in names.values()
        )
        value.pure = bool(self.conditional) and not changes and not value.effects  # where it cannot be computed before
        return self.ordered(value, node, statement) if changes else value

    def pass_self(self, ref: Self, parameters, arguments) -> list:
        """An object whose attributes are arguments of the kernel: a function gets all arguments."""
        return [id(ref.object), ref.path, *self.pass_arguments(parameters, arguments)]

    def pass_arguments(self, parameters, arguments) -> tuple:
        """A function gets the kernel's arguments. The result: they are the same for all calls."""
        if "mx_a" not in arguments:
            arguments.append("mx_a")
            parameters.append(f"const {self.unit.name}_args *mx_a")
        return ()

    def method_of_struct(self, node, base: Val):
        """x.method of an object of numbers, if its class has one; else None."""
        function = getattr(self.unit.classes.get(base.type.name), node.attr, None)
        function = getattr(function, "function", function)
        if not isinstance(function, pytypes.FunctionType):
            return None
        return Val("", None, ref=Method(
            lambda t, call, statement: t.user_function(call, function, statement=statement, struct=base)))

    def formal_names(self, node, source, function) -> list:
        """The names of a function's parameters."""
        args = source.tree.args
        if args.vararg or args.kwarg:
            raise self.error(
                node, f"{function.__name__} has parameters with `*`: functions that kernels call name each one"
            )
        return [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]

    def actual_values(self, node, function, formal) -> list:
        """What each parameter gets: (value, node), from positions, keywords and defaults."""
        given = {k.arg: k.value for k in node.keywords}
        unknown = set(given) - set(formal)
        if unknown:
            raise self.error(
                node, f"{function.__name__} has no parameter {sorted(unknown)[0]}, but {', '.join(formal)}"
            )
        code = function.__code__
        positional = list(code.co_varnames[:code.co_argcount])
        defaults = dict(zip(positional[::-1], (function.__defaults__ or ())[::-1]), **(function.__kwdefaults__ or {}))
        out = []
        if len(node.args) > len(formal):
            raise self.error(
                node,
                f"{function.__name__} takes {len(formal)} argument{'s' * (len(formal) != 1)}, got {len(node.args)}",
            )
        written = [*node.args, *[k.value for k in node.keywords]]
        values = {id(n): (v, n) for n, v in zip(written, self.in_order(written))}
        for n, name in enumerate(formal):
            if n < len(node.args):
                if name in given:
                    raise self.error(node, f"{function.__name__} gets {name} twice")
                out.append(values[id(node.args[n])])
            elif name in given:
                out.append(values[id(given[name])])
            elif name in defaults:
                out.append((self.default(node, name, defaults[name]), node))
            else:
                raise self.error(node, f"{function.__name__} takes {len(formal)} argument{'s' * (len(formal) != 1)}: "
                                       f"{name} is missing")
        return out

    def default(self, node, name, value) -> Val:
        if isinstance(value, (bool, int, float, complex)) or hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0:
            return const_val(value)
        raise self.error(node, f"the default of {name} is a {type(value).__name__}: expected a number")

    def pass_argument(self, source, name, value: Val, node, names, parameters, arguments) -> list:
        """One argument of a call. The result: what of it makes another translation of the function."""
        c = c_name(name)
        if isinstance(value.ref, tuple):
            value = self.packed(node, value)
        if isinstance(value.ref, ArrayRef):
            return self.pass_array(name, value.ref, names, parameters, arguments)
        if isinstance(value.type, Struct) and value.type.kind in ("random", "generator"):
            names[name] = Val(f"(*{c})", value.type, place=True)
            parameters.append(f"{value.type.name} *{c}")
            arguments.append(f"&{value.code}")
            return [value.type]
        if value.place and isinstance(value.type, Struct) and value.type.kind == "record":
            return self.pass_record(name, value, names, parameters, arguments)
        if self.is_value(value.type):
            annotated = (
                self.spec.dialect.annotations_convert and T.is_number(value.type) and self.annotated(source, name)
            )
            t = annotated or value.type
            names[name] = Val(c, t, nonneg=value.nonneg)
            changes = name in assigned_names(source.tree)  # then it is a variable, whose type may be wider
            parameters.append(f"{self.c_type(t)} {'mx_given_' * changes}{c}")
            arguments.append(strip(self.cast(value, t, node)))
            return [t, value.nonneg]
        if value.ref is None or isinstance(value.ref, str):
            raise self.error(node, f"{describe(value)} cannot be passed to a function")
        if isinstance(value.ref, TeamRef):
            names[name] = value
            parameters.append("mx_team *mx_t")
            arguments.append("mx_t")
            return [TEAM]
        if isinstance(value.ref, Self):
            names[name] = value
            return self.pass_self(value.ref, parameters, arguments)
        if isinstance(value.ref, ArrayAccumulator):
            if "simd" in self.loop_names:
                raise self.error(node, "items that run at the same time pass on the value of the launch: use range(...)")
            names[name] = value
            parameters.append(f"{self.unit.name}_array mx_v")
            arguments.append("mx_v")
            return [ArrayAccumulator, *(self.pass_arguments(parameters, arguments) if self.spec.checked else ())]
        names[name] = value
        return [id(value.ref)]

    def pass_record(self, name, value: Val, names, parameters, arguments) -> list:
        """An element of an array of records by pointer: what a function stores in its fields is in the array."""
        const = value.origin is not None and value.origin not in self.unit.written
        parameters.append(f"{'const ' if const else ''}{value.type.name} *{c_name(name)}")
        pointed = value.code.startswith("(*") and balanced(value.code)
        arguments.append(value.code[2:-1] if pointed else f"&{value.code}")
        names[name] = Val(f"(*{c_name(name)})", value.type, origin=value.origin, place=True, shared=value.shared)
        return [value.type, const, value.origin, value.shared]

    def pass_array(self, name, ref: ArrayRef, names, parameters, arguments) -> list:
        """An array by pointer, and the indices of a part of it as integers."""
        c = c_name(name)
        const = ref.origin is not None and ref.origin not in self.unit.written
        if ref.shape:
            kind = f"{'const ' if const else ''}{self.c_type(ref.array.element)}"
            parameters.append(f"{kind} (*{c}){''.join(f'[{e}]' for e in ref.shape)}")
        else:
            whole = ref.array if ref.origin is None else self.spec.arguments[ref.origin]  # not the field of its records
            kind = whole.accessor(const)
            parameters.append(f"const {kind} *{c}")
        pointed = ref.code.startswith("(*") and balanced(ref.code)
        arguments.append(ref.code[2:-1] if pointed else f"&{ref.code}")
        axes = []

        def number(code, what):
            if code.isdigit():
                return code
            axis = f"mx_{what}{len(axes)}_{c}"
            parameters.append(f"int64_t {axis}")
            arguments.append(code)
            return axis

        for a in ref.axes:
            if isinstance(a, Part):
                axes.append(Part(number(a.begin, "begin"), number(a.count, "count"), a.step))
            else:
                axes.append(a if a is WHOLE else number(a, "at_"))
        passed = replace(ref, code=f"(*{c})", axes=tuple(axes), name=name)
        names[name] = Val("", None, ref=passed)
        return [kind, ref.origin, ref.array, passed.axes, ref.shape, ref.field, ref.listed]

    def call_of_team(self, node, code: str, result, statement: bool) -> Val:
        """A call of a function that gets the team: all threads and lanes call it, and each has what it returns."""
        if self.conditional:
            raise self.error(
                node, "a function that gets the team is called in a part of an expression that may not be evaluated"
            )
        if result is None or statement:
            self.line(f"{code};", node)
            return Val("")
        name = self.new("mx_of_team")
        self.line(f"const {self.c_type(result)} {name} = {code};", node)
        return Val(name, result)

    def translate_function(self, node, function, source, key, names, parameters, level=None):
        functions = self.unit.functions
        if any(f is function and body is None for (f, *_), (_, body, _) in functions.items()):
            raise self.error(
                node, f"{function.__name__} calls itself: recursion is not supported in kernels; write a loop"
            )
        c = f"{c_name(function.__name__.strip('<>'))}_{len(functions)}"
        functions[key] = (c, None, None)
        if all(known is not function for *_, known in self.unit.outside):  # a method of the kernel's object
            self.unit.depends(self.source.function, ast.unparse(node.func), function)
        inner = type(self)(self.unit, source, names, kernel=False, level=level)
        body = inner.translate()
        copies = [f"    {self.c_type(inner.types[n])} {c_name(n)} = mx_given_{c_name(n)};" for n, v in names.items()
                  if v.type is not None and n in inner.types and not v.place]
        result = inner.returns
        if result is not None and not isinstance(source.tree, ast.Lambda) and not ends(source.tree.body):
            raise source.error(source.tree, f"{function.__name__} returns a {result}, but not at its end: there Python returns None")
        head = f"MX_BODY {self.c_type(result) if result else 'void'} {c}({', '.join(parameters) or 'void'})"
        functions[key] = found = (c, [*inner.placed([]), head, "{", *inner.placed(copies), *body, "}"], result)
        self.unit.effects[c] = inner.effects
        self.unit.prototypes.append(key)
        return found

    def annotated(self, source, name):
        for a in source.tree.args.args:
            if a.arg == name and a.annotation is not None:
                return self.annotation(a.annotation)
        return None

    # ---- objects of the user ----

    def new_object(self, node, cls):
        """Class(...): a struct, from what __init__ assigns to self."""
        source = source_of(cls.__init__)
        self.unit.depends(self.source.function, ast.unparse(node.func), cls.__init__)
        formal = [a.arg for a in source.tree.args.args][1:]
        if len(formal) != len(node.args) or node.keywords:
            raise self.error(
                node, f"{cls.__name__} takes {len(formal)} arguments, got {len(node.args) + len(node.keywords)}"
            )
        given, fields, values = dict(zip(formal, [self.number(a) for a in node.args])), [], []
        inner = type(self)(self.unit, source, given, kernel=False)
        inner.one_pass_state()
        for s in source.tree.body:
            if isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant) or isinstance(s, ast.Pass):
                continue
            target = s.target if isinstance(s, ast.AnnAssign) else s.targets[0] if isinstance(s, ast.Assign) else None
            if not isinstance(target, ast.Attribute) or s.value is None:
                raise source.error(s, "expected self.name: type = value, because kernels make objects of this class")
            value = inner.number(s.value)
            t = inner.annotation(s.annotation) if isinstance(s, ast.AnnAssign) else T.strong(value.type)
            if t is None:
                raise source.error(s.annotation, "expected the type of a number")
            fields.append((target.attr, t))
            values.append(inner.cast(value, t))
        struct = Struct(c_name(cls.__name__) + "_struct", tuple(fields))
        self.unit.classes[struct.name] = cls
        members = "\n".join(f"    {T.C_TYPES[t]} {c_name(n)};" for n, t in fields)
        parameters = ", ".join(f"{T.C_TYPES[t]} {c_name(n)}" for n, t in fields)
        sets = "\n".join(f"    mx_s.{c_name(n)} = {c_name(n)};" for n, _ in fields)
        self.unit.types.setdefault(struct.name, f"typedef struct {struct.name} {{\n{members}\n}} {struct.name};")
        self.unit.helpers.setdefault(struct.name, f"MX_BODY {struct.name} pyh_new_{struct.name}({parameters})\n"
                                     f"{{\n    {struct.name} mx_s;\n{sets}\n    return mx_s;\n}}")
        return Val(f"pyh_new_{struct.name}({', '.join(values)})", struct)
