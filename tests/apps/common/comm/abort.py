#!/usr/bin/env python3
"""A program that ends by app_abort: exit code 3, one message though every rank fails, and nothing left of the results file.

usage: abort.py MESSAGE COMMAND...
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../support"))
from launcher import run_ranks

with tempfile.TemporaryDirectory() as folder:
    done = run_ranks(sys.argv[2:], folder=folder, emptied=True)
    messages = [l for l in done.stderr.splitlines() if f": error: {sys.argv[1]}" in l]
    left = os.listdir(folder)
if done.returncode != 3 or len(messages) != 1 or left:
    print(f"exit code: got {done.returncode}, expected 3; messages: got {len(messages)}, expected 1; files left: {left}")
    print(done.stderr)
    sys.exit(1)
