"""Settings and compilers: what is found, what is said where something is missing, and what command lines contain."""

import dataclasses
import json
import os
import runpy
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from builds import HOST, Wrapper, cache, child, headers, kernel_file  # noqa: F401 (fixtures)
from minx.build import compile as build
from minx.build import compilers, cuda, processes, settings, units
from minx.errors import CompileError, SetupError
from minx.launch import ahead


def prefix_with(tmp_path, monkeypatch, **changes):
    """A folder as that of the installed minx, with another build.json."""
    s = build.settings()
    info = settings.find_prefix(os.environ.get("MINX_PREFIX"))[1]
    folder = tmp_path / "prefix"
    shutil.copytree(s.library.parent, folder / "lib", symlinks=True)
    (folder / s.built["include"]).symlink_to(s.include)
    info = folder / "lib/minx/build.json"
    info.write_text(json.dumps({**s.built, "library": f"lib/{s.library.name}", **changes}))
    monkeypatch.setenv("MINX_PREFIX", str(folder))
    return folder


def test_no_library(tmp_path, monkeypatch):
    monkeypatch.setenv("MINX_PREFIX", str(tmp_path))
    with pytest.raises(SetupError, match=f"MINX_PREFIX is {tmp_path}, but no minx is installed there") as caught:
        build.settings()
    assert "BUILD_SHARED_LIBS=ON" in str(caught.value)
    monkeypatch.delenv("MINX_PREFIX")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(settings.sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setattr(settings, "__file__", str(tmp_path / "minx/build/settings.py"))
    with pytest.raises(SetupError, match="(?s)libminx is not found in .*pip install"):
        settings.find_prefix(None)


def test_a_static_library(tmp_path, monkeypatch):
    prefix_with(tmp_path, monkeypatch, shared=False)
    with pytest.raises(SetupError, match="no shared library: build minx with -DBUILD_SHARED_LIBS=ON"):
        build.settings()


def test_a_library_of_another_version(tmp_path, monkeypatch):
    prefix_with(tmp_path, monkeypatch, version="9.2.0")
    with pytest.raises(SetupError, match="has version 9.2.0, and this package 0.1"):
        build.settings()


def test_a_changed_library_or_header_changes_the_key(tmp_path, cache, monkeypatch):
    folder = prefix_with(tmp_path, monkeypatch)
    stamps = [build.stamp_for(HOST)]
    settings._settings.cache_clear()  # as in another process
    assert build.stamp_for(HOST) == stamps[0]
    os.utime(folder / "lib" / build.settings().library.name, (1, 1))
    settings._settings.cache_clear()
    stamps.append(build.stamp_for(HOST))
    include = folder / build.settings().built["include"]
    target = include.resolve()
    include.unlink()
    shutil.copytree(target, include)
    with open(include / "minx/kernel.h", "a") as file:
        file.write("/* changed */\n")
    settings._settings.cache_clear()
    stamps.append(build.stamp_for(HOST))
    settings._settings.cache_clear()
    monkeypatch.setattr(settings, "cpu", lambda: "another")
    stamps.append(build.stamp_for(HOST))
    assert len(set(stamps)) == (4 if build.settings().tune == "native" else 3)
    settings._settings.cache_clear()


@pytest.mark.parametrize("name, message", [
    ("/nowhere/gcc", "CC is '/nowhere/gcc', which cannot be run"),
    ("true", "CC is 'true', expected gcc or clang"),
    ("echo gcc", "CC is 'echo gcc', expected gcc or clang"),
])
def test_a_compiler_that_is_none(name, message, cache, monkeypatch):
    monkeypatch.setenv("CC", name)
    with pytest.raises(SetupError, match=message) as caught:
        build.compile_kernel(kernel_file(), HOST)
    assert "apt-get install gcc" in str(caught.value)


def test_no_compiler_at_all(cache, monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SetupError, match="there is no C compiler"):
        compilers.find({**build.settings().built, "compiler": "/nowhere/cc"}, build.settings().cache)


def test_a_compiler_with_arguments(cache, monkeypatch):
    monkeypatch.setenv("CC", "gcc -g0")
    assert build.settings().compiler.command == ("gcc", "-g0")
    assert build.compile_kernel(kernel_file(), HOST).is_file()


def test_a_compiler_without_the_c_library(cache, tmp_path, monkeypatch):
    wrapper = Wrapper(tmp_path, 'set -- "$@" -nostdinc')
    monkeypatch.setenv("CC", str(wrapper.path))
    monkeypatch.setattr(processes, "MOST_LINES", 3)
    with pytest.raises(CompileError, match="headers of the C library may be missing") as caught:
        build.compile_kernel(kernel_file(), HOST)
    assert len(str(caught.value).splitlines()) < 10


def test_a_compiler_that_is_killed(cache, tmp_path, monkeypatch):
    wrapper = Wrapper(tmp_path, "kill -9 $$")
    monkeypatch.setenv("CC", str(wrapper.path))
    with pytest.raises(CompileError, match="was stopped by signal 9"):
        build.compile_kernel(kernel_file(), HOST)


def test_what_a_compiler_refuses(cache):
    text = kernel_file() + "int wrong(void) { return nowhere; }\n"
    with pytest.raises(CompileError) as caught:
        build.compile_kernel(text, HOST, "smooth")
    said = str(caught.value)
    assert said.startswith("smooth (host_right): ") and "failed with exit code 1" in said
    assert "kernel.c:6" in said and "nowhere" in said and said.splitlines()[-1].startswith("command: ")
    assert caught.value.command[0] == build.settings().compiler.command[0]


def test_an_instance_that_is_not_there():
    with pytest.raises(CompileError, match="smooth: this minx has no instance host_up, but host_right"):
        build.compile_kernel(kernel_file(), ("host_up",), "smooth")


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_compilers_with_precompiled_headers(compiler, tmp_path, monkeypatch):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    monkeypatch.setenv("CC", compiler)
    monkeypatch.setenv("MINX_PY_CACHE", str(tmp_path))
    library = build.compile_kernel(kernel_file(), ("host_right", "simt_left"))
    suffix = {"gcc": ".gch", "clang": ".pch"}[compiler]
    assert len(list((tmp_path / "headers").glob("*" + suffix))) == 2
    assert library.is_file()


def test_options(monkeypatch):
    s = build.settings()
    host, simt = compilers.host_options(s, "host_right"), compilers.host_options(s, "simt_left")
    assert "-O3" in host or "MINX_BOUNDS_CHECK" in s.built["defines"]
    assert "-O3" not in simt
    assert "-std=gnu11" in host and "-fPIC" in host
    assert "-march=native" in compilers.host_options(dataclasses.replace(s, tune="native"), "host_right")
    generic = compilers.host_options(dataclasses.replace(s, tune=""), "host_right")
    assert not any(f.startswith("-march=") for f in generic)
    debug = compilers.host_options(dataclasses.replace(s, debug=True), "host_right")
    assert "-g" in debug or "-g1" in debug


def test_a_library_for_any_cpu_has_kernels_for_this_one(tmp_path, monkeypatch):
    prefix_with(tmp_path, monkeypatch, tune="generic")
    monkeypatch.delenv("MINX_PY_TUNE", raising=False)
    assert build.settings().tune == "native"
    monkeypatch.setenv("MINX_PY_TUNE", "generic")
    assert build.settings().tune == ""


def test_the_answer_of_a_compiler_is_kept(cache, monkeypatch):
    monkeypatch.setenv("CC", "gcc")
    first = build.settings().compiler
    settings._settings.cache_clear()
    monkeypatch.setattr(compilers, "ask", lambda *_: pytest.fail("asked again"))
    assert build.settings().compiler == first
    settings._settings.cache_clear()


def test_a_script_is_asked_each_time(cache, tmp_path, monkeypatch):
    """It may choose another compiler each time."""
    wrapper = Wrapper(tmp_path)
    monkeypatch.setenv("CC", str(wrapper.path))
    assert build.settings().compiler.kind == "gcc"
    wrapper.path.write_text("#!/bin/sh\necho clang version 99\n")
    settings._settings.cache_clear()
    assert build.settings().compiler.version == "clang version 99\n"
    settings._settings.cache_clear()


def test_cub_only_for_scans():
    """CUB comes with scan.h, and costs nvcc more than all else."""
    assert "scan.h" not in units.source("cuda_left", ("cuda_left",), kernel_file())
    assert "scan.h" in units.source("cuda_left", ("cuda_left",), "MX_SCAN(1D, offsets, MX_SUM)")


@pytest.mark.parametrize("text, types", [
    ("MX_ARGS(a, (mx_f64_1, y) (mx_ci64_3s, x));", "M(f64, double, 1) M(i64, int64_t, 4)"),
    ("MX_ARGS(a, (mx_pair_1, y));", ""),
    ("mx_cu8_2 mx_f32_0 xmx_u64_1", "M(f32, float, 2) M(u8, uint8_t, 5)"),
])
def test_accessors_of_a_unit_for_cuda(text, types):
    """Of the types that a text uses, and of all where it may use them in another way, and for hosts."""
    assert f"#define MX_ACCESSOR_TYPES_(M) {types}\n" in units.source("cuda_left", ("cuda_left",), text)
    for unit, other in (("host_right", text), ("cuda_left", f'#include "own.h"\n{text}'), ("cuda_left", f"#define A(t) mx_##t##_1\n{text}")):
        assert "MX_ACCESSOR_TYPES_" not in units.source(unit, (unit,), other)


KERNELS = {"a scan": ("""
    @minx.kernel
    def kernel(i, total, begin, count):
        begin[i] = total
        total += count[i]
    """, "minx.declare(minx.Range, kernel, minx.i64[:], minx.i32[:], scan=True)"), "a scan of pairs": ("""
    def larger(a, b):
        if b[0] > a[0]:
            return b
        return a

    @minx.kernel
    def kernel(i, most, out, x: minx.Array[float, :, 3]):
        most = larger(most, (x[i, 0], i))
        out[i] = most[1]
    """, "minx.declare(minx.Range, kernel, minx.i32[:], minx.f64[:, :], op=minx.Reducer((0.0, 0), larger), scan=True)"),
    "a team": ("""
    @minx.kernel
    def kernel(team, y, a, flags):
        s, w = 0.0, team.scratch(a.shape[1])
        for k in team.items(a.shape[1]):
            w[k] = a[team.league_rank, k]
        for k in team.items(a.shape[1]):
            s += w[k] * flags[k]
        y[team.league_rank] = s
    """, "minx.declare(minx.Team, kernel, minx.f32[:], minx.f32[:, :], np.zeros(2, bool))"), "several results": ("""
    @minx.kernel
    def kernel(i, x, c):
        minx.atomic_add(c, i % 2, 1)
        return x[i], x[i]
    """, 'minx.declare(minx.Range, kernel, minx.f64[:], minx.u64[:], op=("sum", "maxloc"))'), "random numbers": ("""
    @minx.kernel
    def kernel(i, x):
        r = minx.Random(1, i)
        x[i] = r.normal()
    """, "minx.declare(minx.Range, kernel, minx.f64[:])")}


@pytest.mark.skipif(not Path("/usr/local/cuda/bin/nvcc").exists() and not shutil.which("nvcc"), reason="there is no nvcc")
@pytest.mark.parametrize("name", KERNELS)
def test_what_nvcc_does_not_read_is_not_needed(name, tmp_path, cache, monkeypatch):
    """Units for cuda compile without accessors of other types, and without headers that CUB's scan does not need."""
    monkeypatch.setenv("MINX_PY_CUDA_ARCH", "90")
    program, declaration = KERNELS[name]
    (tmp_path / "program.py").write_text("import numpy as np, minx\n" + textwrap.dedent(program) + declaration + "\n")
    commands = []
    s = dataclasses.replace(build.settings(), instances=(*build.settings().instances, "cuda_left"))
    monkeypatch.setattr(build, "settings", lambda: s)

    run = processes.run

    def compiled(given, what, folder, *more, **named):
        if "nvcc" not in given[0][0]:
            return run(given, what, folder, *more, **named)  # minx's headers
        commands.extend(given)
        subprocess.run(given[0], cwd=folder, check=True)
        raise Compiled

    class Compiled(Exception):
        pass

    monkeypatch.setattr(processes, "run", compiled)
    before = list(ahead.declared)
    try:
        runpy.run_path(str(tmp_path / "program.py"))
        with pytest.raises(Compiled):
            ahead.compile_declared(["cuda"], say=lambda _: None)
    finally:
        ahead.declared[:] = before
    assert (cuda.LESS_OF_CUB[0] in commands[0]) == name.startswith("a scan")


@pytest.fixture
def no_toolkit(tmp_path, monkeypatch):
    """Settings of a minx with cuda, on a machine without the toolkit."""
    for name in ("CUDA_HOME", "CUDA_PATH", "MINX_PY_CUDA_ARCH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(cuda, "USUAL", tmp_path / "none")
    monkeypatch.setattr(cuda, "wheel_folders", lambda: [])
    cuda.find_toolkit.cache_clear()
    yield dataclasses.replace(build.settings(), built={**build.settings().built, "nvcc": ""})
    cuda.find_toolkit.cache_clear()


def toolkit_in(folder, library="libcudart.so.13"):
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    (folder / "bin/nvcc").touch()
    (folder / "lib" / library).touch()
    return folder


def test_no_nvcc(no_toolkit):
    with pytest.raises(SetupError, match="needs nvcc, which is not found.*CUDA_HOME.*pip install"):
        cuda.command(no_toolkit, "a.cu", "a.o") if cuda.device_architectures() else cuda.toolkit(no_toolkit)


def test_places_of_the_toolkit(no_toolkit, tmp_path, monkeypatch):
    wheel = toolkit_in(tmp_path / "nvidia/cu13")
    monkeypatch.setattr(cuda, "wheel_folders", lambda: [wheel])
    assert cuda.toolkit(no_toolkit) == wheel
    assert cuda.run_time(no_toolkit) == wheel / "lib/libcudart.so.13"
    home = toolkit_in(tmp_path / "home", "libcudart.so")
    monkeypatch.setenv("CUDA_HOME", str(home))
    assert cuda.toolkit(no_toolkit) == home
    options = cuda.link_options(no_toolkit)
    assert options[0] == str(home / "lib/libcudart.so") and f"-Wl,-rpath,{home / 'lib'}" in options


def test_architectures(no_toolkit, monkeypatch):
    monkeypatch.setattr(cuda, "device_architectures", lambda: ())
    with pytest.raises(SetupError, match="no CUDA device is here to compile for.*MINX_PY_CUDA_ARCH=90"):
        cuda.architectures()
    monkeypatch.setattr(cuda, "device_architectures", lambda: ("80", "90"))
    assert cuda.architectures() == ["80", "90"]
    monkeypatch.setenv("MINX_PY_CUDA_ARCH", "100a, 75")
    assert cuda.architectures() == ["100a", "75"]
    monkeypatch.setenv("MINX_PY_CUDA_ARCH", "hopper")
    with pytest.raises(SetupError, match="MINX_PY_CUDA_ARCH is 'hopper', expected numbers"):
        cuda.architectures()


def test_progress_only_where_it_is_wanted(monkeypatch, capfd):
    monkeypatch.setattr(processes, "BEFORE_PROGRESS", 0.0)
    for value in ("", "0"):
        monkeypatch.setenv("MINX_PY_PROGRESS", value)
        processes.run([["true"]], "smooth", os.getcwd())
    assert capfd.readouterr().err == ""  # no terminal
    monkeypatch.setenv("MINX_PY_PROGRESS", "1")
    processes.run([["true"]], "smooth", os.getcwd())
    assert "minx: compiling smooth ... 0 s" in capfd.readouterr().err
    monkeypatch.setattr(processes, "BEFORE_PROGRESS", 60.0)
    processes.run([["true"]], "smooth", os.getcwd())
    assert capfd.readouterr().err == ""


def test_programs_run_at_the_same_time(tmp_path):
    """Each waits for a file that the other one makes."""
    script = "touch {0}; for n in $(seq 1000); do [ -f {1} ] && exit 0; sleep 0.02; done; exit 1"
    processes.run([["sh", "-c", script.format("a", "b")], ["sh", "-c", script.format("b", "a")]], "both", tmp_path)


def test_much_output_stops_nothing(tmp_path):
    with pytest.raises(CompileError, match="and .* more lines"):
        processes.run([["sh", "-c", "seq 100000; exit 1"], ["sh", "-c", "seq 100000"]], "both", tmp_path)
