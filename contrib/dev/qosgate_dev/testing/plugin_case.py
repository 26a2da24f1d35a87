# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster with the plugin in its slurmctld, and helpers for tests of the plugin."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from .cluster import Cluster, CommandResult
from .command import copy_program
from .runner import build_root
from .whole_files import change_together

USER = "ana"
PARTITIONS = """\
PartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED
PartitionName=short Nodes=ALL MaxTime=60 DefaultTime=30
"""

WITH_PLUGIN = "\nJobSubmitPlugins=qosgate\n"
WITHOUT_PLUGIN = "\n#JobSubmitPlugins=qosgate\n"


class PluginTestCase(unittest.TestCase):
    """One cluster per class, with the plugin in its slurmctld.

    ana is in the accounts astro (her default; QOS normal, small, counted) and bio (normal).
    """

    plugins = "qosgate"
    nodes = 2
    slurm_conf = ""  # more lines
    qos: tuple[str, ...] = ()  # more QOSs
    options: tuple[str, ...] = ()  # more arguments of `cluster up`
    cluster: Cluster
    directory: Path  # of the rules
    expected_errors: list[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.expected_errors = []
        cls.cluster = Cluster.up(
            nodes=cls.nodes,
            users=[USER, "ben"],
            qos=[
                "small MaxTRESPerJob=cpu=2 MaxWall=60 Flags=DenyOnLimit",
                "counted MaxSubmitJobsPerUser=3",
                "other",
                *cls.qos,
            ],
            slurm_conf=(
                f"JobSubmitPlugins={cls.plugins}\n"
                f"PluginDir={build_root()}/plugin:@PLUGINDIR@\n{PARTITIONS}{cls.slurm_conf}"
            ),
            options=cls.options,
        )
        cls.addClassCleanup(cls.cluster.down)
        for line in (
            "add account astro,bio",
            f"add user {USER} account=astro qos=normal,small,counted",
            f"add user {USER} account=bio qos=normal",
        ):
            cls.cluster.sacctmgr(line)
        cls.let_the_plugin_see_the_cluster()

    @classmethod
    def let_the_plugin_see_the_cluster(cls) -> None:
        """Waits until the plugin knows the partitions: a moment after a start, a second after a reconfiguration."""
        cls.cluster.wait_for(
            lambda: "limit 2" in cls.cluster.sbatch("--qos=small -n3 --hold", USER).stderr,
            "the plugin explains limits",
        )

    @classmethod
    def put_in_force(cls, files: dict[str, str]) -> None:
        """Writes files in the directory of rules, and waits until slurmctld says that they are in force."""
        cls.directory = cls.cluster.layout.slurm_conf.parent / "qosgate.d"
        cls.directory.mkdir(mode=0o755, exist_ok=True)
        mark = len(cls.cluster.log("slurmctld"))
        change_together(cls.directory, files)
        cls.cluster.wait_for(
            lambda: "job_submit/qosgate: " in cls.cluster.log("slurmctld")[mark:], "the policy is loaded"
        )

    def tearDown(self) -> None:
        self.cluster.run(f"scancel --user={USER}")
        unexpected = [
            line for line in self.own_errors() if not any(text in line for text in self.expected_errors)
        ]
        self.assertEqual(unexpected, [])
        self.assertTrue(self.cluster.status()["slurmctld"]["running"])

    def own_errors(self) -> list[str]:
        lines = self.cluster.log("slurmctld").splitlines()
        return [line for line in lines if "error: job_submit/qosgate" in line]

    def expect_logged_error(self, text: str) -> None:
        """Expects that slurmctld logs an error of the plugin with this text; other errors fail the test."""
        self.expected_errors.append(text)
        self.cluster.wait_for(
            lambda: any(text in line for line in self.own_errors()), f"an error is logged: {text}"
        )

    def wait_until_status(self, rc: int) -> str:
        """What `qosgate status` prints once it exits so: the plugin reports a change within a second."""
        command = [str(build_root() / "contrib" / "qosgate" / "qosgate"), "status"]
        told: list[CommandResult] = []

        def is_so() -> bool:
            told.append(self.cluster.run(command, "root"))
            return told[-1].rc == rc

        self.cluster.wait_for(is_so, f"the status is {rc}")
        return told[-1].stdout + told[-1].stderr

    def submit(self, arguments: str) -> CommandResult:
        return self.cluster.run(["sbatch", *arguments.split(), "--wrap=sleep 300"], USER)

    def expect(self, result: CommandResult, accepted: bool, *lines: str) -> None:
        """Whether the command succeeded, and that its messages have these lines in this order."""
        self.assertEqual(result.rc == 0, accepted, result)
        rest = result.stderr
        for line in lines:
            self.assertIn(line, rest, result)
            rest = rest.partition(line)[2]

    def expect_help(self, arguments: str, accepted: bool, *lines: str) -> None:
        """The same of a submission to which options are suggested: with the first of them the job starts."""
        answer = self.submit(arguments)
        self.expect(answer, accepted, *lines)
        self.cluster.run(f"scancel --user={USER}")
        options = re.findall(r"(?:accepted|start) with: (.*)", answer.stderr)[0]
        helped = self.submit(f"{arguments} {options}")
        self.expect(helped, True)
        job = int(helped.stdout.split()[-1])
        self.cluster.wait_job(job, "RUNNING")
        self.cluster.run(f"scancel {job}", USER)

    def expect_runs_silently(self, arguments: str) -> None:
        """The job starts at once, and the plugin has nothing to say; it is ended."""
        answer = self.submit(arguments)
        self.expect(answer, True)
        self.assertEqual(answer.stderr, "")
        job = int(answer.stdout.split()[-1])
        self.cluster.wait_job(job, "RUNNING")
        self.cluster.run(f"scancel {job}", USER)

    def submit_jobs(self, *arguments: str) -> CommandResult:
        """The helper that speaks to slurmctld without sbatch."""
        program = copy_program(self.cluster, "tests/cluster/helpers/submit_jobs")
        return self.cluster.run([program, *arguments], USER, check=True)

    def take_plugin_out(self) -> None:
        self.change_slurm_conf(WITH_PLUGIN, WITHOUT_PLUGIN)

    def put_plugin_back(self) -> None:
        self.change_slurm_conf(WITHOUT_PLUGIN, WITH_PLUGIN)
        self.let_the_plugin_see_the_cluster()

    def change_slurm_conf(self, old: str, new: str) -> None:
        path = self.cluster.layout.slurm_conf
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))
        self.cluster.scontrol("reconfigure")

    def resident_bytes(self) -> int:
        pid = self.cluster.status()["slurmctld"]["pid"]
        status = Path(f"/proc/{pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def slurmctld_log_since(self, mark: int) -> str:
        return self.cluster.log("slurmctld")[mark:]
