"""A folder of stand-in programs: apps, minx-verify, minx-bench, mpirun, srun, sbatch. They do what minx-compare must cope with, in
milliseconds: their results files are JSON, so that no stand-in loads HDF5. An app's option trouble=KIND:BACKEND makes its runs on that
backend go wrong; seconds are n / (ranks * threads)."""
import stat
import sys
from pathlib import Path

APP = '''
import hashlib, json, os, signal, sys, time
NAME = os.path.basename(sys.argv[0])
words = sys.argv[1:]
if "--backends" in words:
    print("serial\\nopenmp\\nsimt\\n# cuda: no GPU")
    sys.exit(0)
if "--version" in words:
    print(NAME + " 0.1.0")
    sys.exit(0)
options = dict(word.lstrip("-").split("=", 1) for word in words if "=" in word)
backend = options["backend"].split(":")[0]
ranks = int(os.environ.get("FAKE_RANKS", "1"))
threads = int(options["threads"])
n = float(options.get("n", 1))
trouble, _, whose = options.get("trouble", "").partition(":")
trouble = trouble if whose in ("", backend) else ""
if trouble == "variable":
    trouble = os.environ.get("FAKE_TROUBLE", "")
if trouble == "hang":
    time.sleep(600)
if trouble == "slow":
    time.sleep(float(os.environ.get("FAKE_SECONDS", "1")))
if trouble == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
if trouble == "fail":
    print(NAME + ": error: the energy is not conserved", file=sys.stderr)
    sys.exit(1)
speed = {"serial": 1, "openmp": 1}.get(backend, 1) * ranks * threads * float(os.environ.get("FAKE_SPEED", "1"))
seconds = n / speed * (1 + 0.01 * (sum(map(ord, options["output"])) % 7))
if options.get("list") == "left":
    seconds *= 3
answer = 42.0 + (1 if trouble == "wrong" else 0) + 1e-13 * threads
digest = hashlib.sha256(repr(answer).encode()).hexdigest() if trouble != "damage" else "0"
with open(options["output"], "w") as file:
    json.dump({"/fields/answer": answer, "/input/list": options.get("list", "auto"), "root": digest}, file)
summary = {"schema": "minx-summary-1", "app": NAME, "version": "0.1.0", "git_commit": "0123456", "date": "2026-01-02T03:04:05Z",
           "problem": "box n=" + options.get("n", "1"), "problem_size": int(n * 1000), "backend": backend, "layout": "right",
           "precision": "double", "ranks": ranks, "threads": threads, "nodes": 1, "host": os.environ.get("FAKE_HOST", os.uname().nodename),
           "cpu": os.environ.get("FAKE_CPU", "Fake CPU"), "device": "", "scheduler": "", "job_id": "", "launcher": "", "messages": "",
           "verdict": "failed" if trouble == "verdict" else "passed", "exit_code": 0, "restarted": False,
           "fom": {"name": "rate", "value": n * 1000 / seconds, "unit": "items/s", "higher_is_better": True},
           "set_up_seconds": 0.1, "solve_seconds": seconds, "wall_seconds": seconds + 0.1, "iterations": 10,
           "bytes": 8e9 * n, "flops": 1e9 * n, "max_rss_bytes": 1000000 * ranks,
           "cpu_seconds": (0.5 if trouble == "busy" else 1) * (seconds + 0.1) * ranks * threads,
           "regions": {"whole_run": {"seconds": seconds + 0.1, "calls": 1, "bytes": 0, "flops": 0},
                       "loop": {"seconds": seconds, "calls": 10, "bytes": 8e9 * n, "flops": 1e9 * n},
                       "small": {"seconds": seconds / 10, "calls": 10, "bytes": 1e6 * n, "flops": 1e6}}}
if trouble == "other_app":
    summary["app"] = "another"
if trouble == "no_summary":
    sys.exit(0)
with open(options["summary"], "w") as file:
    file.write("{" if trouble == "bad_summary" else json.dumps(summary))
'''

VERIFY = '''
import hashlib, json, sys
files = [word for word in sys.argv[1:] if not word.startswith("-")]
try:
    found = [json.load(open(path)) for path in files]
except (OSError, ValueError) as error:
    print("minx-verify: error: " + str(error), file=sys.stderr)
    sys.exit(3)
failed = 0
if len(found) == 1:
    if hashlib.sha256(repr(found[0]["/fields/answer"]).encode()).hexdigest() != found[0]["root"]:
        print("  FAIL  /fields/answer     digest differs")
        failed = 1
else:
    if abs(found[0]["/fields/answer"] - found[1]["/fields/answer"]) > 1e-9:
        print("  FAIL  /fields/answer     1 of 1 values differ")
        failed = 1
    if found[0]["/input/list"] != found[1]["/input/list"]:
        print("  FAIL  /input/list        text differs")
        failed = 1
print("comparison: " + ("FAIL" if failed else "PASS"))
sys.exit(failed)
'''

BENCH = '''
import json, os, sys
path = sys.argv[sys.argv.index("--json") + 1]
resource = next(word.split("=", 1)[1] for word in sys.argv if word.startswith("--backend="))
backend, _, threads = resource.partition(":threads=")
threads = int(threads or 1)
host = {"host": os.uname().nodename, "date": "2026-01-02T03:04:05Z", "last_cache_bytes": 3.2e7}
rows = [{"name": "limit/" + kind + suffix, "backend": backend, "threads": threads, "bytes": 1e9, "core_seconds": t / threads, **host}
        for suffix, t in (("", 0.1), ("-cache", 0.01)) for kind in ("copy", "triad", "dot")]
rows.append({"name": "limit/fma", "backend": backend, "threads": threads, "bytes": None, "flops_per_second": 5e10 * threads, **host})
with open(path, "w") as file:
    json.dump(rows, file)
open(os.path.join(os.path.dirname(sys.argv[0]), "bench.calls"), "a").write(resource + "\\n")
'''

LAUNCHER = '''
import os, sys
words = sys.argv[1:]
if "--version" in words:
    print("a launcher")
    sys.exit(0)
ranks = "1"
while words and words[0].startswith("-"):
    if words[0] == "-n":
        ranks = words[1]
        words = words[1:]
    elif words[0].startswith("--ntasks="):
        ranks = words[0].split("=")[1]
    words = words[1:]
os.environ["FAKE_RANKS"] = ranks
os.execv(words[0], words)
'''

# runs the tasks of an array one after another, as a job would
SBATCH = '''
import os, re, subprocess, sys
script = sys.argv[-1]
lines = open(script).read().splitlines()
options = [line[len("#SBATCH "):] for line in lines if line.startswith("#SBATCH")]
with open(os.path.join(os.path.dirname(sys.argv[0]), "sbatch.calls"), "a") as file:
    file.write(" ".join(options) + "\\n")
array = next((option.split("=")[1] for option in options if option.startswith("--array=")), "")
indices = []
for part in array.split("%")[0].split(","):
    low, _, high = part.partition("-")
    indices += range(int(low), int(high or low) + 1) if part else [None]
for index in indices:
    env = {**os.environ, **({} if index is None else {"SLURM_ARRAY_TASK_ID": str(index)})}
    with open(script + ".log", "a") as log:
        subprocess.run(["bash", script], env=env, stdout=log, stderr=log, check=False)
print("17;cluster")
'''

PROGRAMS = {"tealeaf": APP, "minife": APP, "minimd": APP, "minx-verify": VERIFY, "minx-bench": BENCH, "mpirun": LAUNCHER, "srun": LAUNCHER,
            "sbatch": SBATCH}


def program(path, text, flags="-IS"):  # -S starts in two thirds of the time, without packages such as h5py
    path.write_text(f"#!{sys.executable} {flags}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def make_bin(folder):
    """All stand-ins in a new folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in PROGRAMS.items():
        program(folder / name, text)
    return folder
