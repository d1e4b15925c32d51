"""miniFE's operators and preconditioners, read from the lists that the program is made of: tests go through all of them."""
import os
import re

INPUT = os.path.join(os.path.dirname(__file__), "../../../apps/minife/input")


def rows(name, macro):
    """The arguments of each row, as words."""
    with open(os.path.join(INPUT, name), encoding="ascii") as file:
        found = re.findall(rf"^{macro}\((.*)\)$", file.read(), re.M)
    if not found:
        raise SystemExit(f"{name}: no row of {macro}")
    return [row.split(", ") for row in found]


OPERATORS = {word: stored == "true" for _, word, stored, _ in rows("operators.def", "FE_OPERATOR")}
STORED = [word for word, stored in OPERATORS.items() if stored]
FREE = [word for word, stored in OPERATORS.items() if not stored]
MULTIPLES = {word: int(multiple) for _, word, _, _, multiple in rows("preconditioners.def", "FE_PRECONDITIONER")}


def preconditioners(elements):
    """Those that take a mesh with multiples of so many elements along each dimension."""
    return ["none"] + [word for word, multiple in MULTIPLES.items() if elements % multiple == 0]
