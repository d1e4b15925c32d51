"""Threads of Python: each with a context of its own; what one context is used for by two of them."""

import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from contexts import make
from numpy.testing import assert_array_equal

import minx

RESOURCES = ["serial", "openmp:threads=2", "simt:threads=2", "cuda"]


@minx.kernel
def step(i, x, a):
    x[i] = x[i] * a + i


@minx.kernel
def long_sum(i, x):
    s = 0.0
    for n in range(2000):
        s += x[i] * n
    return s


def at_once(count, work):
    """Calls work(n) on as many threads, all beginning together. Raises what the first of them raised."""
    barrier, failed = threading.Barrier(count), []

    def run(n):
        try:
            barrier.wait()
            work(n)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


@pytest.mark.parametrize("resource", RESOURCES)
def test_contexts_of_their_own(resource):
    """Four threads launch one kernel many times, on their own contexts and arrays."""
    make(resource)  # skips where there is none
    results = {}

    def work(n):
        ctx = minx.Context(resource)
        x, expected = np.full(500, float(n)), np.full(500, float(n))
        array = x if ctx.host else ctx.array(x)
        for turn in range(40):
            minx.parallel_for(500, step, array, float(turn % 3), ctx=ctx)
            expected = expected * (turn % 3) + np.arange(500)
        ctx.fence()
        results[n] = np.array_equal(array if ctx.host else array.numpy(), expected)

    at_once(4, work)
    assert results == {n: True for n in range(4)}


def test_one_array_many_threads():
    """Threads read one array, which gets one view; each has results of its own."""
    shared = np.arange(1000.0)
    sums = {}

    def work(n):
        ctx = minx.Context("serial")
        sums[n] = [minx.parallel_reduce(1000, lambda_sum, shared, float(n), ctx=ctx) for _ in range(50)]

    at_once(4, work)
    assert sums == {n: [499500.0 * n] * 50 for n in range(4)}


@minx.kernel
def lambda_sum(i, x, a):
    return a * x[i]


def test_first_use_races(tmp_path):
    """Eight threads use a kernel, the library and the default context for the first time at the same moment: with an
    empty cache."""
    (tmp_path / "program.py").write_text(textwrap.dedent("""
        import threading
        import numpy as np
        import minx

        @minx.kernel
        def scale(i, x, a):
            x[i] *= a

        results, barrier = [], threading.Barrier(8)

        def work(n):
            barrier.wait()
            ctx = minx.Context("serial") if n % 2 else minx.default()
            if n % 2:
                x = np.arange(50.0)
                minx.parallel_for(50, scale, x, 3.0, ctx=ctx)
                results.append(x.sum() == 3 * 1225)
            else:
                results.append(ctx is minx.default())

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for t in threads: t.start()
        for t in threads: t.join()
        print(results == [True] * 8, len(scale.compiled))
    """))
    environment = {**os.environ, "MINX_PY_CACHE": str(tmp_path / "cache"), "MINX_BACKEND": "serial"}
    done = subprocess.run([sys.executable, str(tmp_path / "program.py")], capture_output=True, text=True, timeout=300,
                          env=environment)
    assert done.stdout == "True 1\n", done.stderr


def test_launches_release_the_interpreter():
    """While a launch runs, other threads of Python do."""
    ctx, x, ticks, going = make("serial"), np.ones(40000), [], threading.Event()
    minx.parallel_reduce(1, long_sum, x, ctx=ctx)  # compiled

    def launch(n):
        if n == 0:
            going.set()
            minx.parallel_reduce(40000, long_sum, x, ctx=ctx)
            going.clear()
        else:
            going.wait()
            while going.is_set():
                ticks.append(None)

    at_once(2, launch)
    assert len(ticks) > 10  # about 40 million operations are some 10 ms; a locked interpreter would count none


def test_two_threads_one_context():
    """One thread at a time uses a context. Two at once get the error of the core, and no wrong numbers: each thread has
    its own arguments."""
    ctx, x = minx.Context("serial"), np.ones(20000)
    expected = {a: float(a) * 1999000 * 20000 for a in (1, 2)}
    errors, wrong = [], []

    def work(n):
        mine = np.full(20000, n + 1.0)
        for _ in range(30):
            try:
                got = minx.parallel_reduce(20000, long_sum, mine, ctx=ctx)
                if got != expected[n + 1]:
                    wrong.append(got)
            except minx.Error as error:
                errors.append(error)

    for _ in range(5):
        at_once(2, work)
        if errors:
            break
    assert not wrong
    assert errors and all(error.name == "MX_ERR_ARG" for error in errors)
    assert any("another thread" in str(error) for error in errors)
    assert minx.parallel_reduce(10, long_sum, x, ctx=ctx) == 19990000  # and all goes on


def test_close_while_a_launch_runs():
    """Another thread cannot end a context on which a launch runs: an error on both threads. Then the context can be closed."""
    ctx, x, errors = minx.Context("serial"), np.ones(200000), []
    minx.parallel_reduce(1, long_sum, x, ctx=ctx)  # compiled

    def launch():
        try:
            minx.parallel_reduce(200000, long_sum, x, ctx=ctx)
        except minx.Error as error:
            errors.append(error)

    thread = threading.Thread(target=launch)
    thread.start()
    time.sleep(0.05)  # the launch takes some 0.2 s
    if thread.is_alive():
        with pytest.raises(minx.Error, match="the context 'serial' was not closed: a launch runs on it") as failed:
            ctx.close()
        assert failed.value.name == "MX_ERR_ARG"
        thread.join()
        assert len(errors) == 1 and "mx_ctx_destroy was called while it ran" in str(errors[0])
    thread.join()
    ctx.close()
    with pytest.raises(minx.Error, match="is closed"):
        ctx.fence()


def test_arrays_die_on_other_threads():
    """Arrays that end on a thread while another one launches on the same kernel."""
    stop = threading.Event()

    def work(n):
        ctx = minx.Context("serial")
        if n == 0:
            for turn in range(300):
                x = np.zeros(8)
                minx.parallel_for(8, step, x, 1.0, ctx=ctx)
                assert_array_equal(x, np.arange(8.0))
            stop.set()
        else:
            while not stop.is_set():
                minx.parallel_for(4, step, np.zeros(4), 2.0, ctx=ctx)

    at_once(3, work)


def test_partition():
    """Contexts that share the cores."""
    cores = minx.runtime.libminx().mx_host_cores()
    parts = minx.partition("openmp", min(2, cores))
    assert sum(part.threads for part in parts) == cores
    arrays = [np.zeros(100) for _ in parts]
    at_once(len(parts), lambda n: minx.parallel_for(100, step, arrays[n], 1.0, ctx=parts[n]))
    for array in arrays:
        assert_array_equal(array, np.arange(100.0))
    assert [part.backend for part in minx.partition("serial", 3)] == ["serial"] * 3
    with pytest.raises(ValueError, match=f"got {cores + 1} parts, expected 1 to {cores}"):
        minx.partition("openmp", cores + 1)
    with pytest.raises(ValueError, match="expected 'openmp'"):
        minx.partition("openmp:threads=2", 2)
