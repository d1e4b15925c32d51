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

from .errors import CANNOT, Ends

SCHEMA = "minx-compare"
VERSION = 1


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


class Store:
    def __init__(self, path):
        self.path = Path(path)
        self.runs = self.path / "runs"
        self.limits = self.path / "limits"
        self.lock_file = None

    def lock(self):
        """One minx-compare at a time starts runs in a folder."""
        self.lock_file = open(self.path / ".lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Ends(CANNOT, f"{self.path}: another minx-compare is running in this folder") from None

    def begin(self, comparison):
        """A new comparison, or one that goes on: then programs must be those of its first runs."""
        before = read_json(self.path / "comparison.json")
        if before is not None:
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
        return found

    def folder(self, run):
        return self.runs / run["id"]

    def record(self, run):
        """What became of a run, or None where it was not finished."""
        found = read_json(self.folder(run) / "run.json")
        return found if isinstance(found, dict) and "outcome" in found else None

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
