"""Arrays as arguments of launches: what type they have for a kernel, their view, and whether they are still what was
bound."""

from __future__ import annotations

import numpy as np

from ..errors import Error
from . import arrays
from .structures import LEFT, RIGHT, SPACE_NAMES, STRIDE, element_type
from .view import View


def is_array(value) -> bool:
    """A View, or an array of another library."""
    return isinstance(value, View) or arrays.is_array(value)


def dtype_of(value) -> np.dtype:
    """The type of the elements of a View or an array of another library."""
    return value.dtype if isinstance(value, (View, np.ndarray)) else arrays.describe(value).dtype


def array_type(value, ctx, name: str) -> tuple[np.dtype, int, str]:
    """(type of the elements, rank, letter of the accessor: '' the layout of the context, l or r another one, s
    strides)."""
    dtype = value.dtype if isinstance(value, (View, np.ndarray)) else None
    if dtype is not None:
        element_type(dtype, name)
    if type(value) is np.ndarray and value.flags.aligned:
        return dtype, value.ndim, _letter(arrays.order_of_flags(value.flags), ctx)
    if isinstance(value, View):
        order = 0 if value.ndim <= 1 and value.layout != STRIDE else value.layout
        return value.dtype, value.ndim, _letter(order, ctx)
    described = arrays.describe(value, name)
    return described.dtype, len(described.shape), _letter(arrays.order_of(described), ctx)


def _letter(order: int, ctx) -> str:
    return "" if order in (0, ctx.layout) else {STRIDE: "s", LEFT: "l", RIGHT: "r"}[order]


def view_of(value, ctx, label: str):
    """What has the view of an argument: a handle, and held, which launches are bound to."""
    if not isinstance(value, View):
        return arrays.wrap(value, ctx, label)
    if value.space not in ctx.accessible and not value.held.ended:
        space = SPACE_NAMES[value.space]
        raise Error("MX_ERR_SPACE", f"{label}: the view '{value.label}' is in {space} memory, which kernels of "
                    f"{ctx.backend} do not access: pass ctx.array(view.numpy()), a copy for this context")
    return value


def is_writable(value) -> bool:
    """May kernels write it?"""
    if isinstance(value, View):
        return not value.readonly
    return value.flags.writeable if isinstance(value, np.ndarray) else arrays.describe(value).writable


def state_of(value):
    """What of an array can be changed in place and must be as it was bound; None: nothing. NumPy does not resize an
    array with weak references (arrays.py has one), so its address stays."""
    if isinstance(value, View):
        return None
    if isinstance(value, np.ndarray):
        return value.shape, value.strides, value.dtype, value.flags.writeable
    return arrays.describe(value)
