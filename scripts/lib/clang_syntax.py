#!/usr/bin/env python3
"""Lets clang read the C files of a build that CMake has configured, with that build's definitions and warnings, which are errors.

usage: clang_syntax.py CLANG BUILD_FOLDER JOBS FOLDER...

Only files in the FOLDERs of the source, such as tests/apps, are read. Nothing is compiled or kept. A kernel file is read once, for
hosts, not for each of its instances. Each file is read with the assertions of debug builds. Prints what clang says and the number of
files; exits with 1 if clang finds fault with one, or there is none.

Files that begin with an #include have minx.h precompiled, which is most of what they read. If clang then finds fault, it reads the file
again without, and only that counts.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
import tempfile

# Warnings that only gcc knows are passed over. Two of clang's are off in builds with clang, too (cmake/): loops that are not
# vectorised, and enumeration constants as numbers.
ALWAYS = ["-fsyntax-only", "-UNDEBUG", "-Werror", "-Wno-unknown-warning-option", "-Wno-pass-failed", "-Wno-enum-float-conversion"]


def arguments(words):
    """Those of a command by gcc that say what the source is: language, folders, definitions, warnings, OpenMP."""
    kept = []
    for position, word in enumerate(words):
        if word in ("-isystem", "-include"):
            kept += [word, words[position + 1]]
        elif word.startswith(("-std=", "-I", "-D", "-U", "-W", "-fopenmp")):
            kept.append(word)
    return kept


def precompile(clang, source, folder):
    """minx.h for files without OpenMP."""
    path = os.path.join(folder, "minx.pch")
    include = [f"-I{source}/{part}/include" for part in ("core", "kit")]
    subprocess.run([clang, "-std=gnu11", "-UNDEBUG", *include, "-x", "c-header", f"{source}/core/include/minx/minx.h", "-o", path],
                   stdin=subprocess.DEVNULL, check=True)
    return path


def begins_with_include(file):
    with open(file, encoding="utf-8") as lines:
        return next((line for line in lines if line.startswith(("#include", "#define"))), "").startswith("#include")


def reads(clang, entry, header):
    command = [clang, *arguments(shlex.split(entry["command"])), *ALWAYS, entry["file"]]
    how = {"cwd": entry["directory"], "stdin": subprocess.DEVNULL}
    if "/core/include" in entry["command"] and not any(w.startswith("-fopenmp") for w in command) and begins_with_include(entry["file"]):
        if subprocess.run([*command, "-include-pch", header], capture_output=True, check=False, **how).returncode == 0:
            return True
    return subprocess.run(command, check=False, **how).returncode == 0


def wanted(entry, roots):
    file = entry["file"]
    return file.endswith(".c") and file.startswith(roots) and ("/minx_kernels/" not in file or ".host_" in file)


def main():
    if len(sys.argv) < 5 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    clang, build, jobs, folders = sys.argv[1], os.path.abspath(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    roots = tuple(os.path.join(root, folder, "") for root in (source, build) for folder in folders)
    with open(os.path.join(build, "compile_commands.json")) as f:
        entries = {e["file"]: e for e in json.load(f) if wanted(e, roots)}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        header = precompile(clang, source, folder)
        good = sum(pool.map(lambda entry: reads(clang, entry, header), entries.values()))
    print(f"clang read {good} of {len(entries)} C files without a warning")
    return 0 if entries and good == len(entries) else 1


if __name__ == "__main__":
    sys.exit(main())
