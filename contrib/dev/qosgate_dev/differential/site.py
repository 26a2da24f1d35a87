# SPDX-License-Identifier: GPL-2.0-or-later
"""The cluster of the scenarios: everything that is the same for all of them."""

from __future__ import annotations

from qosgate_dev.testing import Cluster

USERS = ("ana", "ben", "cat")
FIRST_UID = 20001
UIDS = {user: FIRST_UID + number for number, user in enumerate((*USERS, "fil"))}

# (account, parent)
ACCOUNTS = (("astro", ""), ("stars", "astro"), ("bio", ""))
# (user, account); a user's first is the default. fil's jobs fill the nodes and count for nobody else.
MEMBERS = (
    ("ana", "astro"), ("ana", "bio"),
    ("ben", "stars"), ("ben", "astro"),
    ("cat", "bio"),
    ("fil", "filler"),
)  # fmt: skip

JOB_QOS = ("q1", "q2", "q3")
PARTITION_QOS = ("p1", "p2")
ALL_QOS = ("normal", *JOB_QOS, *PARTITION_QOS)
EMPTY_PARTITION = "void"  # without nodes
PARTITIONS = ("main", "side")
RESERVATION = "resv"
RESERVATION_OF_OTHERS = "theirs"
SMALL_RESERVATION = "small"  # one of the nodes of the annex, for ever
ANNEX = "annex"  # a partition for jobs with a reservation

NODES = ("node1", "node2", "node3", "node4")
NODE_CPUS = 32
NODE_MEMORY = 64000
LICENSES = "foo:10,bar:10"
NEVER_FREE = "bar:10"  # the reservations hold some of them
GPU_TYPES = ("a100", "h100")
GPUS_OF_TYPE = 4
TRES = ("cpu", "mem", "node", "gres/gpu", "gres/gpu:a100", "gres/gpu:h100", "license/foo", "billing")

SLURM_CONF = f"""\
NodeName=node[1-6] Sockets=2 CoresPerSocket={NODE_CPUS // 2} RealMemory={NODE_MEMORY} \
Gres=gpu:a100:{GPUS_OF_TYPE},gpu:h100:{GPUS_OF_TYPE}
PartitionName=main Nodes=node[1-4] Default=YES MaxTime=UNLIMITED
PartitionName=side Nodes=node[1-3] MaxTime=UNLIMITED
PartitionName={EMPTY_PARTITION} MaxTime=UNLIMITED
PartitionName={ANNEX} Nodes=node[5-6] MaxTime=UNLIMITED ReqResv=YES
PartitionName=canary Nodes=node[1-4] MaxTime=1000
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,bf_max_job_test=5000,bf_continue,bf_max_time=60
PriorityCalcPeriod=1
MinJobAge=2
MaxJobCount=50000
JobSubmitPlugins=qosgate
EnforcePartLimits=NO
AccountingStorageEnforce=associations,limits,qos,nojobs,nosteps
"""


def bring_up(build: str) -> Cluster:
    """A running cluster with users, accounts and QOSs without limits."""
    conf = SLURM_CONF + f"PluginDir={build}/plugin:@PLUGINDIR@\n"
    cluster = Cluster.up(
        users=[*USERS, "fil"], slurm_conf=conf, options=["--licenses", LICENSES, "--gpus", "0"]
    )
    try:
        _add_records(cluster)
    except BaseException:
        cluster.down()
        raise
    return cluster


def _add_records(cluster: Cluster) -> None:
    cluster.sacctmgr(f"add qos {','.join((*JOB_QOS, *PARTITION_QOS))}")
    cluster.sacctmgr("add account filler")
    for account, parent in ACCOUNTS:
        cluster.sacctmgr(f"add account {account}" + (f" parent={parent}" if parent else ""))
    for user, account in MEMBERS:
        cluster.sacctmgr(f"add user {user} account={account}")
    for name, users in ((RESERVATION, ",".join(USERS)), (RESERVATION_OF_OTHERS, "fil")):
        cluster.scontrol(
            f"create reservationname={name} users={users} licenses=bar:1"
            " starttime=now duration=infinite flags=license_only"
        )
    cluster.scontrol(
        f"create reservationname={SMALL_RESERVATION} users={','.join(USERS)} nodes=node5 starttime=now duration=infinite"
    )


def configure(cluster: Cluster, controller: dict[str, str]) -> None:
    """Restarts slurmctld with other settings than it has, such as {"EnforcePartLimits": "ALL"}."""
    path = cluster.layout.slurm_conf
    lines = path.read_text().splitlines()
    for key, value in controller.items():
        lines = [f"{key}={value}" if line.startswith(f"{key}=") else line for line in lines]
    text = "\n".join(lines) + "\n"
    if text == path.read_text():
        return
    path.write_text(text)
    cluster.restart("slurmctld")
    cluster.wait_for(lambda: _usable_nodes(cluster) == len(NODES), "all nodes have registered again")


def _usable_nodes(cluster: Cluster) -> int:
    states = cluster.run("sinfo -h -N -p main -o %T").stdout.split()
    return sum(state in ("idle", "mixed", "allocated") for state in states)
