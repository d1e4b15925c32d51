"""PyKokkos programs on minx: `import minx.pykokkos as pk` in place of `import pykokkos as pk`. docs/pykokkos.md says
what works, what differs, and how spaces are configured.

    @pk.workunit
    def axpy(i, y, x, alpha):
        y[i] += alpha * x[i]

    y, x = pk.View([n], pk.double), pk.View([n], pk.double)
    pk.parallel_for(n, axpy, y=y, x=x, alpha=2.0)"""

import math

from . import atomics as _atomics
from .datatypes import (
    Acc,
    DataType,
    DataTypeClass,
    bool,
    double,
    float,
    float32,
    float64,
    get_default_precision,
    int8,
    int16,
    int32,
    int64,
    real,
    set_default_precision,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .debug import single
from .policies import (
    AUTO,
    Iterate,
    MDRangePolicy,
    PerTeam,
    PerThread,
    RangePolicy,
    Rank,
    ScratchView1D,
    ScratchView2D,
    ScratchView3D,
    ScratchView4D,
    ScratchView5D,
    ScratchView6D,
    ScratchView7D,
    ScratchView8D,
    TeamMember,
    TeamPolicy,
    TeamThreadMDRange,
    TeamThreadRange,
    TeamVectorMDRange,
    TeamVectorRange,
    ThreadVectorMDRange,
    ThreadVectorRange,
)
from .programs import Timer, callback, classtype, execute, finalize, function, functor, initialize, main, workload
from .random import Random_XorShift64_Pool, Random_XorShift1024_Pool
from .sort import BinOp1D, BinOp3D, BinSort
from .spaces import (
    ExecutionSpace,
    ExecutionSpaceInstance,
    MemorySpace,
    disable_uvm,
    enable_uvm,
    fence,
    get_default_memory_space,
    get_default_space,
    get_device_id,
    is_host_execution_space,
    is_uvm_enabled,
    set_default_space,
    set_device_id,
    set_space_resource,
)
from .views import (
    Layout,
    Trait,
    View,
    View1D,
    View2D,
    View3D,
    View4D,
    View5D,
    View6D,
    View7D,
    View8D,
    ViewTypeInfo,
    array,
    asarray,
    deep_copy,
    from_array,
    from_cupy,
    from_numpy,
    get_default_layout,
)
from .workunits import parallel_for, parallel_reduce, parallel_scan, workunit

Cuda, HIP, OpenMP, Threads, Serial, Debug, Default = (
    ExecutionSpace[n] for n in ("Cuda", "HIP", "OpenMP", "Threads", "Serial", "Debug", "Default")
)
HostSpace, CudaSpace, CudaUVMSpace, HIPSpace, HIPManagedSpace, MemorySpaceDefault = (
    MemorySpace[n]
    for n in ("HostSpace", "CudaSpace", "CudaUVMSpace", "HIPSpace", "HIPManagedSpace", "MemorySpaceDefault")
)
LayoutRight, LayoutLeft, LayoutDefault = Layout.LayoutRight, Layout.LayoutLeft, Layout.LayoutDefault
Atomic, Managed, Unmanaged, RandomAccess, Restrict, TraitDefault = (
    Trait[n] for n in ("Atomic", "Managed", "Unmanaged", "RandomAccess", "Restrict", "TraitDefault")
)
printf = _atomics.printf
globals().update({name: value for name, value in vars(_atomics).items() if name.startswith("atomic_")})
math = math


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    import numpy

    hint = (
        "PyKokkos' array functions are not here: use NumPy's on the view"
        if hasattr(numpy, name)
        else "docs/pykokkos.md lists what is"
    )
    raise AttributeError(f"minx.pykokkos has no {name}. {hint}")
