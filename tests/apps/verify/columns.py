#!/usr/bin/env python3
"""minx-verify prints the names of all checks in one column: what follows a name begins at the same place of every line.

usage: columns.py APP PROGRAM MINX_VERIFY INPUTS
"""
import os
import subprocess
import sys
import tempfile

RUNS = {
    "tealeaf": [["shapes_3d.in", "visit_frequency=2", "end_step=4"], ["crooked_pipe_10.in"]],
    "minife": [["box_17x3x5.in"], ["manufactured_24.in", "nx=6", "preconditioner=multigrid"]],
    "minimd": [["mixture.in", "steps=20", "frames=20"], ["eam.in", "size=3", "steps=20"]],
}
NAMES, COLUMN = 8, 50 # where names begin, and the width of their column


def main():
    app, program, verify, inputs = sys.argv[1:]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "run.h5")
        for deck, *words in RUNS[app]:
            subprocess.run([program, f"{inputs}/{deck}", *words, "--backend=serial", "--quiet", "--output=" + file], check=True,
                           stdin=subprocess.DEVNULL, timeout=800)
            for files in ([file], [file, file]):
                text = subprocess.run([verify, *files], capture_output=True, text=True, check=True, timeout=800).stdout
                lines = [line for line in text.splitlines() if line.startswith(("  PASS  ", "  FAIL  ", "  note  "))]
                bad = [line for line in lines if line[NAMES + COLUMN:NAMES + COLUMN + 2] != "  " or line[NAMES + COLUMN + 2:][:1] in ("", " ")]
                if bad or not lines:
                    failures += 1
                    print(f"{deck}: {len(lines)} lines, of which these are not in columns:\n" + "\n".join(bad))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
