# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs scenarios on a live cluster and counts agreement."""

from __future__ import annotations

import collections
import dataclasses
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from qosgate_dev.cluster import interrupts
from qosgate_dev.cluster import users as cluster_users
from qosgate_dev.testing import Cluster, copy_command

from . import compare, site
from .suggestions import Prover
from .terminal import Terminal
from .user_commands import UserCommands

Json = dict[str, Any]

# Below the build directory.
JUDGE = Path("tests") / "cluster" / "differential" / "judge_jobs"

# No scenario takes this long; a program that hangs is killed.
JUDGE_SECONDS = 3600


def release_of(build: Path) -> tuple[int, int]:
    """The Slurm release that the build is for."""
    answer = subprocess.run([build / JUDGE, "--release"], capture_output=True, text=True, check=True)
    major, minor = answer.stdout.split(".")[:2]
    return int(major), int(minor)


class Failed(Exception):
    """A scenario could not be judged."""


class Judge:
    """The program that asks slurmctld and the engine, kept running; a context manager."""

    def __init__(self, cluster: Cluster, build: str) -> None:
        self._cluster = cluster
        self._program = str(Path(build) / JUDGE)
        self._process: subprocess.Popen[str] | None = None
        self._controller: Json = {}

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None and self._process is not None:
            self._process.terminate()  # it may be in the middle of a scenario
        self._stop()

    def judge(self, scenario: Json) -> list[Json]:
        """One result per job. Errors: Failed."""
        if scenario["controller"] != self._controller:
            self._stop()
            site.configure(self._cluster, scenario["controller"])
            self._controller = scenario["controller"]
        process = self._running()
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(scenario) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise Failed(f"{self._program} ended with code {process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["results"]

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                ["timeout", "--signal=KILL", str(JUDGE_SECONDS), self._program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=cluster_users.environment(self._cluster.layout),
            )
        return self._process

    def _stop(self) -> None:
        if self._process is None:
            return
        assert self._process.stdin
        self._process.communicate()
        self._process = None


@dataclasses.dataclass
class Tally:
    """What agreed and what did not."""

    cases: int = 0
    compared: int = 0
    disagreeing_cases: int = 0
    fields: collections.Counter[tuple[str, bool]] = dataclasses.field(default_factory=collections.Counter)
    limits: collections.Counter[tuple[str, bool]] = dataclasses.field(default_factory=collections.Counter)
    left_out: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    disagreements: list[Json] = dataclasses.field(default_factory=list)
    failures: list[str] = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    stopped_by: int = 0  # the signal that ended it before all was asked

    def add(self, scenario: Json, number: int, result: Json) -> None:
        """Counts one job of a scenario."""
        job = scenario["jobs"][number]
        self.cases += 1
        comparison = compare.compare(scenario, job, result)
        self.left_out.update(comparison.left_out)
        findings = comparison.findings
        self.compared += bool(findings)
        wrong = [finding for finding in findings if not finding.agrees]
        for finding in findings:
            self.fields[finding.field, finding.agrees] += 1
            if finding.limit:
                self.limits[finding.limit, finding.agrees] += 1
        if wrong:
            self.disagreeing_cases += 1
            self.disagreements.append(
                {
                    "findings": [dataclasses.asdict(finding) for finding in wrong],
                    "job": job,
                    "result": result,
                    "scenario": scenario | {"jobs": scenario["jobs"][: number + 1]},
                }
            )

    @property
    def agreement(self) -> float:
        """The share of the compared cases in which every field agrees."""
        return 1.0 - self.disagreeing_cases / self.compared if self.compared else 0.0

    def as_json(self) -> Json:
        return {
            "partial": bool(self.stopped_by),
            "cases": self.cases,
            "compared": self.compared,
            "agreement": self.agreement,
            "fields": _rows(self.fields),
            "limits": _rows(self.limits),
            "left_out": dict(self.left_out),
            "failures": self.failures,
            "disagreements": self.disagreements,
            "seconds": self.seconds,
        }

    def table(self) -> str:
        """For people."""
        lines = []
        if self.stopped_by:
            lines.append(f"PARTIAL: stopped by {signal.Signals(self.stopped_by).name} before all was asked")
        lines.append(
            f"{self.cases} cases, {self.compared} compared, {self.disagreeing_cases} disagree:"
            f" {self.agreement:.2%} agree ({self.seconds:.0f} s)"
        )
        for title, counter in (("field", self.fields), ("limit", self.limits)):
            lines += ["", f"{title:<40} {'agree':>7} {'disagree':>9}"]
            lines += [
                f"{name:<40} {row['agree']:>7} {row['disagree']:>9}"
                for name, row in _rows(counter).items()
            ]
        lines += ["", f"{'not compared':<58} {'cases':>7}"]
        lines += [f"{why:<58} {count:>7}" for why, count in self.left_out.most_common()]
        lines += [f"failed: {failure}" for failure in self.failures]
        return "\n".join(lines)


def _rows(counter: collections.Counter[tuple[str, bool]]) -> Json:
    names = sorted({name for name, _ in counter})
    return {
        name: {"agree": counter[name, True], "disagree": counter[name, False]} for name in names
    }


def run(
    scenarios: Iterable[Json],
    build: str,
    progress: Callable[[str], None] = lambda line: None,
    prove_every: int = 1,
) -> Tally:
    """Judges all scenarios on its own cluster. For every n-th job it also asks the commands for users, and tries
    the suggestions literally.

    Where a signal interrupts it, the tally has what was compared until then, and says so.
    """
    tally = Tally()
    begin = time.monotonic()
    try:
        with site.bring_up(build) as cluster, Judge(cluster, build) as judge:
            progress(f"cluster up after {time.monotonic() - begin:.0f} s")
            terminal = Terminal(cluster)
            commands = UserCommands(terminal, copy_command(cluster, Path(build)))
            prover = Prover(terminal)
            for number, scenario in enumerate(scenarios):
                try:
                    results = judge.judge(scenario)
                    asked = commands.ask(scenario, prove_every)
                    for result, answers, proofs in zip(results, asked, prover.prove(scenario, prove_every)):
                        result["commands"] = answers
                        result["suggestions"] = proofs
                except Failed as failure:
                    tally.failures.append(str(failure))
                    progress(f"configuration {number} failed: {failure}")
                    continue
                for index, result in enumerate(results):
                    tally.add(scenario, index, result)
                progress(
                    f"{tally.cases} cases asked, {tally.disagreeing_cases} disagree"
                    f" ({time.monotonic() - begin:.0f} s)"
                )
    except interrupts.Interrupted as interruption:
        tally.stopped_by = interruption.signum
    tally.seconds = time.monotonic() - begin
    return tally


def report(disagreement: Json) -> str:
    """One disagreement in a few lines."""
    lines = [
        f"  {finding['field']}: foretold {finding['foretold']!r}, actual {finding['actual']!r}"
        for finding in disagreement["findings"]
    ]
    return "\n".join(
        [json.dumps(disagreement["job"]), *lines, f"  message: {disagreement['result']['actual']['message']!r}"]
    )


def print_progress(line: str) -> None:
    """Prints the progress on standard error."""
    print(line, file=sys.stderr, flush=True)
