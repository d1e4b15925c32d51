"""Tests scripts/claims on small files: figures of several kinds, selection, and what --check finds.

    claims.py SOURCE_FOLDER BUILD_FOLDER
"""
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, BUILD = Path(sys.argv[1]), Path(sys.argv[2])

# The commands print what a test can foresee; the first, which three claims share, notes each of its runs.
LOOPS = """command = '''
echo run >>RUNS
echo '[{"name": "triad", "ratio": 1}, {"name": "dot", "ratio": 4}, {"name": "dot-cache", "ratio": 9}]' >"$JSON"
'''
field = "ratio"
repeat = 2
"""
CLAIMS = f"""
[[claim]]
name = "loops-mean"
text = "core over rival"
{LOOPS}where = {{name = ["!*-cache", "*[it]*"]}}
reduce = "geomean"
at_most = 2

[[claim]]
name = "loops-worst"
text = "the highest"
{LOOPS}where = {{name = "!*-cache"}}
reduce = "max"
at_most = 3

[[claim]]
name = "loops-none"
text = "a loop that is not there"
{LOOPS}where = {{name = "scan"}}
at_most = 3

[[claim]]
name = "number"
text = "a number"
command = "echo figure 3"
pattern = "figure (.*)$"
at_least = 2
unit = "ms"

[[claim]]
name = "of-a-family"
text = "a figure that has a bound on two families"
command = "echo figure 3"
pattern = "figure (.*)$"
at_most = {{zen = 1, zen5 = 4, intel-avx2 = 3}}
unit = "ms"

[[claim]]
name = "of-data"
text = "a figure that needs the reference data"
command = "echo figure 4"
pattern = "figure (.*)$"
at_least = 2
needs = "reference data"
"""
PAGE = """# Page
| claim | bound | measured |
|---|---|---|
| `loops-mean` | <= 2 | 3 |
| `loops-worst` | <= 3 | 3 |
| `loops-none` | <= 3 | |

| loop | core / rival |
|---|---|
| scan | 1.04 |

| claim | bound |
|---|---|
| `number` | >= 2 ms |
| `of-a-family` | zen <= 1 ms, zen5 <= 4 ms, intel-avx2 <= 3 ms |
| `of-data` | >= 2 |
"""
failures = 0


def expect(what, got, expected):
    global failures
    if got != expected:
        print(f"{what}: got {got!r}, expected {expected!r}")
        failures += 1


def run(file, *arguments, data="", family="intel"):
    if not {"--check", "--list"} & set(arguments):
        arguments = ("--family", family, *arguments)
    done = subprocess.run([sys.executable, SOURCE / "scripts" / "claims", "--build", BUILD, "--file", file, *arguments],
                          capture_output=True, text=True, timeout=60, env={**os.environ, "MINX_REFERENCE_DATA": str(data)})
    # each line without the blanks that align it
    return done.returncode, [" ".join(line.split()) for line in (done.stdout + done.stderr).splitlines()]


def test_measuring(file, runs):
    code, lines = run(file)
    expect("all claims: exit code", code, 1)
    expect("all claims", lines, [
        "family of CPUs: intel",
        "loops-mean 2 <= 2 PASS",
        "loops-worst 4 <= 3 FAIL",
        "loops-none - <= 3 FAIL (no 'ratio' among the 0 records that `where` selects)",
        "number 3 >= 2 ms PASS",
        "of-a-family 3 zen <= 1 ms, zen5 <= 4 ms, intel-avx2 <= 3 ms NONE (no bound for intel)",
        "of-data - >= 2 SKIP (needs the folder that MINX_REFERENCE_DATA names)",
        "2 passed, 2 failed, 1 without a bound, 1 skipped"])
    for family, word in (("zen4", "FAIL"), ("zen5", "PASS"), ("zen-avx2", "NONE (no bound for zen-avx2)"), ("intel-avx2", "PASS"), ("other", "NONE (no bound for other)")):
        code, lines = run(file, "--only", "of-a-family", family=family)
        expect(f"on {family}", (code, lines[1]), (int(word == "FAIL"), f"of-a-family 3 zen <= 1 ms, zen5 <= 4 ms, intel-avx2 <= 3 ms {word}"))
    expect("runs of the shared command", runs.read_text().split(), ["run"] * 2)
    expect("with data", run(file, "--only", "of-data", data=SOURCE),
           (0, ["family of CPUs: intel", "of-data 4 >= 2 PASS", "1 passed, 0 failed, 0 without a bound, 0 skipped"]))
    expect("a selection", len(run(file, "--only", "loops-*", "--list")[1]), 3)


def test_check(file, page):
    expect("the same", run(file, "--check", "--page", page), (0, []))
    page.write_text(PAGE.replace("<= 2", "<= 5").replace("`number`", "`nomber`"))
    expect("other docs", run(file, "--check", "--page", page), (1, [
        f"{page}: nomber: no claim of this name",
        f"{page}: loops-mean: got <= 5, expected <= 2",
        f"{page}: number: got no row, expected >= 2 ms"]))


def test_malformed(file):
    good = file.read_text()
    file.write_text(good.replace("unit =", "units ="))
    expect("unknown key", run(file), (2, [f"claims: {file}: claim 4 (number): unknown key 'units'"]))
    file.write_text(good.replace("{zen =", "{zne ="))
    expect("unknown family", run(file), (2, [f"claims: {file}: of-a-family: bound: got the family 'zne', expected zen or one of "
                                             "zen5, zen4, zen-avx2, intel, intel-avx2, other"]))
    file.write_text(good.replace("[[claim]]", "[[bench]]", 1))
    expect("unknown table", run(file), (2, [f"claims: {file}: unknown table 'bench', expected [[claim]]"]))


def test_families():
    """The lines of /proc/cpuinfo that tell families apart."""
    family_of = runpy.run_path(str(SOURCE / "scripts" / "claims"))["family_of"]
    for vendor, number, flags, family in (("AuthenticAMD", 26, "avx2 avx512f", "zen5"), ("AuthenticAMD", 25, "avx512f", "zen4"),
                                          ("AuthenticAMD", 25, "fpu avx2", "zen-avx2"), ("GenuineIntel", 6, "avx512f avx512dq", "intel"),
                                          ("GenuineIntel", 6, "avx2", "intel-avx2"), ("Another", 26, "avx512f", "other")):
        text = f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {number}\nflags\t\t: {flags}\n\n"
        expect(family, family_of(text), family)
    expect("no text", family_of(""), "other")


def main():
    test_families()
    with tempfile.TemporaryDirectory() as folder:
        file, page, runs = Path(folder) / "claims.toml", Path(folder) / "page.md", Path(folder) / "runs"
        file.write_text(CLAIMS.replace("RUNS", str(runs)))
        page.write_text(PAGE)
        test_measuring(file, runs)
        test_check(file, page)
        test_malformed(file)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
