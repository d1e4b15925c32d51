"""Contexts, fences, checks, profiling tools and libraries of kernels in C."""

import os
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from contexts import make
from numpy.testing import assert_array_equal

import minx
from minx import runtime


@minx.kernel
def double(i, x):
    x[i] *= 2


@minx.kernel
def depends(i, x):
    """Wrong: an item reads what another one writes."""
    x[i] = x[(i + 1) % len(x)] + 1


def test_backends():
    names = minx.backends()
    assert names[:2] == ["serial", "openmp"] and "simt" in names
    assert minx.backend_missing("serial") is None
    assert minx.backend_missing("nonsense") == "no such backend"
    if "cuda" not in names:
        assert minx.backend_missing("cuda") is not None


def test_properties():
    ctx = minx.Context("openmp:threads=2")
    assert (ctx.backend, ctx.threads, ctx.layout, ctx.space) == ("openmp", 2, minx.RIGHT, minx.HOST)
    assert (ctx.host, ctx.device, ctx.stream) == (True, -1, None)
    assert ctx.instances == ["host_right"] and ctx.shared == minx.HOST
    simt = make("simt")
    assert (simt.host, simt.space, simt.layout, simt.instances) == (False, minx.SIMT, minx.LEFT, ["simt_left"])
    checked = minx.Context("simt:check=serial")
    assert checked.instances == ["simt_left", "host_right"] and checked.check == "serial"
    assert minx.Context("openmp", check="serial:order=shuffled").instances == ["host_right", "simt_left"]
    x = ctx.array(np.arange(3.0))
    before = ctx.info().launches
    minx.parallel_for(3, double, x, ctx=ctx)
    assert ctx.info().launches == before + 1


def test_layouts():
    """Both layouts, in a build that has them."""
    for backend, other in (("serial", "left"), ("openmp", "left"), ("simt", "right")):
        kind = "simt" if backend == "simt" else "host"
        try:
            ctx = minx.Context(f"{backend}:layout={other}")
        except minx.Error as error:
            assert error.name == "MX_ERR_BACKEND" and "-DMINX_LAYOUTS=all" in str(error)
            continue
        assert ctx.instances == [f"{kind}_{other}"]
        view = ctx.array(np.arange(12.0).reshape(3, 4))
        assert view.layout == (minx.LEFT if other == "left" else minx.RIGHT)
        minx.parallel_for(4, double, view[1], ctx=ctx)
        assert_array_equal(view.numpy()[1], 2 * np.arange(4.0, 8.0))


def test_addresses_are_used_again():
    """A new context may have the address of a closed one: it is another context, with launches of its own."""
    x, seen = np.ones(4), set()
    repeated = 0
    for n in range(40):
        ctx = minx.Context("serial" if n % 2 else "serial:order=shuffled")
        repeated += ctx.address in seen
        seen.add(ctx.address)
        minx.parallel_for(4, double, x, ctx=ctx)
        assert ctx.info().launches == 1
        ctx.close()
    assert repeated > 0  # else this test shows nothing
    assert_array_equal(x, np.full(4, 2.0**40))
    assert not any(key[2] == ctx.number for key in double.calls)


def test_contexts_die_with_their_launches():
    before, x = len(double.calls), np.ones(4)
    for _ in range(10):
        minx.parallel_for(4, double, x, ctx=minx.Context("serial"))
    assert len(double.calls) == before


def test_default_context():
    old = minx.default()
    try:
        serial = minx.set_default("serial")
        assert minx.default() is serial
        x = np.ones(3)
        minx.parallel_for(3, double, x)
        assert serial.info().launches == 1 and x[0] == 2
        minx.set_default(old)
        assert minx.default() is old
    finally:
        minx.set_default(old)
    program = "import minx; print(minx.default().resource)"
    for environment, expected in (({}, "openmp"), ({"MINX_BACKEND": "serial:order=shuffled"}, "serial:order=shuffled")):
        environment = {**{k: v for k, v in os.environ.items() if k != "MINX_BACKEND"}, **environment}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
        assert done.stdout == expected + "\n"


def test_order_of_contexts():
    """One context waits for another, on hosts too, where launches are done on return."""
    one, two = make("simt"), make("openmp:threads=2")
    x = one.full(5, 1.0)
    minx.parallel_for(5, double, x, ctx=one)
    two.wait(one)
    one.wait(two)
    one.wait(one)
    minx.fence()
    assert_array_equal(x.numpy(), np.full(5, 2.0))


def test_checks():
    """Each launch is repeated on another backend and compared; a kernel whose items depend on each other differs in
    another order."""
    ctx = minx.Context("serial", check="serial:order=shuffled")
    x = np.arange(100.0)
    minx.parallel_for(100, double, x, ctx=ctx)
    with pytest.raises(minx.Error, match="kernel py_depends.*view 'x'") as failed:
        minx.parallel_for(100, depends, x, ctx=ctx)
    assert failed.value.name == "MX_ERR_MISMATCH"
    view = ctx.array(x, label="u").unchecked()
    minx.parallel_for(100, depends, view, ctx=ctx)
    ctx.check_against(None)
    minx.parallel_for(100, depends, x, ctx=ctx)
    ctx.check_against("openmp:threads=2", tolerance=1e-6)
    assert ctx.check == "openmp:threads=2" and "host_right" in ctx.instances
    minx.parallel_for(100, double, x, ctx=ctx)


TOOL = """
#include <stdint.h>
#include <stdio.h>
void kokkosp_init_library(int s, uint64_t v, uint32_t n, void *d) { (void)s; (void)v; (void)n; (void)d; puts("init"); }
void kokkosp_finalize_library(void) { puts("finalize"); fflush(stdout); }
void kokkosp_begin_parallel_for(const char *name, uint32_t device, uint64_t *id)
{
    (void)device;
    *id = 1;
    printf("for %s\\n", name);
}
void kokkosp_end_parallel_for(uint64_t id) { (void)id; }
void kokkosp_push_profile_region(const char *name) { printf("push %s\\n", name); }
void kokkosp_pop_profile_region(void) { puts("pop"); }
void kokkosp_profile_event(const char *name) { printf("event %s\\n", name); }
"""


def test_tools(tmp_path):
    """A tool of Kokkos Tools' C interface sees regions, events, and kernels by the names of their Python functions."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    (tmp_path / "tool.c").write_text(TOOL)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", tmp_path / "tool.so", tmp_path / "tool.c"], check=True)
    (tmp_path / "program.py").write_text(textwrap.dedent("""
        import numpy as np
        import minx

        @minx.kernel
        def double_it(i, x):
            x[i] *= 2

        @minx.region("solve")
        def solve(x):
            minx.parallel_for(4, double_it, x, ctx=ctx)

        ctx = minx.Context("serial")
        x = np.ones(4)
        with minx.region("outer"):
            minx.event("begins")
            solve(x)
        try:
            with minx.region("failed"):
                raise KeyError
        except KeyError:
            minx.event("after")
    """))
    done = subprocess.run([sys.executable, str(tmp_path / "program.py")], capture_output=True, text=True,
                          env={**os.environ, "KOKKOS_TOOLS_LIBS": str(tmp_path / "tool.so")})
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if "minx::" not in line]
    assert lines == ["init", "push outer", "event begins", "push solve", "for py_double_it", "pop", "pop",
                     "push failed", "pop", "event after", "finalize"]


def test_settings_of_the_environment(tmp_path):
    """A wrong setting of libminx is its own error, at the first use."""
    done = subprocess.run([sys.executable, "-c", "import minx; minx.Context('serial')"], capture_output=True, text=True,
                          env={**os.environ, "MINX_NUM_THREADS": "many"})
    assert done.returncode == 1 and "MX_ERR_INPUT" in done.stderr and "many" in done.stderr


LIBRARY = """
#include <minx/minx.h>
mx_err sum_twice(mx_ctx ctx, mx_view view, double *result);
mx_err sum_twice(mx_ctx ctx, mx_view view, double *result)
{
    mx_view_info info;
    (void)ctx;
    MX_TRY(mx_view_get_info(view, &info));
    MX_REQUIRE(info.rank == 1, MX_ERR_RANK, "sum_twice: got rank %d, expected 1", info.rank);
    *result = 0;
    for (int64_t n = 0; n < info.count; n++) *result += 2 * ((double *)info.data)[n];
    return MX_OK;
}
"""


def test_kernel_library(tmp_path):
    """A library of functions in C, linked to the same libminx."""
    from ctypes import POINTER, byref, c_double

    from minx.build.settings import settings

    (tmp_path / "sum.c").write_text(LIBRARY)
    shared = [*settings().compiler.command, "-shared", "-fPIC", "-std=gnu11", f"-I{settings().include}"]
    subprocess.run([*shared, "-o", tmp_path / "libsum.so", tmp_path / "sum.c", settings().library], check=True)
    library = minx.load(tmp_path / "libsum.so")
    sum_twice = library.function("sum_twice", minx.Context, minx.View, POINTER(c_double))
    ctx, result = make("serial"), c_double()
    sum_twice(ctx, ctx.view(np.arange(5.0)), byref(result))
    assert result.value == 20
    with pytest.raises(minx.Error, match="sum_twice: got rank 2, expected 1") as failed:
        sum_twice(ctx, ctx.view(np.zeros((2, 2))), byref(result))
    assert failed.value.name == "MX_ERR_RANK"
    with pytest.raises(minx.Error, match="has no function 'other'"):
        library.function("other")
    (tmp_path / "none.c").write_text("int nothing;")
    subprocess.run([*shared, "-o", tmp_path / "none.so", tmp_path / "none.c"], check=True)
    with pytest.raises(minx.Error, match="is linked to no libminx"):
        minx.load(tmp_path / "none.so")
    with pytest.raises(minx.Error, match="MX_ERR_INPUT.*absent.so"):
        minx.load(tmp_path / "absent.so")


def test_libminx_is_one():
    assert runtime.libminx() is runtime.libminx()
    assert runtime.libminx().mx_version().decode().count(".") == 2
