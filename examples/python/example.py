"""Smooths a plate with minx's kernels in memory that NumPy computes with.

usage: example.py LIBRARY [RESOURCE]

LIBRARY is what the CMakeLists.txt beside this file builds, RESOURCE where its kernels run:
"openmp:threads=2", "cuda".
"""

import sys
from ctypes import POINTER, byref, c_double

import numpy as np

import minx


def main(path: str, resource: str = "openmp") -> None:
    fields = minx.load(path)
    smooth = fields.function("fields_smooth", minx.Context, minx.View, minx.View)
    axpy = fields.function("fields_axpy", minx.Context, c_double, minx.View, minx.View)
    largest = fields.function("fields_largest", minx.Context, minx.View, POINTER(c_double))
    ctx = minx.Context(resource)

    # an array of NumPy's and a view of it; on a GPU device memory, where the array is copied
    plate = np.zeros((200, 300))
    plate[80:120, 100:200] = 100
    u = ctx.view(plate, "plate") if ctx.host else ctx.array(plate, label="plate", layout=minx.RIGHT)

    # the other way: a view of minx's (managed memory on a GPU), which NumPy sees as an array
    v = ctx.zeros(plate.shape, label="smooth", space=ctx.shared)
    smoothed = v.array()
    smooth(ctx, u, v)
    ctx.fence()
    expected = (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]) / 4
    print("smooth: largest difference to NumPy", abs(smoothed[1:-1, 1:-1] - expected).max())

    # a slice is a view as well, and what NumPy writes is what the kernel reads
    smoothed[50:150:2, 7] = 1000
    part = ctx.view(smoothed[50:150:2, ::7], "slice")
    top = c_double()
    largest(ctx, part, byref(top))
    print("largest in a slice:", top.value)

    # what does not fit is an exception that says why
    try:
        axpy(ctx, 2.0, v, v)
    except minx.Error as error:
        print("as it should:", error)


if __name__ == "__main__":
    main(*sys.argv[1:])
