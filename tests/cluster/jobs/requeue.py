#!/usr/bin/env python3
"""MINX_REQUEUE=1: a job that comes near its time limit stops after a checkpoint, goes back to the queue and goes on from there. Its
results have the bits of a run that was not interrupted.

Slurm compares time limits every 30 s and knows no limit under a minute. So that this costs no processor time, the test stops the ranks
(SIGSTOP) when their first checkpoint is there, and lets them go on when the job script has got the signal. At first the input has
so many steps that no run ends before; when the run has stopped, it gets an end that is near."""
import glob
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from slurm_jobs import BIN, LIMIT, ROOT, Job, check, finish, run, same_bits, verdict

APPS = ("tealeaf", "minife", "minimd")
IN_AN_ARRAY = "minife"
MANY = 1000000
FURTHER = 10 # steps after the stop
# The signal comes 10 s to 40 s after the start.
OPTIONS = ["--ntasks-per-node=1", "--cpus-per-task=1", "--time=1", "--signal=B:USR1@50"]


def shipped(app, name, changes):
    """A deck in inputs/ with other lines."""
    with open(os.path.join(ROOT, "inputs", app, name), encoding="ascii") as file:
        text = file.read()
    for pattern, line in changes:
        text, found = re.subn(pattern, line, text, flags=re.M)
        if found != 1:
            sys.exit(f"FAILED: {name} has {found} lines {pattern}")
    return text


def deck(app, steps):
    if app == "tealeaf":
        return shipped(app, "crooked_pipe_10.in", [(r"^ *test_problem 1$", ""), (r"^ *end_step .*$", f"end_step = {steps}")])
    if app == "minimd":
        return shipped(app, "lj.in", [(r"^10 10 10 .*$", "4 4 4"), (r"^100 +steps$", f"{steps} steps")])
    return f"nx=20\ntolerance=0\nmax_iterations={steps}\n"


class Run:
    def __init__(self, app):
        self.app, self.rank, self.held, self.ends = app, None, False, False
        self.write_deck(MANY)
        array, task = (["--array=3"], "_3") if app == IN_AN_ARRAY else ([], "")
        self.job = Job("cpu.sh", app, self.deck, "--checkpoint-every=5", options=OPTIONS + array, log=app + ".log", MINX_REQUEUE="1")
        self.stem = os.path.join(os.getcwd(), f"{app}-{self.job.number}{task}")

    def write_deck(self, steps):
        self.deck = os.path.join(os.getcwd(), self.app + ".in")
        with open(self.deck + ".new", "w", encoding="ascii") as file:
            file.write(deck(self.app, steps))
        os.rename(self.deck + ".new", self.deck)

    def find_rank(self):
        """The process of the app that has the checkpoint on its command line; None: not yet."""
        for name in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                with open(name, "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if words[0] == os.path.join(BIN, self.app).encode() and f"--checkpoint={self.stem}.ck".encode() in words:
                return int(name.split("/")[2])
        return None

    def hold(self):
        """Stops the rank once a checkpoint is there, unless the signal has come before. False: not yet."""
        if not self.held and os.path.exists(self.stem + ".ck"):
            self.rank = self.find_rank()
            if self.rank is not None:
                os.kill(self.rank, signal.SIGSTOP)
                self.held = True
        return self.held or self.last_step() is not None

    def let_go(self):
        """Lets the rank go on once the job script has got the signal. False: not yet."""
        if self.held and "the time limit is near" in self.job.output():
            os.kill(self.rank, signal.SIGCONT)
            self.held = False
        return not self.held

    def last_step(self):
        """The step after which the run stopped; None: not yet."""
        found = re.search(r"Stopped by SIGUSR1 after step (\d+)", self.job.output())
        return int(found[1]) if found else None

    def set_end(self):
        """Gives the input its end, before the job starts again, which takes six seconds. False: the run has not stopped yet."""
        if not self.ends and self.last_step() is not None:
            self.write_deck(self.last_step() + FURTHER)
            self.ends = True
        return self.ends


def wait_for(what, true):
    end = time.monotonic() + LIMIT
    while not true():
        if time.monotonic() > end:
            sys.exit(f"FAILED: {what}: not after {LIMIT} s")
        time.sleep(0.05)


def compare(r):
    if not r.job.succeeds():
        return
    said, restarts = r.job.output(), r.job.records()[0]["Restarts"]
    check(restarts == "1", f"{r.app}: {restarts} restarts, expected 1")
    for text in (f"No checkpoint {r.stem}.ck is there yet: this run begins", "Stopped by SIGUSR1 after step",
                 f"minx-job: the run goes on from {r.stem}.ck when the job starts again", f"Restarted from {r.stem}.ck"):
        check(said.count(text) == 1, f"{r.app}: expected once: {text}\n{said[-1500:]}")
    verdict(r.job, r.stem + ".h5")
    same_bits(r.app + ".h5", r.stem + ".h5")


def main():
    runs = [Run(app) for app in APPS]
    try:
        wait_for("the first checkpoints", lambda: all([r.hold() for r in runs]))
        wait_for("the signals", lambda: all([r.let_go() and r.set_end() for r in runs]))
    finally:
        for r in runs:
            if r.held:
                os.kill(r.rank, signal.SIGCONT)
    wait_for("the ends of the first parts", lambda: all([r.set_end() for r in runs]))
    for r in runs:
        done = run(os.path.join(BIN, r.app), r.deck, "--backend=openmp", "--threads=1", "--quiet", f"--output={r.app}.h5")
        check(done.returncode == 0, f"{r.app}: exit code {done.returncode}\n{done.stderr}")
    for r in runs:
        compare(r)
    finish()


main()
