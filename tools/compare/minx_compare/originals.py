"""What the original miniMD, miniFE and TeaLeaf print, and how their programs are called. minx prints the same lines, so one reader reads
both. A reader returns the seconds of the part that both time, and the numbers of the answer with the tolerance of each."""
import re
import shutil

NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][-+]?\d+)?|[-+]?[nN]a[nN]|[-+]?[iI]nf(?:inity)?)"
PRINTED = 2e-6  # seven digits are printed, and both may round the last one
SOLVED = 1e-8  # both stop at their own tolerance of the solver; it leaves more digits than that
RESIDUAL = 1e-3  # six digits are printed, and iterations amplify the roundings of sums
LOST = 1e-6  # below this share of the first residual roundings decide


class Unreadable(Exception):
    """The output does not have what it must have."""


def number(text):
    return float(text.replace("d", "e").replace("D", "e"))


def need(found, what):
    if not found:
        raise Unreadable(f"no {what} in the output")
    return found


class Reading:
    """What one run printed: seconds, and {name: (value, tolerance, scale)}. Two values agree if they differ by at most the tolerance times
    the larger of the scale and their magnitudes."""

    def __init__(self, seconds, answer):
        self.seconds, self.answer = seconds, answer


# ---- miniMD ----


def minimd_command(program, deck, args):
    return [program, "-i", str(deck), "-t", str(args.threads), *args.option, *args.original_option]


def read_minimd(output, _folder):
    """Rows `step T U P time` and the line PERF_SUMMARY, whose fifth number is the total time."""
    rows = re.findall(rf"^\s*(-?\d+)\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}\s*$", output, re.MULTILINE)
    need(rows, "row of step, T, U, P and time")
    summary = need(re.findall(r"^(.*)PERF_SUMMARY.*$", output, re.MULTILINE), "line PERF_SUMMARY")[-1].split()
    if len(summary) < 10:
        raise Unreadable("the line PERF_SUMMARY has fewer than ten numbers")
    values = [[number(text) for text in row[1:4]] for row in rows]
    last = rows[-1][0]
    answer = {}
    for column, name in enumerate(("T", "U", "P")):
        scale = max(abs(row[column]) for row in values)
        for row, when in ((values[0], "first"), (values[-1], "last")):
            answer[f"{name}, {when} row"] = (row[column], PRINTED, scale)
    if int(last) >= 0:
        answer["step, last row"] = (float(last), 0.0, 0.0)
    answer["atoms"] = (number(summary[3]), 0.0, 0.0)
    return Reading(number(summary[4]), answer)


# ---- miniFE ----


def minife_command(program, _deck, args):
    return [program, *args.option, *args.original_option]


def read_minife(output, folder):
    """Residuals of the lines `Iteration = N   Residual = R`. Seconds: `Total CG Time` of the YAML file, or of minx's table the line solve."""
    first = number(need(re.findall(rf"^Initial Residual = {NUMBER}", output, re.MULTILINE), "line 'Initial Residual'")[0])
    answer = {"initial residual": (first, 1e-5, 0.0)}
    for count, value in re.findall(rf"^Iteration = (\d+)\s+Residual = {NUMBER}", output, re.MULTILINE):
        if number(value) > LOST * first:
            answer[f"residual after {count} iterations"] = (number(value), RESIDUAL, 0.0)
    texts = [path.read_text(errors="replace") for path in sorted(folder.glob("miniFE*.yaml"))] + [output]
    for pattern in (rf"^\s*Total CG Time:\s*{NUMBER}", rf"^  solve\s+\d+\s+{NUMBER}"):
        for text in texts:
            found = re.findall(pattern, text, re.MULTILINE)
            if found:
                return Reading(number(found[-1]), answer)
    raise Unreadable("no 'Total CG Time' in a YAML file, nor a line solve in the table of times")


# ---- TeaLeaf ----


def tealeaf_command(program, _deck, args):
    return [program, *args.original_option]


def read_tealeaf(output, folder):
    """The last summary, ` step: N volume mass density energy U`, and the last `Wall clock`. The original writes both to tea.out."""
    path = folder / "tea.out"
    text = path.read_text(errors="replace") if path.is_file() else output
    rows = re.findall(rf"^\s*step:\s*(\d+)\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}\s+{NUMBER}", text, re.MULTILINE)
    row = need(rows, "summary 'step: volume mass density energy U'")[-1]
    clock = need(re.findall(rf"^\s*Wall clock\s+{NUMBER}", text, re.MULTILINE), "line 'Wall clock'")[-1]
    answer = {name: (number(value), SOLVED, 0.0) for name, value in zip(("volume", "mass", "density", "energy", "U"), row[1:])}
    answer["step"] = (float(row[0]), 0.0, 0.0)
    return Reading(number(clock), answer)


def place_deck(app, deck, folder):
    """The original TeaLeaf reads tea.in in the folder where it is started."""
    if app == "tealeaf":
        shutil.copyfile(deck, folder / "tea.in")


COMMAND = {"minimd": minimd_command, "minife": minife_command, "tealeaf": tealeaf_command}
READ = {"minimd": read_minimd, "minife": read_minife, "tealeaf": read_tealeaf}
DECK = {"minimd": "minimd/lj.in", "minife": None, "tealeaf": "tealeaf/crooked_pipe_250.in"}


def compare(original, minx):
    """Lines (name, original, minx, tolerance, agrees) for what both printed."""
    lines = []
    for name in original.answer.keys() & minx.answer.keys():
        one, tolerance, scale = original.answer[name]
        other, _, other_scale = minx.answer[name]
        allowed = tolerance * max(abs(one), abs(other), scale, other_scale)
        lines.append((name, one, other, allowed, abs(one - other) <= allowed))  # not a number: does not agree
    return sorted(lines)
