"""Cells in C in a notebook: `%load_ext minx`, then `%%minx` on the first line of a cell. Its kernels become names of the notebook.

    %%minx
    MX_ARGS(axpy_args, (mx_f64_1, y) (mx_cf64_1, x), double alpha;);
    MX_DECLARE_FOR(1D, axpy, axpy_args)
    MX_BODY void axpy_body(const axpy_args *a, int i) { MX_AT(a->y, i) += a->alpha * MX_AT(a->x, i); }
    MX_FOR(1D, axpy)

and in the next cell `axpy(len(y), y=y, x=x, alpha=2.0)`. Behind `%%minx` may stand options of the compiler, as -I FOLDER -DN=3.
Messages of the compiler have the lines of the cell."""

from __future__ import annotations

import shlex
import sys

from .errors import CompileError
from .launch.c_kernel import CFile


def cell_magic(shell, line: str, cell: str) -> None:
    """Compiles a cell for the default context, and adds its kernels to the names of the notebook."""
    words, options = shlex.split(line), []
    while words:
        word = words.pop(0)
        options.append(word + (words.pop(0) if word in ("-I", "-D") and words else ""))
    file = CFile(f'#line 2 "cell"\n{cell}', "cell", tuple(options))  # %%minx is line 1
    file.compile()
    shell.push(dict(file.kernels))
    shown = [f"{k.name}({', '.join(k.parameters)})" for k in file.kernels.values()]
    print("minx:", "; ".join(shown), file=sys.stderr)


def load_ipython_extension(shell) -> None:
    """%load_ext minx."""

    def minx(line, cell):
        try:
            cell_magic(shell, line, cell)
        except CompileError as error:  # the compiler's words are all that helps
            print(error, file=sys.stderr)

    shell.register_magic_function(minx, magic_kind="cell", magic_name="minx")
