#!/usr/bin/env python3
"""What app.h promises of any app: one command line for all ranks, minx's own options, and results that are kept when lines cannot be
printed.

usage: skeleton.py APP DECK LAYOUTS MPIEXEC...      LAYOUTS: default or all, as the build's MINX_LAYOUTS
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

failures = 0


def run(command, folder, **how):
    how = {"stdout": subprocess.PIPE, **how}
    return subprocess.run(command, cwd=folder, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, timeout=800, **how)


def check(name, done, code, words=()):
    """The exit code, and exactly one message, which has these words."""
    global failures
    faults = []
    messages = [line for line in done.stderr.splitlines() if ": error: " in line]
    if done.returncode != code:
        faults.append(f"exit code: got {done.returncode}, expected {code}")
    if len(messages) != (1 if words else 0) or not all(word in done.stderr for word in words):
        faults.append(f"messages: got {messages}, expected {'one with ' + repr(words) if words else 'none'}")
    if "\033" in done.stderr:
        faults.append("control characters reach the terminal")
    for fault in faults:
        print(f"{name}: {fault}\n{done.stderr[-1500:]}")
    failures += len(faults)


def file_is_new(name, path):
    """Whether the older file was replaced, and nothing else was left."""
    global failures
    with open(path, "rb") as f:
        same = f.read() == b"an older file"
    left = [other for other in os.listdir(os.path.dirname(path)) if other not in ("kept.h5", "kept.xmf")]
    if same or left:
        print(f"{name}: the results file is {'the older one' if same else 'new'}, expected a new one; files left: {left}")
        failures += 1


def differing_ranks(app, deck, mpiexec, folder):
    """Ranks that were started with different command lines. (A failing mpirun takes seconds, so there are few cases.)"""
    words = ["the command lines of the ranks differ"]
    for one, other in [([deck], ["--help"]), ([deck, "--output=a.h5"], [deck, "--output=b.h5"])]:
        done = run([*mpiexec, "-n", "1", app, *one, ":", "-n", "1", app, *other], folder)
        check(f"{one} and {other}", done, 2, words)
    if os.listdir(folder):
        print(f"differing command lines left {os.listdir(folder)}")
        return 1
    return 0


def options_of_minx(app, deck, mpiexec, folder):
    global failures
    done = run([*mpiexec, "-n", "2", app, deck, "--mx-help"], folder)
    check("--mx-help", done, 0)
    if done.stdout.count("--mx-num-threads") != 1:
        print(f"--mx-help on two ranks: expected the options once, got\n{done.stdout}")
        failures += 1
    check("an unknown option of minx", run([app, deck, "--mx-hlp"], folder), 2, ["--mx-hlp", "--mx-help"])
    check("a bad value of minx", run([app, deck, "--mx-num-threads=0"], folder), 2, ["--mx-num-threads"])
    done = run([app, deck, "--backend=openmp:threads=1", "--mx-disable-warnings"], folder)
    check("--mx-disable-warnings", done, 0)


def options_of_the_context(app, deck, folder):
    """What both a resource string and an option set could differ; a bad name is attributed to its option."""
    for option, backend in [("--threads=2", "openmp:threads=1"), ("--device=0", "serial:device=0"),
                            ("--layout=left", "serial:layout=right"), ("--check-against=serial", "openmp:check=serial")]:
        words = [option.split("=")[0], "--backend=" + backend, "only one of them"]
        check(f"{option} and {backend}", run([app, deck, "--backend=" + backend, option], folder), 2, words)
    listed = run([app, "--backends"], folder).stdout
    for option, words in [("--backend=auto:threads=2", ["--backend=auto:threads=2", "auto takes no keys"]),
                          ("--backend=abacus", ["abacus"])]:
        check(option, run([app, deck, option], folder), 2, words)
    # a backend that the program knows, and that this build does not have (most builds have all, or all but one)
    for backend in re.findall(r"^# (\w+): not in this build", listed, re.M):
        for options in [["--backend=" + backend], ["--backend=serial:check=" + backend],
                        ["--backend=serial", "--check-against=" + backend]]:
            check(" ".join(options), run([app, deck, *options], folder), 2, [f"backend '{backend}' is not in this build"])
    done = run([app, deck, "--backend=serial", "--check-against=hop"], folder)
    check("an unknown backend to check against", done, 2, ["--check-against=hop", "serial"])


def automatic_backend(app, deck, folder):
    """--backend=auto is the first backend with a device, else openmp. The digest of its name in the results file tells which it was."""
    global failures
    names = [line for line in run([app, "--backends"], folder).stdout.splitlines() if not line.startswith("#")]
    expected = next((gpu for gpu in ("cuda", "hip") if gpu in names), "openmp")
    digests = []
    for backend in ("auto", expected, "serial"):
        file = os.path.join(folder, backend + ".h5")
        check("--backend=" + backend, run([app, deck, "--quiet", "--backend=" + backend, "--output=" + file], folder), 0)
        with open(file, "rb") as f:
            digests.append(re.findall(rb"([0-9a-f]{64})  /provenance/backend\n", f.read()))
    auto, same, other = digests
    if len(auto) != 1 or auto != same or auto == other:
        print(f"--backend=auto: expected {expected}; digests of the backend's name for auto, {expected}, serial: {digests}")
        failures += 1


def names_for_the_terminal(app, deck, folder):
    """Control characters of names are printed as \\xNN."""
    name, shown = "\033[2J", "\\x1b[2J"
    for words, code in [([name], 2), ([deck, f"--output={name}/x.h5"], 3), ([deck, f"--restart={name}"], 2),
                        ([deck, f"--backend={name}"], 2), ([deck, f"--{name}=1"], 2)]:
        check(repr(words), run([app, *words], folder), code, [shown])


def layouts_of_the_build(app, deck, layouts, folder):
    """A layout that the build does not have is a mistake in the command line, wherever it stands there."""
    if layouts == "all":
        return
    for options in (["--backend=serial", "--layout=left"], ["--backend=serial:layout=left"], ["--backend=simt", "--layout=right"],
                    ["--backend=serial:order=shuffled,layout=right"], ["--backend=serial:check=openmp:layout=left"],
                    ["--backend=serial", "--check-against=openmp:layout=left"]):
        check(" ".join(options), run([app, deck, *options], folder), 2, ["no kernels of layout", "MINX_LAYOUTS=all"])


def no_restart(app, deck, mpiexec, folder):
    """What is no file to restart from is one, too."""
    for launcher in ([], [*mpiexec, "-n", "2"]):
        for name, words in (("nosuch", "No such file"), (".", "not a plain file")):
            done = run([*launcher, app, deck, "--backend=serial", "--restart=" + name, "--output=r.h5"], folder)
            check(f"--restart={name}", done, 2, [f"--restart: got {name}, expected a checkpoint", words])


def output_is_lost(app, deck, mpiexec, folder):
    """stdout on a full disk, closed, and a pipe that nobody reads: the results are kept, and the run fails. A quiet run prints nothing,
    so nothing is lost."""
    global failures
    kept = os.path.join(folder, "kept.h5")
    for quiet, code, words in [([], 3, ["the output cannot be written", "kept.h5 is complete"]), (["--quiet"], 0, [])]:
        command = [app, deck, "--backend=serial", "--output=" + kept, *quiet]
        for how in ("full", "closed", "pipe"):
            if how == "full" and not os.path.exists("/dev/full"):
                continue
            with open(kept, "w") as f:
                f.write("an older file")
            if how == "full":
                with open("/dev/full", "w") as full:
                    done = run(command, folder, stdout=full)
            elif how == "closed":
                done = run(["sh", "-c", 'exec "$@" >&-', "sh", *command], folder)
            else:
                reader, writer = os.pipe()
                os.close(reader)
                done = run(command, folder, stdout=writer)
                os.close(writer)
            check(f"stdout {how} {quiet}", done, code, words)
            file_is_new(f"stdout {how} {quiet}", kept)
    # two ranks end together, without MPI_Abort
    command = [app, deck, "--backend=serial", "--output=" + kept]
    done = run([*mpiexec, "-n", "2", "sh", "-c", 'exec "$@" >&-', "sh", *command], folder)
    check("stdout closed on 2 ranks", done, 3, ["the output cannot be written", "kept.h5 is complete"])
    if "MPI_ABORT" in done.stderr:
        print(f"stdout closed on 2 ranks: got MPI_Abort, expected an end of both ranks\n{done.stderr}")
        failures += 1


def stop_line_is_lost(app, deck, folder):
    """A signal stops a run whose stdout is on a full disk: the checkpoint is complete, and stderr says how to go on."""
    global failures
    if not os.path.exists("/dev/full"):
        return
    command = [app, deck, "--backend=serial", "steps=1000000000", "--checkpoint=s.ck", "--checkpoint-every=100"]
    with open("/dev/full", "w") as full:
        running = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True)
    while running.poll() is None and not os.path.exists(os.path.join(folder, "s.ck")):
        time.sleep(0.01)
    running.send_signal(signal.SIGUSR1)
    err = running.communicate(timeout=800)[1]
    line = re.search(r"^sample: Stopped by SIGUSR1 after step (\d+). Go on with --restart=s.ck", err, re.M)
    if running.returncode != 5 or not line:
        print(f"a stop with stdout full: exit code {running.returncode}, expected 5 and on stderr how to go on\n{err}")
        failures += 1
    else:
        step = int(line.group(1))
        check("a restart after a stop with stdout full",
              run([app, deck, "--backend=serial", "--restart=s.ck", f"steps={step + 1}"], folder), 0)


def main():
    app, deck, layouts, mpiexec = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    with tempfile.TemporaryDirectory() as folder:
        left = differing_ranks(app, deck, mpiexec, folder)
        options_of_minx(app, deck, mpiexec, folder)
        options_of_the_context(app, deck, folder)
        automatic_backend(app, deck, folder)
        layouts_of_the_build(app, deck, layouts, folder)
        no_restart(app, deck, mpiexec, folder)
        names_for_the_terminal(app, deck, folder)
    with tempfile.TemporaryDirectory() as folder:
        output_is_lost(app, deck, mpiexec, folder)
        stop_line_is_lost(app, deck, folder)
    return 1 if failures or left else 0


if __name__ == "__main__":
    sys.exit(main())
