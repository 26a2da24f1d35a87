# SPDX-License-Identifier: GPL-2.0-or-later
"""What judging a job takes, counted by valgrind: whatever else the machine does, runs differ by some per cent at most.

Usage: instructions BUILD_DIRECTORY     prints a table of them
"""

from __future__ import annotations

import collections
import dataclasses
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from .judged import gate, judge

_CACHE_LINE = 64
_WARM_UP = 200  # jobs that are not counted: they fill what is kept
_COUNTED = 1000

# A policy and what is sent.
ROWS = (
    ("none", "accepted"),
    ("one", "accepted"),
    ("twenty", "accepted"),
    ("headroom", "accepted"),
    ("script", "accepted"),
    ("none", "refused"),
)


@dataclasses.dataclass(frozen=True)
class Cost:
    """Of one job; of all libraries, and the plugin's own."""

    instructions: int
    code_lines: int  # 64 bytes of code that most jobs run
    own_code_lines: int


def measure(build: Path, policy: str, stream: str) -> Cost:
    """Errors: JudgingFailed."""
    few = _counts(build, policy, stream, _WARM_UP)
    many = _counts(build, policy, stream, _WARM_UP + _COUNTED)
    lines = {line for line, count in many.items() if count - few[line] >= _COUNTED / 2}
    plugin = str(gate(build))
    return Cost(
        instructions=(many.total() - few.total()) // _COUNTED,
        code_lines=len(lines),
        own_code_lines=sum(file == plugin for file, _ in lines),
    )


def _counts(build: Path, policy: str, stream: str, jobs: int) -> collections.Counter[tuple[str, int]]:
    """The instructions in each line of code, by file."""
    with tempfile.NamedTemporaryFile(prefix="qosgate-counts-") as file:
        judge(
            build,
            policy,
            stream,
            jobs,
            under=[
                "valgrind",
                "--tool=callgrind",
                "--collect-atstart=no",
                "--toggle-collect=job_submit",
                "--dump-instr=yes",
                "--compress-strings=no",
                "--compress-pos=no",
                f"--callgrind-out-file={file.name}",
            ],
        )
        return _read_counts(file.read().decode().splitlines())


def _read_counts(lines: Iterable[str]) -> collections.Counter[tuple[str, int]]:
    """Of a file of callgrind. A line behind `calls=` has what the called function took, which has lines of its own."""
    counts: collections.Counter[tuple[str, int]] = collections.Counter()
    file, is_called = "", False
    for line in lines:
        if line.startswith("ob="):
            file = line[3:]
        elif line.startswith("calls="):
            is_called = True
        elif line.startswith("0x"):
            if not is_called:
                address, _, count = line.split()
                counts[file, int(address, 16) // _CACHE_LINE] += int(count)
            is_called = False
    return counts


def main(arguments: list[str]) -> int:
    print("| rules | jobs | instructions | lines of code | of the plugin |\n|---|---|---:|---:|---:|")
    for policy, stream in ROWS:
        cost = measure(Path(arguments[0]).absolute(), policy, stream)
        print(f"| {policy} | {stream} | {cost.instructions:,} | {cost.code_lines} | {cost.own_code_lines} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
