#!/usr/bin/env python3
"""Lets nvcc make PTX of every kernel file of a build that CMake has configured, as that build would compile it with further options.

usage: compile_ptx.py BUILD_FOLDER JOBS [OPTION...]

Nothing is built or kept. Prints what nvcc says and the number of files; exits with 1 if one does not compile, or there is none.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys


def compile_one(entry, options):
    words = shlex.split(entry["command"]) + options
    if "-c" in words:
        words[words.index("-c")] = "-ptx"
    words[words.index("-o") + 1] = os.devnull
    return subprocess.run(words, cwd=entry["directory"], stdin=subprocess.DEVNULL).returncode == 0


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    with open(os.path.join(sys.argv[1], "compile_commands.json")) as f:
        kernels = [e for e in json.load(f) if "/minx_kernels/" in e["file"] and e["file"].endswith(".cu")]
    with concurrent.futures.ThreadPoolExecutor(int(sys.argv[2])) as pool:
        good = sum(pool.map(lambda kernel: compile_one(kernel, sys.argv[3:]), kernels))
    print(f"nvcc compiled {good} of {len(kernels)} units of kernel files")
    return 0 if kernels and good == len(kernels) else 1


if __name__ == "__main__":
    sys.exit(main())
