"""The subset of Python that kernels are written in, and its translation to C."""
