#!/usr/bin/env python3
"""Commands on the pages that are marked as runnable run, in a copy of the files that git tracks.

    commands.py FOLDER_OF_PROGRAMS

The mark is a line <!-- runnable --> with a block of code behind it; readers do not see it. The blocks of a page run in their order, by
bash, with the programs on the PATH and in build/bin. Each must end with 0.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pages

SECONDS = 300


def blocks_of(page):
    """The marked blocks: (number of the first line, text)."""
    marked, number, lines = False, 0, []
    for at, code, line in [*pages.parts_of(page), (0, False, "end")]:
        if line.strip() == "<!-- runnable -->":
            marked = True
        elif marked and code:
            number = number or at
            lines.append(re.sub(r"^(?:    |\$ )", "", line))
        elif marked and line.strip():
            if not lines:
                pages.fail(page, at, "no block of code stands behind the mark <!-- runnable -->")
            else:
                yield number, "\n".join(lines).strip() + "\n"
            marked, number, lines = False, 0, []


def copy_to(folder, programs):
    for path in pages.tracked():
        target = folder / path.relative_to(pages.ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target, follow_symlinks=False)
    (folder / "build").mkdir()
    (folder / "build/bin").symlink_to(programs)


def run(page, number, text, folder, environment):
    try:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        pages.fail(page, number, f"the block took more than {SECONDS} s:\n{text}")
        return
    if done.returncode != 0:
        pages.fail(page, number, f"the block ended with {done.returncode}:\n{text}\n" + done.stdout.decode(errors="replace")[-2000:])


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print(__doc__.strip())
        return 2
    programs, count = Path(sys.argv[1]).resolve(), 0
    environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", OMP_NUM_THREADS="2")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        copy_to(folder, programs)
        for page in pages.tracked("*.md"):
            for number, text in blocks_of(page):
                count += 1
                run(page, number, text, folder, environment)
    if count < 4:
        pages.failures.append(f"found {count} blocks only: has the mark changed?")
    print("\n".join(pages.failures) if pages.failures else f"{count} blocks of commands ran")
    return 1 if pages.failures else 0


if __name__ == "__main__":
    sys.exit(main())
