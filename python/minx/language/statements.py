"""Statements."""

from __future__ import annotations

import ast

from .. import types as T
from .values import (LOOPS, MISSING, Accumulator, ArrayRef, Val, c_name, describe, is_hashable, number_type, strip)
from .team import is_shared, order
from ..types import INT, Struct

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
             ast.LShift: "<<", ast.RShift: ">>"}
STATEMENTS = {
    ast.With: "`with`", ast.Try: "`try`", ast.Raise: "`raise`", ast.ClassDef: "a class", ast.Import: "`import`",
    ast.ImportFrom: "`import`", ast.Delete: "`del`", ast.Global: "`global`", ast.AsyncFor: "`async for`",
    ast.FunctionDef: "a function inside a kernel", ast.Match: "`match`", ast.Assert: "`assert`",
}


class Statements:
    def statement(self, node, last=False):
        method = getattr(self, "do_" + type(node).__name__, None)
        if method is None:
            what = STATEMENTS.get(type(node), type(node).__name__)
            raise self.error(node, f"{what} is not supported in kernels")
        if self.level == "team" and not self.spec.dialect.threads_run_all:
            return self.team_statement(method, node, last)
        if type(node) is ast.Return:
            self.do_Return(node, last)
        else:
            method(node)

    def team_statement(self, method, node, last):
        """One outside of a team's loops: a barrier in front of it if it depends on what threads did before."""
        if isinstance(node, (ast.If, ast.While, ast.For)):
            nested = [node.iter] if isinstance(node, ast.For) else [node.test]
            order(self, nested)
            if not isinstance(node, ast.If) and not is_shared(node):  # its second run comes after its first
                order(self, node.body, only_note=True)
            before = set(self.reads_before), set(self.writes_before)
            method(node)
            self.reads_before |= before[0]
            self.writes_before |= before[1]
            return
        order(self, [node])
        self.do_Return(node, last) if type(node) is ast.Return else method(node)

    def block_of(self, statements):
        self.enter()
        for s in statements:
            self.statement(s)
        self.leave()

    def do_Pass(self, node):
        pass

    def do_Break(self, node):
        if self.loop_names and self.loop_names[-1] != "plain":
            raise self.error(node, "`break` out of a loop that threads or lanes share")
        self.line("break;", node)

    def do_Continue(self, node):
        self.line("continue;", node)

    def do_Nonlocal(self, node):
        if not self.spec.dialect.inner_functions:
            raise self.error(node, "`nonlocal` is not supported in kernels")

    def do_FunctionDef(self, node):
        if not self.spec.dialect.inner_functions:
            raise self.error(node, f"{STATEMENTS[ast.FunctionDef]} is not supported: write a loop over team.threads(n)")
        self.local_refs[node.name] = node

    def do_Expr(self, node):
        value = node.value
        if isinstance(value, ast.Constant):  # a docstring, ...
            return
        if not isinstance(value, ast.Call):
            raise self.error(node, "an expression without effect")
        result = self.call(value, statement=True)
        if result.code:
            self.effect(result.code + ";", node)

    def effect(self, text: str, node):
        """A store, an atomic, a print: of which threads and lanes of a team; in which of the two calls of a scan."""
        self.line(self.guard() + self.single() + text, node)

    def single(self) -> str:
        if self.level == "thread" or (self.level == "team" and self.spec.dialect.threads_run_all):
            return "MX_VECTOR_SINGLE(mx_t) "
        return "MX_TEAM_SINGLE(mx_t) " if self.level == "team" else ""

    def do_Return(self, node, last=False):
        if self.on_return is not None:
            return self.on_return(node)
        if self.kernel and self.spec.pattern == "reduce" and node.value is not None:
            self.contribute(node)
            if not last:
                self.line("return;", node)
            return
        if self.kernel and self.spec.pattern != "for" and node.value is not None:
            raise self.error(node, "a scan returns nothing: add to its value")
        if self.kernel:
            if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
                raise self.error(node, "parallel_for has no result: parallel_reduce has")
            if self.level is not None and not last and self.loop_names:
                self.line("continue;", node)
            elif not last:
                self.line("return;", node)
            return
        if node.value is None:
            return self.line("return;", node)
        value = self.expr(node.value)
        if not self.is_value(value.type):
            raise self.error(node, "a function that kernels call returns a number or an object of numbers")
        self.returns = T.join(self.returns, value.type)
        self.line(f"return {self.cast(value, self.returns)};", node)

    def do_If(self, node):
        test = self.test(node.test)
        self.line(f"if ({strip(test)}) {{", node)
        self.block_of(node.body)
        if node.orelse:
            self.line("} else {")
            self.block_of(node.orelse)
        self.line("}")

    def do_While(self, node):
        if node.orelse:
            raise self.error(node, "`while ... else` is not supported in kernels")
        self.unit.loops = True
        self.loop_names.append("plain")
        self.line(f"while ({strip(self.test(node.test))}) {{", node)
        self.block_of(node.body)
        self.line("}")
        self.loop_names.pop()

    def do_For(self, node):
        if node.orelse:
            raise self.error(node, "`for ... else` is not supported in kernels")
        if not isinstance(node.iter, ast.Call):
            raise self.error(node.iter, "a loop goes over range(...), minx.simd(range(...)) or a team's threads or lanes")
        if not isinstance(node.target, ast.Name):
            raise self.error(node.target, "a loop has one variable")
        called = self.expr(node.iter.func)
        handler = LOOPS.get(called.ref) if is_hashable(called.ref) else None
        if handler is not None:
            return handler(self, node, node.iter)
        if called.ref is not range:
            raise self.error(node.iter, "a loop goes over range(...), minx.simd(range(...)) or a team's threads or lanes")
        self.range_loop(node, node.iter)

    def range_bounds(self, call):
        if call.keywords or not 1 <= len(call.args) <= 3:
            raise self.error(call, "range takes one to three numbers")
        values = [self.expr(a) for a in call.args]
        for value, a in zip(values, call.args):
            if not T.is_number(value.type) or T.is_float(value.type):
                raise self.error(a, "range takes integers")
        begin = values[0] if len(values) > 1 else Val("0", INT, 0, True)
        end = values[1] if len(values) > 1 else values[0]
        step = values[2] if len(values) > 2 else Val("1", INT, 1, True)
        return begin, end, step

    def range_loop(self, node, call, pragma="", kind="plain"):
        begin, end, step = self.range_bounds(call)
        if end.const is MISSING or end.const > 8:
            self.unit.loops = True
        name, n = node.target.id, self.new("mx_n")
        private = not self.escapes(node)
        changed = any(isinstance(s, ast.Name) and s.id == name and isinstance(s.ctx, ast.Store)
                      for b in node.body for s in ast.walk(b))
        last = end.code if end.const is not MISSING else self.new("mx_end")
        if step.const is MISSING and not step.nonneg:
            raise self.error(call.args[2], "a step that is not a constant may be negative: not supported")
        down = step.const is not MISSING and step.const < 0
        if step.const == 0:
            raise self.error(call.args[2], "a step of 0")
        variable = c_name(name) if private and not changed else n
        stride = {1: f"{variable}++", -1: f"{variable}--"}.get(step.const) or f"{variable} += {step.code}"
        first = f"int64_t {variable} = {self.cast(begin, INT)}"
        if end.const is MISSING:
            if pragma:  # the canonical form of OpenMP has one variable
                self.line(f"const int64_t {last} = {self.cast(end, INT)};", node)
            else:
                first += f", {last} = {self.cast(end, INT)}"
        if pragma:
            self.line(pragma)
        self.line(f"for ({first}; {variable} {'>' if down else '<'} {last}; {stride}) {{", node)
        nonneg = begin.nonneg and not down
        self.in_loop(node, name, variable, private, changed, nonneg, kind)
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
            self.assign_name(node.target, name, Val(variable, INT, nonneg=nonneg))
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

    def do_AnnAssign(self, node):
        if node.value is None:
            raise self.error(node, "a variable needs a value where it is declared")
        if not isinstance(node.target, ast.Name):
            raise self.error(node.target, "only a variable can have an annotation")
        self.annotated_as = node.annotation
        value = self.expr(node.value)
        if value.ref is not None and value.type is None:
            return self.bind_ref(node, node.target.id, value)
        if isinstance(value.type, Struct):
            return self.assign_name(node.target, node.target.id, value, node)
        t = self.annotation(node.annotation)
        if t is None:
            raise self.error(node.annotation, f"{ast.unparse(node.annotation)} is no type of a number here: int, float, "
                                              "bool, minx.f32, numpy.int32, ...")
        if not self.spec.dialect.annotations_convert and T.is_float(value.type) and not T.is_float(t):
            raise self.error(node.value, f"a {value.type} for a variable of type {t}: write int(...)")
        if self.spec.dialect.annotations_convert:
            self.declared_as[node.target.id] = t
        self.assign_name(node.target, node.target.id, Val(self.cast(value, t), t, nonneg=value.nonneg), node)

    def annotation(self, node):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = ast.parse(node.value, mode="eval").body
        try:
            value = self.expr(node)
        except SyntaxError:
            return None
        return number_type(value.ref)

    def do_Assign(self, node):
        if self.changes_value(node):
            return
        targets = node.targets
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple):
            return self.assign_tuple(node, targets[0])
        value = self.expr(node.value)
        for target in targets:
            self.assign(target, value, node)

    def assign_tuple(self, node, target):
        parts = self.parts_of(node.value) if not isinstance(node.value, ast.Tuple) else None
        if parts is not None and len(parts) == len(target.elts) > 1:  # numbers that are there already, as a join's arguments
            for part, value in zip(target.elts, parts):
                self.assign(part, value, node)
            return
        if not isinstance(node.value, ast.Tuple) or len(node.value.elts) != len(target.elts):
            raise self.error(node, "a tuple is assigned from a tuple of the same length")
        temporaries = []
        for part in node.value.elts:
            value = self.expr(part)
            if not T.is_number(value.type):
                raise self.error(part, "expected a number")
            name = self.new("mx_tuple")
            self.line(f"const {self.c_type(value.type)} {name} = {self.cast(value, value.type)};", node)
            temporaries.append(Val(name, value.type, nonneg=value.nonneg))
        for part, value in zip(target.elts, temporaries):
            self.assign(part, value, node)

    def assign(self, target, value: Val, node):
        if isinstance(target, ast.Name):
            if value.ref is not None and value.type is None:
                return self.bind_ref(node, target.id, value)
            return self.assign_name(target, target.id, value, node)
        if isinstance(target, ast.Subscript):
            element, t = self.element(target, store=True)
            if value.type is None:
                raise self.error(node, "an array's element is a number")
            if self.spec.dialect.store(self, node, self.expr(target.value).ref, element, t, None, value):
                return
            return self.effect(f"{element} = {self.cast(value, t)};", node)
        if isinstance(target, ast.Attribute):
            field = self.expr(target)
            return self.line(f"{field.code} = {self.cast(value, field.type, node)};", node)
        raise self.error(target, f"an assignment to {ast.unparse(target)} is not supported in kernels")

    def guard(self) -> str:
        """Scans call the body twice; only the second time it stores."""
        if self.kernel and self.spec.pattern == "scan" and not self.names.get("mx_final_by_hand"):
            return "if (mx_final) "
        return ""

    def bind_ref(self, node, name, value):
        """A name for an array, a row of one, or scratch. No C variable."""
        ref, before = value.ref, self.ref_blocks.get(name)
        if name in self.seen_types or before is not None and before is not self.block and before in self.block.above():
            raise self.error(node, f"{name} is something else outside of this branch or loop: use another name")
        self.ref_blocks[name] = self.block
        if isinstance(ref, ArrayRef) and ref.given:
            given = []
            for g in ref.given:  # the indices as they are now
                variable = self.new("mx_row")
                self.line(f"const int64_t {variable} = {g};", node)
                given.append(variable)
            ref = ArrayRef(ref.code, ref.array, ref.origin, tuple(given), name)
        self.local_refs[name] = Val(value.code, None, ref=ref)

    def assign_name(self, target, name, value: Val, node=None):
        if name in self.local_refs and isinstance(self.local_refs[name], Val) and self.local_refs[name].type == INT:
            self.line(f"{self.local_refs[name].code} = {self.cast(value, INT)};", node)  # a loop's variable
            return
        bound = self.names.get(name)
        if isinstance(bound, Accumulator):
            t = self.accumulated(bound, value, node)
            single = self.single() if bound.type is None else ""
            self.line(f"{single}{bound.code} = {self.cast(value, t)};", node)
            return
        if not self.is_value(value.type):
            raise self.error(target, f"expected a number, got {describe(value)}")
        if name in self.declared_as and T.is_number(value.type):
            value = Val(self.cast(value, self.declared_as[name]), self.declared_as[name], nonneg=value.nonneg)
        joined = T.join(self.seen_types.get(name), value.type)
        if bound is not None and T.is_number(bound.type) and name not in self.seen_types:
            joined = T.join(joined, bound.type)  # an argument that changes
        if joined is None:
            raise self.error(target, f"{name} is a {self.seen_types.get(name)} and a {value.type}")
        self.seen_types[name] = joined
        self.seen_nonneg[name] = self.seen_nonneg.get(name, True) and value.nonneg
        self.check_shared(target, name)
        self.occurs(name, True)
        t = T.join(self.types.get(name), joined) or joined
        code = self.cast(value, t, target)
        home, by_assignment = self.declaration(name)
        if home is not None and by_assignment and not self.declared.get((home.number, name)):
            self.declared[(home.number, name)] = True
            self.line(f"{self.c_type(t)} {c_name(name)} = {code};", node)
        else:
            self.line(f"{self.renamed.get(name, c_name(name))} = {code};", node)

    def check_shared(self, node, name):
        """A variable of outside that items of a parallel loop assign."""
        if self.parallel_outside and name not in self.renamed and self.declaration(name)[0] in self.parallel_outside[-1]:
            raise self.error(node, f"{name} is assigned by several items of a parallel loop: make it a variable of the "
                                   f"loop, or add to it by {name} += ...")

    def do_AugAssign(self, node):
        if self.changes_value(node):
            return
        if isinstance(node.target, ast.Name) and node.target.id in self.renamed:
            value = self.expr(node.value)
            t = self.types.get(node.target.id) or T.strong(value.type)
            self.seen_types[node.target.id] = T.join(self.seen_types.get(node.target.id), value.type)
            self.occurs(node.target.id, False)
            sign = {ast.Add: "+", ast.Sub: "-"}[type(node.op)]
            self.line(f"{self.renamed[node.target.id]} {sign}= {self.cast(value, t)};", node)
            return
        if isinstance(node.target, ast.Name):
            load = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            value = self.binary(node, node.op, self.expr(load), self.expr(node.value))
            return self.assign_name(node.target, node.target.id, value, node)
        if isinstance(node.target, ast.Attribute):
            field = self.number(node.target)
            value = self.binary(node, node.op, field, self.number(node.value))
            return self.line(f"{field.code} = {self.cast(value, field.type)};", node)
        if not isinstance(node.target, ast.Subscript):
            raise self.error(node.target, f"an assignment to {ast.unparse(node.target)} is not supported in kernels")
        element, t = self.element(node.target, store=True)
        self.element(node.target)
        op, right = OPERATORS.get(type(node.op)), self.expr(node.value)
        if self.spec.dialect.store(self, node, self.expr(node.target.value).ref, element, t, node.op, right):
            return
        value = self.binary(node, node.op, Val(element, t), right)
        simple = op is not None and T.combine(t, right.type) in (t, T.strong(t)) or isinstance(node.op, ast.Div) and T.is_float(t)
        if simple:  # a[i] += x evaluates the index once
            code = f"{element} {op or '/'}= {self.cast(right, t)};"
        else:
            code = f"{element} = {self.cast(value, t)};"
        self.effect(code, node)
