# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of contrib/test."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

from qosgate_dev import ROOT
from qosgate_dev.build import EX_USAGE
from qosgate_dev.cluster import interrupts

from . import changed
from .durations import Durations
from .phases import Phase, Setting, log_directory
from .plan import Plan, Wanted
from .report import Report
from .screen import Screen, bar, few_of, time_left_text, time_text
from .tests import LATE_CHECKS, SOURCE_CHECKS, Test

EX_NOPERM = 77

_TURN_SECONDS = 0.1

USAGE = """\
Usage: contrib/test [--all | --suite NAME... | --test NAME... | --changed [REV]] [--werror]

Builds qosgate in build/ and runs all that a change can break on this release, on Debian 12 as root: about 20
minutes on two processors. Packages that are missing are installed. The tests in suite 'cluster' start private
Slurm clusters on loopback ports, next to whatever else runs here. The sources are checked, too (shellcheck,
clang-format 14).

  --all            besides, before a release: the unit tests with AddressSanitizer and UndefinedBehaviorSanitizer
                   (in build-sanitize/), those of several threads with ThreadSanitizer (in build-threads/), short
                   runs of contrib/bench, and the packages beside the Slurm of Debian 13, for which two trees of that
                   release (1 GB each) are made over the network once, in build/release/
  --suite NAME     only this suite of build/: unit, bounds, meta, cli, abi or cluster; may be repeated
  --test NAME      only this test, such as 'cluster rules', or this check: {checks};
                   builds only what it needs; may be repeated
  --changed [REV]  only what the difference between REV and the files as they are now can touch; without REV, the
                   difference to where this branch left main, or to the last commit; besides, whether each changed
                   file of C++ includes what it uses, some seconds for each
  --werror         warnings of the compiler are errors
  --help           this text

On a terminal the last lines show what runs and how much is left; elsewhere there is a line for each test. The
last line is '<N> passed, <N> failed', with ', <N> skipped' if there are any. Above it is what failed, with the end
of its output, the place of the whole, and the command that runs it alone. Ctrl-C ends all that runs.

examples:
  sudo contrib/test
  sudo contrib/test --changed
  sudo contrib/test --suite unit --suite cli
  sudo contrib/test --test 'cluster rules' --test clang-format
  sudo QG_KEEP_CLUSTER=1 contrib/test --suite cluster    leaves the clusters' logs for a look
  meson test -C build limits                             one test by name, without root

exit codes: 0 everything passed, 1 something failed, 64 wrong usage, 77 root is needed;
128 and the signal's number if it was stopped"""


class Parser(argparse.ArgumentParser):
    """Exits with the usage code of sysexits.h."""

    def error(self, message: str) -> NoReturn:
        self.exit(EX_USAGE, f"contrib/test: {message}; 'contrib/test --help' shows how\n")

    def format_help(self) -> str:
        return USAGE.format(checks=", ".join((*SOURCE_CHECKS, *LATE_CHECKS))) + "\n"


class UnknownName(Exception):
    """A suite or a test that does not exist."""


def main(arguments: list[str]) -> int:
    parser = Parser(prog="contrib/test", allow_abbrev=False)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true")
    which.add_argument("--suite", action="append", default=[], dest="suites")
    which.add_argument("--test", action="append", default=[], dest="tests")
    which.add_argument("--changed", nargs="?", const="", metavar="REV")
    parser.add_argument("--werror", action="store_true")
    asked = parser.parse_args(arguments)
    if os.geteuid() != 0:
        print("contrib/test: the cluster tests run jobs as several users, so this needs root: sudo contrib/test",
              file=sys.stderr)  # fmt: skip
        return EX_NOPERM
    interrupts.raise_on_first_signal()
    # What a failed test printed may be more than this terminal can show.
    sys.stdout.reconfigure(errors="replace")
    screen = Screen()
    try:
        wanted = _wanted(asked, screen)
        if wanted is None:
            return 0
        with _alone_in_tree(screen):
            return _Run(wanted, screen).run()
    except (UnknownName, changed.NoDifference) as error:
        parser.error(str(error))
    except interrupts.Interrupted as interrupted:
        return 128 + interrupted.signum
    finally:
        return_builds_to_owner()


@contextlib.contextmanager
def _alone_in_tree(screen: Screen) -> Iterator[None]:
    """Waits for another run in this tree: both would write the same builds and logs."""
    directory = log_directory("build")
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            screen.say("waiting for another contrib/test in this tree")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _wanted(asked: argparse.Namespace, screen: Screen) -> Wanted | None:
    """None: nothing is. Errors: NoDifference."""
    if asked.changed is not None:
        return _wanted_for_changes(asked.changed, asked.werror, screen)
    if asked.suites:
        return Wanted(_of_suites(asked.suites), frozenset(), with_defaults=False, werror=asked.werror)
    if asked.tests:
        checks = frozenset(asked.tests) & {*SOURCE_CHECKS, *LATE_CHECKS}
        names = [name for name in asked.tests if name not in checks]
        return Wanted(_of_names(names), checks, with_defaults=False, has_tests=bool(names), werror=asked.werror)
    checks = frozenset((*SOURCE_CHECKS, *LATE_CHECKS) if asked.all else SOURCE_CHECKS)
    return Wanted(lambda tests: tests, checks, sanitizers=asked.all, werror=asked.werror)


def _wanted_for_changes(revision: str, werror: bool, screen: Screen) -> Wanted | None:
    base, why = (revision, "") if revision else changed.find_base(changed.run_git)
    paths = changed.changed_paths(base)
    short = changed.run_git("rev-parse", "--short", base).strip()
    files = f"{len(paths)} file{'' if len(paths) == 1 else 's'}"
    screen.title(f"== compared with {short}{f' ({why})' if why else ''}: {files} changed")
    if not paths:
        screen.say("nothing to test")
        screen.say("0 passed, 0 failed")
        return None

    def choose(tests: list[Test]) -> list[Test]:
        found = changed.touched(paths, tests)
        for path in found.unknown[:3]:
            screen.say(f"     {path} may touch everything")
        chosen = [test for test in tests if test.name in found.tests]
        screen.say(f"     it can touch {len(chosen)} of {len(tests)} tests")
        return chosen

    # Benchmarks do not depend on the tests that exist.
    checks = changed.touched(paths, []).checks | {*SOURCE_CHECKS}
    alone = [path for path in paths if path.endswith((".cpp", ".hpp")) and (ROOT / path).is_file()]
    return Wanted(choose, checks, with_defaults=False, werror=werror, alone=alone)


def _of_suites(names: list[str]) -> Callable[[list[Test]], list[Test]]:
    def choose(tests: list[Test]) -> list[Test]:
        _require_known(names, {suite for test in tests for suite in test.suites}, "suite")
        return [test for test in tests if set(names) & set(test.suites)]

    return choose


def _of_names(names: list[str]) -> Callable[[list[Test]], list[Test]]:
    def choose(tests: list[Test]) -> list[Test]:
        _require_known(names, {test.name for test in tests} | {*SOURCE_CHECKS, *LATE_CHECKS}, "test")
        return [test for test in tests if test.name in names]

    return choose


def _require_known(names: list[str], known: set[str], what: str) -> None:
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, 3)
            others = f"; there is {', '.join(map(repr, close))}" if close else ""
            raise UnknownName(f"there is no {what} '{name}'{others}")


class _Run:
    def __init__(self, wanted: Wanted, screen: Screen) -> None:
        self._screen = screen
        self._report = Report(screen)
        self._durations = Durations(log_directory("build") / "durations.json")
        self._begun = time.monotonic()
        self._plan = Plan(wanted, Setting(self._report, self._durations))
        self._current = self._plan.phases[0]

    def run(self) -> int:
        try:
            self._work()
        except interrupts.Interrupted as interrupted:
            if interrupted.signum == signal.SIGHUP:
                _stop_writing()
            self._screen.clear()
            self._screen.say("ending what runs")
            self._end_all()
            self._report.conclude(self._seconds(), self._stopped_by(interrupted))
            return 128 + interrupted.signum
        except BaseException:
            _stop_writing()
            self._end_all()
            raise
        finally:
            self._durations.save()
        not_begun = ", ".join(phase.title for phase in self._plan.phases if not phase.begun)
        passed = self._report.conclude(self._seconds(), f"because of that not begun: {not_begun}" if not_begun else "")
        return 0 if passed else 1

    def _work(self) -> None:
        for phase in self._plan.phases:
            if phase.lacks_something:
                continue
            self._current = phase
            while not phase.is_done:
                # What they start must not be lost.
                with interrupts.deferred():
                    phase.go_on()
                    self._go_on_beside()
                self._screen.show(self._state, self._in_short)
                if not phase.is_done:
                    time.sleep(_TURN_SECONDS)
            if phase.is_required and phase.has_failed:
                return

    def _end_all(self) -> None:
        for phase in self._plan.phases:
            phase.end()

    def _go_on_beside(self) -> None:
        """The first one that is not done, once there is something else to wait for."""
        waiting = [phase for phase in self._plan.phases if not phase.is_done and phase not in self._plan.beside]
        if any(phase.is_required for phase in waiting):
            return
        beside = next((phase for phase in self._plan.beside if not phase.is_done), None)
        if beside is not None and beside is not self._current:
            beside.go_on()

    def _state(self) -> list[str]:
        gone = self._seconds()
        left, left_text = self._time_left()
        text = f"{time_text(gone)} so far, {left_text}"
        lines = [f"{bar(gone / (gone + left))} {text}", f"now     {_line_of(self._current)}"]
        if details := self._current.details():
            lines.append(f"        {details}")
        others = [phase for phase in self._plan.beside if phase is not self._current]
        lines += [f"beside  {_line_of(phase)}" for phase in others if phase.begun and not phase.is_done]
        later = [phase.title for phase in self._plan.phases if not phase.is_done and not phase.begun]
        lines.append(f"then    {few_of(later) or 'nothing more'}")
        return lines

    def _in_short(self) -> str:
        return f"...  {_line_of(self._current)}; {time_text(self._seconds())} so far, {self._time_left()[1]}"

    def _time_left(self) -> tuple[float, str]:
        """An estimate in seconds, and as it is shown."""
        self._durations.is_rough = False
        seconds = self._plan.seconds_left()
        return seconds, time_left_text(seconds, self._durations.is_rough)

    def _stopped_by(self, interrupted: interrupts.Interrupted) -> str:
        not_begun = [phase.title for phase in self._plan.phases if not phase.begun]
        text = f"stopped by {signal.Signals(interrupted.signum).name} in: {_line_of(self._current)}"
        return text + (f"; not begun: {', '.join(not_begun)}" if not_begun else "")

    def _seconds(self) -> float:
        return time.monotonic() - self._begun


def _stop_writing() -> None:
    """The terminal may be gone, and what was started has to be ended all the same."""
    sys.stdout = open(os.devnull, "w", encoding="utf-8")


def _line_of(phase: Phase) -> str:
    state = phase.state()
    return f"{phase.title}: {state}" if state else phase.title


def return_builds_to_owner() -> None:
    """As all commands of contrib/ do that build as root."""
    command = ["bash", "-c", ". contrib/dev/common.sh && return_builds_to_owner", "contrib/test"]
    subprocess.run(command, cwd=ROOT, start_new_session=True, check=False)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
