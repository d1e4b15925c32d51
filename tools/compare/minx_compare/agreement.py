"""Do the runs of a row have the same answer? minx-verify compares results files by its own rules, and this file decides from its
verdicts which runs count.

Runs that agree form a group. Where a row has several groups, the one with the most configurations (a backend on so many ranks and
threads) is taken for right, and the others are named and left out. Where two groups are equally large nobody knows which is right,
so the whole row is left out."""
import os
import re

from .launch import verify
from .matrix import file_digest
from .store import read_json, write_json

FAILED_CHECK = re.compile(r"^  FAIL  (\S+)\s+(.*)$")


def altered(store, record):
    """Why the results file is not the one that was verified; empty where it is, or where it was not kept."""
    path = store.results(record["run"])
    results = record.get("results", {})
    if not path.is_file() or "digest" not in results:
        return ""
    about = path.stat()
    if (about.st_size, about.st_mtime_ns) == (results["bytes"], results["modified"]):
        return ""
    return "" if file_digest(path) == results["digest"] else "results.h5 was altered after it was verified"


def not_available(run):
    """What stands for the record of a run whose backend is not on this machine; None: it is."""
    if not run["absent"]:
        return None
    return {"run": run, "outcome": "not available", "reason": run["absent"], "summary": {}, "command": [], "started": "", "seconds": 0.0}


def load_records(store, runs):
    """The records of the runs that are there; those whose results were altered do not count."""
    records = []
    for run in runs:
        record = store.record(run) or not_available(run)
        if record is None:
            continue
        record["run"] = run
        if record["outcome"] == "passed":
            why = altered(store, record)
            if why:
                record["outcome"], record["reason"] = "failed", why
        records.append(record)
    return records


def differences(lines, accepted):
    """The failed checks of a comparison, without those of inputs that may differ."""
    found = [FAILED_CHECK.match(line) for line in lines]
    failed = [(match.group(1), " ".join(match.group(2).split())) for match in found if match]
    return [f"{name}: {text}" for name, text in failed if name not in accepted]


def ask(comparison, files, may_differ):
    """Why minx-verify finds two files different; empty where they agree. Inputs that the plan names in `agree` may differ."""
    code, lines = verify(comparison, files)
    if code == 0:
        return ""
    accepted = {f"/input/{name}" for name in may_differ} | ({"/input/overrides"} if may_differ else set())
    found = differences(lines, accepted)
    if code == 1 and not found and may_differ:
        return ""
    return (found or lines or [f"minx-verify: exit code {code}"])[0][:300]


def has_verify(comparison):
    return os.access(os.path.join(comparison["bin"], "minx-verify"), os.X_OK)


class Comparer:
    """Compares pairs of results files, each pair once in the life of a comparison."""

    def __init__(self, store, comparison):
        self.store, self.comparison = store, comparison
        found = read_json(store.path / "agreement.json")
        self.known = found if isinstance(found, dict) else {}
        self.changed = False

    def why_not(self, group, record):
        """Why a run differs from those of a group, which agree; empty where it agrees with one of them."""
        known = [self.known.get(self.pair(member, record)) for member in group]
        if "" in known:
            return ""
        reference = next((member for member in group if self.store.results(member["run"]).is_file()), group[0])
        pair = self.pair(reference, record)
        if pair not in self.known:
            self.known[pair] = self.ask(reference, record)
            self.changed = True
        return self.known[pair]

    @staticmethod
    def pair(one, other):
        return " ".join(sorted((one["results"]["digest"], other["results"]["digest"])))

    def ask(self, one, other):
        files = [self.store.results(record["run"]) for record in (one, other)]
        missing = [str(path) for path in files if not path.is_file()]
        if missing:
            return f"no {missing[0]} to compare with"
        return ask(self.comparison, files, {*one["run"]["agree"], *other["run"]["agree"]})

    def keep(self):
        if self.changed:
            write_json(self.store.path / "agreement.json", self.known)


def groups_of(records, why_not):
    """Lists of records that agree with their first one, and why each further group differs from the first."""
    groups, reasons = [], []
    for record in records:
        why = ""
        for group in groups:
            found = why_not(group, record)
            if not found:
                group.append(record)
                break
            why = why or found
        else:
            groups.append([record])
            reasons.append(why)
    return groups, reasons


def wrong_ones(members, why_not, votes):
    """Those that do not count: (member, one that it differs from, why). The group with the most votes is right, if there is one."""
    groups, reasons = groups_of(members, why_not)
    if len(groups) < 2:
        return []
    sizes = [votes(group) for group in groups]
    right = groups[sizes.index(max(sizes))] if sizes.count(max(sizes)) == 1 else None
    found = []
    for group, reason in zip(groups, reasons):
        if group is not right:
            other = (right if right is not None else next(one for one in groups if one is not group))[0]
            found += [(member, other, reason or reasons[1]) for member in group]
    return found


def configurations_in(group):
    return len({record["run"]["config"] for record in group})


def judge_row(records, why_not):
    """Marks the runs of one row that do not count."""
    for record, other, reason in wrong_ones(records, why_not, configurations_in):
        record["outcome"] = "differs"
        record["reason"] = f"its answer differs from that of {other['run']['id']}: {reason}"


def rows_of(run):
    """The rows of all cases that have this run."""
    return list(dict.fromkeys(one["row"] for one in run["memberships"]))


def settle(store, comparison, records):
    """Marks as "differs" what does not agree with the others of its row."""
    comparer = Comparer(store, comparison)
    rows = {}
    for record in records:
        if record["outcome"] == "passed":
            for row in rows_of(record["run"]):
                rows.setdefault(row, []).append(record)
    for row in rows.values():
        judge_row(row, comparer.why_not)
    comparer.keep()


def drop_results(store, records):
    """keep_results = false: of each row one results file stays, with which later runs are compared."""
    kept = set()
    for record in records:
        if record["outcome"] != "passed":
            continue
        rows = set(rows_of(record["run"]))
        if rows <= kept:
            store.results(record["run"]).unlink(missing_ok=True)
            store.results(record["run"]).with_suffix(".xmf").unlink(missing_ok=True)
        kept |= rows
