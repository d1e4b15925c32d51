#!/usr/bin/env python3
"""What the wrong layout of neighbour lists costs in miniMD: one table for all backends that the machine has.

The same run with the list in layout right (a row for each atom) and in layout left (a column for each atom), full lists, in turn.
Prints the median seconds of forces and of new lists, and how much longer forces take in the layout that is not the backend's own.

usage: minimd_layouts.py --minimd PROGRAM [--cells N] [--steps N] [--rounds N] [--backend NAME]...
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

DECK = """The default problem of miniMD
comment
lj
none
lj
1.0 1.0
32 32 32
100
0.005
1.44
0.8442
20
2.5 0.30
0
"""
OWN = {"cuda": "left"}  # hosts: right


def backends(args):
    listed = subprocess.run([args.minimd, "--backends"], capture_output=True, text=True, check=True).stdout.split("\n")
    there = [line for line in listed if line and not line.startswith("#")]
    return [b for b in args.backend or ("serial", "openmp", "cuda") if b in there]


def seconds(args, deck, backend, layout):
    """Of forces and of new lists."""
    command = [args.minimd, "-i", deck, "-s", str(args.cells), "-n", str(args.steps), "--backend=" + backend,
               "list=2d_" + layout, "neighbours=full"]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    summary = [line for line in done.stdout.splitlines() if "PERF_SUMMARY" in line]
    if done.returncode != 0 or len(summary) != 1:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1000:]}")
    return [float(word) for word in summary[0].split()[5:7]]


def measure(args, deck, backend):
    runs = {"right": [], "left": []}
    for _ in range(args.rounds):
        for layout, each in runs.items():
            each.append(seconds(args, deck, backend, layout))
    return {layout: [statistics.median(part) for part in zip(*each)] for layout, each in runs.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minimd", required=True)
    parser.add_argument("--cells", type=int, default=32, help="unit cells along each side (default 32: 131072 atoms)")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backend", action="append", help="default: serial, openmp and cuda, those that there are")
    args = parser.parse_args()
    print("| backend | forces, right | forces, left | wrong / own layout | new lists, right | new lists, left |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        deck = os.path.join(folder, "in.lj")
        with open(deck, "w", encoding="ascii") as file:
            file.write(DECK)
        for backend in backends(args):
            times = measure(args, deck, backend)
            own = OWN.get(backend, "right")
            wrong = "left" if own == "right" else "right"
            ratio = times[wrong][0] / times[own][0] if times[own][0] > 0 else float("nan")
            print(f"| {backend} | {times['right'][0]:.3f} s | {times['left'][0]:.3f} s | {ratio:.2f} | "
                  f"{times['right'][1]:.3f} s | {times['left'][1]:.3f} s |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
