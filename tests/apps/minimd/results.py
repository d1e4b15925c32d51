#!/usr/bin/env python3
"""minimd's results files: what they say of forces, what a restart and an alteration do to them, and their trajectories.

gradient  forces are minus the gradient of the energy, within 1e-6 of the largest: Lennard-Jones with and without shift, mixtures,
          EAM of one element and of an alloy. Forces: from the velocities after a step so short that the atoms hardly move.
          Gradient: differences of energies of displaced atoms, along random directions
timestep  the energy fluctuates with the square of the time step
energy    the original's problem of 4000 atoms keeps its energy and momentum for 10,000 steps
restart   a run that goes on from a checkpoint, in the middle of a list's steps, ends with the same bits on as many ranks, and
          within the file's own rules on others
altered   minx-verify finds a position, velocity, type, coefficient or potential that was changed, and a wrong history
one_atom  minx-verify agrees with a run of one atom
frames    the trajectory has the steps and positions that it should; MDAnalysis opens it, where it is installed
gaps      ids of a data file with gaps are those of fields, frames and restarts, on any number of ranks
killed    a run that was killed leaves a temporary file with the frames so far

Needs h5py and numpy.

usage: results.py CASE --minimd PROGRAM --verify PROGRAM --inputs FOLDER --mpiexec WORD...
"""
import glob
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launcher import Failure, on_ranks, options_of, processes, run_case

try:
    import h5py
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

DECK = """comment
comment
{units}        units
none           data file
{force}        force
1.0 1.0        epsilon and sigma
4 4 4          cells
{steps}        steps
{dt}           time step
{temperature}  temperature
{density}      density
20             steps between lists
{cutoff}       cutoff and skin
10             steps between lines
"""
LJ = {"units": "lj", "force": "lj", "dt": 0.005, "temperature": 1.44, "density": 0.8442, "cutoff": "2.5 0.3"}
EAM = {"units": "metal", "force": "eam", "dt": 0.001, "temperature": 600, "density": 0.0847, "cutoff": "3.5 1.0"}
METAL = 1.036427e-4  # eV in u (A/ps)^2


class Runs:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.potential = "potential=" + os.path.join(args.inputs, "CuNi_johnson.eam.alloy")

    def path(self, name):
        return os.path.join(self.folder, name)

    def deck(self, physics, steps, **changes):
        with open(self.path("deck"), "w", encoding="ascii") as file:
            file.write(DECK.format(**{**physics, "steps": steps, **changes}))
        return self.path("deck")

    def command_of(self, deck, *options, quiet=True, ranks=1):
        command = [self.args.minimd, "-i", deck, "--backend=serial", *["--quiet"][:quiet], *options]
        return on_ranks(self.args.mpiexec, ranks, command)

    def run(self, deck, *options, ranks=1):
        self.command(self.command_of(deck, *options, ranks=ranks))

    def command(self, command, code=0):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode != code:
            raise Failure(f"{' '.join(command)}: exit code {done.returncode}, expected {code}\n"
                          f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def verify(self, *words, code=0):
        return self.command([self.args.verify, "--quiet", *words], code)


def check(what, got, expected):
    if got != expected:
        raise Failure(f"{what}: got {got}, expected {expected}")


# ---- gradient ----

def write_data(path, positions, types, side):
    with open(path, "w", encoding="ascii") as file:
        file.write(f"atoms\n\n{len(positions)} atoms\n{types.max()} atom types\n\n")
        file.write("".join(f"0 {side!r} {axis}lo {axis}hi\n" for axis in "xyz"))
        file.write("\nMasses\n\n" + "".join(f"{t + 1} {1.0 + t}\n" for t in range(types.max())))
        file.write("\nAtoms # atomic\n\n")
        for i, (x, t) in enumerate(zip(positions, types)):
            file.write(f"{i + 1} {t} {float(x[0])!r} {float(x[1])!r} {float(x[2])!r}\n")


def crystal(physics, cells, random):
    """A lattice whose atoms are displaced by up to a tenth of a neighbour's distance."""
    side = (4.0 / physics["density"]) ** (1.0 / 3.0)
    corners = np.array([(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]) * 0.5
    sites = np.array([(i, j, k) for i in range(cells) for j in range(cells) for k in range(cells)])
    positions = side * (sites[:, None, :] + corners[None]).reshape(-1, 3)
    return positions + 0.05 * side * random.uniform(-1, 1, positions.shape) + 0.2 * side, side * cells


def evaluate(runs, physics, positions, types, side, options, steps=0, dt=None):
    """The energy at the start, without what pairs have at the cutoff: so no pair that crosses it matters; and the last velocities."""
    write_data(runs.path("data"), positions % side, types, side)
    deck = runs.deck(physics, steps, **({"dt": dt} if dt else {}))
    runs.run(deck, "-f", runs.path("data"), "--output=" + runs.path("out.h5"), *options)
    with h5py.File(runs.path("out.h5"), "r") as file:
        return file["/series/conserved_energy"][0] * len(positions), file["/fields/velocity"][...]


def gradient_of(runs, physics, kinds, *options):
    random = np.random.default_rng(11)
    positions, side = crystal(physics, 4, random)
    types = random.integers(1, kinds + 1, len(positions))
    types[:kinds] = range(1, kinds + 1)
    unit = METAL if physics["units"] == "metal" else 1.0
    dt, step = 1e-5 * unit ** 0.5, 1e-5
    _, velocities = evaluate(runs, physics, positions, types, side, options, steps=1, dt=dt)
    forces = velocities * types[:, None] * unit / dt
    one_atom = np.zeros_like(positions)
    one_atom[7, 1] = 1
    for direction in (random.uniform(-1, 1, positions.shape), one_atom):
        energy = [evaluate(runs, physics, positions + h * step * direction, types, side, options)[0] for h in (-2, -1, 1, 2)]
        slope = (energy[0] - 8 * energy[1] + 8 * energy[2] - energy[3]) / (12 * step)
        force = (forces * direction).sum()
        # a sum of 256 energies of about 5 has roundings of 1e-13, of which the differences make 1e-8
        scale = np.abs(forces).max() * np.sqrt((direction ** 2).sum())
        if not abs(slope + force) <= 1e-6 * scale:
            raise Failure(f"{physics['force']} {' '.join(options)}: force {force}, gradient {-slope}, of {scale}")


def gradient(runs):
    mixture = ("epsilon=1,0.7", "sigma=1,0.9", "mixing=arithmetic")
    gradient_of(runs, LJ, 1)
    gradient_of(runs, LJ, 2, "shift=force", *mixture)
    gradient_of(runs, EAM, 2, runs.potential, "elements=Cu,Ni") # the masses of the data file are 1 and 2
    data = os.environ.get("MINX_REFERENCE_DATA")
    if data:
        gradient_of(runs, {**EAM, "cutoff": "4.95 0.5"}, 2, "potential=" + os.path.join(data, "minimd", "Cu_u6.eam"), "elements=Cu,Cu")
        gradient_of(runs, EAM, 2, "potential=" + os.path.join(data, "reports", "two.fs"), "elements=Cu,Al")


# ---- time step ----

def spread(runs, physics, dt, *options):
    """The standard deviation of the total energy over a time of 200 default steps, after the first half."""
    steps = round(200 * physics["dt"] / dt)
    runs.run(runs.deck(physics, steps, dt=dt), "--neigh_check", "every=1", "thermo=1", "--output=dt.h5", *options)
    with h5py.File(runs.path("dt.h5"), "r") as file:
        return file["/series/total_energy"][steps // 2:].std()


def timestep(runs):
    """Velocity Verlet is of second order: half the step makes a quarter of the fluctuation, where the energy is continuous."""
    for physics, options in ((LJ, ("shift=force",)), (EAM, ("ntypes=2", runs.potential))):
        dt = 0.8 * physics["dt"]
        ratio = spread(runs, physics, dt, *options) / spread(runs, physics, dt / 2, *options)
        if not 3 <= ratio <= 5:
            raise Failure(f"{physics['force']}: with half the time step the energy fluctuates {ratio} times less, expected 3 to 5")


# ---- energy ----

def energy(runs):
    runs.run(runs.deck(LJ, 10000), "-s", "10", "thermo=100", "--output=long.h5")
    with h5py.File(runs.path("long.h5"), "r") as file:
        steps, total = (file["/series/" + name][...] for name in ("step", "total_energy"))
        momentum = max(np.abs(file["/series/momentum_" + axis][...]).max() for axis in "xyz")
    check("steps", steps.tolist(), list(range(0, 10001, 100)))
    # A pair that comes within the cutoff brings its energy of 0.016. There are more such pairs when the lattice has melted: 1.8e-3 of
    # the energy. From then on their number fluctuates: the energy has a standard deviation of 1.2e-4. The momentum of all
    # atoms is 0 at the start; roundings make it 5e-12.
    for first, tolerance in ((0, 2e-3), (1000, 5e-4)):
        since = total[steps >= first]
        change = np.abs(since / since[0] - 1).max()
        if not change <= tolerance:
            raise Failure(f"change of the energy since step {first}: got {change} of it, expected at most {tolerance}")
    if not momentum <= 1e-9:
        raise Failure(f"momentum: got {momentum}, expected 0, tolerance 1e-9")


# ---- restart ----

def restart(runs):
    cases = ((LJ, 1, 2, ("--neigh_check", "every=3", "ntypes=2", "mass=1,2")), (LJ, 2, 4, ()),
             (EAM, 2, 1, ("ntypes=2", runs.potential)))
    for physics, ranks, others, options in cases:
        deck = runs.deck(physics, 57)
        runs.run(deck, "--output=whole.h5", *options, ranks=ranks)
        # at step 35 only: a checkpoint at 70 would be later than the end
        runs.run(deck, "--checkpoint=c.h5", "--checkpoint-every=35", *options, ranks=ranks)
        runs.run(deck, "--restart=c.h5", "--output=again.h5", *options, ranks=ranks)
        runs.verify("again.h5")
        runs.verify("--tolerance=0", "whole.h5", "again.h5")
        runs.run(deck, "--restart=c.h5", "--output=other.h5", *options, ranks=others)
        runs.verify("whole.h5", "other.h5")
        # other lines and frames, from step 35 on; the lines before are those of the first part
        runs.run(deck, "--restart=c.h5", "thermo=4", "frames=6", "--output=more.h5", *options, ranks=ranks)
        runs.verify("more.h5")
        with h5py.File(runs.path("more.h5"), "r+") as file:
            check("steps", file["/series/step"][...].tolist(), [0, 10, 20, 30, 36, 40, 44, 48, 52, 56, 57])
            check("frames", file["/particles/all/position/step"][...].tolist(), [36, 42, 48, 54])
            check("first step", int(file["/provenance/first_step"][()]), 35)
            file["/provenance/first_step"][()] = 0
        check("physics", "physics: FAIL" in runs.verify("more.h5", code=1), True)
        os.remove(runs.path("c.h5"))


# ---- altered ----

def alter(runs, source, path, change):
    """A copy with one dataset changed; integrity finds that too, so only the physics counts."""
    shutil.copy(runs.path(source), runs.path("bad.h5"))
    with h5py.File(runs.path("bad.h5"), "r+") as file:
        dataset = file[path]
        if dataset.shape == ():
            text = dataset[()]
            del file[path]
            file[path] = np.bytes_(change(text))
        else:
            values = dataset[...]
            change(values)
            dataset[...] = values
    text = runs.verify("bad.h5", code=1)
    if "physics: FAIL" not in text:
        raise Failure(f"{source}, {path} altered: minx-verify found nothing\n{text[-1500:]}")


def add(index, amount):
    def change(values):
        values[index] += amount
    return change


def put(index, value):
    def change(values):
        values[index] = value
    return change


def swap(values):
    values[[0, 1]] = values[[1, 0]]


def altered(runs):
    runs.run(runs.deck(LJ, 20), "ntypes=2", "epsilon=1,0.5", "mass=1,2", "--output=lj.h5")
    runs.run(runs.deck(EAM, 20), "ntypes=2", runs.potential, "--output=eam.h5")
    runs.verify("lj.h5")
    runs.verify("eam.h5")
    for source in ("lj.h5", "eam.h5"):
        with h5py.File(runs.path(source), "r") as file:
            types = file["/fields/type"][...]
        alter(runs, source, "/fields/position", add((17, 2), 1e-4))
        alter(runs, source, "/fields/velocity", add((100, 0), 1e-4))
        alter(runs, source, "/fields/type", add(int(np.argmin(types)), 1))
        alter(runs, source, "/fields/type_mass", add(0, 1e-6))
        alter(runs, source, "/fields/box", add((1, 0), 1e-6))
        alter(runs, source, "/fields/id", swap)
        alter(runs, source, "/series/potential_energy", add(-1, -1e-6))
        alter(runs, source, "/series/total_energy", add(0, 1e-3))
        alter(runs, source, "/series/pressure", add(-1, 1.0))
        alter(runs, source, "/series/temperature", add(1, 0.1))
        alter(runs, source, "/series/step", add(-1, 1))
    alter(runs, "lj.h5", "/fields/pair_coefficients", add((1, 1), 1e-6))
    # sizes from which cells could not be counted
    for side in (1e-300, 1e-320, 1e300):
        alter(runs, "lj.h5", "/fields/box", put((1, slice(None)), side))
    alter(runs, "lj.h5", "/fields/position", put((17, 2), 1e300))
    alter(runs, "lj.h5", "/fields/pair_coefficients", put((..., 2), 1e300))
    alter(runs, "eam.h5", "/files/potential", lambda text: text.replace(b"63.546 3.615", b"63.546 x.615", 1))
    lines = open(os.path.join(runs.args.inputs, "CuNi_johnson.eam.alloy"), "rb").read().split(b"\n")
    number = lines[43].split()[0]  # of F at a density of the solid
    alter(runs, "eam.h5", "/files/potential", lambda text: text.replace(number, b"-3.6", 1))
    # of types 1 and 2, in one order only: the pair has them in the other order
    write_data(runs.path("data"), np.array([(1, 1, 1), (2.1, 1, 1)]), np.array([1, 2]), 6.0)
    runs.run(runs.deck(LJ, 4), "-f", runs.path("data"), "--output=two.h5")
    runs.verify("two.h5")
    for row in (1, 2):
        alter(runs, "two.h5", "/fields/pair_coefficients", put((row, 0), 3.0))


# ---- one atom ----

def write_atom(path, sides):
    """It moves across the low face along x."""
    with open(path, "w", encoding="ascii") as file:
        file.write("atom\n\n1 atoms\n1 atom types\n\n")
        file.write("".join(f"0 {side} {axis}lo {axis}hi\n" for side, axis in zip(sides, "xyz")))
        file.write("\nAtoms # atomic\n\n1 1 0.1 1 1\n\nVelocities\n\n1 -0.5 0.2 0.3\n")


def one_atom(runs):
    """It has no temperature, but kinetic energy. Its box may have more bins of half a cutoff than an int can count."""
    for ranks, sides in ((1, (5, 5, 5)), (2, (5, 5, 5)), (1, (1e15, 3, 3)), (1, (1e15, 1e15, 3))):
        for kind in ("2d", "clusters"):
            write_atom(runs.path("data"), sides)
            runs.run(runs.deck(LJ, 50), "-f", runs.path("data"), "list=" + kind, "--output=run.h5", ranks=ranks)
            runs.verify("run.h5")


# ---- frames ----

def frames(runs):
    deck = runs.deck(LJ, 25)
    for ranks in (1, 2):
        runs.run(deck, "frames=10", "--output=run.h5", ranks=ranks)
        runs.verify("run.h5")
        with h5py.File(runs.path("run.h5"), "r") as file:
            position = file["/particles/all/position"]
            check("steps", position["step"][...].tolist(), [0, 10, 20])
            check("shape", position["value"].shape, (3, 256, 3))
            check("edges", bool((file["/particles/all/box/edges/value"][...] == file["/fields/box"][1]).all()), True)
            last = position["value"][2]
        runs.run(deck, "-n", "20", "--output=20.h5", ranks=ranks)
        with h5py.File(runs.path("20.h5"), "r") as file:
            check("last frame", bool((file["/fields/position"][...] == last).all()), True)
    runs.command([runs.args.minimd, "-i", deck, "frames=10"], code=2)
    try:
        import MDAnalysis
    except ImportError:
        return
    universe = MDAnalysis.Universe.empty(256, trajectory=False)
    universe.load_new(runs.path("run.h5"), format="H5MD", convert_units=False)
    check("frames", len(universe.trajectory), 3)
    universe.trajectory[2]
    check("positions", bool(np.allclose(universe.atoms.positions, last, atol=1e-5)), True)


# ---- gaps ----

def gaps(runs):
    random = np.random.default_rng(3)
    positions, side = crystal(LJ, 4, random)
    ids = np.cumsum(random.integers(1, 5, len(positions)))
    ids[-3:] += 2 ** 50
    write_data(runs.path("dense"), positions, np.ones(len(ids), int), side)
    with open(runs.path("dense"), encoding="ascii") as file:
        head, atoms = file.read().split("Atoms # atomic\n\n")
    rows = [f"{ids[int(number) - 1]} {rest}" for number, rest in (row.split(" ", 1) for row in atoms.splitlines())]
    with open(runs.path("gaps"), "w", encoding="ascii") as file:
        file.write(head + "Atoms # atomic\n\n" + "\n".join(rows[::-1]) + "\n")
    deck = runs.deck(LJ, 20)
    runs.run(deck, "-f", runs.path("dense"), "frames=10", "--output=dense.h5")
    with h5py.File(runs.path("dense.h5"), "r") as file:
        expected = file["/fields/position"][...]
        check("ids", file["/fields/id"][...].tolist(), list(range(1, len(ids) + 1)))
    for ranks in (1, 2, 4):
        runs.run(deck, "-f", runs.path("gaps"), "frames=10", "--output=gaps.h5", "--checkpoint=c.h5", "--checkpoint-every=15", ranks=ranks)
        runs.verify("gaps.h5")
        runs.run(deck, "-f", runs.path("gaps"), "--restart=c.h5", "--output=on.h5", ranks=ranks % 4 + 1)
        runs.verify("on.h5")
        for name in ("gaps.h5", "on.h5"):
            with h5py.File(runs.path(name), "r") as file:
                check("ids", file["/fields/id"][...].tolist(), ids.tolist())
                # sums over neighbours in another order
                check("positions", bool(np.allclose(file["/fields/position"][...], expected, rtol=0, atol=1e-9)), True)
        with h5py.File(runs.path("gaps.h5"), "r") as file:
            check("ids of frames", file["/particles/all/id"][...].tolist(), ids.tolist())
    alter(runs, "gaps.h5", "/particles/all/id", add(3, 1))
    alter(runs, "gaps.h5", "/fields/id", add(3, -5))


# ---- killed ----

def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def kill_ranks(program, mark):
    """All of them. Their launcher is stopped meanwhile: where it sees that one rank is gone it asks the others to end, and they
    would remove the file."""
    ranks = processes(program, mark)
    launchers = {parent_of(pid) for pid in ranks} - {os.getpid()}
    for pid in launchers:
        os.kill(pid, signal.SIGSTOP)
    for pid in ranks:
        os.kill(pid, signal.SIGKILL)
    for pid in launchers:
        os.kill(pid, signal.SIGCONT)


def frames_of_killed(runs, ranks, interval, name):
    """Kills a run behind its fourth frame. The path of its temporary file, its steps and positions; or None if they cannot be
    read: the run was killed while it wrote a later frame."""
    mark = "--output=" + runs.path(name)
    command = runs.command_of(runs.deck(LJ, 100000000), f"thermo={interval + interval // 4}", f"frames={interval}", mark, quiet=False,
                              ranks=ranks)
    run = subprocess.Popen(command, cwd=runs.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                           stdin=subprocess.DEVNULL)
    for line in run.stdout:
        if line.startswith(f"{3 * interval + 3 * interval // 4} "):
            break
    kill_ranks(runs.args.minimd, mark)
    run.communicate(timeout=800)
    left = glob.glob(runs.path(name + ".tmp-*[0-9]"))
    check("temporary files", len(left), 1)
    try:
        with h5py.File(left[0], "r") as file:
            position = file["/particles/all/position"]
            return left[0], position["step"][:4].tolist(), position["value"][:4]
    except (OSError, RuntimeError, KeyError):
        return None


def killed(runs):
    """A frame is on the disk before the next step begins. Only a run that is killed while it writes a frame may leave a file that
    cannot be opened: then the next run has twice as many steps between its frames, until one is killed in a step."""
    for ranks in (1, 2):
        for attempt in range(12):
            interval = 40 << attempt
            found = frames_of_killed(runs, ranks, interval, f"killed_{ranks}_{attempt}.h5")
            if found:
                break
        check("a file that can be opened", found is not None, True)
        left, steps, positions = found
        runs.run(runs.deck(LJ, 3 * interval), f"frames={interval}", "--output=whole.h5", ranks=ranks)
        check("steps", steps, [0, interval, 2 * interval, 3 * interval])
        with h5py.File(runs.path("whole.h5"), "r") as whole:
            check("positions", bool((positions == whole["/particles/all/position/value"][...]).all()), True)
        runs.verify(left, code=1)  # it has no digests


def main(cases):
    """Runs the case that the command line names; returns the exit status."""
    parser = options_of("minimd")
    parser.add_argument("case", choices=cases)
    parser.add_argument("--inputs", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return run_case(cases[args.case], Runs(args, folder))


if __name__ == "__main__":
    sys.exit(main({"gradient": gradient, "timestep": timestep, "energy": energy, "restart": restart, "altered": altered,
                   "one_atom": one_atom, "frames": frames, "gaps": gaps, "killed": killed}))
