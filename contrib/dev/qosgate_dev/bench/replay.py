# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast `qosgate policy replay` decides again: records of a live slurmctld, in processor time."""

from __future__ import annotations

import dataclasses
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from qosgate_dev.testing import Cluster

USER = "ana"

_SLURM_CONF = """\
JobSubmitPlugins=qosgate
PluginDir={plugin_dir}:@PLUGINDIR@
PartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED
PartitionName=short Nodes=ALL MaxTime=60 DefaultTime=30
"""

# One record of each is repeated under other names. The QOS small refuses the last.
_JOBS = (
    "-n4 --time=120 --mem-per-cpu=2000",
    "--gpus-per-node=1 --time=5",
    "-N2 --ntasks-per-node=8 --time=1-0 --mem=64000 --exclusive",
    "--array=1-40 -c4 --mem=8G --time=60",
    "-p short,main --time=20",
    "",
    "--qos=small -n3",
)

# What people write instead who only want to count records.
_COUNT_BY_PYTHON = """\
import collections, json, sys
print(collections.Counter(json.loads(line)["outcome"] for line in open(sys.argv[1])))
"""


@dataclasses.dataclass(frozen=True)
class Times:
    """Processor time of each run, in seconds."""

    records: int
    qosgate: list[float]
    python: list[float]

    @property
    def ratio(self) -> float:
        """How many times as long Python takes to read them."""
        return statistics.median(self.python) / statistics.median(self.qosgate)


def measure(build: Path, records: int, runs: int) -> Times:
    """Both programs read the same file, in turns. Errors: ClusterFailed."""
    cluster = Cluster.up(nodes=2, users=[USER], slurm_conf=_SLURM_CONF.format(plugin_dir=build / "plugin"))
    try:
        directory = cluster.directory.with_name("replay")
        directory.mkdir(mode=0o777)
        directory.chmod(0o777)
        lines = _record_jobs(cluster, directory / "live.jsonl")
        many = directory / "many.jsonl"
        _write_many(lines, many, records)
        qosgate = str(build / "contrib/qosgate/qosgate")
        world, rules = directory / "world.json", directory / "rules"
        rules.mkdir()
        cluster.run([qosgate, "capture", str(world)], check=True)
        replay = [qosgate, "policy", "replay", "--json", "--from", str(many), "--world", str(world), "--policy", str(rules)]
        count = [sys.executable, "-c", _COUNT_BY_PYTHON, str(many)]
        times = Times(records, [], [])
        for _ in range(runs):
            times.qosgate.append(_processor_seconds(replay))
            times.python.append(_processor_seconds(count))
        return times
    finally:
        cluster.down()


def _record_jobs(cluster: Cluster, file: Path) -> list[str]:
    """The records that slurmctld's plugin writes about the jobs."""
    for line in ("add qos small MaxTRESPerJob=cpu=2 Flags=DenyOnLimit", "add account astro",
                 f"add user {USER} account=astro qos=normal,small"):  # fmt: skip
        cluster.sacctmgr(line)
    rules = cluster.layout.slurm_conf.with_name("qosgate.d")
    rules.mkdir(mode=0o755)
    (rules / "site.lua").write_text(f'site {{ record_file = "{file}", record_percent = 100 }}\n')
    cluster.wait_for(
        lambda: cluster.run("sbatch --hold --wrap=true", USER) and file.exists(), "decisions are recorded"
    )
    for number, options in enumerate(_JOBS):
        cluster.run(["sbatch", "--hold", f"--job-name=bench{number}", *options.split(), "--wrap=true"], USER)
    wanted = [f'"bench{number}"' for number in range(len(_JOBS))]
    cluster.wait_for(lambda: all(name in file.read_text() for name in wanted), "all jobs are recorded")
    return [line for line in file.read_text().splitlines() if any(name in line for name in wanted)]


def _write_many(lines: list[str], file: Path, count: int) -> None:
    """Repeats the records with ids and names of their own."""
    records = [json.loads(line) for line in lines]
    with file.open("w") as out:
        for number in range(count):
            record = records[number % len(records)]
            record["id"] = f"bench-{number}"
            record["request"]["name"] = f"run_{number}"
            out.write(json.dumps(record) + "\n")


def _processor_seconds(command: list[str]) -> float:
    """What a command takes, of user and system time."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1: some jobs would be decided otherwise
        raise subprocess.CalledProcessError(process.returncode, command)
    return usage.ru_utime + usage.ru_stime
