"""Slurm: the runs of a comparison as job arrays, one array for each number of ranks and threads, since all tasks of an array have the
same size; and a last job that compares the answers and prints the table."""
import shlex
import shutil
import subprocess
import sys

from . import table
from .errors import CANNOT, MISTAKE, Ends
from .machine import TOOLS
from .store import read_json, write_json, write_text

SCRIPT = """#!/usr/bin/env bash
#SBATCH --job-name=minx-compare
#SBATCH --output={output}
{lines}
set -euo pipefail
export PYTHONPATH={tools}${{PYTHONPATH:+:$PYTHONPATH}}
exec {python} -m minx_compare {command}
"""


def quoted(words):
    return " ".join(shlex.quote(str(word)) for word in words)


def script(store, log, lines, command):
    folder = str(store.path.resolve()).replace("%", "%%")  # sbatch replaces %A and the like in names of logs
    return SCRIPT.format(output=shlex.quote(f"{folder}/{log}"), tools=shlex.quote(str(TOOLS)), python=shlex.quote(sys.executable),
                         lines="\n".join(f"#SBATCH {line}" for line in lines), command=command)


def compress(numbers):
    """Indices as sbatch --array wants them: 0-3,7."""
    parts = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)


def sbatch(path):
    """Submits a script. Returns the number of the job."""
    try:
        done = subprocess.run(["sbatch", "--parsable", str(path)], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise Ends(CANNOT, f"sbatch: {error.strerror}") from None
    if done.returncode != 0:
        raise Ends(CANNOT, f"sbatch {path}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout.strip().split(";")[0]


def end_if_pending(store):
    """Runs that wait in Slurm's queue are neither submitted twice nor given other numbers. A queue that cannot be asked stops nobody."""
    jobs = read_json(store.path / "jobs.json")
    if not isinstance(jobs, list) or not jobs:
        return
    words = ["squeue", "--noheader", "--format=%F", "--jobs=" + ",".join(map(str, jobs))]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return
    pending = sorted(set(done.stdout.split())) if done.returncode == 0 else []
    if pending:
        raise Ends(MISTAKE, f"{store.path}: got jobs {', '.join(pending)} in Slurm's queue, expected none of this folder: wait for them, "
                            "or end them by scancel")


def submit(store, comparison, options, at_once, say):
    """Submits what has no record yet."""
    if shutil.which("sbatch") is None:
        raise Ends(CANNOT, "--submit: got no sbatch on PATH, expected a machine with Slurm")
    groups = {}
    for index, run in enumerate(comparison["runs"]):
        if store.record(run) is None and not run["absent"]:
            groups.setdefault((run["ranks"], run["threads"]), []).append(index)
    folder = quoted([store.path.resolve()])
    jobs = []
    for (ranks, threads), indices in groups.items():
        limit = max(comparison["runs"][index]["timeout"] for index in indices)
        lines = [f"--ntasks={ranks}", f"--cpus-per-task={threads}", f"--time={max(1, -(-int(limit + 300) // 60))}",
                 f"--array={compress(indices)}" + (f"%{at_once}" if at_once else ""), *options]
        path = store.path / f"job-{ranks}x{threads}.sh"
        write_text(path, script(store, "slurm-%A_%a.log", lines, f"task {folder} \"$SLURM_ARRAY_TASK_ID\""))
        jobs.append(sbatch(path))
        write_json(store.path / "jobs.json", jobs)
        say(f"job {jobs[-1]}: {table.runs(len(indices))} of {ranks} x {threads}")
    if jobs:
        path = store.path / "job-finish.sh"
        own = [option for option in options if option.split("=")[0] in ("--partition", "--account", "--qos", "-p", "-A", "-q")]
        lines = ["--ntasks=1", "--time=60", f"--dependency=afterany:{':'.join(jobs)}", *own]
        write_text(path, script(store, "finish.log", lines, f"finish {folder}"))
        jobs.append(sbatch(path))
        say(f"job {jobs[-1]}: compares the answers when all have ended; its table will be in {store.path / 'finish.log'}")
    return jobs
