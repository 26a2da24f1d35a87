# SPDX-License-Identifier: GPL-2.0-or-later
"""The times that job_submit/timing measured, and their statistics."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence
from pathlib import Path

_NS_PER_US = 1000


@dataclasses.dataclass(frozen=True)
class Spread:
    """How long the calls of one plugin took, in microseconds."""

    median: float
    p99: float
    max: float

    @classmethod
    def of(cls, nanoseconds: Sequence[int]) -> Spread:
        """The spread of these times; there must be at least one."""
        ordered = sorted(nanoseconds)
        rank = math.ceil(0.99 * len(ordered)) - 1
        return cls(
            median=statistics.median(ordered) / _NS_PER_US,
            p99=ordered[rank] / _NS_PER_US,
            max=ordered[-1] / _NS_PER_US,
        )


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Both plugins over the same kind of submissions, by one clock."""

    lua: Spread
    qosgate: Spread

    @property
    def ratio(self) -> float:
        """The ratio of the medians, Lua : qosgate."""
        return self.lua.median / self.qosgate.median


@dataclasses.dataclass(frozen=True)
class Measured:
    """One measurement: by the clock on the wall, and in processor time of slurmctld's thread."""

    submissions: int  # of each plugin
    wall: Comparison
    thread: Comparison


@dataclasses.dataclass(frozen=True)
class Hostile:
    """How long qosgate takes for requests that have one text of this size."""

    field: str
    bytes: int
    wall: Spread
    thread: Spread


def read_hostile(path: Path, texts: Sequence[str], submissions: int) -> list[Hostile]:
    """Reads the plugin's file: a fixed number of lines for each of `texts`, which are "FIELD SIZE"."""
    rows = [[int(word) for word in line.split()] for line in path.read_text().splitlines()]
    measured = []
    for index, text in enumerate(texts):
        field, size = text.split()
        group = rows[index * submissions : (index + 1) * submissions]
        wall, thread = (Spread.of([row[column] for row in group]) for column in (1, 2))
        measured.append(Hostile(field, int(size), wall, thread))
    return measured


def read(path: Path) -> Measured:
    """Reads the plugin's file: "plugin wall thread", Lua is 0 and qosgate 1."""
    rows = [[int(word) for word in line.split()] for line in path.read_text().splitlines()]

    def spread(plugin: int, column: int) -> Spread:
        return Spread.of([row[column] for row in rows if row[0] == plugin])

    return Measured(
        submissions=len(rows) // 2,
        wall=Comparison(spread(0, 1), spread(1, 1)),
        thread=Comparison(spread(0, 2), spread(1, 2)),
    )
