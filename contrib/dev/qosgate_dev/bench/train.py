# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs for a plugin that counts what it does (contrib/dev/trained_build)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from qosgate_dev.testing.cluster import ClusterFailed

from .controller import Controller
from .policies import POLICIES

# What people ask for: each line is sent to the plugin again and again.
_SUBMISSIONS = (
    "",
    "--time=30 --mem=100M",
    "--time=2:00:00 --ntasks=2 --cpus-per-task=1",
    "--nodes=1 --ntasks-per-node=2 --mem-per-cpu=50M",
    "--nodes=1-2 --begin=now+1hour",
    "--array=1-10%2 --time=10",
    "--exclusive --time=1:00:00 --comment=calibration",
    "--dependency=singleton --job-name=nightly",
    "--licenses=none:1",
    "--time=9:00:00",
    "--cpus-per-task=400",
    "--qos=unknown",
    "--partition=unknown",
    "--account=unknown",
)
_ROUNDS = 3


def train(build: Path, submissions: int, say: Callable[[str], None]) -> None:
    """Lets slurmctld judge jobs with each directory of rules, with few and with many partitions.

    `submissions`: of each plugin with each of them. The counts are written when slurmctld ends.
    Errors: ClusterFailed.
    """
    with tempfile.TemporaryDirectory(prefix="qosgate-train-") as directory:
        controller = Controller(build, Path(directory), qos_count=20)
        for partitions in (3, 30):
            controller.set_partitions(partitions)
            for rules in POLICIES:
                say(f"{partitions} partitions, rules: {rules}")
                controller.set_policy(rules)
                controller.measure(submissions, pause_us=0)
                for _ in range(_ROUNDS):
                    accepted = controller.submit_each(_SUBMISSIONS)
                    if not 0 < accepted < len(_SUBMISSIONS):
                        raise ClusterFailed(f"{accepted} of {len(_SUBMISSIONS)} jobs were accepted")
        controller.down(gently=True)
