# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs that the plugin judges without a slurmctld (tests/judged/judge_jobs.cpp): the same ones each time."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .policies import POLICIES

PROGRAM = "tests/judged/judge_jobs"
_SECONDS = 300  # under valgrind, beside other work


class JudgingFailed(Exception):
    """What the program said."""


def gate(build: Path) -> Path:
    """The gate for slurmctld; the loader needs a slurmctld. Errors: JudgingFailed."""
    found = sorted((build / "plugin/qosgate").glob("job_submit-*.so"))
    if len(found) != 1:
        raise JudgingFailed(f"{build}/plugin/qosgate has {len(found)} gates for slurmctld, not one")
    return found[0]


def judge(build: Path, policy: str, stream: str, count: int, *, under: Sequence[str] = ()) -> None:
    """Lets the plugin of a build judge so many jobs of a stream under one of POLICIES; `under`: a tool before the program.

    Errors: JudgingFailed.
    """
    with tempfile.TemporaryDirectory(prefix="qosgate-judge-") as name:
        directory = Path(name)
        write = POLICIES[policy]
        if write is not None:
            rules = directory / "qosgate.d"
            rules.mkdir(mode=0o755)
            write(rules)
        run = subprocess.run(
            [*under, str(build / PROGRAM), str(gate(build)), name, stream, str(count)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    if run.returncode != 0:
        last = "\n".join(run.stdout.splitlines()[-5:])
        raise JudgingFailed(f"{stream} jobs under policy {policy}: exit code {run.returncode}:\n{last}")
