"""The folder of a comparison. What is in it is complete: each file gets its name when it is whole.

    comparison.json             the plan's runs, the programs and the machine
    runs/ID/run.json            what became of a run; a run without this file was not finished, and is run again
    runs/ID/summary.json, results.h5, log.txt
    limits/HOST-BACKEND-N.json  what minx-bench measured
    agreement.json              which results files were compared, and which differ
"""
import fcntl
import json
import os
import shutil
from pathlib import Path

from .errors import CANNOT, MISTAKE, Ends, say

SCHEMA = "minx-compare"
VERSION = 2
SAME = ("launcher", "launcher_options", "environment", "oversubscribe")  # in all runs of a folder
KEYS = {"title": str, "created": str, "bin": str, "host": str, "launcher": str, "launcher_options": list, "environment": dict,
        "oversubscribe": bool, "keep_results": bool, "limits": bool, "runs": list, "programs": dict, "absent": dict}
RUN_KEYS = {"id", "config", "row", "app", "deck", "deck_name", "arguments", "backend", "layout", "own_layout", "precision", "ranks", "threads",
            "repeat", "timeout", "seconds", "agree", "absent", "memberships"}
RECORD_KEYS = {"run": dict, "command": list, "started": str, "seconds": (int, float), "summary": dict, "outcome": str, "reason": str}


def write_json(path, value):
    write_text(path, json.dumps(value, indent=1, sort_keys=True) + "\n")


def write_text(path, text):
    temporary = path.with_name(f"{path.name}.tmp-{os.getpid()}")
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise Ends(CANNOT, f"{path}: cannot be written: {error.strerror}") from None


def read_json(path):
    """What a file has, or None where there is none, or none that can be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def is_record(found):
    """Has it all that figures and reports need?"""
    if not isinstance(found, dict) or not all(isinstance(found.get(key), kind) for key, kind in RECORD_KEYS.items()):
        return False
    if found["outcome"] != "passed":
        return True
    results, summary = found.get("results"), found["summary"]
    return (isinstance(results, dict) and {"digest", "bytes", "modified"} <= results.keys()
            and {"fom", "solve_seconds", "regions"} <= summary.keys())


def shown(value):
    return json.dumps(value, sort_keys=True)


class Store:
    def __init__(self, path):
        self.path = Path(path)
        self.runs = self.path / "runs"
        self.limits = self.path / "limits"
        self.lock_file = None
        self.broken = set()  # records that a message has named

    def lock(self):
        """One minx-compare at a time starts runs in a folder."""
        self.lock_file = open(self.path / ".lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Ends(CANNOT, f"{self.path}: another minx-compare is running in this folder") from None

    def begin(self, comparison):
        """A new comparison, or one that goes on: then programs, launcher and variables must be those of its first runs."""
        before = read_json(self.path / "comparison.json")
        if before is not None and not isinstance(before, dict):
            raise Ends(MISTAKE, f"{self.path}/comparison.json: got what no `minx-compare run` wrote, expected its file or none: "
                                "name another folder by --out")
        if before is not None:
            for key in SAME:
                if key in before and before[key] != comparison[key]:
                    got = f"{key.replace('_', ' ')} {shown(before[key])} and now {shown(comparison[key])}"
                    raise Ends(MISTAKE, f"{self.path}: got runs with {got}, expected the same in all runs: name another folder by --out")
            for app, program in comparison["programs"].items():
                old = before.get("programs", {}).get(app)
                if old and old["digest"] != program["digest"]:
                    raise Ends(2, f"{self.path}: got runs of another {app} ({old['version']}) than {program['path']} ({program['version']}), "
                                  "expected the same program in all runs: name another folder by --out")
            comparison["created"] = before.get("created", comparison["created"])
            comparison["programs"] = {**before.get("programs", {}), **comparison["programs"]}
        self.runs.mkdir(exist_ok=True)
        self.limits.mkdir(exist_ok=True)
        write_json(self.path / "comparison.json", comparison)

    def comparison(self):
        found = read_json(self.path / "comparison.json")
        if not isinstance(found, dict) or found.get("schema") != SCHEMA:
            raise Ends(2, f"{self.path}: got no comparison.json, expected a folder that `minx-compare run` wrote")
        if found.get("version") != VERSION:
            raise Ends(2, f"{self.path}/comparison.json: got version {found.get('version')!r}, expected {VERSION}")
        for key, kind in KEYS.items():
            if not isinstance(found.get(key), kind):
                raise Ends(MISTAKE, f"{self.path}/comparison.json: got no {key} that can be read, expected what `minx-compare run` wrote")
        if not all(isinstance(run, dict) and RUN_KEYS <= run.keys() and isinstance(run["memberships"], list) for run in found["runs"]):
            raise Ends(MISTAKE, f"{self.path}/comparison.json: got a run that is not whole, expected what `minx-compare run` wrote")
        return found

    def folder(self, run):
        return self.runs / run["id"]

    def record(self, run):
        """What became of a run, or None where it was not finished."""
        path = self.folder(run) / "run.json"
        found = read_json(path)
        if is_record(found):
            return found
        if path.is_file() and path not in self.broken:
            self.broken.add(path)
            say(f"{path}: got no whole record, so this run counts as not made")
        return None

    def clear(self, run):
        """Removes what an unfinished run left."""
        shutil.rmtree(self.folder(run), ignore_errors=True)
        try:
            self.folder(run).mkdir(parents=True)
        except OSError as error:
            raise Ends(CANNOT, f"{self.folder(run)}: cannot be written: {error.strerror}") from None

    def forget(self, run):
        """The run is made again."""
        (self.folder(run) / "run.json").unlink(missing_ok=True)

    def keep(self, run, record):
        write_json(self.folder(run) / "run.json", record)

    def results(self, run):
        return self.folder(run) / "results.h5"
