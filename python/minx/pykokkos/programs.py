"""The three styles of programs: workunits as functions, functors, workloads with main and callbacks."""

from __future__ import annotations

import time
import types as pytypes

from .. import runtime
from . import spaces
from .views import ViewTypeInfo


def _with_traits(name):
    def decorator(*args, **views):
        if args and isinstance(args[0], type):
            args[0].pk_traits = {}
            return args[0]
        wrong = [n for n, info in views.items() if not isinstance(info, ViewTypeInfo)]
        if args or wrong:
            raise TypeError(
                f"@pk.{name} takes what is known of views by their names: x=pk.ViewTypeInfo(trait=pk.Atomic)"
            )

        def mark(cls):
            cls.pk_traits = views
            return cls

        return mark

    decorator.__name__ = name
    decorator.__doc__ = f"""@pk.{name} in front of a class, also with a pk.ViewTypeInfo for attributes that are views.
    Of these the trait
    Atomic counts; layout and space are those of the view."""
    return decorator


workload, functor = _with_traits("workload"), _with_traits("functor")


def function(*args, **_):
    """@pk.function: a function that workunits call. A mark for readers: any function of the subset is possible."""
    return args[0] if args and callable(args[0]) else lambda f: f


def classtype(*args):
    """@pk.classtype: a class of numbers, `self.x: float = x` in its __init__, that workunits make, get as arguments,
    and call methods of; by value."""
    cls = args[0]
    cls.minx_struct = True
    return cls


def _mark(kind):
    def mark(method):
        method.pk_kind = kind
        return method

    mark.__name__ = kind
    return mark


main, callback = _mark("main"), _mark("callback")


class _Names(dict):
    """The global names of a @pk.main. Where it was made for a translation to C++, attributes of the workload and names
    of pk are visible without self and pk."""

    def __missing__(self, name):
        import minx.pykokkos as pk

        builtins = self["__builtins__"]
        for place in (builtins if isinstance(builtins, dict) else vars(builtins), vars(self.owner), vars(pk)):
            if name in place:
                return place[name]
        raise NameError(f"name {name!r} is not defined")


def _run(workload, name, method):
    names = _Names(method.__globals__)
    names.owner = workload
    pytypes.FunctionType(method.__code__, names, name, method.__defaults__, method.__closure__)(workload)


def execute(space, workload):
    """Runs the @pk.main of a workload with `space` as the default space, then its @pk.callback methods."""
    methods = {}
    for cls in reversed(type(workload).__mro__):
        for name in vars(cls):
            methods[name] = getattr(type(workload), name)
    found = {
        kind: [n for n, m in methods.items() if getattr(m, "pk_kind", None) == kind] for kind in ("main", "callback")
    }
    if not found["main"]:
        raise TypeError(f"{type(workload).__name__} has no method with @pk.main")
    before = spaces.get_default_space()
    spaces.set_default_space(space)
    try:
        for name in (*found["main"], *found["callback"]):
            _run(workload, name, methods[name])
    finally:
        spaces.set_default_space(before)


class Timer:
    """seconds() since it was made or reset()."""

    def __init__(self):
        self.reset()

    def seconds(self) -> float:
        return time.perf_counter() - self.start

    def reset(self):
        self.start = time.perf_counter()


def initialize():
    """Starts libminx, which the first launch does too."""
    runtime.libminx()


def finalize():
    """Nothing: libminx ends with the process."""
