"""Mistakes with arrays, contexts and the run time: each is an error with a message that says what is wrong and what to
do. The messages are compared whole; * stands for an address or a path."""

import functools
import pickle
import re

import numpy as np
import pytest
from contexts import make

import minx


@minx.kernel
def add(i, y, x):
    y[i] += x[i]


@minx.kernel
def add_2d(i, j, y, x):
    y[i, j] += x[i, j]


@minx.kernel
def total(i, x):
    return x[i]


def launch(*arrays, ctx="serial", kernel=add, policy=3):
    minx.parallel_for(policy, kernel, *arrays, ctx=make(ctx) if isinstance(ctx, str) else ctx)


x3, serial = np.ones(3), "serial"


def reduced(**options):
    return minx.parallel_reduce(3, total, x3, ctx=make(serial), **options)


def closed_context():
    ctx = minx.Context("serial")
    launch(np.ones(3), x3, ctx=ctx)
    ctx.close()
    return ctx


def closed_view():
    view = make(serial).zeros(3, label="u")
    launch(view, x3)
    view.close()
    return view


def frozen():
    array = np.zeros(3)
    array.flags.writeable = False
    return array


def unaligned():
    return np.frombuffer(bytearray(25), "f8", 3, 1)


def resized():
    array = np.zeros(3)
    launch(array, x3)
    array.resize(4, refcheck=False)


def recorded(work):
    ctx = minx.Context("serial")
    with minx.graph(ctx):
        work(ctx)


class NoWeakReferences:
    __slots__ = ()
    __cuda_array_interface__ = {"version": 3, "shape": (3,), "typestr": "<f8", "data": (4096, False)}


class Callable:
    def __call__(self, i, y, x):
        y[i] = x[i]


async def waits(i, y, x):
    y[i] = x[i]


fields = np.zeros(3, [("flag", "u1"), ("x", "f8")])
in_simt = lambda: make("simt").zeros(3, label="u")
in_serial = lambda **options: make(serial).zeros(3, label="u", **options)

MISTAKES = {
    # arrays that kernels cannot have
    "backwards": (lambda: launch(np.ones(3)[::-1], x3), "Error",
        "MX_ERR_LAYOUT: y: got a stride of -8 bytes along axis 0, as array[::-1] has: expected strides above 0; "
        "np.ascontiguousarray(array) copies it"),
    "broadcast": (lambda: launch(np.ones(3), np.broadcast_to(1.0, 3)), "Error",
        "MX_ERR_LAYOUT: x: got a stride of 0 along axis 0, as np.broadcast_to makes: its elements share memory; "
        "np.ascontiguousarray(array) copies it"),
    "overlapping": (lambda: launch(np.zeros((2, 3)), np.lib.stride_tricks.as_strided(np.ones(4), (2, 3), (8, 8)),
                                   kernel=add_2d, policy=minx.MDRange((2, 3))), "Error",
        "MX_ERR_LAYOUT: view 'x': stride 1: got 1, expected 2 or more, the span of the dimensions with smaller strides"),
    "between records": (lambda: make(serial).view(np.zeros(3, [("a", "f8"), ("z", "c16")])["z"]), "ValueError",
        "array: got a stride of 24 bytes along axis 0, expected a multiple of 16, the size of an element: a field of "
        "a record "
        "is passed with its records, or copied by array.copy()"),
    "unaligned": (lambda: launch(unaligned(), x3), "ValueError",
        "add: argument 0: got an array whose elements are not aligned, such as a field of a packed record: use "
        "array.copy()"),
    "packed field": (lambda: launch(fields["x"], x3), "ValueError",
        "add: argument 0: got an array whose elements are not aligned, such as a field of a packed record: use "
        "array.copy()"),
    "objects": (lambda: make(serial).view(np.zeros(3, object)), "TypeError",
        "array: got elements of object, which are Python objects: kernels need numbers or records"),
    "object argument": (lambda: launch(np.zeros(3, object), x3), "TypeError",
        "add: argument 0: got elements of object, which are Python objects: kernels need numbers or records"),
    "byte order": (lambda: make(serial).array(np.zeros(3, ">f8")), "TypeError",
        "array: got elements of >f8, in the byte order of another machine: convert them by "
        "array.astype(array.dtype.newbyteorder('='))"),
    "byte order argument": (lambda: launch(np.zeros(3, ">f8"), x3), "TypeError",
        "add: argument 0: got elements of >f8, in the byte order of another machine: convert them by "
        "array.astype(array.dtype.newbyteorder('='))"),
    "text": (lambda: launch(np.array(["a", "b"]), x3), "TypeError",
        "add: argument 0 has elements of <U1: expected numbers, or records of numbers"),
    "dates": (lambda: launch(np.zeros(3, "M8[s]"), x3), "TypeError",
        "add: argument 0 has elements of datetime64[s]: expected numbers, or records of numbers"),
    "masked": (lambda: launch(np.ma.zeros(3), x3), "ValueError",
        "add: argument 0: got a masked array, whose mask kernels do not see: use .data or .filled()"),
    "list": (lambda: launch([1.0, 2.0], x3), "TypeError",
        "add: argument 0 is a list: expected a number or an array"),
    "nine dimensions": (lambda: make(serial).zeros((1,) * 9), "Error",
        "MX_ERR_RANK: view 'zeros': rank: got 9, expected 0 to 8"),
    "read-only": (lambda: launch(frozen(), x3), "Error",
        "MX_ERR_CONST: add writes 'y', and got an array that is read-only"),
    "resized": (resized, "ValueError",
        "cannot resize an array that references or is referenced*"),
    "no weak references": (lambda: launch(np.zeros(3), NoWeakReferences()), "TypeError",
        "got a NoWeakReferences, which has no weak references: pass ctx.view(array)"),
    # arrays of another context, space or state
    "host array on simt": (lambda: launch(x3, x3, ctx="simt"), "Error",
        "MX_ERR_SPACE: y: got an array in host memory, which kernels of simt do not access: pass ctx.array(array), a "
        "copy"),
    "view of simt on serial": (lambda: launch(in_simt(), x3), "Error",
        "MX_ERR_SPACE: y: the view 'u' is in simt memory, which kernels of serial do not access: pass "
        "ctx.array(view.numpy()), "
        "a copy for this context"),
    "device array on serial": (lambda: launch(np.zeros(3), type("A", (), {"__cuda_array_interface__":
                               NoWeakReferences.__cuda_array_interface__})()), "Error",
        "MX_ERR_SPACE: x: got an array in memory of a GPU, which kernels of serial do not access: pass a context of "
        "cuda"),
    "closed context": (lambda: launch(np.ones(3), x3, ctx=closed_context()), "Error",
        "MX_ERR_ARG: the context 'serial' is closed"),
    "fence of a closed context": (lambda: closed_context().fence(), "Error",
        "MX_ERR_ARG: the context 'serial' is closed"),
    "view of a closed context": (lambda: closed_context().zeros(3), "Error",
        "MX_ERR_ARG: the context 'serial' is closed"),
    "closed view": (lambda: launch(closed_view(), x3), "Error",
        "MX_ERR_STALE: the view 'u' is closed"),
    "numpy of a closed view": (lambda: closed_view().numpy(), "Error",
        "MX_ERR_STALE: the view 'u' is closed"),
    "array of simt": (lambda: in_simt().array(), "Error",
        "MX_ERR_SPACE: the view 'u' is in simt memory, which NumPy cannot access: use numpy(), which copies"),
    "np.asarray of simt": (lambda: np.asarray(in_simt()), "TypeError",
        "the view 'u' is in simt memory: use numpy(), which copies"),
    # launches
    "partial": (lambda: launch(kernel=functools.partial(add, x=x3)), "TypeError",
        "a kernel is a Python function, got a functools.partial: give the function itself, and its arguments to the "
        "launch, by name if you like"),
    "builtin": (lambda: launch(kernel=print), "TypeError",
        "a kernel is a Python function, got print, which is not written in Python: write a function that calls it for "
        "one index"),
    "class": (lambda: launch(kernel=NoWeakReferences), "TypeError",
        "a kernel is a Python function, got the class NoWeakReferences: give a method of an object of it"),
    "twice": (lambda: minx.kernel(add), "TypeError",
        "a kernel is a Python function, got the kernel add: it is one already"),
    "object": (lambda: launch(kernel=Callable()), "TypeError",
        "a kernel is a Python function, got a Callable that can be called: give its method __call__, as in "
        "parallel_for(n, f.__call__, ...)"),
    "async": (lambda: launch(kernel=waits), "TypeError",
        "a kernel is a Python function, got the async function waits: write it without async; kernels run in parallel "
        "by themselves"),
    "text as a context": (lambda: minx.parallel_for(3, add, x3, x3, ctx="serial"), "TypeError",
        "ctx='serial': expected a context, as ctx=minx.Context('serial'), or \"python\" for a plain run"),
    "text as a kernel": (lambda: launch(kernel="add"), "TypeError",
        "a kernel is a Python function, got a str: give a function of the index, marked @minx.kernel or not"),
    "policy": (lambda: launch(policy=2.5), "TypeError",
        "the policy is a float: expected a Range, an MDRange, a Team, or an integer"),
    "range": (lambda: minx.Range(2.5), "TypeError", "Range: got 2.5, expected an integer"),
    "ranges": (lambda: minx.MDRange(3), "TypeError",
        "MDRange: got 3, expected a tuple of integers, as in minx.MDRange((rows, columns))"),
    "teams": (lambda: minx.Team(4, "2"), "TypeError", "Team: got '2', expected an integer"),
    "into": (lambda: reduced(into=[0]), "TypeError",
        "into is a list: expected the array or view that gets the result, as into=np.zeros(1)"),
    "index of into": (lambda: reduced(into=np.zeros(2), index=0.5), "TypeError", "index: got 0.5, expected an integer"),
    "length": (lambda: reduced(length=2.5), "TypeError", "length: got 2.5, expected an integer"),
    "op of numpy": (lambda: reduced(op=np.add), "TypeError", "op=add: write op='sum'"),
    "op of python": (lambda: reduced(op=(min, max)), "TypeError", "op=min: write op='min'"),
    "op of one's own": (lambda: reduced(op=launch), "TypeError",
        "op=launch: write op=minx.Reducer(init, join), with the identity of the join"),
    "op as a number": (lambda: reduced(op=3), "TypeError",
        "op=3: expected one of sum, prod, min, max, all, any, band, bor, minloc, maxloc, minmaxloc, a tuple of them, or "
        "a minx.Reducer"),
    "unknown op": (lambda: reduced(op="mean"), "ValueError",
        "no operator 'mean': expected one of sum, prod, min, max, all, any, band, bor, minloc, maxloc, minmaxloc, or a "
        "minx.Reducer"),
    # views
    "shape of put": (lambda: in_serial().put(np.zeros(4)), "ValueError",
        "view 'u': got shape (4,), expected (3,)"),
    "type of put": (lambda: in_serial(dtype="i4").put([1.5, 2, 3]), "TypeError",
        "view 'u': got elements of float64, expected int32: convert them by astype"),
    "put in a constant": (lambda: in_serial().constant().put(1), "Error",
        "MX_ERR_CONST: view 'u' is read-only"),
    "out of numpy": (lambda: in_serial().numpy(out=np.zeros(4)), "ValueError",
        "view 'u': got an array of float64, shape (4,), expected one of float64, shape (3,), that can be written"),
    "shape of a copy": (lambda: make(serial).copy(in_serial(), make(serial).zeros(4, label="v")), "Error",
        "MX_ERR_EXTENT: copy 'u' from 'v': extent 0 differs: 3 and 4"),
    "type of a copy": (lambda: make(serial).copy(in_serial(), make(serial).zeros(3, "f4", label="v")), "Error",
        "MX_ERR_TYPE: copy 'u' from 'v': element types differ: f64 and f32"),
    "index": (lambda: in_serial()[3], "IndexError",
        "view 'u': index 3 is out of bounds for axis 0 with extent 3"),
    "too many indices": (lambda: in_serial()[0, 0], "IndexError",
        "view 'u': got 2 indices, expected at most 1"),
    "step": (lambda: in_serial()[::2], "ValueError",
        "view 'u': got a step of 2, expected 1: minx has no parts with steps"),
    "index of text": (lambda: in_serial()["a"], "TypeError",
        "view 'u': got an index that is a str, expected integers and slices"),
    "item of many": (lambda: in_serial().item(), "ValueError",
        "view 'u': got 3 elements, expected 1"),
    "negative extent": (lambda: make(serial).zeros(-1, label="u"), "Error",
        "MX_ERR_EXTENT: view 'u': extent 0: got -1, expected 0 or more"),
    "space": (lambda: in_serial(space=minx.PINNED), "Error",
        "MX_ERR_SPACE: view 'u': serial does not allocate in memory space CudaHostPinned (every backend does in "
        "MX_SPACE_STAGING)"),
    "layout": (lambda: in_serial(layout=77), "Error",
        "MX_ERR_LAYOUT: view 'u': layout: got 77, expected a layout of layout.h other than stride"),
    "pickle of a view": (lambda: pickle.dumps(in_serial()), "TypeError",
        "the view 'u' cannot be pickled or copied by copy: use numpy(), or copy()"),
    # contexts and graphs
    "pickle of a context": (lambda: pickle.dumps(make(serial)), "TypeError",
        "the context 'serial' belongs to this process and cannot be pickled: send its resource"),
    "resource": (lambda: minx.Context("opnmp"), "Error",
        "MX_ERR_INPUT: backend: got 'opnmp', expected one of serial, openmp*"),
    "resource as a number": (lambda: minx.Context(2), "TypeError",
        "got 2, expected the resource of a context as text, such as 'openmp:threads=2'"),
    "threads": (lambda: minx.Context("openmp:threads=0"), "Error",
        "MX_ERR_INPUT: openmp:threads=0: threads: got '0', expected a whole number from 1 to 4096"),
    "key": (lambda: minx.Context("serial:threds=1"), "Error",
        "MX_ERR_INPUT: serial:threds=1: unknown key 'threds', expected one of threads, device, layout, order, seed, "
        "cores, "
        "lanes, check, priority"),
    "device of hosts": (lambda: minx.Context("serial:device=1"), "Error",
        "MX_ERR_INPUT: device: got 1, serial has no devices: leave the key out, or choose a backend with devices"),
    "stream of hosts": (lambda: minx.Context("openmp", stream=1), "Error",
        "MX_ERR_INPUT: openmp: a context on a stream: openmp has no streams"),
    "check": (lambda: minx.Context("serial", check="nothing"), "Error",
        "MX_ERR_INPUT: backend: got 'nothing', expected one of serial, openmp*"),
    "graph with a number": (lambda: recorded(lambda ctx: minx.parallel_reduce(3, total, x3, ctx=ctx)), "Error",
        "MX_ERR_ARG: a graph cannot record a launch whose result is a number or a new array: give it into=, an array "
        "or view "
        "that gets the result"),
    "graph with numpy": (lambda: recorded(lambda ctx: make(serial).zeros(3).numpy(ctx=ctx)), "Error",
        "MX_ERR_ARG: view 'zeros': host code reads or writes it while serial records a graph; a graph cannot record "
        "such a copy"),
    "graph in a graph": (lambda: recorded(minx.graph), "Error",
        "MX_ERR_ARG: serial records a graph already"),
    "node": (lambda: recorded(lambda ctx: ctx.graph.after(5)), "Error",
        "MX_ERR_ARG: graph: node 5 of 0 does not exist"),
}



@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name):
    call, kind, message = MISTAKES[name]
    with pytest.raises((minx.Error, TypeError, ValueError, IndexError)) as failed:
        call()
    assert type(failed.value).__name__ == kind
    pattern = ".*".join(re.escape(part) for part in message.split("*"))
    assert re.fullmatch(pattern, str(failed.value), re.DOTALL), str(failed.value)


def test_all_goes_on():
    """After all these mistakes."""
    y = np.zeros(3)
    launch(y, x3)
    assert y.tolist() == [1, 1, 1]
