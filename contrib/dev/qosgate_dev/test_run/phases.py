# SPDX-License-Identifier: GPL-2.0-or-later
"""One thing that is built or tested. A phase never waits: it goes on a little each time that it is asked to."""

from __future__ import annotations

import dataclasses
import re
import shlex
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path

from qosgate_dev import ROOT, test_targets

from .durations import Durations
from .jobs import Job
from .report import Failure, Report
from .screen import few_of, time_text
from .tests import AT_ONCE, PASSED, SKIPPED, Ending, Test, TestRun, load_tests

# They stop where they would have to wait.
Steps = Generator[None, None, None]

# What is expected of a test is corrected by how the others compare with what was expected of them, within bounds.
_SLOWEST, _FASTEST = 3.0, 0.3
_TELLING_SECONDS = 30.0

_STEP = re.compile(r"^\[(\d+)/(\d+)\] ")
_TELLING_STEPS = 10

_TEST_COMMAND = ("sudo", "contrib/test")


@dataclasses.dataclass
class Setting:
    """What all phases of a run share."""

    report: Report
    durations: Durations


class Phase:
    """Subclasses say in `steps` what is done, and yield where they would have to wait."""

    def __init__(self, title: str, setting: Setting) -> None:
        self.title = title
        self.begun = 0.0
        self.is_done = False
        # Without it nothing else can be tested.
        self.is_required = False
        # If that failed, this cannot begin.
        self.needs: Phase | None = None
        # It has been at work beside others, so that it may be done when its turn comes.
        self.is_beside = False
        self._setting = setting
        self._steps: Steps | None = None
        self._job: Job | None = None
        self._succeeded = False

    @property
    def has_failed(self) -> bool:
        return self.is_done and not self._succeeded

    @property
    def lacks_something(self) -> bool:
        return self.needs is not None and self.needs.has_failed

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begun if self.begun else 0.0

    def go_on(self) -> None:
        if self.is_done:
            return
        if self._steps is None:
            self.begun = time.monotonic()
            self._steps = self.steps()
        try:
            next(self._steps)
        except StopIteration:
            self.is_done = True

    def steps(self) -> Steps:
        raise NotImplementedError

    def seconds_left(self) -> float:
        return _left_of(self._setting.durations.of_phase(self.title), self.seconds)

    def state(self) -> str:
        """How far it is, in some words."""
        return time_text(self.seconds) if self.begun else ""

    def details(self) -> str:
        """What it does now, if there is more to say."""
        return ""

    def end(self) -> None:
        """Ends what runs of it, because the run was interrupted: not from within `go_on`."""
        if self._job is not None and self._job.poll() is None:
            self._job.end()
        if self._steps is not None:
            self._steps.close()

    def _work(self, command: Sequence[str], log: Path) -> Steps:
        """Runs the command; `_job` has its exit code when this is through."""
        self._job = Job(command, log)
        while self._job.poll() is None:
            yield

    def _fail(self, status: int | None, log: Path, command: str, why: str = "") -> None:
        # Meson clears a directory whose setup was interrupted.
        output = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        reason = why or f"exit code {status}, after {time_text(self.seconds)}"
        self._setting.report.fail(Failure(self.title, reason, command, [output], log))


class Check(Phase):
    """One command that passes or fails."""

    def __init__(
        self,
        title: str,
        setting: Setting,
        command: Sequence[str],
        *,
        is_test: bool = True,
        reasons: Mapping[int, str] | None = None,
        why_not: Callable[[], str] = lambda: "",
    ) -> None:
        """`reasons` says what exit codes of the command mean; `why_not`, asked when its turn comes, why it is skipped."""
        super().__init__(title, setting)
        self._command = command
        self._is_test = is_test
        self._reasons = reasons or {}
        self._why_not = why_not

    def steps(self) -> Steps:
        if why_not := self._why_not():
            self._succeeded = True
            self._setting.report.skipped(self.title, why_not)
            return
        log = new_log("build", self.title)
        yield from self._work(self._command, log)
        assert self._job is not None
        status = self._job.poll()
        self._succeeded = status == 0
        if status != 0:
            alone = [*_TEST_COMMAND, "--test", self.title] if self._is_test else ["sudo", *self._command]
            self._fail(status, log, shlex.join(alone), self._reasons.get(status or 0, ""))
            return
        self._setting.durations.keep_phase(self.title, self.seconds)
        if self._is_test:
            self._setting.report.passed(self.title, self.seconds)
        else:
            self._setting.report.finished(self.title, self.seconds)


class Build(Phase):
    """A build directory: configures it, then makes what the chosen tests need."""

    def __init__(
        self,
        directory: str,
        setting: Setting,
        options: Sequence[str],
        choose: Callable[[list[Test]], list[Test]],
        *,
        with_defaults: bool,
        command: str,
    ) -> None:
        """`choose` gets all tests of the directory; with defaults: also what is built by default.

        The command is what somebody types who builds it alone; the names of all files would be pages.
        """
        super().__init__("build" if directory == "build" else f"build in {directory}/", setting)
        self.directory = directory
        self._options = options
        self._choose = choose
        self._with_defaults = with_defaults
        self._command = command
        # All tests of the directory and the chosen ones, as soon as it is configured.
        self.tests: list[Test] = []
        self.chosen: list[Test] = []
        self._done = self._all = 0
        self._steps_begun = 0.0

    def steps(self) -> Steps:
        log = new_log(self.directory, "build")
        # What works beside the tests gets only what they leave.
        patience = ["nice", "-n", "19"] if self.is_beside else []
        build = ["contrib/dev/build", "--dir", self.directory]
        configure = [*build, "--configure-only", *self._options]
        yield from self._work([*patience, *configure], log)
        if not self._job_succeeded():
            self._fail(self._status(), log, shlex.join(configure))
            return
        self.tests = load_tests(ROOT / self.directory)
        self.chosen = self._choose(self.tests)
        targets = test_targets.targets_of(
            ROOT / self.directory,
            {target for test in self.chosen for target in test.depends},
            with_defaults=self._with_defaults,
        )
        if targets:
            self._steps_begun = time.monotonic()
            yield from self._work([*patience, *build, *targets], log)
            self._count_steps()
            if not self._job_succeeded():
                self._fail(self._status(), log, self._command)
                return
        self._succeeded = True
        if self._done:
            self._setting.durations.keep_build(self.directory, self.seconds, self._done)
        note = _count_text(self._done, "step") if self._done else "nothing to do"
        self._setting.report.finished(self.title, self.seconds, note)

    def seconds_left(self) -> float:
        durations = self._setting.durations
        self._count_steps()
        if not self._all:
            return max(5.0, durations.of_build(self.directory) - self.seconds)
        if self._done >= _TELLING_STEPS:
            of_step = (time.monotonic() - self._steps_begun) / self._done
        else:
            of_step = durations.of_step(self.directory)
        return (self._all - self._done) * of_step

    def state(self) -> str:
        if self._all:
            return f"step {self._done} of {self._all}"
        return "configuring" if self.begun else ""

    def _count_steps(self) -> None:
        if self._job is None or not self._steps_begun:
            return
        for line in self._job.new_lines():
            if match := _STEP.match(line):
                self._done, self._all = int(match[1]), int(match[2])

    def _status(self) -> int | None:
        return self._job.poll() if self._job else None

    def _job_succeeded(self) -> bool:
        return self._status() == 0


class MesonTests(Phase):
    """The tests that were chosen for a build."""

    def __init__(
        self,
        build: Build,
        setting: Setting,
        *,
        environment: Mapping[str, str],
        options: Sequence[str] = (),
        shown_environment: str = "",
    ) -> None:
        """`shown_environment` is what somebody needs who runs one of these tests alone, in the words of a shell."""
        super().__init__(f"tests in {build.directory}/", setting)
        self.needs = self._build = build
        self._directory = build.directory
        self._environment = environment
        self._options = options
        self._shown_environment = shown_environment
        self._run: TestRun | None = None
        self._unreported: list[Ending] = []
        self._passed = self._failed = 0
        # What those took that have ended, and what was expected of them.
        self._taken = self._expected = 0.0

    @property
    def _tests(self) -> list[Test]:
        return self._build.chosen

    def steps(self) -> Steps:
        if not self._tests:
            self._succeeded = True
            return
        names = [test.name for test in self._tests] if len(self._tests) < len(self._build.tests) else []
        log = new_log(self._directory, "tests")
        command = [*TestRun.command(self._directory, names), *self._options]
        self._job = Job(command, log, self._environment)
        self._run = TestRun(self._directory, self._tests, self._job)
        while self._job.poll() is None:
            self._follow(self._run.new_endings())
            yield
        self._follow(self._run.last_endings())
        for ending in self._unreported:
            self._report(ending, {})
        if len(self._run.ended) < len(self._tests):
            missing = len(self._tests) - len(self._run.ended)
            self._fail(self._job.poll(), log, shlex.join(TestRun.command(self._directory, names)),
                       f"{missing} of {len(self._tests)} were not run")  # fmt: skip
            return
        if not names or self._directory != "build":
            self._setting.durations.keep_phase(self.title, self.seconds)
        self._succeeded = self._failed == 0
        if self._succeeded:
            self._setting.report.finished(self.title, self.seconds, _count_text(len(self._tests), "test"))

    def seconds_left(self) -> float:
        if not self._tests:
            return 0.0 if self._build.is_done else self._setting.durations.of_phase(self.title)
        running, ended = (self._run.running(), self._run.ended) if self._run else ({}, {})
        left = [(test, _left_of(self._expected_of(test), running.get(test.name, 0.0)))
                for test in self._tests if test.name not in ended]  # fmt: skip
        pace = min(_SLOWEST, max(_FASTEST, self._taken / self._expected)) if self._expected >= _TELLING_SECONDS else 1.0
        return _together(left) * pace

    def state(self) -> str:
        if self._run is None:
            return ""
        failed = f", {self._failed} failed" if self._failed else ""
        # Meson may keep their output to itself for some time.
        waiting = few_of([ending.name for ending in self._unreported if ending.result != SKIPPED])
        return f"{len(self._run.ended)} of {len(self._tests)}{failed}{f' ({waiting})' if waiting else ''}"

    def details(self) -> str:
        if self._run is None:
            return ""
        return few_of([f"{name} {time_text(seconds)}" for name, seconds in self._run.running().items()])

    def end(self) -> None:
        super().end()
        if self._run is not None:
            self._follow(self._run.last_endings())

    def _expected_of(self, test: Test) -> float:
        return self._setting.durations.of_test(self._directory, test.name, test.suites)

    def _follow(self, endings: Sequence[Ending]) -> None:
        assert self._run is not None
        report = self._setting.report
        by_name = {test.name: test for test in self._tests}
        for ending in endings:
            if ending.name in by_name:
                self._taken += ending.seconds
                self._expected += self._expected_of(by_name[ending.name])
            self._setting.durations.keep_test(self._directory, ending.name, ending.seconds)
            if ending.result in PASSED:
                self._passed += 1
                note = f"{self._passed} of {len(self._tests)}"
                report.passed(ending.name, ending.seconds, note, is_one_of_many=True)
            else:
                self._failed += ending.result != SKIPPED
                self._unreported.append(ending)
        for ending in list(self._unreported):
            if (record := self._run.record_of(ending.name)) is not None:
                self._unreported.remove(ending)
                self._report(ending, record)

    def _report(self, ending: Ending, record: Mapping[str, str]) -> None:
        outputs = [record.get(stream, "") for stream in ("stdout", "stderr")]
        if ending.result == SKIPPED:
            lines = "\n".join(outputs).strip().splitlines() or ["it does not say why"]
            why = next((line for line in lines if line.startswith("skipped: ")), lines[-1])
            self._setting.report.skipped(ending.name, why.removeprefix("skipped: "))
            return
        log = new_log(self._directory, ending.name)
        log.write_text("\n".join(filter(None, outputs)), encoding="utf-8")
        why = "took too long" if ending.result == "TIMEOUT" else f"exit code {record.get('returncode', 'unknown')}"
        if self._directory == "build":
            name, alone = ending.name, shlex.join([*_TEST_COMMAND, "--test", ending.name])
        else:
            name = f"{ending.name}, in {self._directory}/"
            alone = f"{self._shown_environment} meson test -C {self._directory} {shlex.quote(ending.name)}".strip()
        self._setting.report.fail(Failure(name, f"{why}, after {time_text(ending.seconds)}", alone, outputs, log))


def _count_text(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _left_of(expected: float, taken: float) -> float:
    """What takes longer than expected will take some more."""
    return max(1.0, expected - taken, taken / 4)


def _together(tests: Sequence[tuple[Test, float]]) -> float:
    """How long they take: some of them at once, and then each of the others alone."""
    parallel = [seconds for test, seconds in tests if test.is_parallel]
    alone = [seconds for test, seconds in tests if not test.is_parallel]
    return max(sum(parallel) / AT_ONCE, max(parallel, default=0.0)) + sum(alone)


def new_log(directory: str, name: str) -> Path:
    """An empty file for what something prints."""
    log = log_directory(directory) / f"{name.replace('/', '_')}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"")
    return log


def log_directory(directory: str) -> Path:
    return ROOT / directory / "contrib-test"
