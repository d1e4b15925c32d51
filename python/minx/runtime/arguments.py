"""Arrays as arguments of launches: what type they have for a kernel, their view, and whether they are still what was bound."""

from __future__ import annotations

import numpy as np

from . import arrays
from .structures import LEFT, RIGHT, STRIDE
from .view import View


def is_array(value) -> bool:
    """A View, or an array of another library."""
    return isinstance(value, View) or arrays.is_array(value)


def array_type(value, ctx, name: str) -> tuple[np.dtype, int, str]:
    """(type of the elements, rank, letter of the accessor: '' the layout of the context, l or r another one, s strides)."""
    if isinstance(value, View):
        order = 0 if value.ndim <= 1 and value.layout != STRIDE else value.layout
        return value.dtype, value.ndim, _letter(order, ctx)
    described = arrays.describe(value, name)
    return described.dtype, len(described.shape), _letter(arrays.order_of(described), ctx)


def _letter(order: int, ctx) -> str:
    return "" if order in (0, ctx.layout) else {STRIDE: "s", LEFT: "l", RIGHT: "r"}[order]


def view_of(value, ctx, label: str):
    """What has the view of an argument: a handle, and held, which launches are bound to."""
    return value if isinstance(value, View) else arrays.wrap(value, ctx, label)


def state_of(value):
    """What of an array can be changed in place and must be as it was bound; None: nothing. NumPy does not resize an array with weak
    references (arrays.py has one), so its address stays."""
    if isinstance(value, View):
        return None
    if isinstance(value, np.ndarray):
        return value.shape, value.strides, value.dtype, value.flags.writeable
    return arrays.describe(value)
