#!/usr/bin/env python3
"""The pages (all *.md that git tracks) say what is true of the repository. Builds and runs nothing.

    pages.py

Checked: links to files and headings; names of functions, macros, types and of the package minx; paths, programs and options in
commands; the code of docs/idioms.md, which is part of two programs. Prints what is wrong, and exits with 1.
"""
import ast
import itertools
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PREFIXES = "mx|MX|app|APP|tl|TL|fe|FE|md|MD"
NAME = re.compile(rf"(?<![\w./-])(?:{PREFIXES})_[\w{{}},]*\*?")
PROGRAMS = "tealeaf|minife|minimd|minx-verify|minx-bench|minx-compare|minx-job|tea_leaf|miniFE.x|miniMD_mpi"
failures = []


def fail(page, line, text):
    failures.append(f"{page.relative_to(ROOT)}:{line}: {text}")


def tracked(*patterns):
    """Files in the repository, also new ones; all, if no pattern is given."""
    found = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
                           stdout=subprocess.PIPE, check=False)
    if found.returncode == 0:
        return [ROOT / name for name in found.stdout.decode().split("\0") if name and (ROOT / name).is_file()]
    return [path for pattern in patterns or ("*",) for path in ROOT.rglob(pattern) if path.is_file() and not path.relative_to(ROOT).parts[0].startswith(("build", "."))]


def parts_of(page):
    """The lines of a page: (number, is it in a code block, text)."""
    fence = None
    for number, line in enumerate(page.read_text().split("\n"), 1):
        mark = re.match(r" {0,3}(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark[1]
            yield number, True, ""
        elif fence is not None:
            yield number, True, "" if line.strip().startswith(fence) else line
            fence = None if line.strip() == fence else fence
        else:
            yield number, line.startswith("    "), line


# ---- links ----

def slug(heading):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.replace("`", ""))
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def anchors_of(page, known={}):
    if page not in known:
        known[page] = {slug(match[1]) for _, code, line in parts_of(page) if not code and (match := re.match(r"#+ +(.*)", line))}
    return known[page]


def check_links(page):
    for number, code, line in parts_of(page):
        if code:
            continue
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", line)):
            name, _, anchor = target.partition("#")
            path = (page.parent / name) if name else page
            if re.match(r"[a-z]+:", target) or name.endswith("genindex"):
                continue  # outside; the index that Sphinx makes
            if not path.exists():
                fail(page, number, f"a link to {target}: there is no such file")
            elif anchor and path.suffix == ".md" and anchor not in anchors_of(path.resolve()):
                fail(page, number, f"a link to {target}: there is no such heading")


# ---- names ----

def all_identifiers():
    words, ends = set(), set()
    for path in tracked("*.c", "*.h", "*.cu", "*.cuh", "*.py", "*.cmake", "CMakeLists.txt", "*/CMakeLists.txt", "scripts/*", "*.toml",
                        "*.def", "*.in", "tools/*", "*.ipynb"):
        text = path.read_text(errors="replace")
        words |= set(re.findall(r"\w+", text)) | {path.stem}
        if path.suffix in (".c", ".h"):  # names that macros put together from a part and a word
            words |= {part[:-1] for part in re.findall(r"\w+_##", text)}
            ends |= set(re.findall(r"##(_\w+)", text))
    return words, ends


def expanded(word):
    """mx_{a,b}_c stands for mx_a_c and mx_b_c."""
    parts = [part.split(",") for part in re.split(r"[{}]", word)]
    return ["".join(choice) for choice in itertools.product(*parts)]


def made_by_macros(name, words, ends):
    """Accessors and their like for ranks and types, and what macros make of a known name, as NAME_into."""
    tags = "f64|f32|i32|i64|u8|u32|u64|TAG|TYPE"
    if re.fullmatch(rf"mx_c?(?:{tags})_[0-8R]?[slr]?|mx_(?:min|max|minmax)?loc_(?:{tags})(?:_init|_join|_update|\*)?|"
                    rf"mx_(?:tiled|dynamic|range)_[1-6Nn]d?|mx_(?:pack|mask|part)_\w*(?:{tags})", name):
        return True
    if name.endswith("_mine"):  # what the reader writes
        return True
    return any(name.endswith(end) and (name[: -len(end)] in words or made_by_macros(name[: -len(end)], words, ())) for end in ends)


def check_names(page, words, ends):
    for number, _, line in parts_of(page):
        for word in NAME.findall(line):
            open_at = word.find("{") if word.count("{") != word.count("}") else len(word)
            for name in expanded(word[:open_at].rstrip(",}") if open_at < len(word) else word.rstrip(",")):
                prefix = name.rstrip("*")
                if name in words or made_by_macros(name, words, ends) or name.rstrip("_") in words:
                    continue
                if (name.endswith(("*", "_")) or open_at < len(word) or re.search(r"OP|NAME|KEY", name)) and any(
                        one.startswith(re.split(r"OP|NAME|KEY", prefix)[0]) for one in words):
                    continue
                fail(page, number, f"'{name}': no file has this name")


def package_names():
    """What `import minx` gives, by the package's source."""
    names = {path.stem for path in (ROOT / "python/minx").iterdir()}
    for node in ast.walk(ast.parse((ROOT / "python/minx/__init__.py").read_text())):
        if isinstance(node, ast.ImportFrom):
            names |= {one.asname or one.name for one in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def check_package(page, names):
    for number, _, line in parts_of(page):
        for name in re.findall(r"(?<![\w./-])minx\.([A-Za-z_]\w*)", line):
            if name not in names and name not in ("h", "TYPE", "py"):
                fail(page, number, f"'minx.{name}': the package has no such name")


# ---- commands ----

def commands_in(page):
    """The commands in blocks of code: (number, text); a line that ends with a backslash goes on."""
    whole, begin = "", 0
    for number, code, line in parts_of(page):
        text = line.strip()
        if not code or (not whole and not re.match(rf"(?:\$ )?(?:\w+=\S* )*(?:(?:mpirun|mpiexec|srun|time|nohup)\b.* )?"
                                                  rf"(?:(?:\./)?(?:scripts|build/bin|examples|inputs|tools)/|(?:{PROGRAMS})(?= ))", text)):
            whole = ""
            continue
        begin = begin if whole else number
        whole += text.rstrip("\\") + " "
        if not text.endswith("\\"):
            yield begin, re.sub(r"\s#.*", "", whole.strip())
            whole = ""


def all_options():
    files = tracked("apps/*.c", "apps/*.h", "core/*.c", "scripts/*", "tools/*", "tests/bench/*", "python/*.py")
    texts = [path.read_text(errors="replace") for path in files]
    options = set()
    for text in texts:
        options |= set(re.findall(r"--[a-z][\w-]*", text))
        options |= {"--" + name for name in re.findall(r'"([a-z][\w-]*)=?"', text)}
    return options


def check_commands(page, options):
    for number, command in commands_in(page):
        words = command.replace("$ ", "", 1).split()
        for word in words:
            path = word.strip("'\"();").split("=")[-1]
            if re.match(r"(?:\./)?(?:scripts|inputs|examples|tools|tests)/[\w./-]+$", path) and not (ROOT / path).exists():
                fail(page, number, f"a command has {path}: there is no such file")
        if re.search(rf"(?:scripts/|build/bin/|\b(?:{PROGRAMS})\b)", command):
            behind = re.split(rf"(?:scripts/\S+|\b(?:{PROGRAMS})\b)", command)[-1]
            for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", re.sub(r'"[^"]*"|\s--\s.*', "", behind)):
                if option not in options and not option.startswith(("--mx-", "--with-")):
                    fail(page, number, f"a command has {option}: no program has this option")


# ---- the idioms ----

def check_idioms():
    page = ROOT / "docs/idioms.md"
    flat = {name: re.sub(r"\s+", "", (ROOT / "examples/idioms" / file).read_text())
            for name, file in (("minx", "idioms.c"), ("OpenMP", "openmp.c"))}
    seen = 0
    for number, line in enumerate(page.read_text().split("\n"), 1):
        row = re.match(r"\| (minx|OpenMP) \| (.*) \|$", line)
        for code in re.findall(r"`([^`]+)`", row[2]) if row and not row[2].startswith("none") and row[2].startswith("`") else ():
            seen += 1
            if re.sub(r"\s+", "", code) not in flat[row[1]]:
                fail(page, number, f"this line is not in examples/idioms: {code}")
    if seen < 80:
        fail(page, 1, f"found {seen} lines of code only: has the form of the page changed?")


def main():
    pages = tracked("*.md")
    (words, ends), names, options = all_identifiers(), package_names(), all_options()
    for page in pages:
        check_links(page)
        check_names(page, words, ends)
        check_package(page, names)
        check_commands(page, options)
    check_idioms()
    commands = sum(1 for page in pages for _ in commands_in(page))
    if len(pages) < 30 or commands < 50 or len(words) < 5000:
        failures.append(f"found {len(pages)} pages, {commands} commands and {len(words)} names only: has something moved?")
    print("\n".join(failures) if failures else f"{len(pages)} pages and {commands} commands: links, names and options are right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
