"""NumPy arrays as views and views as NumPy arrays, without a copy: kernels of examples/python.

usage: python_views.py LIBFIELDS RESOURCE

MINX_PREFIX names the installed minx.

What is expected is computed by NumPy. Sums are of whole numbers below 2^53, and the stencil adds in
one order, so nothing needs a tolerance.
"""

import ctypes
import gc
import sys
import weakref
from contextlib import contextmanager

import numpy as np
from numpy.testing import assert_array_equal, assert_equal

import minx
from minx import runtime

SKIPPED = 77


@contextmanager
def fails(name, *parts):
    """The block raises minx.Error of that name, with all parts in its message."""
    try:
        yield
    except minx.Error as error:
        assert_equal(error.name, name, str(error))
        for part in parts:
            assert part in str(error), f"got {error}, expected it to contain {part!r}"
        return
    raise AssertionError(f"nothing was raised, expected {name}")


@contextmanager
def raises(kind):
    try:
        yield
    except kind:
        return
    raise AssertionError(f"nothing was raised, expected {kind.__name__}")


class Fields:
    """The functions of the kernel library, on one context."""

    def __init__(self, library, resource):
        self.library, self.ctx = library, minx.Context(resource)
        self.is_host = self.ctx.shared == minx.HOST
        context, view, number = minx.Context, minx.View, ctypes.POINTER(ctypes.c_double)
        self._axpy = library.function("fields_axpy", context, ctypes.c_double, view, view)
        self._dot = library.function("fields_dot", context, view, view, number)
        self._smooth = library.function("fields_smooth", context, view, view)
        self._largest = library.function("fields_largest", context, view, number)

    def array(self, shape, order="C", dtype=float):
        """An array that kernels reach: NumPy's own memory, on a GPU managed memory."""
        if self.is_host:
            return np.zeros(shape, dtype, order)
        count = int(np.prod(shape))
        managed = self.ctx.zeros((count,), dtype, space=minx.MANAGED)
        return managed.array().reshape(shape, order=order)

    def view(self, array, label="array"):
        return self.ctx.view(array, label, space=self.ctx.shared)

    def axpy(self, a, x, y):
        self._axpy(self.ctx, a, x, y)
        self.ctx.fence()

    def smooth(self, u, out):
        self._smooth(self.ctx, u, out)
        self.ctx.fence()

    def dot(self, x, y):
        result = ctypes.c_double()
        self._dot(self.ctx, x, y, ctypes.byref(result))
        return result.value

    def largest(self, u):
        result = ctypes.c_double()
        self._largest(self.ctx, u, ctypes.byref(result))
        return result.value


def test_one_memory(f):
    """Kernels write what NumPy reads, and read what NumPy writes."""
    n = 30001
    x, y = f.array(n), f.array(n)
    x[:], y[:] = np.arange(n) % 7, np.arange(n) % 5
    expected, address, launches = y + 3 * x, y.ctypes.data, f.ctx.info().launches
    vx, vy = f.view(x), f.view(y)
    assert_equal((vx.info().data, vy.info().data), (x.ctypes.data, address))
    f.axpy(3.0, vx, vy)
    assert_array_equal(y, expected)
    assert_equal(y.ctypes.data, address)
    x[:] = np.arange(n) % 11
    assert_equal(f.dot(vx, vy), (np.arange(n) % 11 * expected).sum())
    assert_equal(f.ctx.info().launches, launches + 2)
    assert_equal(f.ctx.info().backend.decode().split(":")[0], RESOURCE.split(":")[0])


def smoothed(u, out):
    out = out.copy()
    out[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return out


def test_orders_and_slices(f):
    """A stencil from and to arrays in C and Fortran order, their transposes and slices; what lies
    between stays as it is."""
    cuts = [np.s_[:, :], np.s_[3:40, 5:], np.s_[::2, ::3], np.s_[1::3, :-1]]
    random = np.random.default_rng(1)
    for order in "CF":
        for cut in cuts:
            for turned in (False, True):
                whole, target = f.array((61, 44), order), f.array((61, 44), "C")
                whole[...], target[...] = random.random(whole.shape), random.random(target.shape)
                u, out = whole[cut], target[cut]
                if turned:
                    u, out = u.T, out.T
                result = smoothed(u, out)
                expected = target.copy()
                (expected[cut].T if turned else expected[cut])[...] = result
                before = whole.copy()
                f.smooth(f.view(u), f.view(out))
                assert_array_equal(target, expected)
                assert_array_equal(whole, before)
                assert_equal(f.largest(f.view(u)), u.max())
    assert_equal(f.largest(f.view(f.array((3, 4))[1:1])), -np.inf)


def test_copies_of_arrays(f):
    """Arrays of any layout into views in the context's own memory, and back."""
    for layout in (minx.LEFT, minx.RIGHT):
        view = f.ctx.zeros((7, 9), layout=layout)
        array = np.arange(126.0).reshape(9, 14).T[::2]
        f.ctx.put(view, array)
        assert_array_equal(f.ctx.get(view), array)
        with raises(ValueError):
            f.ctx.put(view, array.T)
    with fails("MX_ERR_CONST", "read-only"):
        fixed = f.array(3)
        fixed.flags.writeable = False
        f.ctx.put(f.view(fixed), np.zeros(3))


def test_views_of_minx(f):
    """Memory of minx as an array, which is an owner of it."""
    view = f.ctx.zeros((8, 5), space=f.ctx.shared)
    array = view.array()
    assert_equal((array.shape, array.ctypes.data), ((8, 5), view.info().data))
    assert array.flags.writeable
    assert_array_equal(array, np.zeros((8, 5)))
    array[2, 3] = 7
    assert_equal(f.largest(view), 7.0)
    assert_equal(view.info().references, 2)
    view.close()
    with fails("MX_ERR_STALE"):
        f.largest(view)
    array[5, 4] = 9
    assert_equal(f.largest(f.view(array[1:])), 9.0)


def test_lifetimes(f):
    """A view keeps the array that it is of, an array the view; nothing is left."""
    gc.collect()
    alive = runtime.libminx().mx_views_alive()
    array = f.array(10)
    gone = weakref.ref(array)
    view = f.view(array)
    array[:] = 2
    del array
    gc.collect()
    assert gone() is not None, "the array is gone, and its view is not"
    assert_equal(f.dot(view, view), 40.0)
    del view
    gc.collect()
    assert gone() is None, "the view is gone, and its array is not"
    assert_equal(runtime.libminx().mx_views_alive(), alive)


def test_read_only(f):
    x, y = f.array(6), f.array(6)
    x[:] = 3
    x.setflags(write=False)
    constant = f.view(x, "steady")
    assert constant.info().constant and not constant.array().flags.writeable
    f.axpy(2.0, constant, f.view(y))
    assert_array_equal(y, np.full(6, 6.0))
    with fails("MX_ERR_CONST", "steady", "read-only"):
        f.axpy(2.0, f.view(y), constant)
    assert_array_equal(x, np.full(6, 3.0))


def test_types_and_ranks(f):
    """There and back: the same memory, of the same type and strides."""
    record = np.dtype([("name", "S4"), ("at", "f8", 3)])
    names = ("f8", "f4", "i4", "i8", "u1", "u4", "u8", "i2", "bool", "c16", record)
    for dtype in map(np.dtype, names):
        array = f.array((4, 6), dtype=dtype)
        for part in (array, array.T, array[1::2, 1:5:3], array[2], array[:0]):
            back = f.view(part).array()
            assert_equal((back.shape, back.dtype), (part.shape, dtype))
            if part.size > 0:
                assert_equal((back.strides, back.ctypes.data), (part.strides, part.ctypes.data))
    for rank in range(9):
        array = f.array((2,) * rank)
        array[...] = rank
        back = f.view(array).array()
        assert_equal((back.ndim, back.strides, back.sum()), (rank, array.strides, rank * 2**rank))
    for number, name in ((1.5, "f8"), (3, "i4"), (7, "u1")):
        view = f.ctx.zeros((3,), name, space=f.ctx.shared)
        view.array()[:] = number
        assert_array_equal(view.array(), np.full(3, number, name))


def test_errors(f):
    plane, line, other = f.array((6, 8)), f.array(6), f.array(7)
    with fails("MX_ERR_LAYOUT", "backwards", "stride"):
        f.view(line[::-1], "backwards")
    with fails("MX_ERR_LAYOUT"):
        f.view(np.broadcast_to(line, (3, 6)))
    with fails("MX_ERR_LAYOUT", "column", "strided accessor"):
        f.axpy(1.0, f.view(plane[:, 0], "column"), f.view(line))
    with fails("MX_ERR_TYPE", "f32", "f64"):
        f.axpy(1.0, f.view(f.array(6, dtype="f4")), f.view(line))
    with fails("MX_ERR_RANK"):
        f.axpy(1.0, f.view(plane), f.view(line))
    with fails("MX_ERR_EXTENT", "6 and 7"):  # the kernel library's own
        f.axpy(1.0, f.view(line), f.view(other))
    with fails("MX_ERR_RANK", "got 9"):
        f.view(f.array((1,) * 9))
    with fails("MX_ERR_INPUT", "nonsense"):
        minx.Context("nonsense")
    assert_equal(f.view(line, "x" * 64).label, "x" * 63)  # the longest label of minx
    for array in (np.zeros(3, object), np.zeros(3, np.dtype("f8").newbyteorder())):
        with raises(TypeError):
            f.view(array)
    with raises(ValueError):  # 9 bytes from one to the next
        f.view(np.zeros(3, [("flag", "u1"), ("x", "f8")])["x"])
    with raises(ctypes.ArgumentError):  # an array is no view
        f.axpy(1.0, line, line)
    f.axpy(1.0, f.view(line), f.view(line))  # and all goes on


def test_copies(f):
    """The other way to a device: its own memory, and mx_deep_copy."""
    host = minx.Context("serial")
    source, target = np.random.default_rng(2).random((33, 21)), np.zeros((33, 21))
    u = f.ctx.zeros(source.shape, label="u", layout=minx.RIGHT)
    out = f.ctx.zeros(source.shape, label="out", layout=minx.RIGHT)
    f.ctx.copy(u, host.view(source))
    f.smooth(u, out)
    received = host.view(target)
    f.ctx.copy(received, out)
    f.ctx.fence()
    assert_array_equal(target, smoothed(source, np.zeros((33, 21))))
    if not f.is_host:
        with fails("MX_ERR_SPACE", "'u'"):
            u.array()
        with fails("MX_ERR_SPACE", "mine"):
            f.ctx.view(source, "mine")


if __name__ == "__main__":
    LIBFIELDS, RESOURCE = sys.argv[1:]
    loaded = minx.load(LIBFIELDS)  # linked to the libminx of MINX_PREFIX, or this is an error
    reason = minx.backend_missing(RESOURCE.split(":")[0])
    if reason is not None:
        print(f"skipped: {RESOURCE}: {reason}")
        sys.exit(SKIPPED)
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test(Fields(loaded, RESOURCE))
    gc.collect()
    assert_equal(runtime.libminx().mx_views_alive(), 0)
