"""Statements, but for loops (loops.py) and assignments (assignments.py)."""

from __future__ import annotations

import ast

from .. import types as T
from ..types import Struct
from .constructs import STATEMENTS, say
from .values import MISSING, Val, c_string, describe, strip


class Statements:
    def statement(self, node, last=False):
        method = getattr(self, "do_" + type(node).__name__, None)
        if method is None:
            raise self.error(node, say(STATEMENTS, node))
        if self.orders():
            return self.ordered_statement(method, node, last)
        if type(node) is ast.Return:
            self.do_Return(node, last)
        else:
            method(node)

    def block_of(self, statements):
        self.enter()
        for s in statements:
            self.statement(s)
        self.leave()

    def do_Pass(self, node):
        pass

    def do_Nonlocal(self, node):
        if not self.spec.dialect.inner_functions:
            raise self.error(node, say(STATEMENTS, node))

    def do_FunctionDef(self, node):
        if not self.spec.dialect.inner_functions:
            raise self.error(node, say(STATEMENTS, node))
        self.local_refs[node.name] = node

    def do_Expr(self, node):
        value = node.value
        if isinstance(value, ast.Constant):  # a docstring, ...
            return
        if not isinstance(value, ast.Call):
            self.expr(value)
            raise self.error(node, "an expression without effect: store its value, or call a function")
        result = self.call(value, statement=True)
        if result.code:
            self.effect(result.code + ";", node)

    def do_Assert(self, node):
        """Of kernels that check only, as Python's with -O."""
        text = f"assert {ast.unparse(node.test)}"
        if node.msg is not None:
            if not (isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str)):
                raise self.error(node.msg, "the message of an assert is a plain string in kernels")
            text = node.msg.value
        test = self.test(node.test)
        if self.spec.checked:
            self.helper("assert")
            self.line(f"PY_ASSERT({strip(test)}, {c_string(text[:63])});", node)

    def effect(self, text: str, node):
        """A store, an atomic, a print: of which threads and lanes of a team; in which of the two calls of a scan."""
        self.effects = True
        self.line(self.guard() + self.single() + text, node)

    def single(self) -> str:
        if self.level == "thread" or (self.level == "team" and self.spec.dialect.threads_run_all):
            return "MX_VECTOR_SINGLE(mx_t) "
        return "MX_TEAM_SINGLE(mx_t) " if self.level == "team" else ""

    def guard(self) -> str:
        """Scans call the body twice; only the second time it stores."""
        if self.kernel and self.spec.pattern == "scan" and not self.names.get("mx_final_by_hand"):
            return "if (mx_final) "
        return ""

    # ---- return ----

    def do_Return(self, node, last=False):
        if self.on_return is not None:
            return self.on_return(node)
        if not self.spec.dialect.inner_functions and any(kind != "plain" for kind in self.loop_names):
            raise self.error(node, "`return` inside of a loop whose items run at the same time")
        if not self.kernel:
            return self.function_returns(node)
        if self.spec.pattern == "reduce" and node.value is not None:
            self.contribute(node)
            if not last:
                self.line("return;", node)
            return
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            raise self.error(node, "a scan returns nothing: add to its value" if self.spec.pattern == "scan" else
                             "parallel_for has no result: parallel_reduce has")
        if self.level is not None and not last and self.loop_names and self.spec.dialect.inner_functions:
            self.line("continue;", node)
        elif not last:
            self.line("return;", node)

    def function_returns(self, node):
        if node.value is None or isinstance(node.value, ast.Constant) and node.value.value is None:
            if self.returns is not None:
                raise self.error(node, f"a function that returns a {self.returns} elsewhere returns nothing here")
            self.returns_nothing = True
            return self.line("return;", node)
        value = self.expr(node.value)
        if isinstance(value.ref, tuple):
            value = self.packed(node, value)
        if not self.is_value(value.type):
            raise self.error(node, f"a function that kernels call returns {describe(value)}: expected numbers")
        if self.returns_nothing:
            raise self.error(node, f"a function that returns nothing elsewhere returns a {value.type} here")
        constant = value.const is not MISSING
        joined = self.join_types(self.returns, value.type, self.returns_constant, constant)
        if joined is None:
            raise self.error(node, f"a function that returns a {self.returns} elsewhere returns a {value.type} here: "
                                   "convert one of them")
        self.returns, self.returns_constant = joined, self.returns_constant and constant
        self.line(f"return {strip(self.as_type(value, self.returns, node))};", node)

    def join_types(self, a, b, a_constant=True, b_constant=True):
        """T.join, of tuples too: element by element."""
        if (
            isinstance(a, Struct)
            and isinstance(b, Struct)
            and a.kind == b.kind == "tuple"
            and len(a.fields) == len(b.fields)
        ):
            parts = [self.join_types(s, t) for (_, s), (_, t) in zip(a.fields, b.fields)]
            return None if None in parts else T.tuple_type(parts)
        return T.join(a, b, a_constant, b_constant)

    def as_type(self, value: Val, t, node) -> str:
        """The value in C, a tuple's elements converted."""
        if isinstance(t, Struct) and t.kind == "tuple" and isinstance(value.type, Struct) and value.type != t:
            value = self.once(value, node)
            parts = [Val(f"{value.code}.{n}", s) for n, s in value.type.fields]
            return self.struct_of(t, [Val(self.as_type(p, s, node), s) for p, (_, s) in zip(parts, t.fields)]).code
        return self.cast(value, t, node)

    def do_If(self, node):
        test = self.test(node.test)
        self.line(f"if ({strip(test)}) {{", node)
        before = self.memory.copy()  # of a team's work: each branch begins with it
        self.block_of(node.body)
        after, self.memory = self.memory, before
        if node.orelse:
            self.line("} else {")
            self.block_of(node.orelse)
        self.memory.add(after)
        self.line("}")
