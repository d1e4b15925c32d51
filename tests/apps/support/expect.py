#!/usr/bin/env python3
"""Runs a command, and compares its exit code and what it prints, on stdout or stderr. A traceback of Python is a failure.

usage: expect.py CODE PATTERN COMMAND...      PATTERN: a regular expression, found somewhere in what is printed

Exit code 0: as expected, 1: not, 77: a Python does not have what a script needs.
"""
import re
import subprocess
import sys

code, pattern, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
printed = done.stdout + done.stderr
if re.search("it needs h5py", printed) and not re.search(pattern, printed, re.M):
    print("skipped: " + printed)
    sys.exit(77)
faults = []
if done.returncode != code:
    faults.append(f"exit code: got {done.returncode}, expected {code}")
if not re.search(pattern, printed, re.M):
    faults.append(f"printed: got the text below, expected {pattern}")
if "Traceback" in printed:
    faults.append("got a traceback, expected none")
for fault in faults:
    print(fault)
if faults:
    sys.exit(f"{' '.join(command)}\n{printed[-3000:]}")
