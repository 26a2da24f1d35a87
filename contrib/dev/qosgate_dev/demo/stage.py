# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the demo's commands: shows them as typed, with their output, and compares it with what is expected."""

from __future__ import annotations

import dataclasses
import os
import pwd
import shlex
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

from qosgate_dev.cluster import daemons, interrupts, users
from qosgate_dev.cluster.layout import Layout

# No client of Slurm takes that long unless its daemon hangs.
_CLIENT_SECONDS = 120.0

_POLL_SECONDS = 0.1

# As timeout(1) has it.
_TIMED_OUT = 124


@dataclasses.dataclass(frozen=True)
class Answer:
    """How a command ended and all it printed, in the order it came."""

    rc: int
    output: str


class Unexpected(Exception):
    """Something that the rest of the demo needs did not happen.

    The message says what, and what the daemons say about it; `attempt` is the command that may tell more.
    """

    def __init__(self, message: str, attempt: tuple[str, str] | None = None) -> None:
        super().__init__(message)
        self.attempt = attempt


def has_colours() -> bool:
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM", "dumb") != "dumb"
    )


class Stage:
    """Runs commands on one cluster and counts the steps that went as expected."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._last: tuple[str, str, Answer] | None = None
        self._colours = has_colours()
        self.steps = 0
        self.as_expected = 0

    def title(self, text: str) -> None:
        """Begins a scene."""
        print(f"\n{self._paint('1', text)}", flush=True)

    def note(self, text: str) -> None:
        print(self._paint("2", text), flush=True)

    def type(self, user: str, command: str) -> Answer:
        """Shows the command behind the user's prompt, runs it and shows its output."""
        sign = "#" if user == "root" else "$"
        print(f"{self._paint('36', user)}{sign} {self._paint('1', command)}", flush=True)
        answer = self.run(user, command)
        print(answer.output, end="", flush=True)
        return answer

    def prepare(self, command: str) -> None:
        """Runs a command as root, which must succeed. Errors: Unexpected."""
        answer = self.type("root", command)
        if answer.rc != 0:
            raise self._unexpected(f"`{command}` ended with exit code {answer.rc}")

    def run(self, user: str, command: str) -> Answer:
        """Runs a command as a user of the cluster, in its home, without showing it.

        The command is split like a shell's words, but no shell runs it.
        """
        record = users.find_user(self._layout, user)
        home = Path(record.pw_dir) if users.is_invented(self._layout, record) else self._layout.etc
        environment = users.user_environment(self._layout, record)
        answer = _run(shlex.split(command), environment, record, home)
        self._last = (user, command, answer)
        return answer

    def wait_for(self, what: str, condition: Callable[[], bool], seconds: float = 40.0) -> None:
        """Errors: Unexpected saying that `what` did not happen in time."""
        deadline = time.monotonic() + seconds
        self._last = None
        while not condition():
            if time.monotonic() > deadline:
                raise self._unexpected(f"not so after {seconds:g} s: {what}")
            time.sleep(_POLL_SECONDS)

    def judge(self, expectation: str, answer: Answer, accepted: bool, *texts: str) -> None:
        """Ends a step: says whether the answer is the expected one, and if not, what is different."""
        differences = []
        if (answer.rc == 0) != accepted:
            differences.append(f"the exit code is {answer.rc}")
        differences += [f"no text {text!r}" for text in texts if text not in answer.output]
        self.steps += 1
        if differences:
            print(self._paint("31", f"-> NOT as expected ({expectation}): {'; '.join(differences)}"))
            self.note(self._logs())
        else:
            self.as_expected += 1
            print(self._paint("32", f"-> as expected: {expectation}"))
        sys.stdout.flush()

    def _unexpected(self, what: str) -> Unexpected:
        """With the last command, if one ran, its output and what the logs say."""
        if self._last is None:
            return Unexpected(f"{what}\n{self._logs()}")
        user, command, answer = self._last
        shown = textwrap.indent(f"{user}$ {command}\n{answer.output}", "  ")
        return Unexpected(f"{what}\n{shown}  (exit code {answer.rc})\n{self._logs()}", (user, command))

    def _logs(self) -> str:
        return daemons.telling_lines_of(self._layout, "slurmdbd", "slurmctld")

    def _paint(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self._colours else text


def _run(
    words: list[str], environment: dict[str, str], user: pwd.struct_passwd, directory: Path
) -> Answer:
    """The client gets its own session and so no Ctrl-C: the demo decides what ends, and in which order."""
    process: subprocess.Popen[str] | None = None
    try:
        # An interruption inside Popen would lose the child process.
        with interrupts.deferred():
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
                env=environment,
                cwd=directory,
                user=user.pw_uid,
                group=user.pw_gid,
                extra_groups=[],
            )
        output, _ = process.communicate(timeout=_CLIENT_SECONDS)
        return Answer(process.returncode, output)
    except subprocess.TimeoutExpired:
        assert process is not None
        _kill(process)
        output, _ = process.communicate()
        return Answer(_TIMED_OUT, f"{output}(killed after {_CLIENT_SECONDS:g} s)\n")
    finally:
        if process is not None:
            _kill(process)


def _kill(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
