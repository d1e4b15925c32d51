"""Runs what is not there yet, in the order of the plan, and says how it goes."""
import statistics

from . import agreement, figures, limits, table
from .errors import NOT_ALL_COUNT, OK, say
from .launch import perform


class Estimate:
    """Seconds of runs and of minx-verify after them: what runs of the same configuration took, else what the plan says, else what
    others took."""

    def __init__(self, records):
        self.known = {}
        for record in records:
            self.add(record)

    def add(self, record):
        self.known.setdefault(record["run"]["config"], []).append(record["seconds"] + record.get("verify_seconds", 0))

    def of(self, run):
        """Seconds, or None."""
        if run["config"] in self.known:
            return statistics.median(self.known[run["config"]])
        return run["seconds"]

    def of_all(self, runs):
        """Seconds, and how many runs have no estimate of their own: they are taken for median ones."""
        each = [self.of(run) for run in runs]
        known = [seconds for seconds in each if seconds is not None]
        everything = known + [seconds for some in self.known.values() for seconds in some]
        default = statistics.median(everything) if everything else 0
        return sum(known) + default * (len(each) - len(known)), len(each) - len(known)


def duration(seconds):
    if seconds < 100:
        return f"{seconds:.3g} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def title_of(run):
    what = " ".join([run["app"], run["deck_name"], *run["arguments"]])
    return f"{what} on {run['backend']}, {run['ranks']} x {run['threads']}, repeat {run['repeat']}"


def settled_records(store, comparison):
    """The records that are there, each with the outcome that it has among the others."""
    records = agreement.load_records(store, comparison["runs"])
    agreement.settle(store, comparison, records)
    return records


def forget_bad(store, comparison):
    """Removes the records of runs that do not count, so that they are made again."""
    bad = [record["run"] for record in settled_records(store, comparison) if record["outcome"] not in ("passed", "not available")]
    for run in bad:
        store.forget(run)
    if bad:
        say(f"made again, as they do not count: {', '.join(run['id'] for run in bad)}")


def run_missing(store, comparison, runs):
    """Performs the runs that have no record."""
    records = [record for record in map(store.record, runs) if record is not None]
    bad = {record["run"]["id"] for record in records if record["outcome"] != "passed"}
    done = {record["run"]["id"] for record in records}
    missing = [run for run in runs if run["id"] not in done and not run["absent"]]
    estimate = Estimate([record for record in records if record["outcome"] == "passed"])
    if done:
        failed = f"; {len(bad)} of them failed (--retry runs these again)" if bad else ""
        say(f"{len(done)} of {table.runs(len(runs))} there already, not run again{failed}")
    before = len(runs) - len(missing)
    for number, run in enumerate(missing, before + 1):
        record = perform(comparison, run, store)
        if record["outcome"] == "passed":
            estimate.add(record)
        left, _ = estimate.of_all(missing[number - before:])
        reason = f" ({record['reason']})" if record["reason"] else ""
        say(f"[{number}/{len(runs)}] {title_of(run)}: {record['seconds']:.2f} s, {record['outcome']}{reason}; about {duration(left)} left")


def finish(store, comparison, print_table=True):
    """What the runs that are there say: agreement, limits, table. Returns the exit code."""
    runs = comparison["runs"]
    records = settled_records(store, comparison)
    if comparison["limits"]:
        limits.measure_missing(store, comparison, records)
    if not comparison["keep_results"]:
        agreement.drop_results(store, records)
    counted = figures.of_folder(store, records)
    if print_table:
        table.show(counted, records)
    left_out = [record for record in records if record["outcome"] != "passed"]
    missing = len(runs) - len(records)
    for record in left_out:
        log = store.folder(record["run"]) / "log.txt"
        say(f"{record['run']['id']}: {record['outcome']}: {record['reason']}" + (f"; see {log}" if log.is_file() else ""))
    if left_out or missing:
        say(f"{len(runs) - missing - len(left_out)} of {table.runs(len(runs))} count; {len(left_out)} left out of every figure"
            + (f", {missing} not made" if missing else ""))
        return NOT_ALL_COUNT
    return OK
