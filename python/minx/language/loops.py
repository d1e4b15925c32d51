"""Loops: while, and for over range(...). Others are found in LOOPS: minx.simd and minx.unroll (calls.py), a team's
(team.py)."""

from __future__ import annotations

import ast

from .. import types as T
from ..types import INT
from .values import LOOPS, MISSING, Val, c_name, describe, is_hashable, strip

OVER = "a loop goes over range(...), minx.simd(range(...)), minx.unroll(range(...)) or a team's threads, lanes or items"


class Loops:
    def do_Break(self, node):
        if self.loop_names and self.loop_names[-1] != "plain":
            raise self.error(node, "`break` out of a loop that threads or lanes share: all of its items run")
        if self.loop_flags[-1] is not None:
            self.line(f"{self.loop_flags[-1]} = true;")
        self.line("break;", node)

    def do_Continue(self, node):
        self.line("continue;", node)

    def begin_loop(self, node) -> None:
        """Python's `else` of a loop runs unless `break` ended the loop: a flag says whether it did."""
        flag = None
        if node.orelse:
            flag = self.new("mx_broken")
            self.line(f"bool {flag} = false;", node)
        self.loop_flags.append(flag)

    def end_loop(self, node) -> None:
        flag = self.loop_flags.pop()
        if flag is not None:
            for memory in self.loop_memory[-1:]:
                self.memory.add(memory)
            self.line(f"if (!{flag}) {{")
            self.block_of(node.orelse)
            self.line("}")

    def do_While(self, node):
        self.begin_loop(node)
        self.unit.loops = True
        self.loop_names.append("plain")
        before = len(self.lines)
        self.order([node.test])
        test = strip(self.test(node.test))
        first, self.lines = self.lines[before:], self.lines[:before]  # what has to run in front of each test
        if first:
            self.line("for (;;) {", node)
            self.lines += ["    " + text for text in first] + ["    " * (self.depth + 1) + f"if (!({test})) break;"]
        else:
            self.line(f"while ({test}) {{", node)
        self.block_of(node.body)
        self.line("}")
        self.loop_names.pop()
        self.end_loop(node)

    def do_For(self, node):
        if not isinstance(node.iter, ast.Call):
            found = describe(self.expr(node.iter))
            raise self.error(node.iter, f"a loop over {found}: {OVER}")
        if not isinstance(node.target, ast.Name):
            raise self.error(node.target, "a loop has one variable: write `for k in range(len(a))`, and a[k]")
        called = self.expr(node.iter.func)
        handler = LOOPS.get(called.ref) if is_hashable(called.ref) else None
        if handler is None and called.ref is not range:
            self.call(node.iter)
            raise self.error(node.iter, OVER)
        if handler is not None:
            if node.orelse:
                raise self.error(node.orelse[0], "`else` of a loop over anything but range(...)")
            self.loop_flags.append(None)
            handler(self, node, node.iter)
            self.loop_flags.pop()
            return
        self.begin_loop(node)
        self.range_loop(node, node.iter)
        self.end_loop(node)

    def range_bounds(self, call):
        if call.keywords or not 1 <= len(call.args) <= 3:
            raise self.error(call, "range takes one to three integers")
        values = [self.expr(a) for a in call.args]
        for value, a in zip(values, call.args):
            if not T.is_number(value.type) or T.is_float(value.type) or T.is_complex(value.type):
                raise self.error(a, f"range takes integers, got {describe(value)}")
        begin = values[0] if len(values) > 1 else Val("0", INT, 0, True)
        end = values[1] if len(values) > 1 else values[0]
        step = values[2] if len(values) > 2 else Val("1", INT, 1, True)
        return begin, end, step

    def range_loop(self, node, call, pragma="", kind="plain"):
        begin, end, step = self.range_bounds(call)
        if end.const is MISSING or end.const > 8:
            self.unit.loops = True
        name, n = node.target.id, self.new("mx_n")
        around = getattr(self.local_refs.get(name), "type", None) == INT  # a loop around over the same name, whose variable this one sets
        private = not self.escapes(node) and not (around and kind == "plain")
        changed = any(isinstance(s, ast.Name) and s.id == name and isinstance(s.ctx, ast.Store)
                      for b in node.body for s in ast.walk(b))
        if step.const is MISSING and not step.nonneg:
            raise self.error(
                call.args[2], "a step that is not a constant may be negative: write a constant, or a `while` loop"
            )
        if step.const is not MISSING and step.const == 0:
            raise self.error(call.args[2], "a step of 0")
        down = step.const is not MISSING and step.const < 0
        in_bounds = any(isinstance(s, ast.Name) and s.id == name for s in ast.walk(call))  # of a loop around, over the same name
        variable = c_name(name) if private and not changed and not in_bounds else n
        by = step.code
        if step.const is MISSING:  # Python takes it once
            by = self.stored(self.cast(step, INT), node)
        stride = {1: f"{variable}++", -1: f"{variable}--"}.get(step.const) or f"{variable} += {by}"
        last, first = end.code, f"int64_t {variable} = {strip(self.cast(begin, INT))}"
        if end.const is MISSING:
            last = self.new("mx_end")
            if pragma:  # the canonical form of OpenMP has one variable
                self.line(f"const int64_t {last} = {strip(self.cast(end, INT))};", node)
            else:
                first += f", {last} = {strip(self.cast(end, INT))}"
        if pragma:
            self.line(pragma)
        self.line(f"for ({first}; {variable} {'>' if down else '<'} {last}; {stride}) {{", node)
        self.in_loop(node, name, variable, private, changed, begin.nonneg and not down, kind)
        self.line("}")

    def in_loop(self, node, name, variable, private, changed, nonneg, kind):
        """The body of a loop, which counts in a variable of C."""
        self.loop_names.append(kind)
        self.enter()
        saved = self.local_refs.get(name)
        if private and not changed:
            self.local_refs[name] = Val(variable, INT, nonneg=nonneg)
        elif private:
            self.local_refs[name] = Val(c_name(name), INT)
            self.line(f"int64_t {c_name(name)} = {variable};")
        else:
            self.assign_name(node.target, name, Val(variable, INT, nonneg=nonneg), node)
        for s in node.body:
            self.statement(s)
        if private:
            self.local_refs.pop(name)
            if saved is not None:
                self.local_refs[name] = saved
        self.leave()
        self.loop_names.pop()

    def escapes(self, loop) -> bool:
        """Is the loop's variable read outside of loops over it?"""
        name = loop.target.id

        def outside(node):
            if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id == name:
                return outside(node.iter) or any(outside(s) for s in node.orelse)
            if isinstance(node, ast.Name) and node.id == name:
                return True
            return any(outside(child) for child in ast.iter_child_nodes(node))

        tree = self.source.tree
        return any(outside(s) for s in (tree.body if isinstance(tree.body, list) else [tree.body]))
