# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster with limits of each kind, for tests of the commands that show limits to users."""

from __future__ import annotations

import json
import re
import shlex
import unittest

from .cluster import Cluster, CommandResult
from .command import copy_command


class LimitsTestCase(unittest.TestCase):
    """One cluster per class, without the plugin: ana and ben in account astro below lab, ana also in bio.

    Partition viz has the QOS vizqos; QOS over has OverPartQOS.
    """

    maxDiff = None
    slurm_conf = ""  # more lines
    cluster: Cluster
    qosgate: str

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = Cluster.up(
            nodes=2,
            users=["ana", "ben"],
            qos=[
                "vizqos MaxTRESPerUser=cpu=4 MaxWall=60",
                "over MaxTRESPerUser=cpu=8 MaxWall=120 Flags=OverPartQOS",
                "plain",
            ],
            options=["--gpus", "4"],
            slurm_conf=(
                "PartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED\n"
                f"PartitionName=viz Nodes=ALL\n{cls.slurm_conf}"
            ),
        )
        cls.addClassCleanup(cls.cluster.down)
        for line in (
            "add account lab",
            "add account astro,bio parent=lab",
            "add user ana,ben account=astro qos=normal,over,plain",
            "add user ana account=bio qos=normal",
            "modify account lab set GrpTRES=cpu=8",
            "modify user ana where account=astro set MaxJobs=3",
        ):
            cls.cluster.sacctmgr(line)
        cls.cluster.scontrol("update PartitionName=viz QOS=vizqos")
        cls.qosgate = copy_command(cls.cluster)

    def tearDown(self) -> None:
        for user in ("ana", "ben"):
            self.cluster.run(f"scancel --user={user}", check=True)
        self.cluster.wait_for(
            lambda: not self.cluster.run("squeue --noheader", check=True).stdout, "all jobs have ended"
        )

    def show(self, command: str, user: str | None = "ana") -> CommandResult:
        """Runs `qosgate COMMAND`."""
        return self.cluster.run(f"{self.qosgate} {command}", user)

    def answer(self, command: str, user: str | None = "ana", rc: int = 0) -> dict:
        """The answer in JSON."""
        done = self.show(f"{command} --json", user)
        self.assertEqual(done.rc, rc, done)
        return json.loads(done.stdout)

    def start(self, user: str, options: str) -> int:
        """A job that runs: not a batch job, which begins only with slurmctld's next round, up to a second later."""
        done = self.cluster.run(["salloc", "--no-shell", *shlex.split(options)], user, check=True)
        granted = re.search(r"Granted job allocation (\d+)", done.stderr)
        assert granted, done
        job = int(granted[1])
        fields = self.cluster.job(job)
        self.assertEqual(fields["JobState"], "RUNNING", fields)
        return job

    def wait_reason(self, job: int | str, reason: str) -> None:
        """Waits until squeue shows this Reason."""
        self.cluster.wait_for(
            lambda: reason in self.cluster.run(f"squeue --noheader -j {job} -o %r", check=True).stdout.split(),
            f"job {job} shows {reason}",
        )
