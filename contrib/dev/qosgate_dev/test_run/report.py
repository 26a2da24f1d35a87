# SPDX-License-Identifier: GPL-2.0-or-later
"""What has ended and how. Says it at once, and at the end once more what failed, and how to run that alone."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from qosgate_dev import ROOT

from .screen import Screen, time_text

# Of each output, at the end; and as soon as something fails.
_SHOWN_LINES = 25
_SHOWN_AT_ONCE = 8
_LINE_LENGTH = 300


@dataclasses.dataclass(frozen=True)
class Failure:
    """What did not pass, why in some words, and the command that runs it alone."""

    name: str
    why: str
    command: str
    # Its outputs, and where they lie as a whole.
    outputs: Sequence[str]
    log: Path


class Report:
    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._counts: Counter[str] = Counter()
        self._failures: list[Failure] = []

    @property
    def failed(self) -> int:
        return len(self._failures)

    def passed(self, name: str, seconds: float, note: str = "", is_one_of_many: bool = False) -> None:
        """One of many is only counted on a terminal, where the state shows how many there are."""
        self._counts["passed"] += 1
        if not (is_one_of_many and self._screen.is_terminal):
            self.finished(name, seconds, note)

    def finished(self, name: str, seconds: float, note: str = "") -> None:
        """It is no test, so it counts only where it fails."""
        self._screen.result("ok", f"{name:<36} {time_text(seconds):>12}  {note}".rstrip())

    def skipped(self, name: str, why: str) -> None:
        self._counts["skipped"] += 1
        self._screen.result("skip", f"{name}: {why}")

    def fail(self, failure: Failure) -> None:
        self._failures.append(failure)
        self._screen.result("FAIL", f"{failure.name}: {failure.why}")
        last = [line for output in failure.outputs for line in _end_of(output, _SHOWN_AT_ONCE)][-_SHOWN_AT_ONCE:]
        self._screen.say_shortened([*last, f"       whole output: {_place(failure.log)}"])

    def conclude(self, seconds: float, unfinished: str = "") -> bool:
        """Returns whether all passed, and something did. `unfinished` says where it was stopped."""
        self._screen.clear()
        for number, failure in enumerate(self._failures, 1):
            self._screen.say("")
            self._screen.title(f"== failed, {number} of {self.failed}: {failure.name}: {failure.why}")
            for output in failure.outputs:
                for line in _end_of(output, _SHOWN_LINES):
                    self._screen.say(line)
            self._screen.say(f"       whole output: {_place(failure.log)}")
        self._screen.say("")
        if self._failures:
            self._screen.title("== each of them alone")
            self._screen.say("\n".join(failure.command for failure in self._failures))
            self._screen.say("")
        if unfinished:
            self._screen.title(f"== {unfinished}")
        self._screen.say(f"all of it took {time_text(seconds)}")
        passed, skipped = self._counts["passed"], self._counts["skipped"]
        self._screen.say(f"{passed} passed, {self.failed} failed{f', {skipped} skipped' if skipped else ''}")
        return self.failed == 0 and passed > 0


def _end_of(output: str, count: int) -> list[str]:
    lines = [line for line in output.splitlines() if line.strip()]
    return [f"       {line[:_LINE_LENGTH]}" for line in lines[-count:]]


def _place(log: Path) -> str:
    return str(log.relative_to(ROOT)) if log.is_relative_to(ROOT) else str(log)
