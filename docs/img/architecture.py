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

ROOMS = [  # x, y, width, height, colour, title, text; a call goes downwards
    (0.0, 8.6, 2.3, 1.2, "#f6e3c5", "apps/minimd", "atoms"),
    (2.5, 8.6, 2.3, 1.2, "#f6e3c5", "apps/minife", "finite elements"),
    (5.0, 8.6, 2.3, 1.2, "#f6e3c5", "apps/tealeaf", "heat conduction"),
    (7.5, 8.6, 2.5, 1.2, "#f6e3c5", "apps/verify", "minx-verify: checks\nresults, runs nothing"),
    (0.0, 6.4, 10.0, 1.8, "#dcebd5", "apps/common", "run: a run from its start to its end    results: HDF5 files, checkpoints\n"
     "domain: boxes, halos, moving elements    comm: ranks, messages    input: keys, text"),
    (0.0, 5.1, 10.0, 0.9, "#d5e3ee", "kit", "sort, maps, scatter views, random numbers, SIMD types"),
    (0.0, 2.6, 4.8, 2.1, "#d5e3ee", "core/include/minx", "what programs include: views, policies,\nkernels, launches, reductions, scans\n"
     "host/  device/  detail/: what a kernel\nfile becomes in each instance"),
    (5.2, 2.6, 4.8, 2.1, "#d5e3ee", "core/src", "runtime: start, end, settings, tools\nlaunch: check, plan, run, record, repeat\n"
     "context: resources    services: fences, faults\nview: records, copies    base: errors"),
    (0.0, 1.0, 10.0, 1.2, "#e2dbee", "core/backends", "serial    openmp    simt (a GPU's rules on a host)    cuda        host: what hosts share"),
    (0.0, -0.2, 10.0, 0.8, "#eeeeee", "", "MPI    HDF5    OpenMP    CUDA, CUB, NCCL"),
]


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
    for y in (8.6, 6.4, 5.1, 2.6, 1.0):
        axes.annotate("", xy=(9.6, y - 0.34), xytext=(9.6, y), arrowprops={"arrowstyle": "-|>", "color": "#333333"})
    axes.set_xlim(-0.1, 10.1)
    axes.set_ylim(-0.4, 10.0)
    axes.axis("off")
    figure.savefig(path, bbox_inches="tight")


if __name__ == "__main__":
    main()
