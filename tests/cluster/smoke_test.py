#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The least that has to work with a release of Slurm: the plugin loads, explains, lets jobs pass.

Needs only the plugin and the command to be built. Prints what the user of a job would read.
"""

from __future__ import annotations

import unittest

from lib import Cluster, CommandResult, build_root, main

USER = "ana"


class Smoke(unittest.TestCase):
    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = Cluster.up(
            nodes=1,
            users=[USER],
            slurm_conf=f"JobSubmitPlugins=qosgate\nPluginDir={build_root()}/plugin:@PLUGINDIR@",
        )
        cls.addClassCleanup(cls.cluster.down)
        for line in (
            "add qos small MaxTRESPerJob=cpu=2 MaxWall=60 Flags=DenyOnLimit",
            "add account astro",
            f"add user {USER} account=astro qos=normal,small",
        ):
            cls.cluster.sacctmgr(line)
        # The first submission starts the plugin's look at the cluster; then limits are explained.
        cls.cluster.wait_for(
            lambda: "limit 2" in cls.cluster.sbatch("--qos=small --ntasks=3", USER).stderr,
            "the plugin explains limits",
        )

    def show(self, command: str | list[str], user: str | None = None) -> CommandResult:
        result = self.cluster.run(command, user)
        print(result)
        return result

    def test_an_accepted_job_runs_to_its_end(self) -> None:
        result = self.show("sbatch --parsable --qos=small --ntasks=2 --wrap=true", USER)

        self.assertEqual((result.rc, result.stderr), (0, ""))
        self.cluster.wait_job(int(result.stdout), "COMPLETED")

    def test_a_refused_job_is_told_every_limit_it_breaks(self) -> None:
        result = self.show("sbatch --qos=small --ntasks=3 --time=2:00:00 --wrap=true", USER)

        self.assertEqual(result.rc, 1)
        for line in (
            "CPUs per job: asked 3, limit 2 (QOSMaxCpuPerJobLimit)",
            "wall time: asked 02:00:00, limit 01:00:00 (QOSMaxWallDurationPerJobLimit)",
        ):
            self.assertIn(line, result.stderr)

    def test_the_command_reads_the_qos_records(self) -> None:
        result = self.show([str(build_root() / "contrib/qosgate/qosgate"), "qos", "get", "small"])

        self.assertEqual(result.rc, 0)
        self.assertIn("cpu=2", result.stdout)


if __name__ == "__main__":
    main()
