#!/usr/bin/env python3
"""Draws docs/img/architecture.png: the rooms of minx, and which one calls which.

usage: docs/img/architecture.py [FILE.png]    needs matplotlib
"""
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

CORE, APP, COMMON, BACKENDS, OUTSIDE = "#d5e3ee", "#f6e3c5", "#dcebd5", "#e2dbee", "#eeeeee"
ROOMS = [  # x, y, width, height, colour, title, text; a call goes downwards
    (0.0, 8.6, 2.3, 1.2, APP, "apps/minimd", "atoms"),
    (2.5, 8.6, 2.3, 1.2, APP, "apps/minife", "finite elements"),
    (5.0, 8.6, 2.3, 1.2, APP, "apps/tealeaf", "heat conduction"),
    (7.5, 8.6, 2.5, 1.2, APP, "apps/verify", "minx-verify: checks\nresults, runs nothing"),
    (0.0, 7.0, 8.3, 1.2, COMMON, "apps/common", "run: a run from its start to its end    results: HDF5 files, checkpoints\n"
     "domain: boxes, halos, moving elements    comm: messages    input: keys, text"),
    (8.6, 7.0, 1.4, 1.2, OUTSIDE, "", "MPI, HDF5\nNCCL, RCCL"),
    (0.0, 5.7, 10.0, 0.9, CORE, "kit", "sort, maps, scatter views, random numbers, SIMD types"),
    (0.0, 1.2, 4.2, 4.1, CORE, "core/include/minx", "what programs include: views, policies,\nkernels, launches, reductions, scans\n\n"
     "host/  device/  detail/: what a kernel\nfile becomes in each instance"),
    (4.5, 4.1, 5.5, 1.2, CORE, "core/src, upper layers", "runtime: start, end, settings, tools\n"
     "launch: check, plan, run, record    context: resources"),
    (4.5, 2.7, 5.5, 1.1, BACKENDS, "core/backends", "serial    openmp    simt (a GPU's rules on a host)\ncuda    hip    host: what hosts share"),
    (4.5, 1.2, 5.5, 1.15, CORE, "core/src, lower layers", "services: fences, faults    view: records, copies\nbase: errors"),
    (0.0, 0.0, 10.0, 0.8, OUTSIDE, "", "OpenMP    CUDA, CUB    HIP, rocPRIM"),
]
ARROWS = [(7.7, 8.6), (7.7, 7.0), (7.7, 5.7), (7.7, 4.1), (7.7, 2.7), (7.7, 1.2)]  # x, y where each begins


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "architecture.png")
    figure, axes = plt.subplots(figsize=(8, 7.6), dpi=110)
    for x, y, width, height, colour, title, text in ROOMS:
        axes.add_patch(FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0.02,rounding_size=0.08", facecolor=colour,
                                      edgecolor="#555555"))
        top = y + height - 0.12
        if title:
            axes.text(x + 0.12, top, title, va="top", ha="left", fontsize=10, fontweight="bold")
        axes.text(x + 0.12, top - (0.38 if title else 0.1), text, va="top", ha="left", fontsize=8.5)
    for x, y in ARROWS:
        axes.annotate("", xy=(x, y - 0.34), xytext=(x, y), arrowprops={"arrowstyle": "-|>", "color": "#333333"})
    axes.set_xlim(-0.1, 10.1)
    axes.set_ylim(-0.2, 10.0)
    axes.axis("off")
    figure.savefig(path, bbox_inches="tight")


if __name__ == "__main__":
    main()
