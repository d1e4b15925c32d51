"""Figures as CSV and JSON, and the table that the P3 Analysis Library reads."""
import csv
import io
import json

from . import figures

COLUMNS = ("app", "deck_name", "problem", "problem_size", "variant", "sizes", "backend", "layout", "precision", "ranks", "threads", "nodes", "host",
           "platform", "runs", "disturbed", "fom_name", "fom_unit", "higher_is_better", "fom", "fom_low", "fom_high", "fom_spread",
           "set_up_seconds", "solve_seconds", "solve_low", "solve_high", "solve_spread", "wall_seconds", "iterations", "speed_up", "region",
           "bytes_per_second", "flops_per_second", "intensity", "limit_bandwidth", "limit_flops", "share", "in_cache", "max_rss_bytes",
           "git_commit", "date", "folder", "arguments")
RUN_COLUMNS = ("id", "outcome", "reason", "disturbed", "app", "deck_name", "backend", "layout", "precision", "ranks", "threads", "repeat",
               "host", "fom", "fom_unit", "solve_seconds", "wall_seconds", "cpu_seconds", "max_rss_bytes", "started", "folder", "command")
P3_COLUMNS = ("date", "application", "problem", "platform", "fom")


def as_csv(columns, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: " ".join(map(str, value)) if isinstance(value, list) else value for key, value in row.items()})
    return text.getvalue()


def run_row(part, record):
    summary, run = record.get("summary") or {}, record["run"]
    host = summary.get("host")
    fom = summary.get("fom") if isinstance(summary.get("fom"), dict) else {}
    return {**{key: run.get(key) for key in RUN_COLUMNS}, "outcome": record["outcome"], "reason": record["reason"],
            "disturbed": record.get("disturbed"), "host": part["machines"].get(host, host), "fom": fom.get("value"), "fom_unit": fom.get("unit"),
            **{key: summary.get(key) for key in ("solve_seconds", "wall_seconds", "cpu_seconds", "max_rss_bytes")},
            "started": record["started"], "folder": str(part["folder"]), "command": record["command"]}


def p3_rows(configurations):
    """A row for each problem, way and platform, with the median time to solution of the fastest configuration: lower is better."""
    rows = []
    for line in figures.portability(configurations):
        for platform, one in line["best"].items():
            rows.append({"date": one["date"], "application": line["way"], "problem": line["problem"], "platform": platform,
                         "fom": one["solve_seconds"]})
    return rows


def write_all(folder, merged, write):
    """figures.csv, runs.csv, figures.json, p3.csv."""
    runs = [run_row(part, record) for part in merged["parts"] for record in part["records"]]
    write(folder / "figures.csv", as_csv(COLUMNS, merged["configurations"]))
    write(folder / "runs.csv", as_csv(RUN_COLUMNS, runs))
    write(folder / "p3.csv", as_csv(P3_COLUMNS, p3_rows(merged["configurations"])))
    content = {"schema": "minx-compare-figures", "version": 1, "configurations": merged["configurations"], "runs": runs,
               "scaling": figures.scaling(merged["configurations"]), "layouts": figures.wrong_layouts(merged["configurations"]),
               "portability": [{key: value for key, value in line.items() if key != "best"}
                               for line in figures.portability(merged["configurations"], merged["planned"])]}
    write(folder / "figures.json", json.dumps(content, indent=1) + "\n")
