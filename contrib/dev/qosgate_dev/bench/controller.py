# SPDX-License-Identifier: GPL-2.0-or-later
"""A private cluster whose slurmctld times Slurm's Lua plugin and qosgate side by side."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

from qosgate_dev.cluster import programs
from qosgate_dev.testing import Cluster, copy_program, write_lua_script

from . import samples
from .policies import (
    FORBIDDEN_QOS,
    PARTITION,
    POLICIES,
    REFUSED_BY_LUA,
    lua_submit,
    refused_by,
)

USER = "ana"

# Submissions before each measurement, for caches and for the tables that Lua builds.
WARM_UP = 100

# How long the longest of the tool's steps may take on a busy machine.
_PATIENCE_SECONDS = 900

# The QOS of the measured jobs sets most limits, so that qosgate has much to check.
LIMITS = (
    "MaxWall=8:00:00 MaxTRESPerJob=cpu=64,gres/gpu=8 MaxTRESPerUser=cpu=256,gres/gpu=16"
    " GrpTRES=cpu=1024 MaxJobsPerUser=50 MaxSubmitJobsPerUser=100000 Flags=DenyOnLimit"
)

# As little scheduling as slurmctld allows, because it would disturb the measurement.
_SLURM_CONF = f"""\
PluginDir={{plugin_dir}}:@PLUGINDIR@
MaxJobCount=100000
SlurmctldDebug=info
SchedulerParameters=defer,sched_interval=600,bf_interval=600
PartitionName={PARTITION} Nodes=ALL Default=YES MaxTime=UNLIMITED
"""


class Controller:
    """A running cluster with some QOSs. The measured jobs use the last one.

    `build` is the build directory, `directory` one for this object's files. Nothing can be submitted
    before set_partitions(). Errors: ClusterFailed, in every method.
    """

    def __init__(self, build: Path, directory: Path, qos_count: int) -> None:
        parts = build / "tests/bench/controller"
        self._times = directory / "times"
        environment = {
            "QG_TIMING_FIRST": programs.slurm_plugin_dir() / "job_submit_lua.so",
            "QG_TIMING_SECOND": build / "plugin/job_submit_qosgate.so",
            "QG_TIMING_FILE": self._times,
        }
        wrapper = ["env", *(f"{name}={value}" for name, value in environment.items())]
        self._cluster = Cluster.up(
            nodes=1,
            users=[USER],
            slurm_conf=_SLURM_CONF.format(plugin_dir=parts),
            options=["--wrap-slurmctld", shlex.join(wrapper)],
        )
        self._stream = copy_program(self._cluster, "tests/bench/controller/submit_stream", build)
        self._plain_conf = self._cluster.layout.slurm_conf.read_text()
        self._rules = self._cluster.layout.etc / "qosgate.d"
        write_lua_script(self._cluster, lua_submit(REFUSED_BY_LUA))

        names = [f"q{number}" for number in range(1, qos_count + 1)]
        self._qos = names[-1]
        self._run_as_root(build / "contrib/qosgate/qosgate", "qos", "create", ",".join(names))
        self._run_as_root("sacctmgr", "-i", "modify", "qos", self._qos, "set", *LIMITS.split())
        self._run_as_root("sacctmgr", "-i", "add", "account", "bench", f"qos={','.join(names)}")
        self._run_as_root("sacctmgr", "-i", "add", "user", USER, "account=bench")

    def down(self) -> None:
        """Ends the cluster."""
        self._cluster.down()

    def set_partitions(self, count: int) -> None:
        """Restarts slurmctld with this number of partitions and no qosgate rules."""
        self._write_rules(None)
        more = [f"PartitionName=p{number} Nodes=ALL" for number in range(1, count)]
        self._cluster.layout.slurm_conf.write_text(
            "\n".join([self._plain_conf, "JobSubmitPlugins=timing", *more, ""])
        )
        self._cluster.restart("slurmctld")
        self._wait_for_words("QOSMaxWallDurationPerJobLimit", f"--qos={self._qos} --time=9:00:00")
        self._wait_for_words(REFUSED_BY_LUA, f"--qos={FORBIDDEN_QOS}")

    def set_policy(self, name: str) -> None:
        """Gives qosgate this one of policies.POLICIES; "none" is only for right after set_partitions()."""
        write = POLICIES[name]
        self._write_rules(write)
        if write is not None:
            self._wait_for_words(refused_by(name), f"--qos={FORBIDDEN_QOS}")

    def _write_rules(self, write: Callable[[Path], None] | None) -> None:
        """Replaces the directory of rules. Without it qosgate would keep the last one; an empty one has none."""
        new = self._rules.with_name("qosgate.new")
        new.mkdir(mode=0o755)
        if write is not None:
            write(new)
        if self._rules.exists():
            shutil.rmtree(self._rules)
        new.rename(self._rules)

    def fill(self, count: int) -> None:
        """Adds this number of held jobs to the queue."""
        self._submit("fill", str(count), self._qos, PARTITION)

    def measure(self, submissions: int, pause_us: int) -> samples.Measured:
        """Times this many submissions for each plugin, with this pause between them."""
        self._submit("timed", str(WARM_UP), "0", self._qos, PARTITION)
        self._submit("write")
        self._submit("timed", str(submissions), str(pause_us), self._qos, PARTITION)
        self._submit("write")
        return samples.read(self._times)

    def measure_hostile(self, submissions: int, max_bytes: int) -> list[samples.Hostile]:
        """Times qosgate with each text of a request in sizes up to this one, this many times each."""
        self._submit("write")
        uid = self._cluster.run(["id", "-u", USER], check=True).stdout.strip()
        texts = self._submit(
            "hostile", str(submissions), str(max_bytes), self._qos, PARTITION, uid, user="root"
        )
        self._submit("write")
        return samples.read_hostile(self._times, texts.splitlines(), submissions)

    def soak(self, submissions: int) -> int:
        """Submits so many jobs, which qosgate alone judges; slurmctld's memory afterwards, in bytes."""
        self._submit("soak", str(submissions), self._qos, PARTITION)
        pid = self._cluster.status()["slurmctld"]["pid"]
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def _wait_for_words(self, words: str, arguments: str) -> None:
        """Waits until a submission gets this answer, which shows that the plugin works."""
        arguments = f"--hold --partition={PARTITION} {arguments}"
        self._cluster.wait_for(
            lambda: words in self._cluster.sbatch(arguments, USER).stderr,
            f"sbatch {arguments} answers {words!r}",
            otherwise=lambda: self._cluster.sbatch(arguments, USER).stderr,
        )

    def _submit(self, *arguments: str, user: str = USER) -> str:
        command = [self._stream, *arguments]
        return self._cluster.run(command, user, timeout=_PATIENCE_SECONDS, check=True).stdout

    def _run_as_root(self, *command: str | Path) -> None:
        self._cluster.run([str(word) for word in command], timeout=_PATIENCE_SECONDS, check=True)
