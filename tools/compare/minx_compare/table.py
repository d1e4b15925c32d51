"""The table on standard output."""

HEADS = ("app", "deck", "way", "backend", "ranks x threads", "runs", "figure of merit", "spread", "solve", "speed-up", "share", "marks")
LEFT = {"app", "deck", "way", "backend", "host", "marks"}
SCALES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def number(value):
    """Three digits, with the letter of a power of ten."""
    if value is None:
        return "-"
    for scale, letter in SCALES:
        if abs(value) >= scale:
            return f"{value / scale:.3g} {letter}"
    return f"{value:.3g} "


def seconds(value):
    if value is None:
        return "-"
    return f"{value * 1e3:.3g} ms" if value < 0.1 else f"{value:.3g} s"


def percent(value):
    return "-" if value is None else f"{100 * value:.0f} %"


def change(value):
    """A relative change with its sign, of which 0 has none."""
    shown = f"{100 * value:+.1f} %"
    return "0.0 %" if shown in ("+0.0 %", "-0.0 %") else shown


def runs(number):
    return f"{number} run{'' if number == 1 else 's'}"


def way(one):
    return " ".join(one["arguments"]) or "-"


def row(one):
    marks = ("cache " if one["in_cache"] else "") + (f"disturbed {one['disturbed']}" if one["disturbed"] else "")
    return (one["app"], one["deck_name"], way(one), one["backend"], f"{one['ranks']} x {one['threads']}", str(one["runs"]),
            f"{number(one['fom'])}{one['fom_unit']}", percent(one["fom_spread"]), seconds(one["solve_seconds"]),
            "-" if one["speed_up"] is None else f"{one['speed_up']:.2f}", percent(one["share"]), marks.strip())


def rows_not_available(records):
    """A row for each configuration whose backend is not on this machine."""
    absent = {record["run"]["config"]: record for record in records if record["outcome"] == "not available"}
    return [(run["app"], run["deck_name"], way(run), run["backend"], f"{run['ranks']} x {run['threads']}", "0", "-", "-", "-", "-", "-",
             f"not available: {record['reason']}") for record in absent.values() for run in [record["run"]]]


def lines_of(heads, rows, left):
    widths = [max(len(line[i]) for line in [heads, *rows]) for i in range(len(heads))]
    for line in [heads, ["-" * width for width in widths], *rows]:
        cells = [cell.ljust(width) if head in left else cell.rjust(width) for cell, width, head in zip(line, widths, heads)]
        yield "  ".join(cells).rstrip()


def show(configurations, records):
    rows = [row(one) for one in configurations] + rows_not_available(records)
    heads, hosts = HEADS, [one["host"] for one in configurations]
    if len(set(hosts)) > 1:
        hosts += ["-"] * (len(rows) - len(hosts))
        heads = (*HEADS[:4], "host", *HEADS[4:])
        rows = [(*line[:4], host, *line[4:]) for line, host in zip(rows, hosts)]
    for line in lines_of(heads, rows, LEFT):
        print(line)
    if any(one["in_cache"] for one in configurations):
        print("cache: the data of the hottest loop fit into the cache; its share is that of the rate from the cache")
    if any(record.get("disturbed") for record in records):
        print("disturbed: so many runs had less than 0.9 of the processor time of their threads; other programs may have used the cores")
