"""The subset of Python that kernels are written in, and its translation to C. Nothing here compiles or runs anything.

translate.py      the translation of one function, in passes; its parts are
    places.py statements.py loops.py assignments.py expressions.py arithmetic.py arrays.py functions.py results.py order.py
generate.py       the file of C: arguments, body, pattern; driver.py the functions in it that Python calls
source.py         a function's tree, and the places in its file; values.py what the translation computes with
dialect.py        where languages of kernels differ
constructs.py     what Python has and kernels do not, and what to write instead
calls.py          functions of math, numpy and Python itself; printing.py print
atomics.py scatter.py random.py vectors.py  what minx has for one item of a kernel
team.py shared_loops.py                     teams
reducers.py joins.py                        how contributions are joined
scan_share.py     what an index adds to the value of a scan or reduction
annotations.py    types and arrays that annotations of parameters name
c_helpers.py      functions of C for operators that mean something else in Python
plain.py          kernels as plain Python"""
