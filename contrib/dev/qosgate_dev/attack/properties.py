# SPDX-License-Identifier: GPL-2.0-or-later
"""What must hold of every request, as far as contrib/doc/rules-view.md promises it.

Whoever reads the job may be the only one that forbids it: what holds must hold of each reading. A rule reads what a job
gets on so many nodes as it says, at most. A job that does not say how many (max_nodes is nil)
may get more nodes than a rule reads, and then more of everything else, too; but not if it is alone on the cluster: a
rule reads the fewest nodes that hold it. A job that takes whole nodes has what these have. All nodes here have as many CPUs, as much memory and as many GPUs, but of several models.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from . import site
from .target import Counts, Json, Outcome

_UNITS = {"": 1, "M": 1, "G": 1024, "T": 1024**2, "P": 1024**3, "?": 1024**4}

# slurm.h: whole nodes for a job, for its user, for its label. The last two share nodes, so that they count as others do.
_WHOLE_NODES = 0
_OF_USER = (2, 3)
_INFINITE = 0xFFFFFFFF


# What slurmctld counts, and the field of a job in which a rule reads it.
_FIELDS = {"cpu": "cpus", "mem": "memory", "gres/gpu": "gpus", "gres/gpu:a100": "a100", "gres/gpu:v100": "v100"}


def failures(outcome: Outcome, policy: str, *, is_alone: bool = False) -> Iterator[str]:
    """What does not hold, one line for each. `is_alone`: it had the cluster for itself."""
    for seen in outcome.jobs:
        if not seen.read:
            yield f"job {seen.job['job']} was accepted, and no rule has read it"
            continue
        if outcome.request.change and not seen.job["has"]:
            continue  # what slurmctld shows of what it asks for may be of before the change
        yield from dict.fromkeys(what for read in seen.read for what in _counts(seen.job, read, is_alone))
        if policy == "closed" and seen.job["has"]:
            yield from _closed(seen.job, seen.read[-1], is_alone)


def is_excused(outcome: Outcome) -> bool:
    """Whether its only job has more nodes than a rule read, as it may have if others are busy."""
    if len(outcome.jobs) != 1:
        return False
    seen = outcome.jobs[0]
    amounts = amounts_of(seen.job["has"])
    return any(_share_of_nodes(read, amounts) < 1.0 for read in seen.read)


def _counts(job: Json, read: Counts, is_alone: bool) -> Iterator[str]:
    amounts = amounts_of(job["has"] or job["asked"])
    has = "has" if job["has"] else "asks for"
    share = 1.0 if is_alone else _share_of_nodes(read, amounts)
    takes_whole_nodes = job["shared"] == _WHOLE_NODES
    if _number(read, "nodes") < 1:
        yield "a rule read nodes 0"
    for name, field in _FIELDS.items():
        if name.startswith("gres/gpu:") and (takes_whole_nodes or not _names_all_models(read)):
            continue
        count = _number(read, field)
        amount = amounts.get(name, 0)
        if amount * share > count:
            yield f"a rule read {field} {count:g}, and the job {has} {amount}" + _on_nodes(read, amounts)
    most_nodes = max(_number(read, "nodes"), _number(read, "max_nodes"))
    if read["max_nodes"] != "nil" and amounts["node"] > most_nodes:
        yield f"a rule read at most {most_nodes:g} nodes, and the job {has} {amounts['node']}"
    if not set(job["partition"].split(",")) <= set(read["partition"].split(",")):
        yield f"a rule read partition {read['partition']}, and the job is in {job['partition']}"
    if takes_whole_nodes and read["exclusive"] != "true":
        yield "a rule read no --exclusive, and the job takes whole nodes"
    if job["shared"] in _OF_USER and read["oversubscribe"] not in ("user", "mcs"):
        yield "a rule read no --exclusive=user, and the job does not share its nodes"
    minutes = math.inf if job["time_limit"] == _INFINITE else job["time_limit"]
    if minutes > _number(read, "time_limit"):
        yield f"a rule read time_limit {_number(read, 'time_limit'):g}, and the job has {minutes:g}"


def _closed(job: Json, read: Counts, is_alone: bool) -> Iterator[str]:
    """What no job may have that rules closed."""
    amounts = amounts_of(job["has"])
    share = 1.0 if is_alone else _share_of_nodes(read, amounts)
    gpus = amounts.get("gres/gpu", 0)
    checks: dict[str, Callable[[], bool]] = {
        f"it has {gpus} GPUs in QOS {job['qos']}": lambda: gpus > 0 and job["qos"] != "gpu",
        f"it has {amounts['mem']} MiB": lambda: amounts["mem"] * share > site.MOST_MEMORY,
        f"it has {gpus} GPUs in debug": lambda: job["partition"] == "debug" and gpus * share > 1,
        "it takes whole nodes": lambda: job["shared"] == _WHOLE_NODES,
        f"it has {amounts['cpu']} CPUs and {gpus} GPUs": lambda: gpus > 0
        and amounts["cpu"] * share > site.CPUS_OF_GPU * gpus,
    }
    for what, is_broken in checks.items():
        if is_broken():
            yield f"the rules forbid it: {what}" + _on_nodes(read, amounts)


def amounts_of(text: str) -> dict[str, int]:
    """Counts by TRES, memory in MiB, of a text such as cpu=1,mem=10G,gres/gpu=2."""
    amounts = {"node": 0, "cpu": 0, "mem": 0}
    for part in filter(None, text.split(",")):
        name, _, amount = part.partition("=")
        unit = amount.lstrip("0123456789.")
        amounts[name] = round(float(amount.removesuffix(unit)) * _UNITS[unit])
    return amounts


def _number(read: Counts, field: str) -> float:
    return 0.0 if read[field] == "nil" else float(read[field])


def _share_of_nodes(read: Counts, amounts: dict[str, int]) -> float:
    if read["max_nodes"] != "nil":
        return 1.0
    return min(1.0, max(_number(read, "nodes"), 1.0) / amounts["node"]) if amounts["node"] else 1.0


def _on_nodes(read: Counts, amounts: dict[str, int]) -> str:
    return f", on {amounts['node']} nodes where it read {_number(read, 'nodes'):g}" if amounts["node"] else ""


def _names_all_models(read: Counts) -> bool:
    """A GPU of any model is none of a certain one."""
    return sum(_number(read, kind) for kind in ("a100", "v100")) >= float(read["gpus"])
