#!/usr/bin/env python3
"""Counts the results of tests in ctest's JUnit file, and prints each reason for which tests were skipped, with their number.

usage: skipped.py FILE.xml

A test is skipped if it returns 77. Its reason is the line of its output that has the word "skip"; if there is none, the first line.
A test of ctest that runs pytest may skip some of its own tests: these are counted apart, by the lines `SKIPPED [N] FILE:LINE: REASON`.
"""
import collections
import re
import sys
import xml.etree.ElementTree as ElementTree


def was_skipped(case):
    """True if the test skipped itself or is disabled. A test whose program is missing is not skipped: it failed, as in ctest."""
    note = case.find("skipped")
    message = note.get("message", "") if note is not None else ""
    return case.get("status") == "disabled" or message.startswith("SKIP_")


def reason(case):
    lines = [line.strip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
    reasons = [line for line in lines if "skip" in line.lower()]
    if lines:
        return re.sub(r"^(skipped( under valgrind)?: )?(# )?", "", reasons[-1] if reasons else lines[0])
    skipped = case.find("skipped")
    return (skipped.get("message") if skipped is not None else None) or "no reason given"


def skipped_inside(cases):
    """{reason: how many} of tests that pytest skipped inside of tests of ctest."""
    reasons = collections.Counter()
    for case in cases:
        for number, why in re.findall(r"^SKIPPED \[(\d+)\] [^\s:]+(?::\d+)?: (.*)$", case.findtext("system-out") or "", re.MULTILINE):
            reasons[why] += int(number)
    return reasons


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    cases = list(ElementTree.parse(sys.argv[1]).getroot().iter("testcase"))
    skipped = [case for case in cases if was_skipped(case)]
    failed = [case for case in cases if case.get("status") != "run" and case not in skipped]
    print(f"\n{len(cases) - len(failed) - len(skipped)} passed, {len(failed)} failed, {len(skipped)} skipped")
    tests = collections.defaultdict(list)
    for case in skipped:
        tests[reason(case)].append(case.get("name"))
    for why, names in sorted(tests.items(), key=lambda item: -len(item[1])):
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        print(f"  {len(names)} skipped: {why} ({names[0]}{others})")
    inside = skipped_inside(cases)
    for why, number in inside.most_common():
        print(f"  {number} skipped inside of tests of the Python package: {why}")
    for case in failed:
        print(f"  failed: {case.get('name')}")


main()
