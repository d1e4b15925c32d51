"""Views: a NumPy array with the methods that PyKokkos' views have. Copies of a View object, and its parts, are the same
memory."""

from __future__ import annotations

import enum

import numpy as np

from .. import runtime
from ..runtime.arrays import describe
from . import spaces
from .datatypes import dtype_of
from .spaces import ExecutionSpace, MemorySpace


class Layout(enum.Enum):
    LayoutRight, LayoutLeft, LayoutDefault = "right", "left", "default"


class Trait(enum.Enum):
    """Atomic: stores and `a[i] += x` in workunits are atomic. The others are promises, which change nothing here."""

    TraitDefault, Managed, Unmanaged, Atomic, RandomAccess, Restrict = (
        "default",
        "managed",
        "unmanaged",
        "atomic",
        "random",
        "restrict",
    )


LAYOUTS = {"right": runtime.RIGHT, "left": runtime.LEFT}


class ViewTypeInfo:
    """What a decorator says of a view: @pk.workunit(x=pk.ViewTypeInfo(trait=pk.Atomic)). Layout and space are seen from
    the view."""

    def __init__(self, *, space=None, layout=None, trait=None):
        self.space, self.layout, self.trait = space, layout, trait


def is_ordinary(array) -> bool:
    """Is it a NumPy array in memory that only hosts access?"""
    return isinstance(array, np.ndarray) and describe(array).space == runtime.HOST


def allocate(shape, dtype, space, layout) -> np.ndarray:
    """An array of zeros that kernels of a space access."""
    shape = tuple(int(n) for n in shape)
    ctx = (
        "python"
        if space is MemorySpace.HostSpace
        else spaces.context(
            ExecutionSpace.Cuda
            if space in (MemorySpace.CudaSpace, MemorySpace.CudaUVMSpace)
            else (
                ExecutionSpace.HIP
                if space in (MemorySpace.HIPSpace, MemorySpace.HIPManagedSpace)
                else ExecutionSpace.Default
            )
        )
    )
    if ctx == "python" or ctx.host or 0 in shape or not shape:
        return np.zeros(shape, dtype, "F" if layout is Layout.LayoutLeft else "C")
    view = ctx.zeros(shape, dtype, "view", LAYOUTS.get(layout.value, 0), runtime.MANAGED)
    ctx.fence()
    return view.array()


def _layout(layout):
    if layout is None:
        return Layout.LayoutDefault
    if not isinstance(layout, Layout):
        raise TypeError(f"expected pk.LayoutLeft or pk.LayoutRight, got {layout!r}")
    return layout


def get_default_layout(space: MemorySpace = MemorySpace.MemorySpaceDefault) -> Layout:
    """The layout of views in a memory space that name none."""
    if space is MemorySpace.MemorySpaceDefault:
        space = spaces.get_default_memory_space()
    return Layout.LayoutRight if space is MemorySpace.HostSpace else Layout.LayoutLeft


class View:
    """View([n, m], dtype=pk.double, space, layout, trait): 1 to 8 dimensions, filled with zeros. array: a NumPy array
    whose memory the view uses (host spaces only). data is the NumPy array; indices and slices are NumPy's, and a slice
    is a subview."""

    __slots__ = ("data", "trait", "space", "label", "__weakref__")
    __array_priority__ = 1.0

    def __init__(self, shape, dtype=None, space=None, layout=None, trait=None, array=None, label=""):
        if isinstance(shape, (int, np.integer)):
            shape = [shape]
        if not 1 <= len(shape) <= 8:
            raise ValueError(f"a view has 1 to 8 dimensions, got the shape {list(shape)}")
        if trait is not None and not isinstance(trait, Trait):
            raise TypeError(f"expected pk.Atomic or another trait, got {trait!r}")
        if space is not None and not isinstance(space, MemorySpace):
            raise TypeError(f"expected pk.HostSpace or another memory space, got {space!r}")
        self.trait, self.label = trait or Trait.TraitDefault, label
        self.space = space or MemorySpace.MemorySpaceDefault
        self.data = allocate(shape, dtype_of(dtype), self.space, _layout(layout)) if array is None else array

    @classmethod
    def of(cls, data, trait=None, space=None):
        """The view of an array's own memory."""
        view = View.__new__(View)
        view.data, view.trait, view.label = data, trait or Trait.TraitDefault, ""
        view.space = space or MemorySpace.MemorySpaceDefault
        return view

    def move(self, ctx):
        """Moves a view that names no space into memory that the kernels of a context access."""
        layout = runtime.LEFT if self.data.ndim > 1 and self.data.flags.f_contiguous else 0
        if self.data.ndim > 1 and self.data.flags.c_contiguous:
            layout = runtime.RIGHT
        moved = ctx.zeros(self.data.shape, self.data.dtype, "view", layout, runtime.MANAGED)
        ctx.fence()
        array = moved.array()
        array[...] = self.data
        self.data = array

    def __getitem__(self, key):
        part = self.data[_key(key)]
        return View.of(part, self.trait, self.space) if isinstance(part, np.ndarray) and part.ndim else part

    def __setitem__(self, key, value):
        self.data[_key(key)] = value.data if isinstance(value, View) else value

    def fill(self, value):
        """Sets all elements."""
        self.data.fill(value)

    def set(self, array):
        """Sets the elements to those of an array of the same shape."""
        self.data[...] = array.data if isinstance(array, View) else array

    def extent(self, dimension: int) -> int:
        return self.data.shape[dimension]

    def rank(self) -> int:
        return self.data.ndim

    @property
    def layout(self) -> Layout:
        return (
            Layout.LayoutLeft
            if self.data.flags.f_contiguous and not self.data.flags.c_contiguous
            else Layout.LayoutRight
        )

    def get_label(self) -> str:
        return self.label

    def resize(self, dimension: int, extent: int):
        """Changes one extent. Elements that both shapes have are kept; other references to the data keep the memory of
        before."""
        shape = list(self.data.shape)
        shape[dimension] = int(extent)
        new = allocate(shape, self.data.dtype, self.space, self.layout)
        both = tuple(slice(0, min(a, b)) for a, b in zip(shape, self.data.shape))
        new[both] = self.data[both]
        self.data = new

    def __copy__(self):
        return self  # views are references, as Kokkos'

    def __deepcopy__(self, memo):
        return self

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return (View.of(p, self.trait, self.space) if isinstance(p, np.ndarray) else p for p in self.data)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.data, dtype) if copy else np.asarray(self.data, dtype)

    def __repr__(self):
        return repr(np.asarray(self.data))

    def __str__(self):
        return str(np.asarray(self.data))

    def __getattr__(self, name):  # shape, dtype, sum(), ...: those of the array
        if name.startswith("__") or name in View.__slots__:
            raise AttributeError(name)
        return getattr(np.asarray(self.data), name)


def _key(key):
    return (
        tuple(k.data if isinstance(k, View) else k for k in key)
        if isinstance(key, tuple)
        else key.data if isinstance(key, View) else key
    )


def _operator(name):
    def operation(self, *others):
        result = getattr(np.asarray(self.data), name)(*[o.data if isinstance(o, View) else o for o in others])
        return result

    return operation


for _name in (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul neg abs lt le gt "
    "ge eq "
    "ne"
).split():
    setattr(View, f"__{_name}__", _operator(f"__{_name}__"))
View.__hash__ = object.__hash__


class Annotation:
    """View1D[pk.double]: a type in annotations. View1D([n], pk.double) makes a view of that rank."""

    rank = 0
    element = None

    def __class_getitem__(cls, element):
        return type(cls.__name__, (cls,), {"element": element})

    def __new__(cls, shape, *args, **options):
        view = View(shape, *args, **options)
        if view.rank() != cls.rank:
            raise ValueError(f"a {cls.__name__} has {cls.rank} extents, got {list(shape)}")
        return view


View1D, View2D, View3D, View4D, View5D, View6D, View7D, View8D = (
    type(f"View{n}D", (Annotation,), {"rank": n}) for n in range(1, 9)
)


def array(source, dtype=None, space=None, layout=None, trait=None, **_):
    """The view of a NumPy array, a list or a number. On host spaces an array is not copied, unless dtype or layout
    differ. Where kernels do not access ordinary memory, the view is a copy in managed memory."""
    if isinstance(source, View):
        source = source.data
    if hasattr(source, "__cuda_array_interface__") and not isinstance(source, np.ndarray):
        return View.of(source, trait, space or MemorySpace.CudaSpace)
    data = np.asarray(source, None if dtype is None else dtype_of(dtype))
    if data.ndim == 0:
        data = data.reshape(1)
    layout = _layout(layout)
    if layout is not Layout.LayoutDefault:
        data = np.asarray(data, order="F" if layout is Layout.LayoutLeft else "C")
    view = View.of(data, trait, space)
    if space is not MemorySpace.HostSpace:
        space_of = (
            ExecutionSpace.Cuda
            if space in (MemorySpace.CudaSpace, MemorySpace.CudaUVMSpace)
            else ExecutionSpace.Default
        )
        ctx = spaces.context(space_of)
        if ctx != "python" and not ctx.host:
            view.move(ctx)
    return view


asarray = from_numpy = from_array = array


def from_cupy(source):
    """The view of an array on a GPU, without a copy: CuPy's, PyTorch's, Numba's."""
    return array(source)


def deep_copy(destination: View, source):
    """Copies all elements of a view, an array or a number into a view."""
    destination.data[...] = source.data if isinstance(source, View) else source
