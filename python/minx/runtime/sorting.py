"""The kit's sorts (minx/kit/sort.h), of arrays that a context accesses: with all of its threads, or on its GPU. They are
stable, so equal keys keep their order. A NumPy array on hosts is sorted when these functions return; on a GPU after
ctx.fence()."""

from __future__ import annotations

from .arguments import view_of
from .library import libminx
from .structures import Handle


def _handle(array, ctx, name):
    return Handle(0, 0) if array is None else view_of(array, ctx, name).handle


def bin_sort(ctx, bins, order, offsets=None) -> None:
    """order: i32, becomes the items in the order of their bins. bins: numbers; with offsets (i32, one more than there
    are bins) i32 from 0, and bin b has the items order[offsets[b]:offsets[b + 1]]."""
    given = (_handle(a, ctx, name) for a, name in ((bins, "bins"), (offsets, "offsets"), (order, "order")))
    libminx().mx_bin_sort(ctx.handle, *given)


def permute(ctx, destination, source, index) -> None:
    """destination[k] = source[index[k]], of rows of any type and rank."""
    given = (_handle(a, ctx, name) for a, name in ((destination, "destination"), (source, "source"), (index, "index")))
    libminx().mx_permute(ctx.handle, *given)
