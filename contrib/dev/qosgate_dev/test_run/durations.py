# SPDX-License-Identifier: GPL-2.0-or-later
"""How long each test and each phase took the last time, for an estimate of the time that is left."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

# Rough ones, of two processors, for what never ran here.
_SECONDS_OF_SUITE = {"cluster": 35.0, "cli": 4.0, "unit": 6.0, "bounds": 30.0, "abi": 1.0, "meta": 1.0}
_SECONDS_OF_PHASE = {
    "tests in build/": 600.0,
    "tests in build-threads/": 30.0,
    "tests in build-sanitize/": 120.0,
    "includes": 60.0,
    "bench": 90.0,
    "Debian 13": 330.0,
}
_SECONDS_OF_BUILD = {"build": 540.0, "build-threads": 180.0, "build-sanitize": 540.0}
_SECONDS_OF_STEP = 2.0
_UNKNOWN_SECONDS = 5.0


class Durations:
    """What is known. `is_rough` once something had to be guessed; who estimates anew takes it back."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[str, float] = {}
        self.is_rough = False
        try:
            known = json.loads(file.read_text(encoding="utf-8"))
            self._known = {str(key): float(value) for key, value in known.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            pass  # the first run, or a file that was cut off

    def of_test(self, directory: str, name: str, suites: Iterable[str]) -> float:
        guess = next((_SECONDS_OF_SUITE[suite] for suite in suites if suite in _SECONDS_OF_SUITE), _UNKNOWN_SECONDS)
        return self._find(_test_key(directory, name), guess)

    def of_phase(self, title: str) -> float:
        return self._find(f"phase {title}", _SECONDS_OF_PHASE.get(title, _UNKNOWN_SECONDS))

    def of_step(self, directory: str) -> float:
        """One step of ninja in this build directory."""
        return self._find(f"step {directory}", _SECONDS_OF_STEP)

    def of_build(self, directory: str) -> float:
        """All of it, while nobody knows its steps."""
        return self._find(f"build {directory}", _SECONDS_OF_BUILD.get(directory, _UNKNOWN_SECONDS))

    def keep_test(self, directory: str, name: str, seconds: float) -> None:
        self._known[_test_key(directory, name)] = round(seconds, 2)

    def keep_phase(self, title: str, seconds: float) -> None:
        self._known[f"phase {title}"] = round(seconds, 2)

    def keep_build(self, directory: str, seconds: float, steps: int) -> None:
        self._known[f"build {directory}"] = round(seconds, 2)
        # A few steps say nothing: the link of a plugin takes ten times as long as a small file.
        if steps >= 20:
            self._known[f"step {directory}"] = round(seconds / steps, 3)

    def save(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(self._known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        new.replace(self._file)

    def _find(self, key: str, guess: float) -> float:
        if key not in self._known:
            self.is_rough = True
        return self._known.get(key, guess)


def _test_key(directory: str, name: str) -> str:
    return f"test {directory} {name}"
