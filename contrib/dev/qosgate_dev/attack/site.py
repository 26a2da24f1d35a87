# SPDX-License-Identifier: GPL-2.0-or-later
"""The cluster that is attacked, and the rules in force there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from qosgate_dev.testing import Cluster
from qosgate_dev.testing.whole_files import replace_directory

USER = "ana"
NODES = 4
MOST_MEMORY = 8000  # MiB of a job
CPUS_OF_GPU = 8

# What a job gets whole. A cluster cannot have both.
UNITS = {"core": "CR_Core_Memory", "cpu": "CR_CPU_Memory"}
FIRST_UNIT = "core"

# Their jobs may use all nodes.
RESERVATIONS = {"plain": "", "of_gpu": "PartitionName=gpu", "of_drained": "PartitionName=drained"}

SLURM_CONF = f"""\
JobSubmitPlugins=qosgate
SelectTypeParameters={UNITS[FIRST_UNIT]}
NodeName=node[1-2] Sockets=2 CoresPerSocket=16 RealMemory=64000 Gres=gpu:a100:2,gpu:v100:2
NodeName=node[3-4] Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=64000 Gres=gpu:a100:4
PartitionName=main Nodes=node[1-2] Default=YES MaxTime=UNLIMITED DefaultTime=30
PartitionName=debug Nodes=node[1-2] MaxTime=60
PartitionName=gpu Nodes=node2 MaxTime=UNLIMITED
PartitionName=threads Nodes=node[3-4] MaxTime=UNLIMITED
PartitionName=defaults Nodes=node[1-2] MaxTime=UNLIMITED DefCpuPerGPU=4 DefMemPerGPU=2000
PartitionName=mixed Nodes=ALL MaxTime=UNLIMITED DefCpuPerGPU=3 DefMemPerCPU=1500
PartitionName=tight Nodes=node[1-2] MaxTime=UNLIMITED DefMemPerCPU=3000 MaxMemPerCPU=1000
PartitionName=scarce Nodes=node[3-4] MaxTime=UNLIMITED DefMemPerCPU=1900 MaxMemPerCPU=800 DefMemPerGPU=500
PartitionName=nothing Nodes=ALL MaxTime=UNLIMITED DefMemPerCPU=0
PartitionName=drained Nodes=ALL MaxTime=UNLIMITED State=DRAIN Alternate=inactive
PartitionName=inactive Nodes=node[1-2] MaxTime=UNLIMITED State=INACTIVE Alternate=threads
Licenses=seat:2,room:99
AllowSpecResourcesUsage=YES
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,bf_max_job_test=5000,bf_continue
PriorityType=priority/basic
MaxJobCount=50000
"""

# What a rule reads of a new job is in its admin_comment, of a change in slurmctld's log.
_COUNTS = """\
local fields = {
    "nodes", "max_nodes", "cpus", "memory", "gpus", "exclusive", "oversubscribe", "time_limit", "partition",
}
local function counts(job)
    local words = { "counts" }
    for _, name in ipairs(fields) do
        words[#words + 1] = name .. "=" .. tostring(job[name])
    end
    for _, kind in ipairs { "a100", "v100" } do
        words[#words + 1] = kind .. "=" .. tostring(job.tres["gres/gpu:" .. kind])
    end
    return table.concat(words, " ")
end
rule {
    name = "counts",
    submit = function(job)
        job.admin_comment = counts(job)
    end,
    modify = function(job)
        job:warn(counts(job))
    end,
}
"""
_CLOSED = f"""\
rule {{
    name = "closed",
    submit = function(job)
        if job.gpus > 0 and job.qos ~= "gpu" then
            job:reject("GPUs are for QOS gpu")
        elseif job.memory > {MOST_MEMORY} then
            job:reject("at most {MOST_MEMORY} MiB")
        elseif ("," .. job.partition .. ","):find(",debug,", 1, true) and job.gpus > 1 then
            job:reject("at most one GPU in debug")
        elseif job.exclusive then
            job:reject("no whole nodes")
        elseif job.gpus > 0 and job.cpus > {CPUS_OF_GPU} * job.gpus then
            job:reject("at most {CPUS_OF_GPU} CPUs for each GPU")
        end
    end,
}}
"""
# The rules of a round. Those that close things let through less of what would be counted.
POLICIES = {
    "counts": {"10-counts.lua": _COUNTS},
    "closed": {"10-counts.lua": _COUNTS, "20-closed.lua": _CLOSED},
}


class Setting(NamedTuple):
    """What a round is sent to: one of POLICIES, and one of UNITS."""

    policy: str
    unit: str


def settings(policy: str | None = None, unit: str | None = None) -> list[Setting]:
    """All, or those with this policy or unit."""
    policies, units = [policy] if policy else POLICIES, [unit] if unit else UNITS
    return [Setting(rules, whole) for whole in units for rules in policies]


def bring_up(build: Path) -> Cluster:
    """A running cluster, without rules so far, with FIRST_UNIT."""
    cluster = Cluster.up(
        nodes=NODES,
        users=[USER],
        slurm_conf=f"PluginDir={build}/plugin:@PLUGINDIR@\n{SLURM_CONF}",
        options=["--gpus", "0"],
    )
    try:
        for line in ("add qos gpu", "add account astro", f"add user {USER} account=astro qos=normal,gpu"):
            cluster.sacctmgr(line)
        for name, partition in RESERVATIONS.items():
            cluster.scontrol(
                f"create reservation ReservationName={name} {partition} Users={USER} StartTime=now Duration=UNLIMITED"
                " Licenses=room:1 NodeCnt=0 Flags=ANY_NODES"
            )
    except BaseException:
        cluster.down()
        raise
    return cluster


def put_in_force(cluster: Cluster, policy: str) -> None:
    """Replaces the rules by those of POLICIES. Errors: ClusterFailed."""
    directory = cluster.layout.slurm_conf.parent / "qosgate.d"
    mark = len(cluster.log("slurmctld"))
    replace_directory(directory, POLICIES[policy])
    cluster.wait_for(lambda: "in force:" in cluster.log("slurmctld")[mark:], f"the rules {policy!r} are in force")


def allocate_by(cluster: Cluster, unit: str) -> None:
    """Starts slurmctld again with this one of UNITS, and with the jobs that it has. Errors: ClusterFailed, also if it does
    not start with these."""
    conf = cluster.layout.slurm_conf
    conf.write_text(re.sub(r"(?m)^SelectTypeParameters=.*", f"SelectTypeParameters={UNITS[unit]}", conf.read_text()))
    mark = len(cluster.log("slurmctld"))
    cluster.restart("slurmctld")
    cluster.wait_for(lambda: "in force:" in cluster.log("slurmctld")[mark:], "the rules are in force again")
    wait_for_nodes(cluster)


def forget_jobs(cluster: Cluster) -> None:
    """Starts slurmctld again without any job: one that it does not survive would end it again."""
    cluster.tool("stop", "slurmctld", check=False)
    state = cluster.layout.controller_state
    for path in state.glob("job_state*"):
        path.unlink()
    cluster.start("slurmctld")
    wait_for_nodes(cluster)


def wait_for_nodes(cluster: Cluster) -> None:
    usable = lambda: cluster.run("sinfo -h -N -p mixed -o %T").stdout.split() == ["idle"] * NODES
    cluster.wait_for(usable, "all nodes are idle")
