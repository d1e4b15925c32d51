"""Where a translated function declares its variables, and the lines of its text."""

from __future__ import annotations

from .. import types as T
from .values import Val, c_name, c_string
from ..types import Struct


class Block:
    """A block of C: the body of a function, of a loop, of a branch."""

    def __init__(self, parent=None):
        self.parent, self.children = parent, []
        if parent is not None:
            parent.children.append(self)

    def above(self):
        block = self
        while block is not None:
            yield block
            block = block.parent


class Places:
    """A variable is declared in the innermost block that has all of it, or in several blocks that each begin with an
    assignment to it. What one pass finds, the next uses."""

    def next_block_number(self):
        self.block_number += 1
        return self.block_number

    def occurs(self, name: str, assigned: bool):
        self.occurrences.setdefault(name, []).append((self.block, assigned))

    def place_all(self) -> dict:
        return {name: self.place(uses) for name, uses in self.occurrences.items()}

    def place(self, uses) -> dict:
        """block number -> declared by its first assignment (True) or at its begin (False)"""
        chains = [list(block.above())[::-1] for block, _ in uses]
        depth = 0
        while all(len(c) > depth + 1 for c in chains) and len({id(c[depth + 1]) for c in chains}) == 1:
            depth += 1
        home = chains[0][depth]
        inside = [(block, assigned) for block, assigned in uses]
        if any(block is home for block, _ in inside):
            first_block, assigned = inside[0]
            return {home.number: first_block is home and assigned}
        parts: dict = {}
        for block, assigned in inside:
            child = list(block.above())[::-1][depth + 1]
            parts.setdefault(id(child), []).append((block, assigned))
        placed = [self.place(part) for part in parts.values()]
        if all(all(first for first in p.values()) for p in placed):
            return {number: True for p in placed for number in p}
        return {home.number: False}

    def declaration(self, name: str):
        """The block that declares a variable here, from the pass before."""
        if self.is_parameter(name):
            return self.root, False
        places = self.last_places.get(name, {})
        for block in self.block.above():
            if block.number in places:
                return block, places[block.number]
        return None, False

    def is_parameter(self, name):
        """An argument or index that the body changes: a variable that its head declares."""
        bound = self.names.get(name)
        return isinstance(bound, Val) and self.is_value(bound.type)

    def declare_here(self):
        """Variables that are declared where this block begins."""
        for name, places in self.last_places.items():
            t = self.types.get(name)
            if places.get(self.block.number) is False and self.is_value(t) and not self.is_parameter(name):
                start = "" if isinstance(t, Struct) or T.is_complex(t) else " = 0"
                self.line(f"{self.c_type(t)} {c_name(name)}{start};")
                self.declared[(self.block.number, name)] = True

    def enter(self):
        self.block = Block(self.block)
        self.block.refs = dict(self.local_refs)  # names for arrays that this block makes end with it
        self.block.number = self.next_block_number()
        self.depth += 1
        self.declare_here()

    def leave(self):
        self.local_refs = self.block.refs
        self.block = self.block.parent
        self.depth -= 1

    def line(self, text: str, node=None):
        if node is not None and (self.spec.debug or self.spec.checked):
            self.lines.append(f"#line {node.lineno} {c_string(self.source.file)}")
        self.lines.append("    " * self.depth + text)

    def placed(self, lines: list) -> list:
        """Lines of C that no statement of Python stands for: for debuggers they are at the head of the function. Of
        none, only that place."""
        mark = (
            [f"#line {self.source.tree.lineno} {c_string(self.source.file)}"]
            if self.spec.debug or self.spec.checked
            else []
        )
        return [text for line in lines for text in (*mark, line)] or mark

    def new(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}_{self.counter}"

    def error(self, node, message):
        return self.source.error(node, message)
