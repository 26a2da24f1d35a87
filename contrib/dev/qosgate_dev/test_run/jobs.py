# SPDX-License-Identifier: GPL-2.0-or-later
"""A process that works while we watch it. It gets no Ctrl-C of ours: we say what ends, and in which order."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from qosgate_dev import ROOT

# A benchmark has a private cluster to end.
_END_SECONDS = 20.0


class Job:
    """One command, with its output in a file."""

    def __init__(self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> None:
        """Appends to the file. Errors: OSError if the command cannot be started."""
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output:
            self._reader = log.open("rb")
            self._reader.seek(0, os.SEEK_END)
            self._process = subprocess.Popen(
                list(command),
                cwd=ROOT,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.pid = self._process.pid
        self._unfinished = b""

    def poll(self) -> int | None:
        """The exit code once it has ended."""
        return self._process.poll()

    def new_lines(self) -> list[str]:
        """What it wrote since the last call, in whole lines."""
        *lines, self._unfinished = (self._unfinished + self._reader.read()).split(b"\n")
        return [line.decode(errors="replace") for line in lines]

    def end(self) -> None:
        """Ends it and all that it started in its group; with patience, as it may have to clean up."""
        deadline = time.monotonic() + _END_SECONDS
        self._signal(signal.SIGTERM)
        while self._process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        self._signal(signal.SIGKILL)
        self._process.wait()

    def _signal(self, signum: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signum)
