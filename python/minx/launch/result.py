"""Where the result of a launch goes, how it is read, and which argument is which parameter."""

from __future__ import annotations

import inspect
import struct

import numpy as np

from .. import runtime
from ..language.reducers import Reducer, results
from .policy import whole

INTO = -1  # the number of the array that gets the result


class Target:
    """Element `index` of `into`, or an array of `length` elements, of the caller's or a new one."""

    __slots__ = ("into", "index", "length", "key", "makes_array")

    @classmethod
    def of(cls, into, index, length):
        """None: the result is one value, which the launch waits for."""
        return None if into is None and length is None else cls(into, index, length)

    def __init__(self, into, index, length):
        if into is not None and not runtime.is_array(into):
            raise TypeError(f"into is a {type(into).__name__}: expected the array or view that gets the result, as into=np.zeros(1)")
        if length is not None:
            length = whole(length, "length")
            size = length if into is None else int(np.prod(into.shape))
            if length < 0 or size != length:
                raise ValueError(f"length={length}" + (f", but into has {size} elements" if into is not None else " is negative"))
        self.into, self.index, self.length = into, whole(index, "index"), length
        self.makes_array = into is None
        self.key = (id(into), self.index, length)


class Reader:
    """Reads the results of a call from its buffer."""

    def __init__(self, compiled, target, reducers):
        self.format, self.at = struct.Struct(compiled.value or "0q"), compiled.value_at
        self.to, self.target, self.dtype = compiled.to_at, target, np.dtype(compiled.array or "i8")
        self.reducers = compiled.reducers
        self.custom = reducers[0] if isinstance(reducers[0], Reducer) else None

    def aim(self, buffer):
        """Says in the call where its result goes."""
        t = self.target
        into, index, length = (0, 0, 0) if t is None else (t.into is not None, t.index, t.length or 0)
        struct.pack_into("qqqP", buffer, self.to, into, index, length, 0)

    def prepare(self, buffer) -> np.ndarray:
        """A new array for the result of the next launch."""
        array = np.empty(self.target.length, self.dtype)
        struct.pack_into("P", buffer, self.to + 24, array.ctypes.data)
        return array

    def __call__(self, buffer):
        numbers = self.format.unpack_from(buffer, self.at)
        return self.custom.make(numbers) if self.custom is not None else results(self.reducers, numbers)


class NumberReader(Reader):
    """Of one number."""

    def __call__(self, buffer):
        return self.format.unpack_from(buffer, self.at)[0]


def arrange(kernel, pattern, policy, args, named, method, target) -> tuple:
    """The arguments of a kernel in the order of its parameters, from those by place, those by name, and defaults. TypeError: one is
    missing, there twice, or unknown. Where a reduction's kernel may have a parameter for its value, the names that are given decide."""
    named, array = named or {}, target is not None and target.length is not None
    if kernel.function.__defaults__ is not kernel.defaults:
        kernel.defaults = kernel.function.__defaults__
        kernel.orders.clear()
    key = (pattern, policy.space[0], method, array, len(args), *named)
    rest = kernel.orders.get(key)
    if rest is None:
        rest = kernel.orders[key] = order_of(kernel.function, pattern, policy, len(args), named, method, array)
    return (*args, *[named[name] if name is not None else default for name, default in rest])


def order_of(function, pattern, policy, count, named, method, array) -> list:
    """For each parameter behind those by place: (its name, None) or, where it is not given, (None, its default)."""
    indices = 1 if policy.space[0] == "TEAM" else int(policy.space[0][0])
    parameters = list(inspect.signature(function).parameters.values())[(1 if method else 0) + indices:]
    most = {"for": 0, "reduce": 1, "scan": 2}[pattern]
    least = 1 if pattern == "scan" or array else 0
    failed = None
    for skipped in range(least, most + 1):
        try:
            inspect.Signature(parameters[skipped:]).bind(*range(count), **named)
        except TypeError as error:
            failed = failed or error
        else:
            return [(p.name, None) if p.name in named else (None, p.default) for p in parameters[skipped + count:]]
    raise TypeError(f"{function.__name__}: {failed}") from None
