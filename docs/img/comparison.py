#!/usr/bin/env python3
"""Draws docs/img/comparison.png: figures of merit and shares of the limit of several machines.

usage: docs/img/comparison.py figures.json [FILE.png]    needs matplotlib

    scripts/compare run gpu                                  # on a machine with a GPU
    scripts/compare run quick                                # on a machine with two cores
    scripts/compare report compare-gpu compare-quick         # writes figures.json
"""
import json
import os
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROWS = {("tealeaf", "cg 2-D"): "TeaLeaf, CG\n[cell iterations/s]", ("minife", "csr"): "miniFE, csr\n[row iterations/s]",
        ("minife", "symmetric"): "miniFE, symmetric\n[row iterations/s]", ("minife", "uniform"): "miniFE, uniform\n[row iterations/s]",
        ("minimd", "lj"): "miniMD, Lennard-Jones\n[atom-steps/s]"}
COLOURS = ("#009e73", "#0072b2", "#56b4e9", "#e69f00", "#cc79a7")  # safe for the colour-blind
HEIGHT = 0.8  # of the bars of a row


def machine_of(one):
    """A GPU, or a processor with the number of its cores that the run used."""
    hardware = " ".join(word for word in one["platform"].split(" / ")[0].replace("(R)", "").split() if word not in ("CPU", "Processor"))
    cores = one["ranks"] * one["threads"]
    return hardware if one["backend"].startswith("cuda") else f"{hardware}, {cores} core{'s' * (cores > 1)}"


def best(configurations):
    """{machine: {row: configuration}}: the best figure of merit of the first problem size."""
    found = {}
    for one in configurations:
        rows, row = found.setdefault(machine_of(one), {}), (one["app"], one["problem"])
        if row in ROWS and (row not in rows or (one["problem_size"] == rows[row]["problem_size"] and one["fom"] > rows[row]["fom"])):
            rows[row] = one
    return dict(sorted(found.items(), key=lambda item: -max((one["fom"] for one in item[1].values()), default=0)))


def label(value):
    for scale, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= scale:
            return f"{value / scale:.3g} {letter}"
    return f"{value:.3g}"


def draw(axes, machines, key, low, high, text):
    thickness = HEIGHT / len(machines)
    for number, (machine, rows) in enumerate(machines.items()):
        chosen = [(place, rows[row]) for place, row in enumerate(ROWS) if row in rows and rows[row][key] is not None]
        places = [place - HEIGHT / 2 + (number + 0.5) * thickness for place, _ in chosen]
        values = [one[key] for _, one in chosen]
        errors = [[one[key] - one[low] for _, one in chosen], [one[high] - one[key] for _, one in chosen]] if low else None
        bars = axes.barh(places, values, thickness * 0.92, color=COLOURS[number % len(COLOURS)], label=machine, xerr=errors,
                         error_kw={"elinewidth": 1, "capsize": 2})
        axes.bar_label(bars, [text(one) for _, one in chosen], padding=6, fontsize=8)
    axes.invert_yaxis()
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)


def share_label(one):
    return f"{100 * one['share']:.0f} %" + (" (cache)" if one["in_cache"] else "")


def main(arguments):
    if not 2 <= len(arguments) <= 3 or arguments[1].startswith("-"):
        sys.exit(__doc__)
    with open(arguments[1], encoding="utf-8") as file:
        machines = best(json.load(file)["configurations"])
    figure, (merit, share) = plt.subplots(1, 2, figsize=(11, 5.5), layout="constrained", sharey=True)
    draw(merit, machines, "fom", "fom_low", "fom_high", lambda one: label(one["fom"]))
    merit.set(title="Figure of merit", xlabel="work done in a second [units at the left]", xscale="log", xlim=(3e6, 3e11))
    merit.set_yticks(range(len(ROWS)), list(ROWS.values()))
    draw(share, machines, "share", None, None, share_label)
    share.set(title="Share of the limit of memory, cache and arithmetic", xlabel="share [1]", xlim=(0, 1.25))
    share.invert_yaxis()  # the axis is shared: it was turned twice
    share.legend(loc="lower right")
    target = arguments[2] if len(arguments) == 3 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "comparison.png")
    figure.savefig(target, dpi=90)


if __name__ == "__main__":
    main(sys.argv)
