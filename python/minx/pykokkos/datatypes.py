"""Types of numbers under the names that PyKokkos programs use, and Acc."""

from __future__ import annotations

import builtins

import numpy as np

from ..language.values import NumberType


class DataType:
    """pk.DataType.double and so on; also without DataType."""

    int8, int16, int32, int64 = (NumberType(f"i{n}") for n in (8, 16, 32, 64))
    uint8, uint16, uint32, uint64 = (NumberType(f"u{n}") for n in (8, 16, 32, 64))
    double = float64 = NumberType("f64")
    float = float32 = NumberType("f32")
    bool = NumberType("bool")
    real = double


class DataTypeClass:
    """In annotations: a type of numbers that is an argument."""


int8, int16, int32, int64 = DataType.int8, DataType.int16, DataType.int32, DataType.int64
uint8, uint16, uint32, uint64 = DataType.uint8, DataType.uint16, DataType.uint32, DataType.uint64
double = float64 = DataType.double
float = float32 = DataType.float
bool = DataType.bool
real = double
_precision = double


def set_default_precision(precision):
    """The type of views that name none: pk.float or pk.double."""
    global _precision
    if dtype_of(precision).kind != "f":
        raise TypeError(f"set_default_precision takes pk.float or pk.double, got {precision!r}")
    _precision = precision


def get_default_precision():
    return _precision


def dtype_of(t) -> np.dtype:
    """NumPy's type for one that a program names: pk.double, numpy.float64, float, or int, which is C's."""
    if t is None:
        t = _precision
    if isinstance(t, NumberType):
        return t.dtype
    return np.dtype({builtins.int: np.int32, builtins.float: np.float64, builtins.bool: np.bool_}.get(t, t))


class Acc:
    """pk.Acc[float] is the annotation of the value of a reduction or scan: acc += share adds to it. On the space Debug,
    workunits get such an object."""

    value_type = builtins.float

    def __class_getitem__(cls, value_type):
        return type("Acc", (cls,), {"value_type": value_type})

    def __init__(self, value=0):
        self.value = value

    def __iadd__(self, other):
        self.value = self.value + plain(other)
        return self

    def __isub__(self, other):
        self.value = self.value - plain(other)
        return self

    def __add__(self, other):
        return self.value + plain(other)

    __radd__ = __add__

    def __sub__(self, other):
        return self.value - plain(other)

    def __rsub__(self, other):
        return plain(other) - self.value

    def __mul__(self, other):
        return self.value * plain(other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.value / plain(other)

    def __neg__(self):
        return -self.value

    def __lt__(self, other):
        return self.value < plain(other)

    def __le__(self, other):
        return self.value <= plain(other)

    def __gt__(self, other):
        return self.value > plain(other)

    def __ge__(self, other):
        return self.value >= plain(other)

    def __eq__(self, other):
        return self.value == plain(other)

    def __float__(self):
        return builtins.float(self.value)

    def __int__(self):
        return builtins.int(self.value)

    def __index__(self):
        return self.value.__index__()

    def __repr__(self):
        return repr(self.value)


def plain(value):
    """The number of an Acc."""
    return value.value if isinstance(value, Acc) else value
