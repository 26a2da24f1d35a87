# SPDX-License-Identifier: GPL-2.0-or-later
"""Rounds of requests, who is to blame for what does not hold, and the smallest request that shows it."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from qosgate_dev.cluster import interrupts

from . import properties, site
from .requests import LIBSLURM, Request
from .target import Lost, Outcome, Target

ROUND = 40  # requests whose jobs run at once

_ALONE = 4  # of a round, those that have more nodes than a rule read are sent once more

# A request costs slurmctld no more than a plain one and this: what rules may take, see contrib/doc/rules-reference.md, and its own work.
_CPU_SECONDS_EACH = 0.1

# Many requests show the same.
_REDUCED_OF_A_KIND = 4

ENDS_SLURMCTLD = "slurmctld does not survive it"


@dataclasses.dataclass(frozen=True)
class Failure:
    """A request, as small as it could be made, what it was sent to, and what does not hold."""

    request: Request
    setting: site.Setting
    what: str

    def __str__(self) -> str:
        rules = "" if self.setting.policy == "counts" else f" --rules {self.setting.policy}"
        unit = f" --unit {self.setting.unit}"
        return f"{self.what}\n  contrib/dev/attack{rules}{unit} --request {shlex.quote(str(self.request))}"


@dataclasses.dataclass
class Tally:
    """What was sent, and what became of it."""

    sent: int = 0
    ran: int = 0
    refused: int = 0
    failures: list[Failure] = dataclasses.field(default_factory=list)
    kinds: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)  # how often each was seen
    seconds: float = 0.0
    stopped_by: int = 0

    def add(self, outcome: Outcome) -> None:
        self.sent += 1
        self.ran += any(seen.job["has"] for seen in outcome.jobs)
        self.refused += not outcome.jobs

    def text(self) -> str:
        lines = [f"PARTIAL: stopped by {signal.Signals(self.stopped_by).name}"] if self.stopped_by else []
        lines.append(f"{self.sent} requests: {self.ran} ran, {self.refused} were refused; {self.seconds:.0f} s")
        lines += [f"{count:>5} times: {kind}" for kind, count in self.kinds.most_common()]
        lines += [f"\n{number}. {failure}" for number, failure in enumerate(self.failures, 1)]
        return "\n".join(lines)


class Attack:
    """Sends requests to one cluster, in rounds."""

    def __init__(
        self, target: Target, tally: Tally, tell: Callable[[Outcome], None], progress: Callable[[str], None]
    ) -> None:
        self._target = target
        self._tally = tally
        self._tell = tell
        self._progress = progress
        self._setting = site.Setting("", site.FIRST_UNIT)
        self._plain_seconds = 0.0

    def put_in_force(self, setting: site.Setting) -> None:
        if setting.policy != self._setting.policy:
            site.put_in_force(self._target.cluster, setting.policy)
        if setting.unit != self._setting.unit:
            site.allocate_by(self._target.cluster, setting.unit)
        self._setting = setting
        if not self._plain_seconds:
            # What as many requests cost that ask for nothing special.
            plain = Request(LIBSLURM, (("num_tasks=1",),))
            self._plain_seconds = self._cpu_seconds_of([plain] * ROUND)

    def send(self, requests: Sequence[Request]) -> None:
        """Sends them, and counts what they show; each failure is reduced."""
        outcomes: list[Outcome] = []
        try:
            took = self._cpu_seconds_of(requests, outcomes)
        except Lost:
            self._send_halves(requests)
            return
        for outcome in outcomes:
            self._tally.add(outcome)
            self._tell(outcome)
            for what in properties.failures(outcome, self._setting.policy):
                self._found(outcome.request, what)
        for outcome in itertools.islice(filter(properties.is_excused, outcomes), _ALONE):
            for what in self._failures_of(outcome.request):
                self._found(outcome.request, what)
        if took > self._plain_seconds + _CPU_SECONDS_EACH * len(requests):
            self._blame_time(requests)

    def _cpu_seconds_of(self, requests: Sequence[Request], outcomes: list[Outcome] | None = None) -> float:
        """slurmctld's CPU time for these. Errors: Lost."""
        begin = self._target.cluster.cpu_seconds()
        made = self._target.send(requests)
        if outcomes is not None:
            outcomes.extend(made)
        if not self._target.is_alive():
            raise Lost
        return self._target.cluster.cpu_seconds() - begin

    def _send_halves(self, requests: Sequence[Request]) -> None:
        site.forget_jobs(self._target.cluster)
        if len(requests) == 1:
            self._tally.sent += 1
            self._found(requests[0], ENDS_SLURMCTLD)
            return
        half = len(requests) // 2
        self.send(requests[:half])
        self.send(requests[half:])

    def _blame_time(self, requests: Sequence[Request]) -> None:
        for request in requests:
            took = self._cpu_seconds_of([request])
            if took > self._plain_seconds + _CPU_SECONDS_EACH:
                what = f"slurmctld worked {took:.2f} s on it, and on {ROUND} plain ones {self._plain_seconds:.2f} s"
                self._tally.failures.append(Failure(request, self._setting, what))

    def _found(self, request: Request, what: str) -> None:
        """Reduces it, unless others of its kind were."""
        kind = _kind_of(what)
        self._tally.kinds[kind] += 1
        if self._tally.kinds[kind] > _REDUCED_OF_A_KIND:
            return
        smallest, what = self._reduce(request, what)
        failure = Failure(smallest, self._setting, what)
        if any(str(known.request) == str(smallest) and _kind_of(known.what) == kind for known in self._tally.failures):
            return
        self._tally.failures.append(failure)
        self._progress(f"FAILED: {failure}")

    def _reduce(self, request: Request, what: str) -> tuple[Request, str]:
        """The smallest request that still fails so, by leaving out one thing after the other."""
        kind = _kind_of(what)
        while True:
            for smaller in request.smaller():
                found = next((each for each in self._failures_of(smaller) if _kind_of(each) == kind), None)
                if found is not None:
                    request, what = smaller, found
                    break
            else:
                return request, what

    def _failures_of(self, request: Request) -> list[str]:
        try:
            (outcome,) = self._target.send([request])
            if not self._target.is_alive():
                raise Lost
        except Lost:
            site.forget_jobs(self._target.cluster)
            return [ENDS_SLURMCTLD]
        return list(properties.failures(outcome, self._setting.policy, is_alone=True))


def _kind_of(what: str) -> str:
    return "".join("#" if letter.isdigit() else letter for letter in what.partition(",")[0])


Round = tuple[site.Setting, Sequence[Request]]  # what is sent to which


def rounds(requests: Iterable[Request], settings: Sequence[site.Setting]) -> Iterator[Round]:
    """Deals requests out to these settings in turn."""
    left = iter(requests)
    for setting in itertools.cycle(settings):
        some = list(itertools.islice(left, ROUND))
        if not some:
            return
        yield setting, some


def run(
    sent: Iterable[Round],
    build: Path,
    progress: Callable[[str], None] = lambda line: None,
    tell: Callable[[Outcome], None] = lambda outcome: None,
) -> Tally:
    """Sends all rounds to a cluster of its own, and tells the outcome of each request.

    Where a signal interrupts it, the tally has what was sent until then, and says so.
    """
    tally = Tally()
    begin = time.monotonic()
    try:
        with site.bring_up(build) as cluster, Target(cluster, build) as target:
            attack = Attack(target, tally, tell, progress)
            for setting, requests in sent:
                attack.put_in_force(setting)
                attack.send(requests)
                progress(f"{tally.sent} sent, {len(tally.failures)} failures ({time.monotonic() - begin:.0f} s)")
    except interrupts.Interrupted as interruption:
        tally.stopped_by = interruption.signum
    tally.seconds = time.monotonic() - begin
    return tally


def print_progress(line: str) -> None:
    """Prints the progress on standard error."""
    print(line, file=sys.stderr, flush=True)
