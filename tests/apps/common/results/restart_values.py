#!/usr/bin/env python3
"""What a restart makes of checkpoints that were changed, and sealed anew, of any app. Each dataset of the state gets a number that
cannot be, and is removed, shortened, or replaced by something else. Each time the exit code is 2, and one line names file and
dataset. Needs h5py and numpy.

usage: restart_values.py APP PROGRAM DECK MPIEXEC WORD...
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../support"))
from launcher import on_ranks
from seal import seal

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

# what every run has; steps between checkpoints; changes beside those of each dataset: (dataset, entry, value), and the dataset that
# the message names, where it is another one
APPS = {
    "minimd": (["-s", "3", "steps=20", "thermo=3"], 14,
               [("type", 1, 7), ("type", 0, -2**31), ("id", 0, "another's"), ("id", 5, 0), ("step", 0, 21), ("history_step", 0, 1),
                ("history_step", 2, 4.5), ("history_temperature", 0, -1), ("position", (0, 1), 1e9), ("position_of_rank", 0, 2**62)]),
    "minife": (["nx=7", "max_iterations=20", "tolerance=0", "solver=single-reduction"], 14,
               [("iterations", 0, -5), ("iterations", 0, -2**62), ("iterations", 0, 13, "residuals"), ("residuals", 3, -1)]),
    "tealeaf": (["test_problem=0", "end_step=4"], 3,
                [("step", 0, 2, "time"), ("time", 0, 0.5), ("cg_iterations", 1, 0.5), ("cg_iterations", 1, 3, "cg_residual"),
                 ("summary_step", 0, 2),
                 ("cg_residual", 2, -1), ("eigenvalues_known", 0, 2)]),
}


def put(entry, value):
    def change(group, name):
        group[name][entry] = group[name][1 if entry == 0 else 0] if value == "another's" else value
    return change


def replace(make):
    def change(group, name):
        values = group[name][...]
        del group[name]
        make(group, name, values)
    return change


# One after another, each for the next dataset. Of histories of different lengths the message names one.
SHAPES = [replace(lambda group, name, values: None),
          replace(lambda group, name, values: group.create_dataset(name, data=values[:-1])),
          replace(lambda group, name, values: group.create_dataset(name, data=np.concatenate((values, values[:1])))),
          replace(lambda group, name, values: group.create_dataset(name, data=values.astype(">f4"))),
          replace(lambda group, name, values: group.create_group(name)),
          replace(lambda group, name, values: group.create_dataset(name, data=values, chunks=values.shape, compression="gzip")),
          replace(lambda group, name, values: group.create_dataset(name, data=values[None])),
          replace(lambda group, name, values: group.create_dataset(name, (2**40,), values.dtype, chunks=(1,))),
          replace(lambda group, name, values: group.update({name: h5py.SoftLink("/state")}))]


def bad_numbers(dataset):
    """Of whole numbers all are at least 0, and below the largest."""
    kind = dataset.dtype
    if kind.kind == "i":
        return [-1, np.iinfo(kind).max]
    return [np.nan, -np.inf]


def changes(app, path):
    """Of each dataset; (dataset, change, dataset that the message names)."""
    listed = []
    with h5py.File(path, "r") as file:
        for number, (name, dataset) in enumerate(file["state"].items()):
            last = tuple(extent - 1 for extent in dataset.shape)
            listed += [(name, put(last, bad_numbers(dataset)[number % 2]), name),
                       (name, SHAPES[number % len(SHAPES)], "" if len(dataset.shape) == 1 else name)]
    return listed


def change_of(name, entry, value, named=None):
    return name, put(entry, value), named or name


def main():
    app, program, deck, *mpiexec = sys.argv[1:]
    words, every, more = APPS[app]
    command = [program, *([] if app == "minife" else [deck]), *words, "--backend=serial", "--quiet"]
    failures = 0

    def run(words, ranks=1):
        return subprocess.run(on_ranks(mpiexec, ranks, [*command, *words]), cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=800)

    with tempfile.TemporaryDirectory() as folder:
        good, bad = os.path.join(folder, "good.h5"), os.path.join(folder, "bad.h5")

        def refused(ranks, name, change, named):
            with open(good, "rb") as whole, open(bad, "wb") as copy:
                copy.write(whole.read())
            with h5py.File(bad, "r+") as file:
                change(file["state"], name)
            seal(bad)
            done = run(["--restart=bad.h5"], ranks)
            where = f"{app}: error: --restart: bad.h5: /state/{named}"
            if done.returncode == 2 and done.stderr.startswith(where):
                return 0
            print(f"{name}, on {ranks} ranks: exit code {done.returncode}, expected 2 and '{where}':\n{done.stderr[-800:]}")
            return 1

        for ranks in (1, 2):
            done = run(["--checkpoint=good.h5", f"--checkpoint-every={every}"], ranks)
            if done.returncode != 0:
                print(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
                return 1
            if ranks == 1:
                failures += sum(refused(ranks, *change) for change in changes(app, good))
            failures += sum(refused(ranks, *change_of(*change)) for change in (more if ranks == 1 else more[:3]))
            failures += refused(ranks, more[0][0], SHAPES[-1], f"{more[0][0]} is a link")
        seal(good)
        done = run(["--restart=good.h5"])
        if done.returncode != 0:
            print(f"sealed anew, unchanged: exit code {done.returncode}\n{done.stderr}")
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
