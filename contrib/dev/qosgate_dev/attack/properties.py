# SPDX-License-Identifier: GPL-2.0-or-later
"""What must hold of every request, as far as lua/README.md promises it.

A rule reads what a job gets on so many nodes as it says, at most. A job that does not say how many (max_nodes is nil)
may get more nodes than a rule reads, and then more of everything else, too. A job that takes whole nodes has what these
have. All nodes here have as many CPUs, as much memory and as many GPUs, but of several models.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from . import site
from .target import Outcome, Seen

_UNITS = {"": 1, "M": 1, "G": 1024, "T": 1024**2, "P": 1024**3, "?": 1024**4}

# slurm.h: whole nodes for a job, for its user, for its label. The last two share nodes, so that they count as others do.
_WHOLE_NODES = 0
_OF_USER = (2, 3)
_INFINITE = 0xFFFFFFFF


# What slurmctld counts, and the field of a job in which a rule reads it.
_FIELDS = {"cpu": "cpus", "mem": "memory", "gres/gpu": "gpus", "gres/gpu:a100": "a100", "gres/gpu:v100": "v100"}


def failures(outcome: Outcome, policy: str) -> Iterator[str]:
    """What does not hold, one line for each."""
    for seen in outcome.jobs:
        if not seen.read:
            yield f"job {seen.job['job']} was accepted, and no rule has read it"
            continue
        yield from _counts(seen)
        if policy == "closed" and seen.job["has"]:
            yield from _closed(seen)


def _counts(seen: Seen) -> Iterator[str]:
    job = seen.job
    amounts = amounts_of(job["has"] or job["asked"])
    has = "has" if job["has"] else "asks for"
    share = _share_of_nodes(seen, amounts)
    takes_whole_nodes = job["shared"] == _WHOLE_NODES
    if _most_read(seen, "nodes")[1] < 1:
        yield "a rule read nodes 0"
    for name, field in _FIELDS.items():
        if name.startswith("gres/gpu:") and (takes_whole_nodes or not _names_all_models(seen)):
            continue
        _, read = _most_read(seen, field)
        amount = amounts.get(name, 0)
        if amount * share > read:
            yield f"a rule read {field} {read:g}, and the job {has} {amount}" + _on_nodes(seen, amounts)
    most_nodes = max(_most_read(seen, "nodes")[1], _most_read(seen, "max_nodes")[1])
    if all(read["max_nodes"] != "nil" for read in seen.read) and amounts["node"] > most_nodes:
        yield f"a rule read at most {most_nodes:g} nodes, and the job {has} {amounts['node']}"
    if takes_whole_nodes and not any(read["exclusive"] == "true" for read in seen.read):
        yield "a rule read no --exclusive, and the job takes whole nodes"
    if job["shared"] in _OF_USER and not any(read["oversubscribe"] in ("user", "mcs") for read in seen.read):
        yield "a rule read no --exclusive=user, and the job does not share its nodes"
    minutes = math.inf if job["time_limit"] == _INFINITE else job["time_limit"]
    _, read = _most_read(seen, "time_limit")
    if minutes > read:
        yield f"a rule read time_limit {read:g}, and the job has {minutes:g}"


def _closed(seen: Seen) -> Iterator[str]:
    """What no job may have that rules closed."""
    job = seen.job
    amounts = amounts_of(job["has"])
    share = _share_of_nodes(seen, amounts)
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
            yield f"the rules forbid it: {what}" + _on_nodes(seen, amounts)


def amounts_of(text: str) -> dict[str, int]:
    """Counts by TRES, memory in MiB, of a text such as cpu=1,mem=10G,gres/gpu=2."""
    amounts = {"node": 0, "cpu": 0, "mem": 0}
    for part in filter(None, text.split(",")):
        name, _, amount = part.partition("=")
        unit = amount.lstrip("0123456789.")
        amounts[name] = round(float(amount.removesuffix(unit)) * _UNITS[unit])
    return amounts


def _most_read(seen: Seen, field: str) -> tuple[str, float]:
    """The largest value that any rule read, as a change may have been made in part or not at all."""
    values = [0.0 if read[field] == "nil" else float(read[field]) for read in seen.read]
    return field, max(values)


def _share_of_nodes(seen: Seen, amounts: dict[str, int]) -> float:
    _, nodes = _most_read(seen, "nodes")
    if all(read["max_nodes"] != "nil" for read in seen.read):
        return 1.0
    return min(1.0, max(nodes, 1.0) / amounts["node"]) if amounts["node"] else 1.0


def _on_nodes(seen: Seen, amounts: dict[str, int]) -> str:
    return f", on {amounts['node']} nodes where it read {_most_read(seen, 'nodes')[1]:g}" if amounts["node"] else ""


def _names_all_models(seen: Seen) -> bool:
    """A GPU of any model is none of a certain one."""
    return all(
        sum(float(read[kind]) for kind in ("a100", "v100") if read[kind] != "nil") >= float(read["gpus"])
        for read in seen.read
    )
