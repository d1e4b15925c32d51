"""minx.apps: apps that are built are run (MINX_BIN, or on the PATH), and what goes wrong is played by a program of a
few lines."""

import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY / "python"))
from minx import apps
from minx.apps import child, find, progress, results, run as app_run

INPUTS = REPOSITORY / "inputs"
SUMMARY = {
    "app": "minimd",
    "problem": "lj",
    "problem_size": 4,
    "backend": "serial",
    "ranks": 1,
    "threads": 1,
    "wall_seconds": 0.5,
    "verdict": "passed",
    "exit_code": 0,
    "regions": {"solve": {"seconds": 0.1, "calls": 1, "bytes": 8.0, "flops": 2.0}},
    "fom": {"name": "performance", "value": 3.0, "unit": "atom-steps/s", "higher_is_better": True},
}


def has_apps() -> bool:
    try:
        return bool(find.program("minimd"))
    except apps.AppError:
        return False


needs_apps = pytest.mark.skipif(
    not has_apps(), reason="the apps are not built: MINX_BIN names the folder that has them"
)


def needs_h5py():
    return pytest.importorskip("h5py", reason="h5py is not installed")


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """fake(body): a program minimd of this body in Python, with `summary(verdict, code)` to end by."""

    def make(body: str):
        program = tmp_path / "minimd"
        head = f"""
            import json, os, signal, sys, time
            names = dict(word[2:].split("=", 1) for word in sys.argv[1:] if word.startswith("--") and "=" in word)
            def summary(verdict="passed", code=0):
                with open(names["summary"], "w") as out:
                    json.dump({{**json.loads({json.dumps(SUMMARY)!r}), "verdict": verdict, "exit_code": code}}, out)
                sys.exit(code)
            """
        program.write_text(f"#!{sys.executable}\n" + textwrap.dedent(head) + textwrap.dedent(body))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("MINX_BIN", str(tmp_path))
        return apps.minimd

    return make


# ---- runs of the apps ----


@needs_apps
def test_minimd_conserves_energy():
    """The published state of the default problem: the original's log has T = 0.7208599, U = -5.701261 at step 100."""
    needs_h5py()
    made = apps.minimd(INPUTS / "minimd" / "lj.in", frames=50, threads=1)
    assert made.verdict == "passed" and made.passed and made.exit_code == 0 and made.fom.unit == "atom-steps/s"
    series = made.results.series
    assert abs(series["temperature"].values[-1] - 0.7208599) < 5e-7  # digits of the original's log
    assert series["step"].values[-1] == 100 and series["temperature"].units == "epsilon/k"
    assert np.allclose(series["time"], 0.005 * np.asarray(series["step"]))
    position = made.results.fields["position"]
    assert position.shape == (4000, 3) and position.dims == ("particle", "axis") and position[7:9].shape == (2, 3)
    assert np.array_equal(position.coordinates["particle"], np.arange(1, 4001))
    frames = made.results.frames["position"]
    assert list(frames["step"]) == [0, 50, 100] and np.array_equal(frames["value"][-1], position)
    assert made.results.input["steps"] == 100 and made.results.checks["energy"].passed
    assert made.regions["solve"].seconds > made.regions["force"].seconds > 0


@needs_apps
def test_minife_has_the_solution_that_was_chosen():
    needs_h5py()
    made = apps.minife(nx=16, problem="manufactured", relative_tolerance=1e-10, max_iterations=500, threads=1)
    u = made.results.fields["solution"]
    z, y, x = np.meshgrid(*[u.coordinates[d] for d in u.dims], indexing="ij")
    exact = np.exp(x) * np.sin(2 * y + 0.3) * np.cos(1.5 * z)
    assert made.passed and u.dims == ("z", "y", "x")
    assert np.abs(u.values - exact).max() < 0.3 / 16**2  # the bound of the app's check error_max


@needs_apps
def test_tealeaf_on_ranks_gives_the_published_temperature():
    needs_h5py()
    if not (find.shutil.which("mpirun") or os.environ.get("MPIEXEC")):
        pytest.skip("mpirun is not installed")
    deck = (INPUTS / "tealeaf" / "crooked_pipe_10.in").read_text()
    made = apps.tealeaf(deck, ranks=2, threads=1, tl_preconditioner_type="jac_diag")
    field = made.results.fields["temperature"]
    assert made.summary["ranks"] == 2 and made.passed
    assert (
        abs(made.results.series["temperature_total"].values[-1] / 157.55084183279294 - 1) < 1e-5
    )  # the rule of the original codes
    assert field.dims == ("y", "x") and np.allclose(field.coordinates["x"], np.arange(10) + 0.5)


@needs_apps
def test_options_without_a_value_and_bad_ones():
    made = apps.tealeaf(
        INPUTS / "tealeaf" / "crooked_pipe_10.in",
        tl_use_ppcg=True,
        end_step=2,
        test_problem=0,
        output=False,
        threads=1,
        profiler_on=None,
    )
    assert made.summary["problem"].startswith("ppcg") and made.summary["iterations"] > 0
    with pytest.raises(FileNotFoundError, match="output=False"):
        made.results
    with pytest.raises(apps.AppError, match="stepz") as failure:
        apps.minimd(INPUTS / "minimd" / "lj.in", stepz=3)
    assert failure.value.exit_code == 2 and "steps" in failure.value.stderr and "mistake" in failure.value.meaning
    with pytest.raises(apps.AppError, match="no-such-deck"):
        apps.minimd("no-such-deck.in")


@needs_apps
def test_an_iteration_limit_is_no_failure(tmp_path):
    made = apps.minife(nx=10, max_iterations=2, threads=1, folder=tmp_path / "out")
    assert made.verdict == "iteration limit" and made.exit_code == 0 and (tmp_path / "out" / "results.h5").exists()
    with pytest.raises(apps.AppError, match="iteration limit") as failure:
        apps.minife(nx=10, max_iterations=2, threads=1, raise_on_failure=True, output=False)
    assert failure.value.run.verdict == "iteration limit"


@needs_apps
def test_apps_show_progress_to_the_bar():
    import io

    stream = io.StringIO()
    bar = progress.Bar("minimd", True, stream)
    command = [str(find.program("minimd")), str(INPUTS / "minimd" / "lj.in"), "--steps=2000", "--threads=1"]
    child.run(command, find.environment({}, True), 120, bar)
    bar.end()
    shown = stream.getvalue().split("\r")
    assert any("minimd [" in line and "/2000" in line for line in shown), shown
    assert shown[-1] == "" and not shown[-2].strip()  # the line is removed


# ---- what the object has ----


def test_the_object(fake):
    made = fake("""
        print("a line")
        sys.stderr.write("\\rstep 1/2 (50 %)\\033[K\\r\\033[Ka note\\n")
        summary()
    """)(
        "some.in",
        steps=3,
        sigma=(1, 0.5),
        neigh_check=True,
        mass=None,
        checkpoint_every="5s",
        dt=np.float64(0.1),
        threads=np.int64(1),
    )
    assert made.stdout == "a line\n" and made.stderr == "a note\n"
    assert made.command[1:-2] == (
        "some.in",
        "--steps=3",
        "--sigma=1,0.5",
        "--neigh_check",
        "--checkpoint-every=5s",
        "--dt=0.1",
        "--threads=1",
    )
    assert made.fom == apps.Figure("performance", 3.0, "atom-steps/s", True) and made.regions["solve"] == apps.Region(
        0.1, 1, 8.0, 2.0
    )
    assert repr(made) == "<minimd lj, 4 on serial, 1 x 1: passed, 3 atom-steps/s, 0.5 s>"
    folder = made.folder
    assert folder.is_dir()
    del made
    assert not folder.exists()


@pytest.mark.parametrize("verdict,code", [("failed", 1), ("breakdown", 4), ("stopped", 5), ("iteration limit", 0)])
def test_verdicts(fake, verdict, code):
    minimd = fake(f"summary({verdict!r}, {code})")
    made = minimd()
    assert made.verdict == verdict and made.exit_code == code and not made.passed
    with pytest.raises(apps.AppError, match=verdict):
        minimd(raise_on_failure=True)


@pytest.mark.parametrize(
    "body,code,words",
    [
        ("sys.stderr.write('no memory\\n'); sys.exit(3)", 3, "no memory"),
        ("sys.exit(1)", 1, "without a verdict"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", -11, "SIGSEGV"),
        (
            "sys.stderr.write('-' * 60 + '\\nmpirun says\\n' + '-' * 60 + '\\nthe app says\\n'); sys.exit(137)",
            137,
            "SIGKILL.*\nthe app says$",
        ),
    ],
)
def test_failures(fake, body, code, words):
    with pytest.raises(apps.AppError, match=words) as failure:
        fake(body)()
    assert failure.value.exit_code == code and failure.value.command


def test_an_old_summary_does_not_count(fake, tmp_path):
    fake("summary()")(folder=tmp_path / "out")
    with pytest.raises(apps.AppError, match="without a verdict"):
        fake("sys.exit(0)")(folder=tmp_path / "out")


def test_wrong_arguments(fake):
    minimd = fake("summary()")
    for options, words in (
        ({"ranks": 0}, "ranks=0: expected"),
        ({"timeout": -1}, "timeout"),
        ({"output": "run.h5"}, "folder="),
    ):
        with pytest.raises(ValueError, match=words):
            minimd(**options)
    for options, words in (
        ({"summary": "s.json"}, "folder="),
        ({"quiet": True}, "progress=False"),
        ({"dt": [{}]}, "dt is a dict"),
    ):
        with pytest.raises(TypeError, match=words):
            minimd(**options)


# ---- the child ----


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(true, seconds=10.0):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


SLEEPER = """
    import subprocess
    rank = subprocess.Popen(["sleep", "600"])
    with open(names["pids"], "w") as out:
        out.write(f"{os.getpid()} {rank.pid} ")
    time.sleep(600)
"""


def pids_of(file: Path) -> list[int]:
    return [int(word) for word in file.read_text().split()]


def test_a_time_limit_ends_the_app_and_what_it_started(fake, tmp_path):
    with pytest.raises(apps.AppError, match="after 1 s") as failure:
        fake(SLEEPER)(pids=tmp_path / "pids", timeout=1)
    assert failure.value.exit_code is None
    assert wait_until(lambda: not any(map(alive, pids_of(tmp_path / "pids"))))


def test_ctrl_c_ends_the_app_and_what_it_started(fake, tmp_path):
    file = tmp_path / "pids"

    def interrupt():
        if wait_until(lambda: file.exists() and file.read_text().endswith(" ")):
            (
                signal.raise_signal(signal.SIGINT)
                if threading.current_thread() is threading.main_thread()
                else os.kill(os.getpid(), signal.SIGINT)
            )

    minimd, thread = fake(SLEEPER), threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        minimd(pids=file, timeout=60)
    thread.join()
    assert wait_until(lambda: not any(map(alive, pids_of(file))))


def test_ctrl_c_while_the_app_starts(fake, tmp_path, monkeypatch):
    """The app runs, but Popen has not returned yet."""
    file = tmp_path / "pids"

    class Late(subprocess.Popen):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            assert wait_until(lambda: file.exists() and file.read_text().endswith(" "))
            signal.raise_signal(signal.SIGINT)

    minimd = fake(SLEEPER)
    monkeypatch.setattr(subprocess, "Popen", Late)
    with pytest.raises(KeyboardInterrupt):
        minimd(pids=file, timeout=60)
    assert wait_until(lambda: not any(map(alive, pids_of(file))))


def processes_with(word: str) -> list[str]:
    """Command lines of programs that have this word."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [
                line for line in [file.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")] if word in line
            ]
        except OSError:
            pass
    return found


@needs_apps
def test_ctrl_c_ends_ranks_of_mpi(tmp_path):
    if not find.shutil.which("mpirun"):
        pytest.skip("mpirun is not installed")
    folder = tmp_path / "interrupted"

    def interrupt():
        if wait_until(lambda: len(processes_with(f"minimd {INPUTS}")) > 2 and list(folder.glob("results.h5*")), 60):
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        apps.minimd(
            INPUTS / "minimd" / "lj.in", ranks=2, threads=1, steps=10**8, frames=10**7, folder=folder, timeout=90
        )
    thread.join()
    assert wait_until(lambda: not processes_with(str(folder))), processes_with(str(folder))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent has ended")
def test_the_app_ends_with_a_python_that_is_killed(fake, tmp_path):
    fake("""
        with open(names["pids"], "w") as out:
            out.write(f"{os.getpid()} ")
        time.sleep(600)
    """)
    file = tmp_path / "pids"
    program = f"from minx import apps; apps.minimd(pids={str(file)!r})"
    parent = subprocess.Popen(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(REPOSITORY / "python")}
    )
    assert wait_until(lambda: file.exists() and file.read_text().endswith(" "))
    parent.kill()
    parent.wait()
    assert wait_until(lambda: not any(map(alive, pids_of(file))))


def test_much_output_and_an_open_pipe(fake):
    """More than a pipe holds, on both; and a process that stays behind with the pipes open does not keep the run."""
    made = fake("""
        import subprocess
        subprocess.Popen(["sleep", "20"])
        for _ in range(4000):
            sys.stdout.write("o" * 99 + "\\n"); sys.stderr.write("e" * 99 + "\\n")
        summary()
    """)
    start = time.monotonic()
    done = made(timeout=15)
    assert len(done.stdout) == len(done.stderr) == 400000 and time.monotonic() - start < 15


# ---- programs and launchers ----


def test_where_programs_are_looked_for(monkeypatch, tmp_path):
    monkeypatch.delenv("MINX_BIN", raising=False)
    monkeypatch.setenv("MINX_PREFIX", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    with pytest.raises(apps.AppError, match="minimd was not found.*MINX_BIN"):
        apps.program("minimd")
    for folder in ("path", "bin", "own"):  # from the last place to the first
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "minimd").write_text("#!/bin/sh\n")
        (tmp_path / folder / "minimd").chmod(0o755)
        if folder == "own":
            monkeypatch.setenv("MINX_BIN", str(tmp_path / "own"))
        assert apps.program("minimd") == tmp_path / folder / "minimd"


def test_launchers(monkeypatch, tmp_path):
    for name in ("SLURM_JOB_ID", "MPIEXEC", *find.RANK_VARIABLES):
        monkeypatch.delenv(name, raising=False)
    assert find.launcher(1, None) == []
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(apps.AppError, match="needs mpirun"):
        find.launcher(2, None)
    monkeypatch.setenv("MPIEXEC", "mpiexec -x A")
    assert find.launcher(2, None) == ["mpiexec", "-x", "A", "-n", "2"]
    (tmp_path / "srun").write_text("#!/bin/sh\n")
    (tmp_path / "srun").chmod(0o755)
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert find.launcher(4, 8) == ["srun", "--ntasks=4", "--cpus-per-task=8"]
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    with pytest.raises(apps.AppError, match="several ranks itself"):
        find.launcher(1, None)


def test_a_launcher_of_the_user(fake):
    made = fake("summary()")(launcher=("env", "A=1"))
    assert made.command[:2] == ("env", "A=1")
    with pytest.raises(apps.AppError, match="no-such-launcher"):
        fake("summary()")(launcher=("no-such-launcher",))


# ---- the bar ----


def test_the_bar():
    import io

    now, stream = [0.0], io.StringIO()
    bar = progress.Bar("minimd", True, stream, lambda: now[0])
    bar(b"\rstep 1/4 (25 %)\033[K")
    assert stream.getvalue() == ""  # a short run shows nothing
    now[0] = 1.0
    bar(b"\rstep 2/4")  # a piece
    bar(b" (50 %)\033[K")
    now[0] = 2.0
    bar(b"")
    assert "minimd [############............]  50 % step 2/4, 2 s, about 2 s left" in stream.getvalue()
    bar.end()
    assert stream.getvalue().endswith("\r")
    silent = io.StringIO()
    hidden = progress.Bar("minimd", False, silent, lambda: 100.0)
    hidden(b"\rstep 2/4 (50 %)\033[K")
    hidden.end()
    assert silent.getvalue() == ""


def test_a_pipe_gets_no_bar(monkeypatch):
    import io

    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert not progress.is_wanted(None) and progress.is_wanted(True) and not progress.is_wanted(False)


# ---- results ----


def write_results(path: Path):
    h5py = needs_h5py()
    with h5py.File(path, "w") as file:
        file.attrs.update(app="tealeaf", verdict="passed", exit_code=0)
        cells = file.create_dataset("fields/u", data=np.arange(6.0).reshape(2, 3))
        cells.attrs.update(units=np.bytes_(b"K"), origin=[0.0, 10.0], spacing=[1.0, 2.0])
        file["fields/flat"] = np.arange(4.0)
        file["series/time"], file["series/mass"], file["series/residual"] = np.arange(3.0), np.ones(3), np.ones(5)
        file["input/steps"], file["input/deck"] = 4, np.bytes_(b"*tea\n")
        for name, value in (("value", 1.0), ("expected", 1.0), ("tolerance", 0.0), ("passed", 1)):
            file[f"verification/mass/{name}"] = value


def test_results(tmp_path):
    write_results(tmp_path / "results.h5")
    read = results.Results(tmp_path / "results.h5")
    u = read.fields["u"]
    assert u.units == "K" and u.dims == ("y", "x") and u.shape == (2, 3) and u[1, 2] == 5.0 and np.sum(u) == 15.0
    assert np.array_equal(u.coordinates["x"], [11, 13, 15]) and np.array_equal(u.coordinates["y"], [0.5, 1.5])
    assert read.series["mass"].dims == ("time",) and read.series["residual"].dims == ("entry",)
    assert (
        read.input == {"steps": 4, "deck": "*tea\n"}
        and read.checks["mass"].passed is True
        and read.attributes["app"] == "tealeaf"
    )
    with pytest.raises(KeyError, match="no v in /fields of results.h5: it has flat, u"):
        read.fields["v"]
    assert len(read.fields) == 2 and repr(u) == "u 2x3 float64 [K]"


def test_xarray(tmp_path):
    pytest.importorskip("xarray", reason="xarray is not installed")
    write_results(tmp_path / "results.h5")
    made = results.Results(tmp_path / "results.h5").to_xarray()
    assert made["u"].sel(x=13.0, y=0.5) == 1.0 and made["u"].attrs["units"] == "K"
    assert set(made.coords) == {"x", "y", "time"} and "residual" in made and "time" not in made.data_vars


def test_results_without_h5py(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "h5py", None)
    with pytest.raises(ImportError, match="pip install h5py.*python3-h5py"):
        results.Results(tmp_path / "results.h5")


@needs_apps
def test_an_array_keeps_its_temporary_folder():
    needs_h5py()
    array = apps.tealeaf(INPUTS / "tealeaf" / "crooked_pipe_10.in", threads=1).results.fields["density"]
    assert array.values.shape == (10, 10)
    folder = array.file.parent
    del array
    import gc

    gc.collect()
    assert not folder.exists()


def test_values_as_decks_have_them():
    assert (
        app_run.text_of("x", 0.1) == "0.1"
        and app_run.text_of("x", np.float32(0.5)) == "0.5"
        and app_run.text_of("x", Path("a")) == "a"
    )
    assert app_run.word_of("gpu_mpi", "off") == ["--gpu-mpi=off"] and app_run.word_of("end_step", False) == []
