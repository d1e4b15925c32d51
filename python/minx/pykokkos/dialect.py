"""Workunits as a dialect of minx's language: Kokkos' meaning of teams, C's conversions by annotations, functions inside
of workunits, and names without an import, as programs have them that were made for a translation to C++."""

from __future__ import annotations

import ast
import math
import typing

from ..language.dialect import Dialect
from ..language.values import Method, Val, const_val
from . import atomics, nested, random
from .rewrite import rewritten

MATH = """sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh fabs
trunc erf erfc
fmod hypot atan2 copysign cbrt floor ceil isnan isinf isfinite gamma lgamma fmin fmax""".split()
HANDLERS: dict = {**nested.HANDLERS, **atomics.HANDLERS, **random.HANDLERS}


class PyKokkos(Dialect):
    names = {**{name: getattr(math, name) for name in MATH if hasattr(math, name)}, "List": typing.List}
    inner_functions = annotations_convert = numbers_are_tests = members_without_self = threads_run_all = sums_only = True

    def __init__(self, atomic: frozenset = frozenset(), objects: dict | None = None):
        """atomic: the numbers of the arguments that are views with the trait Atomic. objects: arguments, and attributes
        of the object, that are objects themselves: name -> class."""
        self.atomic, self.objects = atomic, objects or {}
        self.name = (
            f"pykokkos{sorted(atomic) or ''}{sorted((n, c.__qualname__) for n, c in self.objects.items()) or ''}"
        )

    def source(self, source):
        return rewritten(source)

    def handler(self, called):
        if isinstance(called, ast.AST):
            return nested.call_inner
        try:
            found = HANDLERS.get(called)
        except TypeError:
            return None
        return found or (
            nested.new_scratch if isinstance(called, type) and issubclass(called, nested.Scratch) else None
        )

    def store(self, translator, node, array, element, type_, operator, value):
        if array.origin is None or array.origin not in self.atomic:
            return False
        atomics.store(translator, node, element, type_, operator, value)
        return True

    def lambda_body(self, translator):
        """lambda i: value, launched with a view, sets the view; lambda i, acc: acc + share gives the new acc."""
        tree, spec = translator.source.tree, translator.spec
        if spec.pattern == "reduce":
            made = ast.Assign([ast.Name(tree.args.args[spec.indices].arg, ast.Store())], tree.body)
        elif nested.LAMBDA_VIEW in translator.names:
            indices = [ast.Name(a.arg, ast.Load()) for a in tree.args.args[: spec.indices]]
            index = indices[0] if len(indices) == 1 else ast.Tuple(indices, ast.Load())
            made = ast.Assign([ast.Subscript(ast.Name(nested.LAMBDA_VIEW, ast.Load()), index, ast.Store())], tree.body)
        else:
            made = ast.Expr(tree.body)
        return ast.fix_missing_locations(ast.copy_location(made, tree.body))

    def array_attribute(self, translator, node, array):
        if node.attr == "extent":
            return Val(
                "", None, ref=Method(lambda t, n, s: t.extent(array, constant(t, n, "extent takes a dimension"), n))
            )
        if node.attr == "rank":
            return Val("", None, ref=Method(lambda t, n, s: const_val(array.rank)))
        if node.attr == "data":
            return Val("", None, ref=array)
        return None

    def team_attribute(self, translator, node):
        method = nested.TEAM_METHODS.get(node.attr)
        if method is None:
            raise translator.error(node, f"a TeamMember has {', '.join(nested.TEAM_METHODS)}; not {node.attr}")
        return Val("", None, ref=Method(method))


def constant(t, node, what: str) -> int:
    values = [t.number(a) for a in node.args]
    if len(values) != 1 or not isinstance(values[0].const, int):
        raise t.error(node, f"{what} that is a constant")
    return values[0].const
