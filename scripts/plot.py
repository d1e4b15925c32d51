#!/usr/bin/env python3
"""Draws what a results file has, of whichever app: scripts/plot.py RESULTS.h5 PICTURE.png [--field NAME]... [--series NAME]...

Fields of two dimensions are pictures, fields of three dimensions the plane in their middle. Particles (arrays with two or three
columns, a row each) are points, coloured by the other field of as many rows that comes first, where there is one. Series are
curves over the series `time` or `step` where they have as many entries, else over their number. Positive values over more than
three decades are on a logarithmic scale. Without --field and --series, the first fields and series are drawn.

Needs h5py, numpy and matplotlib. These commands drew the picture in the README:
    BIN/APP DECK --output=run.h5        (program and deck as the README says)
    scripts/plot.py run.h5 docs/img/PICTURE.png --field temperature --series temperature_total
"""
import argparse
import sys

MAX_PANELS = 9


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
    others = [other for other in fields.values() if other.ndim == 1 and other.shape[0] == field.shape[0]]
    colour = others[0] if others else None
    points = field[...]
    drawn = axes.scatter(points[:, 0], points[:, 1], s=2, c=None if colour is None else colour[...], cmap="viridis")
    if colour is not None:
        label = colour.name.rsplit("/", 1)[-1]
        axes.figure.colorbar(drawn, ax=axes, label=label + unit(colour))
    axes.set(title=f"{name}, {len(points)} particles", aspect="equal", xlabel="x" + unit(field), ylabel="y" + unit(field))


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
    return wanted if wanted is not None else names[:first]


def draw(args):
    try:
        import h5py
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        sys.exit(f"plot.py: {error}: it needs h5py, numpy and matplotlib")

    with h5py.File(args.results, "r") as results:
        fields, series = results.get("fields", {}), results.get("series", {})
        only = args.field is not None or args.series is not None
        field_names = chosen(args.field or ([] if only else None), fields, "field", 3)
        series_names = chosen(args.series or ([] if only else None), series, "series", MAX_PANELS)
        series_names = [name for name in series_names if only or name not in ("time", "step")]
        panels = [(draw_field, name, fields) for name in field_names] + [(draw_series, name, series) for name in series_names]
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
        figure.savefig(args.picture, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("picture")
    parser.add_argument("--field", action="append")
    parser.add_argument("--series", action="append")
    draw(parser.parse_args())
    return 0


if __name__ == "__main__":
    sys.exit(main())
