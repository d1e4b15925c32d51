"""Contexts: where kernels run."""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from ctypes import byref, c_char_p, c_void_p

import numpy as np

from ..errors import Error
from .library import Held, forked, libminx
from .structures import (DEFAULT, DEVICE_ACCESSIBLE, HOST, HOST_ACCESSIBLE, INSTANCE_KINDS, LAYOUT_NAMES, MANAGED,
                         SIMT_ACCESSIBLE, ContextDetails, ContextInfo)


def backends() -> list[str]:
    """The names of the backends of this build: ["serial", "openmp", "simt"].

    >>> "serial" in minx.backends()
    True
    """
    lib = libminx()
    names = itertools.takewhile(lambda name: name is not None, map(lib.mx_backend_name, itertools.count()))
    return [name.decode() for name in names]


def backend_missing(name: str) -> str | None:
    """Why no context of a backend can be made here and now; None: one can.

    >>> minx.backend_missing("serial") is None, minx.backend_missing("abacus")
    (True, 'no such backend')
    """
    why = c_char_p()
    if libminx().mx_backend_available(name.encode(), byref(why)):
        return None
    return (why.value or b"not in this build").decode()


def fence() -> None:
    """Waits for all contexts: mx_fence_all. No other thread may use one meanwhile.

    >>> minx.fence()
    """
    libminx().mx_fence_all()


def stream_number(stream) -> int | None:
    """A stream as a number: an int (0: the default stream), or an object of CuPy (ptr), PyTorch (cuda_stream), Numba
    (handle) or another library (__cuda_stream__). None: none is given. TypeError: something else."""
    if stream is None or isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("ptr", "cuda_stream", "handle"):
        value = getattr(stream, name, None)
        if value is not None:
            return int(getattr(value, "value", value) or 0)
    raise TypeError(f"got a {type(stream).__name__}, expected a stream: a number, or a stream of CuPy, PyTorch or "
                    "Numba")


class Context:
    """Where kernels run: Context("serial"), "openmp:threads=2", "cuda:device=1", "simt", "serial:order=shuffled".

    resource   as in minx/context.h
    stream     cuda: a stream of another library, on which the kernels run
    check      a resource: every launch is repeated on it and compared ("serial"), within `tolerance`

    The context keeps the object of the stream until it ends; a stream that is given as a number must exist longer.
    One thread at a time uses a context; several threads use several. A context ends when nothing refers to it, by
    close(), or at the end of a with statement. Error: MX_ERR_INPUT (the text), MX_ERR_BACKEND (not in this build, or
    not on this machine).

    backend ("openmp"), layout (LEFT or RIGHT), space, threads, device (-1 on hosts), device_name, host (can NumPy
    access its memory?), instances (for which kernels are compiled), stream (a number; None on hosts) are its
    properties.

    >>> ctx = minx.Context("openmp:threads=2")
    >>> ctx.backend, ctx.threads, ctx.host
    ('openmp', 2, True)
    >>> ctx.zeros((2, 3)).shape
    (2, 3)
    >>> ctx.close()
    """

    def __init__(self, resource: str = "openmp", *, stream=None, check: str | None = None, tolerance: float = 1e-9):
        if not isinstance(resource, str):
            raise TypeError(f"got {resource!r}, expected the resource of a context as text, such as 'openmp:threads=2'")
        lib, handle, number = libminx(), c_void_p(), stream_number(stream)
        if number is None:
            lib.mx_ctx_create(resource.encode(), byref(handle))
        else:
            lib.mx_ctx_create_on_stream(resource.encode(), c_void_p(number), byref(handle))
        self.resource, self._handle = resource, handle
        self.number = next(_numbers)  # no other context has had it
        self.graph = None  # that records
        self.graphs = graphs = weakref.WeakSet()  # what graph.py has recorded: it ends first
        self.held = Held(self, lambda: _destroy(lib, handle, resource, graphs), keep=stream)
        self.check = _check_of(resource)
        self._read()
        if check is not None:
            self.check_against(check, tolerance)

    def _read(self) -> None:
        lib, info, details = libminx(), ContextInfo(), ContextDetails()
        lib.mx_ctx_get_info(self._handle, byref(info))
        lib.mx_ctx_get_details(self._handle, byref(details))
        self.backend, self.layout, self.space = info.backend.decode(), info.layout, info.space
        self.threads, self.device, self.device_name = info.threads, info.device, info.device_name.decode()
        self.host = info.host_accessible
        if self.backend == "hip":
            raise Error("MX_ERR_BACKEND", f"{self.resource}: kernels in Python run on hosts and on cuda, not on hip")
        kind = INSTANCE_KINDS[details.instance]
        self.stream = (details.queue or 0) if kind == "cuda" else None
        self.accessible = DEVICE_ACCESSIBLE if kind == "cuda" else HOST_ACCESSIBLE if self.host else SIMT_ACCESSIBLE
        self.instances = [f"{kind}_{LAYOUT_NAMES[self.layout]}"]
        if self.check == "races":
            self.instances = [f"{kind}_races_{LAYOUT_NAMES[self.layout]}"]
        elif self.check is not None:
            debug = self.check.startswith("simt") or "order=shuffled" in self.check
            other = f"{'simt' if debug else 'host'}_{LAYOUT_NAMES[info.check_layout]}"
            self.instances += [other] if other not in self.instances else []
        self.address = self._handle.value

    @property
    def handle(self) -> c_void_p:
        """mx_ctx. Error MX_ERR_ARG: the context is closed."""
        if self.held.ended:
            raise Error("MX_ERR_ARG", f"the context '{self.resource}' is closed")
        return self._handle

    @property
    def shared(self) -> int:
        """The space that both NumPy and the kernels of this context access: HOST or MANAGED."""
        return HOST if self.host else MANAGED

    @classmethod
    def from_param(cls, ctx: Context) -> c_void_p:
        """What ctypes passes for a Context."""
        if not isinstance(ctx, cls):
            raise TypeError(f"got {type(ctx).__name__}, expected a minx.Context")
        return ctx.handle

    def info(self) -> ContextInfo:
        """mx_ctx_get_info: also the numbers of launches and of synchronisations so far."""
        info = ContextInfo()
        libminx().mx_ctx_get_info(self.handle, byref(info))
        return info

    def fence(self) -> None:
        """Waits until all work of this context is done, and raises what a device reports."""
        libminx().mx_fence(self.handle)

    def wait(self, other) -> None:
        """Work launched on this context from now on runs after all work so far on `other`: a Context, or a stream of
        another library. On a device the host does not wait."""
        if isinstance(other, Context):
            libminx().mx_ctx_wait(self.handle, other.handle)
        else:
            libminx().mx_ctx_wait_stream(self.handle, c_void_p(stream_number(other)))

    def precede(self, stream) -> None:
        """Work on a stream of another library from now on runs after all work so far on this context. The host does not
        wait."""
        libminx().mx_stream_wait_ctx(c_void_p(stream_number(stream)), self.handle)

    def check_against(self, resource: str | None, tolerance: float = 1e-9) -> None:
        """From now on each launch is repeated on a context of `resource` and compared; None: no more. See
        mx_ctx_check_against."""
        libminx().mx_ctx_check_against(self.handle, resource.encode() if resource is not None else None, tolerance)
        self.check = resource
        self.held.end_calls()
        self._read()

    def close(self) -> None:
        """Waits for its work and ends the context, before the object dies. Views made by it stay valid for other
        contexts."""
        self.held.end()

    def __reduce__(self):
        raise TypeError(f"the context '{self.resource}' belongs to this process and cannot be pickled: "
                        "send its resource")

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __repr__(self) -> str:
        closed = ", closed" if self.held.ended else ""
        device = f", {self.device_name}" if self.device_name else ""
        layout = LAYOUT_NAMES[self.layout]
        return f"<minx.Context {self.resource!r}: layout {layout}, {self.threads} threads{device}{closed}>"

    # views, made in view.py

    def zeros(self, shape, dtype=float, label="zeros", layout=0, space=DEFAULT):
        """A View of zeros. shape: a number or numbers; layout: 0 (the context's), LEFT or RIGHT; space: DEFAULT (the
        context's), HOST, CUDA, MANAGED or PINNED. Error: MX_ERR_SPACE (the context has no memory there),
        MX_ERR_MEMORY."""
        return _views().create(self, shape, dtype, label, layout, space, uninitialized=False)

    def empty(self, shape, dtype=float, label="empty", layout=0, space=DEFAULT):
        """The same, without writing the elements."""
        return _views().create(self, shape, dtype, label, layout, space, uninitialized=True)

    def full(self, shape, value, dtype=None, label="full", layout=0, space=DEFAULT):
        """The same, with `value` in every element."""
        view = self.empty(shape, np.asarray(value).dtype if dtype is None else dtype, label, layout, space)
        view.fill(value)
        return view

    def array(self, source, dtype=None, label="array", layout=0, space=DEFAULT):
        """A View with a copy of an array (or of nested lists)."""
        source = np.asarray(source, dtype)
        view = self.empty(source.shape, source.dtype, label, layout, space)
        view.put(source)
        return view

    def view(self, array, label: str | None = None, space: int = DEFAULT):
        """A View of an array's own memory, without a copy: of NumPy or, on a GPU, of CuPy, PyTorch, Numba (see
        minx.from_dlpack, too). Read-only where the array is. The view keeps the array. space: MANAGED for NumPy arrays
        of managed views."""
        return _views().of_array(self, array, label, space)

    def put(self, view, source) -> None:
        """Copies an array into a view: view.put(source), on this context."""
        view.put(source, ctx=self)

    def get(self, view) -> np.ndarray:
        """A copy of a view as an array: view.numpy(), on this context."""
        return view.numpy(ctx=self)

    def copy(self, to, source) -> None:
        """Copies all elements of a view to another one of the same type and shape: mx_deep_copy where the layouts are
        equal, else mx_remap. Ordered on this context like a kernel; both views stay as long as it needs them."""
        _views().copy(self, to, source)


def _views():
    from . import view  # which needs this file

    return view


def _destroy(lib, handle: c_void_p, resource: str, graphs) -> None:
    for graph in list(graphs):
        if graph.held is not None:
            graph.held.end()
    lib.mx_ctx_destroy(byref(handle))
    if handle.value is not None:
        raise Error("MX_ERR_ARG", f"the context '{resource}' was not closed: a launch runs on it")


def _check_of(resource: str) -> str | None:
    options = resource.partition(":")[2].split(",")
    return next((o.removeprefix("check=") for o in options if o.startswith("check=")), None)


def partition(resource: str, parts: int) -> list[Context]:
    """Contexts that work side by side, each used by a thread of its own. "openmp": the cores of this process are
    divided among them, as evenly as possible. Other backends: as many equal contexts; on cuda each has a stream.
    ValueError: more parts than cores.

    >>> [ctx.backend for ctx in minx.partition("serial", 2)]
    ['serial', 'serial']
    """
    if not resource.startswith("openmp"):
        return [Context(resource) for _ in range(parts)]
    if resource != "openmp":
        raise ValueError(f"got '{resource}', expected 'openmp': its threads follow from the cores of each part")
    cores = libminx().mx_host_cores()
    if not 1 <= parts <= cores:
        raise ValueError(f"got {parts} parts, expected 1 to {cores}, the number of cores")
    edges = [cores * n // parts for n in range(parts + 1)]
    return [Context(f"openmp:cores={begin}-{end - 1}") for begin, end in itertools.pairwise(edges)]


_numbers = itertools.count(1)
_current: Context | None = None
_lock = forked(globals(), "_lock", threading.RLock)


def default() -> Context:
    """The context of launches that name none: set_default(), else the environment's MINX_BACKEND, else openmp.

    >>> isinstance(minx.default(), minx.Context)
    True
    """
    global _current
    if _current is None:
        with _lock:
            if _current is None:
                _current = Context(os.environ.get("MINX_BACKEND", "openmp"))
    return _current


def set_default(ctx: Context | str | None) -> Context | None:
    """Sets the context of launches that name none; None: the one that default() would make.

    >>> minx.set_default("serial").backend, minx.default().backend
    ('serial', 'serial')
    >>> minx.set_default(None)
    """
    global _current
    _current = Context(ctx) if isinstance(ctx, str) else ctx
    return _current
