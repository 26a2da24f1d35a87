# SPDX-License-Identifier: GPL-2.0-or-later
"""The results for people (Markdown) and for programs (JSON)."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import re
import statistics
from collections.abc import Sequence
from pathlib import Path

from . import replay
from .client import Times
from .samples import Comparison, Hostile, Measured

_COLUMNS = (
    ["QOSs", "queued jobs", "partitions", "rules"]
    + ["Lua median", "p99", "max"]
    + ["qosgate median", "p99", "max"]
    + ["Lua/qosgate"]
)


_HOSTILE_COLUMNS = ["text", "bytes", "median", "max", "processor time median", "max"]


@dataclasses.dataclass(frozen=True)
class Case:
    """What one measurement varies."""

    qos: int
    queued: int
    partitions: int
    rules: str  # one of policies.POLICIES; the script of Slurm's Lua plugin is always the same


Results = Sequence[tuple[Case, Measured]]


@dataclasses.dataclass(frozen=True)
class Memory:
    """slurmctld's memory after so many submissions."""

    rules: str
    submissions: int
    bytes: int


@dataclasses.dataclass(frozen=True)
class HostileResults:
    """Requests with one very long text."""

    qos: int
    partitions: int
    submissions: int  # for each text
    texts: Sequence[Hostile]


def machine() -> str:
    """The processor and the kernel, and how busy the machine is."""
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    processor = found[1] if found else platform.machine()
    load, _, _ = os.getloadavg()
    return f"{os.cpu_count()} x {processor}, Linux {platform.release()}, load {load:.1f} at the end"


def one_line(case: Case, measured: Measured) -> str:
    """A result as it is shown while the others are still missing."""
    return (
        f"{case.qos} QOSs, {case.queued} jobs queued, {case.partitions} partitions,"
        f" rules {case.rules}: Lua {measured.wall.lua.median:.1f} us,"
        f" qosgate {measured.wall.qosgate.median:.1f} us"
    )


def client_markdown(software: str, rows: Sequence[tuple[str, Times]]) -> str:
    """A table of what the clients' plugin adds."""
    lines = [
        f"{software}; {machine()}",
        "",
        "Milliseconds of an sbatch, medians:",
        "",
        "| job | runs | without | with cli_filter/qosgate | added |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, times in rows:
        without, added = statistics.median(times.without), times.added
        lines.append(
            f"| {name} | {len(times.without)} | {without:.1f} | {without + added:.1f} | {added:.1f} |"
        )
    return "\n".join([*lines, ""])


def replay_markdown(software: str, times: replay.Times) -> str:
    """A table of what reading records takes."""
    lines = [
        f"{software}; {machine()}",
        "",
        f"Seconds of a processor for {times.records:,} records, {len(times.qosgate)} runs in turns:",
        "",
        "| program | median | slowest | records in a second |",
        "|---|---:|---:|---:|",
    ]
    for name, taken in (
        ("qosgate policy replay, without rules", times.qosgate),
        ("Python's json, which only counts outcomes", times.python),
    ):
        median = statistics.median(taken)
        lines.append(f"| {name} | {median:.2f} | {max(taken):.2f} | {times.records / median:,.0f} |")
    return "\n".join([*lines, "", f"Python : qosgate {times.ratio:.1f}", ""])


def markdown(
    software: str, results: Results, hostile: HostileResults, memory: Sequence[Memory]
) -> str:
    """Tables: by the clock on the wall, in processor time, and of hostile requests."""
    count = max(measured.submissions for _, measured in results)
    parts = [
        f"{software}; {machine()}",
        f"Microseconds inside job_submit(), {count} submissions of each plugin a line.",
        "By the clock:",
        _table([(case, measured.wall) for case, measured in results]),
        "Processor time of slurmctld's thread, which leaves out what other processes took:",
        _table([(case, measured.thread) for case, measured in results]),
        f"Hostile requests: microseconds inside qosgate's job_submit() for a job with one long text,"
        f" {hostile.qos:,} QOSs, {hostile.partitions:,} partitions,"
        f" {hostile.submissions} submissions a line:",
        _hostile_table(hostile.texts),
    ]
    if memory:
        parts += ["slurmctld's memory after submissions that qosgate judged:", _memory_table(memory)]
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[tuple[Case, Comparison]]) -> str:
    lines = [_line(_COLUMNS), _line(["---:"] * len(_COLUMNS))]
    return "\n".join([*lines, *(_line(_cells(case, comparison)) for case, comparison in rows)])


def _hostile_table(texts: Sequence[Hostile]) -> str:
    lines = [_line(_HOSTILE_COLUMNS), _line(["---", *["---:"] * (len(_HOSTILE_COLUMNS) - 1)])]
    for text in texts:
        times = [f"{time:,.1f}" for of in (text.wall, text.thread) for time in (of.median, of.max)]
        lines.append(_line([text.field, f"{text.bytes:,}", *times]))
    return "\n".join(lines)


def _memory_table(memory: Sequence[Memory]) -> str:
    lines = [_line(["rules", "submissions", "MiB"]), _line(["---", "---:", "---:"])]
    for row in memory:
        lines.append(_line([row.rules, f"{row.submissions:,}", f"{row.bytes / 2**20:,.1f}"]))
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(case: Case, comparison: Comparison) -> list[str]:
    cells = [f"{case.qos:,}", f"{case.queued:,}", f"{case.partitions:,}", case.rules]
    for spread in (comparison.lua, comparison.qosgate):
        cells += [f"{spread.median:.1f}", f"{spread.p99:.1f}", f"{spread.max:,.0f}"]
    return [*cells, f"{comparison.ratio:.1f}"]


def as_json(
    software: str, results: Results, hostile: HostileResults, memory: Sequence[Memory]
) -> str:
    """One record; times in microseconds."""
    record = {
        "software": software,
        "machine": machine(),
        "unit": "us",
        "results": [
            dataclasses.asdict(case) | dataclasses.asdict(measured) for case, measured in results
        ],
        "hostile": dataclasses.asdict(hostile),
        "memory": [dataclasses.asdict(row) for row in memory],
    }
    return json.dumps(record, indent=2) + "\n"
