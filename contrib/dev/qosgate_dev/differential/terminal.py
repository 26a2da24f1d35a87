# SPDX-License-Identifier: GPL-2.0-or-later
"""Commands that users type on the cluster."""

from __future__ import annotations

import re
import subprocess
import time
from typing import Any

from qosgate_dev.cluster import users as cluster_users
from qosgate_dev.testing import HANG_SECONDS, Cluster, CommandResult
from qosgate_dev.testing.acting import acting_as
from qosgate_dev.testing.answers import check_answer

from .commands import Command

Json = dict[str, Any]

_SUBMITTED = re.compile(r"Submitted batch job (\d+)")

# A single job in an empty cluster starts within one pass of the scheduler. On a busy machine each look takes longer.
_LOOKS = 300
_POLL_SECONDS = 0.03


class Terminal:
    """Runs commands as one of the users, or as root."""

    def __init__(self, cluster: Cluster) -> None:
        self._environment = cluster_users.environment(cluster.layout)

    def run(self, *words: str, user: int = 0, script: str = "") -> CommandResult:
        with acting_as(user, user) as options:
            done = subprocess.run(
                words,
                input=script,
                capture_output=True,
                text=True,
                timeout=HANG_SECONDS,
                cwd="/",
                env=self._environment,
                check=False,
                **options,
            )
        check_answer(words, done.returncode, done.stdout)
        return CommandResult(" ".join(words), done.returncode, done.stdout, done.stderr)

    def sbatch(self, job: Json, command: Command, *added: str) -> CommandResult:
        return self.run(*sbatch_words(command, *added), user=job["user_id"], script=command.script)

    def reasons_of(self, job_id: str) -> set[str]:
        """The Reasons of its pending tasks; empty: some task runs, or there is no such job."""
        lines = self.run("squeue", "-h", "-a", "-j", job_id, "-o", "%T %r").stdout.splitlines()
        states = [line.partition(" ")[::2] for line in lines]
        return set() if any(state != "PENDING" for state, _ in states) else {_token_of(reason) for _, reason in states}

    def settled_reasons_of(self, job_id: str, awaited: set[str]) -> set[str]:
        """The same as soon as all are awaited ones, or after a few passes of the scheduler."""
        for _ in range(_LOOKS):
            reasons = self.reasons_of(job_id)
            if reasons <= awaited:
                break
            time.sleep(_POLL_SECONDS)
        return reasons

    def end(self, job_id: str) -> None:
        """Ends a job; nothing if there is none ("")."""
        if not job_id:
            return
        self.run("scancel", job_id)
        while self.run("squeue", "-h", "-a", "-j", job_id, "-o", "%i").stdout:
            time.sleep(_POLL_SECONDS)

    def end_all(self) -> None:
        jobs = self.run("squeue", "-h", "-a", "-o", "%A").stdout.split()
        if jobs:
            self.run("scancel", *sorted(set(jobs)))
        while self.run("squeue", "-h", "-a", "-o", "%i").stdout:
            time.sleep(_POLL_SECONDS)


def _token_of(reason: str) -> str:
    """squeue shows a sentence, with names, in the place of some Reasons."""
    sentences = {
        "Job's QOS not permitted to use this partition": "QOSNotAllowed",
        "Job's account not permitted to use this partition": "AccountNotAllowed",
        "Nodes required for job are DOWN, DRAINED or reserved": "Resources",
    }
    return next((token for sentence, token in sentences.items() if reason.startswith(sentence)), reason)


def sbatch_words(command: Command, *added: str) -> list[str]:
    return ["sbatch", "--output=/dev/null", *command.options, *added]


def job_id_of(answer: CommandResult) -> str:
    """Of what sbatch printed; "" if the job was refused."""
    found = _SUBMITTED.search(answer.stdout)
    return found[1] if found else ""
