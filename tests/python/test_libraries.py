"""Arrays of PyTorch, on hosts and on a GPU, and of CuPy: without a copy, both ways. A library that is not installed, or a GPU
that is not there, is skipped."""

import gc
import weakref

import numpy as np
import pytest
from contexts import make
from numpy.testing import assert_array_equal

import minx
from minx import runtime


@minx.kernel
def double(i, x):
    x[i] *= 2


@minx.kernel
def add_places(i, j, x):
    x[i, j] += 10 * i + j


class Torch:
    """What the tests need of PyTorch; CuPy below is its like."""

    strange = "bfloat16"

    def __init__(self, device):
        self.torch, self.device = pytest.importorskip("torch"), device
        if device == "cuda" and not self.torch.cuda.is_available():
            pytest.skip("PyTorch sees no GPU")

    def array(self, source):
        return self.torch.from_numpy(np.array(source)).to(self.device)

    def type(self, name):
        return getattr(self.torch, {"b8": "bool"}.get(name, np.dtype(name).name if name[0] in "fiuc" else name), None)

    def from_dlpack(self, view):
        return self.torch.from_dlpack(view)

    def numpy(self, array):
        return array.cpu().numpy()

    def address(self, array):
        return array.data_ptr()

    def strides(self, array):
        return tuple(s * array.element_size() for s in array.stride())

    def stream(self):
        return self.torch.cuda.Stream()

    def using(self, stream):
        return self.torch.cuda.stream(stream)


class CuPy:
    def __init__(self, _):
        self.cupy = pytest.importorskip("cupy")
        if self.cupy.cuda.runtime.getDeviceCount() == 0:
            pytest.skip("CuPy sees no GPU")

    def array(self, source):
        return self.cupy.asarray(np.array(source))

    def type(self, name):
        return np.dtype("?" if name == "b8" else name)

    def from_dlpack(self, view):
        return self.cupy.from_dlpack(view)

    def numpy(self, array):
        return array.get()

    def address(self, array):
        return array.data.ptr

    def strides(self, array):
        return array.strides

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def using(self, stream):
        return stream


PAIRS = [(Torch, "cpu", "serial"), (Torch, "cpu", "openmp:threads=2"), (Torch, "cuda", "cuda"), (CuPy, "cuda", "cuda")]
ON_GPU = [pair for pair in PAIRS if pair[1] == "cuda"]


def opened(request):
    kind, device, resource = request.param
    return kind(device), make(resource)


def names(pair):
    return f"{pair[0].__name__}-{pair[2]}"


both = pytest.fixture(params=PAIRS, ids=names)(opened)
gpu = pytest.fixture(params=ON_GPU, ids=names)(opened)


@pytest.mark.parametrize("dtype", "f8 f4 f2 i8 i4 i2 i1 u8 u4 u2 u1 b8 c8 c16".split())
def test_types(both, dtype):
    """The same memory, type and elements, in both directions."""
    library, ctx = both
    if library.type(dtype) is None:
        pytest.skip(f"this version of the library has no {dtype}")
    numbers = (np.arange(12) % 2).astype("?" if dtype == "b8" else dtype).reshape(3, 4)
    try:
        array = library.array(numbers)
    except TypeError as error:  # older than its unsigned types
        pytest.skip(str(error))
    view = minx.from_dlpack(array, ctx)
    assert view.dtype == numbers.dtype and view.shape == (3, 4) and view.address == library.address(array)
    assert_array_equal(view.numpy(), numbers)
    own = ctx.array(numbers)
    back = library.from_dlpack(own)
    assert back.dtype == library.type(dtype) and tuple(back.shape) == (3, 4) and library.address(back) == own.address
    assert library.strides(back) == own.strides
    assert_array_equal(library.numpy(back), numbers)


def test_strides(both):
    """Parts, transposed arrays, none and no dimensions; none with elements that share memory."""
    library, ctx = both
    array = library.array(np.arange(24.0).reshape(4, 6))
    for part in (array, array.T, array[1:3, ::2], array[2], array[:, 1:1], array[3, 5], array[:, None, 2]):
        view = minx.from_dlpack(part, ctx)
        assert view.shape == tuple(part.shape) and (view.address == library.address(part) or not view.size)
        assert_array_equal(view.numpy(), library.numpy(part))
    own = ctx.array(np.arange(24.0).reshape(2, 3, 4))
    for part in (own, own[1], own[:, 1:, 2], own[:, :0], own[1, 2, 3]):
        back = library.from_dlpack(part)
        assert tuple(back.shape) == part.shape and (library.address(back) == part.address or not part.size)
        assert_array_equal(library.numpy(back), part.numpy())


def test_launches(both):
    """Arrays of the library are arguments, also parts; what the kernel writes is theirs."""
    library, ctx = both
    array, expected = library.array(np.ones((4, 6))), np.ones((4, 6))
    minx.parallel_for(minx.MDRange((4, 6)), add_places, array, ctx=ctx)
    expected += 10 * np.arange(4)[:, None] + np.arange(6)
    part = array[1:, ::2]
    minx.parallel_for(minx.MDRange((3, 3)), add_places, part, ctx=ctx)
    expected[1:, ::2] += 10 * np.arange(3)[:, None] + np.arange(3)
    row = array[2]
    for _ in range(3):
        minx.parallel_for(6, double, row, ctx=ctx)
    expected[2] *= 8
    ctx.fence()
    assert_array_equal(library.numpy(array), expected)


@minx.kernel
def shift(team, out, x):
    """Reads what it has written, if both are one array: a barrier is between."""
    for k in team.items(x.shape[0]):
        out[k] = x[k] + 1
    for k in team.items(x.shape[0] - 1):
        x[k] = out[k + 1]


def test_teams(both):
    """Also with arguments that share memory."""
    library, ctx = both
    out, x = library.array(np.zeros(5)), library.array(np.arange(5.0))
    minx.parallel_for(minx.Team(1), shift, out, x, ctx=ctx)
    ctx.fence()
    assert_array_equal(library.numpy(x), [2, 3, 4, 5, 4])
    minx.parallel_for(minx.Team(1, 1, 1), shift, x[1:], x[:4], ctx=ctx)
    ctx.fence()
    assert library.numpy(x)[4] == 6


def test_writes_are_seen(both):
    library, ctx = both
    view = ctx.array(np.arange(5.0))
    array = library.from_dlpack(view)
    array += 1
    if ctx.stream is not None:
        ctx.wait(1)  # the library's work is on the default stream
    minx.parallel_for(5, double, view, ctx=ctx)
    ctx.fence()
    assert_array_equal(library.numpy(array), 2 * np.arange(1.0, 6.0))


def test_lifetimes(both):
    """Memory stays while one of both uses it, and no longer."""
    library, ctx = both
    gc.collect()
    alive = runtime.libminx().mx_views_alive()
    view = ctx.array(np.arange(4.0))
    array = library.from_dlpack(view)
    del view
    gc.collect()
    assert_array_equal(library.numpy(array), np.arange(4.0))
    assert runtime.libminx().mx_views_alive() == alive + 1
    part = array[1:]
    del array
    gc.collect()
    assert_array_equal(library.numpy(part), np.arange(1.0, 4.0))
    del part
    gc.collect()
    assert runtime.libminx().mx_views_alive() == alive
    array = library.array(np.ones(3))
    view = minx.from_dlpack(array, ctx)
    del array
    gc.collect()
    minx.parallel_for(3, double, view, ctx=ctx)
    assert_array_equal(view.numpy(), np.full(3, 2.0))
    array = library.array(np.ones(3))
    minx.parallel_for(3, double, array, ctx=ctx)
    ctx.fence()
    gone = weakref.ref(array)
    del array, view
    gc.collect()
    assert gone() is None  # a launch does not keep it
    assert runtime.libminx().mx_views_alive() == alive


def test_a_result_goes_into_an_array(both):
    library, ctx = both
    array, total = library.array(np.arange(5.0)), library.array(np.zeros(2))
    minx.parallel_reduce(5, value, array, into=total, index=1, ctx=ctx)
    ctx.fence()
    assert_array_equal(library.numpy(total), [0.0, 10.0])


@minx.kernel
def value(i, x):
    return x[i]


@pytest.fixture(params=[pair for pair in PAIRS if pair[0] is Torch], ids=names)
def torch(request):
    library, ctx = opened(request)
    return library.torch, library, ctx


def test_tensors_that_change(torch):
    """The memory of a tensor may become another one: the next launch sees it."""
    module, library, ctx = torch
    tensor, other = library.array(np.ones(4)), library.array(np.arange(6.0))
    minx.parallel_for(4, double, tensor, ctx=ctx)
    tensor.set_(other)
    minx.parallel_for(6, double, tensor, ctx=ctx)
    ctx.fence()
    assert_array_equal(library.numpy(other), 2 * np.arange(6.0))
    tensor.data = library.array(np.full(2, 3.0))
    minx.parallel_for(2, double, tensor, ctx=ctx)
    ctx.fence()
    assert_array_equal(library.numpy(tensor), [6.0, 6.0])
    assert_array_equal(library.numpy(other), 2 * np.arange(6.0))


def test_what_tensors_cannot(torch):
    module, library, ctx = torch
    with pytest.raises(TypeError, match="no bfloat16"):
        minx.parallel_for(3, double, library.array(np.ones(3)).to(module.bfloat16), ctx=ctx)
    with pytest.raises(minx.Error, match="MX_ERR_LAYOUT.*stride of 0 along axis 0"):
        minx.parallel_for(3, double, library.array(np.ones(1)).expand(3), ctx=ctx)
    with pytest.raises((BufferError, RuntimeError), match="gradient"):  # PyTorch says it
        minx.parallel_for(3, double, library.array(np.ones(3)).requires_grad_(), ctx=ctx)
    learned = library.array(np.ones(3)).requires_grad_()
    minx.parallel_for(3, double, learned.detach(), ctx=ctx)
    ctx.fence()
    assert_array_equal(library.numpy(learned.detach()), np.full(3, 2.0))
    with pytest.raises(BufferError, match="DLPack has no elements of"):
        module.from_dlpack(ctx.zeros(3, [("a", "f8")]))


def test_wrong_places(both):
    """Memory of a host is no argument on a GPU, and the other way round."""
    library, ctx = both
    other = make("cuda") if ctx.stream is None else make("serial")
    with pytest.raises(minx.Error, match="MX_ERR_SPACE"):
        minx.parallel_for(3, double, library.array(np.ones(3)), ctx=other)


# on a GPU


def test_order_of_streams(gpu):
    """Work on a stream of the library, a launch, and work on the stream again: none waits on the host, and the order holds."""
    library, ctx = gpu
    array, stream = library.array(np.arange(1 << 20, dtype=float)), library.stream()
    with library.using(stream):
        for _ in range(10):
            array += 1
            minx.parallel_for(1 << 20, double, array, ctx=ctx)
        array += 1
        found = library.numpy(array)
    expected = np.arange(1 << 20, dtype=float)
    for _ in range(10):
        expected = 2 * (expected + 1)
    assert_array_equal(found, expected + 1)


def test_context_on_a_stream(gpu):
    library, _ = gpu
    stream = library.stream()
    ctx = minx.Context("cuda", stream=stream)
    array = library.array(np.ones(1000))
    minx.parallel_for(1000, double, minx.from_dlpack(array, ctx), ctx=ctx)
    ctx.fence()
    assert_array_equal(library.numpy(array), np.full(1000, 2.0))


def test_interface(gpu):
    """By __cuda_array_interface__, in place of DLPack."""
    library, ctx = gpu
    view = ctx.array(np.arange(12.0).reshape(3, 4))
    module = getattr(library, "cupy", None) or library.torch
    array = module.asarray(view)
    assert library.address(array) == view.address
    assert_array_equal(library.numpy(array), view.numpy())
