"""Kernels as plain Python, one index after the other: for debuggers, prints and tests."""

from __future__ import annotations

import numpy as np

from ..errors import NotSupported
from .team import Team as PythonTeam


def run_python(pattern, policy, kernel, args, reducers):
    """The kernel as plain Python, one index after the other: for debuggers, prints and tests."""
    function = kernel.function
    if policy.space[0] == "TEAM":
        indices = [(PythonTeam(n, policy.numbers[0]),) for n in range(policy.numbers[0])]
    else:
        indices = np.ndindex(*[e - b for b, e in zip(policy.begin, policy.end)])
        indices = [tuple(i + b for i, b in zip(index, policy.begin)) for index in indices]
    if pattern == "for":
        for index in indices:
            function(*index, *args)
        return None
    if pattern == "scan":
        raise NotSupported("a scan has no plain run yet")
    join = {"sum": lambda a, b: a + b, "prod": lambda a, b: a * b, "min": min, "max": max, "all": lambda a, b: a and b,
            "any": lambda a, b: a or b, "band": lambda a, b: a & b, "bor": lambda a, b: a | b}
    total = [None] * len(reducers)
    for index in indices:
        value = function(*index, *args)
        if value is None:
            continue
        for n, v in enumerate(value if isinstance(value, tuple) else (value,)):
            total[n] = v if total[n] is None else join[reducers[n]](total[n], v)
    return total[0] if len(total) == 1 else tuple(total)
