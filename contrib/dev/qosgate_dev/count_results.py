# SPDX-License-Identifier: GPL-2.0-or-later
"""Adds up test results: "PASSED FAILED SKIPPED" on standard output. On the other: of each failed test the end of
its output, and then the names of all that failed.

Usage: count_results LOG... <RESULTS
Each LOG is a testlog.json of Meson's. RESULTS has lines "OK name" or "FAIL name" for other checks.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP"}
SHOWN_LINES = 25


def show_end(name: str, record: dict) -> None:
    """The last lines of both outputs of a failed test."""
    print(f"end of {name}:", file=sys.stderr)
    for stream in ("stdout", "stderr"):
        for line in record.get(stream, "").splitlines()[-SHOWN_LINES:]:
            print(f"  {line[:300]}", file=sys.stderr)


def main(logs: list[str]) -> int:
    results: list[tuple[str, str]] = []
    for line in filter(str.strip, sys.stdin):
        result, _, name = line.strip().partition(" ")
        results.append((result, name))
    for log in map(Path, logs):
        for line in log.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            where = f"{record['name']} ({log.with_suffix('.txt')})"
            results.append((record["result"], where))
            if record["result"] not in PASSED | SKIPPED:
                show_end(where, record)

    passed = sum(result in PASSED for result, _ in results)
    skipped = sum(result in SKIPPED for result, _ in results)
    for result, name in results:
        if result not in PASSED | SKIPPED:
            print(f"failed: {name}: {result.lower()}", file=sys.stderr)
    print(passed, len(results) - passed - skipped, skipped)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
