"""minx from Python: kernels in a subset of Python, translated to C, on every backend.

    import numpy as np, minx

    @minx.kernel
    def axpy(i, y, x, alpha):
        y[i] += alpha * x[i]

    minx.parallel_for(minx.Range(y.size), axpy, y, x, 2.0)

docs/python.md is the manual.
"""

from .language import printing as _printing  # registers print
from .language.atomics import (atomic_add, atomic_and, atomic_compare_exchange, atomic_div, atomic_exchange, atomic_load, atomic_lshift,
                               atomic_max, atomic_min, atomic_mul, atomic_nand, atomic_or, atomic_rshift, atomic_store, atomic_sub,
                               atomic_xor)
from .language.calls import local, recip
from .language.annotations import Array
from .language.random import Random
from .language.vectors import simd, unroll
from .errors import CompileError, Error, NotSupported, SetupError
from .launch.ahead import declare
from .launch.c_kernel import c_file, c_kernel
from .launch.call import parallel_for, parallel_reduce, parallel_scan
from .launch.kernel import Kernel, kernel
from .language.reducers import Reducer
from .launch.scatter import Scatter
from .launch.policy import AUTO, MDRange, Range, Team
from .runtime import (CUDA, DEFAULT, HOST, LEFT, MANAGED, PINNED, RIGHT, SIMT, STRIDE, Context, Graph, View, backend_missing, backends,
                      default, event, fence, from_dlpack, graph, load, partition, region, set_default)
from .language.values import NumberType
from .notebook import load_ipython_extension
from .version import __version__

f64, f32, i64, i32, i16, i8, u64, u32, u16, u8, c128, c64 = (
    NumberType(t) for t in ("f64", "f32", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8", "c128", "c64"))


def function(f):
    """@minx.function: a mark for readers. Kernels call any function of the subset, with or without it.

    >>> @minx.function
    ... def square(x):
    ...     return x * x
    >>> def squares(i, y):
    ...     y[i] = square(i)
    >>> y = np.zeros(3)
    >>> minx.parallel_for(3, squares, y)
    >>> y
    array([0., 1., 4.])
    """
    return f
