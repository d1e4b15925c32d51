"""The space Debug: workunits as plain Python, one index after the other, in a debugger or with prints."""

from __future__ import annotations

import numpy as np

from .datatypes import Acc, plain
from .policies import TeamMember, TeamPolicy
from .views import View


def indices_of(policy):
    if isinstance(policy, TeamPolicy):
        return [(TeamMember(n, policy.league_size),) for n in range(policy.league_size)]
    begin, end = np.atleast_1d(policy.begin), np.atleast_1d(policy.end)
    return [tuple(int(i + b) for i, b in zip(index, begin)) for index in np.ndindex(*np.maximum(end - begin, 0))]


def launch(pattern, policy, unit, instance, arguments):
    """A launch whose arguments come from unit_of: the attributes of an object are behind those of the function."""
    before = () if instance is None else (instance,)
    names, *_ = (
        unit.split(pattern, 1 if isinstance(policy, TeamPolicy) else np.size(policy.begin), instance is not None)
        if not hasattr(unit, "has_view")
        else ((), None, None)
    )
    given = tuple(View.of(a) if isinstance(a, np.ndarray) else a for a in arguments[: len(names)])
    value = Acc(0)
    for index in indices_of(policy):
        if hasattr(unit, "has_view"):
            result = unit.function(*index, *([value] if pattern != "for" else []))
            if unit.has_view:
                arguments[0][index if len(index) > 1 else index[0]] = result
            elif pattern == "reduce":
                value = Acc(plain(result))
            continue
        more = {"for": (), "reduce": (value,), "scan": (value, True)}[pattern]
        unit.function(*before, *index, *more, *given)
    return None if pattern == "for" else value.value


def nested(pattern, policy, function):
    """A loop inside of a workunit."""
    value = Acc(0)
    for index in policy.indices():
        more = {"for": (), "reduce": (value,), "scan": (value, True)}[pattern]
        result = function(*[int(i) for i in index], *more)
        if pattern == "reduce" and function.__name__ == "<lambda>":
            value = Acc(plain(result))
    return None if pattern == "for" else value.value


def single(policy, function):
    """Runs a function once for a team or thread. Inside of workunits."""
    function()
