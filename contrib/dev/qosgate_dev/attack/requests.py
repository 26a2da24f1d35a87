# SPDX-License-Identifier: GPL-2.0-or-later
"""A request as one line, which people can read, type and shorten.

    submit min_nodes=0 max_nodes=1 tres_per_node=gres:gpu:2     over libslurm: fields of job_desc_msg_t
    submit num_tasks=1 then num_tasks=0                         a held job, changed and released
    submit num_tasks=1 : num_tasks=2                            a heterogeneous job
    sbatch -N0-1 --gres=gpu:2 then NumNodes=0-1                 by sbatch, changed by scontrol

Each word is quoted as for a shell. `repeat(65536,x)` stands for that many, and \\x1b or \\u202e for a character that
terminals do not show.
"""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterator

LIBSLURM, SBATCH = "submit", "sbatch"

_REPEAT = re.compile(r"repeat\((\d+),([^)]+)\)")
_ESCAPE = re.compile(r"\\x([0-9a-f]{2})|\\u([0-9a-f]{4})")

Words = tuple[str, ...]


class Malformed(ValueError):
    """The line is no request; the message says what one looks like."""


@dataclasses.dataclass(frozen=True)
class Request:
    """Words of each part of the job, one part for an ordinary job, and of the change; without these there is none."""

    way: str
    parts: tuple[Words, ...]
    change: Words = ()

    def __str__(self) -> str:
        words = [self.way]
        for number, part in enumerate(self.parts):
            words += [":", *part] if number else part
        return shlex.join([*words, "then", *self.change] if self.change else words)

    def smaller(self) -> Iterator[Request]:
        """Each request with one thing less: the change, a part, a word."""
        if self.change:
            yield dataclasses.replace(self, change=())
        if len(self.parts) > 1:
            for number in range(len(self.parts)):
                yield dataclasses.replace(self, parts=_without(self.parts, number))
        for number, part in enumerate(self.parts):
            for word in range(len(part)):
                less = (*self.parts[:number], _without(part, word), *self.parts[number + 1 :])
                yield dataclasses.replace(self, parts=less)
        if len(self.change) > 1:
            for word in range(len(self.change)):
                yield dataclasses.replace(self, change=_without(self.change, word))


def _without(items: tuple, number: int) -> tuple:
    return items[:number] + items[number + 1 :]


def parse(line: str) -> Request:
    """Errors: Malformed."""
    try:
        way, *words = shlex.split(line)
    except ValueError as error:
        raise Malformed(f"{line!r}: {error}") from error
    if way not in (LIBSLURM, SBATCH):
        raise Malformed(f"{way!r}: a request begins with {LIBSLURM} or {SBATCH}")
    change: list[str] = []
    if "then" in words:
        at = words.index("then")
        words, change = words[:at], words[at + 1 :]
    parts: list[list[str]] = [[]]
    for word in words:
        if word == ":":
            parts.append([])
        else:
            parts[-1].append(word)
    for word in [*(word for part in parts if way == LIBSLURM for word in part), *change]:
        if "=" not in word:
            raise Malformed(f"{word!r}: not FIELD=VALUE")
    return Request(way, tuple(map(tuple, parts)), tuple(change))


def fields(words: Words) -> dict[str, str]:
    """Names and values as they are sent."""
    pairs = (word.partition("=") for word in words)
    return {name: spelled_out(value) for name, _, value in pairs}


def spelled_out(text: str) -> str:
    """What is sent for a word."""
    text = _REPEAT.sub(lambda found: int(found[1]) * found[2], text)
    return _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), text)
