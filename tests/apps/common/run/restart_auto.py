#!/usr/bin/env python3
"""--restart=auto of any app: without a checkpoint the run begins; with one it goes on from the newest, with the bits of a run that was
not interrupted. A damaged checkpoint, or one of other input, is an error and no new beginning.

usage: restart_auto.py APP PROGRAM MINX-VERIFY DECK MPIEXEC WORD...
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../support"))
from launcher import run_ranks
from restart_end import APPS

# what a run of another problem has
OTHER = {
    "minimd": ["-s", "5", "thermo=10"],
    "minife": ["nx=8", "ny=8", "nz=7", "tolerance=0"],
    "tealeaf": ["summary_frequency=5", "test_problem=0"],
}


def main():
    app, program, verify, deck, *mpiexec = sys.argv[1:]
    words, key, end, every, _ = APPS[app]
    good = True

    def run(command, code=0, said="", complaint=""):
        nonlocal good
        done = run_ranks(command, folder=folder)
        if done.returncode != code or said not in done.stdout or complaint not in done.stderr:
            print(f"{' '.join(command)}: exit code {done.returncode}, expected {code}, '{said}' and '{complaint}'\n"
                  f"{done.stdout[-1500:]}{done.stderr[-1500:]}")
            good = False

    with tempfile.TemporaryDirectory() as folder:
        deck_words = [] if app == "minife" else [deck]
        for ranks in (1, 2):
            start = [*mpiexec, "-n", str(ranks)] if ranks > 1 else []
            start += [program, *deck_words, *words, "--backend=serial"]
            file = f"c{ranks}.h5"
            auto = [*start, "--checkpoint=" + file, "--restart=auto"]
            run([*start, f"{key}={end}", "--output=whole.h5"])
            run([*auto, f"--checkpoint-every={every}", f"{key}={end}"], said=f"No checkpoint {file} is there yet: this run begins")
            run([*auto, f"{key}={end}", "--output=again.h5"], said=f"Restarted from {file}\n")
            run([verify, "--quiet", "--tolerance=0", "whole.h5", "again.h5"])
            # only the one before is there
            os.remove(os.path.join(folder, file))
            run([*auto, f"{key}={end}", "--output=again.h5"], said=f"Restarted from {file}.1\n")
            run([verify, "--quiet", "--tolerance=0", "whole.h5", "again.h5"])
        start = [program, *deck_words, "--backend=serial", f"{key}={end}", "--restart=auto"]
        run([*start, *OTHER[app], "--checkpoint=c2.h5"], 2, complaint="it was made with another input")
        run([*start, *words], 2, complaint="--restart=auto: got no name of a file, expected --checkpoint=FILE as well")
        with open(os.path.join(folder, "c1.h5"), "wb") as file:
            file.write(b"no checkpoint")
        run([*start, *words, "--checkpoint=c1.h5"], 3, complaint="the checkpoint before it is c1.h5.1")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
