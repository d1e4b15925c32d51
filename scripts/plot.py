#!/usr/bin/env python3
"""Draws a field of a results file, and the residuals of its solver: scripts/plot.py RESULTS.h5 PICTURE.png [--field NAME]

Needs h5py, numpy and matplotlib. These commands drew the picture in the README:
    build/bin/tealeaf inputs/tealeaf/crooked_pipe_long.in --output=crooked.h5
    scripts/plot.py crooked.h5 docs/img/crooked_pipe.png
"""
import argparse
import sys


def parameter(results, name):
    value = results["input"][name][()]
    return value.decode() if isinstance(value, bytes) else float(value)


def draw_field(axes, results, name):
    from matplotlib.colors import LogNorm

    if name not in results["fields"]:
        sys.exit(f"plot.py: no field {name}: this file has {', '.join(results['fields'])}")
    field = results["fields"][name]
    extent = [parameter(results, key) for key in ("xmin", "xmax", "ymin", "ymax")]
    values = field[...]
    high = values.max()
    norm = LogNorm(max(values.min(), high * 1e-4), high) if high > 0 else None  # a cold field has no logarithm
    image = axes.imshow(values, origin="lower", extent=extent, cmap="inferno", norm=norm)
    unit = field.attrs["units"]
    axes.figure.colorbar(image, ax=axes, label=f"{name} [{unit.decode() if isinstance(unit, bytes) else unit}]")
    axes.set(xlabel="x [length]", ylabel="y [length]", title=f"{int(parameter(results, 'steps'))} steps, "
             f"{values.shape[1]} x {values.shape[0]} cells")


def draw_residuals(axes, results):
    residuals, iterations = results["series/cg_residual"][...], results["series/cg_iterations"][...]
    first = 0
    for count in iterations:
        history = residuals[first:first + count + 1]
        axes.semilogy(history / (history[0] or 1), color="tab:blue", alpha=0.5, lw=0.8)
        first += count + 1
    axes.axhline(parameter(results, "eps"), color="black", ls="--", lw=0.8, label="eps")
    axes.set(xlabel="CG iteration", ylabel="residual / initial residual", title="each line one time step")
    axes.legend()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results")
    parser.add_argument("picture")
    parser.add_argument("--field", default="temperature")
    args = parser.parse_args()
    try:  # only here, so that --help works without them
        import h5py
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        sys.exit(f"plot.py: {error}: it needs h5py, numpy and matplotlib")
    with h5py.File(args.results, "r") as results:
        figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
        draw_field(axes[0], results, args.field)
        draw_residuals(axes[1], results)
        figure.savefig(args.picture, dpi=110)
    return 0


if __name__ == "__main__":
    sys.exit(main())
