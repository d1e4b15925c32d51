"""Kernels that are compiled before a program runs: `python -m minx compile FILE.py`. The file says what it will launch, by types:

    minx.declare(minx.Range, axpy, minx.f64[:], minx.f64[:], float)            # as parallel_for(Range(n), axpy, y, x, 2.0)
    minx.declare(minx.MDRange((9, 9)), smooth, minx.f64[:, :], minx.f64[:, :])
    minx.declare(minx.Range, dot, minx.f64[:], minx.f64[:], op="sum")          # as parallel_reduce
    minx.declare(minx.Range, offsets, minx.i64[:], minx.i64[:], scan=True)     # as parallel_scan

An import of the file compiles nothing. What the command has compiled is in the cache, where the program finds it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import types as T
from ..errors import SetupError
from ..language.reducers import reducers_of
from ..language.values import ArrayType, NumberType
from ..runtime import libminx
from .call import NUMBERS
from .compiled import compile_for
from .kernel import Kernel, plain_kernel
from .policy import Range, Team

INSTANCES = {"serial": "host_right", "openmp": "host_right", "simt": "simt_left", "cuda": "cuda_left"}


@dataclass(frozen=True)
class Declared:
    pattern: str
    space: tuple
    kernel: Kernel
    types: tuple
    reducers: tuple

    def __str__(self):
        arguments = ", ".join(f"{t.element}[{', '.join(':' * t.rank)}]" if isinstance(t, T.Array) else str(t) for t in self.types)
        return f"{self.kernel.function.__name__}({arguments}), parallel_{self.pattern} over {self.space[0]}"


@dataclass(frozen=True)
class Instances:
    """What compile_for must know of a context that need not be there."""

    instances: list


declared: list[Declared] = []


def declare(policy, kernel, *types, op=None, scan=False) -> None:
    """Says that the kernel will be launched with arguments of these types. Compiles nothing by itself.

    policy: minx.Range, minx.Team, minx.MDRange((1, 1)) with as many numbers as dimensions, or any object of these. types: minx.f64[:],
    minx.i32[:, :], minx.f32, int, float, bool, or an example (an array of NumPy, a number). op: as in parallel_reduce; scan: it is a
    parallel_scan. TypeError: another type.

    >>> def scale(i, y, factor):
    ...     y[i] *= factor
    >>> minx.declare(minx.Range, scale, minx.f64[:], float)
    """
    pattern = "scan" if scan else "for" if op is None else "reduce"
    kernel = kernel if isinstance(kernel, Kernel) else plain_kernel(kernel)
    name = kernel.function.__name__
    reducers = () if pattern == "for" else reducers_of(op or "sum")
    declared.append(Declared(pattern, space_of(policy), kernel, tuple(type_of(name, n, t) for n, t in enumerate(types)), reducers))


def space_of(policy) -> tuple:
    if policy is Team:
        return "TEAM", True
    if policy is Range:
        return "1D", True
    if isinstance(policy, (Range, Team)):
        return policy.space
    raise TypeError(f"got {policy!r} as the policy, expected minx.Range, minx.MDRange((rows, columns)) or minx.Team")


def type_of(name: str, n: int, given):
    """A declared type as launch/call.py has it for arguments."""
    if isinstance(given, ArrayType):
        return T.Array(given.element, given.rank)
    if isinstance(given, NumberType):
        return given.name
    plain = {int: T.INT, float: T.FLOAT, bool: T.BOOL}
    if given in plain if isinstance(given, type) else type(given) in plain:
        return plain[given if isinstance(given, type) else type(given)]
    if isinstance(given, np.ndarray) and (given.flags.c_contiguous or given.ndim <= 1) and T.of_dtype(given.dtype):
        return T.Array(T.of_dtype(given.dtype), given.ndim, "" if given.flags.c_contiguous else "s")
    if type(given) in NUMBERS:
        return T.of_dtype(given.dtype)
    raise TypeError(f"{name}: type {n} is {given!r}, expected one such as minx.f64[:], minx.i32[:, :], minx.f32, int or float")


def compile_declared(backends, say=print) -> int:
    """Compiles all that was declared, for these backends. Returns how many libraries are in the cache for it."""
    libminx()  # which kernels are linked to
    unknown = [b for b in backends if b not in INSTANCES]
    if unknown:
        raise SetupError(f"there is no backend '{unknown[0]}', but {', '.join(INSTANCES)}")
    count = 0
    for item in declared:
        for instance in dict.fromkeys(INSTANCES[b] for b in backends):
            made = compile_for(item.pattern, item.space, item.kernel, item.types, Instances([instance]), item.reducers, None)
            say(f"{item}, {instance}: {made.path}")
            count += 1
    return count
