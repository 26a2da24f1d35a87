# SPDX-License-Identifier: GPL-2.0-or-later
"""What cli_filter/qosgate adds to the time of an sbatch: with and without it, in turns, on a live cluster."""

from __future__ import annotations

import dataclasses
import statistics
import time
from pathlib import Path

from qosgate_dev.testing import Cluster

from . import accounts

USER = "ana"
_ACCOUNT = "group1"  # accounts.add_many makes it

_SLURM_CONF = """\
PluginDir={plugin_dir}:@PLUGINDIR@
MaxJobCount=100000
SchedulerParameters=defer,sched_interval=600,bf_interval=600
PartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED
PartitionName=limited Nodes=ALL MaxTime=1:00:00
"""

_LIMITS = "MaxTRESPerUser=cpu=64 MaxWall=1-0 GrpTRES=cpu=1000 MaxSubmitJobsPerUser=100000"

# What is submitted; with "refused" the answer names other QOSs.
JOBS = {
    "accepted, QOS asked for": "--qos=q5",
    "accepted, default QOS": "",
    "accepted, partition with a QOS": "--qos=q5 --partition=limited --time=10",
    "above a limit": "--qos=q5 --time=2-0",
    "QOS unknown": "--qos=nonsense",
}


@dataclasses.dataclass(frozen=True)
class Times:
    """Of each sbatch, in milliseconds."""

    without: list[float]
    with_filter: list[float]

    @property
    def added(self) -> float:
        """The difference of the medians."""
        return statistics.median(self.with_filter) - statistics.median(self.without)


class ClientBench:
    """A running cluster with this many QOSs and associations; `down` ends it. Errors: ClusterFailed."""

    def __init__(self, build: Path, qos: int, associations: int) -> None:
        self._cluster = Cluster.up(
            nodes=2, users=[USER], slurm_conf=_SLURM_CONF.format(plugin_dir=build / "plugin")
        )
        names = [f"q{number}" for number in range(1, qos + 1)]
        self._cluster.run(
            ["sacctmgr", "-iQ", "add", "qos", ",".join(names), *_LIMITS.split()],
            timeout=300,
            check=True,
        )
        if associations:
            accounts.add_many(self._cluster, associations)
        else:
            self._cluster.sacctmgr(f"add account {_ACCOUNT}")
        self._cluster.sacctmgr(
            f"add user {USER} account={_ACCOUNT} qos=normal,q5,q6,q7 defaultqos=q6"
        )
        self._cluster.scontrol("update partition=limited qos=q1")
        # As a login gives it; the plugin remembers names of the user's records there.
        home = self._cluster.run(["pwd"], USER, check=True).stdout.strip()
        self._runtime = str(Path(home) / "runtime")
        self._cluster.run(["mkdir", "-m", "700", self._runtime], USER, check=True)
        plain = self._cluster.layout.slurm_conf
        filtering = plain.with_name("with-filter.conf")
        filtering.write_text(f"{plain.read_text()}CliFilterPlugins=qosgate\n")
        filtering.chmod(0o644)
        self._confs = (plain, filtering)

    def down(self) -> None:
        """Ends the cluster."""
        self._cluster.down()

    def measure(self, options: str, count: int) -> Times:
        """Runs sbatch with these options so many times each way, in turns."""
        command = ["sbatch", "--hold", *options.split(), "--wrap=true"]
        times: tuple[list[float], list[float]] = ([], [])
        for turn in range(-3, count):
            for taken, conf in zip(times, self._confs, strict=True):
                begin = time.perf_counter()
                self._cluster.run(
                    command, USER, env={"SLURM_CONF": str(conf), "XDG_RUNTIME_DIR": self._runtime}
                )
                if turn >= 0:
                    taken.append((time.perf_counter() - begin) * 1000)
        return Times(*times)
