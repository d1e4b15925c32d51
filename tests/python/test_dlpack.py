"""Memory that libraries share: DLPack and __cuda_array_interface__, both ways. NumPy is the other library, or
minx itself; test_libraries.py has CuPy and PyTorch."""

import ctypes
import gc
import weakref

import numpy as np
import pytest
from contexts import make
from numpy.testing import assert_array_equal

import minx
from minx import runtime
from minx.runtime import arrays, dlpack


@minx.kernel
def double(i, x):
    x[i] *= 2


@pytest.fixture(params=["serial", "openmp:threads=2"])
def host(request):
    return make(request.param)


def exports(dtype="f8", **options) -> bool:
    """Whether NumPy's arrays of this type have capsules with these options."""
    try:
        np.zeros(1, dtype).__dlpack__(**options)
    except (BufferError, TypeError):
        return False
    return True


needs_dlpack_1 = pytest.mark.skipif(
    not exports(max_version=(1, 0)),
    reason=f"NumPy {np.__version__} is older than DLPack 1.0: read-only memory, copy and device are new in NumPy 2.1",
)
DTYPES = [
    pytest.param(t, marks=pytest.mark.skipif(not exports(t), reason=f"NumPy {np.__version__} has no DLPack of {t}"))
    for t in ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "c8", "c16", "?")
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_to_numpy(host, dtype):
    """np.from_dlpack(view): the same memory, type, shape and strides."""
    source = (np.arange(24) % 2).astype(dtype).reshape(2, 3, 4)
    view = host.array(source)
    for cut in (Ellipsis, np.s_[1, :, 1:3], np.s_[:, 1:1], np.s_[1, 2, 3]):
        part, expected = view[cut], source[cut]
        array = np.from_dlpack(part)
        assert array.dtype == np.dtype(dtype) and (array.ctypes.data == part.address or not array.size)
        assert_array_equal(array, expected)
    assert view.__dlpack_device__() == (1, 0)
    array = np.from_dlpack(view)
    del view, part
    gc.collect()
    assert_array_equal(array, source)  # the array keeps the memory


def test_writes_are_seen(host):
    view = host.zeros(5)
    array = np.from_dlpack(view)
    if array.flags.writeable:
        array[:] = 3
    else:  # np.from_dlpack of NumPy 1.24 makes only read-only arrays
        assert not exports(max_version=(1, 0))
        view.fill(3)
    minx.parallel_for(5, double, view, ctx=host)
    host.fence()
    assert_array_equal(array, np.full(5, 6.0))


@needs_dlpack_1
def test_read_only_views(host):
    """A read-only view is a read-only array by DLPack 1.0, and refused by an older library."""
    view = host.array(np.arange(3.0)).constant()
    array = np.from_dlpack(view)
    assert not array.flags.writeable
    with pytest.raises(BufferError, match="read-only, which DLPack says since version 1.0"):
        view.__dlpack__()
    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    back = minx.from_dlpack(frozen, host)
    assert back.readonly and back.address == frozen.ctypes.data


@needs_dlpack_1
def test_copies(host):
    """copy=True: other memory, also for a read-only view."""
    view = host.array(np.arange(4.0))
    copied = np.from_dlpack(view, copy=True)
    shared = np.from_dlpack(view, copy=False)
    assert copied.ctypes.data != view.address and shared.ctypes.data == view.address
    view.fill(7)
    assert_array_equal(copied, np.arange(4.0))
    assert np.from_dlpack(view, device="cpu").ctypes.data == view.address


@pytest.mark.parametrize("dtype", DTYPES)
def test_from_numpy(host, dtype):
    source = (np.arange(60) % 2).astype(dtype).reshape(5, 12)
    for array in (source, source[1:4, ::3], source.T, source[2], source[:0], np.array(1, dtype)):
        view = minx.from_dlpack(array, host)
        assert view.dtype == np.dtype(dtype) and view.shape == array.shape
        assert view.address == array.ctypes.data or not array.size
        assert_array_equal(view.numpy(), array)


def test_lifetimes(host):
    """The view keeps what it was made of; a capsule that nobody takes frees it."""
    gc.collect()
    alive = runtime.libminx().mx_views_alive()
    array = np.zeros(4)
    gone = weakref.ref(array)
    view = minx.from_dlpack(array, host)
    del array
    gc.collect()
    assert gone() is not None
    minx.parallel_for(4, double, view, ctx=host)
    del view
    gc.collect()
    assert gone() is None
    view = host.zeros(3)
    capsule = view.__dlpack__(max_version=(1, 0))
    del view
    gc.collect()
    assert runtime.libminx().mx_views_alive() > alive  # the capsule keeps it
    del capsule
    gc.collect()
    assert runtime.libminx().mx_views_alive() == alive


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_an_exception_on_its_way(host, version):
    """A capsule that ends while an exception is raised, as in a library that refuses it: the exception stays, and the
    memory is freed."""
    gc.collect()
    alive = runtime.libminx().mx_views_alive()
    with pytest.raises(TypeError, match="not 'PyCapsule'"):
        int(host.zeros(3).__dlpack__(max_version=version))  # Python ends the argument behind the failure
    gc.collect()
    assert runtime.libminx().mx_views_alive() == alive


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_thread_that_python_does_not_know(host, version):
    """The memory of a tensor is given back by a thread that another library has started."""
    gc.collect()
    alive = runtime.libminx().mx_views_alive()
    tensor = dlpack.Imported(host.zeros(3).__dlpack__(max_version=version))
    assert runtime.libminx().mx_views_alive() == alive + 1
    thread, libc = ctypes.c_void_p(), ctypes.CDLL(None)
    deleter, address = ctypes.c_void_p(tensor.managed.deleter), ctypes.c_void_p(tensor.address)
    tensor.managed = None  # the thread gives it back: its memory is not read again
    assert libc.pthread_create(ctypes.byref(thread), None, deleter, address) == 0
    assert libc.pthread_join(thread, None) == 0
    assert runtime.libminx().mx_views_alive() == alive


def test_both_versions(host):
    view = host.zeros(3)
    versioned = "dltensor_versioned"
    for version, name in ((None, "dltensor"), ((0, 8), "dltensor"), ((1, 0), versioned), ((2, 1), versioned)):
        assert f'"{name}"' in repr(view.__dlpack__(max_version=version))


class Exporter:
    """A library older than DLPack 1.0: its __dlpack__ takes no max_version."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__(stream=stream)


def test_old_library(host):
    array = np.arange(3.0)
    view = minx.from_dlpack(Exporter(array), host)
    minx.parallel_for(3, double, view, ctx=host)
    minx.parallel_for(3, double, Exporter(array), ctx=host)  # as an argument, too
    host.fence()
    assert_array_equal(array, 4 * np.arange(3.0))


@pytest.mark.parametrize("options", [{}, pytest.param({"max_version": (1, 0)}, marks=needs_dlpack_1)], ids=["old", "1.0"])
def test_capsules_are_used_once(options):
    capsule = np.zeros(3).__dlpack__(**options)
    dlpack.Imported(capsule)
    with pytest.raises(BufferError, match="no DLPack tensor, or it was used already"):
        dlpack.Imported(capsule)


def test_other_devices():
    view = make("simt").zeros(3, label="u")
    for call in (view.__dlpack_device__, view.__dlpack__, lambda: np.from_dlpack(view)):
        with pytest.raises(BufferError, match="'u' is in simt memory, which no other library accesses: use numpy()"):
            call()

    class Far:
        def __dlpack_device__(self):
            return 10, 0  # kDLROCM

    with pytest.raises(BufferError, match="device type 10, expected CPU"):
        minx.from_dlpack(Far(), make("serial"))
    with pytest.raises(ValueError, match="got stream 5 for memory of serial, expected None"):
        make("serial").zeros(3).__dlpack__(stream=5)
    with pytest.raises(BufferError, match="it cannot be had"):
        make("serial").zeros(3).__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError, match="DLPack has no elements of"):
        make("serial").zeros(3, [("a", "f8")]).__dlpack__()


class Interface:
    """An array of a GPU library that has only the interface."""

    def __init__(self, **members):
        self.__cuda_array_interface__ = {"version": 3, "shape": (3,), "typestr": "<f8", "strides": None,
                                         "data": (4096, False), "stream": 1, **members}


def test_interfaces():
    """What the interface says of shape, strides, type, and order."""
    def described(**members):
        return arrays.describe(Interface(**members))

    d = described(shape=(3, 4), strides=(8, 24), data=(64, True))
    assert (d.address, d.writable, d.space, arrays.order_of(d)) == (64, False, minx.CUDA, minx.LEFT)
    assert arrays.order_of(described(shape=(3, 4))) == minx.RIGHT
    assert arrays.order_of(described(shape=(3, 4), strides=(64, 8))) == minx.STRIDE
    assert arrays.order_of(described(shape=(3, 1), strides=(8, 99))) == 0
    assert arrays.order_of(described(shape=(3,), strides=(16,))) == minx.STRIDE
    assert arrays.streams_of([Interface(), Interface(stream=77), Interface(stream=None), np.zeros(3)]) == {1, 77}
    assert arrays.streams_of([Interface(version=2)]) == {1}  # the second version: the default stream
    gaps = {"names": ["a", "b"], "formats": ["f4", "i8"], "offsets": [4, 16], "itemsize": 40}
    for record in (np.dtype([("a", "f8"), ("b", "i4", (2,))]), np.dtype(gaps)):
        assert described(typestr=record.str, descr=record.descr).dtype == record
    for none in ({}, {"descr": [("", "|V2")]}):  # as PyTorch says bfloat16
        with pytest.raises(TypeError, match=r"got elements of <V2.*no bfloat16"):
            described(typestr="<V2", **none)
    with pytest.raises(ValueError, match="x: got an array with a mask"):
        arrays.describe(Interface(mask=np.ones(3)), "x")


def test_device_memory_on_hosts(host):
    """Memory of a GPU is no argument of kernels of hosts."""
    with pytest.raises(minx.Error, match="memory of a GPU, which kernels of") as failed:
        minx.parallel_for(3, double, Interface(), ctx=host)
    assert failed.value.name == "MX_ERR_SPACE"
    view = host.zeros(3)
    assert not hasattr(view, "__cuda_array_interface__")
    with pytest.raises(minx.Error, match="has no streams: fence instead"):
        host.wait(1)
    with pytest.raises(minx.Error, match="a context on a stream: serial has no streams"):
        minx.Context("serial", stream=1)


def test_streams_as_numbers():
    class CuPy:
        ptr = 5

    class Torch:
        cuda_stream = 6

    class Numba:
        handle = ctypes.c_void_p(7)

    class Protocol:
        def __cuda_stream__(self):
            return 0, 8

    from minx.runtime.context import stream_number

    assert [stream_number(s) for s in (None, 0, 4, CuPy(), Torch(), Numba(), Protocol())] == [None, 0, 4, 5, 6, 7, 8]
    with pytest.raises(TypeError, match="got a str, expected a stream"):
        stream_number("default")


# on a GPU


@pytest.fixture
def cuda():
    return make("cuda")


def test_interface_of_a_view(cuda):
    """Version 3, with the stream of the context."""
    view = cuda.array(np.arange(6.0).reshape(2, 3), layout=minx.RIGHT)
    interface = view.__cuda_array_interface__
    assert (interface["version"], interface["shape"], interface["typestr"]) == (3, (2, 3), "<f8")
    assert interface["data"] == (view.address, False) and interface["stream"] == cuda.stream
    assert arrays.describe(view).shape == (2, 3)
    assert view.__dlpack_device__()[0] == dlpack.GPU


def test_context_on_a_stream(cuda):
    """Two contexts on one stream: no wait is needed between them. On the default stream, too."""
    for stream in (cuda.stream, 0):
        other = minx.Context("cuda", stream=stream)
        assert other.stream == stream
        view = other.full(1000, 1.0)
        other.fence()
        for _ in range(10):
            if stream == 0:
                cuda.wait(other)
            minx.parallel_for(1000, double, view, ctx=cuda)
            if stream == 0:
                other.wait(cuda)
            minx.parallel_for(1000, double, view, ctx=other)
        assert_array_equal(view.numpy(other), np.full(1000, 2.0**20))


def test_order_of_streams(cuda):
    """An array of a library with a stream of its own: launches wait for its work, and its work for them. The library is
    a second context of minx, seen by the interface only."""
    library = minx.Context("cuda")

    class Foreign:
        def __init__(self, view):
            self.view = view

        @property
        def __cuda_array_interface__(self):
            return self.view.__cuda_array_interface__

    view = library.full(1 << 20, 1.0)
    array = Foreign(view)
    for _ in range(20):
        minx.parallel_for(1 << 20, double, view, ctx=library)
        minx.parallel_for(1 << 20, double, array, ctx=cuda)
    assert_array_equal(view.numpy(library)[::4097], np.full(1 << 20, 2.0**40)[::4097])


def test_dlpack_on_a_gpu(cuda):
    """From one context to another by DLPack, which orders their streams."""
    other = minx.Context("cuda")
    view = cuda.full((100, 50), 3.0)
    minx.parallel_for(50, double, view[7], ctx=cuda)
    seen = minx.from_dlpack(view, other)
    assert seen.address == view.address and seen.shape == (100, 50)
    expected = np.full((100, 50), 3.0)
    expected[7] = 6
    assert_array_equal(seen.numpy(), expected)
    assert_array_equal(np.from_dlpack(view, device="cpu"), expected)
