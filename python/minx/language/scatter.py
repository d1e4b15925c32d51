"""Scatter views in kernels (minx/kit/scatter.h): s.add(index, value) joins a value to an element, to which other items
add, too."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .. import types as T
from ..types import INT
from .values import ATTRIBUTES, Method, Val, strip

OPERATORS = ("sum", "prod", "min", "max")


@dataclass(frozen=True)
class ScatterType:
    """The type of an argument that is a scatter view: of arrays of this type, joined by SUM, PROD, MIN or MAX."""

    array: T.Array
    reducer: str

    @property
    def member(self) -> str:
        """As an entry of MX_ARGS."""
        return f"MX_SCATTER_OF({self.array.accessor(False)}, MX_{self.reducer})"


@dataclass
class ScatterRef:
    """A scatter view in a kernel; code: the member of its arguments."""

    code: str
    type: ScatterType
    name: str


def attribute(t, node, ref: ScatterRef) -> Val:
    if node.attr != "add":
        raise t.error(node, f"a scatter view has add(index, value) in kernels, not {node.attr}")
    return Val("", None, ref=Method(lambda t, call, statement: add(t, call, ref, statement)))


def add(t, node, ref: ScatterRef, statement):
    if len(node.args) != 2 or node.keywords or not statement:
        raise t.error(node, "add takes an index (a tuple for several dimensions) and a value, and gives nothing")
    parts = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else [node.args[0]]
    if len(parts) != ref.type.array.rank:
        raise t.error(node.args[0], f"{len(parts)} ind{'ices' if len(parts) > 1 else 'ex'} for a scatter view of "
                                    f"{ref.type.array.rank} dimension{'s' * (ref.type.array.rank > 1)}")
    indices = []
    for part in parts:
        index = t.number(part)
        if not T.is_integer(index.type):
            raise t.error(part, f"an index is an integer, got a {index.type}")
        t.note_index(part)
        indices.append(strip(t.cast(index, INT)))
    value = strip(t.cast(t.number(node.args[1]), ref.type.array.element, node.args[1]))
    return Val(f"MX_SCATTER({ref.code}, {value}, {', '.join(indices)})")


ATTRIBUTES[ScatterRef] = attribute
