#!/usr/bin/env python3
"""scripts/verify_digests.py and HDF5 files that are no results files: one message for each, and exit code 1.

usage: digests_of_others.py VERIFY_DIGESTS.PY      skips (77) without h5py
"""
import os
import subprocess
import sys
import tempfile

try:
    import h5py
except ImportError:
    print("skipped: it needs h5py")
    sys.exit(77)

ROOT = "/integrity/root"
MANIFEST = "/integrity/manifest"
# name, datasets (None: a group), words of the message
FILES = (
    ("nothing in it", {}, "expected a results file: "),
    ("the manifest is a group", {MANIFEST: None, ROOT: "0"}, f"expected a results file: {MANIFEST} is no text"),
    ("the manifest is an array", {MANIFEST: [1.5, 2.5], ROOT: "0"}, f"expected a results file: {MANIFEST} is no text"),
    ("the root is a number", {MANIFEST: "", ROOT: 4}, f"expected a results file: {ROOT} is no text"),
    ("the manifest has other lines", {MANIFEST: "one word\n\n", ROOT: "0"}, "digests differ for"),
    ("a dataset has no elements and no shape", {MANIFEST: "", ROOT: "0", "/fields/none": h5py.Empty("f8")}, "expected a results file: "),
)


def main():
    good = True
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name.replace(" ", "_") + ".h5") for name, _, _ in FILES]
        for path, (_, datasets, _) in zip(paths, FILES):
            with h5py.File(path, "w") as file:
                for name, value in datasets.items():
                    if value is None:
                        file.create_group(name)
                    else:
                        file[name] = value
        done = subprocess.run([sys.executable, sys.argv[1], *paths], capture_output=True, text=True, timeout=800)
        lines = done.stdout.splitlines()
        for path, (_, _, words) in zip(paths, FILES):
            messages = [line for line in lines if line.startswith(path)]
            if len(messages) != 1 or not messages[0].startswith(f"{path}: {words}"):
                print(f"got {messages}, expected one message '{path}: {words}'")
                good = False
        if done.returncode != 1 or done.stderr:
            print(f"exit code {done.returncode}, expected 1\n{done.stderr}")
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
