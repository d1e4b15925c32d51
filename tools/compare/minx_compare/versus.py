"""minx against the user's own build of an original: the same problem, in turn; first the answers are compared, then the times."""
import json
import statistics
from pathlib import Path

from . import machine, matrix, originals
from . import plan as plans
from .errors import MISTAKE, NOT_ALL_COUNT, OK, Ends, Mistakes
from .execute import say
from .figures import spread
from .launch import environment, last_line, launcher_words, now, perform, signal_of, start
from .store import Store, write_text
from .table import lines_of, percent, seconds


class Original:
    """The other program."""

    def __init__(self, args, deck, launcher, folder):
        self.args, self.deck, self.launcher, self.folder = args, deck, launcher, folder
        self.command = originals.COMMAND[args.app](str(Path(args.path).absolute()), deck, args)

    def run(self, repeat):
        """Its reading, or why there is none."""
        folder = self.folder / f"original-{repeat}"
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.iterdir():
            path.unlink()
        if self.deck is not None:
            originals.place_deck(self.args.app, self.deck, folder)
        run = {"ranks": self.args.ranks, "threads": self.args.threads}
        env = {**environment({}), "OMP_NUM_THREADS": str(self.args.threads)}
        words = launcher_words(self.launcher, [], run, False, env) + self.command
        code, timed_out = start(words, folder / "log.txt", self.args.timeout, env, folder)
        log = folder / "log.txt"
        if timed_out:
            return None, f"it took more than {self.args.timeout} s"
        if code != 0:
            return None, f"{signal_of(code) or 'exit code ' + str(code)}: {last_line(log)}"
        return read(self.args.app, log, folder)


def read(app, log, folder):
    try:
        return originals.READ[app](log.read_text(encoding="utf-8", errors="replace"), folder), ""
    except originals.Unreadable as error:
        return None, f"{error}; see {log}"


def check(args, bin_folder):
    """The deck, the launcher, and minx's run, or all mistakes."""
    mistakes = Mistakes()
    if not machine.is_program(Path(args.path)):
        mistakes.add("versus", args.path, f"a program, a build of the original {args.app}")
    if args.app == "tealeaf" and args.option:
        mistakes.add("--option", args.option[0], "no option for both: the original reads its deck alone, so name another --deck")
    deck_name = args.deck or originals.DECK[args.app]
    if args.app == "minife" and deck_name:
        mistakes.add("--deck", deck_name, "no deck: the original miniFE takes options, such as --option=nx=50")
    launcher = "mpirun" if args.ranks > 1 else "none"
    here = machine.Machine(bin=bin_folder, cores=machine.cores_here())
    case = plans.Case(where="versus", name="versus", app=args.app, deck=[deck_name] if deck_name else [], backend=[args.backend],
                      ranks=[args.ranks], threads=[args.threads],
                      options=[" ".join(args.option + args.minx_option)], repeats=args.repeats, timeout=args.timeout)
    plan = plans.Plan(path=Path.cwd() / "versus", cases=[case])
    here.check_tools(plan, launcher, mistakes)
    runs = matrix.expand(plan, here, mistakes)
    if runs and runs[0]["absent"]:
        mistakes.add("--backend", args.backend, f"one that this machine has ({runs[0]['absent']})")
    mistakes.end_if_any()
    return runs, launcher


def main(args, bin_folder):
    runs, launcher = check(args, bin_folder)
    folder = Path(args.out or f"versus-{args.app}")
    mistakes = Mistakes()
    machine.check_folder(folder, mistakes)
    mistakes.end_if_any()
    store = Store(folder)
    store.lock()
    comparison = {"bin": str(bin_folder), "launcher": launcher, "launcher_options": [], "environment": {}, "oversubscribe": False}
    other = Original(args, Path(runs[0]["deck"]) if runs[0]["deck"] else None, launcher, folder.absolute())
    readings = {"original": [], "minx": []}
    for run in runs:
        for name in readings:
            reading, why = other.run(run["repeat"]) if name == "original" else run_minx(args, comparison, run, store)
            if reading is None:
                raise Ends(NOT_ALL_COUNT, f"{name}, repeat {run['repeat']}: {why}")
            readings[name].append(reading)
            say(f"[{run['repeat']}/{args.repeats}] {name}: {seconds(reading.seconds)}")
    return show(args, readings, other.command)


def run_minx(args, comparison, run, store):
    record = perform(comparison, run, store)
    if record["outcome"] != "passed":
        return None, f"{record['outcome']}: {record['reason']}"
    folder = store.folder(run)
    return read(args.app, folder / "log.txt", folder)


def show(args, readings, command):
    lines = originals.compare(readings["original"][0], readings["minx"][0])
    if not lines:
        raise Ends(MISTAKE, f"versus {args.app}: got outputs that have no number in common, expected the same problem in both")
    rows = [(name, f"{one:.9g}", f"{two:.9g}", f"{allowed:.2g}", "agrees" if good else "DIFFERS") for name, one, two, allowed, good in lines]
    for line in lines_of(("answer", "original", "minx", "may differ by", "verdict"), rows, {"answer", "verdict"}):
        print(line)
    agree = all(line[4] for line in lines)
    medians = {name: statistics.median(one.seconds for one in some) for name, some in readings.items()}
    print()
    if not agree:
        print("The answers differ, so the times say nothing.")
    rows = [(name, seconds(medians[name]), percent(spread([one.seconds for one in some]))) for name, some in readings.items()]
    for line in lines_of(("program", "median", "spread"), rows, {"program"}):
        print(line)
    ratio = medians["original"] / medians["minx"] if medians["minx"] else None
    if agree and ratio is not None:
        print(f"original / minx: {ratio:.3g}")
    if args.json:
        content = {"schema": "minx-compare-versus", "version": 1, "app": args.app, "date": now(), "command": command, "backend": args.backend,
                   "ranks": args.ranks, "threads": args.threads, "agree": agree, "ratio": ratio if agree else None,
                   "seconds": {name: [one.seconds for one in some] for name, some in readings.items()},
                   "answer": [dict(zip(("name", "original", "minx", "allowed", "agrees"), line)) for line in lines]}
        write_text(Path(args.json), json.dumps(content, indent=1) + "\n")
    return OK if agree else NOT_ALL_COUNT
