"""Policies: the indices that a kernel runs over (minx/policy.h)."""

from __future__ import annotations

import functools
import operator

AUTO = -1
INDEX_END = 2**31 - 4096


def whole(number, what: str) -> int:
    """TypeError: it is no integer."""
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{what}: got {number!r}, expected an integer") from None


def numbers_of(given, what: str) -> tuple:
    """The integers of a tuple or list."""
    if isinstance(given, (str, dict)) or not hasattr(given, "__len__"):
        raise TypeError(f"{what}: got {given!r}, expected a tuple of integers, as in minx.MDRange((rows, columns))")
    return tuple(whole(n, what) for n in given)


class Range:
    """Range(n), Range(begin, end), of one dimension; tile and dynamic as in minx/policy.h.

    >>> @minx.kernel
    ... def mark(i, y):
    ...     y[i] = 1
    >>> y = np.zeros(5)
    >>> minx.parallel_for(minx.Range(1, 4), mark, y)
    >>> y
    array([0., 1., 1., 1., 0.])
    """

    __slots__ = ("begin", "end", "tile", "space", "numbers")

    def __init__(self, begin, end=None, tile=0, dynamic=False):
        begin, end = (0, begin) if end is None else (begin, end)
        self._set((whole(begin, "Range"),), (whole(end, "Range"),), (whole(tile, "tile"),), dynamic)

    def _set(self, begin, end, tile, dynamic):
        self.begin, self.end, self.tile = begin, end, tile
        wide = any(e > INDEX_END for e in end) or any(b < -(2**31) for b in begin)
        self.space = f"{len(begin)}D{'_64' * wide}", all(b >= 0 for b in begin)
        self.numbers = (*begin, *end, *tile, int(dynamic))


class MDRange(Range):
    """MDRange((rows, columns)), MDRange((1, 1), (rows - 1, columns - 1), tile=(32, 256)); 1 to 6 dimensions.

    >>> @minx.kernel
    ... def product(i, j, y):
    ...     y[i, j] = i * j
    >>> y = np.zeros((2, 3))
    >>> minx.parallel_for(minx.MDRange(y.shape), product, y)
    >>> y
    array([[0., 0., 0.], [0., 1., 2.]])
    """

    def __init__(self, begin, end=None, tile=None, dynamic=False):
        begin = numbers_of(begin, "MDRange")
        begin, end = ((0,) * len(begin), begin) if end is None else (begin, numbers_of(end, "MDRange"))
        tile = (0,) * len(begin) if tile is None else numbers_of(tile, "tile")
        if not 1 <= len(begin) <= 6 or len(end) != len(begin) or len(tile) != len(begin):
            raise ValueError(f"got begin {begin}, end {end}, tile {tile}: expected as many numbers in each, 1 to 6")
        self._set(begin, end, tile, dynamic)


range_of = functools.lru_cache(maxsize=256)(Range)


class Team:
    """Team(league, size, lanes): `league` teams of `size` threads of `lanes` vector lanes each, as mx_league.

    size, lanes: 1 or more, or AUTO; lanes is a power of two up to 32. The scratch that a kernel in Python asks for
    (team.scratch) is added by the launch; with_scratch is for kernels written in C.

    >>> @minx.kernel
    ... def row_sums(team, out, a):
    ...     total = 0.0
    ...     for k in team.items(a.shape[1]):
    ...         total += a[team.league_rank, k]
    ...     out[team.league_rank] = total
    >>> out = np.zeros(2)
    >>> minx.parallel_for(minx.Team(2), row_sums, out, np.ones((2, 3)))
    >>> out
    array([3., 3.])
    """

    __slots__ = ("space", "numbers")

    def __init__(self, league, size=AUTO, lanes=AUTO):
        self.space, self.numbers = ("TEAM", True), (*(whole(n, "Team") for n in (league, size, lanes)), 0, 0, 0, 0)

    def with_scratch(self, level, team_bytes, thread_bytes=0) -> "Team":
        """The same teams with scratch at level 0 (small and fast) or 1 (large): bytes that the team shares, and that each of its
        threads has."""
        if level not in (0, 1):
            raise ValueError(f"scratch of level {level}: expected 0 or 1")
        team, numbers = Team(0), list(self.numbers)
        numbers[3 + level], numbers[5 + level] = int(team_bytes), int(thread_bytes)
        team.numbers = tuple(numbers)
        return team
