"""Kernels: functions of the user, with what has been made of them."""

from __future__ import annotations

import functools
import inspect
import types as pytypes

import numpy as np

from ..language import generate
from ..language.dialect import MINX


ITEMS = ("simd", "plain", "resident_2", "resident_4")


def check_function(function) -> None:
    """TypeError: it is no Python function, whose text becomes a kernel; the message says what to write instead."""
    if isinstance(function, pytypes.FunctionType) and not function.__code__.co_flags & inspect.CO_COROUTINE:
        return
    if isinstance(function, pytypes.FunctionType):
        found, instead = f"the async function {function.__name__}", "write it without async; kernels run in parallel by themselves"
    elif isinstance(function, functools.partial):
        found, instead = "a functools.partial", "give the function itself, and its arguments to the launch, by name if you like"
    elif isinstance(function, Kernel):
        found, instead = f"the kernel {function.__name__}", "it is one already"
    elif isinstance(function, type):
        found, instead = f"the class {function.__name__}", "give a method of an object of it"
    elif isinstance(function, (pytypes.BuiltinFunctionType, np.ufunc)) or type(function).__module__ == "builtins" and callable(function):
        found, instead = f"{function.__name__}, which is not written in Python", "write a function that calls it for one index"
    elif callable(function):
        found, instead = f"a {type(function).__name__} that can be called", "give its method __call__, as in parallel_for(n, f.__call__, ...)"
    else:
        found, instead = f"a {type(function).__name__}", "give a function of the index, marked @minx.kernel or not"
    raise TypeError(f"a kernel is a Python function, got {found}: {instead}")


class Kernel:
    """A function that kernels are made of.

    Made by minx.kernel. Called as a function it is plain Python; c_source() gives the C that has been made of it.

    >>> @minx.kernel
    ... def double(i, y):
    ...     y[i] *= 2
    >>> y = [1, 2]
    >>> double(0, y)
    >>> y
    [2, 2]
    """

    bind = None  # kernels written in C have another way from arguments to a call

    def __init__(self, function, items=None, dialect=MINX):
        check_function(function)
        functools.update_wrapper(self, function)
        self.function, self.items, self.dialect = function, items, dialect
        self.compiled: dict = {}
        self.calls: dict = {}
        self.orders: dict = {}  # of arguments that are given by name, or have defaults
        self.defaults = function.__defaults__  # that `orders` are of
        self.constants: list = []  # (place, name, number or function, defaults of the function) from outside
        if function.__code__.co_kwonlyargcount or function.__code__.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
            raise TypeError(f"{function.__name__}: a kernel has no parameters with or behind `*`; any can be given by its name")
        self.parameters = list(function.__code__.co_varnames[: function.__code__.co_argcount])
        self.annotations = function.__annotations__

    def __call__(self, *args):
        return self.function(*args)  # plain Python: in tests, and from other kernels' plain runs

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundKernel(self, instance)

    def roles(self, spec, count: int, method: bool) -> tuple:
        """Which parameters are what: (names of `count` arguments, accumulator or None, final or None). Behind the indices come, for
        a reduction perhaps an accumulator, for a scan one and perhaps `final`, then the arguments. method: the first is self."""
        rest = self.parameters[(1 if method else 0) + spec.indices:]
        accumulator = final = None
        if spec.pattern == "scan" or spec.array or spec.pattern == "reduce" and len(rest) == count + 1:
            if not rest:
                raise TypeError(f"{self.function.__name__} has no parameter for its value, behind its index")
            accumulator, rest = rest[0], rest[1:]
        if spec.pattern == "scan" and len(rest) == count + 1:
            final, rest = rest[0], rest[1:]
        if len(rest) != count:
            raise TypeError(f"{self.function.__name__} has {len(rest)} parameters behind its {spec.indices} "
                            f"ind{'ices' if spec.indices > 1 else 'ex'}, got {count} arguments")
        return rest, accumulator, final

    def members(self, instance) -> tuple:
        """The names of the attributes of an object that are arguments, if the kernel is a method of it."""
        return members_of(self.function, type(instance), self.dialect)

    def c_source(self) -> list[str]:
        """The C files that have been made of it."""
        return [(c.path.parent / "kernel.c").read_text() for c in self.compiled.values()]


class BoundKernel:
    """A method that is a kernel: attributes of its object are arguments."""

    def __init__(self, kernel, instance):
        self.kernel, self.instance = kernel, instance

    def __call__(self, *args):
        return self.kernel.function(self.instance, *args)


def kernel(function=None, *, items=None):
    """@minx.kernel: a mark for functions that are kernels; any other function can be launched too.

    items: simd, plain, resident_2 or resident_4, as MX_ITEMS_* in minx/kernel.h. If left out, the body decides: plain for teams
    and for bodies with loops, resident_4 for loops whose indices were read from an array (neighbour lists, sparse matrices), and
    else simd.

    >>> @minx.kernel
    ... def fill(i, y, value):
    ...     y[i] = value
    >>> y = np.zeros(2)
    >>> minx.parallel_for(2, fill, y, 7)
    >>> y
    array([7., 7.])
    >>> "MX_AT(mx_a->y, i)" in fill.c_source()[0]
    True
    """
    if items is not None and items not in ITEMS:
        raise ValueError(f"items={items!r}: expected one of {', '.join(ITEMS)}")
    return Kernel(function, items) if function else lambda f: Kernel(f, items)


@functools.lru_cache(maxsize=4096)
def plain_kernel(function) -> Kernel:
    return Kernel(function)


members_of = functools.lru_cache(maxsize=4096)(generate.members_of)


def kernel_members(kernel, instance) -> tuple:
    return kernel.members(instance)
