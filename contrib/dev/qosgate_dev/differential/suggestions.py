# SPDX-License-Identifier: GPL-2.0-or-later
"""Tries suggestions literally: adds them to the same sbatch command and checks what happens to the job."""

from __future__ import annotations

import re
import subprocess
import time
from typing import Any

from qosgate_dev.cluster import users as cluster_users
from qosgate_dev.testing import Cluster

from . import compare, site
from .commands import Command, command_of

Json = dict[str, Any]

_SUGGESTION = re.compile(r"(?:would be accepted|could start(?:, when other jobs end,)?) with: (.+)")
_SUBMITTED = re.compile(r"Submitted batch job (\d+)")

# A single job in an empty cluster starts within one pass of the scheduler.
_PATIENCE_SECONDS = 8.0
_POLL_SECONDS = 0.03
_COMMAND_SECONDS = 30


class Prover:
    """Asks with sbatch, as users do."""

    def __init__(self, cluster: Cluster) -> None:
        self._environment = cluster_users.environment(cluster.layout)

    def prove(self, scenario: Json, every: int) -> list[list[Json]]:
        """The result of each suggestion, for every n-th job of a scenario that is set up. Ends all jobs."""
        proofs = [
            self._take_literally(job) if number % every == 0 else []
            for number, job in enumerate(scenario["jobs"])
        ]
        # In an empty cluster a job waits only for what it asks for itself.
        self._end_all()
        for job, taken in zip(scenario["jobs"], proofs):
            for proof in taken:
                if proof["outcome"] != "accepted":
                    continue
                proof["outcome"] = self._start_alone(job, proof["suggestion"])
                if not proof["outcome"].startswith("starts"):
                    # Jobs that ran since the suggestion have used some of the minutes.
                    self._forget_usage()
                    proof["outcome"] = self._start_alone(job, proof["suggestion"])
        return proofs

    def _forget_usage(self) -> None:
        self._run("sacctmgr", "-i", "modify", "account", "root", "set", "rawusage=0")
        for name in site.ALL_QOS:
            self._run("sacctmgr", "-i", "modify", "qos", name, "set", "rawusage=0")

    def _suggestions_for(self, job: Json) -> list[str]:
        command = command_of(job)
        if command is None:
            return []
        # A held job takes nothing from the jobs that are tried after it.
        answer = self._sbatch(job, command, "--hold")
        self._end(answer)
        return _SUGGESTION.findall(answer)

    def _take_literally(self, job: Json) -> list[Json]:
        command = command_of(job)
        if command is None:
            return []
        proofs = []
        for suggestion in self._suggestions_for(job):
            again = self._sbatch(job, command, *suggestion.split())
            proofs.append(
                {
                    "command": " ".join([*command.options, "#SBATCH", *command.in_script]),
                    "suggestion": suggestion,
                    "outcome": "accepted" if _job_id(again) else f"refused: {again}",
                }
            )
            self._end(again)
        return proofs

    def _start_alone(self, job: Json, suggestion: str) -> str:
        command = command_of(job)
        assert command is not None
        answer = self._sbatch(job, command, *suggestion.split())
        job_id = _job_id(answer)
        if not job_id:
            return f"refused: {answer}"
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            states = self._run("squeue", "-h", "-a", "-j", job_id, "-o", "%T %r").splitlines()
            runs = any(state.startswith("RUNNING") for state in states)
            reasons = {state.partition(" ")[2] for state in states if state.startswith("PENDING")}
            # Anything else may come from one partition of several, or from the submission.
            is_settled = reasons and reasons <= compare.UNHELD - {"None", "Priority"}
            if runs or is_settled or time.monotonic() > deadline:
                break
            time.sleep(_POLL_SECONDS)
        self._end(answer)
        if runs:
            return "starts"
        return "starts where there is room" if reasons <= compare.UNHELD - {"None"} else f"waits: {sorted(reasons)}"

    def _sbatch(self, job: Json, command: Command, *added: str) -> str:
        """All that is printed."""
        words = ["sbatch", "--output=/dev/null", *command.options, *added]
        return self._run(*words, user=job["user_id"], script=command.script)

    def _end(self, answer: str) -> None:
        job_id = _job_id(answer)
        if not job_id:
            return
        self._run("scancel", job_id)
        while self._run("squeue", "-h", "-a", "-j", job_id, "-o", "%i"):
            time.sleep(_POLL_SECONDS)

    def _end_all(self) -> None:
        jobs = self._run("squeue", "-h", "-a", "-o", "%A").split()
        if jobs:
            self._run("scancel", *sorted(set(jobs)))
        while self._run("squeue", "-h", "-a", "-o", "%i"):
            time.sleep(_POLL_SECONDS)

    def _run(self, *words: str, user: int = 0, script: str = "") -> str:
        done = subprocess.run(
            words,
            input=script,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_COMMAND_SECONDS,
            cwd="/",
            env=self._environment,
            user=user,
            group=user,
            extra_groups=[],
            check=False,
        )
        return done.stdout


def _job_id(answer: str) -> str:
    found = _SUBMITTED.search(answer)
    return found.group(1) if found else ""
