#!/usr/bin/env python3
"""minx-compare run --submit: the runs of a comparison as job arrays, and a last job that prints the table. The folder's name has what
sbatch would replace or split at. Submitted again, nothing is run twice."""
import glob
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from slurm_jobs import BIN, LIMIT, ROOT, check, finish, run

PLAN = """
repeats = 2
limits = false
launcher_options = ["--mpi=pmix", "--oversubscribe"]

[[case]]
app = "minife"
options = "nx=8"
backend = ["serial", "openmp"]
ranks = 2

[[case]]
app = "tealeaf"
deck = "tealeaf/crooked_pipe_10.in"
options = "end_step=3 test_problem=0"
backend = "serial"
"""
FOLDER = "100 %A of them"
RUNS = 6


def submit():
    return run(os.path.join(ROOT, "scripts", "compare"), "run", "plan.toml", "--submit", "--cores", "2", "--bin", BIN, "--out", FOLDER,
               "--sbatch=--oversubscribe")


def outcomes():
    """The outcome of each run that has a record."""
    found = {}
    for path in glob.glob(os.path.join(FOLDER, "runs", "*", "run.json")):
        with open(path, encoding="utf-8") as file:
            found[path] = json.load(file)
    return found


def main():
    with open("plan.toml", "w", encoding="utf-8") as file:
        file.write(PLAN)
    first = submit()
    check(first.returncode == 0 and "job " in first.stderr + first.stdout, f"--submit: exit code {first.returncode}\n{first.stdout}{first.stderr}")
    table, end = os.path.join(FOLDER, "finish.log"), time.monotonic() + LIMIT
    while time.monotonic() < end and not run("squeue", "--noheader", "--name=minx-compare").stdout.strip() == "":
        time.sleep(0.5)
    records = outcomes()
    bad = [record["reason"] for record in records.values() if record["outcome"] != "passed"]
    check(len(records) == RUNS and not bad, f"expected {RUNS} runs that passed, got {len(records)}: {bad}")
    check(all(record["summary"]["scheduler"] == "slurm" for record in records.values()), "expected the scheduler slurm in each summary")
    if check(os.path.exists(table), f"expected the table in {table}, got {os.listdir(FOLDER)}"):
        with open(table, encoding="utf-8") as file:
            said = file.read()
        check("tealeaf" in said and "minife" in said and "openmp" in said, f"expected a table of both apps:\n{said}")
    again = submit()
    check(again.returncode == 0 and outcomes() == records, f"submitted again: exit code {again.returncode}\n{again.stdout}{again.stderr}")
    finish()


main()
