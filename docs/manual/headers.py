#!/usr/bin/env python3
"""Writes copies of headers in which the comments of public names are documentation comments of Doxygen.

    docs/manual/headers.py OUTPUT_FOLDER HEADER...

The headers have plain C comments: one at the head of a file, one above a declaration or above a group of declarations without
a blank line between them, and one beside a member. The copy has all comments that belong to public names in reStructuredText,
which Breathe hands to Sphinx. In a comment, lines with columns become blocks of fixed width; other lines become paragraphs.

  * The first declaration below a comment gets its text. The others of the group refer to it.
  * A public name without a comment of its own refers to the comment of its header that names it.
  * A name that programs use gets the first use of it, from an example, a test or an app.
  * All other comments, and macros that only wrap a function of the same name, are left out.

Prints the public names that no comment explains, and then exits with 1.
"""
import importlib.machinery
import importlib.util
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# where uses of a name are searched for, the best ones first
USES = ("examples/axpy", "examples/kernels", "examples/python", "tutorial", "apps/tealeaf", "apps/minife", "apps/minimd", "tests/core",
        "tests/install", "tests/apps", "kit/src", "apps/common", "apps/verify", "tests/bench")


def check_names():
    loader = importlib.machinery.SourceFileLoader("check_names", str(ROOT / "scripts/check-names"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_names", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


NAMES = check_names()
PUBLIC = re.compile(r"\b(?:mx|MX|app|APP)_\w*[A-Za-z0-9]\b")


def public_names(text):
    """The public names that a header or a declaration declares."""
    NAMES.PUBLIC = PUBLIC
    return NAMES.declared_in(text)


# ---- the text of a comment ----

def words_of(comment):
    """The lines of a comment, without the marks of comments."""
    body = re.sub(r"^/\*+|\*+/$", "", comment.strip()).replace("\t", "    ").split("\n")
    lines = [re.sub(r"^\s*\* ?|^\s+(?!\*)", "", line) if number else line.strip() for number, line in enumerate(body)]
    return [line.rstrip() for line in lines]


def inline(text, known):
    """A paragraph in reStructuredText; names in `known` become links."""
    parts = re.split(r"(`[^`]+`|\b(?:mx|MX|app|APP)_\w+\b)", text)
    out = ""
    for number, part in enumerate(parts):
        if number % 2 == 0:
            out += re.sub(r"([\\*_|`])", r"\\\1", part)
        else:
            name = part.strip("`")
            before = "\\ " if out and not out[-1].isspace() else ""
            out += before + (f":c:macro:`{name}`" if name in known else f"``{name}``") + "\\ "
    return out


LIST_ITEM = re.compile(r" *(?:\d+\.|-|\(\d+\)) +(?=\S)")


def has_columns(line):
    return bool(re.match(r"  ", line) or re.search(r"\S   +\S", line))


def segments(block):
    """The parts of a block that are code or columns of text: (kind, lines)."""
    out = []
    for part in "\n".join(block).split("\n\n"):
        lines = part.split("\n")
        code = sum(line.rstrip("\\ ").endswith((";", "{", "}", ")", ",")) or "// " in line or ";  " in line for line in lines)
        kind = "c" if 2 * code > len(lines) else "text"
        if out and out[-1][0] == kind:
            out[-1][1].extend(["", *lines])
        else:
            out.append((kind, lines))
    return out


def restructured(lines, known):
    """Paragraphs and blocks of fixed width."""
    out, paragraph, block = [], [], []

    def end_paragraph():
        if paragraph:
            mark = LIST_ITEM.match(paragraph[0])
            text = " ".join(paragraph)
            out.append((mark[0] + inline(text[mark.end() :], known) if mark else inline(text, known)) + "\n\n")
            paragraph.clear()

    def end_block():
        while block and not block[-1]:
            block.pop()
        if block:
            for kind, lines in segments(block):
                cut = min(len(line) - len(line.lstrip()) for line in lines if line)
                out.append(f".. code-block:: {kind}\n   :force:\n\n" + "".join("   " + line[cut:] + "\n" for line in lines) + "\n")
            block.clear()

    for line in lines:
        if LIST_ITEM.match(line) and not re.search(r"\S   +\S", line):
            end_paragraph()
            end_block()
            paragraph.append(line.strip())
        elif paragraph and LIST_ITEM.match(paragraph[0]) and re.match(r" +\S", line):
            paragraph.append(line.strip())
        elif has_columns(line):
            end_paragraph()
            block.append(line)
        elif not line:
            end_paragraph()
            if block:
                block.append(line)
        else:
            end_block()
            paragraph.append(line)
    end_paragraph()
    end_block()
    return "".join(out).strip("\n")


def documentation(text, mark="/**"):
    """A comment of Doxygen."""
    return f"{mark} \\verbatim embed:rst\n{text}\n\\endverbatim */\n"


# ---- uses of names ----

def statement_at(lines, at):
    """The statement around line `at`, five lines at most."""
    first = last = at
    while first > 0 and at - first < 3 and lines[first - 1].strip() and not re.search(r"[;{}>/]\s*$|^\s*#", lines[first - 1]):
        first -= 1
    while last + 1 < len(lines) and last - first < 5 and not re.search(r"[;{}]\s*\\?$", lines[last]) and lines[last + 1].strip():
        last += 1
    part = [line.rstrip().rstrip("\\").rstrip() for line in lines[first : last + 1]]
    part = part[:-1] if part[-1].strip() == "{" and len(part) > 1 else part
    cut = min(len(line) - len(line.lstrip()) for line in part)
    return "\n".join("   " + line[cut:] for line in part)


def uses_in(path, rank, found):
    """Adds the first use of each public name in a file, unless a better one is known."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), path.read_text(), flags=re.S)
    lines, seen = text.split("\n"), set(re.findall(r"^\s*#\s*define\s+(\w+)", text, flags=re.M))
    for number, line in enumerate(lines):
        if line.lstrip().startswith("#") or re.match(r"(?:typedef|struct|extern)\b", line):
            continue
        for name in set(PUBLIC.findall(line)) - seen:
            seen.add(name)
            if path.suffix == ".h" and re.match(r"(?:const )?\w+ \**" + name + r"\(", line):
                continue  # a declaration
            statement = statement_at(lines, number)
            key = (not statement.endswith((";", "{", ")")), rank, statement.count("\n"))
            if name not in found or key < found[name][0]:
                found[name] = (key, str(path.relative_to(ROOT)), statement)


def all_uses():
    found = {}
    for rank, folder in enumerate(USES):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h") and path.name != "start.c":  # a start file of the course has gaps
                uses_in(path, rank, found)
    return {name: (path, statement) for name, (_, path, statement) in found.items()}


def with_use(name, text, uses, header):
    if name not in uses or uses[name][0] == header:
        return text
    path, statement = uses[name]
    return f"{text}\n\n.. code-block:: c\n   :caption: Used in {path}\n   :force:\n\n{statement}"


# ---- headers ----

def pieces_of(text):
    """The header in pieces: (kind, text) with kind comment, directive, statement or blank."""
    at = 0
    while at < len(text):
        if (blank := re.compile(r"[ \t]*\n(?:[ \t]*\n)+").match(text, at)) or (blank := re.compile(r"\s+").match(text, at)):
            yield "blank" if blank[0].count("\n") > 1 else "space", blank[0]
            at = blank.end()
            continue
        end = end_of_piece(text, at)
        kind = "comment" if text.startswith("/*", at) else "directive" if text[at] == "#" else "statement"
        yield kind, text[at:end]
        at = end


def end_of_piece(text, at):
    for pattern in (r"/\*.*?\*/", r"//[^\n]*", r"#(?:\\\n|/\*.*?\*/|[^\n])*", r'extern "C(?:\+\+)?" \{', r"\}"):
        if (found := re.compile(pattern, flags=re.S).match(text, at)):
            return found.end()
    stamp = re.compile(r"(?:MX_[A-Z0-9_]+|static_assert)\s*\(").match(text, at)
    if stamp:
        end = NAMES.end_of(text, stamp.end() - 1)
        tail = re.compile(r"\s*;|(?=\s*(?:\n|$))").match(text, end)
        if tail:
            return tail.end()
    function = re.compile(r"[^;{}#]*\)\s*\{").match(text, at)
    while at < len(text) and text[at] != ";":
        if text[at] == "{":
            at = NAMES.end_of(text, at)
            if function:
                return at
        else:
            at += 1
    return at + 1


def members(statement, known):
    """Comments inside a struct or an enumeration."""
    if not re.match(r"[^(;]*\b(?:struct|enum|union)\b[^;(]*\{", statement):
        return statement

    def converted(match):
        text = restructured([" ".join(line.strip() for line in words_of(match[2]))], known)
        return f"{match[1]}{documentation(text, '/**<' if match[1].strip() else '/**')}"

    return re.sub(r"^([^\n]*?)(/\*.*?\*/)", converted, statement, flags=re.S | re.M)


def text_of(path):
    """A header's text. A type that is a pointer to a struct of its own name has an entry only if the tag is another one."""
    return re.sub(r"\bstruct (\w+) \*\1;", r"struct \1_s *\1;", path.read_text())


class Header:
    """One header on its way to Doxygen."""

    def __init__(self, path, known, uses):
        self.path = str(path.relative_to(ROOT))
        self.text = text_of(path)
        self.known, self.uses = known, uses
        self.pieces = list(pieces_of(self.text))
        self.explained = {}  # a name: the text of its comment, or a reference to another one
        self.comments = []  # (the name that stands below it or None for the file, the text)
        self.collect()

    def collect(self):
        """What explains each name, in two passes: first its own comment, then a comment that names it."""
        comment, owner, without = None, None, []
        for kind, piece in self.pieces:
            if kind == "comment":
                comment, owner = piece, None
                self.comments.append([None, piece])
            elif kind == "blank":
                comment = owner = None
            elif kind in ("directive", "statement") and not is_wrapper(piece):
                has_members = bool(re.search(r"^[^(;]*\b(?:struct|enum|union)\b[^;(]*\{.*/\*", piece, flags=re.S))
                for name in in_order(piece):
                    if comment is None and has_members:
                        self.explained.setdefault(name, "")  # by the comments beside its members
                    elif comment is None or name in self.explained:
                        without += [] if name in self.explained else [name]
                    elif owner is None:
                        owner, self.comments[-1][0] = name, name
                        self.explained[name] = restructured(words_of(comment), self.known)
                    else:
                        self.explained[name] = f"Explained with :c:macro:`{owner}`."
        self.without = [name for name in without if name not in self.explained]

    def refer(self, name, headers):
        """A comment that names it: of its own header, else of another one."""
        pattern = re.compile(r"\b" + re.sub(r"\d+", r"\\d+", name) + r"\b")
        for header in [self, *headers]:
            for owner, comment in header.comments[:1] + [one for one in header.comments[1:] if one[0]]:
                if pattern.search(comment) or names_family(name, comment):
                    page = "this page" if header is self else f"``{header.path.split('include/')[-1]}``"
                    self.explained[name] = f"Explained {f'with :c:macro:`{owner}`' if owner else f'at the head of {page}'}."
                    return True
        return False

    def converted(self):
        out, opened = [], False
        for kind, piece in self.pieces:
            if kind == "comment" and not opened:
                text = restructured(words_of(piece), self.known)
                out.append(f"/** \\file\n\\verbatim embed:rst\n{text}\n\\endverbatim */\n")
            elif kind in ("directive", "statement") and not is_wrapper(piece):
                names = in_order(piece)
                if names:
                    out.append(self.documented(piece, names) + "\n")
                elif kind == "directive" and re.match(r"#\s*(?:if|el|end)", piece):
                    out.append(re.sub(r"/\*.*?\*/", " ", piece, flags=re.S) + "\n")
            opened = opened or kind not in ("blank", "space")
        return "".join(out)

    def documented(self, piece, names):
        name = names[0]
        text = self.explained.get(name, "")
        uses = [one for one in names if one in self.uses]
        text = with_use(uses[0] if uses else name, text, self.uses, self.path) or name
        piece = members(piece, self.known) if piece[0] != "#" else piece
        return documentation(text) + piece


def in_order(piece):
    """The public names that a piece declares, in their order; not the tag of a struct without members."""
    code = code_of(piece)
    names = public_names(code) - set(re.findall(r"\bstruct\s+(\w+)\s*(?:\*\s*\w+\s*)?;", code))
    return sorted(names, key=lambda name: re.search(r"\b" + name + r"\b", piece).start())


def code_of(text):
    """As scripts/check-names: without comments and the contents of strings, each directive in one line."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda m: " " if m[0][0] == "/" else '""', text.replace("\\\n", " "),
                  flags=re.S)


def is_wrapper(piece):
    """#define f(...) MX_AT_SOURCE_LINE_(f(__VA_ARGS__)): a function of that name is documented."""
    return bool(re.match(r"#define (\w+)\(\.\.\.\) MX_AT_SOURCE_LINE_\(\1\(", piece))


def names_family(name, comment):
    """Does a comment name a family of names, as mx_atomic_OP_fetch and NAME_INIT do?"""
    families = re.findall(r"\b(?:mx_\w*OP\w*|NAME_[A-Z]+)\b", comment)
    return any(re.fullmatch(re.sub(r"OP|NAME", r"\\w+", family), name) for family in families)


def main():
    if len(sys.argv) < 3 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) > 1 else 2
    output = Path(sys.argv[1])
    headers = [Path(name).resolve() for name in sys.argv[2:]]
    known = set().union(*(in_order(text_of(path)) for path in headers))
    uses, unexplained = all_uses(), []
    headers = [Header(path, known, uses) for path in headers]
    for header in headers:
        missing = [name for name in header.without if not header.refer(name, headers)]
        if not header.path.startswith("apps/"):  # there a comment beside the members, or a clear name, is enough
            unexplained += [f"{header.path}: no comment explains {name}" for name in missing]
    for header in headers:
        target = output / header.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(header.converted())
    print("\n".join(unexplained) or f"{len(known)} public names, each is explained")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
