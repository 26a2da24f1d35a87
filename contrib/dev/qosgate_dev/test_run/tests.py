# SPDX-License-Identifier: GPL-2.0-or-later
"""The names of what can be run, and Meson's tests: which there are, which run now, and how they end."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path

from qosgate_dev import ROOT

from .jobs import Job

# The checks that are no tests of Meson's, by the names that --test knows. Those of the sources take some seconds.
SOURCE_CHECKS = ("shellcheck", "clang-format")
BENCHES = ("bench",)
OTHER_RELEASE = "Debian 13"
LATE_CHECKS = (*BENCHES, OTHER_RELEASE)

LOG_BASE = "contrib-test"

# Tests of clusters mostly wait, for daemons and for jobs: with six at once, two CPUs are still idle for a third of the
# time.
AT_ONCE = 6

# " 12/115 qosgate:cluster / cluster rules   OK   31.20s"
_RESULT = re.compile(r"^ *\d+/\d+ (\S.*?) +([A-Z]+) +([\d.]+)s\b")

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = "SKIP"
INTERRUPTED = "INTERRUPT"


@dataclasses.dataclass(frozen=True)
class Test:
    name: str
    suites: tuple[str, ...]
    # The files of its command that are in the tree or built from it, relative to it.
    files: tuple[str, ...]
    is_parallel: bool = True
    depends: tuple[str, ...] = ()
    # The end of its command line, which is the same however the interpreter is found.
    words: tuple[str, ...] = ()

    @property
    def directory(self) -> str:
        """The one below tests/ that it is in, or ""."""
        return next((file.split("/")[1] for file in self.files if file.startswith("tests/")), "")


@dataclasses.dataclass(frozen=True)
class Ending:
    """How a test ended. Its output comes later: Meson writes that log in large pieces."""

    name: str
    result: str
    seconds: float


def load_tests(build: Path) -> list[Test]:
    """Those of a build directory that is configured, in Meson's order."""
    records = json.loads((build / "meson-info/intro-tests.json").read_text(encoding="utf-8"))
    return [
        Test(
            name=record["name"],
            suites=tuple(suite.split(":")[-1] for suite in record["suite"]),
            files=tuple(file for word in record["cmd"] if (file := _in_tree(word, build))),
            is_parallel=record["is_parallel"],
            depends=tuple(record["depends"]),
            words=_last_words(record["cmd"]),
        )
        for record in records
    ]


def _in_tree(word: str, build: Path) -> str:
    path = Path(os.path.normpath(word))
    for top in (build, ROOT):
        if path.is_relative_to(top):
            return str(path.relative_to(top))
    return ""


def _last_words(command: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(os.path.normpath, command[1:] or command))


class TestRun:
    """One `meson test`, while it works and after."""

    def __init__(self, directory: str, tests: Sequence[Test], job: Job) -> None:
        self._tests = tests
        self._job = job
        self._log = ROOT / directory / "meson-logs" / f"{LOG_BASE}.json"
        self._read = 0
        self._records: dict[str, dict] = {}
        self._begun: dict[str, float] = {}
        self.ended: dict[str, Ending] = {}

    @staticmethod
    def command(directory: str, names: Sequence[str]) -> list[str]:
        """No names: all of them."""
        return [
            *("meson", "test", "-C", directory, "--no-rebuild", "--logbase", LOG_BASE, "--num-processes", str(AT_ONCE)),
            *names,
        ]

    def new_endings(self) -> list[Ending]:
        """The tests that ended since the last call, of what Meson prints."""
        found = []
        for line in self._job.new_lines():
            if (match := _RESULT.match(line)) and (name := self._name_at_the_end_of(match[1])):
                found.append(Ending(name, match[2], float(match[3])))
        return self._really_ended(found)

    def last_endings(self) -> list[Ending]:
        """After its end: those that only Meson's log knows, whose lines were written otherwise than we expect."""
        found = self.new_endings()
        self._read_log()
        others = [Ending(name, record["result"], record["duration"]) for name, record in self._records.items()
                  if name not in self.ended]  # fmt: skip
        return found + self._really_ended(others)

    def _really_ended(self, endings: Sequence[Ending]) -> list[Ending]:
        """Without those that were only interrupted."""
        found = [ending for ending in endings if ending.result != INTERRUPTED]
        self.ended.update((ending.name, ending) for ending in found)
        return found

    def running(self) -> dict[str, float]:
        """The tests that run, and for how many seconds; who has run longest comes first."""
        now = time.monotonic()
        found = {name: self._begun.get(name, now) for name in self._names_of_children() if name not in self.ended}
        self._begun = dict(sorted(found.items(), key=lambda item: item[1]))
        return {name: now - begin for name, begin in self._begun.items()}

    def record_of(self, name: str) -> dict | None:
        """What Meson's log says of a test that has ended, as soon as it is there."""
        if name not in self._records:
            self._read_log()
        return self._records.get(name)

    def _read_log(self) -> None:
        try:
            with self._log.open("rb") as file:
                file.seek(self._read)
                text = file.read()
        except FileNotFoundError:
            return
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            record = json.loads(line)
            if name := self._name_at_the_end_of(record["name"]):
                self._records[name] = record

    def _name_at_the_end_of(self, text: str) -> str:
        """Before it stand the suites, in a way that differs between releases of Meson."""
        names = [test.name for test in self._tests if f" {text}".endswith((f" {test.name}", f":{test.name}"))]
        return max(names, key=len, default="")

    def _names_of_children(self) -> list[str]:
        names = {test.words: test.name for test in self._tests}
        longest = max((len(words) for words in names), default=0)
        found = []
        for pid in _children_of(self._job.pid):
            try:
                command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
            except OSError:
                continue  # it has just ended
            words = tuple(map(os.path.normpath, command))
            name = next((names[words[-n:]] for n in range(longest, 0, -1) if words[-n:] in names), None)
            if name is not None:
                found.append(name)
        return found


def _children_of(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    except OSError:
        return []
