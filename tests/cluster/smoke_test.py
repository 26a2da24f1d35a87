#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The minimum that must work with a release of Slurm: the plugin loads, explains, routes, accepts jobs.

Needs only the plugin and the command: those of a build, or without QG_BUILD_ROOT the installed ones. Prints what the
user of a job would read.
"""

from __future__ import annotations

import os
import re
import unittest

from qosgate_dev.testing import Cluster, CommandResult, main

BUILD = os.environ.get("QG_BUILD_ROOT")
PLUGIN_DIR = f"PluginDir={BUILD}/plugin:@PLUGINDIR@" if BUILD else ""
COMMAND = f"{BUILD}/contrib/qosgate/qosgate" if BUILD else "qosgate"

USER = "ana"

RULE = """
rule {
    mode = "enforce",
    submit = function(job)
        if job.time_limit == 30 then
            job.qos = "small"
            job:warn("moved to %s", job.qos)
        end
    end,
}
"""


class Smoke(unittest.TestCase):
    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = Cluster.up(
            nodes=1,
            users=[USER],
            slurm_conf=f"JobSubmitPlugins=qosgate\n{PLUGIN_DIR}",
        )
        cls.addClassCleanup(cls.cluster.down)
        for line in (
            "add qos small MaxTRESPerJob=cpu=2 MaxWall=60 Flags=DenyOnLimit",
            "add account astro",
            f"add user {USER} account=astro qos=normal,small",
        ):
            cls.cluster.sacctmgr(line)
        # Long before the first submission: the plugin reads its rules when slurmctld loads it.
        rules = cls.cluster.layout.slurm_conf.parent / "qosgate.d"
        rules.mkdir(mode=0o755)
        (rules / "10-route.lua").write_text(RULE)
        cls.cluster.wait_for(
            lambda: re.search(
                rf"job_submit/qosgate: policy {rules}: in force: generation \d, 1 rules?,",
                cls.cluster.log("slurmctld"),
            ),
            "the plugin is loaded and says which rules are in force",
            otherwise=lambda: cls.cluster.log("slurmctld"),
        )
        # The first submission makes the plugin read the cluster; then limits are explained.
        cls.cluster.wait_for(
            lambda: "limit 2" in cls.cluster.sbatch("--qos=small --ntasks=3", USER).stderr,
            "the plugin explains limits",
        )

    def tearDown(self) -> None:
        self.assertTrue(self.cluster.status()["slurmctld"]["running"])
        self.assertNotIn("error: job_submit/qosgate", self.cluster.log("slurmctld"))

    def show(self, command: str | list[str], user: str | None = None) -> CommandResult:
        result = self.cluster.run(command, user)
        print(result)
        return result

    def test_an_accepted_job_runs_to_its_end(self) -> None:
        result = self.show("sbatch --parsable --qos=small --ntasks=2 --wrap=true", USER)

        self.assertEqual((result.rc, result.stderr), (0, ""))
        self.cluster.wait_job(int(result.stdout), "COMPLETED")

    def test_a_job_runs_as_the_rule_made_it(self) -> None:
        result = self.show("sbatch --parsable --qos=normal --time=30 --wrap=true", USER)

        self.assertEqual((result.rc, result.stderr), (0, "sbatch: moved to small\n"))
        job = self.cluster.wait_job(int(result.stdout), "COMPLETED")
        self.assertEqual(job["QOS"], "small")

    def test_a_refused_job_is_told_every_limit_it_breaks(self) -> None:
        result = self.show("sbatch --qos=small --ntasks=3 --time=2:00:00 --wrap=true", USER)

        self.assertEqual((result.rc, result.stdout), (1, ""))
        for line in (
            "QOS small does not allow this job (2 problems):",
            "CPUs per job: limit 2, this job asks for 3 (QOSMaxCpuPerJobLimit)",
            "wall time per job: limit 01:00:00, this job asks for 02:00:00 (QOSMaxWallDurationPerJobLimit)",
            "would be accepted with: --ntasks=2 --time=01:00:00",
        ):
            self.assertIn(line, result.stderr)

    def test_the_command_reads_the_qos_records(self) -> None:
        result = self.show([COMMAND, "qos", "get", "small"])

        self.assertEqual(result.rc, 0)
        self.assertIn("cpu=2", result.stdout)


if __name__ == "__main__":
    main()
