"""The contexts on which tests of kernels run, and arrays where they are accessible to a context."""

import os

import numpy as np
import pytest

import minx

CONTEXTS = os.environ.get("BACKENDS", "python serial openmp:threads=2 simt serial:order=shuffled openmp:threads=2,check=serial "
                          "cuda").split()
_made: dict = {}


def make(resource):
    """A context, or "python"; skips where the backend is not there."""
    if resource == "python":
        return resource
    if resource not in _made:
        why = minx.backend_missing(resource.split(":")[0].split(",")[0])
        if why:
            pytest.skip(f"{resource}: {why}")
        _made[resource] = minx.Context(resource)
    return _made[resource]


@pytest.fixture(params=CONTEXTS)
def context(request):
    return make(request.param)


class Arrays:
    def __init__(self, ctx):
        self.copies = ctx != "python" and not ctx.host
        self.ctx = ctx

    def to(self, array):
        """An array, where kernels of the context access it."""
        return self.ctx.array(array) if self.copies else np.array(array)

    def back(self, array):
        return array.numpy() if self.copies else array
