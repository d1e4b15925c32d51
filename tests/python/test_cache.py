"""The cache of compiled kernels: whatever happens to a process, another one finds a whole library or none."""

import errno
import os
import shutil
import signal
import socket
import threading
import time
import warnings

import pytest

from builds import HOST, Wrapper, cache, child, headers, kernel_file  # noqa: F401 (fixtures)
from minx.build import cache as stored
from minx.build import claims, eviction, precompiled, processes
from minx.build import compile as build
from minx.errors import CompileError, SetupError


def wait_for(what, seconds=60):
    """Ends as soon as it is true. Other work may make the machine slow, hence a minute."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "did not happen"
        time.sleep(0.01)


def is_empty(folder):
    return not folder.exists() or not list(folder.iterdir())


@pytest.fixture
def counting(tmp_path, monkeypatch):
    wrapper = Wrapper(tmp_path)
    monkeypatch.setenv("CC", str(wrapper.path))
    return wrapper


def test_compiles_once(cache, counting):
    first = build.compile_kernel(kernel_file(), HOST)
    calls = len(counting.processes())
    assert calls == 1  # the instance, with the table
    assert build.compile_kernel(kernel_file(), HOST) == first
    assert len(counting.processes()) == calls
    assert first.parent.parent == cache / "kernels"
    assert sorted(f.name for f in first.parent.iterdir()) == ["entry.json", "kernel.c", "kernel.so"]
    assert is_empty(cache / "claims")


def test_another_text_instance_or_option_is_another_entry(cache, monkeypatch):
    libraries = [build.compile_kernel(kernel_file(), HOST), build.compile_kernel(kernel_file(1), HOST),
                 build.compile_kernel(kernel_file(), ("simt_left",))]
    monkeypatch.setenv("MINX_PY_TUNE", "generic")
    libraries.append(build.compile_kernel(kernel_file(), HOST))
    monkeypatch.setenv("MINX_PY_DEBUG", "1")
    libraries.append(build.compile_kernel(kernel_file(), HOST))
    assert len(set(libraries)) == 5


def test_two_processes_compile_once(cache, tmp_path):
    wrapper = Wrapper(tmp_path, "sleep 0.5")
    code = "print(build.compile_kernel(kernel_file(), HOST))"
    both = [child(code, CC=str(wrapper.path)) for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert said[0] == said[1]
    assert len(wrapper.processes()) == 1


def test_processes_without_claims_harm_nobody(cache, tmp_path):
    """As on a file system that loses them: the kernel is compiled twice, and both have it."""
    wrapper = Wrapper(tmp_path, "sleep 0.5")
    code = """
        from minx.build import claims
        claims.Claim.create = lambda self: setattr(self, "owned", True)
        print(build.compile_kernel(kernel_file(), HOST))
    """
    both = [child(code, CC=str(wrapper.path)) for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert said[0] == said[1] and os.path.getsize(said[0].strip()) > 0
    assert not [f for f in (cache / "kernels").iterdir() if f.name.startswith(".part-")]


def test_a_killed_process_leaves_nothing_broken(cache, tmp_path):
    wrapper = Wrapper(tmp_path, "sleep 60")
    process = child("build.compile_kernel(kernel_file(), HOST)", CC=str(wrapper.path))
    wait_for(lambda: wrapper.processes())
    process.kill()
    process.communicate()
    for pid in wrapper.processes():
        os.kill(pid, signal.SIGKILL)
    assert is_empty(cache / "kernels") and not is_empty(cache / "claims")
    start = time.monotonic()
    process = child("print(build.compile_kernel(kernel_file(), HOST))")  # CC is another one: so is the key
    assert process.communicate()[0].strip().endswith("kernel.so")
    claim = next((cache / "claims").iterdir())  # what the same key would find
    with claims.Claim(claim, lambda: False) as mine:
        assert mine.owned
    assert time.monotonic() - start < claims.STALE
    assert is_empty(cache / "claims")


def test_an_interrupt_ends_compilers_and_leaves_nothing(cache, tmp_path):
    wrapper, temporary = Wrapper(tmp_path, "sleep 60"), tmp_path / "temporary"
    temporary.mkdir()
    process = child("build.compile_kernel(kernel_file(), ('host_right', 'simt_left'))", CC=str(wrapper.path), TMPDIR=str(temporary))
    wait_for(lambda: len(wrapper.processes()) == 2)
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate()[1]
    assert not any(claims.is_alive(pid) for pid in wrapper.processes())
    assert is_empty(cache / "kernels") and is_empty(cache / "claims") and is_empty(temporary)


def test_an_interrupt_while_a_compiler_starts(cache, tmp_path):
    """The compiler runs, but Popen has not returned yet."""
    wrapper = Wrapper(tmp_path, "sleep 60")
    process = child(f"""
        import signal, subprocess, time

        class Late(subprocess.Popen):
            def __init__(self, *args, **options):
                super().__init__(*args, **options)
                if "-c" in self.args:  # a unit, not a question to the compiler
                    end = time.monotonic() + 60
                    while not open("{wrapper.log}").read() and time.monotonic() < end:
                        time.sleep(0.01)
                    signal.raise_signal(signal.SIGINT)

        subprocess.Popen = Late
        build.compile_kernel(kernel_file(), HOST)
    """, CC=str(wrapper.path))
    assert "KeyboardInterrupt" in process.communicate()[1]
    assert len(wrapper.processes()) == 1 and not any(claims.is_alive(pid) for pid in wrapper.processes())


def test_a_claim_of_a_dead_host_is_taken_over(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "STALE", 0.2)
    path = tmp_path / "claim"
    path.write_text("another-host 1")
    with claims.Claim(path, lambda: False) as mine:
        assert mine.owned and path.read_text() == f"{socket.gethostname()} {os.getpid()}"
    assert not path.exists()


def test_a_claim_that_is_refreshed_is_waited_for(tmp_path, monkeypatch):
    """Longer than a stale one would be; it ends when the result is there."""
    monkeypatch.setattr(claims, "STALE", 0.4)
    monkeypatch.setattr(claims, "REFRESH", 0.05)
    done, order = threading.Event(), []

    def owner():
        with claims.Claim(tmp_path / "claim", done.is_set) as mine:
            order.append("owned")
            for _ in range(12):
                time.sleep(0.1)
                mine.refresh()
            order.append("made")
            done.set()

    thread = threading.Thread(target=owner)
    thread.start()
    wait_for((tmp_path / "claim").exists)
    with claims.Claim(tmp_path / "claim", done.is_set) as other:
        order.append("waited")
        assert not other.owned
    thread.join()
    assert order == ["owned", "made", "waited"]


@pytest.mark.parametrize("place", ["/proc/minx", "file/cache"])
def test_a_cache_that_cannot_be_written(place, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("MINX_PY_CACHE", str(tmp_path / place))  # an absolute one stays as it is
    with pytest.warns(RuntimeWarning, match="cannot write to its cache.*MINX_PY_CACHE"):
        library = build.compile_kernel(kernel_file(), HOST)
    assert library.is_file() and not str(library).startswith(str(tmp_path / place))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no second one
        assert build.compile_kernel(kernel_file(1), HOST).is_file()
        assert build.compile_kernel(kernel_file(), HOST) == library  # found again


def test_a_full_disk(cache, monkeypatch):
    write = stored.write

    def full(path, data):
        if str(path).startswith(str(cache)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(path, data)

    monkeypatch.setattr(stored, "write", full)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        assert build.compile_kernel(kernel_file(), HOST).is_file()
    assert is_empty(cache / "kernels")


def test_a_limit_on_the_size_of_files(tmp_path):
    """Precompiled headers do not fit, kernels do: they are compiled without."""
    code = """
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        print(build.compile_kernel(kernel_file(), HOST))
    """
    said, errors = child(code, MINX_PY_CACHE=str(tmp_path)).communicate()
    assert said.strip().endswith("kernel.so"), errors
    assert not [f for f in (tmp_path / "headers").iterdir() if f.suffix != ".h"]


def test_a_damaged_library_is_compiled_again(cache):
    library = build.compile_kernel(kernel_file(), HOST)
    whole = library.stat().st_size
    os.truncate(library, 100)
    assert build.compile_kernel(kernel_file(), HOST) == library
    assert library.stat().st_size == whole


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_damaged_headers_stop_no_kernel(compiler, tmp_path, monkeypatch):
    """gcc reads the header itself then; clang refuses it, and it is made again."""
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    monkeypatch.setenv("CC", compiler)
    monkeypatch.setenv("MINX_PY_CACHE", str(tmp_path))
    build.compile_kernel(kernel_file(), HOST)
    made = [f for f in (tmp_path / "headers").iterdir() if f.suffix != ".h"]
    sizes = {f: f.stat().st_size for f in made}
    for file in made:
        os.truncate(file, sizes[file] // 2)
    for number in (1, 2):
        assert build.compile_kernel(kernel_file(number), HOST).is_file()
    again = {f: f.stat().st_size for f in made}
    # made again, as long as before but for some bytes: clang's files are not the same each time
    assert compiler == "gcc" or all(abs(again[f] - sizes[f]) < sizes[f] // 100 for f in made), (sizes, again)


def test_a_refused_kernel_leaves_nothing(cache, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.raises(CompileError):
        build.compile_kernel(kernel_file() + "int missing(void) { return nowhere; }\n", HOST)
    assert is_empty(cache / "kernels") and is_empty(cache / "claims")
    assert precompiled.options(build.settings(), "host_right", HOST)  # they were not to blame


def test_an_index_that_is_no_json_is_not_there(cache):
    settings = build.settings()
    settings.cache.save_index("key", {"a": 1})
    assert settings.cache.load_index("key") == {"a": 1}
    (cache / "index" / "key").write_text('{"a":')
    assert settings.cache.load_index("key") is None


def entry(root, folder, name, size, days):
    path = root / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if folder == "kernels":
        path.mkdir()
        (path / "kernel.so").write_bytes(b"x" * size)
    else:
        path.write_bytes(b"x" * size)
    then = time.time() - days * 86400
    os.utime(path, (then, then))
    return path


def test_eviction_removes_what_was_not_used_for_longest(tmp_path):
    paths = [entry(tmp_path, "kernels", f"k{n}", 1000, days=10 - n) for n in range(10)]
    eviction.evict(tmp_path, 10_000)
    assert all(p.exists() for p in paths)
    eviction.evict(tmp_path, 9_000)  # to 80 percent: 7200
    assert [p.exists() for p in paths] == [False] * 3 + [True] * 7


def test_eviction_leaves_what_is_young(tmp_path):
    path = entry(tmp_path, "kernels", "young", 1000, days=0)
    eviction.evict(tmp_path, 10)
    assert path.exists()


def test_eviction_removes_what_is_old_or_left_over(tmp_path):
    gone = [entry(tmp_path, "index", "old", 10, days=91), entry(tmp_path, "headers", ".part-1-2-a.h.gch", 10, days=2),
            entry(tmp_path, "claims", "claim", 10, days=2), entry(tmp_path, "kernels", ".part-1-2-key", 10, days=2)]
    kept = [entry(tmp_path, "index", "new", 10, days=89), entry(tmp_path, "claims", "now", 10, days=0)]
    eviction.evict(tmp_path, 10**9)
    assert not any(p.exists() for p in gone) and all(p.exists() for p in kept)


def test_a_use_is_noted(cache):
    library = build.compile_kernel(kernel_file(), HOST)
    os.utime(library.parent, (0, 0))
    os.utime(library, (0, 0))
    build.compile_kernel(kernel_file(), HOST)
    assert time.time() - library.parent.stat().st_mtime < 3600


def test_compiling_evicts_at_times(cache, monkeypatch):
    old = entry(cache, "kernels", "old", 10, days=100)
    build.compile_kernel(kernel_file(), HOST)
    assert not old.exists()
    again = entry(cache, "kernels", "old", 10, days=100)
    build.compile_kernel(kernel_file(1), HOST)
    assert again.exists()  # not at every kernel


def test_clear(cache):
    build.compile_kernel(kernel_file(), HOST)
    (cache / "headers").unlink()  # they are those of all tests
    assert eviction.clear(cache)
    assert eviction.entries(cache) == []


@pytest.mark.parametrize("text, size", [("500M", 500 << 20), ("2G", 2 << 30), ("1.5k", 1536), ("100", 100), ("1 GiB", 1 << 30)])
def test_sizes(text, size, monkeypatch):
    monkeypatch.setenv("MINX_PY_CACHE_SIZE", text)
    assert eviction.size_limit() == size


def test_a_size_that_is_none(monkeypatch):
    monkeypatch.setenv("MINX_PY_CACHE_SIZE", "much")
    with pytest.raises(SetupError, match="MINX_PY_CACHE_SIZE is 'much', expected a size"):
        build.settings()


def test_a_home_that_is_not_there(monkeypatch):
    monkeypatch.delenv("MINX_PY_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert str(stored.default_root()) == "/somewhere/minx"


def test_what_waits_says_so(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(processes, "BEFORE_PROGRESS", 0.0)
    monkeypatch.setenv("MINX_PY_PROGRESS", "1")
    monkeypatch.setattr(claims, "STALE", 0.1)
    path = tmp_path / "claim"
    path.write_text("another-host 1")
    with claims.Claim(path, lambda: False):
        pass
    assert "minx: waiting for another process" in capfd.readouterr().err
