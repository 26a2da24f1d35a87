# SPDX-License-Identifier: GPL-2.0-or-later
"""The transcripts in contrib/doc/refusals.md are what a real sbatch prints.

With QG_TEST_ACCEPT=1 the transcripts are written anew from what sbatch prints, and the test is skipped.
"""

from __future__ import annotations

import os
import re
import unittest
from pathlib import Path

from qosgate_dev.testing import Cluster, build_root, main

DOCUMENT = Path(__file__).resolve().parents[2] / "contrib/doc/refusals.md"
USER = "ana"
BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)

RECORDS = (
    "add qos moonlight MaxTRESPerUser=gres/gpu=2,cpu=32 MaxWall=8:00:00 MaxSubmitJobsPerUser=10 Flags=DenyOnLimit",
    "add qos gpu MinTRESPerJob=gres/gpu=1 Flags=DenyOnLimit",
    "add qos small MaxTRESPerJob=node=2,mem=64G Flags=DenyOnLimit",
    "add qos urgent Flags=RequiresReservation",
    "add qos staff",
    "add qos calm MaxTRESPerUser=cpu=4 MaxTRESPerJob=cpu=8",
    "add account physics GrpTRES=cpu=64",
    "add account chemistry",
    f"add user {USER} account=physics qos=normal,moonlight,gpu,small,urgent,calm defaultqos=normal",
)


def without_numbers_of_jobs(text: str) -> str:
    return re.sub(r"(Submitted batch job )\d+", r"\1N", text)


class RefusalsTest(unittest.TestCase):
    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = Cluster.up(
            nodes=4,
            users=[USER],
            slurm_conf=f"JobSubmitPlugins=qosgate\nPluginDir={build_root()}/plugin:@PLUGINDIR@\n",
        )
        cls.addClassCleanup(cls.cluster.down)
        for line in RECORDS:
            cls.cluster.sacctmgr(line)
        cls.cluster.scontrol("create reservation=course users=root nodecnt=1 starttime=now+2hours duration=60")
        script = cls.cluster.layout.home / USER / "job.sh"
        script.write_text("#!/bin/sh\nexec sleep 300\n", encoding="utf-8")
        cls.cluster.wait_for(
            lambda: "limit 2" in cls.cluster.run("sbatch --qos=small -N3 job.sh", USER).stderr
            and "is not for" in cls.cluster.run("sbatch --reservation=course job.sh", USER).stderr,
            "the plugin explains limits and knows the reservation",
        )

    def transcript(self, commands: list[str]) -> str:
        """The commands and everything they print, as in a terminal."""
        lines = []
        for command in commands:
            done = self.cluster.run(command, USER)
            lines += [f"$ {command}", *(done.stderr + done.stdout).splitlines()]
        return without_numbers_of_jobs("\n".join(lines) + "\n")

    def test_the_transcripts_are_what_sbatch_prints(self) -> None:
        document = DOCUMENT.read_text(encoding="utf-8")
        printed = {}
        for block in BLOCK.findall(document):
            commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
            printed[block] = self.transcript(commands)
        self.assertTrue(printed)

        if os.environ.get("QG_TEST_ACCEPT") == "1":
            DOCUMENT.write_text(BLOCK.sub(lambda m: printed[m.group()], document), encoding="utf-8")
            self.skipTest(f"{DOCUMENT.name} was written anew")
        for block, text in printed.items():
            with self.subTest(command=block.splitlines()[0]):
                self.assertEqual(block, text)


if __name__ == "__main__":
    main()
