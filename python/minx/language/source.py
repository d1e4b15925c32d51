"""Where a Python function stands: its syntax tree with the positions of its file, and what its names mean."""

from __future__ import annotations

import ast
import builtins
import functools
import hashlib
import inspect
import linecache
import re
import textwrap
import types as pytypes

from ..errors import NotSupported

MISSING = object()
VOWEL = re.compile(r"\ba (int|[if]\d+)\b")  # an int, an f64, an i32, but a u8


class Source:
    def __init__(self, function):
        self.function = function
        self.code = function.__code__
        self.file = self.code.co_filename
        try:
            lines, first = inspect.getsourcelines(self.code)  # not of what functools.wraps names
        except OSError:
            raise NotSupported(f"{function.__name__}: its source text is not there (typed at a plain prompt, or exec)")
        text = "".join(lines)
        self.indent = len(lines[0]) - len(lines[0].lstrip())
        tree = ast.parse(textwrap.dedent(text)) if function.__name__ != "<lambda>" else None
        if tree is None:
            self.tree = self._lambda(first)
        else:
            self.tree = tree.body[0]
            if not self._is_text_of(self.tree):
                raise NotSupported(f"{function.__name__}: {self.file} has changed since Python read it: start the program again")
            ast.increment_lineno(self.tree, first - 1)
        given = self.tree.args
        given.args, given.posonlyargs = [*given.posonlyargs, *given.args], []

    def _is_text_of(self, tree) -> bool:
        """Is it the text that the function was made of? Names, variables and constants are compared; what else the surroundings of the
        function change (classes, pytest's asserts, inner functions with nonlocal) is not looked at."""
        if any(isinstance(n, ast.Assert) for n in ast.walk(tree)) or "__" in " ".join((*self.code.co_names, *self.code.co_freevars)):
            return True
        try:
            module = compile(ast.Module([tree], []), self.file, "exec", dont_inherit=True)
        except SyntaxError:
            return True

        def parts(code):
            constants = [repr(c) for c in code.co_consts if not isinstance(c, pytypes.CodeType)]
            return code.co_name, code.co_varnames, {*code.co_names, *code.co_freevars}, constants

        return any(isinstance(c, pytypes.CodeType) and parts(c) == parts(self.code) for c in module.co_consts)

    def _lambda(self, first):
        whole = ast.parse("".join(linecache.getlines(self.file)))
        self.indent = 0
        (line, _, column, _), *_ = [p for p in self.code.co_positions() if p[2] is not None and p[0] is not None] or [
            (first, first, 0, 0)]
        found = [n for n in ast.walk(whole) if isinstance(n, ast.Lambda) and n.lineno == self.code.co_firstlineno
                 and [a.arg for a in n.args.args] == list(self.code.co_varnames[: self.code.co_argcount])]
        if len(found) != 1:
            raise NotSupported(f"{len(found)} lambda expressions on line {first} of {self.file}: write a function")
        return found[0]

    def error(self, node, message: str) -> NotSupported:
        """What is wrong with a part of the tree, at its place."""
        message = VOWEL.sub(r"an \1", message)
        line = getattr(node, "lineno", self.code.co_firstlineno)
        column = getattr(node, "col_offset", 0) + self.indent
        end_line = getattr(node, "end_lineno", line) or line
        end_column = (getattr(node, "end_col_offset", column + 1) or 0) + self.indent
        text = linecache.getline(self.file, line)
        if end_line != line:
            end_line, end_column = line, len(text.rstrip("\n"))
        name = self.function.__name__
        return NotSupported(f"{name}: {message}", (self.file, line, column + 1, text, end_line, end_column + 1))

    def scope(self, name: str):
        """The dictionary-like place where a name that is not local has its value, or None."""
        if name in self.code.co_freevars:
            return Cell(self.function.__closure__[self.code.co_freevars.index(name)])
        for place in (self.function.__globals__, vars(builtins)):
            if name in place:
                return place
        return None

    def lookup(self, name: str):
        place = self.scope(name)
        return MISSING if place is None else place.get(name, MISSING)


class Cell:
    """A variable of an enclosing function."""

    def __init__(self, cell):
        self.cell = cell

    def get(self, _, default=None):
        try:
            return self.cell.cell_contents
        except ValueError:
            return default


def behind(value):
    """What a kernel uses of something that it calls: of a kernel, a method or a class of objects the function."""
    if isinstance(value, type) and isinstance(value.__init__, pytypes.FunctionType):
        value = value.__init__
    value = getattr(value, "function", value)
    return getattr(value, "__func__", value)


def defaults_of(function):
    """The default values of a function that a kernel calls; None: it has none, or is no function."""
    return getattr(behind(function), "__defaults__", None) if callable(function) else None


def code_hash(function, place: bool = False) -> str:
    """Of what a function does, as far as its own text says. place: and of where it stands, for kernels that name lines."""
    code, last = function.__code__, 0

    def parts(code):
        nonlocal last
        last = max([last, *[line for _, _, line in code.co_lines() if line]])
        inner = [parts(c) if isinstance(c, pytypes.CodeType) else repr(c) for c in code.co_consts]
        return code.co_code, inner, code.co_names, code.co_varnames, code.co_freevars

    whole = parts(code), lines_of(code.co_filename, code.co_firstlineno, last)  # annotations of variables are in the text only
    where = (code.co_filename, code.co_firstlineno) if place else ()
    whole += where, function.__annotations__, function.__defaults__, function.__kwdefaults__
    return hashlib.sha256(repr(whole).encode()).hexdigest()[:24]


def lines_of(file: str, first: int, last: int) -> str:
    """Lines of a file as linecache has them, which takes longer for a file that it has not read."""
    if file not in linecache.cache:
        try:
            with open(file, "rb", 0) as opened:
                data = opened.readall()
            found = b"\n".join(data.split(b"\n", last)[first - 1:last])
            if found and b"coding" not in data[:256] and b"\r" not in found:
                return found.decode()
        except (OSError, ValueError):
            pass
    return "".join(linecache.getlines(file)[first - 1:last]).removesuffix("\n")


@functools.lru_cache(maxsize=1024)
def source_of(function) -> Source:
    return Source(function)
