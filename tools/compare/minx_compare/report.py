"""The report: one HTML file that needs no network. plotly.js is in it once; charts and tables are computed here."""
import html
import json
from pathlib import Path

from . import baseline, export, figures, limits, plots, table
from .errors import CANNOT, Ends
from .execute import title_of
from .store import write_text

HERE = Path(__file__).resolve().parent

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}
</style>
</head>
<body>
<header>
<h1>{title}</h1>
{intro}
<nav>{links}</nav>
</header>
<main>
{sections}
</main>
<script type="application/json" id="charts">{charts}</script>
<script>{plotly}</script>
<script>{script}</script>
</body>
</html>
"""


def plotly_js():
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise Ends(CANNOT, f"report.html: got no plotly ({error}), expected a Python with it (Debian: python3-plotly); "
                           "CSV and JSON were written; MINX_PYTHON names another Python") from None
    return get_plotlyjs()


def text(value):
    return html.escape(str(value))


class Page:
    """Collects sections and charts."""

    def __init__(self):
        self.sections, self.charts, self.links = [], [], []

    def section(self, name, title, *parts):
        parts = [part for part in parts if part]
        if parts:
            self.links.append(f'<a href="#{name}">{text(title)}</a>')
            self.sections.append(f'<section id="{name}"><h2>{text(title)}</h2>\n' + "\n".join(parts) + "\n</section>")

    def figures(self, charts, wide=False):
        shown = []
        for chart in charts:
            self.charts.append(chart)
            shown.append(f'<figure><figcaption>{text(chart["title"])}</figcaption><div data-chart="{len(self.charts) - 1}"></div></figure>')
        return f'<div class="charts{" wide" if wide else ""}">' + "\n".join(shown) + "</div>" if shown else ""


def cell(value):
    """A cell: a text, or a pair (text, number) that sorts by the number, or (text, "command")."""
    if isinstance(value, tuple) and value[1] == "command":
        return f'<td class="command"><code>{text(value[0])}</code></td>'
    if isinstance(value, tuple):
        return f'<td class="number" data-value="{"" if value[1] is None else repr(float(value[1]))}">{text(value[0])}</td>'
    return f"<td>{text(value)}</td>"


def html_table(heads, rows, sortable=False):
    if not rows:
        return ""
    numbers = [isinstance(value, tuple) and value[1] != "command" for value in rows[0]]
    head = "".join(f'<th scope="col"{" class=" + chr(34) + "number" + chr(34) if number else ""}>'
                   + (f'<button type="button">{text(name)}</button>' if sortable else text(name)) + "</th>" for name, number in zip(heads, numbers))
    body = "\n".join("<tr>" + "".join(cell(value) for value in row) + "</tr>" for row in rows)
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def quantity(value, unit):
    return (f"{table.number(value)}{unit}" if value is not None else "-", value)


def seconds(value):
    return (table.seconds(value), value)


def ratio(value):
    return ("-" if value is None else f"{value:.2f}", value)


def percent(value):
    return (table.percent(value), value)


# ---- sections ----


def where_table(merged):
    rows = []
    for part in merged["parts"]:
        comparison = part["comparison"]
        summaries = [record["summary"] for record in part["records"] if record.get("summary")]
        hosts = sorted(set(part["machines"].values()) - {""})
        hardware = sorted({str(summary.get(key)) for summary in summaries for key in ("cpu", "device") if summary.get(key)})
        commits = sorted({str(summary.get("git_commit", ""))[:12] for summary in summaries} - {""})
        versions = "; ".join(f"{app} {program['version'] or 'of unknown version'}" if app not in program["version"] else program["version"]
                             for app, program in comparison["programs"].items())
        absent = sorted({why for some in comparison["absent"].values() for why in some})
        count = sum(1 for record in part["records"] if record["outcome"] == "passed")
        rows.append((str(part["folder"]), comparison["title"], ", ".join(hosts) or "-", "; ".join(hardware) or "-", str(comparison["launcher"]),
                     versions, ", ".join(commits) or "-", f"{count} of {len(comparison['runs'])}", comparison["created"], "; ".join(absent) or "-"))
    return html_table(("folder", "what", "host", "processors", "launcher", "programs", "commit", "runs that count", "begun", "not there"), rows)


def limits_table(merged):
    rows = []
    for part in merged["parts"]:
        for (host, backend, threads), one in limits.load(part["store"]).items():
            others = one.get("other_threads")
            beside = f", beside {others} threads of other programs" if others else ""
            rows.append((part["machines"].get(host, host), backend, (str(threads), threads), quantity(one.get("bandwidth"), "B/s"), quantity(one.get("cache_bandwidth"), "B/s"),
                         quantity(one.get("flops"), "flop/s"), quantity(one.get("cache_bytes"), "B"), str(one.get("date", "")) + beside))
    return html_table(("host", "backend", "threads", "memory", "cache", "arithmetic", "last-level cache", "measured"), rows)


def left_out_table(merged):
    rows = [(record["run"]["id"], title_of(record["run"]), record["outcome"], record["reason"])
            for part in merged["parts"] for record in part["records"] if record["outcome"] != "passed"]
    return html_table(("run", "what", "outcome", "reason"), rows)


def layouts_table(configurations):
    rows = [(one["app"], one["variant"] or one["deck_name"], one["backend"], f"{one['ranks']} x {one['threads']}", one["host"],
             one["precision"] or "-", one["own"], seconds(one["own_seconds"]), seconds(one["wrong_seconds"]), ratio(one["ratio"]))
            for one in figures.wrong_layouts(configurations)]
    heads = ("app", "way", "backend", "ranks x threads", "host", "precision", "own layout", "own", "other", "other / own [1]")
    return html_table(heads, rows, True)


def portability_tables(merged):
    """One for each problem: a column for each platform."""
    by_problem = {}
    for line in figures.portability(merged["configurations"], merged["planned"]):
        by_problem.setdefault(line["problem"], []).append(line)
    found = []
    for problem, lines in by_problem.items():
        platforms = lines[0]["platforms"]
        heads = ["way", "efficiency", "performance portability", *platforms]
        rows = []
        for line in lines:
            rows.append([line["way"], "application", percent(line["pp_application"]), *(percent(line["application"][p]) for p in platforms)])
            shares = line["architectural"]
            rows.append([line["way"], "architectural", percent(line["pp_architectural"]), *(percent(shares[p]) for p in platforms)])
        found.append(f"<h3>{text(problem)}</h3>" + html_table(heads, rows, True))
    return found


def configuration_table(configurations):
    heads = ("app", "deck", "way", "backend", "ranks x threads", "host", "runs", "figure of merit", "spread", "set-up", "solve", "spread of solve",
             "iterations", "speed-up", "hottest loop", "rate", "share", "memory of a rank", "marks")
    rows = []
    for one in configurations:
        marks = ["in cache"] * bool(one["in_cache"]) + [f"{one['disturbed']} disturbed"] * bool(one["disturbed"])
        rows.append((one["app"], one["deck_name"], table.way(one), one["backend"], f"{one['ranks']} x {one['threads']}", one["host"],
                     (str(one["runs"]), one["runs"]), quantity(one["fom"], one["fom_unit"]), percent(one["fom_spread"]), seconds(one["set_up_seconds"]),
                     seconds(one["solve_seconds"]), percent(one["solve_spread"]), quantity(one["iterations"], ""), ratio(one["speed_up"]),
                     one["region"] or "-", quantity(one["bytes_per_second"], "B/s"), percent(one["share"]), quantity(one["max_rss_bytes"], "B"),
                     ", ".join(marks) or "-"))
    return html_table(heads, rows, True)


def runs_table(merged):
    heads = ("app", "deck", "backend", "ranks", "threads", "repeat", "host", "outcome", "figure of merit", "solve", "wall", "processor time used",
             "memory of a rank", "command")
    rows = []
    for part in merged["parts"]:
        for record in part["records"]:
            run, summary = record["run"], record.get("summary") or {}
            fom = summary.get("fom") if isinstance(summary.get("fom"), dict) else {}
            possible = (summary.get("wall_seconds") or 0) * run["ranks"] * run["threads"]
            host = str(summary.get("host", "-"))
            outcome = record["outcome"] + (", disturbed" if record.get("disturbed") else "")
            rows.append((run["app"], run["deck_name"], run["backend"], (str(run["ranks"]), run["ranks"]), (str(run["threads"]), run["threads"]),
                         (str(run["repeat"]), run["repeat"]), part["machines"].get(host, host), outcome, quantity(fom.get("value"), fom.get("unit", "")),
                         seconds(summary.get("solve_seconds")), seconds(summary.get("wall_seconds")),
                         percent(summary["cpu_seconds"] / possible if possible and summary.get("cpu_seconds") else None),
                         quantity(summary.get("max_rss_bytes"), "B"), (" ".join(record["command"]), "command")))
    return html_table(heads, rows, True)


def baseline_table(against):
    if not against:
        return ""
    rows = [(baseline.label(line["one"]), *(quantity(line[key]["fom"], line[key]["fom_unit"]) for key in ("old", "one")),
             (table.change(-line["loss"]), -line["loss"]), (f"{100 * line['allowed']:.1f} %", line["allowed"]),
             "slower" if line["slower"] else "-")
            for line in against["lines"]]
    lacking = [f"<p>Only in the baseline: {text(baseline.label(one))}</p>" for one in against["only_old"]]
    return html_table(("configuration", "baseline", "now", "change", "runs differ by", "verdict"), rows, True) + "".join(lacking)


def intro(merged):
    records = [record for part in merged["parts"] for record in part["records"]]
    count = sum(1 for record in records if record["outcome"] == "passed")
    planned = sum(len(part["comparison"]["runs"]) for part in merged["parts"])
    left_out = len(records) - count
    disturbed = sum(1 for record in records if record.get("disturbed"))
    lines = [f"{count} of {table.runs(planned)} count: they passed all checks of their app and of minx-verify, and their answers agree."]
    if left_out:
        lines.append(f'<span class="bad">Left out of every figure: {table.runs(left_out)}.</span>')
    if planned > len(records):
        lines.append(f'<span class="bad">Not made: {table.runs(planned - len(records))}.</span>')
    if disturbed:
        lines.append(f"Marked as disturbed: {table.runs(disturbed)}, whose threads had less than 0.9 of the processor time "
                     "that they could use.")
    return "<p>" + " ".join(lines) + "</p>" + "".join(f'<p class="soft">{text(note)}</p>' for note in merged["across"])


def cut_note(number):
    """What a reader must know of charts that do not show all."""
    if number <= plots.MAX_BARS:
        return ""
    return f'<p class="soft">A chart shows at most {plots.MAX_BARS} of the {number} configurations; the table below has all.</p>'


def build(merged, against, title):
    page, configurations = Page(), merged["configurations"]
    page.section("where", "What was run and where", where_table(merged),
                 "<h3>Limits of the machines</h3>" + limits_table(merged) if limits_table(merged) else "")
    page.section("left-out", "Runs that do not count", left_out_table(merged))
    page.section("baseline", "Compared with the baseline", baseline_table(against))
    for app in sorted({one["app"] for one in configurations}):
        blocks = plots.of_app(app, configurations)
        sizes = plots.size_charts([one for one in configurations if one["app"] == app])
        bars = [f"<h3>{text(problem)}</h3>" + cut_note(number) + page.figures(charts) for problem, charts, number in blocks if charts]
        page.section(app, app, page.figures(sizes, wide=True), LABELS if bars else "", *bars)
    hosts = sorted({one["host"] for one in configurations})
    roofs = [plots.roofline(host, [one for one in configurations if one["host"] == host]) for host in hosts]
    page.section("roofline", "Roofline", page.figures([roof for roof in roofs if roof], wide=True), ROOFS if any(roofs) else "")
    page.section("scaling", "Scaling", page.figures(plots.scaling_charts(figures.scaling(configurations)), wide=True))
    page.section("layouts", "What the other layout costs", layouts_table(configurations))
    tables = portability_tables(merged)
    page.section("portability", "Performance portability", PORTABILITY if tables else "", *tables)
    page.section("figures", "All configurations", configuration_table(configurations))
    runs = runs_table(merged)
    page.section("runs", "All runs", '<label>Show rows with these words <input id="filter" type="search"></label>' + runs if runs else "")
    return PAGE.format(title=text(title), style=(HERE / "page.css").read_text(encoding="utf-8"), intro=intro(merged), links=" ".join(page.links),
                       sections="\n".join(page.sections), charts=json.dumps(page.charts).replace("<", "\\u003c"),
                       plotly=plotly_js().replace("</script", "<\\/script"), script=(HERE / "page.js").read_text(encoding="utf-8"))


LABELS = """<p class="soft">Bars are medians, and the lines at them go from the smallest to the largest of the repeats. Labels: backend, ranks x
threads, and what differs besides.</p>"""

ROOFS = """<p class="soft">A point is the loop that moves the most bytes. Solid roofs: from memory; dotted ones: from the cache.</p>"""

PORTABILITY = """<p>Pennycook's metric: the harmonic mean of the efficiencies on all platforms, 0 where one is missing. Application efficiency: the
shortest time to solution of all ways on that platform over the time of this one. Architectural efficiency: the share of what the machine's
memory, cache and arithmetic allow.</p>"""


def write(folder, merged, against, title=""):
    folder.mkdir(parents=True, exist_ok=True)
    export.write_all(folder, merged, write_text)
    titles = list(dict.fromkeys(part["comparison"]["title"] for part in merged["parts"]))
    write_text(folder / "report.html", build(merged, against, title or "; ".join(titles)))
