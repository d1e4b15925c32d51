"""Execution spaces and policies."""

from __future__ import annotations

import enum
import os
import warnings

from .. import runtime
from ..launch.policy import AUTO, MDRange, Range, Team


class ExecutionSpace(enum.Enum):
    Cuda, HIP, OpenMP, Threads, Serial, Debug, Default = "Cuda", "HIP", "OpenMP", "Threads", "Serial", "Debug", "Default"


Cuda, HIP, OpenMP, Threads, Serial, Default = (ExecutionSpace(n) for n in "Cuda HIP OpenMP Threads Serial Default".split())
RESOURCES = {"Cuda": "cuda", "OpenMP": "openmp", "Threads": "openmp", "Serial": "serial"}
_contexts: dict = {}
_default = ExecutionSpace.Default


def get_default_space():
    return _default


def set_default_space(space):
    global _default
    _default = space
    if space is not Default:
        runtime.set_default(context(space))


def context(space):
    """The context of a space. MINX_PK_SPACES=Cuda=openmp:threads=2,OpenMP=... replaces spaces."""
    if space is Default:
        return runtime.default()
    if space is ExecutionSpace.Debug:
        return "python"
    if space not in _contexts:
        chosen = dict(pair.split("=", 1) for pair in os.environ.get("MINX_PK_SPACES", "").split(",") if pair)
        resource = chosen.get(space.value) or RESOURCES.get(space.value)
        if space.value in chosen:
            warnings.warn(f"{space.value} is {resource} here")
        if resource is None:
            raise NotImplementedError(f"minx has no backend for {space.value}")
        _contexts[space] = runtime.Context(resource)
    return _contexts[space]


class RangePolicy:
    def __init__(self, *args):
        self.space = args[0] if not isinstance(args[0], int) and not hasattr(args[0], "__index__") else Default
        begin, end = args[-2:] if len(args) > 1 else (0, args[0])
        self.policy = Range(int(begin), int(end))


class Iterate(enum.Enum):
    Default, Left, Right = range(3)


class Rank:
    def __init__(self, *_):
        pass  # the order of loops is minx's, by the layout of the context


class MDRangePolicy:
    def __init__(self, *args, space=None, rank=None):
        args = list(args)
        self.space = args.pop(0) if isinstance(args[0], ExecutionSpace) else space or Default
        self.policy = MDRange(*[tuple(int(n) for n in a) for a in args[:2]], tile=None)


class TeamPolicy:
    def __init__(self, *args):
        args = list(args)
        self.space = args.pop(0) if isinstance(args[0], ExecutionSpace) else Default
        numbers = [AUTO if isinstance(a, str) else int(a) for a in args] + [AUTO, AUTO]
        self.numbers = numbers[:3]

    def set_scratch_size(self, *_):
        return self  # the driver of a kernel knows how much its scratch views need

    @property
    def policy(self):
        league, size, lanes = self.numbers
        ctx = context(self.space)
        if ctx == "python" or ctx.backend in ("serial", "openmp") and (size > ctx.threads or lanes > 1):
            size = lanes = AUTO  # hosts: one thread of one lane is fastest
        return Team(league, size, lanes)
