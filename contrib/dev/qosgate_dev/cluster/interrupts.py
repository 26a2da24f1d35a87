# SPDX-License-Identifier: GPL-2.0-or-later
"""SIGINT, SIGTERM and SIGHUP as an exception, which some code delays or ignores."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from typing import NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """A signal asked the tool to end. Not an Exception: nothing but cleaning up may catch it."""

    def __init__(self, signum: int) -> None:
        super().__init__(f"interrupted by {signal.Signals(signum).name}")
        self.signum = signum


def raise_on_signals() -> None:
    """From now on each of the signals raises Interrupted."""
    for signum in _SIGNALS:
        signal.signal(signum, _raise)


def raise_on_first_signal() -> None:
    """From now on the first of the signals raises Interrupted, and the others are ignored during the clean-up."""
    for signum in _SIGNALS:
        signal.signal(signum, _raise_once)


def _raise_once(signum: int, _frame: object) -> NoReturn:
    ignore()
    raise Interrupted(signum)


def _raise(signum: int, _frame: object) -> NoReturn:
    raise Interrupted(signum)


def ignore() -> None:
    """From now on the signals do nothing: for cleaning up, which a second Ctrl-C must not stop."""
    for signum in _SIGNALS:
        signal.signal(signum, signal.SIG_IGN)


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """Signals that arrive in the block take effect at its end.

    A blocked signal mask would do, but children inherit that.
    """
    arrived: list[int] = []
    previous = {
        signum: signal.signal(signum, lambda number, _frame: arrived.append(number))
        for signum in _SIGNALS
    }
    try:
        yield
    finally:
        for signum, handler in previous.items():
            signal.signal(signum, handler)
        for number in arrived:
            os.kill(os.getpid(), number)
