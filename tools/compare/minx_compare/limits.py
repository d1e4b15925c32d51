"""The machine's limits: bytes per second from memory and from the caches, and floating-point operations per second. minx-bench measures
them once for a host, a backend and a number of threads; they are kept in the folder of the comparison."""
import os
import subprocess
import time

from .errors import say
from .launch import environment, now
from .matrix import slug
from .store import read_json, write_json

BENCH_BACKENDS = ("serial", "openmp", "cuda")
TIMEOUT = 600
REPEAT = 5
LIMITS = ("bandwidth", "cache_bandwidth", "flops", "cache_bytes")


def need_of(record):
    """Host, backend and number of threads of the limits for a run on each of its hosts; None: minx-bench has none for its backend."""
    run, summary = record["run"], record["summary"]
    backend = run["backend"].split(":")[0]
    if backend not in BENCH_BACKENDS or run["backend"].startswith("serial:"):
        return None
    ranks = -(-run["ranks"] // max(1, int(summary.get("nodes") or 1)))
    threads = run["threads"] * ranks
    if backend == "serial" and threads > 1:
        backend = "openmp"  # ranks share the memory of the host as threads do
    return str(summary.get("host", "")), backend, 1 if backend == "cuda" else threads


def path_of(store, need):
    host, backend, threads = need
    return store.limits / f"{slug(host)}-{backend}-{threads}.json"


def devices_of(record):
    """How many times the limits of one measurement a run has: its hosts, or the GPUs that its ranks have; ranks may share one. None: nobody
    knows how many GPUs there were."""
    nodes, ranks = max(1, int(record["summary"].get("nodes") or 1)), record["run"]["ranks"]
    if record["run"]["backend"].split(":")[0] != "cuda":
        return nodes
    if ranks == 1:
        return 1
    return min(ranks, nodes * record["gpus"]) if record.get("gpus") else None


def numbers(rows):
    """The limits among the rows of minx-bench."""
    named = {row.get("name"): row for row in rows if isinstance(row, dict)}

    def rate(suffix):
        rates = [named[name]["bytes"] / named[name]["core_seconds"] for name in (f"limit/{kind}{suffix}" for kind in ("copy", "triad", "dot"))
                 if name in named and named[name].get("core_seconds") and named[name].get("bytes")]
        return max(rates, default=None)

    first = rows[0] if rows and isinstance(rows[0], dict) else {}
    return {"bandwidth": rate(""), "cache_bandwidth": rate("-cache"), "flops": named.get("limit/fma", {}).get("flops_per_second"),
            "cache_bytes": first.get("last_cache_bytes"), "host": first.get("host"), "date": first.get("date")}


def threads_running():
    """How many threads run on this host now, this one left out: the fewest of three looks. None: nobody knows."""
    counts = []
    for look in range(3):
        if look:
            time.sleep(0.1)
        try:
            with open("/proc/loadavg", encoding="ascii") as file:
                counts.append(int(file.read().split()[3].split("/")[0]) - 1)
        except (OSError, ValueError, IndexError):
            return None
    return max(0, min(counts))


def measure(store, comparison, need):
    """Measures, unless another process does so now. A failure is kept, so that it is not tried again for each run. Programs that run
    beside it make the limits too low, and shares of them too high: their threads are counted before and after, and kept with the limits."""
    host, backend, threads = need
    path = path_of(store, need)
    bench = os.path.join(comparison["bin"], "minx-bench")
    resource = f"openmp:threads={threads}" if backend == "openmp" else backend
    claim = path.with_suffix(".busy")
    if claim.exists() and time.time() - claim.stat().st_mtime > 2 * TIMEOUT:
        claim.unlink(missing_ok=True)  # of a process that was killed
    try:
        os.close(os.open(claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return
    raw = path.with_suffix(".bench")
    env = environment(comparison["environment"])
    env.setdefault("OMP_PLACES", "cores")
    env.setdefault("OMP_PROC_BIND", "close")
    others = threads_running()
    try:
        say(f"measuring the limits of {host}: {resource} ...")
        done = subprocess.run([bench, "--limits", f"--backend={resource}", f"--repeat={REPEAT}", "--json", str(raw)], env=env,
                              capture_output=True, text=True, timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL)
        rows = read_json(raw)
        why = "" if done.returncode == 0 and rows else f"exit code {done.returncode}: {(done.stderr.strip().splitlines() or [''])[0]}"
    except (OSError, subprocess.TimeoutExpired) as error:
        rows, why = None, str(error)
    finally:
        claim.unlink(missing_ok=True)
    others = max(others or 0, threads_running() or 0)
    found = {"date": None, **(numbers(rows) if not why else {})}
    write_json(path, {**found, "host": host, "measured_on": found.get("host") or os.uname().nodename, "date": found["date"] or now(),
                      "backend": backend, "threads": threads, "problem": why, "other_threads": others})
    raw.unlink(missing_ok=True)
    if why:
        say(f"minx-bench gave no limits of {resource}: {why}")
    elif others:
        say(f"{others} other thread{'s' * (others > 1)} ran while the limits of {host} were measured, so they may be too low: remove {path} and "
            "run again when the host is idle")


def is_here(host):
    """Is it this host? Some systems say its name with the domain, some without."""
    return host == "" or host.split(".")[0] == os.uname().nodename.split(".")[0]


def measure_missing(store, comparison, records):
    """All limits that the counted runs on this host need."""
    bench = os.path.join(comparison["bin"], "minx-bench")
    needs = {need_of(record) for record in records if record["outcome"] == "passed"} - {None}
    missing = sorted(need for need in needs if is_here(need[0]) and not path_of(store, need).is_file())
    if missing and not os.access(bench, os.X_OK):
        say(f"no minx-bench in {comparison['bin']}: there are no shares of the limit")
        return
    for need in missing:
        measure(store, comparison, need)


def is_limits(one):
    if not isinstance(one, dict) or not isinstance(one.get("host"), str) or not isinstance(one.get("backend"), str):
        return False
    return is_count(one.get("threads")) and all(one.get(key) is None or is_count(one[key]) for key in LIMITS)


def is_count(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf")


def load(store):
    """All limits of a folder: {(host, backend, threads): limits}."""
    found = {}
    for path in sorted(store.limits.glob("*.json")) if store.limits.is_dir() else []:
        one = read_json(path)
        if not is_limits(one):
            say(f"{path}: got no limits that can be read, expected what minx-bench measured; remove the file, and they are measured again")
        elif not one.get("problem"):
            found[(one["host"], one["backend"], one["threads"])] = one
    return found
