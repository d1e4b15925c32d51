"""Compiled kernels on the disk: found by the Python function, without translating it."""

from __future__ import annotations

import builtins
import hashlib
import types as pytypes

from ..build import compile as build
from ..language.source import Cell, behind, code_hash


class Index:
    """Finds a compiled kernel by its Python function, without translating it: by its code and the types of its arguments. What it
    depends on outside (numbers, functions that it calls) is stored with the result, and compared."""

    def __init__(self, kernel, spec, instances, instance, settings):
        self.roots = [kernel.function, *([spec.custom.join] if spec.custom is not None else [])]
        self.instance, self.place = instance, spec.debug or spec.checked
        parts = (kernel.function.__name__, code_hash(kernel.function, self.place), repr(spec), build.stamp_for(tuple(instances), settings),
                 build.PACKAGE)
        self.cache, self.key = settings.cache, hashlib.sha256(repr(parts).encode()).hexdigest()[:32]

    def load(self):
        try:
            made = self.cache.load_index(self.key)
            path = made and self.cache.find(made["entry"], made["bytes"])
            if path is None:
                return None
            return {**made, "path": path, "outside": self.check(made["outside"])}
        except (LookupError, AttributeError):
            return None

    def check(self, stored) -> list:
        """What the kernel depends on, as it is now; an error if it is not what it was."""
        functions, found = list(self.roots), []
        for number, expression, value in stored:
            now = evaluate(functions[number], expression, self.instance)
            if isinstance(now, pytypes.FunctionType):
                functions.append(now)
            if self.remembered(now) != value:
                raise LookupError
            found.append((functions[number], expression, now))
        return found

    def save(self, made, outside):
        functions, stored = list(self.roots), []
        for function, expression, value in outside:
            stored.append((functions.index(function), expression, self.remembered(value)))
            if isinstance(value, pytypes.FunctionType):
                functions.append(value)
        path = made["path"]
        self.cache.save_index(self.key, {**made, "path": None, "entry": path.parent.name, "bytes": path.stat().st_size, "outside": stored})

    def remembered(self, value) -> str:
        if isinstance(value, pytypes.FunctionType) and not (value.__module__ or "").startswith("minx."):  # these are in PACKAGE
            return code_hash(value, self.place)
        return f"{value.__module__}.{value.__qualname__}" if isinstance(value, pytypes.FunctionType) else repr(value)


def evaluate(function, expression: str, instance):
    """A name or attribute as a function sees it."""
    root, *attributes = expression.split(".")
    value = instance if instance is not None and function.__code__.co_varnames[:1] == (root,) else \
        scope_of(function, root).get(root, getattr(builtins, root, None))
    for name in attributes:
        value = getattr(value, name)
    return behind(value)


def scope_of(function, name):
    code = function.__code__
    if name in code.co_freevars:
        return Cell(function.__closure__[code.co_freevars.index(name)])
    return function.__globals__
