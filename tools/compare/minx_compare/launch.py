"""Starts one run, waits for it, verifies its results file, and says what became of it."""
import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from datetime import datetime, timezone

from . import machine as this_machine
from .matrix import file_digest

PATIENCE = 5  # seconds from the polite signal to the one that cannot be refused
VERIFY_TIMEOUT = 600
SUMMARY_KEYS = ("app", "backend", "ranks", "threads", "verdict", "exit_code", "fom", "solve_seconds", "wall_seconds", "regions")
GOOD_VERDICTS = ("passed", "iteration limit")
BINDING = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
BUSY_BACKENDS = ("serial", "openmp")  # whose threads compute all the time
MIN_BUSY = 0.9  # of the processor time that these threads could have
TAIL = 12  # lines of a log that a message shows


class Interrupted(Exception):
    """A signal ended the comparison; the run that it was in is not counted."""


def environment(plan_environment):
    env = {**os.environ, **plan_environment}
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in containers; Open MPI and PRRTE ask for it
        for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"):
            env.setdefault(name, "1")
    return env


def is_open_mpi(words):
    try:
        shown = subprocess.run([words[0], "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return False
    return "Open MPI" in shown or "open-mpi" in shown


def without_binding(run, env):
    """OpenMP binds the threads of each rank as if it were alone on the host: ranks that the launcher does not bind would be on the same
    cores. So several ranks do not get the variables that make it bind."""
    names = [name for name in BINDING if name in env] if run["ranks"] > 1 else []
    return ["env", *(word for name in names for word in ("-u", name))] if names else []


def launcher_words(launcher, options, run, oversubscribe, env):
    """What stands before the program. env: the variables of the run."""
    if launcher == "none":
        return []
    if launcher == "srun":
        return ["srun", f"--ntasks={run['ranks']}", f"--cpus-per-task={run['threads']}", *options]
    words = this_machine.mpirun()
    if not options and is_open_mpi(words):  # bound to one core, the threads of a rank would share it
        words = words + ["--bind-to", "none"] + (["--oversubscribe"] if oversubscribe else [])
    if not options:
        words = without_binding(run, env) + words
    return [*words, *options, "-n", str(run["ranks"])]


def command_of(comparison, run, folder):
    words = launcher_words(comparison["launcher"], comparison["launcher_options"], run, comparison["oversubscribe"],
                           environment(comparison["environment"]))
    program = [os.path.join(comparison["bin"], run["app"])]
    deck = [run["deck"]] if run["deck"] else []
    backend = run["backend"]
    return [*words, *program, *deck, *run["arguments"], f"--backend={backend}", f"--threads={run['threads']}",
            f"--output={folder / 'results.h5'}", f"--summary={folder / 'summary.json'}"]


@contextlib.contextmanager
def late_signals():
    """Signals that end minx-compare are handled behind the block, so that a run that it has started is known, and is ended with all
    that it started. They are caught, not blocked, because threads of NumPy's libraries block none."""
    came = []
    handlers = {number: signal.signal(number, lambda caught, _frame: came.append(caught)) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def end_group(process):
    """Ends a run with all that it started."""
    with late_signals():
        for number, seconds in ((signal.SIGTERM, PATIENCE), (signal.SIGKILL, PATIENCE)):
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                break
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
        process.wait()


def end_with_parent():
    """In the child: where minx-compare is killed, the run ends with it (Linux; PR_SET_PDEATHSIG is 1)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def start(command, log_path, seconds, env, folder):
    """Exit code and whether the time limit ended it. Its lines go to the log."""
    process = None
    with open(log_path, "w", encoding="utf-8") as log:
        try:
            with late_signals():
                process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=env, cwd=folder,
                                           start_new_session=True, preexec_fn=end_with_parent)
            return process.wait(seconds), False
        except OSError as error:
            log.write(f"{command[0]}: {error.strerror}\n")
            return 127, False
        except subprocess.TimeoutExpired:
            end_group(process)
            return process.returncode, True
        except BaseException:
            if process is not None:
                end_group(process)
            raise


def signal_of(code):
    """The name of the signal that ended a program, by the exit code that subprocess or a shell gives it; empty: none did."""
    number = -code if code < 0 else code - 128 if code > 128 else 0
    try:
        return signal.Signals(number).name if number else ""
    except ValueError:
        return ""


def last_line(log_path):
    """The last line of a log that says something, without mpirun's message between dashed lines."""
    try:
        lines = [line.strip() for line in log_path.read_text(encoding="utf-8", errors="replace").splitlines()[-200:]]
    except OSError:
        return ""
    said = [line for line in lines if line and not set(line) <= set("-=*")]
    errors = [line for line in said if "error" in line.lower()]
    return (errors or said or [""])[-1][:300]


def with_last_line(what, log_path):
    """What became of a run, and what it said last."""
    line = last_line(log_path)
    return f"{what}: {line}" if line else what


def wrong_figure(summary):
    """What of the numbers that figures need is not as it must be; empty: nothing."""
    if not isinstance(summary["fom"], dict) or not isinstance(summary["fom"].get("value"), (int, float)):
        return "value of the figure of merit"
    for key in ("solve_seconds", "wall_seconds"):
        if not isinstance(summary[key], (int, float)):
            return f"number of {key}"
    regions = summary["regions"]
    if not isinstance(regions, dict) or not all(isinstance(region, dict) for region in regions.values()):
        return "table of regions"
    return ""


def read_summary(path, run):
    """The summary of a run, and what is wrong with it."""
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        return {}, "it wrote no summary"
    except ValueError:
        return {}, "its summary is no JSON"
    if not isinstance(summary, dict):
        return {}, "its summary is no JSON object"
    missing = [key for key in SUMMARY_KEYS if key not in summary]
    if missing:
        return summary, f"its summary has no {', '.join(missing)}"
    wrong = wrong_figure(summary)
    if wrong:
        return summary, f"its summary has no {wrong}"
    for key, got, expected in (("app", summary["app"], run["app"]), ("ranks", summary["ranks"], run["ranks"]),
                               ("backend", str(summary["backend"]).split(":")[0], run["backend"].split(":")[0])):
        if got != expected:
            return summary, f"its summary has {key} {got!r}, expected {expected!r}"
    if summary["verdict"] not in GOOD_VERDICTS:
        return summary, f"its verdict is '{summary['verdict']}'"
    return summary, ""


def read_results(path):
    """What the report shows of a results file: the digest of all, the app's checks, how ranks differ in time."""
    import h5py

    def text(value):
        value = value[()] if hasattr(value, "shape") else value
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

    found = {"root": "", "checks": {}, "imbalance": {}}
    try:
        with h5py.File(path, "r") as file:
            if "integrity/root" in file:
                found["root"] = text(file["integrity/root"])
            for name, check in file.get("verification", {}).items():
                found["checks"][name] = {key: float(check[key][()]) for key in ("value", "expected", "tolerance", "passed") if key in check}
            for name, region in file.get("performance", {}).items():
                if "seconds_mean" in region and float(region["seconds_mean"][()]) > 0:
                    found["imbalance"][name] = float(region["seconds_max"][()]) / float(region["seconds_mean"][()])
    except (OSError, KeyError, TypeError, ValueError) as error:
        found["unreadable"] = str(error)[:200]
    return found


def verify(comparison, files):
    """minx-verify of one or two files: its exit code and its lines."""
    program = os.path.join(comparison["bin"], "minx-verify")
    try:
        done = subprocess.run([program, "--quiet", *map(str, files)], capture_output=True, text=True, errors="replace",
                              timeout=VERIFY_TIMEOUT, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return 3, [f"minx-verify took more than {VERIFY_TIMEOUT} s"]
    except OSError as error:
        return 3, [f"{program}: {error.strerror}"]
    return done.returncode, (done.stdout + done.stderr).splitlines()


def disturbed(run, summary):
    """Had other programs the cores of this run? True, False, or None where it cannot be known."""
    cpu, wall = summary.get("cpu_seconds"), summary.get("wall_seconds")
    if not cpu or not wall or run["backend"].split(":")[0] not in BUSY_BACKENDS:
        return None
    return cpu < MIN_BUSY * wall * run["threads"] * run["ranks"]


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def perform(comparison, run, store):
    """Runs, verifies, and stores the record."""
    store.clear(run)
    folder = store.folder(run).resolve()
    command = command_of(comparison, run, folder)
    record = {"run": run, "command": command, "environment": comparison["environment"], "started": now()}
    env = environment(comparison["environment"])
    if run["backend"].split(":")[0] == "cuda":
        record["gpus"] = this_machine.gpus_here(env)
    began = time.monotonic()
    code, timed_out = start(command, folder / "log.txt", run["timeout"], env, folder)
    record["seconds"] = time.monotonic() - began
    record["exit_code"] = code
    record["summary"], why = read_summary(folder / "summary.json", run)
    record["outcome"], record["reason"] = judge(run, code, timed_out, why, folder)
    if record["outcome"] == "passed":
        began = time.monotonic()
        record.update(verified(comparison, folder / "results.h5"))
        record["verify_seconds"] = time.monotonic() - began
    record["disturbed"] = disturbed(run, record["summary"]) if record["outcome"] == "passed" else None
    store.keep(run, record)
    return record


def judge(run, code, timed_out, why, folder):
    """The outcome as far as the program and its summary say it, and the reason in words."""
    if timed_out:
        return "timed out", f"it took more than {run['timeout']:g} s"
    if signal_of(code):
        return "killed", with_last_line(f"{signal_of(code)} ended it", folder / "log.txt")
    if code != 0:
        return "failed", with_last_line(f"exit code {code}", folder / "log.txt")
    if why:
        return "failed", why
    if not (folder / "results.h5").is_file():
        return "failed", "it wrote no results file"
    return "passed", ""


def verified(comparison, path):
    code, lines = verify(comparison, [path])
    if code != 0:
        failing = [" ".join(line.split()) for line in lines if line.startswith("  FAIL") or "error" in line]
        return {"outcome": "failed", "reason": f"minx-verify: {(failing or lines or ['exit code ' + str(code)])[0][:300]}"}
    return {"results": {**read_results(path), **stamp_of(path), "digest": file_digest(path)}}


def stamp_of(path):
    """By which a later call sees that nobody has touched the file."""
    about = path.stat()
    return {"bytes": about.st_size, "modified": about.st_mtime_ns}
