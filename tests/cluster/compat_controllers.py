# SPDX-License-Identifier: GPL-2.0-or-later
"""Two live controllers: one with Slurm's job_submit/lua, and one with qosgate and a script for it."""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from qosgate_dev.testing import build_root
from qosgate_dev.testing.cluster import Cluster
from qosgate_dev.testing.plugin_case import PARTITIONS, USER

CHANGING_FIELDS = {"JobId", "SubmitTime", "EligibleTime", "AccrueTime", "LastSchedEval", "AllocNode:Sid", "StartTime"}
# Each invented user has a group of the same name.
GROUPED = """\
PartitionName=anas Nodes=ALL AllowGroups=root,ana
PartitionName=bens Nodes=ALL AllowGroups=ben
PartitionName=roots Nodes=ALL AllowGroups=root
PartitionName=strangers Nodes=ALL AllowGroups=no-such-group
PartitionName=bosses Nodes=ALL RootOnly=YES AllowGroups=ana
"""
LICENSES = "Licenses=beam:2\n"
EMPTY = "function slurm_job_submit() return 0 end\nfunction slurm_job_modify() return 0 end\n"


@dataclass
class Answer:
    """What a user and an administrator see of one command."""

    code: int
    said: str
    job: dict[str, str]
    script: str
    logged: list[str]


class Controller:
    """One of the two clusters."""

    def __init__(self, plugins: str, conf: str) -> None:
        self.cluster = Cluster.up(nodes=2, users=[USER, "ben"], slurm_conf=conf + PARTITIONS + GROUPED + LICENSES)
        for line in (
            "add qos small MaxTRESPerJob=cpu=2 MaxWall=60 Priority=70",
            "add account astro,bio",
            f"add user {USER} account=astro qos=normal,small defaultqos=normal",
            f"add user {USER} account=bio qos=normal",
            "add user nobody account=astro qos=normal",
        ):
            self.cluster.sacctmgr(line)
        self.plugins = plugins

    def reserve(self) -> None:
        """What scripts find in slurm.reservations."""
        self.cluster.scontrol(
            f"create reservation reservationname=course partitionname=short nodes=ALL"
            f" flags=part_nodes starttime=now+10days duration=120 users={USER} licenses=beam:1"
        )

    def put_in_force(self, script: bytes) -> None:
        raise NotImplementedError

    def restart_with(self, line: str) -> None:
        conf = self.cluster.layout.slurm_conf
        conf.write_text(conf.read_text() + line)
        self.cluster.restart("slurmctld")

    def ask(self, command: list[str], user: str) -> Answer:
        mark = len(self.cluster.log("slurmctld"))
        result = self.cluster.run(command, user)
        job = re.search(r"job (\d+)", result.stdout + result.stderr)
        fields: dict[str, str] = {}
        script = ""
        if result.rc == 0 and job:
            fields = {key: self.plain(value) for key, value in self.cluster.job(int(job[1])).items()}
            script = self.cluster.run(f"scontrol write batch_script {job[1]} -").stdout
            self.cluster.run(f"scancel {job[1]}", check=True)
        return Answer(
            result.rc,
            self.plain(result.stderr),
            {key: value for key, value in fields.items() if key not in CHANGING_FIELDS},
            script,
            self.lines_of_script(mark),
        )

    def change(self, words: list[str], user: str) -> Answer:
        """Changes a waiting job."""
        job = self.cluster.run("sbatch --parsable --hold --wrap=true", USER, check=True).stdout.strip()
        mark = len(self.cluster.log("slurmctld"))
        result = self.cluster.run(["scontrol", "update", f"jobid={job}", *words], user)
        fields = {key: self.plain(value) for key, value in self.cluster.job(int(job)).items()}
        self.cluster.run(f"scancel {job}", check=True)
        return Answer(
            result.rc,
            self.plain(result.stderr),
            {key: value for key, value in fields.items() if key not in CHANGING_FIELDS},
            "",
            self.lines_of_script(mark),
        )

    def lines_of_script(self, mark: int) -> list[str]:
        lines = re.findall(r"\] ((?:error: )?lua: .*)", self.cluster.log("slurmctld")[mark:])
        return [self.plain(line) for line in lines]

    def plain(self, text: str) -> str:
        """Without what differs between two clusters."""
        text = text.replace(str(self.cluster.directory), "DIRECTORY")
        return re.sub(r"\b(job ?|slurm-|allocation |out-)\d+", r"\1N", text)


class Slurms(Controller):
    """With job_submit/lua. slurmctld does not start without a script."""

    def __init__(self) -> None:
        super().__init__("lua", "")
        self.written = 0
        self.put_in_force(EMPTY.encode())
        self.restart_with("JobSubmitPlugins=lua\n")

    def put_in_force(self, script: bytes) -> None:
        path = self.cluster.layout.etc / "job_submit.lua"
        path.write_bytes(script)
        # The plugin reads a script with a later time than the last one's, in whole seconds.
        self.written += 1
        stamp = time.time() + 10 * self.written
        os.utime(path, (stamp, stamp))


class Ours(Controller):
    """With job_submit/qosgate."""

    def __init__(self, files: Path) -> None:
        super().__init__("qosgate", f"JobSubmitPlugins=qosgate\nPluginDir={build_root()}/plugin:@PLUGINDIR@\n")
        self.directory = self.cluster.layout.slurm_conf.parent / "qosgate.d"
        (self.directory / "compat").mkdir(mode=0o755, parents=True)
        (self.directory / "site.lua").write_text(
            f'site {{ limits = "off", compat_files = {{ "{files}" }},'
            f' compat_programs = {{ "sh {files}/hours.sh * > {files}/hours-*.txt",'
            f' "sh {files}/hours.sh * | cut -d: -f2 > {files}/number-*.txt" }} }}\n'
        )
        self.put_in_force(EMPTY.encode())

    def put_in_force(self, script: bytes) -> None:
        mark = len(self.cluster.log("slurmctld"))
        # In one step: the plugin may look between two.
        new = self.directory.with_name("job_submit.new")
        new.write_bytes(script)
        os.replace(new, self.directory / "compat" / "job_submit.lua")
        self.cluster.wait_for(
            lambda: "job_submit/qosgate: policy" in self.cluster.log("slurmctld")[mark:], "the script is read"
        )
        self.last_loaded = self.cluster.log("slurmctld")[mark:]
