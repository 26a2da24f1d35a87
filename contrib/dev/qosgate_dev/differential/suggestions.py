# SPDX-License-Identifier: GPL-2.0-or-later
"""Tries suggestions literally: adds them to the same sbatch command and checks what happens to the job."""

from __future__ import annotations

import re
from typing import Any

from . import compare, site
from .commands import command_of
from .terminal import Terminal, job_id_of

Json = dict[str, Any]

_SUGGESTION = re.compile(
    r"(?:would be accepted(?:, and wait for other jobs,)?|could start(?:, when other jobs end,| sooner)?) with: (.+)"
)

# Anything else may come from one partition of several, or from the submission.
_WAITS_FOR_ROOM = compare.UNBLOCKED - {"None", "Priority"}


class Prover:
    """Asks with sbatch, as users do."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def prove(self, scenario: Json, every: int) -> list[list[Json]]:
        """The result of each suggestion, for every n-th job of a scenario that is set up. Ends all jobs."""
        proofs = [
            self._take_literally(job) if number % every == 0 else []
            for number, job in enumerate(scenario["jobs"])
        ]
        # In an empty cluster a job waits only for what it asks for itself.
        self._terminal.end_all()
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
        self._terminal.run("sacctmgr", "-i", "modify", "account", "root", "set", "rawusage=0")
        for name in site.ALL_QOS:
            self._terminal.run("sacctmgr", "-i", "modify", "qos", name, "set", "rawusage=0")

    def _suggestions_for(self, job: Json) -> list[str]:
        command = command_of(job)
        if command is None:
            return []
        # A held job takes nothing from the jobs that are tried after it.
        answer = self._terminal.sbatch(job, command, "--hold")
        self._terminal.end(job_id_of(answer))
        return _SUGGESTION.findall(answer.stderr)

    def _take_literally(self, job: Json) -> list[Json]:
        command = command_of(job)
        if command is None:
            return []
        proofs = []
        for suggestion in self._suggestions_for(job):
            again = self._terminal.sbatch(job, command, *suggestion.split())
            proofs.append(
                {
                    "command": " ".join([*command.options, "#SBATCH", *command.in_script]),
                    "suggestion": suggestion,
                    "outcome": "accepted" if job_id_of(again) else f"refused: {again.stderr}",
                }
            )
            self._terminal.end(job_id_of(again))
        return proofs

    def _start_alone(self, job: Json, suggestion: str) -> str:
        command = command_of(job)
        assert command is not None
        answer = self._terminal.sbatch(job, command, *suggestion.split())
        job_id = job_id_of(answer)
        if not job_id:
            return f"refused: {answer.stderr}"
        reasons = self._terminal.settled_reasons_of(job_id, _WAITS_FOR_ROOM)
        self._terminal.end(job_id)
        if not reasons:
            return "starts"
        return "starts where there is room" if reasons <= compare.UNBLOCKED - {"None"} else f"waits: {sorted(reasons)}"
