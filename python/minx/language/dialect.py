"""The rules in which languages of kernels differ.

There is one translation of Python to C. Where programs of another system give the same text another meaning, the translation asks
the dialect of the kernel. The class here is minx's own language; minx.pykokkos has a subclass. A dialect is stateless, and its
name stands for it in the keys of the caches."""

from __future__ import annotations

import ast


class Dialect:
    name = "minx"

    names: dict = {}  # names that kernels use without an import: name -> object
    inner_functions = False  # kernels have functions inside of them, and `nonlocal`
    annotations_convert = False  # x: int = 2.5 is 2, a parameter x: int gets 2 from 2.5, and x stays an int
    numbers_are_tests = False  # `and`, `or` and `not` of numbers are those of n != 0
    members_without_self = False  # a name that means nothing else is an attribute of the kernel's object
    objects: dict = {}  # arguments, and attributes of the kernel's object, that are objects: name -> class
    threads_run_all = False  # each thread of a team runs its whole body: barriers and singles are the program's own
    sums_only = False  # the value of a reduction or scan is a sum

    def source(self, source):
        """The source of a function as it is translated: the one given, or a copy with another tree."""
        return source

    def handler(self, called):
        """What translates a call of an object, f(translator, node, statement) -> Val, if the dialect knows the object; else None."""
        return None

    def store(self, translator, node, array, element: str, type_: str, operator, value):
        """Writes array[...] = value, or (operator, of ast) array[...] += value, where that is no plain store; True if it has."""
        return False

    def lambda_body(self, translator):
        """The statement that the body of a kernel's lambda expression stands for."""
        body = translator.source.tree.body
        return ast.copy_location(ast.Return(body), body)

    def array_attribute(self, translator, node, array):
        """The value of array.NAME for names that minx's own language does not have; None: this one does not either."""
        return None

    def team_attribute(self, translator, node):
        """The value of team.NAME for such names."""
        return None

    def __repr__(self):
        return self.name


MINX = Dialect()
