# SPDX-License-Identifier: GPL-2.0-or-later
"""A job of a scenario as a user would type it: sbatch's options, and the options in the script."""

from __future__ import annotations

import dataclasses
import json
import random
import re
from typing import Any

Json = dict[str, Any]

_UNLIMITED = "UNLIMITED"

# Fields with an option of their own.
_OPTIONS = {
    "account": "--account",
    "partition": "--partition",
    "qos": "--qos",
    "reservation": "--reservation",
    "licenses": "--licenses",
    "array_inx": "--array",
    "num_tasks": "--ntasks",
    "cpus_per_task": "--cpus-per-task",
    "ntasks_per_node": "--ntasks-per-node",
    "sockets_per_node": "--sockets-per-node",
    "time_limit": "--time",
    "time_min": "--time-min",
    "mem_per_node": "--mem",
    "mem_per_cpu": "--mem-per-cpu",
}
_GPU_OPTIONS = {
    "tres_per_job": "--gpus",
    "tres_per_socket": "--gpus-per-socket",
    "tres_per_task": "--gpus-per-task",
    "cpus_per_tres": "--cpus-per-gpu",
    "mem_per_tres": "--mem-per-gpu",
}
# Fields that the commands derive, or that are written elsewhere.
_IMPLIED = {"client", "user_id", "min_cpus", "priority", "min_nodes", "max_nodes", "tres_per_node", "overcommit", "shared"}


@dataclasses.dataclass(frozen=True)
class Command:
    """Options for sbatch, on the command line and in the script."""

    options: list[str]
    in_script: list[str]

    @property
    def script(self) -> str:
        """A job that runs until it is ended."""
        lines = [f"#SBATCH {option}" for option in self.in_script]
        return "\n".join(["#!/bin/sh", *lines, "exec sleep 300", ""])


def command_of(job: Json) -> Command | None:
    """None for a job that options cannot describe. The same job always gives the same command."""
    if job.keys() - _OPTIONS.keys() - _GPU_OPTIONS.keys() - _IMPLIED:
        return None
    dice = random.Random(json.dumps(job, sort_keys=True))
    said = [f"{option}={job[field]}" for field, option in _OPTIONS.items() if field in job]
    said += [f"{option}={_gpus(job[field])}" for field, option in _GPU_OPTIONS.items() if field in job]
    if "min_nodes" in job:
        most = job.get("max_nodes", job["min_nodes"])
        said.append(f"--nodes={job['min_nodes']}" + (f"-{most}" if most != job["min_nodes"] else ""))
    if "tres_per_node" in job:
        said.append(_per_node(job["tres_per_node"], dice.choice(("--gres", "--gpus-per-node"))))
    if "overcommit" in job:
        said.append("--overcommit")
    if job.get("shared") == 0:
        said.append("--exclusive")
    in_script = [] if dice.random() < 0.6 else [option for option in said if dice.random() < 0.5]
    return Command([option for option in said if option not in in_script], in_script)


def _gpus(text: str) -> str:
    """ "gres:gpu:a100:2,gres:gpu:h100:1" as "a100:2,h100:1"."""
    return ",".join(re.sub(r"^gres[:/]gpu:?", "", part) or "1" for part in text.split(","))


def _per_node(text: str, option: str) -> str:
    if option == "--gres":
        return "--gres=" + ",".join(re.sub(r"^gres[:/]", "", part) for part in text.split(","))
    return f"{option}={_gpus(text)}"
