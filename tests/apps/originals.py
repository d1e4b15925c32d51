#!/usr/bin/env python3
"""The programs as scripts for the original ones start them: by the originals' names, with their options, and with the lines that such
scripts look for.

usage: originals.py APP PROGRAM DECK MPIEXEC WORD...
"""
import os
import re
import shutil
import sys
import tempfile

from launcher import run_ranks

app, program, deck, *mpiexec = sys.argv[1:]
program, deck = os.path.abspath(program), os.path.abspath(deck)
LINKS = {"tealeaf": "tea_leaf", "minife": "miniFE.x", "minimd": "miniMD_mpi"}
failures = 0


def fail(text):
    global failures
    failures += 1
    print(text)


def run(words, code=0, ranks=1, by=program):
    done = run_ranks([*([*mpiexec, "-n", str(ranks)] if ranks > 1 else []), by, *words, "--backend=serial"])
    if done.returncode != code:
        fail(f"{' '.join(words)}: exit code {done.returncode}, expected {code}\n{done.stdout[-500:]}{done.stderr[-500:]}")
    return done


def expect(what, text, pattern):
    if not re.search(pattern, text, re.M):
        fail(f"{what}: nothing matches {pattern}\n{text[-1500:]}")


def tealeaf(link):
    """The deck by its option, cells, and the file of the original."""
    for option in ("--file", "-f", "-i", "--in"):
        expect(option, run([option, deck], by=link).stdout, r"^ mesh 10 x 10,")
    run(["--file", deck, deck], 2)
    done = run(["--file", deck, "-x", "8", "-y", "6", "test_problem=0"])
    expect("-x and -y", done.stdout, r"^ mesh 8 x 6,")
    run(["--file", deck, "-x", "0"], 2)
    for ranks in (1, 2):
        for quiet in ([], ["--quiet"]):
            done = run([deck, "--out", "tea.out", *quiet], ranks=ranks)
            with open("tea.out", encoding="utf-8") as file:
                text = file.read()
            if done.stdout != ("" if quiet else text):
                fail(f"--out {quiet} on {ranks} ranks: the file is not what is printed\n{text}\n{done.stdout}")
            expect("--out", text, r"^verdict: passed$")
            clock = re.findall(r"Wall clock\s+(\S+)", text)
            if not clock or not all(re.fullmatch(r"\d+\.\d+", word) for word in clock):
                fail(f"Wall clock: got {clock}, expected numbers")
    if "No such file" not in run([deck, "--out", "no/tea.out"], 3).stderr:
        fail("--out in a folder that is not there: no message")
    shutil.copy(deck, "in")
    if "which would replace the input in" not in run(["in", "--out", "in"], 2).stderr:
        fail("--out with the name of the deck: no message")
    run([deck, "--out", "r.h5", "--output=r.h5"], 2)
    if os.path.exists("/dev/full"):
        run([deck, "--quiet", "--out", "/dev/full"], 3)


def minife(link):
    """Options that mean nothing here have a note each; those that are the defaults of the original, too."""
    flags = {"use_locking": "1", "elem_group_size": "8", "use_elem_mat_fields": "0", "numa": "2", "scheduler": "sherwood",
             "topology": "x"}
    for form in ("{}={}", "-{} {}", "{}:{}"):
        words = [word for name, value in flags.items() for word in form.format(name, value).split()]
        done = run(["nx=5", *words], by=link)
        notes = re.findall(r"^minife: note: (\w+): a key of the original, without effect here: ", done.stderr, re.M)
        if sorted(notes) != sorted(flags):
            fail(f"{form}: notes on {notes}, expected on {list(flags)}\n{done.stderr}")
    done = run(["nx=5", "--numa=1"], ranks=2)
    if done.stderr.count("minife: note: numa") != 1:
        fail(f"two ranks: expected one note\n{done.stderr}")
    run(["nx=5", "numb=1"], 2)
    run(["nx=5", "skip_device=1"], 2) # would change which devices are used
    run(["nx=5", "yaml=."])
    report = [name for name in os.listdir(".") if name.endswith(".yaml")]
    with open(report[0], encoding="utf-8") as file:
        expect("the YAML file", file.read(), r"^ +Total CG Mflops: [0-9.e+]+$")


def minimd(link):
    for ranks in (1, 2):
        done = run(["-i", deck, "-s", "3", "-n", "10"], ranks=ranks, by=link)
        expect("PERF_SUMMARY", done.stdout, r"^(\S+ ){11}PERF_SUMMARY \S+$")
        words = re.search(r"^(.*) PERF_SUMMARY", done.stdout, re.M).group(1).split()
        merit = float(re.search(r"^figure of merit: (\S+) atom-steps/s$", done.stdout, re.M).group(1))
        if abs(float(words[9]) - merit) > 1e-3 * merit:
            fail(f"performance: {words[9]} in the line PERF_SUMMARY, {merit} as the figure of merit")


def main():
    link = os.path.join(os.path.dirname(program), LINKS[app])
    if not os.path.islink(link) or os.path.realpath(link) != os.path.realpath(program):
        fail(f"{link} is no link to {program}")
        return 1
    home = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        {"tealeaf": tealeaf, "minife": minife, "minimd": minimd}[app](link)
        os.chdir(home)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
