"""Kernels with one mistake each: the message of the error, and the text that it marks, which is on the line with the comment
`# here`."""

import inspect

import pytest

import minx


class Mistakes(list):
    """`note = Mistakes(usual arguments)`; `@note(message, at, *arguments)` in front of a kernel; check() is the test."""

    def __init__(self, *usual):
        self.usual = usual

    def __call__(self, message, at, *args, policy=4, launch=minx.parallel_for):
        def note(function):
            self.append(pytest.param(function, message, at, args or self.usual, policy, launch, id=function.__name__))
            return function

        return note


def check(kernel, message, at, args, policy, launch):
    with pytest.raises(minx.NotSupported) as info:
        launch(policy, kernel, *args, ctx=minx.Context("serial"))
    error = info.value
    file, place = inspect.getsourcefile(kernel), kernel
    lines, first = inspect.getsourcelines(kernel)
    marked = [n for n, line in enumerate(lines) if line.endswith("# here\n")]
    if not marked:  # in a function that the kernel calls
        place = kernel.__globals__[error.msg.split(":")[0]]
        lines, first = inspect.getsourcelines(place)
        marked = [n for n, line in enumerate(lines) if line.endswith("# here\n")]
    (line,) = marked
    assert error.msg == f"{place.__name__}: {message}"
    assert (error.filename, error.lineno) == (file, first + line)
    assert error.text == lines[line]
    got = lines[line][error.offset - 1:error.end_offset - 1]
    assert got == at, f"marks {got!r}, expected {at!r}"
    assert error.offset - 1 in [n for n in range(len(lines[line])) if lines[line].startswith(at, n)]
