# SPDX-License-Identifier: GPL-2.0-or-later
"""What people see meanwhile: on a terminal some lines at its end that are drawn anew, elsewhere a line now and then."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence

# Without a terminal, a line comes after as long a silence.
_SILENT_SECONDS = 60.0
_REDRAW_SECONDS = 0.5

_BOLD, _RED, _GREEN, _YELLOW, _FAINT = "1", "31", "32", "33", "2"
_COLOURS = {"ok": _GREEN, "FAIL": _RED, "skip": _YELLOW}


class Screen:
    """Lines that stay, and below them on a terminal the state, which does not."""

    def __init__(self) -> None:
        terminal = os.environ.get("TERM", "dumb") != "dumb"
        self.is_terminal = sys.stdout.isatty() and terminal
        self._colours = self.is_terminal and not os.environ.get("NO_COLOR")
        self._drawn: list[str] = []
        self._last_output = self._last_drawing = time.monotonic()

    def say(self, text: str) -> None:
        """A line that stays."""
        self._write(text)

    def say_shortened(self, lines: Sequence[str]) -> None:
        """Lines that stay, each at most as wide as the terminal."""
        width = _size().columns if self.is_terminal else None
        self._write("\n".join(lines if width is None else (shortened(line, width) for line in lines)))

    def title(self, text: str) -> None:
        self._write(self._paint(_BOLD, text))

    def result(self, word: str, text: str) -> None:
        """A line about something that has ended; the word is ok, FAIL or skip."""
        self._write(f"{self._paint(_COLOURS[word], f'{word:<5}')}{text}")

    def show(self, state: Callable[[], Sequence[str]], in_short: Callable[[], str]) -> None:
        """The state, or without a terminal, after a silence, the same in one line."""
        now = time.monotonic()
        if not self.is_terminal:
            if now - self._last_output >= _SILENT_SECONDS:
                self._write(in_short())
        elif not self._drawn or now - self._last_drawing >= _REDRAW_SECONDS:
            self._last_drawing = now
            self._draw(state())

    def clear(self) -> None:
        """Takes the state away."""
        if self._drawn:
            sys.stdout.write(self._erasure())
            sys.stdout.flush()
            self._drawn = []

    def _write(self, text: str) -> None:
        state = self._drawn
        self.clear()
        print(text, flush=True)
        self._last_output = time.monotonic()
        if state:
            self._draw(state)

    def _draw(self, lines: Sequence[str]) -> None:
        size = _size()
        # The last column stays empty: some terminals begin a new line after it.
        fitting = [shortened(line, size.columns - 1) for line in lines[: max(1, size.lines - 2)]]
        text = "\n".join(self._paint(_BOLD if n == 0 else _FAINT, line) for n, line in enumerate(fitting))
        sys.stdout.write(f"{self._erasure()}{text}\n")
        sys.stdout.flush()
        self._drawn = fitting

    def _erasure(self) -> str:
        """Goes up to the first line of the state and clears all below. In a terminal that became narrower it is longer."""
        columns = _size().columns
        rows = sum(max(1, -(-len(line) // columns)) for line in self._drawn)
        return f"\033[{rows}A\r\033[J" if rows else ""

    def _paint(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self._colours else text


def _size() -> os.terminal_size:
    """Of the terminal itself: COLUMNS in the environment may be older."""
    try:
        size = os.get_terminal_size(sys.stdout.fileno())
    except OSError:
        size = os.terminal_size((0, 0))
    return os.terminal_size((size.columns or 80, size.lines or 24))


def shortened(line: str, width: int) -> str:
    """At most `width` characters of it; three dots at the end say that some are missing."""
    if len(line) <= width:
        return line
    return line[:width] if width < 4 else f"{line[: width - 3]}..."


def few_of(items: Sequence[str], shown: int = 3) -> str:
    """ "a, b, c and 2 more"."""
    more = len(items) - shown
    return ", ".join(items) if more <= 0 else f"{', '.join(items[:shown])} and {more} more"


def bar(share: float, width: int = 24) -> str:
    done = min(width, int(width * share))
    return f"[{'=' * done}{'>' if done < width else ''}{' ' * (width - done - 1)}]"


def time_text(seconds: float) -> str:
    """ "41 s", "11 min 20 s", "1 h 5 min"."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def time_left_text(seconds: float, is_rough: bool) -> str:
    """To the minute while it is long, then to ten seconds: nobody knows it better."""
    about = "about " if is_rough else ""
    if seconds < 10:
        return "some seconds left"
    if seconds < 90:
        return f"{about}{round(seconds / 10) * 10} s left"
    return f"{about}{round(seconds / 60)} min left"
