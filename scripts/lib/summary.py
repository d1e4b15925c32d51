#!/usr/bin/env python3
"""Prints one table of the runs that run.sh made.

usage: summary.py RUNS.tsv [LIMITS.json]

RUNS.tsv has a line for each run: app, deck, backend, ranks, threads, results file, wall seconds, verdict, separated by
tabs. All else is read from the results files. The seconds are those of the region whole_run, from the start of the set-up to
the end of the last step; where there is no results file, the wall time of the program, marked with ~. The rate is that of the
region that moves the most bytes: the bytes that its algorithm must move, divided by the seconds of the slowest rank. LIMITS.json
is a file from `minx-bench --json`. With it, the rate is also printed as a share of the highest memory bandwidth of this machine
for that backend.
"""
import csv
import json
import sys
from pathlib import Path

import h5py

HEADS = ("app", "deck", "backend", "ranks x threads", "seconds", "rate", "share of limit", "verdict")
LEFT = {"app", "deck", "backend", "verdict"}
COLUMNS = ("app", "deck", "backend", "ranks", "threads", "file", "wall", "verdict")


def regions(path):
    """{name: {quantity: number}} from /performance; empty where there is no such file."""
    try:
        with h5py.File(path, "r") as file:
            return {name: {key: float(group[key][()]) for key in ("seconds_max", "bytes")}
                    for name, group in file["performance"].items()}
    except (OSError, KeyError):
        return {}


def limits(path):
    """{backend: bytes per second that the memory can move at best}"""
    best, max_bytes = {}, {}
    for record in json.loads(path.read_text()):
        share, seconds, backend = record.get("share_of_limit"), record.get("core_seconds"), record["backend"]
        # the largest case is too large for the caches
        if share and seconds and record["bytes"] > max_bytes.get(backend, 0):
            max_bytes[backend] = record["bytes"]
            best[backend] = record["bytes"] / seconds / share
    best.setdefault("serial", best.get("openmp", 0))
    return best


def row(run, best):
    """The cells of one run, and whether its rate is above the limit of memory, so that its data came from a cache."""
    found = regions(run["file"])
    seconds = found.pop("whole_run", {}).get("seconds_max")
    largest = max(found.values(), key=lambda region: region.get("bytes", 0), default={})
    time = f"{seconds:.3g}" if seconds is not None else f"~{float(run['wall']):.1f}"
    rate = largest["bytes"] / largest["seconds_max"] if largest.get("bytes") and largest.get("seconds_max") else 0
    limit = best.get(run["backend"], 0)
    share = rate / limit if limit else 0
    return (run["app"], run["deck"], run["backend"], f"{run['ranks']} x {run['threads']}", time,
            f"{rate / 1e9:.1f} GB/s" if rate else "-", f"{100 * share:.0f} %" + "*" * (share > 1) if share else "-",
            run["verdict"]), share > 1


def print_table(rows):
    widths = [max(len(line[i]) for line in [HEADS, *rows]) for i in range(len(HEADS))]
    for line in [HEADS, ["-" * width for width in widths], *rows]:
        cells = [cell.ljust(width) if head in LEFT else cell.rjust(width)
                 for cell, width, head in zip(line, widths, HEADS)]
        print("  ".join(cells).rstrip())


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    with open(sys.argv[1], newline="") as file:
        runs = list(csv.DictReader(file, fieldnames=COLUMNS, delimiter="\t"))
    best = limits(Path(sys.argv[2])) if len(sys.argv) == 3 else {}
    rows, cached = zip(*(row(run, best) for run in runs))
    print_table(rows)
    if any(cells[4].startswith("~") for cells in rows):
        print("~ seconds of the whole program, with its start: there is no results file")
    if any(cached):
        print("* faster than memory: the data of this deck fit into the cache")


main()
