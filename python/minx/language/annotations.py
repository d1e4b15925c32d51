"""Annotations of a kernel's parameters: types of numbers, and arrays whose last extents are always the same."""

from __future__ import annotations

import inspect

import numpy as np

from .. import types as T
from .values import number_type

MOST_STATIC, LARGEST = 4, 4095  # of MX_ACCESSOR


class Array:
    """minx.Array[float, :, 3]: an array of float64 of two dimensions, the last of which is 3. Compilers then know the
    distance of its rows. A number stands for an extent that is always the same, `:` for any other; numbers are those of
    the last dimensions: at most four, each 1 to 4095. The first word is the type of the elements: float, int, minx.f32,
    numpy.int32, ...

    A launch with other elements or another rank is a TypeError, one with other extents a minx.Error (MX_ERR_EXTENT).

    >>> def length(i, out, x: minx.Array[float, :, 3]):
    ...     out[i] = (x[i, 0] ** 2 + x[i, 1] ** 2 + x[i, 2] ** 2) ** 0.5
    >>> out = np.zeros(1)
    >>> minx.parallel_for(1, length, out, np.array([[2.0, 3.0, 6.0]]))
    >>> out
    array([7.])
    """

    def __init__(self, element, extents):
        self.element, self.extents = element, extents

    def __class_getitem__(cls, key):
        key = key if isinstance(key, tuple) else (key,)
        element = np.dtype(key[0]) if isinstance(key[0], np.dtype) else number_type(key[0])
        element = T.of_dtype(element) if isinstance(element, np.dtype) else T.NP_BOOL if element == T.BOOL else element
        if element is None:
            raise TypeError(f"{key[0]!r} is no type of elements: float, int, minx.f32, numpy.int32, ...")
        extents = [None if e == slice(None) else e for e in key[1:]]
        static = [e for e in extents if e is not None]
        if static != extents[len(extents) - len(static):]:
            raise TypeError(
                "the extents that are numbers are those of the last dimensions, as in minx.Array[float, :, 3]"
            )
        if len(static) > MOST_STATIC or not all(isinstance(e, int) and 1 <= e <= LARGEST for e in static):
            raise TypeError(f"got extents {static}: expected at most {MOST_STATIC}, each 1 to {LARGEST}")
        return cls(element, tuple(extents))

    @property
    def static(self) -> tuple:
        return tuple(e for e in self.extents if e is not None)

    def __repr__(self):
        extents = [":" if e is None else str(e) for e in self.extents]
        return (
            f"minx.Array[{', '.join([self.element if isinstance(self.element, str) else str(self.element), *extents])}]"
        )

    def apply(self, where: str, given: T.Array) -> T.Array:
        """The type of an argument of type `given`, with the static extents. TypeError: it is another array."""
        if self.element != given.element:
            raise TypeError(f"{where} is declared {self}, got elements of {given.element}")
        if len(self.extents) != given.rank:
            raise TypeError(
                f"{where} is declared {self}, of {len(self.extents)} dimensions, got an array of {given.rank}"
            )
        return T.Array(given.element, given.rank, given.layout, self.static)


def annotations_of(function) -> dict:
    """The annotations of a function as objects, also where they are written as strings."""
    found = function.__annotations__
    if not any(isinstance(a, str) for a in found.values()):
        return found
    try:
        return inspect.get_annotations(function, eval_str=True)
    except Exception:  # names of a type checker only
        return found


def annotated(name: str, annotation, given, converts: bool):
    """The type of an argument with an annotation. converts: numbers are converted to it, whatever they are."""
    if isinstance(annotation, Array):
        if not isinstance(given, T.Array):
            raise TypeError(f"{name} is declared {annotation}, got a number")
        return annotation.apply(name, given)
    t = number_type(annotation)
    if t is None or not isinstance(given, str):
        return given
    if not converts and T.combine(T.kind(given), T.kind(t)) != T.kind(t):
        raise TypeError(f"{name} is declared {t}, got a {given}")
    return {"i64": T.INT, "f64": T.FLOAT}.get(t, t) if annotation in (int, float) else t
