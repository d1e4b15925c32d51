"""Tests scripts/claims on small files: [[bench]] tables, selection, and what --check finds.

    claims.py SOURCE_FOLDER BUILD_FOLDER
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE, BUILD = Path(sys.argv[1]), Path(sys.argv[2])

# The command prints no results of minx-bench, but what a test can foresee; it notes each of its runs.
CLAIMS = """
[[bench]]
name = "small"
text = "core over rival"
in_doc = "{page}"
section = ["Host", "Machine"]
command = '''
echo "$LOOPS" >>{runs}
echo '[{{"name": "triad", "ratio": 1.01}}, {{"name": "dot-cache", "ratio": 1.2}}]' >"$JSON"
'''
repeat = 2
ratio_at_most = {{triad = 1.05, dot-cache = 1.1, scan = 1.05}}

[[claim]]
name = "number"
text = "a number"
command = "echo figure 3"
pattern = "figure (.*)$"
at_least = 2

[[claim]]
name = "of-data"
text = "a figure that needs the reference data"
command = "echo figure 4"
pattern = "figure (.*)$"
at_least = 2
needs = "reference data"
"""
PAGE = """# Page
## Machine 1, two cores
| loop | core | core / rival (runs) |
|---|---|---|
| triad | 1 us | 1.02 (1.02, 1.07) |
### Others
| loop | core / rival | in cache |
|---|---|---|
| dot: a sum | | 1.05 |
| scan | 1.04 | |
"""
failures = 0


def expect(what, got, expected):
    global failures
    if got != expected:
        print(f"{what}: got {got!r}, expected {expected!r}")
        failures += 1


def run(file, *arguments, data=""):
    done = subprocess.run([sys.executable, SOURCE / "scripts" / "claims", "--build", BUILD, "--file", file, *arguments],
                          capture_output=True, text=True, timeout=60, env={**os.environ, "MINX_REFERENCE_DATA": str(data)})
    # each line without the blanks that align it
    return done.returncode, [" ".join(line.split()) for line in (done.stdout + done.stderr).splitlines()]


def test_measuring(file, runs):
    code, lines = run(file)
    expect("all claims: exit code", code, 1)
    expect("all claims", lines, [
        "triad-small 1.01 <= 1.05 PASS",
        "dot-cache-small 1.2 <= 1.1 FAIL",
        "scan-small - <= 1.05 FAIL (no 'ratio' among the 0 records that `where` selects)",
        "number 3 >= 2 PASS",
        "of-data - >= 2 SKIP (needs the folder that MINX_REFERENCE_DATA names)",
        "2 passed, 2 failed, 1 skipped"])
    expect("with data", run(file, "--only", "of-data", data=SOURCE), (0, ["of-data 4 >= 2 PASS", "1 passed, 0 failed, 0 skipped"]))
    expect("runs of the command", runs.read_text().split(), ["triad,dot-cache,scan"] * 2)
    runs.unlink()
    expect("one loop", run(file, "--only", "triad-small"), (0, ["triad-small 1.01 <= 1.05 PASS",
                                                                "1 passed, 0 failed, 0 skipped"]))
    expect("loops that were measured", runs.read_text().split(), ["triad"] * 2)
    expect("a table", len(run(file, "--only", "small", "--list")[1]), 3)


def test_check(file, page):
    expect("the same", run(file, "--check"), (0, []))
    page.write_text(PAGE.replace("1.02 (", "1.06 (") + "| copy | 1.0 | 0.9 |\n")
    expect("other docs", run(file, "--check"), (1, [
        f"{page}, Machine 1, two cores: triad: the ratio is 1.06, but the claim is <= 1.05",
        f"{page}, Others: copy: no claim",
        f"{page}, Others: copy-cache: no claim"]))
    page.write_text(PAGE.replace("| core | core / rival (runs) |", "| gcc: core / rival | clang: core / rival |")
                    .replace("| 1 us | 1.02 (1.02, 1.07) |", "| 1.07 | 1.02 |"))
    expect("the highest of two ratios", run(file, "--check"), (1, [
        f"{page}, Machine 1, two cores: triad: the ratio is 1.07, but the claim is <= 1.05"]))
    page.write_text("# Page\n")
    expect("no tables", run(file, "--check"), (1, [f"{page}: found no table of loops: has its form changed?"]))
    page.write_text(PAGE)
    file.write_text(file.read_text().replace("scan = 1.05", "scan = 1.05, trido-cache = 1.1"))
    expect("no such loop", run(file, "--check"), (1, ["small: trido-cache: minx-bench has no case of this name"]))


def test_malformed(file):
    file.write_text(file.read_text().replace("triad = 1.05", "triad = true"))
    expect("no bound", run(file), (2, [
        f"claims: {file}: small: triad: got True, expected a number, the bound of its ratio"]))
    file.write_text(file.read_text().replace("section =", "part ="))
    expect("unknown key", run(file), (2, [f"claims: {file}: bench 1 (small): unknown key 'part'"]))


def main():
    with tempfile.TemporaryDirectory() as folder:
        file, page, runs = Path(folder) / "claims.toml", Path(folder) / "page.md", Path(folder) / "runs"
        file.write_text(CLAIMS.format(page=page, runs=runs))
        page.write_text(PAGE)
        test_measuring(file, runs)
        test_check(file, page)
        test_malformed(file)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
