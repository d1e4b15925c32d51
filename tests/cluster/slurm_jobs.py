"""Jobs of the one-node Slurm, for the tests in jobs/. A test runs in an empty folder of its own. MINX_BIN names the folder of the
programs."""
import os
import re
import subprocess
import sys
import time

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
BIN = os.environ["MINX_BIN"]
SCRIPTS = os.path.join(ROOT, "scripts", "cluster")
# Small problems, the same for all tests: words of the command line of each app.
SMALL = {
    "tealeaf": [os.path.join(ROOT, "inputs", "tealeaf", "crooked_pipe_10.in"), "end_step=3", "test_problem=0"],
    "minife": ["nx=8"],
    "minimd": [os.path.join(ROOT, "inputs", "minimd", "lj.in"), "-s", "4", "steps=20"],
}
LIMIT = 80  # seconds that a job may take, from submission to end
LAST = {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE"}

failures = 0


def check(good, text):
    global failures
    if not good:
        failures += 1
        print("FAILED: " + text)
    return good


def finish():
    sys.exit(1 if failures else 0)


def run(*words, **variables):
    """The ended command, with its output as text."""
    return subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT, check=False,
                          env={**os.environ, **variables})


class Job:
    """A job script with its arguments, or a job array. What it prints goes to LOG in this folder; %a in it: the array task."""

    def __init__(self, script, *arguments, log, options=(), **variables):
        self.name, self.log = f"{script} {' '.join(arguments)}", log
        # the tests' jobs run beside each other, in spite of the scripts' --exclusive
        done = run("sbatch", "--parsable", "--oversubscribe", "--output=" + log, *options, os.path.join(SCRIPTS, script), *arguments, **variables)
        if done.returncode != 0:
            sys.exit(f"FAILED: sbatch {self.name}: {done.stderr}")
        self.number = done.stdout.strip()

    def records(self):
        """What Slurm knows of the job, or of each task of an array that has begun: dictionaries."""
        done = run("scontrol", "show", "job", "--oneliner", self.number)
        return [dict(re.findall(r"(\S+?)=(\S*)", line)) for line in done.stdout.splitlines()]

    def wait(self):
        """Until the job has ended. Returns its exit codes."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            records = self.records()
            if records and all(record["JobState"] in LAST for record in records):
                return [int(record["ExitCode"].split(":")[0]) for record in records]
            time.sleep(0.3)
        sys.exit(f"FAILED: {self.name}: no end after {LIMIT} s: {self.records()}\n{self.output()}")

    def output(self, task=""):
        path = self.log.replace("%a", str(task))
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def succeeds(self):
        codes = self.wait()
        return check(set(codes) == {0}, f"{self.name}: exit codes {codes}, expected 0\n{self.output()[-2000:]}")


def verdict(job, file, task=""):
    """Is the last line of the job that the file is good, in this one line?"""
    lines = job.output(task).splitlines()
    pattern = re.escape(file) + r": integrity: PASS \(\d+ checks\); physics: PASS \(\d+ checks\)"
    found = [number for number, line in enumerate(lines) if re.fullmatch(pattern, line)]
    check(found == [len(lines) - 1], f"{job.name}: expected the verdict of {file} as the last line only, got lines {found} of "
          f"{len(lines)}: {lines[-3:]}")


def same_bits(one, other):
    done = run(os.path.join(BIN, "minx-verify"), "--quiet", "--tolerance=0", one, other)
    check(done.returncode == 0, f"{one} and {other} differ:\n{done.stdout[-1500:]}{done.stderr[-500:]}")
