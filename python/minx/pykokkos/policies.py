"""Policies: over which indices, and in which space, a launch runs."""

from __future__ import annotations

import enum

import numpy as np

from ..launch.policy import AUTO as MINX_AUTO
from ..launch.policy import MDRange, Range, Team
from .spaces import ExecutionSpace, ExecutionSpaceInstance

AUTO = "auto"


def _space_first(args: list, space):
    """The space that a policy's arguments begin with, or that its keyword names."""
    if args and isinstance(args[0], (ExecutionSpace, ExecutionSpaceInstance)):
        if space is not None:
            raise TypeError("a policy has one space")
        return args.pop(0)
    return ExecutionSpace.Default if space is None else space


def is_integer(value) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


class Policy:
    """space: where it runs. policy(ctx): minx's own."""

    def policy(self, ctx):
        raise NotImplementedError


class RangePolicy(Policy):
    """RangePolicy(begin, end), RangePolicy(space, begin, end), RangePolicy(end)."""

    def __init__(self, *args, space=None, begin=None, end=None):
        args = list(args)
        self.space = _space_first(args, space)
        if end is None and args:
            end = args.pop()
        if begin is None:
            begin = args.pop() if args else 0
        if args or not is_integer(begin) or not is_integer(end):
            raise TypeError(
                f"RangePolicy takes a space, which may be left out, and two integers, got {[*args, begin, end]}"
            )
        self.begin, self.end = int(begin), int(end)
        self._policy = Range(self.begin, self.end)

    def policy(self, ctx):
        return self._policy


class Iterate(enum.Enum):
    """Which index is innermost. minx takes that which is contiguous in the layout of the context."""

    Default, Left, Right = "default", "left", "right"


class Rank:
    """Rank(2, pk.Iterate.Left, pk.Iterate.Right): the number of dimensions; how tiles and what is in them are ordered
    is minx's."""

    def __init__(self, n: int, outer: Iterate = Iterate.Default, inner: Iterate = Iterate.Default):
        self.n, self.outer, self.inner = int(n), outer, inner


class MDRangePolicy(Policy):
    """MDRangePolicy([b0, b1], [e0, e1], tiling=[t0, t1], rank=pk.Rank(2)), a space in front of them or as space=. Two
    to six dimensions. The tiling is a third list, too."""

    def __init__(self, *args, space=None, start=None, end=None, tiling=None, tile=None, rank=None):
        args = list(args)
        self.space = _space_first(args, space)
        ranks = [a for a in args if isinstance(a, Rank)]
        lists = [a for a in args if not isinstance(a, Rank)]
        begin = start if start is not None else lists.pop(0) if lists else None
        end = end if end is not None else lists.pop(0) if lists else None
        tiling = tiling if tiling is not None else tile if tile is not None else lists.pop(0) if lists else None
        if begin is None or end is None or lists:
            raise TypeError("MDRangePolicy takes a list of begins, a list of ends, and perhaps tiling= and rank=")
        self.begin, self.end = [int(n) for n in begin], [int(n) for n in end]
        rank = rank or (ranks[0] if ranks else None)
        if rank is not None and rank.n != len(self.begin):
            raise ValueError(f"MDRangePolicy: Rank({rank.n}), but {len(self.begin)} begins")
        self._policy = MDRange(self.begin, self.end, None if tiling is None else [int(n) for n in tiling])

    def policy(self, ctx):
        return self._policy


class TeamPolicy(Policy):
    """TeamPolicy(league_size, team_size, vector_length), a space in front of them or as space=. Sizes may be pk.AUTO.
    Hosts have one lane in a thread, whatever the vector length, and as AUTO one thread in a team."""

    def __init__(self, *args, space=None, league_size=None, team_size=None, vector_length=None):
        args = list(args)
        self.space = _space_first(args, space)
        given = [n if n is not None else args.pop(0) if args else None for n in (league_size, team_size, vector_length)]
        if args or given[0] is None:
            raise TypeError("TeamPolicy takes the number of teams, then team size and vector length")
        self.league_size, self.team_size, self.vector_length = (self._size(n) for n in given)
        self.scratch = {}

    @staticmethod
    def _size(n):
        if n is None or isinstance(n, str) and n.lower() == "auto":
            return MINX_AUTO
        if not is_integer(n):
            raise TypeError(f"TeamPolicy takes integers and pk.AUTO, got {n!r}")
        return int(n)

    def set_scratch_size(self, level: int, *sizes):
        """Bytes of scratch: PerTeam(bytes), PerThread(bytes). The views of a workunit say how much they need, so that a
        size that is too small does not matter."""
        self.scratch[int(level)] = sizes
        return self

    def policy(self, ctx, team_size=None):
        host = ctx == "python" or ctx.backend in ("serial", "openmp")
        return Team(
            self.league_size,
            self.team_size if team_size is None else team_size,
            MINX_AUTO if host else self.vector_length,
        )


# ---- inside of workunits ----


class Nested:
    """A range that a team's threads or lanes share. bounds: n, or begin and end; MD ranges: the extents."""

    who = ""  # "threads", "lanes", "items" (both)
    dimensions = False  # bounds are those of several dimensions

    def __init__(self, team, *bounds):
        self.team, self.bounds = team, bounds

    def indices(self):
        """As plain Python."""
        return np.ndindex(*self.bounds) if self.dimensions else ((i,) for i in range(*[int(b) for b in self.bounds]))


class TeamThreadRange(Nested):
    who = "threads"


class ThreadVectorRange(Nested):
    who = "lanes"


class TeamVectorRange(Nested):
    who = "items"


class TeamThreadMDRange(Nested):
    who, dimensions = "threads", True


class ThreadVectorMDRange(Nested):
    who, dimensions = "lanes", True


class TeamVectorMDRange(Nested):
    who, dimensions = "items", True


class Single:
    """What one thread of a team, or one lane of a thread, runs. In set_scratch_size: bytes."""

    macro = ""

    def __init__(self, of):
        self.of = of


class PerTeam(Single):
    macro = "MX_TEAM_SINGLE"


class PerThread(Single):
    macro = "MX_VECTOR_SINGLE"


class TeamMember:
    """The argument of workunits over a TeamPolicy. As plain Python: a team of one thread."""

    def __init__(self, league_rank=0, league_size=1):
        self._rank, self._size = league_rank, league_size

    def league_rank(self) -> int:
        return self._rank

    def league_size(self) -> int:
        return self._size

    def team_rank(self) -> int:
        return 0

    def team_size(self) -> int:
        return 1

    def team_barrier(self):
        pass

    def team_scratch(self, level: int):
        return level

    thread_scratch = team_scratch


class Scratch:
    """ScratchView1D[float](team.team_scratch(0), n): memory of a team, or with thread_scratch of a thread."""

    rank = 0
    element = float

    def __class_getitem__(cls, element):
        return type(cls.__name__, (cls,), {"element": element})

    def __new__(cls, level, *extents):  # as plain Python
        from .datatypes import dtype_of
        from .views import View

        return View(extents, dtype_of(cls.element))

    @classmethod
    def shmem_size(cls, *extents) -> int:
        """Bytes that a view of these extents takes."""
        from .datatypes import dtype_of

        return int(np.prod(extents)) * dtype_of(cls.element).itemsize


(
    ScratchView1D,
    ScratchView2D,
    ScratchView3D,
    ScratchView4D,
    ScratchView5D,
    ScratchView6D,
    ScratchView7D,
    ScratchView8D,
) = (type(f"ScratchView{n}D", (Scratch,), {"rank": n}) for n in range(1, 9))
