# SPDX-License-Identifier: GPL-2.0-or-later
"""Sends requests to slurmctld, and sees what it makes of them."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qosgate_dev.cluster import users as cluster_users
from qosgate_dev.testing import Cluster, copy_program
from qosgate_dev.testing.acting import acting_as

from . import site
from .requests import LIBSLURM, Request, fields, spelled_out

Json = dict[str, Any]
Counts = dict[str, str]  # what a rule reads of a job, by the field's name

HELPER = "tests/cluster/helpers/attack_jobs"

# A job that is queued for so many looks while nothing runs does not start: the scheduler tries it every second.
_LOOKS = 25

_SUBMITTED = re.compile(r"Submitted batch job (\d+)")
_CHANGE = re.compile(r"change jobid=(\d+) .*rule 'counts' .*?: (counts .*)")
_VALUE = re.compile(r"(\w+)=(\S+)")


class Lost(Exception):
    """slurmctld gave no answer."""


@dataclasses.dataclass
class Seen:
    """One job of a request: what slurmctld has of it, and each reading of it by rules: at its submission; or at the change
    that was made and at the release after it; or, as a change that failed may be made in part, only at the release."""

    job: Json
    read: list[Counts]


@dataclasses.dataclass
class Outcome:
    """What became of a request. Without jobs it was refused, as `answer` says."""

    request: Request
    answer: str
    jobs: list[Seen] = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        lines = [str(self.request), *self.answer.splitlines()]
        for seen in self.jobs:
            job = seen.job
            lines += ["rules read " + " ".join(f"{name}={value}" for name, value in read.items()) for read in seen.read]
            of_job = f"partition={job['partition']} qos={job['qos']} time={job['time_limit']} shared={job['shared']}"
            lines.append(f"job {job['job']} {'had ' + job['has'] if job['has'] else 'asked for ' + job['asked']} {of_job}")
        return "\n  ".join(lines)


class Target:
    """A cluster, and the program that speaks to its slurmctld; a context manager."""

    def __init__(self, cluster: Cluster, build: Path) -> None:
        self.cluster = cluster
        self._program = copy_program(cluster, HELPER, build)
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Target:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def send(self, requests: Sequence[Request]) -> list[Outcome]:
        """Submits all, lets those jobs run that can, and ends the rest. Errors: Lost, if slurmctld is gone."""
        mark = len(self.cluster.log("slurmctld"))
        outcomes = [Outcome(request, "") for request in requests]
        numbers = [self._submit(outcome) for outcome in outcomes]
        accepted = [number for number in numbers if number]
        if not accepted:
            return outcomes
        found = self._run_out(min(accepted))
        read_at_change: dict[int, list[Counts]] = {}
        for number, text in _CHANGE.findall(self.cluster.log("slurmctld")[mark:]):
            read_at_change.setdefault(int(number), []).append(read_counts(text))
        for outcome, number in zip(outcomes, numbers):
            for job in found if number else ():
                if number in (job["job"], job["array"], job["het"]):
                    before = [counts for counts in [read_counts(job["comment"])] if counts]
                    # Rules read the change, of an array once, and then the release.
                    change = read_at_change.get(job["job"]) or read_at_change.get(number, [])
                    made = change[-1:] if outcome.answer else change
                    outcome.jobs.append(Seen(job, made or before))
        return outcomes

    def is_alive(self) -> bool:
        return bool(self.cluster.status()["slurmctld"]["running"])

    def ask(self, what: Json) -> Json:
        """One answer of the program. Errors: Lost; AssertionError for what it does not know."""
        process = self._running()
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(what) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        if "lost" in answer:
            raise Lost
        assert "wrong" not in answer, answer["wrong"]
        return answer

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            user = cluster_users.find_user(self.cluster.layout, site.USER)
            with acting_as(user.pw_uid, user.pw_gid) as options:
                self._process = subprocess.Popen(
                    [self._program],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                    cwd="/",
                    env=cluster_users.environment(self.cluster.layout),
                    **options,
                )
        return self._process

    def _submit(self, outcome: Outcome) -> int:
        """The number of the new job; 0: refused."""
        request = outcome.request
        if request.way == LIBSLURM:
            number = self._submit_over_libslurm(outcome)
        else:
            number = self._submit_by_sbatch(outcome)
        if number and request.change:
            self._change(outcome, number)
        return number

    def _submit_over_libslurm(self, outcome: Outcome) -> int:
        held = {"priority": "0"} if outcome.request.change else {}
        answer = self.ask({"do": "submit", "parts": [fields(part) | held for part in outcome.request.parts]})
        outcome.answer = answer["text"]
        return answer["job"]

    def _submit_by_sbatch(self, outcome: Outcome) -> int:
        words = ["sbatch", "-o", "/dev/null"]
        for number, part in enumerate(outcome.request.parts):
            words += [":"] if number else []
            words += map(spelled_out, part)
            words += ["--hold"] if outcome.request.change else []
        answer = self.cluster.run([*words, "--wrap=true"], site.USER)
        outcome.answer = answer.stderr
        submitted = _SUBMITTED.search(answer.stdout)
        self._require_alive(answer.stderr)
        return int(submitted[1]) if submitted else 0

    def _change(self, outcome: Outcome, number: int) -> None:
        if outcome.request.way == LIBSLURM:
            answer = self.ask({"do": "change", "job": number, "fields": fields(outcome.request.change)})["text"]
        else:
            words = [spelled_out(word) for word in outcome.request.change]
            result = self.cluster.run(["scontrol", "update", f"jobid={number}", *words], site.USER)
            answer = result.stderr
            self._require_alive(answer)
        outcome.answer = answer
        self.ask({"do": "change", "job": number, "fields": {"priority": "INFINITE"}})

    def _require_alive(self, said: str) -> None:
        if "slurm controller" in said and not self.is_alive():
            raise Lost

    def _run_out(self, first: int) -> list[Json]:
        """All jobs from this number on, when none of them is left that waits or runs."""
        last: dict[int, Json] = {}
        quiet = 0

        def is_over() -> bool:
            nonlocal quiet
            jobs = self.ask({"do": "look", "from": first})["jobs"]
            # What a job asked for is gone from some that have ended.
            last.update((job["job"], job) for job in jobs if job["pending"] or job["has"] or job["job"] not in last)
            pending = [job for job in jobs if job["pending"]]
            quiet = 0 if any(job["at_work"] for job in jobs) else quiet + 1
            for job in pending:
                if not job["queued"] or quiet >= _LOOKS:
                    self.ask({"do": "end", "job": job["job"]})
            return not pending and quiet > 0

        self.cluster.wait_for(is_over, "all jobs end", progress=lambda: len(last))
        return list(last.values())


def read_counts(text: str) -> Counts:
    """What a rule wrote, by the field's name; empty for another text."""
    return dict(_VALUE.findall(text)) if text.startswith("counts ") else {}
