"""Which arguments of a team kernel share memory: its barriers depend on it."""

from __future__ import annotations

import math

from .. import runtime


def shared_memory(args) -> tuple:
    """For each argument a number, the same for arrays that may share memory; () if none do."""
    arrays = [(n, *bounds(a)) for n, a in enumerate(args) if runtime.is_array(a)]
    groups = list(range(len(args)))
    for n, begin, end in arrays:
        for m, other_begin, other_end in arrays:
            if m < n and begin < other_end and other_begin < end:
                low = min(groups[n], groups[m])
                groups = [low if g in (groups[n], groups[m]) else g for g in groups]
    return () if groups == list(range(len(args))) else tuple(groups)


def bounds(array) -> tuple[int, int]:
    """The first address of an array's memory, and the one behind it."""
    if isinstance(array, runtime.View):
        begin, shape, strides, size = array.address or 0, array.shape, array.strides, array.itemsize
    else:
        d = runtime.describe(array)
        begin, shape, strides, size = d.address, d.shape, d.strides, d.dtype.itemsize
        if strides is None:
            strides = [size * math.prod(shape[n + 1:]) for n in range(len(shape))]
    if 0 in shape:
        return begin, begin
    spans = [s * (n - 1) for s, n in zip(strides, shape)]
    return begin + sum(min(s, 0) for s in spans), begin + sum(max(s, 0) for s in spans) + size
