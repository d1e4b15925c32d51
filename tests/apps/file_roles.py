#!/usr/bin/env python3
"""No file of a run replaces one that it reads, or another one: each file that the app reads, under each name that it can have, against
each name that it writes; and files that are written, against each other. Nothing in the folder changes then. What is right still works.

usage: file_roles.py APP PROGRAM INPUTS MPIEXEC...
"""
import itertools
import os
import shutil
import sys
import tempfile

from launcher import run_ranks

app, program, inputs, mpiexec = sys.argv[1], os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]), sys.argv[4:]
failures = 0
MINIMD = "-s 3 steps=4".split()


def take(name, to, old="", new=""):
    with open(os.path.join(inputs, name), encoding="ascii") as file:
        text = file.read()
    assert old in text
    with open(to, "w", encoding="ascii") as file:
        file.write(text.replace(old, new))


# What reads a file called `name`: its role in messages, what makes it, and the arguments of the run.
def reads_of_minimd():
    def data(name):
        shutil.copy(os.path.join(inputs, "cluster.data"), name)
        take("data_file.in", "deck.in", "cluster.data", name)
        return ["deck.in", "steps=4"]

    def potential(name):
        shutil.copy(os.path.join(inputs, "CuNi_johnson.eam.alloy"), name)
        take("eam.in", "deck.in")
        return ["deck.in", *MINIMD, "potential=" + name]

    def deck(name):
        take("lj.in", name)
        return [name, *MINIMD]
    return {"the data file": data, "the potential": potential, "the input": deck}


def reads_of_minife():
    def deck(name):
        with open(name, "w", encoding="ascii") as file:
            file.write("nx=3\n")
        return [name]
    return {"the input": deck}


def reads_of_tealeaf():
    def deck(name):
        take("crooked_pipe_10.in", name)
        return [name]
    return {"the input": deck}


def restart(name):
    """The checkpoint of the first of the decks."""
    arguments = next(iter(READS.values()))("first.in" if app != "minimd" else "first.data")
    done = run_ranks([program, *arguments, "--quiet", "--backend=serial", "--checkpoint=" + name, "--checkpoint-every=2"])
    assert done.returncode == 0, done.stderr
    return [*arguments, "--restart=" + name]


READS = {"minimd": reads_of_minimd, "minife": reads_of_minife, "tealeaf": reads_of_tealeaf}[app]()
ROLES = {**READS, "the checkpoint of --restart": restart}


def snapshot():
    found = {}
    for name in sorted(os.listdir(".")):
        if os.path.isfile(name):
            with open(name, "rb") as file:
                found[name] = (os.path.islink(name), file.read())
    return found


def expect(arguments, code, words=(), launcher=()):
    """Ends with this code; with code 2 there is one message, and no file has changed."""
    global failures
    before = snapshot()
    done = run_ranks([*launcher, program, *arguments, "--backend=serial", "--quiet"])
    messages = [line for line in done.stderr.splitlines() if ": error: " in line]
    good = done.returncode == code and len(messages) == (1 if words else 0) and all(word in done.stderr for word in words)
    changed = code == 2 and snapshot() != before
    if not good or changed:
        failures += 1
        print(f"{' '.join(arguments)}: exit code {done.returncode}, expected {code}; one message with {words}, got {messages}; "
              f"files {'changed' if changed else 'as before'}\n{done.stderr[-600:]}")


def in_folder(act, *arguments):
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        act(*arguments)
        os.chdir(home)


# The name of the file that is read; the option; what is written to that name; another way to write it.
WRITTEN = [("it.h5", "--output={}", "the results file", "hard link"), ("it.xmf", "--output={}.h5", "the side file", "full"),
           ("it", "--checkpoint={}", "the checkpoint", "soft link"), ("it.1", "--checkpoint={}", "the previous checkpoint", "dot"),
           ("it.json", "--summary={}", "the summary", "soft link")]


def respelled(name, spelling):
    if spelling == "soft link":
        os.symlink(name, "link")
    if spelling == "hard link":
        os.link(name, "link")
    return {"plain": name, "dot": "./" + name, "full": os.path.abspath(name)}.get(spelling, "link")


def read_and_written(role, make, written, spelling, launcher=()):
    name, option, what, _ = written
    arguments = make(name)
    target = respelled(name, spelling)
    if what in ("the side file", "the previous checkpoint"): # which are made of another name
        target = target.removesuffix(".xmf").removesuffix(".1")
    if role == "the checkpoint of --restart" and "checkpoint" in what:
        expect([*arguments, option.format(target)], 0, launcher=launcher)
    else:
        expect([*arguments, option.format(target)], 2, [f" as {what}, which would replace {role} {name}"], launcher)


def written_twice():
    arguments = next(iter(READS.values()))("plain.in")
    for one, other in (("--output=a.h5", "--checkpoint=./a.h5"), ("--output=a.h5", "--checkpoint=a.xmf"),
                       ("--output=a.1", "--checkpoint=" + os.path.abspath("a")), ("--output=a", "--checkpoint=a.xmf")):
        expect([*arguments, one, other], 2, [" which would replace "])
    expect([*arguments, "--output=a.h5", "--checkpoint=a.ck", "--checkpoint-every=1"], 0)


def dumps():
    """miniFE's dumps have names of their own in a folder."""
    files = ["assembled.A.mtx", "assembled.b.mtx", "system.A.mtx", "system.b.mtx", "solution.x.mtx"]
    for name in files:
        os.link(READS["the input"]("in")[0], name)
        expect(["in", "dump=."], 2, [f"dump: got ./{name} as a file of dump, which would replace the input in"])
        os.remove(name)
        expect(["in", "dump=.", "--output=" + name], 2, [f"which would replace the results file {name}"])
        expect(["in", "dump=.", "--checkpoint=" + os.path.abspath(name)], 2, ["which would replace the checkpoint "])
        os.mkdir(name)
        expect(["in", "dump=."], 3, [f"{name}: cannot be written: it is a folder"])
        os.rmdir(name)
    with open(files[0], "w", encoding="ascii"):
        os.symlink(files[0], files[4])
    expect(["in", "dump=."], 2, ["which would replace a file of dump"])
    os.remove(files[4])
    expect(["in", "dump=.", "--output=r.h5"], 0)


def main():
    for (role, make), written in itertools.product(ROLES.items(), WRITTEN):
        for spelling in ("plain", written[3]):
            in_folder(read_and_written, role, make, written, spelling)
    for ranks, (role, make) in zip((2, 4), list(ROLES.items())[-2:]):
        in_folder(read_and_written, role, make, WRITTEN[1], "plain", [*mpiexec, "-n", str(ranks)])
    in_folder(written_twice)
    if app == "minife":
        in_folder(dumps)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
