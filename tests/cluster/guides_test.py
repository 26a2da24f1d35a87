# SPDX-License-Identifier: GPL-2.0-or-later
"""The transcripts in users.md, monitoring.md and qos-records.md are what the commands print.

Each block that begins with "$ " is run on a live cluster, in the scene that its first command has here; `sudo` makes it
root's, all others are ana's. A line "..." stands for any lines. Times, hashes, and numbers of jobs and processes may differ.
With QG_TEST_ACCEPT=1 blocks that differ are written anew, and the test is skipped.
"""

from __future__ import annotations

import os
import re
import shlex
import socket
import unittest
from collections.abc import Callable
from pathlib import Path

from qosgate_dev.testing import Cluster, build_root, copy_command, main
from qosgate_dev.testing.whole_files import write_whole

DOCUMENTS = Path(__file__).resolve().parents[2] / "contrib/doc"
GUIDES = [DOCUMENTS / name for name in ("users.md", "monitoring.md", "qos-records.md")]
BLOCK = re.compile(r"(?<=```\n)\$ .*?(?=```)", re.DOTALL)
ANYTHING = "...\n"

VARIES = (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "<time>"),
    (r"\b[0-9a-f]{16}\b", "<hash>"),
    (r"\b(Job |JobId=|process )\d+", r"\1N"),
    (r"(?m)^(    )\d+ +(?=\w+ +\d+ )", r"\1N "),  # of jobs that hold a limit
    (r"(?m)^\d+ (numbers compared|checks)", r"N \1"),
    (r"generation \d+", "generation N"),
    (r"\b(\d+ jobs and \d+ changes|(refused|by rules|with messages|rule failures) \d+)", "<count>"),
    (r"qosgate:? \d+\.\d+\.\d+|\d+\.\d+\.\d+ for Slurm \d+\.\d+\.\d+", "<release>"),
)

RECORDS = (
    "add qos vizqos MaxTRESPerUser=cpu=4 MaxWall=60",
    "add qos plain Priority=20",
    "add account lab",
    "add account astro,bio parent=lab",
    "add user ana,ben account=astro qos=normal,plain",
    "add user ana account=bio qos=normal",
    "modify account lab set GrpTRES=cpu=8",
    "modify user ana where account=astro set MaxJobs=3",
)


def without_what_varies(text: str) -> str:
    for pattern, instead in VARIES:
        text = re.sub(pattern, instead, text)
    return text


def is_same(block: str, printed: str) -> bool:
    parts = [re.escape(part) for part in without_what_varies(block).split(ANYTHING)]
    return re.fullmatch(r"(?:.*\n)*".join(parts), without_what_varies(printed)) is not None


class Guides(unittest.TestCase):
    """Scenes: what is there when a block runs. They take back what they change."""

    maxDiff = None
    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = Cluster.up(
            nodes=2,
            users=["ana", "ben"],
            options=["--gpus", "4"],
            slurm_conf=(
                f"JobSubmitPlugins=qosgate\nCliFilterPlugins=qosgate\nPluginDir={build_root()}/plugin:@PLUGINDIR@\n"
                "PriorityWeightQOS=1000\nPartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED\n"
                "PartitionName=viz Nodes=ALL\n"
            ),
        )
        cls.addClassCleanup(cls.cluster.down)
        for line in RECORDS:
            cls.cluster.sacctmgr(line)
        cls.cluster.scontrol("update PartitionName=viz QOS=vizqos")
        cls.qosgate = copy_command(cls.cluster)
        cls.directory = cls.cluster.layout.etc / "qosgate.d"
        script = cls.cluster.layout.home / "ana" / "job.sh"
        script.write_text("#!/bin/sh\nexec sleep 300\n", encoding="utf-8")

    def tearDown(self) -> None:
        for user in ("ana", "ben"):
            self.cluster.run(f"scancel --user={user}", check=True)
        self.cluster.wait_for(
            lambda: not self.cluster.run("squeue --noheader", check=True).stdout, "all jobs have ended"
        )

    def qos(self, fields: str, *, of_ana: bool = True) -> None:
        """A QOS for this scene."""
        name = fields.split()[0]
        self.cluster.sacctmgr(f"add qos {fields}")
        self.addCleanup(self.cluster.sacctmgr, f"delete qos {name}")
        if of_ana:
            self.cluster.sacctmgr(f"modify user ana where account=astro set qos+={name}")

    def start(self, user: str, options: str) -> int:
        job = self.cluster.sbatch(options, user).job
        self.cluster.wait_job(job, "RUNNING")
        return job

    def rules(self, **files: str) -> None:
        self.directory.mkdir(mode=0o755, exist_ok=True)
        self.addCleanup(self.remove_rules)
        for name, text in files.items():
            (self.directory / f"{name}.lua").write_text(text)

    def remove_rules(self) -> None:
        """Waits until slurmctld has noticed, too. Of a directory that is gone it keeps the rules."""
        for file in self.directory.iterdir():
            if file.name != "site.lua":
                file.unlink()
        write_whole(self.directory / "site.lua", 'site { limits = "explain" }\n')
        self.cluster.wait_for(
            lambda: "limits explain, 0 rules" in self.cluster.run([self.qosgate, "status"]).stdout, "no rule is in force"
        )

    def scene_check(self) -> None:
        self.qos("gpus MaxTRESPerUser=gres/gpu=2 Flags=DenyOnLimit")

    def scene_limits(self) -> None:
        self.start("ben", "-Aastro -n6")
        self.start("ana", "-Aastro -n1")

    def scene_sbatch(self) -> None:
        self.scene_check()
        self.rules(site='site { client = "on", limits = "enforce" }\n')

    def scene_why(self) -> None:
        self.qos("over MaxWall=120")
        self.start("ben", "-Aastro -n6 --time=60")
        self.start("ana", "-Aastro -n1 --time=60")
        waiting = self.cluster.sbatch("-Abio -n4 --time=60", "ana").job
        self.cluster.wait_reason(waiting, "AssocGrpCpuLimit")
        waiting = self.cluster.sbatch("-Aastro --qos=over --time=180", "ana").job
        self.cluster.wait_reason(waiting, "QOSMaxWallDurationPerJobLimit")

    def scene_reason(self) -> None:
        pass

    def scene_lint(self) -> None:
        self.qos("night MaxTRESPerUser=cpu=100 GrpTRES=cpu=50", of_ana=False)
        self.cluster.sacctmgr("modify user ana where account=astro set qos=night,plain")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana where account=astro set qos=normal,plain")

    def scene_verify(self) -> None:
        """A partition gets another QOS, and its job stays counted in the old one."""
        self.start("ben", "-Aastro -pviz -n2")
        self.cluster.scontrol("update PartitionName=viz QOS=plain")
        self.addCleanup(self.cluster.scontrol, "update PartitionName=viz QOS=vizqos")
        self.addCleanup(self.cluster.scontrol, "reconfigure")

    def scene_report(self) -> None:
        self.cluster.sacctmgr("modify qos plain set MaxTRESPerUser=cpu=3")
        self.addCleanup(self.cluster.sacctmgr, "modify qos plain set MaxTRESPerUser=cpu=-1")
        self.start("ana", "-Aastro --qos=plain -n2")
        self.start("ben", "-Aastro -pviz -n1 --qos=plain")

    scene_qos = scene_report

    def scene_status(self) -> None:
        self.rules(**{"10-short": 'rule { name = "short jobs", submit = function(job) end }\n'})
        self.cluster.wait_for(
            lambda: "1 rule," in self.cluster.run([self.qosgate, "status"]).stdout, "the rule is in force"
        )

    def scene_of(self, command: list[str]) -> Callable[[], None]:
        name = command[1] if command[0] == "qosgate" else command[0]
        scene = getattr(self, f"scene_{name}", None)
        assert scene is not None, f"{shlex.join(command)}: this test has no scene for it"
        return scene

    def run_line(self, words: list[str]) -> str:
        user = None if words[0] == "sudo" else "ana"
        words = [self.qosgate if word == "qosgate" else word for word in words if word != "sudo"]
        done = self.cluster.run(words, user)
        return done.stderr + done.stdout

    def as_shown(self, text: str) -> str:
        """With names that readers know instead of those of this machine."""
        for own, shown in (
            (str(self.cluster.layout.etc), "/etc/slurm"),
            (f" on {socket.gethostname()},", " on head1,"),
            (f"cluster={self.cluster_name()}", "cluster=hpc"),
        ):
            text = text.replace(own, shown)
        return re.sub(r"(?m) +$", "", text)

    def cluster_name(self) -> str:
        return re.search(r"(?m)^ClusterName=(\S+)", self.cluster.layout.slurm_conf.read_text())[1]

    def play(self, block: str) -> str:
        """The commands and everything they print, as in a terminal."""
        commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
        first = [word for word in shlex.split(commands[0]) if word != "sudo"]
        self.scene_of(first)()
        try:
            return "".join(f"$ {each}\n{self.as_shown(self.run_line(shlex.split(each)))}" for each in commands)
        finally:
            self.tearDown()
            self.doCleanups()

    def test_each_transcript_is_what_the_commands_print(self) -> None:
        played = set()
        was_written = False
        for guide in GUIDES:
            text = guide.read_text(encoding="utf-8")
            for block in BLOCK.findall(text):
                with self.subTest(guide.name, command=block.splitlines()[0]):
                    printed = self.play(block)
                    played.add(block.splitlines()[0].removeprefix("$ ").removeprefix("sudo "))
                    if is_same(block, printed):
                        continue
                    if os.environ.get("QG_TEST_ACCEPT") != "1":
                        self.assertEqual(without_what_varies(block), without_what_varies(printed))
                    text = text.replace(block, printed)
                    was_written = True
            if was_written:
                guide.write_text(text, encoding="utf-8")
        if was_written:
            self.skipTest("transcripts were written anew")
        for command in ("check", "limits", "why", "reason", "lint", "verify", "status", "report usage",
                        "report priority", "qos get"):  # fmt: skip
            with self.subTest(command):
                self.assertTrue(any(line.startswith(f"qosgate {command}") for line in played), "no guide shows it")
        self.assertTrue(any(line.startswith("sbatch") for line in played))

    def test_a_transcript_that_differs_is_found(self) -> None:
        printed = "$ qosgate x\na 2026-11-24T00:44:29\nb 1\nc\n"
        for same in (printed, printed.replace("44:29", "44:30"), "$ qosgate x\n...\nc\n", "$ qosgate x\n...\n"):
            self.assertTrue(is_same(same, printed), same)
        for other in (printed.replace("b 1", "b 2"), "$ qosgate x\n...\nd\n", printed + "d\n", "$ qosgate y\n...\n"):
            self.assertFalse(is_same(other, printed), other)


if __name__ == "__main__":
    main()
