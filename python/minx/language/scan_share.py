"""What an index adds to the value of a scan or reduction, its share.

The body of a scan runs twice for an index: first all shares are summed, then it runs with the value of the indices before, and stores.
A reduction's body runs with the value of some of the other indices. So a share must not depend on the value and, in a scan, not on an
element that the body has stored in front of it; nor may it depend on them whether a share is added at all.

The statements are walked in the order in which they run, a loop until nothing new is found. What is known on the way:

    tainted   variables that depend on the value, or on a stored element; each with its reason
    stored    arrays of outside that the body has stored to so far
    control   why a statement may run or not: the reasons of the tests around it, and of tests in front of it that return or break"""

from __future__ import annotations

import ast
import types as pytypes
from dataclasses import dataclass

from .reducers import op_of
from .results import CALLS, SIGNS
from .source import source_of
from .values import ArrayRef, Self, is_number_of, links

WITHOUT_ELEMENTS = ("shape", "ndim", "size", "dtype", "extent")
STATEMENTS = {"SUM": "{t} += x", "PROD": "{t} *= x", "BAND": "{t} &= x", "BOR": "{t} |= x", "MIN": "{t} = min({t}, x)",
              "MAX": "{t} = max({t}, x)", "LAND": "{t} = {t} and x", "LOR": "{t} = {t} or x"}


@dataclass(frozen=True)
class Reason:
    """What a share must not depend on: the value, or an element that is read from an array `stored` before."""

    node: ast.AST
    stored: str = ""


def check_shares(source, value: str, names: dict, spec, guards: bool) -> None:
    """Raises an error for a share that depends on what it must not. names: what the kernel's parameters stand for. guards: the kernel
    knows which of a scan's two runs this is, and guards its stores itself."""
    body = source.tree.body
    if isinstance(body, list):
        Shares(source, value, names, spec, spec.pattern == "scan" and not guards).walk(body)


class Shares:
    def __init__(self, source, value, names, spec, stores_matter):
        self.source, self.value, self.names, self.spec, self.stores_matter = source, value, names, spec, stores_matter
        self.tainted: dict = {}
        self.stored: set = set()
        self.alias: dict = {}  # name of a row, a part or a record -> the array
        self.control: list = []
        self.loops: list = []  # for each loop around: the reasons for leaving it, or an item of it, early

    # ---- statements ----

    def walk(self, statements) -> None:
        for s in statements:
            visit = getattr(self, "do_" + type(s).__name__, None)
            if visit is not None:
                visit(s)

    def do_Assign(self, s):
        for target in s.targets:
            self.assign(target, s.value, s)

    def do_AnnAssign(self, s):
        if s.value is not None:
            self.assign(s.target, s.value, s)

    def do_AugAssign(self, s):
        self.assign(s.target, s.value, s)

    def do_Expr(self, s):
        self.note_calls(s.value)

    def do_If(self, s):
        reason = self.reason(s.test)
        self.note_calls(s.test)
        before = dict(self.tainted), set(self.stored), dict(self.alias)
        self.under(reason, s.body)
        after = self.tainted, self.stored, self.alias
        self.tainted, self.stored, self.alias = before
        self.under(reason, s.orelse)
        self.unite(*after)
        if reason is not None:
            self.leave_early(s, reason)

    def do_While(self, s):
        self.loop(s, s.test)

    def do_For(self, s):
        self.loop(s, s.iter)

    def loop(self, s, head):
        self.loops.append([])
        state = None
        while state != (self.tainted, self.stored):
            state = dict(self.tainted), set(self.stored)
            reason = self.reason(head)
            self.note_calls(head)
            if isinstance(s, ast.For):
                self.bind(s.target, head, reason, s)
            self.under(reason or next(iter(self.loops[-1]), None), s.body)
            self.unite(*state, {})
        self.loops.pop()
        self.walk(s.orelse)

    def under(self, reason, statements):
        """Statements that run or not for a reason."""
        self.control.append(reason)
        self.walk(statements)
        self.control.pop()

    def unite(self, tainted, stored, alias):
        self.tainted = {**tainted, **self.tainted}
        self.stored = self.stored | stored
        self.alias = {**alias, **self.alias}

    def leave_early(self, s, reason):
        """A test that returns, breaks or continues decides about what is behind it."""
        inside = [n for b in (*s.body, *s.orelse) for n in ast.walk(b)]
        if any(isinstance(n, ast.Return) for n in inside):
            self.control.insert(0, reason)
        if self.loops and any(isinstance(n, (ast.Break, ast.Continue)) for n in inside):
            self.loops[-1].append(reason)
            self.control[-1] = self.control[-1] or reason

    # ---- assignments ----

    def assign(self, target, value, s):
        if self.is_value(target):
            return self.share(target, s)
        self.note_calls(value)
        targets, values = [target], [value]
        if isinstance(target, (ast.Tuple, ast.List)):
            each = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
            targets, values = target.elts, value.elts if each else [value] * len(target.elts)
        reasons = [self.reason(v) for v in values]
        for part, v, reason in zip(targets, values, reasons):
            self.bind(part, v, reason or (self.reason(target) if isinstance(s, ast.AugAssign) else None), s)

    def bind(self, target, value, reason, s):
        """A target gets something that depends on `reason` (None: on nothing that matters)."""
        if self.is_value(target):
            raise self.no_join(s)
        found = self.view_of(value) if isinstance(target, ast.Name) and isinstance(s, (ast.Assign, ast.AnnAssign)) else None
        self.set(target, None if found else reason)
        if found:
            self.alias[target.id] = found

    def set(self, target, reason):
        reason = reason or next((c for c in self.control if c is not None), None)
        if isinstance(target, ast.Name):
            self.alias.pop(target.id, None)
            self.tainted.pop(target.id, None)
            if reason is not None:
                self.tainted[target.id] = reason
            return
        root = self.root_of(target)
        if root is not None:
            self.stored |= {root} if self.stores_matter else set()
        elif reason is not None:  # an element of a local array
            self.tainted[name_of(target)] = reason

    def is_value(self, target) -> bool:
        while isinstance(target, ast.Subscript):
            target = target.value
        return isinstance(target, ast.Name) and target.id == self.value

    def share(self, target, s):
        """A statement that changes the value."""
        for reason in self.control:
            if reason is not None:
                raise self.error(reason, reason.node)
        for share in self.shares_of(target, s):
            reason = self.reason(share)
            if reason is not None:
                raise self.error(reason, reason.node if reason.stored else share)

    def shares_of(self, target, s) -> list:
        """The shares in `t += share`, `t = t + share`, `t = max(t, share)`, `t = join(t, share)`."""
        if isinstance(s, ast.AugAssign):
            return [s.value]
        if self.spec.custom is not None or isinstance(target, ast.Subscript):  # any statement may be the join
            arguments = s.value.args if isinstance(s.value, ast.Call) else []
            others = [a for a in arguments if not self.is_itself(a)]
            return others if len(others) < len(arguments) else []
        operands, joins = [], None
        if isinstance(s.value, ast.BoolOp):
            operands, joins = s.value.values, "LAND" if isinstance(s.value.op, ast.And) else "LOR"
        elif isinstance(s.value, ast.BinOp):
            operands, joins = [s.value.left, s.value.right], SIGNS.get(type(s.value.op), ("", None))[1]
        elif isinstance(s.value, ast.Call):
            operands, joins = s.value.args, CALLS.get(ast.unparse(s.value.func).rpartition(".")[2])
        others = [o for o in operands if not self.is_itself(o)]
        minus = isinstance(s.value, ast.BinOp) and isinstance(s.value.op, ast.Sub) and not self.is_itself(operands[0])
        if joins != self.spec.reducers[0] or len(others) != len(operands) - 1 or minus:
            raise self.no_join(s)
        return others

    def no_join(self, s):
        op = self.spec.reducers[0]
        expected = STATEMENTS.get(op, "return x").format(t=self.value)
        return self.source.error(s, f"{self.value} is the value of the launch, which has op={op_of(op)!r}: a statement joins a share x to it "
                                 f"by `{expected}`")

    def is_itself(self, node) -> bool:
        return isinstance(node, ast.Name) and node.id == self.value

    # ---- expressions ----

    def reason(self, node) -> Reason | None:
        """Why a share must not depend on an expression; None: it may."""
        if isinstance(node, ast.Name):
            if node.id == self.value:
                return Reason(node)
            return self.tainted.get(node.id)
        if isinstance(node, ast.Attribute) and node.attr in WITHOUT_ELEMENTS:
            return None
        if isinstance(node, (ast.Subscript, ast.Attribute)):
            root = self.root_of(node)
            if root in self.stored:
                return Reason(node, root)
        if isinstance(node, ast.Call) and ast.unparse(node.func) != "len":
            for a in (*node.args, *[k.value for k in node.keywords]):
                if self.view_of(a) in self.stored:
                    return Reason(a, self.view_of(a))
        return next((r for r in map(self.reason, ast.iter_child_nodes(node)) if r is not None), None)

    def root_of(self, node) -> str | None:
        """The array of outside that an element, a part or a record belongs to."""
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and self.is_self(node.value.id):
                return f"{node.value.id}.{node.attr}"
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        return self.alias.get(node.id) or (node.id if isinstance(self.ref(node.id), ArrayRef) else None)

    def ref(self, name):
        return getattr(self.names.get(name), "ref", None)

    def is_self(self, name) -> bool:
        return isinstance(self.ref(name), Self)

    def view_of(self, node) -> str | None:
        """The array of outside that an expression is, or is a part or a record of; None: it is a number, or something else."""
        root = self.root_of(node)
        if root is None or isinstance(node, ast.Name):
            return root
        array = getattr(self.ref(root), "array", None)
        if array is None:  # an attribute of an object: as a whole
            return root if isinstance(node, ast.Attribute) else None
        return None if is_number_of(links(node), array.element, array.rank) else root

    # ---- calls that store ----

    def note_calls(self, node):
        """The arrays to which the calls in an expression store."""
        for call in (n for n in ast.walk(node) if isinstance(n, ast.Call) and self.stores_matter):
            names = [*range(len(call.args)), *[k.arg for k in call.keywords]]
            given = dict(zip(names, [*call.args, *[k.value for k in call.keywords]]))
            if "atomic" in ast.unparse(call.func):
                written = {0}
            else:
                written, members = written_by(self.source, call, self.names)
                self.stored |= members
            self.stored |= {root for n in written if n in given and (root := self.root_of(given[n])) is not None}

    def error(self, reason, node):
        if reason.stored:
            return self.source.error(node, f"what an index adds to {self.value} is read from {reason.stored}, which the body stores before: "
                                     "the body of a scan stores only after all is summed. Use a variable for what is stored and added")
        why = f"a scan first sums what all indices add, when {self.value} is not known" if self.spec.pattern == "scan" else \
            f"{self.value} is what some of the other indices have added"
        return self.source.error(node, f"what an index adds to {self.value} depends on {self.value}: {why}. Launch a kernel of one index with a loop")


def name_of(node) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return getattr(node, "id", "")


def written_by(source, call, names) -> tuple[set, set]:
    """The arguments of a call (numbers, or names of keywords) to whose elements it stores, and the attributes of the kernel's object."""
    function, first, me = None, 0, None
    if isinstance(call.func, ast.Name):
        function = source.lookup(call.func.id)
    elif isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
        ref = getattr(names.get(call.func.value.id), "ref", None)
        if isinstance(ref, Self):
            me = call.func.value.id
            function, first = getattr(type(ref.object), call.func.attr, None), 1
        else:
            function = getattr(source.lookup(call.func.value.id), call.func.attr, None)
    function = of_user(function)
    if function is None:
        return set(), set()
    parameters, members = stores_of(function)
    formal = [a.arg for a in source_of(function).tree.args.args]
    written = {p for name in parameters for p in (formal.index(name) - first, name)}
    return written, {f"{me}.{m}" for m in members} if me else set()


def of_user(called):
    """The Python function that is called, if it is one of the user's own."""
    function = getattr(called, "function", called)
    own = isinstance(function, pytypes.FunctionType) and (function.__module__ or "").split(".")[0] not in ("numpy", "minx", "math")
    return function if own else None


def stores_of(function, seen=()) -> tuple[set, set]:
    """The parameters to whose elements a function stores, and attributes of its first parameter."""
    if function in seen:
        return set(), set()
    source = source_of(function)
    formal = [a.arg for a in source.tree.args.args]
    alias, parameters, members = {name: name for name in formal}, set(), set()

    def note(place):
        name, nodes = alias.get(name_of(place)), links(place)
        if name is None:
            return
        parameters.add(name)
        if nodes and isinstance(nodes[-1], ast.Attribute) and name == formal[0]:
            members.add(nodes[-1].attr)

    for n in ast.walk(source.tree):
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and name_of(n.value) in alias:
            alias[n.targets[0].id] = alias[name_of(n.value)]
    for n in ast.walk(source.tree):
        if isinstance(n, (ast.Subscript, ast.Attribute)) and isinstance(n.ctx, ast.Store):
            note(n)
        elif isinstance(n, ast.Call) and "atomic" in ast.unparse(n.func) and n.args:
            note(n.args[0])
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Name):
            inner = of_user(source.lookup(n.func.id))
            if inner is not None:
                below = [a.arg for a in source_of(inner).tree.args.args]
                for name in stores_of(inner, (*seen, function))[0]:
                    at = below.index(name)
                    given = n.args[at] if at < len(n.args) else next((k.value for k in n.keywords if k.arg == name), None)
                    if given is not None:
                        note(given)
    return parameters, members
