"""What an index adds to the value of a scan, its share. The body runs twice for an index: first all shares are summed, then the body
runs with the value of the indices before, and stores. So a share must not depend on that value, nor on what the body itself stores."""

from __future__ import annotations

import ast


def check_shares(source, value: str, stores_by_hand: bool) -> None:
    """Raises an error for a share that depends on the scan's value or, unless the kernel guards its stores, on its own stores."""
    depends = dependent_names(source.tree, value)
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.If, ast.While)) and reads(node.test, depends) and changes(node.body + node.orelse, value):
            raise error(source, node.test, value)
        for share in shares_of(node, value):
            if reads(share, depends):
                raise error(source, share, value)
            element = None if stores_by_hand else stored_before(source.tree, share)
            if element is not None:
                raise source.error(element, f"what an index adds to {value} is read from {element.value.id}, which the body stores before: "
                                            "the body of a scan stores only after all is summed. Use a variable for what is stored and added")


def error(source, node, value):
    return source.error(node, f"what an index adds to {value} depends on {value}: a scan first sums what all indices add, when {value} is "
                              "not known. Launch a kernel of one index with a loop")


def shares_of(node, value: str) -> list:
    """The shares in `value += share`, and in `value = join(value, share)`."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == value:
        return [node.value]
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == value \
            and isinstance(node.value, ast.Call):
        return [a for a in node.value.args if not (isinstance(a, ast.Name) and a.id == value)]
    return []


def dependent_names(tree, value: str) -> set:
    """The value, and variables that are computed from it."""
    found, before = {value}, 0
    while len(found) != before:
        before = len(found)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) and node.value is not None and reads(node.value, found):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found |= {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return found


def reads(node, names: set) -> bool:
    return any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in names for n in ast.walk(node))


def changes(statements, value: str) -> bool:
    return any(shares_of(n, value) for s in statements for n in ast.walk(s))


def stored_before(tree, share):
    """An element in the share, of an array that a statement in front of it stores; None: there is none."""
    for read in (n for n in ast.walk(share) if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)):
        for n in ast.walk(tree):
            if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name) \
                    and n.value.id == read.value.id and (n.lineno, n.col_offset) < (share.lineno, share.col_offset):
                return read
    return None
