"""The order of a team's work: barriers where the meaning of a kernel as plain Python needs one.

Outside of the loops that they share, all threads and lanes of a team execute the same statements on variables of their own. A
store is made by one of them, under a single. So a statement must wait if it reads what another thread stores, or stores what
another may still have to read. The same holds inside a loop over team.threads(...) for the lanes of one thread.

    many     a statement that all execute; a loop that they share
    single   a store without a call, which one lane executes with all that it reads
    memory   a piece of scratch; a group of arguments that overlap; "*": any

What was read and written since the last barrier is known for each point of the text. A statement begins with a barrier if
    it reads (many)    what was written by others, or by a single
    it writes (many)   what was read or written at all
    it reads (single)  what many wrote
    it writes (single) what many read or wrote
Rules for control flow:
    branches   each begins with what is known before the `if`; behind it both are united
    loops      the body begins with all of its own accesses, because an execution of it comes before; behind the loop all of them
               are known if it has a `break` or `continue`
    calls      an array that is an argument may be read and written; with a method, or an object that is not known here, any
    names      a name for a row or an array stands for its memory; a name that is assigned inside the statement for any"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from .. import types as T
from . import c_helpers
from ..types import Struct
from .values import ArrayRef, Self, Val, is_number_of, links

COLLECTIVES = ("f64", "f32", "i32", "i64", "u32", "u64")  # that minx/team.h joins

ANY = "*"
NO_ACCESS = ("shape", "ndim", "size", "dtype", "extent")  # attributes of arrays that read no element
# The core has no barrier for the lanes of one thread: this is what its collectives of lanes do (minx/host/team.h, device/team.h).
c_helpers.MIXED["lanes_wait"] = """/* Waits for the lanes of a thread, and makes their stores visible to each other. */
MX_BODY void pyh_lanes_wait(mx_team *t)
{
#ifdef MX_GPU_CODE_
    __syncwarp(mx_gpu_lanes_of_(t->lanes));
#elif defined(MX_INSTANCE_SIMT_)
    if (t->lanes > 1) mx_barrier_wait_(t, &t->shared->thread[t->rank], &t->phase[1], t->lanes, true);
#else
    (void)t;
#endif
}"""


def meet(a, b) -> bool:
    return bool(a and b and (a & b or ANY in a or ANY in b))


@dataclass
class Memory:
    """What was accessed since the last barrier."""

    reads: set = field(default_factory=set)
    writes: set = field(default_factory=set)
    single_reads: set = field(default_factory=set)
    single_writes: set = field(default_factory=set)

    def copy(self) -> "Memory":
        return Memory(set(self.reads), set(self.writes), set(self.single_reads), set(self.single_writes))

    def add(self, other: "Memory") -> None:
        self.reads |= other.reads
        self.writes |= other.writes
        self.single_reads |= other.single_reads
        self.single_writes |= other.single_writes

    def conflicts(self, later: "Memory") -> bool:
        """Must a statement with these accesses wait?"""
        written, read = self.writes | self.single_writes, self.reads | self.single_reads
        return (meet(later.reads, written) or meet(later.writes, read | written) or meet(later.single_reads, self.writes)
                or meet(later.single_writes, self.reads | self.writes))

    def overlaps_itself(self) -> bool:
        return meet(self.reads | self.single_reads, self.writes | self.single_writes)


class Accesses(ast.NodeVisitor):
    """The memory that statements read and write."""

    def __init__(self, translator, nodes):
        self.t, self.reads, self.writes = translator, set(), set()
        inside = [n for s in nodes for n in ast.walk(s)]
        numbers = {n.target.id for n in inside if isinstance(n, ast.For) and isinstance(n.target, ast.Name)}
        numbers |= {name for name, t in translator.types.items() if translator.is_value(t)}
        self.bound = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} - numbers
        for node in nodes:
            self.visit(node)

    def memory_of(self, node) -> str | None:
        """The memory that an expression stands for; None: it is no array, nor a part or a record of one."""
        only_shape = False
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            if isinstance(node, ast.Attribute) and self.is_self(node.value):
                ref = getattr(self.t.unit.members.get(node.attr), "ref", None)
                return self.t.memory_name(ref) if isinstance(ref, ArrayRef) and not only_shape else None
            only_shape = isinstance(node, ast.Attribute) and node.attr in NO_ACCESS
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        bound = self.t.local_refs.get(node.id) or self.t.names.get(node.id)
        ref = getattr(bound, "ref", None)
        if node.id in self.bound:
            return ANY
        if isinstance(ref, ArrayRef):
            return None if only_shape and not isinstance(ref.array.element, Struct) else self.t.memory_name(ref)
        if isinstance(getattr(bound, "type", None), Struct) and bound.origin is not None:  # a record of an array
            return self.t.memory_name(bound)
        return None

    def is_self(self, node) -> bool:
        return isinstance(node, ast.Name) and isinstance(getattr(self.t.names.get(node.id), "ref", None), Self)

    def visit_place(self, node):
        memory = self.memory_of(node)
        if memory is not None:
            (self.writes if isinstance(node.ctx, (ast.Store, ast.Del)) else self.reads).add(memory)
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            if isinstance(node, ast.Subscript):
                self.visit(node.slice)
            node = node.value
        if not isinstance(node, ast.Name):
            self.visit(node)

    visit_Subscript = visit_place

    def visit_AugAssign(self, node):
        memory = self.memory_of(node.target) if not isinstance(node.target, ast.Name) else None
        if memory is not None:
            self.reads.add(memory)
        self.generic_visit(node)

    def visit_Attribute(self, node):
        if isinstance(node.value, ast.Name) and self.is_self(node.value):  # an array as a whole
            memory = self.memory_of(node)
            if memory is not None:
                self.whole(memory)
            return
        self.visit_place(node)

    def visit_Name(self, node):
        """An array as a whole: given to a function, or with a name of its own."""
        memory = self.memory_of(node) if isinstance(node.ctx, ast.Load) else None
        if memory is not None:
            self.whole(memory)

    def visit_Assign(self, node):
        if all(isinstance(t, ast.Name) for t in node.targets) and self.is_alias(node.value):
            return  # a name for an array or a row accesses nothing but the row's index
        self.generic_visit(node)

    def is_alias(self, node) -> bool:
        return isinstance(node, (ast.Name, ast.Attribute)) and self.memory_of(node) is not None

    def visit_Call(self, node):
        function = node.func
        if isinstance(function, ast.Name) and function.id == "len":
            return
        if any(isinstance(a, ast.Name) and self.t.is_team(a.id) for a in (*node.args, *[k.value for k in node.keywords])):
            self.whole(ANY)  # a function that has a part of the team's work
        if isinstance(function, ast.Attribute) and self.is_self(function.value):
            self.whole(ANY)  # a method sees all arrays of its object
        for given in (*node.args, *[k.value for k in node.keywords]):
            if self.is_part(given):
                self.whole(self.memory_of(given))
        self.generic_visit(node)

    def is_part(self, node) -> bool:
        """Is it a row, another part, or a record of an array?"""
        found = links(node)
        if not found or self.memory_of(node) is None:
            return False
        root = found[-1].value
        bound = self.t.local_refs.get(root.id) or self.t.names.get(root.id)
        if self.is_self(root):
            bound = self.t.unit.members.get(found.pop().attr)
        ref = getattr(bound, "ref", None)
        return root.id in self.bound or not isinstance(ref, ArrayRef) or not is_number_of(found, ref.array.element, ref.rank)

    def whole(self, memory):
        self.reads.add(memory)
        self.writes.add(memory)


class Order:
    """The part of a translator that knows what was accessed since the last barrier."""

    def orders(self) -> bool:
        """Is this place one where several lanes execute the same statements?"""
        return self.level in ("team", "thread") and not self.spec.dialect.threads_run_all

    def is_team(self, name: str) -> bool:
        """Is it the team? (TeamRef is team.py's, which imports this file.)"""
        return type(getattr(self.names.get(name), "ref", None)).__name__ == "TeamRef"

    def memory_name(self, ref) -> str:
        """ref: an ArrayRef, or a Val that is a record of an argument."""
        if ref.origin is None:
            return ref.code
        groups = self.spec.overlaps
        return f"argument {groups[ref.origin] if groups else ref.origin}"

    def accesses(self, nodes, single=False) -> Memory:
        found = Accesses(self, nodes)
        if single:
            return Memory(single_reads=found.reads, single_writes=found.writes)
        return Memory(found.reads, found.writes)

    def order(self, nodes, single=False) -> None:
        """A barrier if this part of the work must wait for what was before."""
        if not self.orders():
            return
        now = self.accesses(nodes, single)
        if self.memory.conflicts(now):
            self.wait(nodes[0])
        self.memory.add(now)

    def wait(self, node) -> None:
        if "simd" in self.loop_names:
            raise self.error(node, "items of minx.simd use what the same loop stores: a team shares such a loop, as in "
                                   "`for i in team.items(n)`")
        self.line("mx_team_barrier(mx_t);" if self.level == "team" else f"{self.helper('lanes_wait')}(mx_t);")
        self.memory = Memory()

    def call_once(self, value, node):
        """A call that stores, where several lanes execute the same statements: one of them calls, and all get what it returns."""
        if not value.effects:
            return value
        self.effects = True
        if not self.orders() or value.type is None:
            return value
        if node is not self.direct or not T.is_number(value.type):
            raise self.error(node, "this call happens once for a team, as it stores something or is atomic: assign what it returns to a "
                                   "variable first")
        type_ = T.strong(value.type) if T.strong(value.type) in COLLECTIVES else "i64"
        part, lane = self.new("mx_once"), self.new("mx_i")
        call = f"MX_VECTOR_SUM(mx_t, {lane}, 0, 1, {part}) {part} += {self.cast(value, type_)};"
        self.line(f"{self.c_type(type_)} {part} = 0;", node)
        if self.level == "thread":
            self.line(call, node)
        else:
            self.line(f"MX_TEAM_FOR(mx_t, {self.new('mx_i')}, 0, 1) {call}", node)
            self.line(f"{part} = mx_team_sum(mx_t, {part});")
        return Val(part, value.type if T.C_TYPES[type_] == T.C_TYPES[value.type] else type_)

    def is_single(self, node) -> bool:
        """Is it a store that one lane makes, reading alone what it needs?"""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        simple = bool(targets) and all(isinstance(t, (ast.Subscript, ast.Attribute)) for t in targets)
        return simple and not any(isinstance(n, ast.Slice) or isinstance(n, ast.Call) and self.may_store(n) for n in ast.walk(node))

    def may_store(self, call) -> bool:
        """Is it a call of something else than a plain function of numbers?"""
        return bool(Accesses(self, [call]).writes) or isinstance(call.func, ast.Attribute) and \
            Accesses(self, [call.func]).writes != set() or "atomic" in ast.unparse(call.func)

    def ordered_statement(self, method, node, last) -> None:
        """A statement that several lanes execute, with a barrier in front of it where it needs one."""
        self.direct = getattr(node, "value", None)
        if isinstance(node, ast.If):
            self.order([node.test])
            return method(node)
        if isinstance(node, (ast.For, ast.While)):
            return self.ordered_loop(method, node)
        self.order([node], self.is_single(node))
        self.do_Return(node, last) if type(node) is ast.Return else method(node)

    def ordered_loop(self, method, node) -> None:
        if isinstance(node, ast.For):
            self.order([node.iter])
        if is_shared(node):
            self.order(node.body)
            before = self.memory
            method(node)
            self.memory = before
            return
        before = self.memory.copy()
        self.memory.add(self.accesses([*node.body, *([node.test] if isinstance(node, ast.While) else [])]))
        everything = self.memory.copy()
        self.loop_memory.append(everything)
        method(node)
        self.loop_memory.pop()
        self.memory.add(everything if leaves_early(node) else before)

    def between(self, node) -> None:
        """A tuple is assigned, `a, w[0] = w[0], b`: all lanes have read, and one will store."""
        if self.orders():
            now = self.accesses([node])
            if now.overlaps_itself():
                self.wait(node)
                self.memory.add(now)


def leaves_early(loop) -> bool:
    return any(isinstance(n, (ast.Break, ast.Continue, ast.Return)) for s in loop.body for n in ast.walk(s))


def is_shared(loop) -> bool:
    """Is it a loop that threads or lanes share?"""
    return isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Attribute) and \
        loop.iter.func.attr in ("threads", "lanes", "items")
