"""Several comparisons as one: those of a laptop, of a CPU node and of a GPU node."""
import itertools

from . import agreement, figures
from .store import Store


def load(folders):
    """Parts (folder, comparison, records) and the configurations of all. Runs that do not count are in the records alone."""
    parts, configurations = [], []
    for folder in folders:
        store = Store(folder)
        comparison = store.comparison()
        records = agreement.load_records(store, comparison["runs"])
        agreement.settle(store, comparison, records)
        parts.append({"folder": folder, "store": store, "comparison": comparison, "records": records})
    across = compare_across(parts)
    for part in parts:
        configurations += figures.of_folder(part["store"], part["records"])
    figures.add_speed_up(configurations)
    return {"parts": parts, "configurations": configurations, "across": across}


def representatives(part):
    """One run that counts for each row."""
    found = {}
    for record in part["records"]:
        if record["outcome"] == "passed":
            found.setdefault(record["run"]["row"], record)
    return found


def compare_across(parts):
    """Do the folders agree with each other? Each row of a later folder is compared with the first folder that has it. A row that differs
    is left out in both, as nobody knows which is right. Where a results file is not here, the report says that nobody compared."""
    notes = []
    for one, other in itertools.combinations(parts, 2):
        first, second = representatives(one), representatives(other)
        for row in first.keys() & second.keys():
            why = why_not(one, first[row], other, second[row])
            if why is None:
                notes.append(f"The answers of {first[row]['run']['id']} in {one['folder']} and in {other['folder']} were not compared: "
                             "a results file or minx-verify is not here.")
            elif why:
                leave_out(one, row, other, why)
                leave_out(other, row, one, why)
    return sorted(set(notes))


def why_not(one, first, other, second):
    files = [one["store"].results(first["run"]), other["store"].results(second["run"])]
    comparers = [part["comparison"] for part in (one, other) if agreement.has_verify(part["comparison"])]
    if not comparers or not all(path.is_file() for path in files):
        return None
    return agreement.ask(comparers[0], files, first["run"]["agree"])


def leave_out(part, row, other, why):
    for record in part["records"]:
        if record["run"]["row"] == row and record["outcome"] == "passed":
            record["outcome"] = "differs"
            record["reason"] = f"its answer differs from that in {other['folder']}: {why}"
