"""minx against the user's own build of an original, or against codes that distributions package: the same problem, in turn; first the
answers are compared, then the times."""
import json
import os
import shlex
import shutil
import statistics
from pathlib import Path

from . import machine, matrix, originals, rivals
from . import plan as plans
from .errors import MISTAKE, NOT_ALL_COUNT, OK, Ends, Mistakes
from .execute import say
from .figures import spread
from .launch import environment, launcher_words, now, perform, signal_of, start, with_last_line
from .store import Store, read_json, write_text
from .table import lines_of, percent, seconds


class Other:
    """Another program. Subclasses say how it is called, and how its answer and that of minx are read."""

    def __init__(self, args, name, launcher, folder):
        self.args, self.name, self.launcher, self.folder = args, name, launcher, folder
        self.command = []

    def run(self, repeat, minx):
        """Its reading, or why there is none. minx: the folder of minx's run of this repeat."""
        folder = self.folder / f"{self.name}-{repeat}"
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir()
            self.prepare(folder, minx)
        except (OSError, KeyError) as error:  # no space, or minx has not stored what the rival needs
            return None, f"its input: {error}"
        run = {"ranks": self.args.ranks, "threads": self.args.threads}
        env = {**environment({}), "OMP_NUM_THREADS": str(self.args.threads)}
        words = launcher_words(self.launcher, [], run, False, env) + self.command
        code, timed_out = start(words, folder / "log.txt", self.args.timeout, env, folder)
        log = folder / "log.txt"
        if timed_out:
            return None, f"it took more than {self.args.timeout} s"
        if code != 0:
            return None, with_last_line(signal_of(code) or f"exit code {code}", log)
        return reading(lambda output: self.read(output, folder, minx), log)


class Original(Other):
    timed = "what the original times"

    def __init__(self, args, deck, launcher, folder):
        super().__init__(args, "original", launcher, folder)
        self.deck = deck
        self.command = originals.COMMAND[args.app](str(Path(args.paths[0]).absolute()), deck, args)

    def prepare(self, folder, _minx):
        if self.deck is not None:
            originals.place_deck(self.args.app, self.deck, folder)

    def read(self, output, folder, _minx):
        return originals.READ[self.args.app](output, folder)

    def read_minx(self, output, folder):
        return originals.READ[self.args.app](output, folder)


class Rival(Other):
    def __init__(self, args, name, program, launcher, folder):
        super().__init__(args, name, launcher, folder)
        self.rival, self.program, self.timed = rivals.RIVALS[name], program, rivals.TIMED[args.app]

    def prepare(self, folder, minx):
        self.command = [self.program, *self.rival.write(minx, folder), *self.args.original_option]

    def read(self, output, folder, minx):
        return self.rival.read(output, folder, minx)

    def read_minx(self, _output, folder):
        return rivals.read_minx(self.args.app, folder, read_json(folder / "summary.json"))


def reading(read, log):
    try:
        return read(log.read_text(encoding="utf-8", errors="replace")), ""
    except (originals.Unreadable, OSError, KeyError, ValueError) as error:
        return None, f"{error}; see {log}"


def check_original(args, mistakes):
    if len(args.paths) > 1 or not machine.is_program(Path(args.paths[0])):
        names = ", ".join(name for name, rival in rivals.RIVALS.items() if args.app in rival.apps)
        mistakes.add("versus", " ".join(args.paths), f"a program, a build of the original {args.app}, or rivals of it: {names}")
    if args.app == "tealeaf" and args.option:
        mistakes.add("--option", args.option[0], "no option for both: the original reads its deck alone, so name another --deck")
    if args.app == "minife" and args.deck:
        mistakes.add("--deck", args.deck, "no deck: the original miniFE takes options, such as --option=nx=50")


def check(args, bin_folder):
    """minx's runs, and the launcher, or all mistakes."""
    mistakes = Mistakes()
    against_rivals = all(name in rivals.RIVALS for name in args.paths)
    words = args.option + args.minx_option
    if against_rivals:
        rivals.check(args.paths, args.app, args.threads, mistakes)
        words = words + rivals.options(args.app, words)
    else:
        check_original(args, mistakes)
    deck_name = args.deck or originals.DECK[args.app]
    launcher = "mpirun" if args.ranks > 1 else "none"
    here = machine.Machine(bin=bin_folder, cores=machine.cores_here())
    case = plans.Case(where="versus", name="versus", app=args.app, deck=[deck_name] if deck_name else [], backend=[args.backend],
                      ranks=[args.ranks], threads=[args.threads], options=[shlex.join(words)], repeats=args.repeats, timeout=args.timeout)
    plan = plans.Plan(path=Path.cwd() / "versus", cases=[case])
    here.check_tools(plan, launcher, mistakes)
    runs = matrix.expand(plan, here, mistakes)
    if runs and runs[0]["absent"]:
        mistakes.add("--backend", args.backend, f"one that this machine has ({runs[0]['absent']})")
    mistakes.end_if_any()
    return runs, launcher, against_rivals


def check_files(args, folder):
    """Can the comparison be written?"""
    mistakes = Mistakes()
    machine.check_folder(folder, mistakes)
    file = Path(args.json or folder).absolute()
    if args.json and (file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK)):
        mistakes.add("--json", args.json, "a file that can be written, in a folder that is there")
    mistakes.end_if_any()


def others_of(args, runs, launcher, against_rivals, folder):
    """The other programs; rivals are found or built in the folder."""
    mistakes = Mistakes()
    if not against_rivals:
        return [Original(args, Path(runs[0]["deck"]) if runs[0]["deck"] else None, launcher, folder)]
    found = rivals.programs(args.paths, folder, mistakes)
    mistakes.end_if_any()
    return [Rival(args, name, found[name], launcher, folder) for name in found]


def main(args, bin_folder):
    runs, launcher, against_rivals = check(args, bin_folder)
    folder = Path(args.out or f"versus-{args.app}").absolute()
    check_files(args, folder)
    store = Store(folder)
    store.lock()
    others = others_of(args, runs, launcher, against_rivals, folder)
    comparison = {"bin": str(bin_folder), "launcher": launcher, "launcher_options": [], "environment": {}, "oversubscribe": False}
    if against_rivals and args.app == "minimd":  # the atoms at step 0
        first = {**runs[0], "id": "start", "arguments": rivals.of_start(runs[0]["arguments"])}
        taken("minx, its start", run_minx(others[0], comparison, first, store))
    readings = {name: [] for name in (*(other.name for other in others), "minx")}
    for run in runs:
        for name, other in (("minx", None), *((other.name, other) for other in others)):
            got = other.run(run["repeat"], store.folder(run)) if other else run_minx(others[0], comparison, run, store)
            readings[name].append(taken(f"{name}, repeat {run['repeat']}", got))
            say(f"[{run['repeat']}/{args.repeats}] {name}: {seconds(readings[name][-1].seconds)}")
    return show(args, readings, others)


def taken(who, got):
    """The reading, or the end of the comparison."""
    one, why = got
    if one is None:
        raise Ends(NOT_ALL_COUNT, f"{who}: {why}")
    return one


def run_minx(other, comparison, run, store):
    record = perform(comparison, run, store)
    if record["outcome"] != "passed":
        return None, f"{record['outcome']}: {record['reason']}"
    folder = store.folder(run)
    return reading(lambda output: other.read_minx(output, folder), folder / "log.txt")


def show_answer(app, name, readings):
    """Prints what both have, of the first repeat whose answers differ, else of the first; returns the lines."""
    repeats = [originals.compare(one, minx) for one, minx in zip(readings[name], readings["minx"])]
    shown = next((n for n, lines in enumerate(repeats) if not all(line[4] for line in lines)), 0)
    lines = repeats[shown]
    if not all(repeats):
        raise Ends(MISTAKE, f"versus {app}: got outputs that have no number in common, expected the same problem in both")
    rows = [(key, f"{one:.9g}", f"{two:.9g}", f"{allowed:.2g}", "agrees" if good else "DIFFERS") for key, one, two, allowed, good in lines]
    for line in lines_of(("answer", name, "minx", "may differ by", "verdict"), rows, {"answer", "verdict"}):
        print(line)
    if shown > 0:
        print(f"of repeat {shown + 1}; those before it agree")
    print()
    return lines


def show(args, readings, others):
    answers = {other.name: show_answer(args.app, other.name, readings) for other in others}
    agree = {name: all(line[4] for line in lines) for name, lines in answers.items()}
    medians = {name: statistics.median(one.seconds for one in some) for name, some in readings.items()}
    for name, good in agree.items():
        if not good:
            print(f"The answers of {name} and minx differ, so the times say nothing.")
    rows = [(name, seconds(medians[name]), percent(spread([one.seconds for one in some]))) for name, some in readings.items()]
    for line in lines_of(("program", "median", "spread"), rows, {"program"}):
        print(line)
    print(f"timed: {others[0].timed}; {args.ranks} x {args.threads} ranks x threads")
    ratios = {name: medians[name] / medians["minx"] if agree[name] and medians["minx"] else None for name in agree}
    for name, ratio in ratios.items():
        if ratio is not None:
            print(f"{name} / minx: {ratio:.3g}")
    if args.json:
        keys = ("name", "other", "minx", "allowed", "agrees")
        programs = {other.name: {"command": other.command, "agree": agree[other.name], "ratio": ratios[other.name],
                                 "answer": [dict(zip(keys, line)) for line in answers[other.name]]} for other in others}
        content = {"schema": "minx-compare-versus", "version": 2, "app": args.app, "date": now(), "backend": args.backend,
                   "ranks": args.ranks, "threads": args.threads, "agree": all(agree.values()), "timed": others[0].timed,
                   "seconds": {name: [one.seconds for one in some] for name, some in readings.items()}, "others": programs}
        write_text(Path(args.json), json.dumps(content, indent=1) + "\n")
    return OK if all(agree.values()) else NOT_ALL_COUNT
