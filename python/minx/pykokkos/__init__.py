"""PyKokkos programs on minx: import minx.pykokkos as pk. The constructs that its programs use; what is not here is an
AttributeError. Kernels keep C's conversions and Kokkos' meaning of teams (translate.Spec.loose)."""

import math as _math
import sys as _sys
import time as _time

from .. import runtime as _runtime
from ..launch.call import launch as _launch
from . import kernels as _kernels
from .kernels import (Acc, AUTO, PerTeam, PerThread, TeamMember, TeamThreadMDRange, TeamThreadRange, TeamVectorRange,
                      ThreadVectorRange, ScratchView1D, ScratchView2D, ScratchView3D, atomic_fetch_add, atomic_fetch_and,
                      atomic_fetch_max, atomic_fetch_min, atomic_fetch_or, atomic_fetch_sub, atomic_fetch_xor, atomic_add,
                      parallel_for, parallel_reduce, parallel_scan, printf, single, workunit)
from .policies import (Cuda, Default, ExecutionSpace, HIP, Iterate, MDRangePolicy, OpenMP, RangePolicy, Rank, Serial, TeamPolicy,
                       Threads, get_default_space, set_default_space)
from .sort import BinOp1D, BinOp3D, BinSort
from .views import (CudaSpace, CudaUVMSpace, DataType, DataTypeClass, HostSpace, Layout, LayoutLeft, LayoutRight, Trait, View,
                    View1D, View2D, View3D, View4D, View5D, View6D, View7D, View8D, ViewTypeInfo, array, asarray, from_numpy,
                    int8, int16, int32, int64, uint8, uint16, uint32, uint64, double, float, float32, float64, real, bool)

Atomic, Unmanaged, RandomAccess, Restrict = Trait.Atomic, Trait.Unmanaged, Trait.RandomAccess, Trait.Restrict
LayoutDefault = Layout.LayoutDefault


class Timer:
    def __init__(self):
        self.reset()

    def seconds(self):
        return _time.perf_counter() - self.start

    def reset(self):
        self.start = _time.perf_counter()


def fence(*_):
    _runtime.default().fence()


def _mark(kind):
    def mark(function):
        function.pk_kind = kind
        return function

    return mark


main, callback, function = _mark("main"), _mark("callback"), lambda f: f


def _of_class(*args, **views):
    """@workload and @workload(x=ViewTypeInfo(...)): layouts and spaces are seen from the views themselves."""
    return args[0] if args else lambda cls: cls


workload = functor = _of_class


def classtype(cls):
    """A class of numbers that kernels have by value."""
    cls.minx_struct = True
    return cls


class _Names(dict):
    """The globals of a @main: PyKokkos translates it to C++, where members are visible without self."""

    def __missing__(self, name):
        for place in (self["__builtins__"], self.owner, globals()):
            found = place.get(name, self) if isinstance(place, dict) else getattr(place, name, self)
            if found is not self:
                return found
        raise NameError(f"name {name!r} is not defined")


def execute(space, workload):
    """Runs the @main of a workload as Python, then its callbacks."""
    before = get_default_space()
    set_default_space(space)
    try:
        for kind in ("main", "callback"):
            for name in dict.fromkeys(n for c in type(workload).__mro__ for n in vars(c)):
                method = getattr(type(workload), name, None)
                if getattr(method, "pk_kind", None) == kind:
                    names = _Names(method.__globals__)
                    names.owner = workload
                    type(_of_class)(method.__code__, names, name, method.__defaults__, method.__closure__)(workload)
    finally:
        set_default_space(before)


def enable_uvm():
    pass


disable_uvm = enable_uvm


def is_uvm_enabled():
    return False


def set_device_id(number):
    raise NotImplementedError("one GPU for each process: MINX_BACKEND=cuda:device=1")


def initialize():
    _runtime.library()


finalize = enable_uvm
