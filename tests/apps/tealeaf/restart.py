#!/usr/bin/env python3
"""Checkpoints and restarts of tealeaf, as its users meet them: a run that is killed at random moments, signals, a disk
without room, a wrong or damaged checkpoint. What the runs leave is compared with an uninterrupted run: to the bit on as many
ranks and the same backend, by minx-verify's default tolerance on others.

usage: restart.py --tealeaf PROGRAM --verify PROGRAM --ranks N --mpiexec WORD...
"""
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import on_ranks, options_of, processes, signal_all

STEPS = 60

BEGIN = time.monotonic()
LIMIT = 800  # seconds, of the 900 that ctest gives this program

DECK = """*tea
x_cells=48
y_cells=40
xmin=0.0
xmax=10.0
ymin=0.0
ymax=10.0
initial_timestep=0.004
end_step={steps}
end_time=1000.0
state 1 density=100.0 energy=0.0001
state 2 density=0.1 energy=25.0 geometry=rectangle xmin=0.0 xmax=1.0 ymin=1.0 ymax=2.0
state 3 density=0.1 energy=0.1 geometry=rectangle xmin=1.0 xmax=6.0 ymin=1.0 ymax=2.0
tl_use_cg
tl_eps={eps}
tl_max_iters={iterations}
summary_frequency=6
*endtea
"""

failures = 0


def check(good, text):
    global failures
    if not good:
        failures += 1
        print("FAILED: " + text)


class Attempts:
    """Something is to happen to a run between two of its checkpoints. How long that is depends on the machine: an attempt that comes
    too late is made again with twice as many steps. If there is no time for that any more, the test ends."""

    def __init__(self, name):
        self.name, self.steps = name, STEPS

    def begin(self):
        self.begun = time.monotonic()

    def was_late(self):
        """The run since begin() has come to its end."""
        now = time.monotonic()
        took = now - self.begun
        # twice as long: the next attempt, what it is restarted for, and the run to compare with
        if now - BEGIN + 3 * 2 * took > LIMIT:
            sys.exit(f"FAILED: {self.name}: a run of {self.steps} steps ended, after {took:.0f} s, before it could be interrupted; "
                     f"after {now - BEGIN:.0f} s of {LIMIT} there is no time to try twice as many steps")
        self.steps *= 2


class Runs:
    """Runs of decks that differ in their number of steps. full(steps) is the results file of an uninterrupted run."""

    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.deck("deck.in")
        self.full(STEPS)

    def path(self, name):
        return os.path.join(self.folder, name)

    def deck(self, name, steps=STEPS, iterations=10000, eps="1.0e-15", old="", new=""):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(DECK.format(steps=steps, iterations=iterations, eps=eps).replace(old, new))

    def deck_of(self, steps):
        """A deck of so many steps."""
        name = f"deck-{steps}.in"
        self.deck(name, steps=steps)
        return name

    def full(self, steps):
        name = f"full-{steps}.h5"
        if not os.path.exists(self.path(name)):
            self.run("--output=" + name, deck=self.deck_of(steps))
        return self.path(name)

    def command(self, *options, deck="deck.in", ranks=None, backend="serial"):
        words = [self.args.tealeaf, self.path(deck), "--backend=" + backend, *options]
        return on_ranks(self.args.mpiexec, ranks or self.args.ranks, words)

    def start(self, *options, **more):
        return subprocess.Popen(self.command(*options, **more), cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, *options, code=0, **more):
        process = self.start(*options, **more)
        out, err = process.communicate(timeout=800)
        check(process.returncode == code, f"{' '.join(process.args)}: exit code {process.returncode}, expected {code}\n"
              f"{out[-1500:]}{err[-1500:]}")
        return out, err

    def same(self, name, *options, steps=STEPS):
        done = subprocess.run([self.args.verify, "--quiet", self.full(steps), self.path(name), *options],
                              capture_output=True, text=True)
        check(done.returncode == 0, f"{name} differs from the uninterrupted run:\n{done.stdout[-2000:]}{done.stderr[-500:]}")

    def programs(self, mark):
        """The processes of tealeaf in this folder that have the mark on their command line."""
        return processes(self.args.tealeaf, self.folder, mark)

    def wait_for(self, name, process):
        """Until the file is there, or the run has ended."""
        while not os.path.exists(self.path(name)) and process.poll() is None:
            time.sleep(0.002)

    def remove(self, *names):
        for name in names:
            if os.path.exists(self.path(name)):
                os.unlink(self.path(name))

    def temporaries(self):
        return [name for name in os.listdir(self.folder) if ".tmp-" in name]


def kills(runs, seed):
    """kill -9 at random moments; after each one the last checkpoint must serve, and the last run completes."""
    dice = random.Random(seed)
    wanted = 10 if runs.args.ranks == 1 else 4 # mpirun takes a second to start and end
    done, number, attempts = 0, 0, Attempts(f"kill -9, seed {seed}")
    while done < wanted: # a run that ends before it is killed does not count
        options = ["--output=killed.h5", "--checkpoint=k.ck", "--checkpoint-every=1"]
        if os.path.exists(runs.path("k.ck")):
            options.append("--restart=k.ck")
        before = os.stat(runs.path("k.ck")).st_mtime_ns if len(options) > 3 else None
        attempts.begin()
        process = runs.start(*options, deck=runs.deck_of(attempts.steps))
        number += 1
        # the set-up takes most of a run: wait until it is over, then for some steps and a part of one
        while process.poll() is None:
            if os.path.exists(runs.path("k.ck")) and os.stat(runs.path("k.ck")).st_mtime_ns != before:
                break
            time.sleep(0.001)
        time.sleep(dice.uniform(0, 0.03))
        finished = process.poll() is not None
        signal_all(runs.programs("killed.h5"), signal.SIGKILL)
        out, err = process.communicate(timeout=800)
        if finished or process.returncode == 0:
            check(process.returncode == 0, f"seed {seed}: run {number}: exit code {process.returncode}\n{out[-500:]}{err[-800:]}")
            if process.returncode != 0:
                return
            runs.remove("k.ck", "k.ck.1")
            attempts.was_late()
        else:
            done += 1
            check(os.path.exists(runs.path("k.ck")), f"seed {seed}: no checkpoint is left after kill {done}")
    restart = ["--restart=k.ck"] if os.path.exists(runs.path("k.ck")) else []
    runs.run("--output=killed.h5", *restart, deck=runs.deck_of(attempts.steps))
    runs.same("killed.h5", "--tolerance=0", steps=attempts.steps)
    runs.remove(*runs.temporaries())


def step_of(out):
    found = re.search(r"Stopped by .* after step (\d+)", out)
    return int(found[1]) if found else None


def one_signal(runs, number, all_ranks):
    """A signal to all ranks or to the last one only: a checkpoint after the step, exit code 5, no results file."""
    name = signal.Signals(number).name
    attempts = Attempts(name)
    while True:
        steps = attempts.steps
        attempts.begin()
        process = runs.start("--output=s.h5", "--checkpoint=s.ck", f"--checkpoint-every={steps // 20}", deck=runs.deck_of(steps))
        runs.wait_for("s.ck", process)
        pids = runs.programs("s.h5")
        signal_all(pids if all_ranks else pids[-1:], number)
        out, err = process.communicate(timeout=800)
        if process.returncode != 0:
            break
        runs.remove("s.h5", "s.ck", "s.ck.1")
        attempts.was_late()
    check(process.returncode == 5, f"{name}: exit code {process.returncode}, expected 5\n{out[-800:]}{err[-800:]}")
    check(f"Stopped by {name} after step" in out and "--restart=s.ck" in out, f"{name}: got {out[-300:]}")
    check(not os.path.exists(runs.path("s.h5")) and not runs.temporaries(), f"{name}: left {runs.temporaries()}")
    last = [int(number) for number in re.findall(r"^ Step +(\d+) time", out, re.M)]
    check(bool(last) and step_of(out) == last[-1], f"{name}: stopped after step {step_of(out)}, expected {last[-1:]}")
    runs.run("--output=s.h5", "--restart=s.ck", deck=runs.deck_of(steps))
    runs.same("s.h5", "--tolerance=0", steps=steps)
    runs.remove("s.h5", "s.ck", "s.ck.1")


def second_signal(runs):
    """A step that takes half a minute: the first signal waits for its end, the second one ends the run at once."""
    runs.deck("long.in", steps=1, iterations=1000000, eps="1.0e-100", old="x_cells=48\ny_cells=40", new="x_cells=1200\ny_cells=1200")
    begin = time.monotonic()
    process = runs.start("--output=l.h5", "--checkpoint=l.ck", deck="long.in", ranks=1)
    while process.poll() is None and not any(".tmp-" in name for name in os.listdir(runs.folder)):
        time.sleep(0.01)
    time.sleep(0.5 + 2 * (time.monotonic() - begin)) # the step has begun, also where everything takes long
    process.send_signal(signal.SIGTERM)
    time.sleep(0.7)
    check(process.poll() is None, "the first SIGTERM ended a run in the middle of a step")
    while process.poll() is None: # within half a second a second one would count as the same request
        process.send_signal(signal.SIGTERM)
        time.sleep(0.1)
    process.communicate(timeout=800)
    check(process.returncode == -signal.SIGTERM, f"the second SIGTERM: {process.returncode}, expected {-signal.SIGTERM}")
    check(not runs.temporaries(), f"the second SIGTERM left {runs.temporaries()}")


def is_stopped(pid):
    """Whether it stands still; an error if it has ended, though its parent may not have noticed."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
        state = file.read().rpartition(")")[2].split()[0]
    if state in "ZX":
        raise ProcessLookupError
    return state == "T"


def let_no_file_grow(runs, pids):
    """Sets the limit between the first checkpoint and the second one, while the programs stand still; returns whether it
    did. A disk becomes full before space is reserved: a limit that came during a checkpoint would be another failure."""
    signal_all(pids, signal.SIGSTOP)
    try:
        while not all(is_stopped(pid) for pid in pids):
            time.sleep(0.001)
        between = len(pids) == runs.args.ranks and not runs.temporaries() and not os.path.exists(runs.path("d.ck.1"))
        for pid in pids if between else []:
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, 4096))
        return between
    except (ProcessLookupError, FileNotFoundError): # the run has ended
        return False
    finally:
        signal_all(pids, signal.SIGCONT)


def full_disk(runs):
    """From some moment on no file can grow: a warning, and the last checkpoint serves."""
    attempts = Attempts("full disk")
    while True:
        steps = attempts.steps
        attempts.begin()
        process = runs.start("--checkpoint=d.ck", f"--checkpoint-every={steps // 3}", "--threads=1", deck=runs.deck_of(steps))
        runs.wait_for("d.ck", process)
        limited = let_no_file_grow(runs, runs.programs("d.ck"))
        out, err = process.communicate(timeout=800)
        if limited or process.returncode != 0:
            break
        runs.remove("d.ck", "d.ck.1")
        attempts.was_late()
    check(limited, "full disk: a run ended before its limit was set")
    check(process.returncode == 0, f"full disk: exit code {process.returncode}, expected 0\n{out[-800:]}{err[-800:]}")
    check("warning: no checkpoint after step" in err and "is kept" in err, f"full disk: got {err[-500:]}")
    check(not runs.temporaries(), f"full disk: left {runs.temporaries()}")
    runs.run("--output=d.h5", "--restart=d.ck", deck=runs.deck_of(steps))
    runs.same("d.h5", "--tolerance=0", steps=steps)


def refusals(runs):
    out, err = runs.run("--restart=none", code=2)
    check("No such file" in err, f"missing: got {err}")
    runs.deck("other.in", old="x_cells=48", new="x_cells=49")
    out, err = runs.run("--restart=r.ck", deck="other.in", code=2)
    check("x_cells: got 49, expected 48" in err, f"another deck: got {err}")
    out, err = runs.run("--restart=r.ck", "summary_frequency=5", code=2)
    check("summary_frequency: got 5, expected 6" in err, f"summaries at other steps: got {err}")
    out, err = runs.run("--restart=deck.in", code=3)
    check("no checkpoint" in err, f"no checkpoint: got {err}")
    with open(runs.path("r.ck"), "r+b") as file:
        file.seek(5000)
        byte = file.read(1)
        file.seek(5000)
        file.write(bytes([byte[0] ^ 16]))
    out, err = runs.run("--restart=r.ck", code=3)
    check("r.ck: is damaged" in err and "the checkpoint before it is r.ck.1" in err, f"damaged: got {err}")
    out, err = runs.run("--checkpoint-every=5", code=2)
    check("--checkpoint=FILE" in err, f"every without a file: got {err}")


def other_places(runs):
    """On other ranks and another backend: equal but for rounding. The end of the run, and what is printed, may differ."""
    runs.deck("half.in", steps=STEPS // 2, old="*endtea", new="verbose_on\n*endtea")
    runs.run("--checkpoint=r.ck", f"--checkpoint-every={STEPS // 4}", deck="half.in")
    runs.run("--output=other.h5", "--restart=r.ck")
    out, err = runs.run("--output=r.ck", "--restart=r.ck", code=2)
    check("would replace the checkpoint of --restart" in err, f"output on the checkpoint: got {err[-300:]}")
    runs.same("other.h5", "--tolerance=0")
    runs.run("--output=other.h5", "--restart=r.ck.1", ranks=3 - runs.args.ranks)
    runs.same("other.h5")
    runs.run("--output=other.h5", "--restart=r.ck.1", "--threads=2", backend="openmp")
    runs.same("other.h5")


def main():
    parser = options_of("tealeaf")
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(args, folder)
        if failures == 0:
            kills(runs, args.seed)
            one_signal(runs, signal.SIGTERM, True)
            one_signal(runs, signal.SIGUSR1, False)
            if args.ranks == 1:
                second_signal(runs)
            full_disk(runs)
            other_places(runs)
            if args.ranks == 1:
                refusals(runs)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
