#!/usr/bin/env python3
"""The cells that shapes fill, as docs/tealeaf-deck.md states it, worked out here in exact fractions, against the mass and energy that
tealeaf prints at step 0. Random decks in 2-D and 3-D, with sides of rectangles near edges of cells and with circles near centres of
cells. For most of them a rule without the shift by a hundredth of a cell gives another mass.

usage: shapes.py DOCUMENT TEALEAF [LAUNCHER...]
"""
import os
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction as F

DECKS, DECKS_BY_RANKS = 12, 4
# The rounding of sums of some hundred cells, relative; a cell more or less changes the mass by 1e-3 at least.
TOLERANCE = 1e-12
NAMES = "xyz"
# What the document must state, for `fills` to be the same.
STATED = ["x + dx >= xmin + dx / 100 and x < xmax - dx / 100", "(x + dx / 2, y + dy / 2) is at most `radius` from (xmin + dx / 100, ymin + dy / 100)",
          "x <= xmin < x + dx along every direction, without a shift"]


def fills(state, cell, width, shift):
    """Does the state fill the cell with this low corner?"""
    low, kind = state["low"], state["geometry"]
    sides = range(len(cell))
    if kind == "point":
        return all(cell[d] <= low[d] < cell[d] + width[d] for d in sides)
    if kind == "rectangle":
        return all(cell[d] + width[d] >= low[d] + shift * width[d] and cell[d] < state["high"][d] - shift * width[d] for d in sides)
    distance = sum((cell[d] + width[d] / 2 - low[d] - shift * width[d])**2 for d in sides)
    return distance <= state["radius"]**2


def totals(deck, shift):
    """The sums of density, and of density times energy, by volume."""
    width = [(high - low) / cells for low, high, cells in zip(deck["low"], deck["high"], deck["cells"])]
    volume = F(1)
    for w in width:
        volume *= w
    mass, energy = F(0), F(0)
    at = [0] * len(width)
    while True:
        cell = [deck["low"][d] + width[d] * at[d] for d in range(len(width))]
        for state in reversed(deck["states"]):
            if state["geometry"] is None or fills(state, cell, width, shift):
                mass += volume * state["density"]
                energy += volume * state["density"] * state["energy"]
                break
        d = 0
        while d < len(at) and at[d] + 1 == deck["cells"][d]:
            at[d] = 0
            d += 1
        if d == len(at):
            return mass, energy
        at[d] += 1


def near_edge(rng, low, width, cells):
    """A side 0.4 to 0.8 or 1.2 to 1.6 hundredths of a cell from an edge of cells, on either side of it."""
    off = F(rng.choice([-16, -12, -8, -4, 4, 8, 12, 16]), 1000)
    return low + width * (rng.randrange(cells + 1) + off)


def random_state(rng, deck, kind):
    sides = range(len(deck["cells"]))
    width = [(deck["high"][d] - deck["low"][d]) / deck["cells"][d] for d in sides]
    low = [near_edge(rng, deck["low"][d], width[d], deck["cells"][d] // 2) for d in sides]
    state = {"geometry": kind, "density": F(rng.randrange(2, 90)), "energy": F(rng.randrange(1, 90), 8), "low": low}
    if kind == "rectangle":
        state["high"] = [near_edge(rng, low[d] + width[d] * 2, width[d], deck["cells"][d] // 2) for d in sides]
    if kind == "circle": # through a point near a cell's centre
        through = [deck["low"][d] + width[d] * (rng.randrange(deck["cells"][d]) + F(1, 2)) for d in sides]
        distance = sum((through[d] - low[d])**2 for d in sides)
        state["radius"] = F(str(round(float(distance)**0.5 * (1 + rng.choice([-1, 1]) * 2e-3), 9))) or F(1)
    return state


def random_deck(rng, dims):
    cells = [rng.randrange(5, 12) for _ in range(dims)]
    low = [F(rng.randrange(-8, 8), 4) for _ in range(dims)]
    deck = {"cells": cells, "low": low, "high": [at + F(rng.randrange(4, 40), 4) for at in low], "states": []}
    deck["states"].append({"geometry": None, "density": F(1), "energy": F(1, 4)})
    for kind in rng.sample(["rectangle", "circle", "rectangle", "circle", "point"], 4):
        deck["states"].append(random_state(rng, deck, kind))
    return deck


def text_of(deck):
    """Numbers with 17 digits: fractions are rounded by less than anything here depends on."""
    solid = len(deck["cells"]) == 3
    words = {"rectangle": "cuboid" if solid else "rectangle", "circle": "circle", "point": "point"}
    lines = ["*tea", "tl_use_cg", "tl_eps 1e-8", "initial_timestep 1e-6", "end_step 1"]
    for d, name in enumerate(NAMES[:len(deck["cells"])]):
        lines.append(f"{name}_cells={deck['cells'][d]} {name}min={float(deck['low'][d])!r} {name}max={float(deck['high'][d])!r}")
    for number, state in enumerate(deck["states"], 1):
        line = f"state {number} density={float(state['density'])!r} energy={float(state['energy'])!r}"
        if state["geometry"]:
            line += f" geometry={words[state['geometry']]}"
            for d, at in enumerate(state["low"]):
                line += f" {NAMES[d]}min={float(at)!r}"
            for d, at in enumerate(state.get("high", [])):
                line += f" {NAMES[d]}max={float(at)!r}"
            line += f" radius={float(state['radius'])!r}" if "radius" in state else ""
        lines.append(line)
    return "\n".join(lines + ["*endtea", ""])


def main():
    document, tealeaf, launcher = sys.argv[1], sys.argv[2], sys.argv[3:]
    rng, told_apart = random.Random(11), 0
    decks = DECKS_BY_RANKS if launcher else DECKS
    with open(document, encoding="utf-8") as file:
        text = file.read()
    faults = [f"{document}: expected the rule '{rule}'" for rule in STATED if rule not in text]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "deck.in")
        for number in range(decks):
            deck = random_deck(rng, 3 if number % 3 == 2 else 2)
            with open(path, "w", encoding="ascii") as file:
                file.write(text_of(deck))
            done = subprocess.run([*launcher, tealeaf, path, "--backend=serial"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            found = re.search(r"^ step: +0 +(\S.*)$", done.stdout, re.MULTILINE)
            if done.returncode != 0 or not found:
                sys.exit(f"deck {number}: exit code {done.returncode}\n{text_of(deck)}{done.stdout}{done.stderr}")
            columns = [float(word) for word in found.group(1).split()]
            expected = totals(deck, F(1, 100))
            told_apart += expected[0] != totals(deck, F(0))[0]
            for what, got, sure in ("mass", columns[1], expected[0]), ("energy", columns[3], expected[1]):
                if abs(got - float(sure)) > TOLERANCE * float(sure):
                    faults.append(f"deck {number}: {what}: got {got!r}, expected {float(sure)!r}\n{text_of(deck)}")
    if told_apart < decks // 2:
        faults.append(f"only {told_apart} of {decks} decks depend on the shift by a hundredth of a cell, expected half of them")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
