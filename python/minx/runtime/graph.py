"""Graphs: launches, copies and fills that are recorded once and run many times, for less than the single launches
cost."""

from __future__ import annotations

from ctypes import byref, c_int, c_void_p

from ..errors import Error
from . import arrays
from .context import Context
from .library import Held, libminx


class Graph:
    """Records what is launched on a context inside of a with statement; launch() runs it.

        with minx.graph(ctx) as g:
            minx.parallel_for(n, step, x, y, ctx=ctx)
            minx.parallel_for(n, step, y, x, ctx=ctx)
        for _ in range(1000):
            g.launch()
        ctx.fence()

    While it records, launches do not run: each becomes a node, with its numbers as they are then, that waits for the
    node before it. after(...) sets the nodes that the next one waits for. The graph keeps the arrays. A reduction whose
    result is a number cannot be recorded (Error MX_ERR_ARG), nor can put and numpy. See minx/graph.h.

    >>> def add_one(i, x):
    ...     x[i] += 1
    >>> ctx, x = minx.Context("serial"), np.zeros(2)
    >>> with minx.graph(ctx) as recorded:
    ...     minx.parallel_for(2, add_one, x, ctx=ctx)
    >>> recorded.launch()
    >>> recorded.launch()
    >>> x
    array([2., 2.])
    """

    def __init__(self, ctx: Context):
        if not isinstance(ctx, Context):
            raise TypeError(f"got a {type(ctx).__name__}, expected a minx.Context")
        ctx.handle  # raises if it is closed
        if ctx.graph is not None:
            raise Error("MX_ERR_ARG", f"{ctx.resource} records a graph already")
        if ctx.check is not None:
            raise Error("MX_ERR_ARG", f"launches of the context '{ctx.resource}' are checked (check=): it cannot record a graph")
        self.ctx, self._handle, self._kept, self._foreign, self.held = ctx, None, {}, [], None
        ctx.graphs.add(self)

    @property
    def handle(self) -> c_void_p:
        """mx_graph. Error MX_ERR_ARG: nothing was recorded, it was closed, or a failure ended its recording, or its context
        was closed."""
        if self.held is None:
            raise Error("MX_ERR_ARG", "the graph has not recorded anything: `with graph:` does")
        if self.held.ended:
            raise Error("MX_ERR_ARG", "the graph is closed")
        self.ctx.handle  # raises if the context is closed
        return self._handle

    def __enter__(self) -> Graph:
        if self.held is not None:
            raise Error("MX_ERR_ARG", "the graph has recorded already: record another one, minx.graph(ctx)")
        lib, handle = libminx(), c_void_p()
        lib.mx_graph_create(self.ctx.handle, byref(handle))
        self._handle, self.held = handle, Held(self, lambda: lib.mx_graph_destroy(byref(handle)))
        self.ctx.graph = self
        return self

    def __exit__(self, kind, *_) -> None:
        self.ctx.graph = None
        if kind is not None:
            self.close()
        else:
            libminx().mx_graph_finish(self.handle)

    @property
    def last(self) -> int:
        """The number of the node that was recorded last; -1 before the first."""
        return libminx().mx_graph_last(self.handle)

    def after(self, *nodes: int) -> None:
        """Sets the nodes that the next node waits for, by their numbers; none: it waits for nothing. Error MX_ERR_ARG:
        no such node."""
        libminx().mx_graph_after(self.handle, len(nodes), (c_int * max(len(nodes), 1))(*nodes))

    def launch(self) -> None:
        """Runs all nodes, ordered on the context like a launch."""
        streams = arrays.streams_of(self._foreign) if self._foreign and self.ctx.stream is not None else ()
        for stream in streams:
            self.ctx.wait(stream)
        try:
            libminx().mx_graph_run(self.handle)
        except Error as error:
            closed = [v.label for v in self._kept.values() if hasattr(v, "held") and hasattr(v, "label") and v.held.ended]
            if error.name != "MX_ERR_STALE" or not closed:
                raise
            raise Error("MX_ERR_STALE", f"the graph uses the view '{closed[0]}', which is closed") from None
        for stream in streams:
            self.ctx.precede(stream)

    def keep(self, *arguments) -> None:
        """Keeps arrays as long as the graph: called by launches that it records."""
        for a in arguments:
            if id(a) not in self._kept:
                self._kept[id(a)] = a
                if hasattr(a, "__cuda_array_interface__") and not hasattr(a, "held"):
                    self._foreign.append(a)

    def close(self) -> None:
        """Waits for the context's work and ends the graph before the object dies."""
        self.ctx.graph = None if self.ctx.graph is self else self.ctx.graph
        if self.held is not None:
            self.held.end()


def graph(ctx: Context) -> Graph:
    """A graph for a context, which records inside of a with statement; see Graph. Error MX_ERR_ARG: the context records already, or its launches are
    checked.

    >>> with minx.graph(minx.Context("serial")) as nothing:
    ...     pass
    >>> nothing.last
    -1
    """
    return Graph(ctx)
