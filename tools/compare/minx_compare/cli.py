"""minx-compare: runs apps on several backends, verifies every run, and compares them.

  minx-compare plan PLAN.toml           prints the runs of a plan, and how long they may take
  minx-compare run PLAN.toml            makes the runs that are not there yet, and prints one table
  minx-compare finish DIR...            prints the table of runs that are there
  minx-compare report DIR...            writes report.html, CSV and JSON
  minx-compare versus APP PATH          compares minx with a build of the original miniMD, miniFE or TeaLeaf
  minx-compare versus APP RIVAL...      compares it with LAMMPS, hypre or PETSc on the same problem
  minx-compare plans                    lists the plans that come with minx; their names can be used as PLAN.toml

Exit codes: 0 every run counts; 1 a run failed or its answer differs, or something is slower than the baseline; 2 a mistake in the command
line or the plan; 3 something is missing on this machine, or cannot be written; 5 interrupted: the same command goes on, `versus` begins anew.
"""
import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path

from . import baseline, execute, limits, machine, merge, rivals, slurm, table
from . import plan as plans
from .errors import CANNOT, INTERRUPTED, MISTAKE, NOT_ALL_COUNT, OK, Ends, Mistakes
from .launch import Interrupted, now, perform
from .matrix import file_digest
from .store import SCHEMA, VERSION, Store, write_text

SHIPPED = machine.TOOLS / "plans"


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Ends(MISTAKE, f"{message}; minx-compare --help explains")


def at_least_1(text):
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"got '{text}', expected a whole number of at least 1")
    return value


def parser():
    top = Parser(prog="minx-compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for name, text in (("plan", "print the runs of a plan"), ("run", "make the runs of a plan")):
        one = commands.add_parser(name, help=text)
        one.add_argument("plan", help="a TOML file, or the name of a plan that comes with minx")
        one.add_argument("--out", help="folder of the comparison (default: compare-NAME)")
        common(one)
        one.add_argument("--launcher", choices=plans.LAUNCHERS, help="in the place of the plan's")
        one.add_argument("--repeats", type=at_least_1, help="in the place of the plan's")
        one.add_argument("--cores", type=at_least_1, help="cores of a node (default: those that this process may use)")
        one.add_argument("--gpus", type=at_least_1, help="GPUs of a node (default: those that this process may use)")
        one.add_argument("--submit", action="store_true", help="submit the runs to Slurm as job arrays")
        if name == "run":
            one.add_argument("--sbatch", action="append", default=[], metavar="OPTION",
                             help="an option for sbatch, such as --sbatch=--partition=gpu")
            one.add_argument("--at-once", type=at_least_1, metavar="N", help="at most N tasks of a job array at the same time")
            one.add_argument("--retry", action="store_true", help="also make runs again that do not count")
    task = commands.add_parser("task", help="make one run of a comparison (for job arrays)")
    task.add_argument("folder")
    task.add_argument("index", type=int)
    finish = commands.add_parser("finish", help="compare the answers of the runs that are there, and print the table")
    finish.add_argument("folder", nargs="+")
    report = commands.add_parser("report", help="write report.html, figures.csv, runs.csv, figures.json and p3.csv")
    report.add_argument("folder", nargs="+")
    report.add_argument("--out", help="folder of the report (default: the first folder)")
    report.add_argument("--title", default="", help="of the page")
    report.add_argument("--baseline", metavar="DIR", help="an older comparison: what became slower ends with exit code 1")
    against = commands.add_parser("versus", help="compare minx with a build of the original, or with codes that distributions package")
    against.add_argument("app", choices=("minimd", "minife", "tealeaf"))
    against.add_argument("paths", nargs="+", metavar="PATH|RIVAL", help="the original's program, or rivals: " + ", ".join(rivals.RIVALS))
    against.add_argument("--deck", help="the input (default: one that comes with minx)")
    against.add_argument("--option", action="append", default=[], help="an option for both, such as --option=nx=50 for minife")
    against.add_argument("--original-option", action="append", default=[], help="an option for the other program alone")
    against.add_argument("--minx-option", action="append", default=[], help="an option for minx alone, such as --minx-option=operator=csr")
    against.add_argument("--backend", default="openmp")
    against.add_argument("--ranks", type=at_least_1, default=1)
    against.add_argument("--threads", type=at_least_1, default=1)
    against.add_argument("--repeats", type=at_least_1, default=3)
    against.add_argument("--timeout", type=at_least_1, default=600)
    against.add_argument("--out", help="folder of logs (default: versus-APP)")
    against.add_argument("--json", help="also write the comparison to this file")
    common(against)
    commands.add_parser("plans", help="list the plans that come with minx")
    return top


def common(one):
    one.add_argument("--bin", help="folder of the programs (default: MINX_BIN, or build/bin)")


# ---- run ----


def plan_path(name):
    """A plan's file: as given, else one of those that come with minx."""
    path = Path(name)
    shipped = SHIPPED / f"{name}.toml"
    return shipped if not path.is_file() and shipped.is_file() else path


def prepare(args, store):
    """Everything that can be checked before the first run."""
    plan = plans.load(plan_path(args.plan))
    if args.repeats:
        plan.repeats = args.repeats
        for case in plan.cases:
            case.repeats = 0
    submit = args.submit
    launcher = machine.launcher_of(plan, args.launcher, submit)
    here = machine.Machine(bin=machine.bin_folder(args.bin).absolute(), cores=args.cores or machine.cores_here(),
                           checks_cores=not submit or args.cores is not None, checks_backends=not submit, gpus=gpus_of(args, plan))
    runs = machine.check(plan, here, launcher, store.path if args.command == "run" else None)
    return {
        "schema": SCHEMA, "version": VERSION, "title": plan.title, "plan": str(plan.path.absolute()), "created": now(),
        "bin": str(here.bin),
        "launcher": launcher, "launcher_options": plan.launcher_options, "environment": plan.environment,
        "oversubscribe": plan.oversubscribe, "keep_results": plan.keep_results, "limits": plan.limits, "cores": here.cores, "host": os.uname().nodename, "runs": runs,
        "programs": {app: program(here.bin / app) for app in sorted({run["app"] for run in runs})},
        "absent": {app: here.absent.get(app, []) for app in sorted({run["app"] for run in runs})},
    }


def gpus_of(args, plan):
    """The GPUs of a node, for expressions; None: nobody knows."""
    return args.gpus or (None if args.submit else machine.gpus_here({**os.environ, **plan.environment}) or 0)


def program(path):
    try:
        shown = subprocess.run([str(path), "--version"], capture_output=True, text=True, timeout=60, check=False,
                               stdin=subprocess.DEVNULL).stdout
    except (OSError, subprocess.TimeoutExpired):
        shown = ""
    return {"path": str(path), "digest": file_digest(path), "version": (shown.strip().splitlines() or [""])[0]}


def out_folder(args):
    return Path(args.out) if args.out else Path(f"compare-{Path(args.plan).stem}")


def do_plan(args):
    store = Store(out_folder(args))
    comparison = prepare(args, store)
    records = [record for record in map(store.record, comparison["runs"]) if record is not None]
    estimate = execute.Estimate([record for record in records if record["outcome"] == "passed"])
    done = {record["run"]["id"] for record in records}
    for run in comparison["runs"]:
        seconds = estimate.of(run)
        state = "" if seconds is None else f"about {execute.duration(seconds)}"
        state = "done" if run["id"] in done else f"not available: {run['absent']}" if run["absent"] else state
        print(f"{run['id']}  {execute.title_of(run)}" + (f"  {state}" if state else ""))
    missing = [run for run in comparison["runs"] if run["id"] not in done and not run["absent"]]
    total, unknown = estimate.of_all(missing)
    longest = sum(run["timeout"] for run in missing)
    print(f"{table.runs(len(comparison['runs']))}, {len(done)} done; about {execute.duration(total)} left"
          + (f", of {table.runs(unknown)} nothing is known" if unknown else "")
          + f"; at most {execute.duration(longest)} by their time limits")
    return OK


def do_run(args):
    store = Store(out_folder(args))
    comparison = prepare(args, store)
    store.lock()
    slurm.end_if_pending(store)
    store.begin(comparison)
    if args.retry:
        execute.forget_bad(store, comparison)
    if args.submit:
        jobs = slurm.submit(store, comparison, args.sbatch, args.at_once, execute.say)
        return OK if jobs else execute.finish(store, comparison)
    execute.run_missing(store, comparison, comparison["runs"])
    return execute.finish(store, comparison)


def do_task(args):
    store = Store(args.folder)
    comparison = store.comparison()
    if not 0 <= args.index < len(comparison["runs"]):
        raise Ends(MISTAKE, f"{args.folder}: got run {args.index}, expected one from 0 to {len(comparison['runs']) - 1}")
    run = comparison["runs"][args.index]
    record = store.record(run) or perform(comparison, run, store)
    execute.say(f"{execute.title_of(run)}: {record['seconds']:.2f} s, {record['outcome']} {record['reason']}")
    if comparison["limits"]:
        limits.measure_missing(store, comparison, [record])
    return OK if record["outcome"] == "passed" else NOT_ALL_COUNT


def do_finish(args):
    codes = [execute.finish(Store(folder), Store(folder).comparison()) for folder in args.folder]
    return max(codes)


# ---- report ----


def do_report(args):
    from . import report

    folder = Path(args.out or args.folder[0])
    merged = merge.load(args.folder)
    mistakes = Mistakes()
    machine.check_folder(folder, mistakes)
    mistakes.end_if_any()
    against = baseline.compare(merged["configurations"], merge.load([args.baseline])["configurations"]) if args.baseline else None
    report.write(folder, merged, against, args.title)
    execute.say(f"wrote {folder / 'report.html'}, figures.csv, runs.csv, figures.json, p3.csv")
    left_out = [record for part in merged["parts"] for record in part["records"] if record["outcome"] != "passed"]
    missing = sum(len(part["comparison"]["runs"]) - len(part["records"]) for part in merged["parts"])
    for record in left_out:
        execute.say(f"{record['run']['id']}: {record['outcome']}: {record['reason']}")
    if missing:
        execute.say(f"{table.runs(missing)} not made")
    slower = [line for line in against["lines"] if line["slower"]] if against else []
    for line in slower:
        execute.say(f"slower than the baseline by {100 * line['loss']:.1f} % (runs differ by {100 * line['allowed']:.1f} %): "
                    + baseline.label(line["one"]))
    if against:
        for one in against["only_old"]:
            execute.say(f"only in the baseline: {baseline.label(one)}")
        if not against["lines"]:
            execute.say(f"{args.baseline} has no configuration of this report, so nothing was compared with the baseline")
    nothing_compared = against is not None and not against["lines"]
    return NOT_ALL_COUNT if left_out or slower or missing or nothing_compared else OK


def do_versus(args):
    from . import versus

    return versus.main(args, machine.bin_folder(args.bin).absolute())


def do_plans(_args):
    for path in sorted(SHIPPED.glob("*.toml")):
        print(f"{path.stem:16} {plans.load(path).title}")
    return OK


COMMANDS = {"plan": do_plan, "run": do_run, "task": do_task, "finish": do_finish, "report": do_report, "versus": do_versus,
            "plans": do_plans}


def stop(_number, _frame):
    raise Interrupted()


def main(words=None):
    signal.signal(signal.SIGTERM, stop)
    words = sys.argv[1:] if words is None else words
    try:
        args = parser().parse_args(words)
        if not args.command:
            raise Ends(MISTAKE, "got no command, expected one of " + ", ".join(COMMANDS) + "; minx-compare --help explains")
        return COMMANDS[args.command](args)
    except Ends as error:
        for line in error.lines:
            print(f"minx-compare: {line}", file=sys.stderr)
        return error.code
    except (KeyboardInterrupt, Interrupted):
        print(f"minx-compare: interrupted; the same command {'begins anew' if words[:1] == ['versus'] else 'goes on where it was'}", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CANNOT
