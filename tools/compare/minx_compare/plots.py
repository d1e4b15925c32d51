"""Charts as traces and layouts of plotly.js. Colours are those of Okabe and Ito, which colour-blind readers can tell apart, and a backend
has the same one in all charts; what depends on light or dark is in page.js. Every axis with numbers has its unit in the title."""
from . import figures

BACKEND_COLOURS = {"serial": "#E69F00", "openmp": "#0072B2", "cuda": "#009E73"}
COLOURS = ("#CC79A7", "#D55E00", "#56B4E9", "#E69F00", "#009E73", "#0072B2")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "x", "hexagon")
DASHES = ("solid", "dash", "dot", "dashdot")
LABEL = 26  # characters on a line of a label
BAR = 44  # pixels of a bar
FRAME = 150  # pixels of title, legend and axis
LOG = {"type": "log", "dtick": "D2", "tickformat": ".6~g"}  # plotly's own format labels 0.05 by 5
MAX_BARS = 24  # of one chart; the table has all


def colour_of(backend, others=()):
    name = backend.split(":")[0]
    if name in BACKEND_COLOURS:
        return BACKEND_COLOURS[name]
    return COLOURS[sorted(others).index(name) % len(COLOURS)] if name in others else COLOURS[0]


def wrap(text, width=LABEL):
    """Lines of a label."""
    lines, line = [], ""
    for word in text.split():
        word = word if len(word) <= width else word[:width - 1] + "\u2026"
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return lines + [line] if line else lines


def label_of(one, with_host):
    """A configuration in some words: ranks and threads, and what differs besides the backend."""
    parts = [f"{one['backend']} {one['ranks']} x {one['threads']}"]
    parts += [one[key] for key in ("variant", "sizes") if one[key]]
    if one["precision"]:
        parts.append(one["precision"])
    if one["layout"] in ("left", "right"):
        parts.append(f"layout {one['layout']}")
    if with_host:
        parts.append(one["host"])
    lines = [line for part in parts for line in wrap(part)]
    return "<br>".join(lines[:3]) + ("\u2026" if len(lines) > 3 and not lines[2].endswith("\u2026") else "")


def axis(text, **more):
    return {"title": {"text": text}, "automargin": True, **more}


def log_axis(text):
    return axis(text, **LOG)


def chart(title, traces, xaxis, yaxis, height=420, **layout):
    return {"title": title, "traces": traces,
            "layout": {"height": height, "xaxis": xaxis, "yaxis": yaxis, "showlegend": len(traces) > 1, **layout}}


def bars(title, some, value, unit, low=None, high=None, text=None):
    """Horizontal bars, a colour for each backend. None: a configuration without that value."""
    some = [one for one in some if one.get(value) is not None][:MAX_BARS]
    if not some:
        return None
    with_host = len({one["host"] for one in some}) > 1
    others = {one["backend"].split(":")[0] for one in some}
    labels = unique([label_of(one, with_host) for one in some])
    traces = []
    for backend in dict.fromkeys(one["backend"] for one in some):
        chosen = [(label, one) for label, one in zip(labels, some) if one["backend"] == backend]
        trace = {"type": "bar", "orientation": "h", "name": backend, "y": [label for label, _ in chosen], "x": [one[value] for _, one in chosen],
                 "marker": {"color": colour_of(backend, others)},
                 "hovertemplate": "%{y}<br>%{x:.4g} " + unit + "<extra></extra>"}
        if low:
            trace["error_x"] = {"type": "data", "symmetric": False, "array": [max(0, one[high] - one[value]) for _, one in chosen],
                                "arrayminus": [max(0, one[value] - one[low]) for _, one in chosen]}
        if text:
            trace["text"] = [text(one) for _, one in chosen]
            trace.update(textposition="auto", textangle=0)
        traces.append(trace)
    yaxis = {"type": "category", "automargin": True, "autorange": "reversed", "categoryorder": "array", "categoryarray": labels}
    return chart(title, traces, axis(f"{title.lower()} [{unit}]", rangemode="tozero"), yaxis, FRAME + BAR * len(some), barmode="overlay")


def unique(labels):
    """Labels that differ, as bars of the same label would lie on each other."""
    seen, found = {}, []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        found.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return found


def scaled(some, key, factor):
    return [{**one, key: one[key] * factor if one.get(key) is not None else None} for one in some]


def bars_of(some):
    """The charts of one problem."""
    unit = some[0]["fom_unit"] or "1"
    share = scaled(some, "share", 100)
    memory = [{**one, "memory": one["max_rss_bytes"] / 1e6 if one.get("max_rss_bytes") else None} for one in some]
    found = [bars(some[0]["fom_name"].capitalize(), some, "fom", unit, "fom_low", "fom_high"),
             bars("Time to solution", some, "solve_seconds", "s", "solve_low", "solve_high"),
             bars("Speed-up over serial", some, "speed_up", "1"),
             bars("Share of the limit", share, "share", "%", text=lambda one: "cache" if one["in_cache"] else ""),
             bars("Memory of a rank", memory, "memory", "MB")]
    return [one for one in found if one]


# ---- roofline ----


def roofline(host, some):
    """Points under the roof of one host. Its roof is that of all threads of the runs; one thread has a lower one."""
    points = [one for one in some if one["intensity"] and one["flops_per_second"] and one["limit_bandwidth"]]
    if not points:
        return None
    apps = sorted({one["app"] for one in points})
    others = {one["backend"].split(":")[0] for one in points}
    low = min(one["intensity"] for one in points) / 4
    high = max(one["intensity"] for one in points) * 4
    by_backend = {}
    for one in points:
        by_backend.setdefault(one["backend"], []).append(one)
    traces = roofs(by_backend, low, high, others)
    for backend, of_backend in by_backend.items():
        for app in apps:
            chosen = [one for one in of_backend if one["app"] == app]
            if chosen:
                traces.append({"type": "scatter", "mode": "markers", "name": f"{app}, {backend}",
                               "x": [one["intensity"] for one in chosen], "y": [one["flops_per_second"] / 1e9 for one in chosen],
                               "text": [label_of(one, False) + f"<br>{one['deck_name']}: {one['region']}" for one in chosen],
                               "hovertemplate": "%{text}<br>%{x:.3g} flop/byte, %{y:.4g} Gflop/s<extra></extra>",
                               "marker": {"color": colour_of(backend, others), "size": 10, "symbol": SYMBOLS[apps.index(app) % len(SYMBOLS)]}})
    return chart(f"Roofline of {host}", traces, log_axis("arithmetic intensity [flop/byte]"), log_axis("rate [Gflop/s]"), 520)


def roofs(by_backend, low, high, others):
    """The limits of the configuration with the highest one, for each backend. Backends of the same roof share its line."""
    backends = {}
    for backend, some in by_backend.items():
        best = max(some, key=lambda one: one["limit_bandwidth"])
        for key, name, dash in (("limit_bandwidth", "memory", "solid"), ("limit_cache_bandwidth", "cache", "dot")):
            if best[key]:
                backends.setdefault((name, dash, best[key], best["limit_flops"] or float("inf")), []).append(backend)
    found = []
    for (name, dash, rate, flops), names in backends.items():
        ridge = flops / rate
        x = sorted({low, high, *([ridge] if low < ridge < high else [])})
        found.append({"type": "scatter", "mode": "lines", "name": f"{name}, {' and '.join(names)}", "x": x,
                      "y": [min(rate * one, flops) / 1e9 for one in x],
                      "line": {"color": colour_of(names[0], others), "dash": dash, "width": 2}, "hovertemplate": "%{y:.4g} Gflop/s<extra></extra>"})
    return found


# ---- scaling ----


def scaling_charts(curves):
    """Strong: speed-up over processors. Weak: efficiency over processors. With the ideal line."""
    found = []
    for kind, key, unit in (("strong", "speed_up", "1"), ("weak", "efficiency", "1")):
        by_app = {}
        for one in curves:
            if one["scaling"] == kind:
                by_app.setdefault((one["app"], one["deck_name"]), []).append(one)
        for (app, deck), some in by_app.items():
            found.append(scaling_chart(f"{kind.capitalize()} scaling of {app}{'' if deck == '-' else ', ' + deck}", some, key, unit))
    return found


def scaling_chart(title, curves, key, unit):
    others = {one["backend"].split(":")[0] for one in curves}
    ways = list(dict.fromkeys((one["variant"], one["layout"], one["precision"], one["host"]) for one in curves))
    with_host = len({one["host"] for one in curves}) > 1
    numbers = sorted({point["processors"] for one in curves for point in one["points"]})
    traces = []
    for one in curves:
        number = ways.index((one["variant"], one["layout"], one["precision"], one["host"]))
        name = shorten(" ".join(part for part in (one["backend"], one["variant"], one["precision"], one["host"] if with_host else "") if part))
        traces.append({"type": "scatter", "mode": "lines+markers", "name": name, "x": [point["processors"] for point in one["points"]],
                       "y": [point[key] for point in one["points"]],
                       "text": [f"{point['ranks']} x {point['threads']}: {point['seconds']:.4g} s" for point in one["points"]],
                       "hovertemplate": "%{text}<br>%{y:.3g}<extra></extra>",
                       "line": {"color": colour_of(one["backend"], others), "dash": DASHES[number % len(DASHES)]},
                       "marker": {"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9}})
    ideal = [1] * len(numbers) if key == "efficiency" else [number / numbers[0] for number in numbers]
    traces.append({"type": "scatter", "mode": "lines", "name": "ideal", "x": numbers, "y": ideal, "ideal": True,
                   "hoverinfo": "skip", "line": {"dash": "longdash", "width": 1}})
    log = key == "speed_up"
    xaxis = axis("ranks x threads [1]", type="log", tickvals=numbers, ticktext=[str(number) for number in numbers])
    yaxis = axis(f"{'speed-up' if log else 'efficiency'} [{unit}]", **(LOG if log else {"rangemode": "tozero"}))
    return chart(title, traces, xaxis, yaxis, 460)


# ---- sizes ----


def size_charts(configurations):
    """Time to solution over an axis of numbers, where a case has one."""
    groups = {}
    for one in figures.views(configurations):
        for name, value in one["axis"].items():
            if isinstance(value, (int, float)):
                groups.setdefault((one["app"], one["case"], one["deck_name"], name), []).append((value, one))
    found = []
    for (app, _, deck, name), points in groups.items():
        if len({value for value, _ in points}) > 1:
            found.append(size_chart(f"{app}{'' if deck == '-' else ', ' + deck}: time to solution by {name}", name, points))
    return found


def size_chart(title, name, points):
    others = {one["backend"].split(":")[0] for _, one in points}
    with_host = len({one["host"] for _, one in points}) > 1
    lines = {}
    for value, one in points:
        rest = " ".join(word for word in one["sizes"].split() if not word.startswith(f"{name}="))
        way = " ".join(part for part in (one["variant"], rest, one["precision"], one["host"] if with_host else "") if part)
        layout = one["layout"] if one["layout"] in ("left", "right") else ""
        key = (one["backend"], one["ranks"], one["threads"], f"{way} {layout}".strip(), one["host"])
        lines.setdefault(key, []).append((value, one["solve_seconds"]))
    ways = list(dict.fromkeys(key[1:] for key in lines))
    traces = []
    for key, values in lines.items():
        values.sort()
        number = ways.index(key[1:])
        traces.append({"type": "scatter", "mode": "lines+markers", "name": shorten(f"{key[0]} {key[1]} x {key[2]} {key[3]}".strip()),
                       "x": [value for value, _ in values], "y": [seconds for _, seconds in values],
                       "hovertemplate": name + " %{x}: %{y:.4g} s<extra></extra>",
                       "line": {"color": colour_of(key[0], others), "dash": DASHES[number % len(DASHES)]},
                       "marker": {"symbol": SYMBOLS[number % len(SYMBOLS)], "size": 9}})
    numbers = sorted({value for value, _ in points})
    xaxis = axis(f"{name} [1]", type="log", tickvals=numbers, ticktext=[f"{number:g}" for number in numbers])
    return chart(title, traces, xaxis, log_axis("time to solution [s]"), 480)


def shorten(text, width=44):
    return text if len(text) <= width else text[:width - 1] + "\u2026"


def of_app(app, configurations):
    """Blocks (heading, charts, number of configurations): one for each problem that is not part of a scaling curve."""
    blocks = {}
    for one in figures.views(configurations):
        if one["app"] == app and one["scaling"] != "weak":
            blocks.setdefault(figures.problem_of(one), {}).setdefault((one["config"], one["host"], one["folder"]), one)
    return [(problem, bars_of(list(some.values())), len(some)) for problem, some in blocks.items()]
