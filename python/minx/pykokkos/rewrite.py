"""What is written in another way before a workunit is translated: names in inner functions, returns, lists.

Functions inside of workunits have variables of their own. The translation writes their bodies where they are called, in
one C function; so a variable of an inner function that has the name of another gets a new name first."""

from __future__ import annotations

import ast
import copy
import functools

from ..language.source import Source

FUNCTIONS = (ast.FunctionDef, ast.Lambda)


def body_of(function) -> list:
    return function.body if isinstance(function.body, list) else [function.body]


def inner_functions(function):
    """Those directly inside of it."""
    found = []

    def visit(node):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FUNCTIONS):
                found.append(child)
            else:
                visit(child)

    for statement in body_of(function):
        if isinstance(statement, FUNCTIONS):
            found.append(statement)
        else:
            visit(statement)
    return found


def own_nodes(function):
    """All nodes of its body, without those of inner functions."""
    todo = list(body_of(function))
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, FUNCTIONS):
            todo.extend(ast.iter_child_nodes(node))


def own_names(function) -> set:
    """The variables of a function: parameters, and what it assigns."""
    nonlocals = {name for n in own_nodes(function) if isinstance(n, (ast.Nonlocal, ast.Global)) for name in n.names}
    assigned = {n.id for n in own_nodes(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    functions = {n.name for n in own_nodes(function) if isinstance(n, ast.FunctionDef)}
    return {a.arg for a in function.args.args} | (assigned - nonlocals) | functions


def all_names(node) -> list:
    """Names in a tree, as often as they are there."""
    return [
        n.id if isinstance(n, ast.Name) else n.arg if isinstance(n, ast.arg) else n.name
        for n in ast.walk(node)
        if isinstance(n, (ast.Name, ast.arg, ast.FunctionDef))
    ]


def rename(function, names: dict):
    """Gives variables of a function new names, also where functions inside of it use them."""
    for a in function.args.args:
        a.arg = names.get(a.arg, a.arg)
    for node in own_nodes(function):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.Nonlocal):
            node.names = [names.get(n, n) for n in node.names]
        elif isinstance(node, FUNCTIONS):
            if isinstance(node, ast.FunctionDef):
                node.name = names.get(node.name, node.name)
            own = own_names(node)
            rename(node, {old: new for old, new in names.items() if old not in own})


@functools.lru_cache(maxsize=1024)
def rewritten(source: Source) -> Source:
    """The source with names that mean one thing each, and lists written out; the source itself if it has neither inner
    functions nor lists."""
    if not any(isinstance(n, (*FUNCTIONS, ast.List)) for s in body_of(source.tree) for n in ast.walk(s)):
        return source
    made = copy.copy(source)
    made.tree = Lists().visit(copy.deepcopy(source.tree))
    separate_scopes(made.tree)
    for function in [n for n in ast.walk(made.tree) if isinstance(n, ast.FunctionDef) and n is not made.tree]:
        function.body = without_returns(function.body, source)
    return made


class Lists(ast.NodeTransformer):
    """[x] * 3 becomes [x, x, x], and the elements of `name: List[float] = [...]` floats."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        a, b = node.left, node.right
        if isinstance(b, ast.List):
            a, b = b, a
        if (
            isinstance(node.op, ast.Mult)
            and isinstance(a, ast.List)
            and isinstance(b, ast.Constant)
            and isinstance(b.value, int)
        ):
            return ast.copy_location(
                ast.List([copy.deepcopy(e) for _ in range(b.value) for e in a.elts], ast.Load()), node
            )
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.List) and isinstance(node.annotation, ast.Subscript):
            node.value.elts = [
                ast.copy_location(ast.Call(copy.deepcopy(node.annotation.slice), [e], []), e) for e in node.value.elts
            ]
        return node


def separate_scopes(tree):
    number = 0

    def separate(function):
        nonlocal number
        for inner in inner_functions(function):
            everywhere, here = all_names(tree), all_names(inner)
            new = {}
            for name in sorted(own_names(inner)):
                if everywhere.count(name) > here.count(name):
                    number += 1
                    new[name] = f"{name}_{number}"
                    while new[name] in everywhere:
                        new[name] += "x"
            rename(inner, new)
            separate(inner)

    separate(tree)


def returns_in(node) -> bool:
    """Does a statement have a `return` of the function that it is in?"""
    if isinstance(node, ast.Return):
        return True
    return not isinstance(node, FUNCTIONS) and any(returns_in(child) for child in ast.iter_child_nodes(node))


def without_returns(statements, source) -> list:
    """The same statements without a `return` before the end: what follows `if test: return` moves into an else. Bodies
    of parallel loops become bodies of C loops, which have no return."""
    out = []
    for n, s in enumerate(statements):
        if isinstance(s, ast.Return):
            return out + [s]
        if isinstance(s, ast.If) and returns_in(s):
            rest = list(statements[n + 1 :])
            s.body, s.orelse = (
                without_returns(list(part) + copy.deepcopy(rest), source) for part in (s.body, s.orelse)
            )
            for part in (s.body, s.orelse):
                if part and isinstance(part[-1], ast.Return) and part[-1].value is None:
                    part[-1] = ast.copy_location(ast.Pass(), part[-1])
            return out + [s]
        if returns_in(s):
            raise source.error(s, "`return` inside of a loop of a function that runs in parallel: use a variable")
        out.append(s)
    return out
