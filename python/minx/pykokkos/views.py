"""Views, in host memory: a NumPy array with the methods that PyKokkos' views have."""

from __future__ import annotations

import enum

import numpy as np

from ..language.values import NumberType

int8, int16, int32, int64 = (NumberType(f"i{n}") for n in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (NumberType(f"u{n}") for n in (8, 16, 32, 64))
double = float64 = real = NumberType("f64")
float = float32 = NumberType("f32")
bool = NumberType("bool")


class DataTypeClass:
    pass


class DataType:
    int8, int16, int32, int64, uint8, uint16, uint32, uint64 = int8, int16, int32, int64, uint8, uint16, uint32, uint64
    double, float, bool = double, float, bool


class Layout(enum.Enum):
    LayoutRight, LayoutLeft, LayoutDefault = "right", "left", "default"


LayoutRight, LayoutLeft = Layout.LayoutRight, Layout.LayoutLeft


class MemorySpace(enum.Enum):
    HostSpace, CudaSpace, CudaUVMSpace = range(3)


HostSpace, CudaSpace, CudaUVMSpace = MemorySpace.HostSpace, MemorySpace.CudaSpace, MemorySpace.CudaUVMSpace


class Trait(enum.Enum):
    Managed, Unmanaged, Atomic, RandomAccess, Restrict = range(5)


class ViewTypeInfo:
    def __init__(self, *, space=None, layout=None, trait=None):
        self.space, self.layout, self.trait = space, layout, trait


def dtype_of(t):
    return np.dtype({int: np.int32}.get(t, t) if not isinstance(t, NumberType) else t.dtype)


class View:
    pk_view = True

    def __init__(self, shape, dtype=double, space=None, layout=None, trait=None, array=None):
        order = "F" if layout is LayoutLeft else "C"
        self.data = np.zeros([int(n) for n in shape], dtype_of(dtype), order) if array is None else array
        self.trait = trait

    @classmethod
    def of(cls, data):
        view = View.__new__(View)
        view.data, view.trait = data, None
        return view

    def __getitem__(self, key):
        part = self.data[key]
        return View.of(part) if isinstance(part, np.ndarray) else part

    def __setitem__(self, key, value):
        self.data[key] = value.data if isinstance(value, View) else value

    def fill(self, value):
        self.data.fill(value)

    def extent(self, d):
        return self.data.shape[d]

    def rank(self):
        return self.data.ndim

    def resize(self, d, n):
        shape = list(self.data.shape)
        shape[d] = n
        new = np.zeros(shape, self.data.dtype)
        both = tuple(slice(0, min(a, b)) for a, b in zip(shape, self.data.shape))
        new[both] = self.data[both]
        self.data = new

    def __deepcopy__(self, memo):
        return self  # views are references, as Kokkos'

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return (View.of(p) if isinstance(p, np.ndarray) else p for p in self.data)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.data, dtype)

    def __repr__(self):
        return repr(self.data)

    def __str__(self):
        return str(self.data)

    def __getattr__(self, name):  # shape, dtype, sum(), ...: those of the array
        if name == "data":
            raise AttributeError(name)
        return getattr(self.data, name)


class Annotation:
    """View1D[double] in an annotation."""

    def __class_getitem__(cls, item):
        return cls


View1D, View2D, View3D, View4D, View5D, View6D, View7D, View8D = (type(f"View{n}D", (Annotation,), {}) for n in range(1, 9))


def array(a, *_, **__):
    return View.of(np.asarray(a))


asarray = from_numpy = array
