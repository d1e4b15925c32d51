#!/usr/bin/env python3
"""The ReFrame checks of packaging/reframe pass on the partition slurm. ReFrame is installed in the build folder, from the Python
package index; where that cannot be done in 45 s, the test is skipped."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
from slurm_jobs import BIN, ROOT, check, finish

FOLDER = os.path.join(os.path.dirname(BIN), "reframe")
CHECKS = os.path.join(ROOT, "packaging", "reframe")
# each app once: together they must not take long
CHOSEN = "openmp_2x1"


def install():
    """The Python that runs ReFrame, or None and why not."""
    program = os.path.join(FOLDER, "bin", "reframe")
    if os.path.exists(program):
        return program
    for python in (sys.executable, "python3", "/usr/bin/python3"):
        try:
            subprocess.run([python, "-m", "pip", "--version"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries=0", "--target", FOLDER, "reframe-hpc"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=45, stdin=subprocess.DEVNULL, check=False)
        except subprocess.TimeoutExpired:
            print("skipped: pip did not install ReFrame within 45 s")
            sys.exit(77)
        if done.returncode == 0:
            return program
        print(f"skipped: pip cannot install ReFrame: {done.stderr.strip().splitlines()[-1:]}")
        sys.exit(77)
    print("skipped: no Python with pip is here to install ReFrame")
    sys.exit(77)


def main():
    program = install()
    command = [program, "-C", os.path.join(CHECKS, "config.py"), "-c", os.path.join(CHECKS, "minx_checks.py"), "-r", "-n", CHOSEN,
               "--system=generic:slurm", "--prefix=" + os.getcwd(), "--report-file=report.json"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
                          env={**os.environ, "PYTHONPATH": FOLDER})
    said = f"{done.stdout[-3000:]}{done.stderr[-1000:]}"
    if check(done.returncode == 0, f"reframe: exit code {done.returncode}\n{said}"):
        with open("report.json", encoding="utf-8") as file:
            report = json.load(file)
        cases = [case for run in report["runs"] for case in run["testcases"]]
        check(len(cases) == 3 and all(case["result"] == "pass" for case in cases), f"expected 3 checks that pass, got {len(cases)}\n{said}")
        for case in cases:
            figures = str(case.get("perfvalues") or case.get("perfvars"))
            check(all(name in figures for name in ("fom", "wall", "solve")), f"{case.get('unique_name')}: no figures: {figures}")
    finish()


main()
