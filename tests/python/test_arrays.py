"""NumPy's arrays as arguments of kernels, without a copy, and views of minx: what NumPy computes is the reference.
Numbers are whole, so nothing needs a tolerance."""

import ctypes
import gc
import weakref

import numpy as np
import pytest
from contexts import make
from numpy.testing import assert_array_equal

import minx
from minx import runtime

HOSTS = ["serial", "openmp:threads=2", "serial:order=shuffled", "openmp:threads=2,check=serial", "serial:layout=left"]
ALL = [*HOSTS, "simt", "cuda", "simt:layout=right", "cuda:layout=right"]


def context(resource):
    """Skips backends that are not here, and layouts that only a build with MINX_LAYOUTS=all has."""
    try:
        return make(resource)
    except minx.Error as error:
        if error.name != "MX_ERR_BACKEND":
            raise
        pytest.skip(str(error))


@pytest.fixture(params=HOSTS)
def host(request):
    """Contexts that access NumPy's memory."""
    ctx = context(request.param)
    if not ctx.host:
        pytest.skip(f"{request.param} does not access NumPy's memory")
    return ctx


@pytest.fixture(params=ALL)
def ctx(request):
    return context(request.param)


@minx.kernel
def add_1d(i, y, x):
    y[i] += 2 * x[i]


@minx.kernel
def add_2d(i, j, y, x):
    y[i, j] += 2 * x[i, j]


@minx.kernel
def add_3d(i, j, k, y, x):
    y[i, j, k] += 2 * x[i, j, k]


@minx.kernel
def add_0d(i, y, x):
    y[()] += 2 * x[()]


@minx.kernel
def total(i, x):
    return x[i]


def launch(ctx, y, x):
    """y += 2 x, whatever the rank."""
    kernel = {1: add_1d, 2: add_2d, 3: add_3d}[y.ndim]
    minx.parallel_for(minx.MDRange(y.shape) if y.ndim > 1 else minx.Range(len(y)), kernel, y, x, ctx=ctx)
    ctx.fence()


CUTS = {1: [np.s_[:], np.s_[3:20], np.s_[::2], np.s_[5::3], np.s_[4:4], np.s_[7:8]],
        2: [np.s_[:, :], np.s_[3:11, 2:], np.s_[::2, ::3], np.s_[1::3, :-1], np.s_[2:2, :], np.s_[:, 4:5],
            np.s_[4:5, :]],
        3: [np.s_[:, :, :], np.s_[1:, ::2, 3:], np.s_[::3, 1:2, :], np.s_[:, 2:2, :]]}


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_orders_and_slices(host, rank, order):
    """Kernels write what NumPy reads, in C and Fortran order, slices, transposes; what is between the elements
    stays."""
    for cut in CUTS[rank]:
        for turned in (False, True):
            whole = np.arange(np.prod((24, 13, 9)[:rank])).astype(float).reshape((24, 13, 9)[:rank], order=order)
            other = np.asfortranarray(whole % 7) if order == "C" else np.ascontiguousarray(whole % 7)
            expected = whole.copy(order="K")
            expected[cut] += 2 * other[cut]
            y, x = whole[cut], other[cut]
            launch(host, y.T if turned else y, x.T if turned else x)
            assert_array_equal(whole, expected)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"])
def test_numbers(ctx, dtype):
    x, y = (np.arange(20) % 5).astype(dtype), np.arange(20).astype(dtype)
    expected = y + 2 * x
    vx, vy = (x, y) if ctx.host else (ctx.array(x), ctx.array(y))
    launch(ctx, vy, vx)
    assert_array_equal(vy if ctx.host else vy.numpy(), expected)


def test_read_only(host):
    """A kernel reads an array that cannot be written, and is refused where it would write it."""
    x, y = np.arange(5.0), np.zeros(5)
    x.flags.writeable = False
    launch(host, y, x)
    assert_array_equal(y, 2 * np.arange(5.0))
    with pytest.raises(minx.Error, match="read-only") as failed:
        launch(host, x, y)
    assert failed.value.name == "MX_ERR_CONST"
    y.flags.writeable = False  # after it was bound as a writable one
    before = y.copy()
    with pytest.raises(minx.Error, match="read-only"):
        launch(host, y, x)
    assert_array_equal(y, before)
    y.flags.writeable = True
    launch(host, y, x)
    assert_array_equal(y, 2 * before)


@pytest.mark.parametrize("shape", [(0,), (0, 4), (4, 0), (3, 0, 2)])
def test_empty(ctx, shape):
    y, x = np.zeros(shape), np.ones(shape)
    if not ctx.host:
        y, x = ctx.array(y), ctx.array(x)
    launch(ctx, y, x)
    assert y.shape == shape
    assert minx.parallel_reduce(0, total, np.zeros(0) if ctx.host else ctx.zeros(0), ctx=ctx) == 0
    view = ctx.zeros(shape)
    assert view.numpy().shape == shape and view.size == 0


def test_no_dimensions(ctx):
    y, x = np.array(1.0), np.array(3.0)
    vy, vx = (y, x) if ctx.host else (ctx.array(y), ctx.array(x))
    minx.parallel_for(1, add_0d, vy, vx, ctx=ctx)
    assert (vy if ctx.host else vy.numpy())[()] == 7


def test_array_dies_with_its_launches():
    """No view, and no bound launch, of an array that is gone; its memory is free."""
    ctx = make("serial")
    gc.collect()
    views = runtime.libminx().mx_views_alive()
    kernel = add_1d
    before = len(kernel.calls)
    x = np.arange(10.0)
    launch(ctx, x, x.copy())  # the copy is gone already
    for _ in range(500):
        y = np.zeros(10)
        launch(ctx, y, x)
    assert len(kernel.calls) <= before + 2
    gone = weakref.ref(y)
    del y
    assert gone() is None and len(kernel.calls) <= before + 1
    del x
    gc.collect()
    assert runtime.libminx().mx_views_alive() == views
    assert len(kernel.calls) == before


def test_numbers_of_objects_are_used_again():
    """CPython gives the number of a dead array to a new one. The launch must see the new one, of another shape, type or
    address."""
    ctx, seen = make("serial"), set()
    repeated = 0
    for n in range(3000):
        y, x = np.zeros(n % 5 + 1, "f8" if n % 3 else "f4"), np.full(n % 5 + 1, n % 11, "f8" if n % 3 else "f4")
        repeated += id(y) in seen
        seen.add(id(y))
        launch(ctx, y, x)
        assert_array_equal(y, 2 * x)
        del y, x
    assert repeated > 100  # else this test shows nothing


def test_resurrected_array():
    """An array in a cycle, which a finalizer keeps: its old view has ended, and it gets a new one."""
    ctx, kept = make("serial"), []

    class Keeper:
        def __del__(self):
            kept.append(self.array)

    keeper, ones = Keeper(), np.ones(4)
    keeper.array, keeper.self = np.zeros(4), keeper
    launch(ctx, keeper.array, ones)
    del keeper
    gc.collect()
    launch(ctx, kept[0], ones)
    assert_array_equal(kept[0], np.full(4, 4.0))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_changed_in_place():
    """An array whose shape, strides or type was set is bound anew; NumPy refuses to move the memory of one that minx
    knows."""
    ctx, x = make("serial"), np.arange(12.0)
    y = np.zeros(12)
    launch(ctx, y, x)
    y.shape = x.shape = (3, 4)
    launch(ctx, y, x)
    assert_array_equal(y, 4 * np.arange(12.0).reshape(3, 4))
    y.shape = x.shape = (12,)
    y[:] = 0
    launch(ctx, y, x)
    assert_array_equal(y, 2 * np.arange(12.0))
    y[:] = 0
    y.dtype = x.dtype = np.int64
    x[:], y[:] = 1, 2
    launch(ctx, y, x)
    assert_array_equal(y, np.full(12, 4))
    for refcheck in (True, False):
        with pytest.raises(ValueError, match="cannot resize"):
            y.resize(20, refcheck=refcheck)


def test_one_array_on_several_contexts():
    x, y = np.ones((3, 4)), np.zeros((3, 4))
    for name in ("serial", "openmp:threads=2", "serial:order=shuffled"):
        launch(make(name), y, x)
    assert_array_equal(y, np.full((3, 4), 6.0))


# views


def test_views_and_copies(ctx):
    """put, numpy, fill and copies, whatever the layouts; NumPy's rules for shapes and types."""
    for layout in (minx.DEFAULT, minx.LEFT, minx.RIGHT):
        view = ctx.zeros((5, 7), layout=layout, label="u")
        assert (view.shape, view.ndim, view.size, view.dtype, view.nbytes) == ((5, 7), 2, 35, np.dtype("f8"), 280)
        assert view.layout == (layout or ctx.layout)
        assert_array_equal(view.numpy(), np.zeros((5, 7)))
        for source in (np.arange(35.0).reshape(5, 7), np.arange(70.0).reshape(7, 10).T[::2],
                       np.arange(35).reshape(5, 7)[::-1, ::-1], np.arange(7), 3, np.arange(5).reshape(5, 1),
                       [[1.5] * 7] * 5):
            view.put(source)
            assert_array_equal(view.numpy(), np.broadcast_to(source, (5, 7)))
        other = ctx.empty((5, 7), layout=minx.LEFT if layout == minx.RIGHT else minx.RIGHT)
        view.put(np.arange(35).reshape(5, 7))
        ctx.copy(other, view)
        assert_array_equal(other.numpy(), np.arange(35.0).reshape(5, 7))
        view.fill(2.5)
        assert_array_equal(view.copy().numpy(), np.full((5, 7), 2.5))
        out = np.zeros((5, 14))[:, ::2]
        assert view.numpy(out=out) is out and out.base.sum() == 35 * 2.5
    assert_array_equal(ctx.full(4, 7).numpy(), np.full(4, 7))
    assert_array_equal(ctx.array(np.arange(6, dtype="i2")).numpy(), np.arange(6, dtype="i2"))


def test_parts(ctx):
    """Slices of a view share its memory: NumPy's slices are the reference."""
    array = np.arange(60).reshape(3, 4, 5)
    view = ctx.array(array, label="u")
    for key in (1, -1, np.s_[1:], np.s_[:, 2], np.s_[..., 3], np.s_[0, 1:3, -2], np.s_[2, 3, 4], np.s_[1:1],
                np.s_[:, :-1, 1:4], Ellipsis, np.s_[-2:, ..., 0]):
        assert_array_equal(view[key].numpy(), array[key])
    assert view[2, 3, 4].item() == 59 and len(view) == 3
    assert view[1, 2:4].label == "u[1,2:4,:]"
    view[1, :, 2] = -1
    view[0] = np.arange(20).reshape(4, 5)
    view[2, 0, 0] = 7
    array[1, :, 2], array[0], array[2, 0, 0] = -1, np.arange(20).reshape(4, 5), 7
    assert_array_equal(view.numpy(), array)
    part = view[1:, 1:3]
    del view
    gc.collect()
    assert_array_equal(part.numpy(), array[1:, 1:3])
    flat = ctx.array(np.arange(12.0).reshape(3, 4))
    launch(ctx, flat[1, 1:], flat[0, 1:])
    launch(ctx, flat[:, 1], flat[:, 2])
    expected = np.arange(12.0).reshape(3, 4)
    expected[1, 1:] += 2 * expected[0, 1:]
    expected[:, 1] += 2 * expected[:, 2]
    assert_array_equal(flat.numpy(), expected)


def test_repr(ctx):
    view = ctx.zeros((2, 3), "i4", label="count")
    space = {"simt": "simt", "cuda": "cuda"}.get(ctx.backend, "host")
    layout = "left" if ctx.layout == minx.LEFT else "right"
    assert repr(view) == f"<minx.View 'count': int32, shape (2, 3), {space}, layout {layout}>"
    assert repr(view.constant()).endswith(", read-only>")
    view.close()
    assert repr(view).endswith(", closed>")
    assert repr(ctx).startswith(f"<minx.Context '{ctx.resource}': layout ")


def test_mirror(ctx):
    view = ctx.array(np.arange(6.0).reshape(2, 3))
    mirror, always = view.mirror(), view.mirror(always=True)
    assert (mirror.address == view.address) == ctx.host
    assert always.address != view.address and always.space == minx.HOST and always.layout == view.layout
    always.array()[:] = 5
    ctx.copy(view, always)
    assert_array_equal(view.numpy(), np.full((2, 3), 5.0))


def test_memory_of_a_view_as_an_array(host):
    """Without a copy; the array keeps the memory when the view is closed."""
    view = host.zeros((4, 3), label="u")
    array = view.array()
    assert array.ctypes.data == view.address and array.shape == (4, 3) and np.asarray(view).ctypes.data == view.address
    array[1, 2] = 7
    assert view.numpy()[1, 2] == 7
    assert not view.constant().array().flags.writeable
    view.close()
    gc.collect()
    array[:] = 3
    assert array.sum() == 36
    part = array[1:, ::2]
    launch(host, part, np.ones((3, 2)))
    assert part.sum() == 30


def test_view_of_an_array(host):
    """ctx.view keeps the array, and needs no copy."""
    array = np.zeros((3, 4))
    array[:] = np.arange(12.0).reshape(3, 4)
    gone, address = weakref.ref(array), array.ctypes.data
    view = host.view(array[:, 1:], "part")
    assert view.address == address + 8 and view.shape == (3, 3) and view.label == "part"
    del array
    gc.collect()
    assert gone() is not None
    launch(host, view, view)
    assert_array_equal(view.numpy(), 3 * np.arange(12.0).reshape(3, 4)[:, 1:])
    del view
    gc.collect()
    assert gone() is None


def test_no_host_memory_on_simt():
    """simt's memory is its own, as a GPU's: NumPy does not access it."""
    ctx = make("simt")
    view = ctx.zeros(3, label="u")
    for call in (view.array, lambda: launch(ctx, view, np.zeros(3))):
        with pytest.raises(minx.Error) as failed:
            call()
        assert failed.value.name == "MX_ERR_SPACE"
    with pytest.raises(TypeError, match="'u' is in simt memory: use numpy"):
        np.asarray(view)


@pytest.mark.parametrize("name", ["simt", "cuda"])
def test_managed_memory(name):
    """An array of a managed view is an argument like any array, and so are its slices."""
    ctx = make(name)
    array = ctx.zeros((6, 6), space=minx.MANAGED).array()
    array[:] = 1
    launch(ctx, array[1:4, 3:], array[2:5, :3])  # no element of one is in the other: the order would matter
    expected = np.ones((6, 6))
    expected[1:4, 3:] += 2 * expected[2:5, :3]
    assert_array_equal(array, expected)
    pinned = ctx.zeros(4, space=minx.PINNED)
    launch(ctx, pinned, ctx.full(4, 3.0))
    ctx.fence()
    assert_array_equal(pinned.array(), np.full(4, 6.0))
    if name == "simt":
        return
    address = pinned.address  # pinned memory of another library is an array of NumPy's, too
    other = np.ctypeslib.as_array((ctypes.c_double * 4).from_address(address))
    launch(ctx, other, ctx.full(4, 1.0))
    assert_array_equal(other, np.full(4, 8.0))


def test_views_die_with_their_memory(ctx):
    """A view that is gone frees its memory, also after it was an argument; nothing is left."""
    gc.collect()
    views, calls = runtime.libminx().mx_views_alive(), len(add_1d.calls)
    for _ in range(20):
        launch(ctx, ctx.zeros(100), ctx.zeros(100))
    gc.collect()
    assert runtime.libminx().mx_views_alive() == views
    assert len(add_1d.calls) == calls


@pytest.mark.parametrize("array", [
    np.zeros(4, "f8"), np.zeros((3, 4), "c16"), np.zeros(3, [("name", "S4"), ("at", "f8", 3)]), np.zeros((2,) * 8),
    np.array(True), np.zeros((2, 3), "?")[:, 1:], np.zeros((4, 1), order="F"), np.zeros((0, 3), "i2")])
def test_there_and_back(array):
    """Any type of plain data, any rank: the same memory, shape, strides and type."""
    ctx = make("serial")
    back = ctx.view(array).array()
    assert (back.shape, back.dtype) == (array.shape, array.dtype)
    if array.size:
        assert back.ctypes.data == array.ctypes.data
        wide = [d for d, extent in enumerate(array.shape) if extent > 1]
        assert [back.strides[d] for d in wide] == [array.strides[d] for d in wide]
