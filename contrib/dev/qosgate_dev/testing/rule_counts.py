# SPDX-License-Identifier: GPL-2.0-or-later
"""What rules read of a job, beside what slurmctld charges for it when it runs."""

from __future__ import annotations

import re

from .cluster import Cluster

COUNTING_RULE = """\
rule {
    name = "counts",
    submit = function(job)
        job.admin_comment = ("%d %d %d %d %s"):format(job.nodes, job.cpus, job.memory, job.gpus, job.exclusive)
    end,
}
"""

_MIB = {"M": 1, "G": 1024}


def counts_of(cluster: Cluster, job: int) -> tuple[str, str, str]:
    """What COUNTING_RULE read of the job's nodes, CPUs, MiB and GPUs, what the job has of them when it runs, and
    whether the rule read that it is exclusive. Ends the job. Errors: ClusterFailed."""
    shown = cluster.wait_job(job, "RUNNING")
    text = cluster.scontrol(f"show job {job}").stdout
    read, exclusive = re.search(r"AdminComment=(.*\d) (true|false)", text).groups()
    tres = dict(part.split("=") for part in shown["TRES"].split(","))
    mib = int(float(tres["mem"][:-1]) * _MIB[tres["mem"][-1]])
    cluster.run(f"scancel {job}")
    return read, f"{tres['node']} {tres['cpu']} {mib} {tres.get('gres/gpu', '0')}", exclusive
