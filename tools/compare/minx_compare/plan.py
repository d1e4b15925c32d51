"""A plan: a TOML file that says what is compared. Reading it checks every key and value; what depends on the machine is checked in
machine.py. docs/compare.md has the table of keys."""
from __future__ import annotations

import dataclasses
import difflib
import re
from pathlib import Path

from .errors import CANNOT, NOTHING, Ends, Mistakes, Text

try:
    import tomllib
except ImportError:
    try:
        import tomli as tomllib
    except ImportError:
        tomllib = None

LAUNCHERS = ("auto", "none", "mpirun", "srun")
LAYOUTS = ("auto", "left", "right")
SCALINGS = ("strong", "weak")
TAKEN = ("ranks", "threads", "cores", "gpus", "backend", "repeat")  # names that axes cannot have
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MAX_REPEATS = 1000
MAX_PROCESSES = 10**7
MAX_SECONDS = 10**7


@dataclasses.dataclass
class Case:
    where: str  # file and number, for messages
    name: str = ""
    app: str = ""
    deck: list = dataclasses.field(default_factory=list)
    options: list = dataclasses.field(default_factory=lambda: [""])
    backend: list = dataclasses.field(default_factory=lambda: ["all"])
    layout: list = dataclasses.field(default_factory=lambda: ["auto"])
    precision: list = dataclasses.field(default_factory=lambda: [""])
    ranks: list = dataclasses.field(default_factory=lambda: [1])
    threads: list = dataclasses.field(default_factory=lambda: [1])
    axis: dict = dataclasses.field(default_factory=dict)
    agree: list = dataclasses.field(default_factory=list)
    scaling: str = ""
    repeats: int = 0  # 0: the plan's
    timeout: float = 0
    seconds: object = ""


@dataclasses.dataclass
class Plan:
    path: Path
    title: str = ""
    repeats: int = 3
    timeout: float = 600
    launcher: str = "auto"
    launcher_options: list = dataclasses.field(default_factory=list)
    environment: dict = dataclasses.field(default_factory=dict)
    oversubscribe: bool = False
    keep_results: bool = True
    limits: bool = True
    cases: list = dataclasses.field(default_factory=list)


def is_whole(value, low, high):
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def is_number(value, high):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= high


def is_texts(value):
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_text(value):
    return isinstance(value, str) and value != ""


def is_environment(value):
    return isinstance(value, dict) and all(NAME.fullmatch(key) and isinstance(item, str) for key, item in value.items())


WHOLE = (lambda v: is_whole(v, 1, MAX_REPEATS), f"a whole number from 1 to {MAX_REPEATS}")
SECONDS = (lambda v: is_number(v, MAX_SECONDS), f"a number of seconds above 0, at most {MAX_SECONDS}")
SWITCH = (lambda v: isinstance(v, bool), "true or false")
TEXT = (is_text, "a text that is not empty")
TEXTS = (is_texts, "a list of texts")

PLAN_KEYS = {
    "title": TEXT, "repeats": WHOLE, "timeout": SECONDS,
    "launcher": (lambda v: v in LAUNCHERS, f"one of {', '.join(LAUNCHERS)}"),
    "launcher_options": TEXTS, "environment": (is_environment, "a table of variables with texts"),
    "oversubscribe": SWITCH, "keep_results": SWITCH, "limits": SWITCH,
    "case": (lambda v: isinstance(v, list) and all(isinstance(item, dict) for item in v), "tables [[case]]"),
}

# of a list's entries
ENTRY = {
    "deck": TEXT, "options": (lambda v: isinstance(v, str), "a text of options, separated by blanks"), "backend": TEXT,
    "layout": (lambda v: v in LAYOUTS, f"one of {', '.join(LAYOUTS)}"), "precision": TEXT,
    "ranks": (lambda v: is_whole(v, 1, MAX_PROCESSES) or is_text(v), 'a whole number of at least 1, or an expression such as "cores / 2"'),
    "threads": (lambda v: is_whole(v, 1, MAX_PROCESSES) or is_text(v), 'a whole number of at least 1, or an expression such as "cores / ranks"'),
    "agree": TEXT,
}
CASE_KEYS = {
    "name": TEXT, "app": TEXT, "repeats": WHOLE, "timeout": SECONDS,
    "seconds": (lambda v: is_number(v, MAX_SECONDS) or is_text(v), "a number of seconds above 0, or an expression"),
    "scaling": (lambda v: v in SCALINGS, f"one of {', '.join(SCALINGS)}"),
}


def near(name, names):
    found = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {found[0]}?" if found else ""


def read_toml(path):
    if tomllib is None:
        raise Ends(CANNOT, f"{path}: reading plans needs Python 3.11 or the package tomli (Debian: python3-tomli)")
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise Ends(2, f"{path}: got no plan ({error.strerror}), expected a TOML file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Ends(2, f"{path}: got what is no TOML, expected a plan: {error}") from None


def load(path, mistakes=None):
    """The plan of a file. Ends the program with all mistakes of the file, or adds them to `mistakes`."""
    path = Path(path)
    content = read_toml(path)
    own = Mistakes()
    plan = Plan(path=path, title=path.stem)
    for key, value in content.items():
        if key not in PLAN_KEYS:
            own.add(f"{path}: {key}", Text("an unknown key"), f"one of {', '.join(PLAN_KEYS)}{near(key, PLAN_KEYS)}")
        elif not PLAN_KEYS[key][0](value):
            own.add(f"{path}: {key}", value, PLAN_KEYS[key][1])
        elif key != "case":
            setattr(plan, key, value)
    tables = content.get("case", [])
    if not tables:
        own.add(f"{path}: case", NOTHING, "at least one table [[case]]")
    if isinstance(tables, list):
        plan.cases = [read_case(path, number, table, own) for number, table in enumerate(tables, 1) if isinstance(table, dict)]
    names = [case.name for case in plan.cases]
    for name in sorted({name for name in names if name and names.count(name) > 1}):
        own.add(f"{path}: case: name", name, "a name that no other case has")
    if mistakes is None:
        own.end_if_any()
    else:
        mistakes.lines += own.lines
    return plan


def read_case(path, number, table, mistakes):
    label = table.get("name") if isinstance(table.get("name"), str) else ""
    case = Case(where=f"{path}: case {number}" + (f" ({label})" if label else ""))
    known = {**ENTRY, **CASE_KEYS, "axis": None}
    for key, value in table.items():
        where = f"{case.where}: {key}"
        if key not in known:
            mistakes.add(where, Text("an unknown key"), f"one of {', '.join(known)}{near(key, known)}")
        elif key == "axis":
            read_axes(case, value, mistakes)
        elif key in CASE_KEYS:
            if CASE_KEYS[key][0](value):
                setattr(case, key, value)
            else:
                mistakes.add(where, value, CASE_KEYS[key][1])
        else:
            setattr(case, key, read_list(where, value, ENTRY[key], mistakes))
    if "app" not in table:
        mistakes.add(f"{case.where}: app", NOTHING, "the name of a program: minife, minimd or tealeaf")
    case.name = case.name or f"{case.app}-{number}"
    return case


def read_list(where, value, entry, mistakes):
    """An axis of the matrix: a list, or one value. Its entries differ."""
    good, expected = entry
    values = value if isinstance(value, list) else [value]
    if not values:
        mistakes.add(where, Text("an empty list, so there is nothing to run"), expected)
    for index, item in enumerate(values):
        if not good(item):
            mistakes.add(where, item, expected)
        elif item in values[:index]:
            mistakes.add(where, item, "each entry once")
    return values


def read_axes(case, value, mistakes):
    if not isinstance(value, dict):
        mistakes.add(f"{case.where}: axis", value, "a table of lists, such as {n = [100, 200]}")
        return
    for name, entries in value.items():
        where = f"{case.where}: axis.{name}"
        if not NAME.fullmatch(name) or name in TAKEN:
            mistakes.add(where, name, f"a name of letters and digits, not one of {', '.join(TAKEN)}")
        good = (lambda v: isinstance(v, (int, float, str)) and not isinstance(v, bool), "a list of numbers or texts")
        case.axis[name] = read_list(where, entries, good, mistakes)
