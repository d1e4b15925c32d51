"""Loops inside of one item: minx.simd, whose items run at once, and minx.unroll."""

from __future__ import annotations

import ast

from .values import LOOPS, c_name


def simd(items):
    """for k in minx.simd(range(n)): the items may run in any order and at once. A host vectorises the loop, also with
    sums (s += ...), whose terms it then adds in another order.

    >>> @minx.kernel
    ... def norms(i, out, a):
    ...     s = 0.0
    ...     for k in minx.simd(range(a.shape[1])):
    ...         s += a[i, k] * a[i, k]
    ...     out[i] = s
    >>> out = np.zeros(2)
    >>> minx.parallel_for(2, norms, out, np.array([[3.0, 4.0], [1.0, 0.0]]))
    >>> out
    array([25.,  1.])
    """
    return items


def unroll(items, times=4):
    """for k in minx.unroll(range(n), 4): GPUs unroll the loop, so that loads of several passes are on their way at
    once. On hosts the compiler decides.

    >>> @minx.kernel
    ... def row_sum(i, out, a):
    ...     s = 0.0
    ...     for k in minx.unroll(range(a.shape[1]), 2):
    ...         s += a[i, k]
    ...     out[i] = s
    >>> out = np.zeros(1)
    >>> minx.parallel_for(1, row_sum, out, np.ones((1, 5)))
    >>> out
    array([5.])
    """
    return items


def sums_of(t, loop):
    """The variables from outside to which a loop's items add."""
    found: dict = {}
    inside = {n.target.id for n in ast.walk(loop) if isinstance(n, ast.For) and isinstance(n.target, ast.Name)}
    for statement in loop.body:
        for n in ast.walk(statement):
            if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name) and isinstance(n.op, (ast.Add, ast.Sub)):
                found.setdefault(n.target.id, "+")
    outside = set()
    for name in found:
        home, _ = t.declaration(name)
        if home is not None and home in list(t.block.above()) and name not in inside:
            outside.add(name)
    return [name for name in found if name in outside]


def range_in(t, call, name, most):
    """The range(...) that simd or unroll has."""
    if not 1 <= len(call.args) <= most or call.keywords:
        raise t.error(call, f"{name} takes a range" + (" and a constant" if most == 2 else ""))
    items = call.args[0]
    if not (isinstance(items, ast.Call) and t.expr(items.func).ref is range):
        raise t.error(items, f"{name} takes range(...)")
    return items


def loop_over_simd(t, node, call):
    items = range_in(t, call, "simd", 1)
    names = sums_of(t, node)
    for name in names:
        t.occurs(name, False)
    variables = [t.renamed.get(n) or c_name(n) for n in names]
    t.parallel_outside.append(list(t.block.above()))
    saved, t.renamed = t.renamed, {**t.renamed, **dict(zip(names, variables))}
    pragma = f"MX_SIMD_SUM({', '.join(variables)})" if names else "MX_SIMD"
    t.range_loop(node, items, pragma, "simd")
    t.renamed = saved
    t.parallel_outside.pop()


def loop_unrolled(t, node, call):
    items = range_in(t, call, "unroll", 2)
    times = t.number(call.args[1]).const if len(call.args) > 1 else 4
    if not isinstance(times, int) or not 1 <= times <= 64:
        raise t.error(call.args[1], "the second argument of unroll is a constant, 1 to 64")
    t.range_loop(node, items, f"MX_UNROLL({times})")


LOOPS[simd] = loop_over_simd
LOOPS[unroll] = loop_unrolled
