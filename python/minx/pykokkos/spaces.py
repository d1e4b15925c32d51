"""Execution spaces and memory spaces: contexts of minx under the names that PyKokkos programs use.

    space                   context                     from outside
    Serial                  serial                      MINX_PK_SPACES=Serial=RESOURCE
    OpenMP, Threads         openmp                      MINX_PK_SPACES=OpenMP=openmp:threads=4
    Cuda                    cuda:device=D               MINX_PK_SPACES=Cuda=simt   (D: set_device_id, 0 at first)
    HIP                     none                        MINX_PK_SPACES=HIP=cuda
    Debug                   plain Python
    Default                 set_default_space(), else MINX_PK_DEFAULT (a space's name), else MINX_BACKEND, else openmp

MINX_PK_SPACES has several pairs, separated by blanks or semicolons. set_space_resource() does the same in a program.

Memory: where a context is no host's, views are in managed memory, which host code and kernels both access. Each launch
on such a context ends before parallel_for returns, so that the host may read; launches on an ExecutionSpaceInstance end
at its fence()."""

from __future__ import annotations

import enum
import os
import warnings

from .. import runtime
from ..errors import Error


class ExecutionSpace(enum.Enum):
    Cuda, HIP, OpenMP, Threads, Serial, Debug, Default = (
        "Cuda",
        "HIP",
        "OpenMP",
        "Threads",
        "Serial",
        "Debug",
        "Default",
    )


class MemorySpace(enum.Enum):
    HostSpace, CudaSpace, CudaUVMSpace, HIPSpace, HIPManagedSpace, MemorySpaceDefault = (
        "HostSpace",
        "CudaSpace",
        "CudaUVMSpace",
        "HIPSpace",
        "HIPManagedSpace",
        "MemorySpaceDefault",
    )


class ExecutionSpaceInstance:
    """One more context of a space, whose launches run beside those of others: ExecutionSpaceInstance(pk.Cuda). Policies
    take it where they take a space. stream: a stream of CuPy or PyTorch, or its address, on which the instance
    launches."""

    def __init__(self, space=ExecutionSpace.Default, stream=None):
        self.space = space
        if (get_default_space() if space is ExecutionSpace.Default else space) is ExecutionSpace.Debug:
            self.context = "python"
        else:
            self.context = runtime.Context(resource_of(space), stream=stream)

    def fence(self):
        """Waits for what was launched on this instance."""
        if self.context != "python":
            self.context.fence()


RESOURCES = {"OpenMP": "openmp", "Threads": "openmp", "Serial": "serial"}
_contexts: dict = {}  # resource -> context
_chosen: dict = {}  # by set_space_resource: the name of a space -> resource
_known: dict = (
    {}
)  # space -> its context, until something is set; None: minx's own default, whatever it is at the launch
_default = None
_device = 0


def _from_outside() -> dict:
    pairs = os.environ.get("MINX_PK_SPACES", "").replace(";", " ").split()
    wrong = [p for p in pairs if "=" not in p or p.split("=")[0] not in ExecutionSpace.__members__]
    if wrong:
        raise ValueError(
            f"MINX_PK_SPACES has {wrong[0]!r}: expected SPACE=RESOURCE, as in Cuda=simt; spaces are "
            f"{', '.join(ExecutionSpace.__members__)}"
        )
    return dict(p.split("=", 1) for p in pairs)


def resource_of(space: ExecutionSpace) -> str:
    """The text from which the context of a space is made."""
    if space is ExecutionSpace.Default:
        space = get_default_space()
    name, outside = space.value, _from_outside()
    if name in _chosen:
        return _chosen[name]
    if name in outside:
        return outside[name]
    if space is ExecutionSpace.Default:
        return os.environ.get("MINX_BACKEND", "openmp")
    if space is ExecutionSpace.Cuda:
        return f"cuda:device={_device}"
    if name not in RESOURCES:
        raise NotImplementedError(
            f"minx has no backend for {name}: choose another by MINX_PK_SPACES={name}=openmp, or in the program "
            f"by pk.set_space_resource(pk.{name}, 'openmp')"
        )
    return RESOURCES[name]


def set_space_resource(space: ExecutionSpace, resource: str):
    """From now on launches on `space` run on a context made from this text (minx.Context): 'openmp:threads=2',
    'cuda:device=1', 'simt', 'serial:order=shuffled'."""
    _chosen[space.value] = resource
    _known.clear()


def forget_resources():
    """Ends what set_space_resource has set."""
    _chosen.clear()
    _known.clear()


def context(space):
    """The context of a space or of an instance; "python" for Debug."""
    if isinstance(space, ExecutionSpaceInstance):
        return space.context
    if space not in _known:
        _known[space] = find_context(space)
    return _known[space] or runtime.default()


def find_context(space):
    """The context of a space; "python" for Debug; None for minx's own default."""
    if space is ExecutionSpace.Default:
        space = get_default_space()
    if space is ExecutionSpace.Debug:
        return "python"
    if space is ExecutionSpace.Default and "Default" not in {**_chosen, **_from_outside()}:
        return None
    try:
        return context_of_resource(resource_of(space))
    except Error as error:
        raise type(error)(
            error.name,
            f"pk.{space.value}: {error}. Another context takes its place by " f"MINX_PK_SPACES={space.value}=openmp",
        ) from None


def context_of_resource(resource: str):
    """The context that is made from a text, once for all spaces."""
    if resource not in _contexts:
        _contexts[resource] = runtime.Context(resource)
    return _contexts[resource]


def get_default_space():
    """The space of launches that name none."""
    if _default is not None:
        return _default
    name = os.environ.get("MINX_PK_DEFAULT", "Default")
    if name not in ExecutionSpace.__members__:
        raise ValueError(f"MINX_PK_DEFAULT={name}: expected one of {', '.join(ExecutionSpace.__members__)}")
    return ExecutionSpace[name]


def set_default_space(space: ExecutionSpace):
    """From now on launches and views that name no space are in this one."""
    global _default
    if not isinstance(space, ExecutionSpace):
        raise TypeError(f"set_default_space takes pk.OpenMP, pk.Serial, pk.Cuda, ..., got {space!r}")
    _default = None if space is ExecutionSpace.Default else space
    _known.clear()


def set_device_id(device: int):
    """The GPU of Cuda, from the next launch on."""
    global _device
    _device = int(device)
    _known.clear()


def get_device_id() -> int:
    return _device


def fence(*_):
    """Waits for all launches on all spaces, and on instances too."""
    runtime.fence()


def is_host_execution_space(space) -> bool:
    """Do kernels on this space access ordinary memory?"""
    ctx = context(space)
    return ctx == "python" or ctx.host


def get_default_memory_space(space=ExecutionSpace.Default) -> MemorySpace:
    return MemorySpace.HostSpace if is_host_execution_space(space) else MemorySpace.CudaUVMSpace


def enable_uvm():
    """Views of GPUs are in managed memory always, so nothing changes."""


def disable_uvm():
    """Views of GPUs are in managed memory always."""
    warnings.warn("disable_uvm has no effect: views that kernels on a GPU use are in managed memory")


def is_uvm_enabled() -> bool:
    return not is_host_execution_space(ExecutionSpace.Default)
