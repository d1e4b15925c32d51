"""Scatter views: for kernels whose items add to the same elements of an array (minx/kit/scatter.h)."""

from __future__ import annotations

import ctypes

import numpy as np

from .. import runtime
from .. import types as T
from ..language.scatter import OPERATORS, ScatterType

BYTES = 64  # of mx_scatter, and some more
JOIN = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}


class Scatter:
    """A scatter view for an array, an argument of kernels:

        bins = np.zeros(10)
        s = minx.Scatter(bins)                       # on hosts a copy for each thread, on GPUs atomics
        minx.parallel_for(n, histogram, s, x)        # in the kernel: s.add(b, 1.0); s.add((i, j), x) for two dimensions
        s.contribute()                               # adds the sums to bins, and begins again from 0

    target: an array or view of rank 1 or more, of f64, f32, i32, i64, u32 or u64. op: sum, prod, min or max.
    ctx: the context whose kernels use it; None: the default one; "python": for plain runs.
    TypeError: other elements. ValueError: another op. minx.Error as of mx_scatter_create.

    >>> def histogram(i, bins, x):
    ...     bins.add(x[i], 1)
    >>> bins = np.zeros(3, np.int64)
    >>> scatter = minx.Scatter(bins)
    >>> minx.parallel_for(4, histogram, scatter, np.array([0, 2, 2, 1]))
    >>> scatter.contribute()
    >>> bins
    array([1, 1, 2])
    """

    def __init__(self, target, op="sum", ctx=None):
        if op not in OPERATORS:
            raise ValueError(f"no operator {op!r}: expected one of {', '.join(OPERATORS)}")
        self.target, self.op = target, op
        self.ctx = runtime.default() if ctx is None else ctx
        if self.ctx == "python":
            self.plain = self._identities(np.asarray(target))
            return
        dtype, rank, layout = runtime.array_type(target, self.ctx, "the target of a scatter view")
        element = T.of_dtype(dtype)
        if element not in ("f64", "f32", "i32", "i64", "u32", "u64"):
            raise TypeError(f"a scatter view of {dtype}: expected f64, f32, i32, i64, u32 or u64")
        self.type = ScatterType(T.Array(element, rank, layout), op.upper())
        self.buffer = ctypes.create_string_buffer(BYTES)
        lib = runtime.libminx()
        view = runtime.view_of(target, self.ctx, "scatter")
        lib.mx_scatter_create_(self.ctx.handle, view.handle, OPERATORS.index(op), self.buffer)
        buffer = self.buffer
        self.held = runtime.Held(self, lambda: lib.mx_scatter_destroy(buffer))

    @property
    def address(self) -> int:
        """Of the mx_scatter."""
        return ctypes.addressof(self.buffer)

    def add(self, index, value) -> None:
        """target[index] joined with value, by contribute(): of kernels. Outside of them only in plain Python."""
        join = JOIN[self.op]
        self.plain[index] = join(self.plain[index], self.plain.dtype.type(value))

    def contribute(self) -> None:
        """Joins what items added to the elements of the target, and begins again. It does not wait for the kernels."""
        if self.ctx == "python":
            JOIN[self.op](self.target, self.plain, out=self.target)
            self.plain = self._identities(self.plain)
            return
        view = runtime.view_of(self.target, self.ctx, "scatter")
        runtime.libminx().mx_scatter_contribute(self.ctx.handle, self.buffer, view.handle)

    def reset(self) -> None:
        """Forgets what items added."""
        if self.ctx == "python":
            self.plain = self._identities(self.plain)
        else:
            runtime.libminx().mx_scatter_reset(self.ctx.handle, self.buffer)

    def _identities(self, like) -> np.ndarray:
        kind = like.dtype.kind
        low, high = (-np.inf, np.inf) if kind == "f" else (np.iinfo(like.dtype).min, np.iinfo(like.dtype).max)
        return np.full(like.shape, {"sum": 0, "prod": 1, "min": high, "max": low}[self.op], like.dtype)
