#!/usr/bin/env python3
"""One deck on many backends and numbers of ranks and threads.

Each run must exit with 0 and say PASSED, its results file must pass minx-verify, and U must be within 1e-10 of the
published value, where one is given, unless --published says otherwise. (The published values have 15 digits and were computed
at the same tolerance of 1e-15 as the decks ask for; what is left are the roundings of some thousand iterations.) Every run must
agree with the first by minx-verify, at its default tolerance, and runs that differ in the number of threads only bit for bit.
Those on several ranks must print the text of --says.

A deck "data:NAME" is looked for in the folder that MINX_REFERENCE_DATA names; where there is none the test is skipped, and
fails if MINX_REQUIRE_DATA=1. Runs on a backend that is not available here are left out; when none is left, or the backend of
--needs is missing, the test is skipped.

usage: runs.py --tealeaf PROGRAM --verify PROGRAM --deck FILE [--keys KEY=VALUE...] [--expected U] [--published TOLERANCE]
                       [--needs BACKEND] [--says TEXT]
                       --runs BACKEND:RANKS:THREADS ... --mpiexec WORD...    (THREADS 0: the backend's own; BACKEND may hold options: a+b)
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import lines_of_backends, options_of, reference_data

PUBLISHED = 1e-10


def launch(args, run, output):
    backend, ranks, threads = run.rsplit(":", 2)
    command = [args.tealeaf, args.deck, *args.keys, "--backend=" + backend, "--output=" + output]
    if int(threads) > 0:
        command.append("--threads=" + threads)
    if int(ranks) > 1:
        command = args.mpiexec + ["-n", ranks] + command
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    match = re.search(r"^ step: +[1-9]\d* .* (\S+)$", done.stdout, re.M)
    if done.returncode != 0 or "This run PASSED" not in done.stdout or match is None:
        print(f"{run}: exit code {done.returncode}, expected 0 and PASSED\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return None
    if int(ranks) > 1 and args.says not in done.stdout:
        print(f"{run}: expected '{args.says}' in its output\n{done.stdout[:2000]}")
        return None
    return float(re.findall(r"^ step: +\d+ .* (\S+)$", done.stdout, re.M)[-1])


def verify(args, *words):
    done = subprocess.run([args.verify, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        print(f"minx-verify {' '.join(words)}: exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-1000:]}")
    return done.returncode == 0


def same_but_threads(a, b):
    return a.rsplit(":", 1)[0] == b.rsplit(":", 1)[0]


def main():
    parser = options_of("tealeaf")
    parser.add_argument("--deck", required=True)
    parser.add_argument("--keys", nargs="*", default=[])
    parser.add_argument("--expected", type=float)
    parser.add_argument("--published", type=float, default=PUBLISHED)
    parser.add_argument("--needs")
    parser.add_argument("--says", default="")
    parser.add_argument("--runs", nargs="+", required=True)
    args = parser.parse_args()
    if args.deck.startswith("data:"):
        args.deck = reference_data(args.deck[5:])
    listed = lines_of_backends(args.tealeaf)
    missing = [b for b in {run.split(":")[0] for run in args.runs} if b not in listed]
    args.runs = [run for run in args.runs if run.split(":")[0] not in missing]
    if not args.runs or args.needs in missing:
        print("skipped: " + "; ".join(l for l in listed if l.startswith(tuple(f"# {b}:" for b in missing))))
        return 77

    good, u = True, {}
    with tempfile.TemporaryDirectory() as folder:
        files = {run: os.path.join(folder, f"{n}.h5") for n, run in enumerate(args.runs)}
        for run in args.runs:
            u[run] = launch(args, run, files[run])
            if u[run] is None:
                return 1
            good = verify(args, files[run]) and good
            if args.expected is not None and abs(u[run] / args.expected - 1) > args.published:
                print(f"{run}: U: got {u[run]:.17g}, expected {args.expected:.17g}, tolerance {args.published} relative")
                good = False
        first = args.runs[0]
        for run in args.runs[1:]:
            good = verify(args, "--quiet", files[first], files[run]) and good
        for n, run in enumerate(args.runs):
            twin = next((r for r in args.runs[:n] if same_but_threads(r, run)), None)
            if twin is not None:
                good = verify(args, files[twin], files[run], "--tolerance=0") and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
