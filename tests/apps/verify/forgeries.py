#!/usr/bin/env python3
"""minx-verify finds forgeries: results files with values that no run makes, and digests made anew.

Runs each app on small decks. Of each dataset of the files, and of each attribute, forgeries are made, one at a time:

    zero, zeros     one entry is 0; all are
    negative        one entry, with its magnitude and 1 more
    nan, infinite, huge
                    one entry; a whole number has no NaN, and becomes the largest of its type, or 1e18
    swapped         two entries that differ change places
    shortened       the last row, or the second half of a text, is missing
    removed
    renamed         an attribute is gone; the name of another one is the line that describes the first one in the digest of its object
    added           an attribute of a group, a group, a dataset without values

minx-verify must find each (exit code 1, or 3 where the file is no results file any more), or it is in the table UNSEEN, with the reason.
docs/results-file.md has the same list. What a forgery leaves as it was, but for rounding, is no forgery. Of the files
themselves it prints the same on one core as on all.

usage: forgeries.py --programs FOLDER --inputs FOLDER [--all | --turns] [--run NAME]      skips (77) without h5py

--all makes all forgeries of a file; it takes minutes for each. Without it arrays get all kinds, infinite and huge by turns; single numbers, texts and attributes, which one mechanism compares, get one
kind by turns. Of files that differ from others in few arrays these get one kind by turns too; with --turns those of every file, where
the reader is watched by sanitizers, to which values are all alike.
"""
import argparse
import concurrent.futures
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "scripts"))
import verify_digests  # after MINX_PYTHON

if verify_digests.missing:
    print(f"skipped: {verify_digests.missing}")
    sys.exit(77)

import h5py
import numpy as np

# name, the app, its arguments (files of the folders `inputs` and `made`), all groups or arrays alone
RUNS = [
    ("lj", "minimd", ["-i", "minimd/lj.in", "-s", "3", "steps=20", "every=5", "thermo=10", "frames=5"], True),
    ("eam", "minimd", ["-i", "minimd/eam.in", "-s", "2", "steps=6", "every=2", "thermo=2", "frames=2"], False),
    ("data", "minimd", ["-i", "made/eam.in", "-f", "made/gaps.data", "potential=made/alloy.fs", "elements=Al,Cu", "steps=6", "every=3",
                        "thermo=2", "frames=2"], False),
    ("original", "minife", ["nx=4", "ny=5", "nz=3"], False),
    ("distorted", "minife", ["nx=4", "ny=3", "nz=5", "problem=manufactured", "mesh=distorted"], True),
    ("flat", "tealeaf", ["tealeaf/crooked_pipe_10.in", "visit_frequency=2", "summary_frequency=2"], True),
    ("solid", "tealeaf", ["tealeaf/crooked_pipe_3d_10.in", "test_problem=0", "end_step=4", "visit_frequency=2", "summary_frequency=2"], False),
]

# What cannot be seen: path, maybe with the run's name in front, kinds, why. docs/results-file.md says the same.
UNSEEN = [
    (r"/provenance/(binding|compiler|compiler_flags|core_build|hdf5_version|mpi_version|openssl_version)", "zero swapped shortened",
     "names of programs and machines"),
    (r"/summary/deck", "zero swapped shortened", "the name of a file"),
    (r"/summary/(set_up_seconds|cpu_seconds)", "zero", "times that a machine could have"),
    (r"/@command_line|/h5md/author@name", "other", "any command line, any author"),
    (r"/performance/.*/synchronisations", "zero", "counts that a machine could have"),
    (r"(lj|eam)/series/momentum_[xyz]", "zero zeros swapped", "roundings, where the momentum is 0"),
    (r"/verification/(momentum|residual)/value", "zero", "roundings"),
    (r"/input/deck|/files/potential", "swapped", "comments, and parts of a table that no atom reads"),
    (r"/fields/velocity", "swapped", "two atoms that exchange velocities: all sums stay"),
    (r"data/series/motion", "swapped", "within what the temperature allows; only the last one is known"),
    (r"data/series/pressure", "negative", "within what pairs that a list misses may change; no list was made at this step"),
]


# ---- the run of a data file ----

EAM = "deck\n\nmetal\nnone\neam\n1 1\n1 1 1\n6\n0.001\n300\n1\n20\n4.5 0.3\n2\n"


def table(values):
    return "".join(f"{value:.17g}\n" for value in values)


def make_alloy(folder):
    """A deck; a data file of two types whose ids have gaps, with velocities; and a potential of Finnis and Sinclair's form."""
    random = np.random.default_rng(7)
    side, knots, cutoff = 4.4, 100, 4.5
    corners = np.array([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]) * 0.5
    cells = np.array([(i, j, k) for i in range(2) for j in range(2) for k in range(2)])
    places = side * (cells[:, None] + corners).reshape(-1, 3) + random.uniform(0.7, 1, (32, 3))
    velocities = random.normal(0, 2, (32, 3))
    ids = 5 + 3 * random.permutation(32)
    with open(os.path.join(folder, "eam.in"), "w", encoding="ascii") as file:
        file.write(EAM)
    with open(os.path.join(folder, "gaps.data"), "w", encoding="ascii") as file:
        file.write("atoms\n\n32 atoms\n2 atom types\n" + "".join(f"0 {2 * side!r} {axis}lo {axis}hi\n" for axis in "xyz"))
        file.write("\nMasses\n\n1 26.98\n2 63.55\n\nAtoms # atomic\n\n")
        file.writelines(f"{n} {1 + n % 2} {x!r} {y!r} {z!r}\n" for n, (x, y, z) in zip(ids, places.tolist()))
        file.write("\nVelocities\n\n")
        file.writelines(f"{n} {x!r} {y!r} {z!r}\n" for n, (x, y, z) in zip(ids, velocities.tolist()))
    near = np.maximum(0, 1 - np.arange(knots) * 0.05 / cutoff)
    with open(os.path.join(folder, "alloy.fs"), "w", encoding="ascii") as file:
        file.write(f"a\nb\nc\n2 Cu Al\n{knots} 0.1 {knots} 0.05 {cutoff}\n")
        for element, densities in (("29 63.55 3.6 fcc", (4, 5)), ("13 26.98 4.05 fcc", (3, 6))):
            file.write(element + "\n" + table(-np.sqrt(np.arange(knots) * 0.1)))
            file.writelines(table(scale * near ** 3) for scale in densities)
        file.writelines(table(scale * near ** 4) for scale in (1, 2, 3))


# ---- digests ----

def replace(file, path, value):
    """Another array, or text, in the place of a dataset, with its type and attributes."""
    old = file[path]
    kept = [(name, old.attrs.get_id(name)) for name in old.attrs]
    stored = []
    for name, attribute in kept:
        if attribute.dtype.kind == "O":
            stored.append((name, None, None, old.attrs[name]))
            continue
        data = np.empty(attribute.shape, attribute.dtype)
        attribute.read(data)
        stored.append((name, attribute.get_type(), attribute.get_space(), data))
    kind = old.id.get_type().copy()
    if isinstance(value, bytes):
        kind.set_size(max(1, len(value)))
        value = np.array(value, dtype=f"S{max(1, len(value))}")
    del file[path]
    space = h5py.h5s.create_simple(value.shape) if value.shape else h5py.h5s.create(h5py.h5s.SCALAR)
    group, name = path.rsplit("/", 1)
    new = h5py.h5d.create(file[group or "/"].id, name.encode(), kind, space)
    if value.size:
        new.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(value), kind)
    for name, of_type, space, data in stored:
        if of_type is None:
            h5py.Dataset(new).attrs[name] = data
        else:
            h5py.h5a.create(new, name.encode(), of_type, space).write(data, of_type)


class Results:
    """A good results file, and the digests of its objects."""

    def __init__(self, path):
        self.path = path
        self.digests = {}
        self.items = []
        with h5py.File(path, "r") as file:
            things = {"/": file}
            file.visititems(lambda name, thing: things.update({"/" + name: thing}))
            for name, thing in things.items():
                if name != "/integrity" and not name.startswith("/integrity/"):
                    self.digests[name] = verify_digests.digest(thing)
                    self.items.append((name, self.value(thing), list(thing.attrs)))
            self.items.append(("/integrity/method", file["/integrity/method"][()], []))

    @staticmethod
    def value(thing):
        return thing[()] if isinstance(thing, h5py.Dataset) else None

    def forge(self, path, change, name):
        """A copy in which change(file) altered the object `path`, with right digests."""
        shutil.copy(self.path, name)
        digests = dict(self.digests)
        with h5py.File(name, "r+") as file:
            change(file)
            gone = [p for p in digests if (p + "/").startswith(path + "/")] if path not in file else []
            for p in gone:
                del digests[p]
            if path in file and not path.startswith("/integrity"):
                digests[path] = verify_digests.digest(file[path])
            manifest = "".join(f"{digests[p]}  {p}\n" for p in sorted(digests)).encode()
            replace(file, "/integrity/manifest", manifest)
            replace(file, "/integrity/root", verify_digests.sha(manifest).encode())


# ---- forgeries ----

def middle(values):
    """The index of an entry near the middle that is not 0, if there is one."""
    order = np.roll(np.arange(values.size), -(values.size // 2))
    others = [int(i) for i in order if values.flat[i] != 0]
    return others[0] if others else values.size // 2


def put(values, entry):
    new = values.copy()
    new.flat[middle(values)] = entry
    return new


def swapped(values):
    """Two entries that differ by more than roundings; None if there are none."""
    one = middle(values)
    scale = np.abs(values).max() if values.size else 0
    for other in range(values.size):
        if abs(float(values.flat[other]) - float(values.flat[one])) > 1e-9 * scale:
            new = values.copy()
            new.flat[one], new.flat[other] = values.flat[other], values.flat[one]
            return new
    return None


def numbers(values):
    """KIND, new values: of an array or a single number."""
    values = np.asarray(values)
    if values.size == 0:
        return
    entry = values.flat[middle(values)]
    yield "zero", put(values, 0)
    if values.size > 1:
        yield "zeros", np.zeros_like(values)
    yield "negative", put(values, -abs(entry) - 1)
    if values.dtype.kind == "f":
        yield "nan", put(values, np.nan)
        yield "infinite", put(values, np.inf)
        yield "huge", put(values, 1e300)
    else:
        most = np.iinfo(values.dtype).max
        yield "infinite", put(values, most)
        yield "huge", put(values, min(most, 10**18))
    if values.shape:
        yield "swapped", swapped(values)
        yield "shortened", values[:-1]


def texts(value):
    yield "zero", b"0"
    yield "shortened", value[:len(value) // 2]
    others = [i for i in range(len(value)) if value[i] != value[0]]
    if others:
        new = bytearray(value)
        new[0], new[others[0]] = new[others[0]], new[0]
        yield "swapped", bytes(new)


def forgeries(path, value):
    """KIND, change(file) of a dataset."""
    old = np.asarray(value)
    for kind, new in texts(bytes(value)) if old.dtype.kind == "S" else numbers(value):
        if new is not None and not np.array_equal(np.asarray(new), old):
            yield kind, lambda file, new=new: replace(file, path, new)
    yield "removed", lambda file: file.__delitem__(path)


def other_attribute(thing, name):
    value = thing.attrs[name]
    if isinstance(value, (bytes, str)):
        thing.attrs.modify(name, np.bytes_(b"another"))
    else:
        first = np.asarray(value)
        new = np.full_like(first, b"another") if first.dtype.kind == "S" else first + 1
        thing.attrs.modify(name, new)


def attribute_forgeries(path, names):
    for name in names:
        yield f"{path}@{name}", "other", lambda file, name=name: other_attribute(file[path], name)
        yield f"{path}@{name}", "removed", lambda file, name=name: file[path].attrs.__delitem__(name)


def rename_attribute(thing, name):
    """Where lines are sought without regard to where they begin, the new one has the old one in it."""
    line = verify_digests.attribute_line(thing, name)
    del thing.attrs[name]
    thing.attrs[line] = np.bytes_(b"x")


def strangers(results):
    """What no run stores: PATH, NAME, KIND, change."""
    path, name = next((path, name) for path, value, names in results.items for name in names if value is not None)
    yield path, f"{path}@{name}", "renamed", lambda file: rename_attribute(file[path], name)
    for new in ("/anything", "/fields/anything"):
        yield new, new, "added", lambda file, new=new: file.create_group(new)
    yield "/series/empty", "/series/empty", "added", lambda file: file.__setitem__("/series/empty", np.zeros(0))
    for owner in [path for path, value, _ in results.items if value is None]:
        yield owner, f"{owner}@note", "added", lambda file, owner=owner: file[owner].attrs.__setitem__("note", np.bytes_(b"x"))


# ---- what is tried ----

ALIKE = ("infinite", "huge")  # one of them by turns
ARRAYS = ("/series", "/fields", "/frames", "/particles", "/meshes", "/files", "/h5md")


def chosen(results, whole, everything):
    """PATH, NAME, KIND, change: of the file."""
    turn = itertools.count()
    foreign = list(strangers(results))
    if whole or everything:
        yield from foreign[:5] + foreign[5::1 if everything else 8]
    for path, value, attributes in results.items:
        of_arrays = path.startswith(ARRAYS) or path == "/"
        named = [(path, path, kind, change) for kind, change in forgeries(path, value)] if value is not None else []
        marked = [(path, name, kind, change) for name, kind, change in attribute_forgeries(path, attributes)]
        if everything:
            yield from named + marked
        elif whole and of_arrays:
            turns = [case for case in named if case[2] in ALIKE]
            yield from [case for case in named if case[2] not in ALIKE] + turns[next(turn) % 2::2]
            yield from marked if path == "/" else marked[next(turn) % 2::2]
        elif (whole or of_arrays) and named + marked:
            yield (named + marked)[next(turn) % len(named + marked)]


def reason(run, name, kind):
    for pattern, kinds, why in UNSEEN:
        if (re.fullmatch(pattern, name) or re.fullmatch(pattern, run + name)) and kind in kinds.split():
            return why
    return None


def attempt(args, run, results, case, name):
    """None, or what went wrong."""
    path, shown, kind, change = case
    why = reason(run, shown, kind)
    try:
        results.forge(path, change, name)
        done = subprocess.run([os.path.join(args.programs, "minx-verify"), "--quiet", name], capture_output=True, text=True, timeout=800)
    finally:
        os.remove(name)
    crashed = "HDF5 failed" in done.stderr or "reading" in done.stderr
    if done.returncode in (1, 3) and not crashed:
        if why and args.all:
            print(f"{shown}, {kind}: found, though it is said to be unseen")
        return None
    if done.returncode == 0 and why:
        return None
    return f"{shown}, {kind}: exit code {done.returncode}, expected 1\n{done.stdout[-400:]}{done.stderr}"


def printed(args, path, cores):
    """What minx-verify says of a file that holds, on these cores. They stay those of this thread, which programs inherit."""
    os.sched_setaffinity(0, cores)
    return subprocess.run([os.path.join(args.programs, "minx-verify"), path], check=True, stdout=subprocess.PIPE, text=True).stdout


def run(args, folder):
    failed = 0
    cores = os.sched_getaffinity(0)
    make_alloy(folder)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, app, words, whole in RUNS:
            if args.run not in (None, name):
                continue
            if not os.path.exists(os.path.join(args.programs, app)):
                print(f"{name}: left out, as {app} is not in this build")
                continue
            path = os.path.join(folder, name + ".h5")
            words = [word.replace("made/", folder + "/") for word in words]
            words = [os.path.join(args.inputs, word) if word.endswith(".in") else word for word in words]
            subprocess.run([os.path.join(args.programs, app), *words, "--backend=serial", "--quiet", "--output=" + path],
                           check=True, cwd=os.path.join(args.inputs, app))
            if printed(args, path, {min(cores)}) != printed(args, path, cores):
                print(f"{name}: what minx-verify prints depends on the number of threads", flush=True)
                failed += 1
            results = Results(path)
            cases = list(chosen(results, whole and not args.turns, args.all))
            names = [os.path.join(folder, f"{name}_{i}.h5") for i in range(len(cases))]
            failures = [failure for failure in pool.map(lambda pair: attempt(args, name, results, *pair), zip(cases, names)) if failure]
            print(f"{name}: {len(cases)} forgeries, {len(failures)} of which were not found")
            for failure in failures:
                print(f"{name}: {failure}", flush=True)
            failed += len(failures)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--inputs", required=True)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--turns", action="store_true")
    parser.add_argument("--run", choices=[run[0] for run in RUNS])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return run(args, folder)


if __name__ == "__main__":
    sys.exit(main())
