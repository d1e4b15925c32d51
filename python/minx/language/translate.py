"""Python functions to C: one generated file for a kernel and the types of its arguments.

The file uses minx's public macros only. It has an argument struct, the body, MX_KERNEL_FOR (or REDUCE, SCAN), and a
driver (#ifdef MX_DRIVER) with two plain functions that ctypes calls: NAME_bind makes the accessors, NAME_launch
launches.

A function is translated several times, until the types of its variables do not change any more: a variable's type is
the
join of all that is assigned to it. The parts of the translation are mixins of one class:

    places.py       blocks of C, declarations, lines          expressions.py  names, attributes, conditions
    statements.py   if, return, assert, ...                   arithmetic.py   operators
    loops.py        while, for                                arrays.py       elements, parts, fields, local arrays
    assignments.py  =, +=                                     functions.py    calls
    results.py      what a kernel contributes to a reduction  order.py        barriers of teams"""

from __future__ import annotations

import ast

from .arithmetic import Arithmetic
from .arrays import Arrays
from .assignments import Assignments
from .dialect import MINX
from .expressions import Expressions
from .functions import Functions
from .loops import Loops
from .order import Memory, Order
from .places import Block, Places
from .results import Results
from .source import Source
from .statements import Statements
from .values import Unit

PASSES = 20  # each pass can only widen types: far less are enough


class Translator(Places, Order, Results, Statements, Loops, Assignments, Expressions, Arithmetic, Arrays, Functions):
    """One function: a kernel's body, or a function that it calls."""

    def __init__(self, unit: Unit, source: Source, names: dict, kernel: bool, level: str | None = None):
        self.unit, self.names, self.kernel, self.spec = unit, names, kernel, unit.spec
        self.source = self.spec.dialect.source(source)
        self.types: dict = {}
        self.nonneg: dict = {}
        self.constants: dict = {}  # variable -> were all weak numbers that it gets constants?
        self.places: dict = {}  # variable -> blocks of the last pass that declare it
        self.returns = None
        self.returns_constant, self.returns_nothing = True, False
        self.top_level = level
        self.indices: dict = {}  # of a range with 32 bits, which the body does not change: name -> (its Val, the parameter of C)
        self.on_return = None  # a join: what becomes of `return`

    def translate(self) -> list[str]:
        state = None
        for _ in range(PASSES):
            self.one_pass()
            before, state = state, (self.types, self.nonneg, self.returns, set(self.unit.written), self.unit.value)
            if before == state:
                return self.lines
        raise self.error(self.source.tree, "its types do not settle")

    def one_pass_state(self):
        self.lines, self.depth, self.counter = [], 1, 0
        self.seen_types: dict = {}
        self.seen_nonneg: dict = {}
        self.seen_constant: dict = {}
        self.occurrences: dict = {}
        self.block = self.root = Block()
        self.declared: dict = {}
        self.renamed: dict = {}
        self.local_refs: dict = {}  # names for arrays, rows of arrays, loop indices
        self.ref_blocks: dict = {}
        self.loop_names: list = []
        self.loop_flags: list = (
            []
        )  # for each loop: the variable that says whether `break` ended it, if it has an `else`
        self.conditional = 0  # > 0: in a part of an expression that may not be evaluated
        self.declared_as: dict = {}  # variables that keep the type of their annotation
        self.parallel_outside: list = []  # for each parallel loop around: the blocks outside of it
        self.level = self.top_level
        self.memory, self.loop_memory = Memory(), []  # of a team's work: see order.py
        self.thread_scratch, self.hoisted = set(), []  # scratch of each thread, declared in front of all statements
        self.direct = None  # the value that the present statement assigns
        self.returned_in_parts = None  # the name of a sum that threads of a team add to the result themselves
        self.scanned: dict = {}  # variables that items of a scan read: name -> code
        self.kinds: dict = {}  # variables that items of shared loops join: name -> "+", "min", "max"
        self.ordered_calls = 0  # calls in expressions that change something, and so are computed in front of the statement
        self.effects = False  # does it store something?
        self.private = True  # is the place that was asked for last one of this lane's own?
        if self.kernel:
            self.unit.start()
        self.last_places, self.block_number = self.places, 0
        self.root.number = self.next_block_number()

    def one_pass(self):
        self.one_pass_state()
        body = self.source.tree.body
        if isinstance(self.source.tree, ast.Lambda):
            body = [(self.spec.dialect if self.kernel else MINX).lambda_body(self)]
        self.declare_here()
        for n, statement in enumerate(body):
            self.statement(statement, last=n == len(body) - 1)
        nonneg = {name: known and self.nonneg.get(name, True) for name, known in self.seen_nonneg.items()}
        self.types, self.nonneg, self.constants = self.seen_types, nonneg, self.seen_constant
        self.places = self.place_all()
