#!/usr/bin/env python3
"""Output files of tealeaf where file systems, names and signals are unkind: names as long as they may be, /dev/shm without room,
signals in the middle of a run, a file that is replaced, a file that is locked, files that may be written and not replaced.

usage: output_files.py TEALEAF MINX_VERIFY DECK MPIEXEC...
"""
import fcntl
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

failures = 0


def check(good, text):
    global failures
    if not good:
        failures += 1
        print("FAILED: " + text)


def run(command, folder, code=0):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=800)
    check(done.returncode == code, f"{' '.join(command)[:300]}: exit code {done.returncode}, expected {code}\n"
          f"{done.stdout[-500:]}{done.stderr[-1000:]}")
    return done


def long_names(tealeaf, verify, deck, mpiexec, folder):
    """230 characters ended the program in Open MPI; 251 are the most that a name with the ending .xmf may have."""
    for length in (230, 251):
        name = "n" * (length - 3) + ".h5"
        checkpoint = "c" * length
        for launcher in ([], mpiexec + ["-n", "2"]):
            run(launcher + [tealeaf, deck, "--quiet", "--output=" + name, "--checkpoint=" + checkpoint, "--checkpoint-every=5"], folder)
            run([verify, name], folder)
            run(launcher + [tealeaf, deck, "--quiet", "--output=" + name, "--restart=" + checkpoint], folder)
    check(not [name for name in os.listdir(folder) if name[0] not in "nc"], f"long names: left {os.listdir(folder)}")


def full_shared_memory(tealeaf, deck, mpiexec, folder):
    """In a mount namespace of its own, where this is allowed. Messages go by TCP: those through shared memory need room
    there. By TCP, MPI_Finalize of MPICH 4.0 sometimes waits for ever. So its UCX has System V shared memory, which needs no /dev/shm,
    and each rank counts as a host of its own, so that MPICH itself uses none."""
    script = ("mount -t tmpfs -o size=64k tmpfs /dev/shm || exit 1; head -c 100000 /dev/zero >/dev/shm/full 2>/dev/null; exec \"$@\"")
    space = ["unshare", "--mount", "sh", "-c", script, "sh"]
    try:
        able = subprocess.run(space + ["true"], capture_output=True).returncode == 0
    except OSError:
        able = False
    if not able:
        print("not tried: /dev/shm without room (it needs the right to mount)")
        return
    environment = dict(os.environ, OMPI_MCA_btl="self,tcp", UCX_TLS="self,sysv", MPIR_CVAR_CH4_SHM_POSIX_EAGER="none",
                       MPIR_CVAR_NOLOCAL="1")
    command = space + mpiexec + ["-n", "2", tealeaf, deck, "--quiet"]

    def start(*options):
        return subprocess.run(command + list(options), cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=800,
                              env=environment)

    if start().returncode != 0:
        print("not tried: /dev/shm without room (this MPI library, or LLVM's OpenMP library, does not start without it)")
        return
    done = start("--output=shm.h5")
    check(done.returncode == 0 and os.path.exists(os.path.join(folder, "shm.h5")),
          f"/dev/shm is full: exit code {done.returncode}\n{done.stderr[-1000:]}")


ENDINGS = ("SIGHUP", "SIGINT", "SIGPIPE", "SIGTERM", "SIGUSR1", "SIGUSR2")


def signals(tealeaf, deck, folder):
    """A run that a signal ends, as it would any program, leaves nothing behind. The run has too many steps to end by itself."""
    with open(deck, encoding="ascii") as file:
        text = file.read()
    long_deck = os.path.join(folder, "long.in")
    for old, new in (("test_problem 1", "end_time = 1e9"), ("_cells = 10", "_cells = 200"), ("end_step         = 10", "end_step = 1000000000")):
        check(old in text, f"{deck} has no '{old}'")
        text = text.replace(old, new)
    with open(long_deck, "w", encoding="ascii") as file:
        file.write(text)
    processes = []
    for name in ENDINGS:
        number = getattr(signal, name)
        private = os.path.join(folder, "tmp-" + name)  # programs that end at the same time remove folders of Open MPI's
        os.mkdir(private)
        process = subprocess.Popen([tealeaf, long_deck, "--quiet", f"--output={name}.h5", "--backend=serial"], cwd=folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env=dict(os.environ, TMPDIR=private),
                                   preexec_fn=lambda: [signal.signal(getattr(signal, s), signal.SIG_DFL) for s in ENDINGS])
        processes.append((name, number, process))
    for name, number, process in processes:
        # handlers are set before the file is created
        while process.poll() is None and not any(f.startswith(name + ".h5.tmp-") for f in os.listdir(folder)):
            time.sleep(0.005)
        process.send_signal(number)
    for name, number, process in processes:
        err = process.communicate(timeout=800)[1]
        check(process.returncode == -number, f"{name}: exit code {process.returncode}, expected {-number}\n{err[-500:]}")
        left = [f for f in os.listdir(folder) if f.startswith(name)]
        check(not left, f"{name} left {left}")


def owner_to_set(folder):
    """Another user's, if this user may give files to it; root of a container may not always."""
    path = os.path.join(folder, "owner")
    with open(path, "w", encoding="ascii"):
        pass
    try:
        os.chown(path, 12345, 23456)
    except OSError:
        return os.getuid(), os.getgid()
    finally:
        os.remove(path)
    return 12345, 23456


def replaced(tealeaf, deck, mpiexec, folder):
    """A file that is replaced keeps its mode, and its owner where this user may set it."""
    owner = owner_to_set(folder)
    for launcher in ([], mpiexec + ["-n", "2"]):
        for name, mode in (("r.h5", 0o640), ("r.xmf", 0o600)):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="ascii"):
                os.chmod(path, mode)
                os.chown(path, *owner)
        run(launcher + [tealeaf, deck, "--quiet", "--output=r.h5"], folder)
        for name, mode in (("r.h5", 0o640), ("r.xmf", 0o600)):
            info = os.stat(os.path.join(folder, name))
            check(info.st_size > 0, f"{name} was not replaced")
            check((info.st_uid, info.st_gid) == owner, f"{name}: owner {info.st_uid}:{info.st_gid}, expected {owner}")
            check(stat.S_IMODE(info.st_mode) == mode, f"{name}: mode {stat.S_IMODE(info.st_mode):o}, expected {mode:o}")


def not_to_be_replaced(tealeaf, deck, folder):
    """In a folder with the sticky bit, as /tmp, everybody may write another user's file, and only its owner may replace it. That is said
    before the run, of every name that it would replace at its end. Only root can make such a file."""
    nobody = 65534
    if os.getuid() != 0:
        print("not tried: files of another user (it needs root)")
        return
    os.chmod(folder, 0o1777)
    text_of_deck = os.path.join(folder, "in")
    shutil.copy(deck, text_of_deck)
    private = os.path.join(folder, "tmp")
    os.mkdir(private)
    os.chown(private, nobody, nobody)

    def start(*options):
        return subprocess.run([tealeaf, "in", "--quiet", "--backend=serial", *options], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=800, user=nobody, group=nobody, extra_groups=[],
                              env=dict(os.environ, TMPDIR=private, HOME=private))

    try:
        able = start("--version").returncode == 0
    except OSError:
        able = False
    if not able:
        print("not tried: files of another user (it cannot start the program)")
        return
    for name, option, what in (("r.h5", "--output=r.h5", "results file"), ("r.xmf", "--output=r.h5", "results file"),
                               ("k", "--checkpoint=k", "checkpoint"), ("k.1", "--checkpoint=k", "checkpoint")):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            os.remove(path)
        with open(path, "w", encoding="ascii") as file:
            file.write("old")
        os.chmod(path, 0o666)
        before = sorted(os.listdir(folder))
        done = start(option)
        check(done.returncode == 3 and f"{what} {name}: cannot be replaced" in done.stderr and "sticky bit" in done.stderr,
              f"{option} over another user's {name}: exit code {done.returncode}\n{done.stderr[-500:]}")
        with open(path, encoding="ascii") as file:
            check(file.read() == "old" and sorted(os.listdir(folder)) == before, f"{option}: left {os.listdir(folder)}, expected {before}")
        os.chown(path, nobody, nobody)
        done = start(option, "--checkpoint-every=5" if what == "checkpoint" else "--output=r.h5")
        check(done.returncode == 0, f"{option} over the user's own {name}: exit code {done.returncode}\n{done.stderr[-500:]}")


def locked(tealeaf, verify, deck, folder):
    """A file that another program has open for writing is not damaged."""
    run([tealeaf, deck, "--quiet", "--output=l.h5"], folder)
    with open(os.path.join(folder, "l.h5"), "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = run([verify, "l.h5"], folder, code=3)
        check("is locked" in done.stderr and "damaged" not in done.stderr, f"locked: got {done.stderr}")


def main():
    tealeaf, verify, deck, mpiexec = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3]), sys.argv[4:]
    for part in (lambda f: long_names(tealeaf, verify, deck, mpiexec, f), lambda f: full_shared_memory(tealeaf, deck, mpiexec, f),
                 lambda f: signals(tealeaf, deck, f), lambda f: replaced(tealeaf, deck, mpiexec, f),
                 lambda f: not_to_be_replaced(tealeaf, deck, f), lambda f: locked(tealeaf, verify, deck, f)):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
