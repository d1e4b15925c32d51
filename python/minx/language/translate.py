"""Python functions to C: one generated file for a kernel and the types of its arguments.

The file uses minx's public macros only. It has an argument struct, the body, MX_KERNEL_FOR (or REDUCE, SCAN), and a driver
(#ifdef MX_DRIVER) with two plain functions that ctypes calls: NAME_bind makes the accessors, NAME_launch launches.

A function is translated several times, until the types of its variables do not change any more: a variable's type is the
join of all that is assigned to it."""

from __future__ import annotations

import ast
import types as pytypes

from .. import types as T
from .dialect import MINX
from .values import HANDLERS, ArrayRef, Method, Self, Unit, Val, c_name, describe, is_hashable, number_type
from .expressions import Expressions
from .places import Block, Places
from .results import Results
from .source import Source, source_of
from .statements import Statements
from ..types import BOOL, FLOAT, INT, Struct


class Translator(Places, Results, Statements, Expressions):
    """One function: a kernel's body, or a function that it calls."""

    def __init__(self, unit: Unit, source: Source, names: dict, kernel: bool, level: str | None = None):
        self.unit, self.names, self.kernel, self.spec = unit, names, kernel, unit.spec
        self.source = self.spec.dialect.source(source)
        self.types: dict = {}
        self.nonneg: dict = {}
        self.places: dict = {}  # variable -> blocks of the last pass that declare it
        self.returns = None
        self.top_level = level
        self.on_return = None  # a join: what becomes of `return`



    def translate(self) -> list[str]:
        state = None
        for _ in range(12):
            self.one_pass()
            before, state = state, (self.types, self.nonneg, self.returns, set(self.unit.written), self.unit.value)
            if before == state:
                return self.lines
        raise self.error(self.source.tree, "its types do not settle")

    def one_pass_state(self):
        self.lines, self.depth, self.counter = [], 1, 0
        self.seen_types: dict = {}
        self.seen_nonneg: dict = {}
        self.occurrences: dict = {}
        self.block = self.root = Block()
        self.declared: dict = {}
        self.renamed: dict = {}
        self.local_refs: dict = {}  # names for arrays, rows of arrays, loop indices
        self.ref_blocks: dict = {}
        self.loop_names: list = []
        self.declared_as: dict = {}  # variables that keep the type of their annotation
        self.parallel_outside: list = []  # for each parallel loop around: the blocks outside of it
        self.level = self.top_level
        self.reads_before, self.writes_before = set(), set()  # of arrays, by parts of a team's work without a barrier
        if self.kernel:
            self.unit.start()
        self.last_places, self.block_number = self.places, 0
        self.root.number = self.next_block_number()

    def one_pass(self):
        self.one_pass_state()
        body = self.source.tree.body
        if isinstance(self.source.tree, ast.Lambda):
            body = [(self.spec.dialect if self.kernel else MINX).lambda_body(self)]
        self.declare_here()
        for n, statement in enumerate(body):
            self.statement(statement, last=n == len(body) - 1)
        self.types, self.nonneg = self.seen_types, self.seen_nonneg
        self.places = self.place_all()

    def of_Call(self, node):
        return self.call(node)

    def call(self, node, statement=False) -> Val:
        if any(isinstance(a, ast.Starred) for a in node.args):
            raise self.error(node, "`*` in a call is not supported in kernels")
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
        if t is not None and len(node.args) == 1:
            value = self.number(node.args[0])
            if ref in (int, float, bool):
                t = {int: INT, float: FLOAT, bool: BOOL}[ref]
            if t == BOOL:
                return Val(self.test(node.args[0]), BOOL)
            return Val(f"({self.c_type(t)})({value.code})", t, nonneg=value.nonneg)
        if isinstance(ref, type) and getattr(ref, "minx_struct", False):
            return self.new_object(node, ref)
        function = getattr(ref, "function", ref)
        if isinstance(function, pytypes.MethodType):
            return self.user_function(node, function.__func__, bound=function.__self__)
        if isinstance(function, pytypes.FunctionType):
            return self.user_function(node, function)
        raise self.error(node, f"{ast.unparse(node.func)} cannot be called in kernels")

    def user_function(self, node, function, bound=None):
        """A Python function that is translated too, for the types that it is called with."""
        source = source_of(function)
        names, parameters, arguments = {}, [], []
        formal = [a.arg for a in source.tree.args.args]
        if bound is not None:
            names[formal[0]] = Val("", None, ref=Self(bound))
            formal = formal[1:]
            arguments.append("mx_a")
            parameters.append(f"const {self.unit.name}_args *mx_a")
        given = {k.arg: k.value for k in node.keywords}
        actual = list(node.args) + [given[n] for n in formal[len(node.args):] if n in given]
        if len(actual) != len(formal):
            raise self.error(node, f"{function.__name__} takes {len(formal)} arguments, got {len(actual)}")
        key = [function, id(bound)]
        for name, value_node in zip(formal, actual):
            value = self.expr(value_node)
            if isinstance(value.ref, ArrayRef):
                if value.ref.given:
                    raise self.error(value_node, "a row of an array cannot be passed to a function yet")
                const = value.ref.origin is not None and value.ref.origin not in self.unit.written
                accessor = value.ref.array.accessor(const)
                names[name] = Val("", None, ref=ArrayRef(f"(*{c_name(name)})", value.ref.array, value.ref.origin, (), name))
                parameters.append(f"const {accessor} *{c_name(name)}")
                arguments.append(f"&{value.ref.code}")
                key += [accessor, value.ref.origin]
            elif self.is_value(value.type):
                annotated = self.spec.dialect.annotations_convert and T.is_number(value.type) and self.annotated(source, name)
                t = annotated or value.type
                names[name] = Val(c_name(name), t, nonneg=value.nonneg)
                parameters.append(f"{self.c_type(t)} {c_name(name)}")
                arguments.append(self.cast(value, t))
                key += [t, value.nonneg]
            elif value.ref is not None and not isinstance(value.ref, (tuple, str)):
                names[name] = value
                key.append(id(value.ref))
            else:
                raise self.error(value_node, f"{describe(value)} cannot be passed to a function")
        key = tuple(key)
        found = self.unit.functions.get(key)
        if found is None:
            if any(f is function and body is None for (f, *_), (_, body, _) in self.unit.functions.items()):
                raise self.error(node, f"{function.__name__} calls itself: recursion is not supported in kernels")
            c = f"{c_name(function.__name__)}_{len(self.unit.functions)}"
            self.unit.functions[key] = (c, None, None)
            self.unit.depends(self.source.function, ast.unparse(node.func), function)
            inner = Translator(self.unit, source, names, kernel=False)
            body = inner.translate()
            result = inner.returns
            head = f"MX_BODY {self.c_type(result) if result else 'void'} {c}({', '.join(parameters) or 'void'})"
            self.unit.functions[key] = found = (c, [head, "{", *body, "}"], result)
            self.unit.prototypes.append(key)
        return Val(f"{found[0]}({', '.join(arguments)})", found[2], pure=False)

    def new_object(self, node, cls):
        """Class(...): a struct, from what __init__ assigns to self."""
        source = source_of(cls.__init__)
        self.unit.depends(self.source.function, ast.unparse(node.func), cls.__init__)
        formal = [a.arg for a in source.tree.args.args][1:]
        if len(formal) != len(node.args) or node.keywords:
            raise self.error(node, f"{cls.__name__} takes {len(formal)} arguments")
        given, fields, values = dict(zip(formal, [self.number(a) for a in node.args])), [], []
        inner = Translator(self.unit, source, given, kernel=False)
        inner.one_pass_state()
        for s in source.tree.body:
            if not (isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Attribute) and s.value is not None):
                raise source.error(s, "expected self.name: type = value")
            t = inner.annotation(s.annotation)
            if t is None:
                raise source.error(s.annotation, "expected the type of a number")
            fields.append((s.target.attr, t))
            values.append(inner.cast(inner.expr(s.value), t))
        struct = Struct(c_name(cls.__name__) + "_struct", tuple(fields))
        members = " ".join(f"{T.C_TYPES[t]} {c_name(n)};" for n, t in fields)
        parameters = ", ".join(f"{T.C_TYPES[t]} {c_name(n)}" for n, t in fields)
        sets = " ".join(f"s_.{c_name(n)} = {c_name(n)};" for n, _ in fields)
        self.unit.helpers[struct.name] = (
            f"typedef struct {struct.name} {{ {members} }} {struct.name};\nMX_BODY {struct.name} py_new_{struct.name}({parameters})\n"
            f"{{\n    {struct.name} s_;\n    {sets}\n    return s_;\n}}")
        return Val(f"py_new_{struct.name}({', '.join(values)})", struct)

    def annotated(self, source, name):
        for a in source.tree.args.args:
            if a.arg == name and a.annotation is not None:
                return self.annotation(a.annotation)
        return None
