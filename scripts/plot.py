#!/usr/bin/env python3
"""Draws what a results file has, of whichever app:

    scripts/plot.py RESULTS.h5 PICTURE.png [--field NAME]... [--series NAME]... [--radial NAME]

Fields of two dimensions are pictures, fields of three dimensions the plane in their middle. Particles (arrays with two or three
columns, a row each) are points, coloured by the other field of as many rows that comes first, where there is one. Series are
curves over the series `time` or `step` where they have as many entries, else over their number. Positive values over more than
three decades are on a logarithmic scale. Without these options the first fields and series are drawn, but not small fields and ids.

--radial draws how the particles of a field stand to each other: the number of neighbours at a distance, over that of a gas of the
same density (the radial distribution function), up to half of the shortest side of the periodic box, which is the field `box`: its
low corner and its sides.

Needs h5py, numpy and matplotlib, of the Python that MINX_PYTHON names, where it is set. These commands drew the picture in the README, and those in docs/ in the same way:
    BIN/APP DECK --output=run.h5        (program, deck and options as the page says)
    scripts/plot.py run.h5 docs/img/PICTURE.png --field temperature --series temperature_total
"""
import argparse
import sys

from lib.minx_python import use_minx_python

MAX_PANELS = 9
SMALL = 64  # fields with fewer values are drawn on request only
MAX_CENTRES = 2000  # particles whose neighbours are counted; more cost time, and add little
RADIAL_BINS = 200


def unit(dataset):
    text = dataset.attrs.get("units", b"")
    text = text.decode() if isinstance(text, bytes) else str(text)
    return "" if text in ("", "1") else f" [{text}]"


def scale(values):
    """Whether the values want a logarithm: all above 0, over three decades or more."""
    return values.size > 0 and values.min() > 0 and values.max() > 1e3 * values.min()


def is_particles(field):
    return field.ndim == 2 and field.shape[1] in (2, 3) and "spacing" not in field.attrs


def draw_particles(axes, name, field, fields):
    others = [fields[key] for key in fields if fields[key].ndim == 1 and len(fields[key]) == len(field) and key != "id"]
    colour = others[0] if others else None
    points = field[...]
    drawn = axes.scatter(points[:, 0], points[:, 1], s=2, c=None if colour is None else colour[...], cmap="viridis" if colour is not None else None)
    if colour is not None:
        label = colour.name.rsplit("/", 1)[-1]
        axes.figure.colorbar(drawn, ax=axes, label=label + unit(colour))
    axes.set(title=f"{name}, {len(points)} particles", aspect="equal", xlabel="x" + unit(field), ylabel="y" + unit(field))


def draw_radial(axes, name, fields):
    import numpy as np

    if "box" not in fields or not is_particles(fields[name]):
        sys.exit(f"plot.py: --radial {name}: expected positions of particles, and a field box")
    points, sides = fields[name][...], fields["box"][1]
    edges = np.linspace(0, sides.min() / 2, RADIAL_BINS + 1)
    counts = np.zeros(RADIAL_BINS)
    centres = points[:: max(1, -(-len(points) // MAX_CENTRES))]
    for centre in centres:
        apart = points - centre
        apart -= sides * np.round(apart / sides)  # the nearest periodic image
        counts += np.histogram(np.sqrt((apart**2).sum(axis=1)), edges)[0]
    counts[0] -= len(centres)  # each one itself
    shells = 4 / 3 * np.pi * np.diff(edges**3)
    axes.plot((edges[1:] + edges[:-1]) / 2, counts / len(centres) / shells / (len(points) / sides.prod()))
    axes.axhline(1, color="grey", lw=0.5)
    axes.set(title=f"radial distribution of {len(points)} particles", xlabel="r" + unit(fields[name]), ylabel="g(r)")


def draw_cells(axes, name, field):
    """Dimensions are slowest first, so the last two are y and x."""
    from matplotlib.colors import LogNorm

    shape = field.shape
    values = field[shape[0] // 2] if field.ndim == 3 else field[...]
    origin = field.attrs.get("origin", [0.0] * field.ndim)
    spacing = field.attrs.get("spacing", [1.0] * field.ndim)
    (y, x), (dy, dx), (ny, nx) = origin[-2:], spacing[-2:], values.shape
    image = axes.imshow(values, origin="lower", extent=[x, x + nx * dx, y, y + ny * dy], cmap="inferno",
                        norm=LogNorm() if scale(values) else None)
    axes.figure.colorbar(image, ax=axes, label=name + unit(field))
    where = f", plane {shape[0] // 2} of {shape[0]}" if field.ndim == 3 else ""
    axes.set(title=f"{name}: {' x '.join(str(n) for n in reversed(shape))}{where}", xlabel="x", ylabel="y")


def draw_field(axes, name, fields):
    field = fields[name]
    if is_particles(field):
        draw_particles(axes, name, field, fields)
    elif field.ndim in (2, 3):
        draw_cells(axes, name, field)
    else:
        axes.hist(field[...].ravel(), bins=50)
        axes.set(title=f"{name}: {field.size} values", xlabel=name + unit(field), ylabel="number")


def draw_series(axes, name, all_series):
    """A series over time, over steps, or over the number of its entries."""
    series = all_series[name]
    values = series[...]
    over = next((all_series[key] for key in ("time", "step")
                 if key in all_series and key != name and all_series[key].shape == series.shape), None)
    if over is not None:
        axes.plot(over[...], values, marker="." if len(values) < 50 else None)
        axes.set(xlabel=over.name.rsplit("/", 1)[-1] + unit(over))
    else:
        axes.plot(values, lw=0.8)
        axes.set(xlabel="entry")
    axes.set(title=name, ylabel=name + unit(series), yscale="log" if scale(values) else "linear")


def chosen(wanted, group, kind, first):
    """The names of what is drawn."""
    import h5py

    names = [name for name, item in group.items() if isinstance(item, h5py.Dataset) and item.size > 0]
    for name in wanted or []:
        if name not in names:
            sys.exit(f"plot.py: no {kind} {name}: this file has {', '.join(names) or 'none'}")
    if wanted is not None:
        return wanted
    return [name for name in names if kind != "field" or (group[name].size >= SMALL and name != "id")][:first]


def draw(args):
    try:
        import h5py
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        sys.exit(f"plot.py: {error}: it needs h5py, numpy and matplotlib. This Python is {sys.executable}; "
                 "another one is used so: MINX_PYTHON=PYTHON scripts/plot.py ...")

    try:
        results = h5py.File(args.results, "r")
    except OSError as error:
        sys.exit(f"plot.py: {args.results}: expected a results file: {error}")
    with results:
        fields, series = results.get("fields", {}), results.get("series", {})
        only = args.field is not None or args.series is not None or args.radial is not None
        field_names = chosen(args.field or ([] if only else None), fields, "field", 3)
        series_names = chosen(args.series or ([] if only else None), series, "series", MAX_PANELS)
        series_names = [name for name in series_names if only or name not in ("time", "step")]
        panels = [(draw_field, name, fields) for name in field_names] + [(draw_series, name, series) for name in series_names]
        if args.radial is not None:
            panels.append((draw_radial, chosen([args.radial], fields, "field", 1)[0], fields))
        panels = panels if only else panels[:MAX_PANELS]
        if not panels:
            sys.exit(f"plot.py: {args.results} has no fields and no series")
        columns = min(len(panels), 3 if len(panels) != 4 else 2)
        rows = -(-len(panels) // columns)
        figure, all_axes = plt.subplots(rows, columns, figsize=(5.5 * columns, 4.2 * rows), layout="constrained", squeeze=False)
        for (how, name, group), axes in zip(panels, all_axes.flat):
            how(axes, name, group)
        for axes in all_axes.flat[len(panels):]:
            axes.axis("off")
        try:
            figure.savefig(args.picture, dpi=110)
        except (OSError, ValueError) as error:
            sys.exit(f"plot.py: {args.picture}: cannot be written: {error}")


def main():
    use_minx_python()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("picture")
    parser.add_argument("--field", action="append")
    parser.add_argument("--series", action="append")
    parser.add_argument("--radial")
    draw(parser.parse_args())
    return 0


if __name__ == "__main__":
    sys.exit(main())
