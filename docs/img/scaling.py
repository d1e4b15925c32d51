#!/usr/bin/env python3
"""Draws docs/img/scaling.png: how the apps scale over the GPUs of a node.

usage: docs/img/scaling.py figures.json [FILE.png]    needs matplotlib

    scripts/compare run scaling-gpu                  # on a machine with GPUs
    scripts/compare report compare-scaling-gpu       # writes figures.json
"""
import json
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

APPS = {"tealeaf": ("TeaLeaf, CG", "o", "#0072b2"), "minife": ("miniFE, csr", "s", "#009e73"),
        "minimd": ("miniMD, Lennard-Jones", "^", "#d55e00")}  # colours safe for the colour-blind


def draw(axes, curves, kind):
    key = "speed_up" if kind == "strong" else "efficiency"
    numbers = {1}
    for curve in curves:
        if curve["scaling"] == kind and curve["backend"].startswith("cuda"):
            gpus = [point["processors"] for point in curve["points"]]
            label, marker, colour = APPS[curve["app"]]
            axes.plot(gpus, [point[key] for point in curve["points"]], marker=marker, color=colour, label=label)
            numbers |= set(gpus)
    numbers = sorted(numbers)
    axes.plot(numbers, numbers if kind == "strong" else [1] * len(numbers), color="#999999", linestyle=":", label="ideal")
    axes.set_xticks(numbers)
    axes.set_ylim(0, 1.1 * (numbers[-1] if kind == "strong" else 1))
    axes.set(title=f"{kind.capitalize()} scaling", xlabel="GPUs", ylabel=f"{key.replace('_', '-')} [1]")
    axes.legend()


def main(arguments):
    if not 2 <= len(arguments) <= 3 or arguments[1].startswith("-"):
        sys.exit(__doc__)
    with open(arguments[1], encoding="utf-8") as file:
        curves = json.load(file)["scaling"]
    figure, (strong, weak) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    draw(strong, curves, "strong")
    draw(weak, curves, "weak")
    target = arguments[2] if len(arguments) == 3 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "scaling.png")
    figure.savefig(target, dpi=90)


if __name__ == "__main__":
    main(sys.argv)
