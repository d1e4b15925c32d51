#!/usr/bin/env python3
"""The summary of a run: --summary=FILE.json, /summary of the results file and what is printed say the same. It is there whatever the
verdict is, and a file that cannot be written is an error before anything is computed.

usage: summary.py APP PROGRAM MINX-VERIFY DECK MPIEXEC WORD...
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../support"))
from launcher import processes, run_ranks, signal_all

try:
    import h5py
except ImportError:
    print("skipped: summary.py needs h5py")
    sys.exit(77)

app, program, verify, deck, *mpiexec = sys.argv[1:]
program, verify, deck = (os.path.abspath(path) for path in (program, verify, deck))
failures = 0
USUAL = "iteration limit" if app == "minife" else "passed" # of runs of so many iterations

NUMBER, TEXT, MAYBE = (int, float), (str,), (str, type(None))
KEYS = {"schema": TEXT, "app": TEXT, "version": TEXT, "git_commit": TEXT, "date": TEXT, "deck": MAYBE, "problem": TEXT,
        "problem_size": (int,), "backend": TEXT, "layout": TEXT, "precision": TEXT, "ranks": (int,), "threads": (int,), "nodes": (int,),
        "host": TEXT, "cpu": TEXT, "device": MAYBE, "scheduler": MAYBE, "job_id": MAYBE, "launcher": MAYBE, "messages": TEXT,
        "verdict": TEXT, "exit_code": (int,), "restarted": (bool,), "fom": (dict,), "set_up_seconds": NUMBER, "solve_seconds": NUMBER,
        "wall_seconds": NUMBER, "iterations": (int,), "bytes": NUMBER, "flops": NUMBER, "max_rss_bytes": (int,), "cpu_seconds": NUMBER,
        "regions": (dict,)}
FOM = {"name": TEXT, "value": NUMBER, "unit": TEXT, "higher_is_better": (bool,)}
REGION = {"seconds": NUMBER, "calls": (int,), "bytes": NUMBER, "flops": NUMBER}

# Of each app: what makes a run short; the key of its end; words of a run with failed checks, and of one that ends at its limit of
# iterations; problem and its size; regions beside whole_run; the unit of the figure of merit.
APPS = {
    "sample": ([], "steps", [], [], "heat 2-D", 24 * 24, [], "cell steps/s"),
    "tealeaf": (["test_problem=0"], "end_step", ["tl_max_iters=1"], ["test_problem=0", "tl_max_iters=3"], "cg 2-D", 10 * 10,
                ["solve", "step_begin_and_end"], "cell iterations/s"),
    "minife": (["tolerance=0"], "max_iterations", [], ["max_iterations=5"], "csr", 18 * 4 * 6,
               ["mesh", "structure", "assembly", "boundary", "preconditioner", "solve", "ghosts", "product", "precondition", "vectors",
                "sums"], "row iterations/s"),
    "minimd": (["-s", "4"], "steps", ["-s", "4", "dt=0.02"], [], "lj", 4 * 4 ** 3, ["force", "neighbour_list", "ghosts", "borders", "integration",
               "solve"], "atom-steps/s"),
}
SHORT, END, FAILING, LIMITED, PROBLEM, SIZE, REGIONS, UNIT = APPS[app]


def fail(what, text):
    global failures
    failures += 1
    print(f"{what}: {text}")


def check(what, got, expected):
    if got != expected:
        fail(what, f"got {got!r}, expected {expected!r}")


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def load(path):
    with open(path, encoding="ascii") as file:
        return json.load(file, parse_constant=refuse)


def check_keys(what, got, expected):
    check(what + ": keys", list(got), list(expected))
    for name, kinds in expected.items():
        value = got.get(name)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            fail(what, f"{name} is {value!r}, expected {' or '.join(kind.__name__ for kind in kinds)}")


def check_schema(what, summary):
    check_keys(what, summary, KEYS)
    check_keys(what + ": fom", summary["fom"], FOM)
    check(what + ": regions", list(summary["regions"]), ["whole_run", *REGIONS])
    for name, region in summary["regions"].items():
        check_keys(f"{what}: {name}", region, REGION)
        if not re.fullmatch("[a-z_]+", name):
            fail(what, f"the region {name!r} has other characters than lower case and underscores")


def check_values(what, summary, ranks):
    """What follows from the rest."""
    regions = summary["regions"]
    solve = regions.get("solve", regions["whole_run"])
    expected = {"schema": "minx-summary-1", "app": app, "problem": PROBLEM, "problem_size": SIZE, "ranks": ranks,
                "nodes": ranks if os.environ.get("MPIR_CVAR_NOLOCAL") == "1" else 1, # with that, ranks of MPICH are hosts of their own
                "threads": 1, "backend": "serial", "device": None, "launcher": "mpirun" if ranks > 1 else None}
    check(what, {name: summary[name] for name in expected}, expected)
    check(what + ": the solve", [summary["solve_seconds"], summary["bytes"], summary["flops"]],
          [solve["seconds"], solve["bytes"], solve["flops"]])
    seconds, iterations = summary["solve_seconds"], summary["iterations"]
    check(what + ": unit", (summary["fom"]["unit"], summary["fom"]["higher_is_better"]), (UNIT, True))
    merit = SIZE * iterations / seconds if seconds > 0 else 0
    if abs(summary["fom"]["value"] - merit) > 1e-12 * merit:
        fail(what, f"figure of merit {summary['fom']['value']}, expected {merit}")
    # Each time is that of its slowest rank: on one rank the parts add up to at most the whole, on several each is at most the whole.
    set_up = summary["set_up_seconds"]
    parts = set_up + seconds if ranks == 1 else max(set_up, seconds)
    ordered = 0 < set_up and parts <= 1.000001 * summary["wall_seconds"]
    if not ordered or not 0 < summary["cpu_seconds"] or summary["max_rss_bytes"] < 2 ** 20:
        fail(what, f"times or memory: {summary}")
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", summary["date"]):
        fail(what, f"date {summary['date']}")


def of_results(path):
    """/summary as the JSON has it, but for what HDF5 does not tell: an empty text for null, 0 or 1 for a truth value."""
    def read(group):
        found = {}
        for name, item in group.items():
            value = read(item) if isinstance(item, h5py.Group) else item[()]
            found[name] = value.decode(errors="surrogateescape").rstrip("\0") if isinstance(value, bytes) else value
        return found
    with h5py.File(path, "r") as file:
        return read(file["summary"])


def flat(value):
    if isinstance(value, dict):
        return {name: flat(inner) for name, inner in value.items()}
    return "" if value is None else value


def expect_printed(what, out, summary):
    lines = out.splitlines()
    check(what + ": last line", lines[-1] if lines else "", "verdict: " + summary["verdict"])
    if summary["verdict"] == "stopped":
        return
    check(what + ": figure of merit", lines[-2], f"figure of merit: {summary['fom']['value']:.4g} {UNIT}")
    whole = re.fullmatch(r" Time of the whole program (\S+) s", lines[-3]) # with the end of the results file
    check(what + ": time", whole is not None and float(whole[1]) >= summary["wall_seconds"] - 0.0005, True)
    if app == "tealeaf": # the last number behind these words is what scripts take
        clocks = re.findall(r"Wall clock\s+(\S+)$", out, re.M)
        if out.count("Wall clock") != len(clocks):
            fail(what, "not every Wall clock has a number behind it")


def run(words, ranks=1, code=0, verdict=USUAL, quiet=False, restarted=False):
    """A run with both files, whose summary is checked and returned."""
    what = f"{' '.join(words)} on {ranks} ranks{' quiet' if quiet else ''}"
    start = [*mpiexec, "-n", str(ranks)] if ranks > 1 else []
    done = run_ranks([*start, program, deck, *words, "--backend=serial", "--summary=s.json", "--output=r.h5",
                      *(["--quiet"] if quiet else [])])
    if done.returncode != code:
        fail(what, f"exit code {done.returncode}, expected {code}\n{done.stdout[-600:]}{done.stderr[-600:]}")
        return None
    summary = load("s.json")
    check_schema(what, summary)
    check_values(what, summary, ranks)
    check(what, [summary["verdict"], summary["exit_code"], summary["restarted"]], [verdict, code, restarted])
    check(what + ": the results file", of_results("r.h5"), flat(summary))
    if quiet:
        check(what + ": stdout", done.stdout, "")
    else:
        expect_printed(what, done.stdout, summary)
    verified = run_ranks([verify, "--quiet", "r.h5"])
    if code == 0 and verified.returncode != 0:
        fail(what, f"minx-verify finds faults\n{verified.stdout[-800:]}{verified.stderr[-400:]}")
    left = set(os.listdir(".")) - {"s.json", "r.h5", "r.xmf", "c.h5", "c.h5.1"}
    check(what + ": files left", left, set())
    return summary


def verdicts():
    short = [*SHORT, f"{END}=10"]
    for ranks in (1, 2):
        summary = run(short, ranks)
        if summary and app != "tealeaf": # whose steps have some iterations each
            check("iterations", summary["iterations"], 10)
    run(short, quiet=True)
    if FAILING:
        for ranks in (1, 2):
            run(FAILING, ranks, 1, "failed", quiet=ranks == 2)
    if LIMITED:
        run(LIMITED, 1, 0, "iteration limit")
    if app == "minife":
        run(["tolerance=1e-9"], 1, 0, "passed")


def stopped(ranks):
    """A signal after the first checkpoint; then the rest of the run."""
    what = f"stopped on {ranks} ranks"
    start = [*mpiexec, "-n", str(ranks)] if ranks > 1 else []
    many = "1000000000" if app != "tealeaf" else "1000000"
    running = subprocess.Popen([*start, program, deck, *SHORT, f"{END}={many}", "--backend=serial", "--checkpoint=c.h5",
                                "--checkpoint-every=3", "--summary=" + os.path.abspath("s.json"), "--output=r.h5"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while running.poll() is None and not os.path.exists("c.h5"):
        time.sleep(0.01)
    # not the launcher: MPICH's has a meaning of its own for this signal
    signal_all(processes(program, os.path.abspath("s.json")), signal.SIGUSR1)
    out, err = running.communicate(timeout=600)
    if running.returncode != 5:
        fail(what, f"exit code {running.returncode}, expected 5\n{out[-600:]}{err[-600:]}")
        return
    summary = load("s.json")
    check_schema(what, summary)
    check_values(what, summary, ranks)
    check(what, [summary["verdict"], summary["exit_code"]], ["stopped", 5])
    if ranks == 1: # mpirun has lines of its own
        expect_printed(what, out, summary)
    check(what + ": results files", os.path.exists("r.h5"), False)
    step = int(re.search(r"after step (\d+)", out).group(1))
    if app != "tealeaf":
        check(what + ": iterations", summary["iterations"], step)
    again = run([*SHORT, f"{END}={step + 4}", "--restart=c.h5"], ranks, restarted=True)
    if again and app != "tealeaf":
        check(what + ": iterations of the rest", again["iterations"], 4)
    os.remove("c.h5")


def refused():
    """Names that it cannot have; the older file stays."""
    with open("s.json", "w", encoding="ascii") as file:
        file.write("older")
    shutil.copy(deck, "in")
    os.symlink("r.h5", "link.h5")
    for words, code, message in ((["--summary=no/s.json"], 3, "summary no/s.json"), (["--summary=."], 3, "it is a folder"),
                                 (["--summary=./r.h5", "--output=r.h5"], 2, "which would replace"),
                                 (["--summary=r.xmf", "--output=r.h5"], 2, "which would replace"),
                                 (["--summary=in"], 2, "which would replace the input in"),
                                 (["--summary=c.ck", "--checkpoint=c.ck"], 2, "which would replace"),
                                 (["--summary=link.h5"], 3, "cannot follow the link"),
                                 (["--summary=s.json", "--output=no/r.h5"], 3, "results file no/r.h5")):
        done = run_ranks([program, "in", *SHORT, f"{END}=10", "--backend=serial", *words])
        if done.returncode != code or message not in done.stderr:
            fail(" ".join(words), f"exit code {done.returncode}, expected {code} and {message!r}\n{done.stderr[-600:]}")
        left = set(os.listdir(".")) - {"s.json", "in", "link.h5"}
        check(" ".join(words) + ": files left", left, set())
    with open("s.json", encoding="ascii") as file:
        check("the older file", file.read(), "older")


def lost_lines():
    """stdout on a full disk: the summary is kept, with the exit code of its verdict."""
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([program, deck, *SHORT, f"{END}=10", "--backend=serial", "--summary=s.json"], stdin=subprocess.DEVNULL,
                              stdout=full, stderr=subprocess.PIPE, text=True, timeout=600)
    if done.returncode != 3 or "the summary s.json is complete" not in done.stderr:
        fail("lost lines", f"exit code {done.returncode}, expected 3 and the name of the summary\n{done.stderr[-600:]}")
    check("lost lines", load("s.json")["exit_code"], 0)


def odd_names():
    """Bytes that JSON has to escape, and one that is no UTF-8."""
    name = os.fsdecode(b'a "deck" \\ \xc3\xa9\xff\t.in')
    shutil.copy(deck, name)
    done = run_ranks([program, name, *SHORT, f"{END}=10", "--backend=serial", "--quiet", "--summary=s.json"])
    if done.returncode != 0:
        fail("odd names", f"exit code {done.returncode}, expected 0\n{done.stderr[-600:]}")
    else:
        check("odd names", os.fsencode(load("s.json")["deck"]), os.fsencode(name))


def job():
    """Batch systems and launchers, as their variables say."""
    cases = [({"SLURM_JOB_ID": "17"}, ("slurm", "17", None)), ({"PBS_JOBID": "8.host"}, ("pbs", "8.host", None)),
             ({"LSB_JOBID": "3"}, ("lsf", "3", None)), ({"SLURM_JOB_ID": "9", "SLURM_STEP_NUM_TASKS": "1"}, ("slurm", "9", "srun")),
             ({"SLURM_JOB_ID": "9", "SLURM_STEP_NUM_TASKS": "1", "MPI_LOCALNRANKS": "1"}, ("slurm", "9", "mpirun"))]
    for variables, expected in cases:
        done = run_ranks([program, deck, *SHORT, f"{END}=10", "--backend=serial", "--quiet", "--summary=s.json"], variables)
        got = load("s.json") if done.returncode == 0 else {"scheduler": done.stderr[-300:], "job_id": None, "launcher": None}
        check(str(variables), (got["scheduler"], got["job_id"], got["launcher"]), expected)


def in_folder(act, *arguments):
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        act(*arguments)
        os.chdir(home)


def main():
    in_folder(verdicts)
    for ranks in (1, 2):
        in_folder(stopped, ranks)
    in_folder(refused)
    in_folder(lost_lines)
    in_folder(odd_names)
    if app == "sample":
        in_folder(job)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
