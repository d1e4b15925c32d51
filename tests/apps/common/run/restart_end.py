#!/usr/bin/env python3
"""Restarts at the end of a run and beyond, of any app. A run that goes on from a checkpoint of its last step has nothing left to do:
it passes, and its results are those of a run that was not interrupted, to the bit, without frames: no step is left that could have one.
Beyond the last step one line says that nothing is left to do; the exit code is 2.

usage: restart_end.py APP PROGRAM MINX-VERIFY DECK MPIEXEC WORD...
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../support"))
from launcher import ends_with, on_ranks

# what every run has; the key that ends a run; the steps of the first run, and between its checkpoints; frames, one at the newest checkpoint
APPS = {
    "minimd": (["-s", "4", "thermo=10"], "steps", 40, 13, ["frames=13"]),
    "minife": (["nx=9", "ny=8", "nz=7", "tolerance=0"], "max_iterations", 20, 7, []),
    "tealeaf": (["summary_frequency=4", "test_problem=0"], "end_step", 9, 3, ["visit_frequency=3"]),
}


def main():
    app, program, verify, deck, *mpiexec = sys.argv[1:]
    words, key, end, every, frames = APPS[app]
    good = True

    def run(command, code=0, message=""):
        nonlocal good
        good = ends_with(command, folder, code, message) and good

    with tempfile.TemporaryDirectory() as folder:
        for ranks in (1, 2):
            start = on_ranks(mpiexec, ranks, [program, *([] if app == "minife" else [deck]), *words, "--backend=serial", "--quiet"])
            last = end // every * every # the newest checkpoint, which is at no line of output
            run([*start, f"{key}={end}", "--checkpoint=c.h5", f"--checkpoint-every={every}"])
            run([*start, f"{key}={last}", "--output=whole.h5"])
            run([*start, f"{key}={last}", "--restart=c.h5", "--output=again.h5"])
            run([verify, "--quiet", "again.h5"])
            run([verify, "--quiet", "--tolerance=0", "whole.h5", "again.h5"])
            if frames:
                run([*start, f"{key}={last}", *frames, "--restart=c.h5", "--output=frames.h5"])
                run([verify, "--quiet", "frames.h5"])
            for beyond in (last - 1, last - every, 0) if ranks == 1 else (last - 1,):
                run([*start, f"{key}={beyond}", "--restart=c.h5"], 2, "nothing is left to do")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
