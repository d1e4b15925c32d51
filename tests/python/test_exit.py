"""The end of a program: objects of minx end before libminx does, whatever ends first in Python. Each program runs in a
process of its own, which must end with 0 and say nothing on stderr but what is expected."""

import re
import subprocess
import sys

import pytest

START = """
import atexit, gc, os, sys, threading
import numpy as np
import minx
from minx import runtime

@minx.kernel
def double(i, x):
    x[i] *= 2

def run(ctx, n=10):
    x = ctx.array(np.arange(float(n)))
    minx.parallel_for(n, double, x, ctx=ctx)
    return x.numpy().sum() == n * (n - 1)
"""


def but_shared(text):
    """stderr without the lines in which a debug build of libminx names, at its end, views whose memory NumPy or others still have."""
    return re.sub(r"minx: view '.*' \(\d+ bytes in .*\) still has \d+ owners?\n", "", text)


def program(tmp_path, text, code=0, stderr="", shared=False):
    """Runs START and a text, and returns what it prints. shared: memory of views is still shared at the end."""
    file = tmp_path / "program.py"
    file.write_text(START + text)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, (done.returncode, done.stderr)
    said = but_shared(done.stderr) if shared else done.stderr
    assert stderr in said if stderr else said == ""
    return done.stdout


CONTEXT = pytest.mark.parametrize("name", ["serial", "openmp:threads=2", "simt"])


@CONTEXT
def test_globals(tmp_path, name):
    """Contexts, views, arrays of views, graphs, arrays that were arguments: all still there at exit."""
    assert program(tmp_path, f"""
ctx = minx.Context({name!r})
view = ctx.zeros(10, label="kept")
if ctx.host:
    array = view.array()
    numpy_array = np.zeros(10)
    minx.parallel_for(10, double, numpy_array, ctx=ctx)
    wrapped, other = ctx.view(numpy_array), np.from_dlpack(view)
part = view[2:5]
with minx.graph(ctx) as graph:
    minx.parallel_for(10, double, view, ctx=ctx)
graph.launch()
capsule = view.__dlpack__() if ctx.host else None
print(run(ctx))
""", shared=True) == "True\n"


@CONTEXT
def test_threads(tmp_path, name):
    """Threads that are not daemons end first; they launch until then. A daemon may be in the middle of a launch."""
    assert program(tmp_path, f"""
def work():
    ctx = minx.Context({name!r})
    for n in range(20):
        assert run(ctx)
    print("done")
threading.Thread(target=work).start()
""") == "done\n"
    program(tmp_path, f"""
started = threading.Event()
def work():
    ctx = minx.Context({name!r})
    x = ctx.zeros(1000)
    while True:
        minx.parallel_for(1000, double, x, ctx=ctx)
        started.set()
threading.Thread(target=work, daemon=True).start()
started.wait()
""")


def test_handlers(tmp_path):
    """A handler that was registered after minx was imported uses minx; one before gets an error that says why it
    cannot."""
    file_text = """
ctx = minx.Context("serial")
atexit.register(lambda: print(run(ctx), run(minx.Context("openmp:threads=2"))))
"""
    assert program(tmp_path, file_text) == "True True\n"
    file = tmp_path / "early.py"
    file.write_text("""
import atexit
def late():
    import minx
    for call in (lambda: minx.Context("serial"), lambda: kept.fence(), lambda: view.numpy()):
        try:
            call()
        except minx.Error as error:
            print(error)
    print(array.sum())  # its memory is there
atexit.register(late)
import minx
kept = minx.Context("serial")
view = kept.full(4, 2.5)
array = view.array()
""")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=300)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and but_shared(done.stderr) == ""
    assert lines[0].startswith("MX_ERR_ARG: minx has ended, as Python exits")
    assert lines[1:] == [lines[0], lines[0], "10.0"]


def test_cycles(tmp_path):
    """Objects in cycles, with finalizers that use them, which the end of the interpreter collects, or nobody."""
    assert program(tmp_path, """
class Node:
    def __init__(self):
        self.me, self.ctx = self, minx.Context("openmp:threads=2")
        self.view = self.ctx.zeros(5)
        self.array = np.ones(5)
        minx.parallel_for(5, double, self.array, ctx=self.ctx)
    def __del__(self):
        try:
            self.view.fill(1)
        except minx.Error:
            pass  # minx has ended
gc.disable()
nodes = [Node() for _ in range(5)]
keep = Node()
del nodes
print("end")
""") == "end\n"


def test_close_and_end(tmp_path):
    """close() twice, in any order, inside with; then the exit."""
    assert program(tmp_path, """
with minx.Context("serial") as ctx:
    view = ctx.zeros(3)
    graph = minx.graph(ctx)
    with graph:
        minx.parallel_for(3, double, view, ctx=ctx)
ctx.close()
graph.close()
view.close()
view.close()
other = minx.Context("serial")
x = other.zeros(4)
other.close()
print(x.info().references)
""") == "1\n"


def test_system_exit_and_exception(tmp_path):
    program(tmp_path, 'ctx = minx.Context("openmp:threads=2"); x = ctx.zeros(3); sys.exit(7)', code=7)
    program(tmp_path, 'ctx = minx.Context("openmp:threads=2"); x = ctx.zeros(3); 1 / 0', code=1,
            stderr="ZeroDivisionError")


def test_fork(tmp_path):
    """A child process of fork: contexts of threads are the parent's, and say so; serial ones work. The child ends as
    any program does."""
    assert program(tmp_path, """
serial, openmp = minx.Context("serial"), minx.Context("openmp:threads=2")
x = openmp.zeros(4)
array = np.arange(4.0)
minx.parallel_for(4, double, array, ctx=serial)
assert run(serial) and run(openmp)
child = os.fork()
if child == 0:
    print(run(serial), flush=True)
    minx.parallel_for(4, double, array, ctx=serial)
    assert array[3] == 12
    for call in (lambda: run(openmp), lambda: minx.parallel_for(4, double, x, ctx=openmp), openmp.fence,
                 lambda: minx.Context("openmp:threads=2")):
        try:
            call()
        except minx.Error as error:
            print(error.name, "fork()" in str(error), flush=True)
    print(run(minx.Context("serial")), flush=True)
    sys.exit(5)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
print(run(openmp), array[3])
""") == "True\nMX_ERR_ARG True\nMX_ERR_ARG True\nMX_ERR_ARG True\nMX_ERR_BACKEND True\nTrue\nTrue 6.0\n"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(tmp_path, method):
    """Processes of a pool have contexts of their own: after fork serial ones, otherwise of any kind."""
    name = "serial" if method == "fork" else "openmp:threads=2"
    assert program(tmp_path, f"""
import multiprocessing
def work(n):
    return bool(run(minx.Context({name!r}), n))
if __name__ == "__main__":
    assert run(minx.Context("openmp:threads=2"))
    with multiprocessing.get_context({method!r}).Pool(2) as pool:
        print(pool.map(work, [10, 20, 30]))
""") == "[True, True, True]\n"


def test_interpreters_without_minx(tmp_path):
    """Imported, and never used."""
    assert program(tmp_path, "print('unused')") == "unused\n"


def test_finalize_once(tmp_path):
    """libminx ends once, with nothing left but memory that is shared, and not in the child."""
    assert program(tmp_path, """
lib = runtime.libminx()
original = lib.mx_end_
def end(reports):
    print("views", lib.mx_views_alive(), reports, flush=True)
    original(reports)
lib.mx_end_ = end
ctx = minx.Context("openmp:threads=2")
views = [ctx.zeros(3) for _ in range(4)]
parts = [v[1:] for v in views]
numpy_array = np.zeros(4)
minx.parallel_for(4, double, numpy_array, ctx=ctx)
shared = views[0].array()
if os.fork() == 0:
    sys.exit(0)
os.wait()
""") == "views 1 False\n"


STREAM = """
from minx.runtime import context

class Stream:
    ptr = 77

    def __del__(self):
        os.write(1, b"stream\\n")  # also when Python has closed what print() needs

class OnSerial:  # libminx whose contexts on a stream are serial ones
    def __getattr__(self, name):
        return getattr(lib, name)

    def mx_ctx_create_on_stream(self, resource, stream, handle):
        assert stream.value == 77
        lib.mx_ctx_create(resource, handle)

    def mx_ctx_destroy(self, handle):
        lib.mx_ctx_destroy(handle)
        os.write(1, b"context\\n")

lib = runtime.libminx()
context.libminx = OnSerial
"""


@pytest.mark.parametrize("end", [
    "stream = Stream()\nctx = minx.Context('serial', stream=stream)\ndel stream\ndel ctx",
    "stream = Stream()\nstream.ctx = minx.Context('serial', stream=stream)\nstream.ctx.close()\ndel stream",
    "ctx = minx.Context('serial', stream=Stream())\nctx.loop = ctx\ndel ctx\ngc.collect()",
    "ctx = minx.Context('serial', stream=Stream())\nctx.close()\nassert run(minx.Context('serial'))",
    "ctx = minx.Context('serial', stream=Stream())",
    "def f():\n    stream = Stream()\n    ctx = minx.Context('serial', stream=stream)\nf()",
], ids=["names", "a member", "garbage", "closed", "exit", "locals"])
def test_a_stream_ends_behind_its_context(tmp_path, end):
    """A stream of another library is destroyed with its last reference: the context keeps it until its own end."""
    assert program(tmp_path, STREAM + end).startswith("context\nstream\n")
