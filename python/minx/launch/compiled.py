"""The compiled form of a kernel for some types of arguments: translated, compiled, loaded, remembered."""

from __future__ import annotations

import ctypes
import json
import os
import types as pytypes

import numpy as np

from .. import types as T
from ..build import compile as build
from ..errors import NotSupported
from ..language import generate
from ..language.values import Spec, number_type
from .kernel import kernel_members
from .stored import Index, evaluate, scope_of

REDUCERS = {"sum": "SUM", "prod": "PROD", "min": "MIN", "max": "MAX", "all": "LAND", "any": "LOR", "band": "BAND", "bor": "BOR"}


class Compiled:
    """A kernel for some types of arguments, loaded."""

    def __init__(self, library, made: dict):
        self.path = library
        dll, name = ctypes.CDLL(os.fspath(library)), made["name"]
        self.size, self.bind, self.launch = (getattr(dll, f"{name}_{f}") for f in ("size", "bind", "launch"))
        self.size.restype = ctypes.c_int64
        self.bind.argtypes, self.launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p], [ctypes.c_void_p]
        self.bytes, self.value_at = self.size(0), self.size(1)
        self.scalars, self.arrays, self.names = made["scalars"], made["arrays"], made["names"]
        self.value = [np.dtype(t) for t in made["value"]]


def compile_for(pattern, space, kernel, types, ctx, reducers, instance) -> Compiled:
    key = (pattern, space, types, reducers, tuple(ctx.instances), bool(os.environ.get("MINX_PY_DEBUG")))
    found = kernel.compiled.get(key)
    if found is not None:
        return found
    debug = key[-1]
    spec = Spec(pattern, space[0], tuple(types), tuple(REDUCERS[r] for r in reducers), space[1], kernel.items, kernel.dialect, debug)
    members = kernel_members(kernel, instance) if instance is not None else ()
    names, accumulator, final = kernel.roles(spec, len(types) - len(members), instance is not None)
    spec = annotated(kernel, spec, names)
    if accumulator:
        spec.value = number_type(getattr(kernel.annotations.get(accumulator), "value_type", None))
    stored = Index(kernel, spec, ctx.instances, instance)
    made = stored.load()
    if made is None:
        try:
            generated, unit = generate.generate(kernel.function, spec, names, accumulator, final, instance, members)
        except NotSupported as error:  # the place is the user's; the way to it is of no use to him
            raise error.with_traceback(None) from None
        path = build.compile_kernel(generated.text, tuple(ctx.instances))
        made = {**json.loads(generated.dumps()), "path": str(path), "outside": unit.outside}
        stored.save(made, unit.outside)
    kernel.constants = [place_of(*o) for o in made["outside"] if not isinstance(o[2], pytypes.FunctionType)]
    kernel.compiled[key] = compiled = Compiled(build.Path(made["path"]), made)
    return compiled


def place_of(function, expression, value):
    """Where a number from outside is, to see whether it changes."""
    owner, _, name = expression.rpartition(".")
    if not owner:
        return scope_of(function, name), name, value
    found = evaluate(function, owner, None)
    return (vars(found) if hasattr(found, "__dict__") else {name: value}), name, value


def annotated(kernel, spec, names):
    """Numbers with an annotation have its type."""
    types = list(spec.arguments)
    for n, name in enumerate(names):
        t = number_type(kernel.annotations.get(name))
        if t and not isinstance(types[n], T.Array):
            if T.is_float(types[n]) and not T.is_float(t) and not spec.dialect.annotations_convert:
                raise TypeError(f"{kernel.function.__name__}: {name} is declared {t}, got a float")
            types[n] = {"i64": T.INT, "f64": T.FLOAT}.get(t, t) if kernel.annotations[name] in (int, float) else t
    return Spec(**{**spec.__dict__, "arguments": tuple(types)})
