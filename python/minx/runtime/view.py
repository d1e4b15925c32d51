"""Views: memory of minx's own, parts of it, and memory of other libraries that a view was made of."""

from __future__ import annotations

import operator
from ctypes import byref, c_void_p

import numpy as np

from ..errors import Error
from . import arrays, dlpack
from .context import Context, default, stream_number
from .library import Held, libminx
from .structures import (CUDA, DEFAULT, DEVICE_ACCESSIBLE, HOST_ACCESSIBLE, LAYOUT_NAMES, LEFT, RIGHT, SPACE_NAMES,
                         STRIDE, Handle, Slice, ViewInfo, ViewOptions, element_type, integers)


class View:
    """An array of minx: made by Context.zeros, empty, full, array and view, and by slicing (a part shares the memory).

    label, shape, ndim, size, dtype, itemsize, nbytes, strides (in bytes), layout (LEFT, RIGHT, STRIDE), space (HOST,
    CUDA, ...), readonly and address are its properties. numpy() copies the elements to an array, put() copies an array
    in, on every backend. On hosts and in managed or pinned memory array() is the memory itself, without a copy. GPU
    libraries take views by __cuda_array_interface__ and DLPack.

    A view ends when nothing refers to it, or by close(). It keeps its context, and the array that it was made of.

    >>> view = minx.Context("simt").array([[1.0, 2.0], [3.0, 4.0]])
    >>> view.shape, view.dtype, view[1].numpy()
    ((2, 2), dtype('float64'), array([3., 4.]))
    >>> view.put(np.zeros((2, 2)))
    """

    def __init__(self, ctx: Context, handle: Handle, dtype: np.dtype, base=None):
        lib, info = libminx(), ViewInfo()
        lib.mx_view_get_info(handle, byref(info))
        self.ctx, self.dtype, self.base, self._handle = ctx, dtype, base, handle
        self.held = Held(self, lambda: lib.mx_view_destroy(byref(handle)))
        self.label = info.label.decode(errors="replace")
        self.ndim, self.shape = info.rank, tuple(info.extent[: info.rank])
        self.size, self.itemsize, self.nbytes = info.count, dtype.itemsize, info.count * dtype.itemsize
        self.strides = tuple(s * dtype.itemsize for s in info.stride[: info.rank])
        self.layout, self.space, self.address, self.readonly = info.layout, info.space, info.data, info.constant

    @property
    def handle(self) -> Handle:
        """mx_view. Error MX_ERR_STALE: the view is closed."""
        if self.held.ended:
            raise Error("MX_ERR_STALE", f"the view '{self.label}' is closed")
        return self._handle

    @classmethod
    def from_param(cls, view: View) -> Handle:
        """What ctypes passes for a View."""
        if not isinstance(view, cls):
            raise TypeError(f"got {type(view).__name__}, expected a minx.View, from ctx.view(array)")
        return view.handle

    def info(self) -> ViewInfo:
        """mx_view_get_info."""
        info = ViewInfo()
        libminx().mx_view_get_info(self.handle, byref(info))
        return info

    def close(self) -> None:
        """Ends the view before the object dies; launches that are given it later fail. The memory stays while parts or
        arrays of it do."""
        self.held.end()

    def __repr__(self) -> str:
        closed = ", closed" if self.held.ended else ", read-only" if self.readonly else ""
        return (f"<minx.View '{self.label}': {self.dtype}, shape {self.shape}, {SPACE_NAMES[self.space]}, "
                f"layout {LAYOUT_NAMES.get(self.layout, self.layout)}{closed}>")

    def __reduce__(self):
        raise TypeError(f"the view '{self.label}' cannot be pickled or copied by copy: use numpy(), or copy()")

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a view of no dimensions")
        return self.shape[0]

    # copies

    def put(self, source, ctx: Context | None = None) -> None:
        """Copies an array, a View or a number in, as NumPy assigns: shapes are broadcast, types converted if the kind
        stays (int to float, not float to int). Done on return. ValueError: the shape; TypeError: the type; Error:
        MX_ERR_CONST, the view is read-only."""
        if isinstance(source, View):
            return copy(ctx or self.ctx, self, source)
        source = np.asarray(source)
        if source.dtype != self.dtype:
            if not np.can_cast(source.dtype, self.dtype, "same_kind"):
                raise TypeError(f"view '{self.label}': got elements of {source.dtype}, expected {self.dtype}: convert "
                                "them by astype")
            source = source.astype(self.dtype)
        if source.shape != self.shape:
            try:
                source = np.broadcast_to(source, self.shape)
            except ValueError:
                raise ValueError(f"view '{self.label}': got shape {source.shape}, expected {self.shape}") from None
        if not source.flags.aligned or any(s < 0 or s % self.itemsize for s in source.strides):
            source = np.ascontiguousarray(source)
        strides = None if source.flags.c_contiguous else integers([s // self.itemsize for s in source.strides])
        libminx().mx_import_((ctx or self.ctx).handle, self.handle, c_void_p(source.ctypes.data), strides,
                             element_type(self.dtype))

    def numpy(self, ctx: Context | None = None, out: np.ndarray | None = None) -> np.ndarray:
        """A copy of the elements as a NumPy array, done on return. out: an array of this shape and type, which gets
        them instead."""
        if out is None:
            out = np.empty(self.shape, self.dtype, "F" if self.layout == LEFT else "C")
        if out.shape != self.shape or out.dtype != self.dtype or not out.flags.writeable:
            raise ValueError(f"view '{self.label}': got an array of {out.dtype}, shape {out.shape}, expected one of "
                             f"{self.dtype}, shape {self.shape}, that can be written")
        if self.size:
            strides = arrays.element_strides(arrays.describe(out, "out"), "out")
            libminx().mx_export_((ctx or self.ctx).handle, self.handle, c_void_p(out.ctypes.data), strides,
                                 element_type(self.dtype))
        return out

    def fill(self, value, ctx: Context | None = None) -> None:
        """Sets every element to a number (or a record)."""
        one = np.empty((), self.dtype)
        one[...] = value
        libminx().mx_fill_((ctx or self.ctx).handle, self.handle, c_void_p(one.ctypes.data), element_type(self.dtype))

    def copy(self, ctx: Context | None = None) -> View:
        """A new view with the same elements, in the context's space and the same order."""
        made = empty_like(ctx or self.ctx, self)
        copy(ctx or self.ctx, made, self)
        return made

    # parts

    def __getitem__(self, key) -> View:
        """A part, which shares the memory: view[3], view[1:-1, ..., 2]. Slices have steps of 1. view[i, j] with all
        indices is a part of no dimensions; .item() is its number. IndexError: an index or too many; ValueError: a
        step."""
        part, lib = Handle(), libminx()
        slices = self._slices(key)
        lib.mx_subview(self.handle, len(slices), (Slice * max(len(slices), 1))(*slices), byref(part))
        return View(self.ctx, part, self.dtype, self.base)

    def __setitem__(self, key, value) -> None:
        """view[...] = array or number, which copies or fills."""
        part = self if key is Ellipsis else self[key]
        if np.ndim(value) == 0 and not isinstance(value, View):
            part.put(value) if part.ndim == 0 else part.fill(value)
        else:
            part.put(value)

    def _slices(self, key) -> list[Slice]:
        keys = list(key) if isinstance(key, tuple) else [key]
        if any(k is Ellipsis for k in keys):
            at = next(n for n, k in enumerate(keys) if k is Ellipsis)
            keys[at: at + 1] = [slice(None)] * (self.ndim - len(keys) + 1)
        keys += [slice(None)] * (self.ndim - len(keys))
        if len(keys) > self.ndim:
            raise IndexError(f"view '{self.label}': got {len(keys)} indices, expected at most {self.ndim}")
        return [self._slice(k, n) for n, k in enumerate(keys)]

    def _slice(self, key, axis: int) -> Slice:
        extent = self.shape[axis]
        if isinstance(key, slice):
            begin, end, step = key.indices(extent)
            if step != 1:
                raise ValueError(f"view '{self.label}': got a step of {step}, expected 1: minx has no parts with steps")
            return Slice(begin, max(begin, end), False)
        try:
            index = operator.index(key)
        except TypeError:
            raise TypeError(f"view '{self.label}': got an index that is a {type(key).__name__}, expected integers and "
                            "slices") from None
        if not -extent <= index < extent:
            raise IndexError(f"view '{self.label}': index {index} is out of bounds for axis {axis} with extent "
                             f"{extent}")
        index += extent if index < 0 else 0
        return Slice(index, index, True)

    def item(self):
        """The only element, as a number of Python's. ValueError: there are more."""
        if self.size != 1:
            raise ValueError(f"view '{self.label}': got {self.size} elements, expected 1")
        return self.numpy().item()

    def constant(self) -> View:
        """A read-only view of the same memory."""
        handle = Handle()
        libminx().mx_view_constant(self.handle, byref(handle))
        return View(self.ctx, handle, self.dtype, self.base)

    def mirror(self, always: bool = False) -> View:
        """A view of the same shape, layout and padding in host memory, of zeros; the view itself where NumPy accesses
        it, unless `always`."""
        handle, lib = Handle(), libminx()
        (lib.mx_mirror_create if always else lib.mx_mirror_if_needed)(self.handle, byref(handle))
        return View(self.ctx, handle, self.dtype, self.base if self.space in HOST_ACCESSIBLE and not always else None)

    def unchecked(self, scale: float | None = None) -> View:
        """Excludes the view from the comparisons of check= contexts; scale: relates differences at least to this
        magnitude instead."""
        if scale is None:
            libminx().mx_view_set_unchecked(self.handle)
        else:
            libminx().mx_view_set_check_scale(self.handle, scale)
        return self

    # the memory itself

    def array(self) -> np.ndarray:
        """The memory as a NumPy array, without a copy; read-only where the view is. The array keeps the memory. Call
        ctx.fence() between kernels and NumPy. Error MX_ERR_SPACE: host code cannot access it."""
        if self.space not in HOST_ACCESSIBLE:
            raise Error("MX_ERR_SPACE", f"the view '{self.label}' is in {SPACE_NAMES[self.space]} memory, which NumPy "
                        "cannot access: use numpy(), which copies")
        self._strided("NumPy")
        self.ctx.fence()
        return np.asarray(_Owner(self)).view(self.dtype)

    def __array__(self, dtype=None, copy=None):
        if self.space not in HOST_ACCESSIBLE:
            raise TypeError(f"the view '{self.label}' is in {SPACE_NAMES[self.space]} memory: use numpy(), which "
                            "copies")
        found = self.array()
        if dtype is not None and np.dtype(dtype) != self.dtype:
            if copy is False:
                raise ValueError(f"a view of {self.dtype} as an array of {np.dtype(dtype)} needs a copy")
            return found.astype(dtype)
        return found.copy() if copy else found

    @property
    def __cuda_array_interface__(self) -> dict:
        """Version 3. The other library waits for the stream of the view's context."""
        if self.space not in DEVICE_ACCESSIBLE or self.ctx.stream is None:
            raise AttributeError(f"the view '{self.label}' is in {SPACE_NAMES[self.space]} memory of "
                                 f"{self.ctx.backend}, not of a GPU")
        self._strided("__cuda_array_interface__")
        return {"version": 3, "shape": self.shape, "strides": self.strides, "typestr": self.dtype.str,
                "descr": self.dtype.descr, "data": (self.address if self.size else 0, self.readonly),
                "stream": self.ctx.stream or arrays.LEGACY}

    def __dlpack_device__(self) -> tuple[int, int]:
        """(device type, device number) of DLPack. BufferError: simt, which no other library accesses."""
        if self.space not in dlpack.DEVICES:
            raise BufferError(f"the view '{self.label}' is in {SPACE_NAMES[self.space]} memory, which no other "
                              "library accesses: use numpy()")
        return dlpack.DEVICES[self.space], max(self.ctx.device, 0) if self.space in DEVICE_ACCESSIBLE else 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A capsule of the memory. stream: of the other library, by which the work of the context so far is ordered
        (None: the default stream; -1: none). dl_device: another device, (1, 0) for the host: a copy. copy: True,
        always; False, never (BufferError)."""
        device = self.__dlpack_device__()
        if dl_device is not None and tuple(dl_device) != device:
            if copy is False or tuple(dl_device) != (dlpack.CPU, 0):
                raise BufferError(f"the view '{self.label}' is on DLPack's device {device}: as memory of "
                                  f"{tuple(dl_device)} {'it needs a copy' if copy is False else 'it cannot be had'}")
            return self.numpy().__dlpack__(max_version=max_version) if max_version else self.numpy().__dlpack__()
        source = self.copy() if copy else self
        source._strided("DLPack")
        source._show_to(stream)
        versioned = max_version is not None and max_version[0] >= 1
        strides = [s // self.itemsize for s in source.strides]
        return dlpack.capsule(_Owner(source), source.address, source.shape, strides, self.dtype, device,
                              source.readonly, versioned, copied=bool(copy))

    def _show_to(self, stream) -> None:
        """Work on a stream of another library from now on sees what kernels have done so far."""
        if self.ctx.stream is None:
            if stream is not None:
                raise ValueError(f"got stream {stream} for memory of {self.ctx.backend}, expected None")
            self.ctx.fence()
        elif self.space not in (CUDA,) and stream is None:
            self.ctx.fence()  # the host may read it
        elif stream != -1:
            if stream == 0:
                raise ValueError("got stream 0, which DLPack does not have: 1 is the default stream")
            self.ctx.precede(arrays.LEGACY if stream is None else stream_number(stream))

    def _strided(self, what: str) -> None:
        if self.layout > STRIDE:
            raise ValueError(f"{what} has no tiled or Morton arrays: view '{self.label}'")


class _Owner:
    """Keeps the memory of a view, for an array or a capsule of another library."""

    def __init__(self, view: View):
        lib = libminx()
        lib.mx_view_retain(view.handle)
        handle = Handle(view.handle.slot, view.handle.generation)
        self.held = Held(self, lambda: lib.mx_view_destroy(byref(handle)), shared=True)
        self.base, self.minx_space = view.base, view.space
        if view.space in HOST_ACCESSIBLE:
            self.__array_interface__ = {"version": 3, "shape": view.shape, "strides": view.strides,
                                        "typestr": view.dtype.str, "data": (view.address, view.readonly)}


def create(ctx: Context, shape, dtype, label: str, layout: int, space: int, uninitialized: bool) -> View:
    """mx_view_create."""
    shape = (operator.index(shape),) if hasattr(shape, "__index__") else tuple(operator.index(n) for n in shape)
    dtype, handle = np.dtype(dtype), Handle()
    options = ViewOptions(space=space, layout=layout, uninitialized=uninitialized)
    libminx().mx_view_create(ctx.handle, arrays.short(label), element_type(dtype), len(shape), integers(shape),
                             byref(options), byref(handle))
    return View(ctx, handle, dtype)


def empty_like(ctx: Context, view: View) -> View:
    """A view of the same shape, type and order in the space of a context."""
    layout = view.layout if view.layout in (LEFT, RIGHT) else DEFAULT
    return create(ctx, view.shape, view.dtype, view.label, layout, DEFAULT, uninitialized=True)


def of_array(ctx: Context, array, label: str | None, space: int) -> View:
    """A View of an array's own memory; see Context.view."""
    if isinstance(array, View):
        return array
    described = arrays.describe(array, label or "array", holds=True)
    if described.space in DEVICE_ACCESSIBLE and ctx.stream is not None:
        for stream in arrays.streams_of([array]):
            ctx.wait(stream)
    handle = arrays.wrap_handle(described, ctx, label or "array", space)
    return View(ctx, handle, described.dtype, described.keep or array)


def from_dlpack(source, ctx: Context | None = None) -> View:
    """A View of memory that another library offers by __dlpack__, without a copy, on a context (the default one if left
    out). On a GPU the context waits for the work of the other library so far. Error MX_ERR_SPACE: the context cannot
    access the memory.

    >>> x = np.arange(3.0)
    >>> view = minx.from_dlpack(x, minx.Context("serial"))
    >>> view.address == x.ctypes.data
    True
    """
    ctx = default() if ctx is None else ctx
    stream = (ctx.stream or arrays.LEGACY) if ctx.stream is not None else None
    described = arrays.Description(**dlpack.describe(source, stream))
    return View(ctx, arrays.wrap_handle(described, ctx, "dlpack"), described.dtype, described.keep)


def copy(ctx: Context, to: View, source: View) -> None:
    """See Context.copy."""
    same = to.layout == source.layout in (LEFT, RIGHT) and to.strides == source.strides
    lib = libminx()
    (lib.mx_deep_copy if same else lib.mx_remap)(ctx.handle, to.handle, source.handle)
    if ctx.graph is not None:
        ctx.graph.keep(to, source)
    elif ctx.stream is not None and (to.base is not None or source.base is not None):
        ctx.fence()  # minx does not know how long memory that is not its own stays
