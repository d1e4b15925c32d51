"""Several comparisons as one: those of a laptop, of a CPU node and of a GPU node."""
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
    name_machines(parts)
    across = compare_across(parts)
    for part in parts:
        configurations += figures.of_folder(part["store"], part["records"], part["machines"])
    figures.add_speed_up(configurations)
    plans = [line for part in parts for line in figures.planned(part["store"], part["comparison"], part["records"])]
    return {"parts": parts, "configurations": configurations, "across": across, "planned": plans}


def processors_of(part):
    """Hosts of a folder and the processors that their runs name."""
    summaries = [record["summary"] for record in part["records"] if record.get("summary")]
    return {str(summary.get("host", "")): str(summary.get("cpu") or "") for summary in summaries}


def short(processor):
    """A processor's name without the words that say nothing."""
    words = processor.replace("(R)", "").replace("(TM)", "").replace("(tm)", "").split()
    return " ".join(word for word in words if word not in ("CPU", "Processor"))


def name_machines(parts):
    """Names of the hosts of each part. Machines of several folders may have the same host name, as virtual ones do: then their processors
    are part of the name."""
    found = [processors_of(part) for part in parts]
    for part, own in zip(parts, found):
        part["machines"] = {}
        for host, processor in own.items():
            same = {other[host] for other in found if host in other}
            part["machines"][host] = f"{host} ({short(processor)})" if len(same) > 1 and processor else host


def representatives(part):
    """One run that counts for each row: one with a results file, where a row has any."""
    found = {}
    for record in part["records"]:
        if record["outcome"] == "passed":
            for row in agreement.rows_of(record["run"]):
                if row not in found or not has_results(part, found[row]):
                    found[row] = record
    return found


def has_results(part, record):
    return part["store"].results(record["run"]).is_file()


def compare_across(parts):
    """Do the folders agree with each other? Each has one vote in a row, and the answer of most of them is taken for right. Where a results
    file is not here, the report says that nobody compared."""
    rows, notes = {}, []
    for part in parts:
        for row, record in representatives(part).items():
            rows.setdefault(row, []).append((part, record))
    verifier = next((part["comparison"] for part in parts if agreement.has_verify(part["comparison"])), None)
    for row, entries in rows.items():
        if len(entries) < 2:
            continue
        there = [(part, record) for part, record in entries if verifier and has_results(part, record)]
        notes += [f"The answer of {record['run']['id']} in {part['folder']} was not compared with other folders: a results file or "
                  "minx-verify is not here." for part, record in entries if (part, record) not in there]
        for (part, _), (other, _), why in agreement.wrong_ones(there, asker(verifier), len):
            leave_out(part, row, other, why)
    return sorted(set(notes))


def asker(verifier):
    def why_not(group, entry):
        (one, first), (other, second) = group[0], entry
        files = [one["store"].results(first["run"]), other["store"].results(second["run"])]
        return agreement.ask(verifier, files, {*first["run"]["agree"], *second["run"]["agree"]})

    return why_not


def leave_out(part, row, other, why):
    for record in part["records"]:
        if row in agreement.rows_of(record["run"]) and record["outcome"] == "passed":
            record["outcome"] = "differs"
            record["reason"] = f"its answer differs from that in {other['folder']}: {why}"
