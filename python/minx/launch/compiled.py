"""The compiled form of a kernel for some types of arguments: translated, compiled, loaded, remembered."""

from __future__ import annotations

import json
import os
from dataclasses import replace

from .. import runtime
from .. import types as T
from ..build import compile as build
from ..errors import NotSupported
from ..language import generate
from ..language.annotations import annotated as argument_as
from ..language.annotations import annotations_of
from ..language.reducers import LOCATIONS, NAMES, Reducer
from ..language.results import ATOMICS
from ..language.source import defaults_of
from ..language.values import Spec, number_type
from .kernel import kernel_members
from .loaded import BIND, LAUNCH, SIZE, Loaded
from .result import NumberReader, Reader
from .stored import Index, scope_of


class Compiled:
    """A kernel for some types of arguments, loaded."""

    def __init__(self, made: dict, checked: bool):
        self.path, self.scatters, self.checked = made["path"], made["scatters"], checked
        loaded, name = Loaded(self.path), made["name"]
        self.bind, self.launch = loaded.function(f"{name}_bind", BIND), loaded.function(f"{name}_launch", LAUNCH)
        if self.scatters:
            self.bind_scatters = loaded.function(f"{name}_scatter", BIND)
        size = loaded.function(f"{name}_size", SIZE)
        self.bytes, self.value_at, self.to_at = size(0), size(1), size(2)
        self.scalars, self.arrays, self.names, self.written = made["scalars"], made["arrays"], made["names"], set(made["written"])
        self.value, self.array, self.reducers = made["value"], made["array"], made["reducers"]
        self.has_result = bool(self.value or self.array)

    def result_reader(self, target, reducers) -> Reader:
        plain = len(self.reducers) == 1 and self.reducers[0] in ("SUM", "PROD", "MIN", "MAX", "BAND", "BOR")
        return (NumberReader if plain else Reader)(self, target, reducers)


def compile_for(pattern, space, kernel, types, ctx, reducers, instance, target=None, overlaps=()) -> Compiled:
    value = declared_value(reducers, target)
    array = target is not None and target.length is not None
    key = (type(instance), pattern, space, types, reducers, value, array, overlaps, tuple(ctx.instances), bool(os.environ.get("MINX_PY_DEBUG")))
    found = kernel.compiled.get(key)
    if found is not None:
        return found
    debug, settings = key[-1], build.settings()
    checked = is_checked(settings)
    custom = reducers[0] if reducers and isinstance(reducers[0], Reducer) else None
    names = ("CUSTOM",) if custom is not None else tuple(NAMES[r] for r in reducers)
    spec = Spec(pattern, space[0], tuple(types), names, space[1], kernel.items, kernel.dialect, debug, value, array, custom,
                overlaps=overlaps, checked=checked)
    check_spec(kernel, spec)
    members = kernel_members(kernel, instance) if instance is not None else ()
    parameters, accumulator, final = kernel.roles(spec, len(types) - len(members), instance is not None)
    spec = annotated(kernel, spec, parameters)
    if accumulator and spec.value is None:
        spec.value = number_type(getattr(kernel.annotations.get(accumulator), "value_type", None))
    stored = Index(kernel, spec, ctx.instances, instance, settings)
    made = stored.load()
    if made is None:
        try:
            generated, unit = generate.generate(kernel.function, spec, parameters, accumulator, final, instance, members)
        except NotSupported as error:  # the place is the user's; the way to it is of no use to him
            raise error.with_traceback(None) from None
        path = build.compile_kernel(generated.text, tuple(ctx.instances), kernel.function.__name__)
        made = {**json.loads(generated.dumps()), "reducers": list(spec.reducers), "path": path, "outside": unit.outside}
        stored.save(made, unit.outside)
    known = {(id(place), name) for place, name, *_ in kernel.constants}
    found = [p for p in (place_of(*o) for o in made["outside"]) if p is not None]
    kernel.constants += [c for c in found if (id(c[0]), c[1]) not in known]
    kernel.compiled[key] = compiled = Compiled(made, checked)
    return compiled


def is_checked(settings) -> bool:
    """Does the installed minx check indices? Then kernels check divisors and asserts, too."""
    return "MINX_BOUNDS_CHECK" in settings.built["defines"]


def declared_value(reducers, target) -> str | None:
    """The type of the result if the view that gets it decides: one number, or the elements of an array."""
    if target is None or target.into is None or len(reducers) != 1 or isinstance(reducers[0], Reducer) or reducers[0] in LOCATIONS:
        return None
    dtype = runtime.dtype_of(target.into)
    t = T.of_dtype(dtype)
    if t not in T.MINX_NUMBERS:
        raise TypeError(f"into has elements of {dtype}: expected one of {', '.join(T.MINX_NUMBERS)}")
    return t


def check_spec(kernel, spec):
    """Has minx this pattern over this index space?"""
    name = kernel.function.__name__
    if spec.pattern == "scan" and spec.space not in ("1D", "1D_64"):
        raise TypeError(f"{name}: scans are over minx.Range, not over {spec.space}")
    if spec.array and spec.space == "TEAM":
        raise TypeError(f"{name}: reductions into arrays are over ranges, not over teams")
    if spec.array and (len(spec.reducers) != 1 or spec.reducers[0] not in ATOMICS):
        raise TypeError(f"{name}: reductions into arrays have one op of sum, prod, min, max, band, bor")
    if spec.space == "TEAM" and spec.items not in (None, "simd", "plain"):
        raise TypeError(f"{name}: teams have items=simd or plain, not {spec.items}")


class Attributes:
    """The attributes of an object, as a place where numbers are."""

    def __init__(self, owner):
        self.owner = owner

    def get(self, name, default=None):
        return getattr(self.owner, name, default)


def place_of(function, expression, value):
    """Where a number or a function from outside is, to see whether it changes. None: it is of the kernel's own object, or of a
    variable."""
    owner, _, name = expression.rpartition(".")
    root, *attributes = (owner or name).split(".")
    if root in function.__code__.co_varnames:
        return None
    if not owner:
        place = scope_of(function, name)
        return place, name, place.get(name) if callable(value) else value, defaults_of(value)
    found = scope_of(function, root).get(root)
    for attribute in attributes:
        found = getattr(found, attribute)
    return Attributes(found), name, getattr(found, name) if callable(value) else value, defaults_of(value)


def annotated(kernel, spec, names):
    """The spec with what the annotations of the parameters say."""
    types, annotations = list(spec.arguments), annotations_of(kernel.function)
    for n, name in enumerate(names):
        if name in annotations:
            types[n] = argument_as(f"{kernel.function.__name__}: {name}", annotations[name], types[n], spec.dialect.annotations_convert)
    return replace(spec, arguments=tuple(types))
