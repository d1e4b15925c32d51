"""Each test runs on every backend that is here, as the default space of PyKokkos programs."""

import os

import pytest

import minx
import minx.pykokkos as pk

BACKENDS = os.environ.get("BACKENDS", "serial openmp:threads=2 simt cuda").split()


@pytest.fixture(params=BACKENDS)
def space(request):
    """The resource of the default space of a test; all spaces of pk are on it."""
    missing = minx.backend_missing(request.param.split(":")[0])
    if missing:
        pytest.skip(f"{request.param}: {missing}")
    from minx.pykokkos import spaces

    for name in ("Default", "OpenMP", "Threads", "Serial", "Cuda", "HIP"):
        pk.set_space_resource(pk.ExecutionSpace[name], request.param)
    yield request.param
    spaces.forget_resources()
    pk.set_default_space(pk.Default)
