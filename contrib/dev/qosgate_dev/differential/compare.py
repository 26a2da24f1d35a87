# SPDX-License-Identifier: GPL-2.0-or-later
"""What counts as agreement between the engine's forecast and slurmctld; contrib/doc/differential.md has the reasons."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator
from typing import Any

from . import site

Json = dict[str, Any]

NO_TIME = 0xFFFFFFFE
UNLIMITED = 0xFFFFFFFF

ACCOUNTING_POLICY = 2050
PARTITION_CONFIG = 2015

# Refusals that have nothing to do with QOSs, accounts, partitions or limits.
OUTSIDE = {
    2014: "no nodes like these (2014)",
    2048: "no licenses like these (2048)",
    2072: "no generic resources like these (2072)",
    2123: "a negative nice value, refused before plugins (2123)",
}
# Refusals for names, nodes and dependencies: the engine has advice about them, and no verdict.
ADVISED = {
    2038: "a dependency",
    2052: "a reservation of others",
    2053: "a reservation that does not exist",
}
UNJUDGED = "UsageThreshold, refused (2015)"
STARTED_EARLY = "EnforcePartLimits=ALL, started in an earlier partition"

# Why a pending Reason is not compared.
HELD = "pending: held, asked for its submission only"
LATER = "pending: --begin or --dependency"
EXCLUSIVE = "pending: --exclusive"
PER_SOCKET = "pending: --gpus-per-socket"
MORE_NODES = "pending: given more nodes than it asked for"
MORE_GPUS = "pending: planned with more GPUs than it will get"
FEWER_CPUS = "pending: planned with fewer CPUs than it will get"
FEWER_NODES = "pending: planned on fewer nodes than it may get"
MIXED_MODELS = "pending: CPUs per GPU of several models"
SHARED_NODES = "pending: a node limit where others use nodes it might share"
TASKS_OVER_LIMIT = "pending: tasks that fill more nodes than a limit allows"
TIME_MIN = "pending: --time-min"
THRESHOLD = "pending: UsageThreshold"
TOGETHER = "pending: parts of a heterogeneous job, asked for their submission only"

# contrib/doc/differential.md explains each; the test compares the two lists.
LEFT_OUT = (
    *OUTSIDE.values(), UNJUDGED, STARTED_EARLY, HELD, LATER, EXCLUSIVE, PER_SOCKET, MORE_NODES, MORE_GPUS, FEWER_CPUS,
    FEWER_NODES, MIXED_MODELS, SHARED_NODES, TASKS_OVER_LIMIT, TIME_MIN, THRESHOLD, TOGETHER,
)  # fmt: skip

# Reasons of a job that no limit and no partition rule blocks.
UNBLOCKED = {"None", "Resources", "Priority", "Licenses", "ReqNodeNotAvail", "BeginTime", "Dependency", "Reservation"}

# slurmctld shows PartitionConfig for any of these until its main scheduler tries the job itself. It does not
# while an earlier job of the partition waits.
PARTITION_RULES = {"PartitionTimeLimit", "PartitionNodeLimit", "QOSNotAllowed", "AccountNotAllowed"}

# The Reasons of limits, and of a partition's rule, that keep a job from having as many nodes as it needs.
NODE_LIMITS = {
    "QOSMaxNodePerJobLimit", "QOSMaxNodePerUserLimit", "MaxNodePerAccount", "QOSGrpNodeLimit",
    "AssocMaxNodePerJobLimit", "AssocGrpNodeLimit", "PartitionNodeLimit",
}  # fmt: skip

# The Reasons of limits. slurmctld shows one of them, or none, in turn with AccountNotAllowed, and none in turn with
# PartitionNodeLimit: backfill does not check a partition's accounts, and gives no Reason for too many nodes.
LIMIT_PREFIXES = ("Assoc", "Max", "QOSGrp", "QOSMax", "QOSMin")

# The lines that slurmctld itself adds to those of the plugin.
OF_SLURMCTLD = re.compile(r"[A-Z]\w+|invalid partition specified: .*")

# The line about a limit that some tasks of an array keep.
SOME_TASKS = re.compile(r"at most \d+ tasks? of this array can run at once: ")

# What a job needs to start is no verdict beside advice: a held one is accepted.
STARTS_WITH = re.compile(r"could start(, when other jobs end,)? with: ")

FIELDS = ("accepted", "error", "refusal", "time limit", "pending", "plugin", "words", "suggestion", "check", "why", "limits", "counters")


@dataclasses.dataclass(frozen=True)
class Finding:
    """One field of one job."""

    field: str
    agrees: bool
    foretold: object
    actual: object
    limit: str = ""  # the Reason it is about


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Everything that was compared for one job, and why something was not."""

    findings: list[Finding]
    left_out: list[str]


def compare(scenario: Json, job: Json, result: Json) -> Comparison:
    """Compares what can be compared for one job; no findings if nothing can."""
    foretold, actual = result["foretold"], result["actual"]
    found = [*_suggestions(result), *_commands(result)]
    if actual["error"] in OUTSIDE:
        return Comparison(found, [OUTSIDE[actual["error"]]])
    if actual["error"] == PARTITION_CONFIG and _may_miss_threshold(scenario, job):
        return Comparison([each for each in found if each.field != "check"], [UNJUDGED])
    if _started_before_all_were_asked(scenario, job, foretold, actual):
        return Comparison(found, [STARTED_EARLY])
    found += _submission(foretold, actual, "parts" in job)
    left_out = []
    if "parts" in job:
        found.append(_words(foretold, actual))
        return Comparison(found, [TOGETHER])
    if actual["error"] == 0 and foretold["error"] == 0:
        found.append(_time_limit(scenario, job, foretold, actual))
        if why := _why_no_pending(scenario, job, foretold, actual):
            left_out.append(why)
        else:
            found.append(_pending(scenario, job, foretold, actual))
    found.append(_plugin(job, foretold, actual))
    found.append(_words(foretold, actual))
    return Comparison(found, left_out)


def _may_miss_threshold(scenario: Json, job: Json) -> bool:
    """Whether the fair share of the user may be below what a QOS of the job asks for."""
    asked = {part.get("qos") for part in (job, *job.get("parts", ()))}
    return any(
        "EnforceUsageThreshold" in qos["Flags"] and (name in asked or None in asked)
        for name, qos in scenario["qos"].items()
    )


def _started_before_all_were_asked(scenario: Json, job: Json, foretold: Json, actual: Json) -> bool:
    """An allocation that can start at once does so before slurmctld has checked its other partitions."""
    return (
        scenario["controller"]["EnforcePartLimits"] == "ALL"
        and job["client"] == "salloc"
        and "," in job.get("partition", "")
        and foretold["error"] == PARTITION_CONFIG
        and actual["error"] == 0
    )


def _why_no_pending(scenario: Json, job: Json, foretold: Json, actual: Json) -> str:
    """Why the pending Reason says nothing, or depends on nodes that are not selected yet; empty: it is compared."""
    if job.get("priority") == 0:
        return HELD
    if _starts_later(job):
        return LATER
    if actual["pending"] == "QOSUsageThreshold":
        return THRESHOLD
    if job.get("shared") == 0 and (not foretold["pending"] or _waits_for_nodes(actual)):
        return EXCLUSIVE
    if "tres_per_socket" in job:
        return PER_SOCKET
    if _outgrows_nodes(job):
        return MORE_NODES
    # While nodes are busy, backfill plans the job on nodes as they will be. Such jobs are compared if nodes
    # are free.
    if scenario["full"] and ("tres_per_task" in job or "tres_per_job" in job):
        return MORE_GPUS
    if scenario["full"] and _cpus_on_all_nodes(job) > job.get("min_cpus", job.get("min_nodes", 1)):
        return FEWER_CPUS
    if scenario["full"] and "tres_per_node" in job and job.get("max_nodes", 1) > job.get("min_nodes", 1):
        return FEWER_NODES
    if scenario["full"] and "cpus_per_tres" in job and _mixes_models(job):
        return MIXED_MODELS
    if _filled_nodes(job) > job.get("min_nodes", 1) and NODE_LIMITS & set(foretold["attempts"]):
        return TASKS_OVER_LIMIT
    if foretold["depends_on_nodes"]:
        return SHARED_NODES
    if "time_min" in job:
        return TIME_MIN
    return ""


def _waits_for_nodes(actual: Json) -> bool:
    """Whether the job has got no nodes yet. Before it has, slurmctld does not compare what they have with limits."""
    return actual["state"] == "PENDING" and actual["pending"] in ("None", "Priority", "Resources")


def _outgrows_nodes(job: Json) -> bool:
    """Whether the job's CPUs or GPUs are more than as many nodes as it asked for have, or its CPUs more
    than its tasks take."""
    nodes = job.get("min_nodes", 1)
    if "ntasks_per_node" in job:
        tasks = max(nodes, job.get("max_nodes", 1), _filled_nodes(job)) * job["ntasks_per_node"]
        if job.get("min_cpus", 1) > tasks * job.get("cpus_per_task", 1):
            return True
    gpus = 0
    for field, times in (("tres_per_job", 1), ("tres_per_task", job.get("num_tasks", 1))):
        if field in job:
            gpus = max(gpus, times * int(re.sub(r".*\D", "", job[field]) or 1))
    return bool(job.get("min_cpus", 1) > nodes * site.NODE_CPUS or gpus > nodes * site.GPUS_OF_TYPE)


def _mixes_models(job: Json) -> bool:
    """Whether the job asks for GPUs of several models in one option."""
    return any(str(value).count("gpu:") > 1 for field, value in job.items() if field.startswith("tres_per_"))


def _filled_nodes(job: Json) -> int:
    """How many nodes the job's tasks fill; 0 if it does not say how many fit on a node."""
    if "ntasks_per_node" not in job:
        return 0
    return math.ceil(job.get("num_tasks", 1) / job["ntasks_per_node"])


def _cpus_on_all_nodes(job: Json) -> int:
    """The CPUs of the job's tasks if it gets all nodes that it may have."""
    nodes = max(job.get("min_nodes", 1), min(job.get("max_nodes", 1), job.get("num_tasks", 99)))
    is_for_one = "overcommit" in job or job.get("num_tasks", 0) == 1
    return int(nodes * (1 if is_for_one else job.get("ntasks_per_node", 1)) * job.get("cpus_per_task", 1))


def _submission(foretold: Json, actual: Json, is_het: bool) -> Iterator[Finding]:
    accepts = foretold["error"] == 0
    if actual["error"] in ADVISED:
        yield Finding("accepted", bool(foretold["advice"]), foretold["advice"], ADVISED[actual["error"]])
        return
    limit = foretold["refusal"] or _refusal(actual["message"])
    yield Finding("accepted", accepts == (actual["error"] == 0), foretold["error"], actual["error"], limit)
    if accepts or actual["error"] == 0:
        return
    yield Finding("error", foretold["error"] == actual["error"], foretold["error"], actual["error"])
    if actual["error"] == ACCOUNTING_POLICY:
        told = _refusal(actual["message"])
        if not told and is_het:
            return  # slurmctld names no limit that the parts exceed together
        yield Finding("refusal", foretold["refusal"] == told, foretold["refusal"], told, told)


def _refusal(message: str) -> str:
    """slurmctld's own line: a Reason and nothing else."""
    lines = [line.rpartition("error: ")[2].strip() for line in message.splitlines()]
    return next((line for line in reversed(lines) if re.fullmatch(r"[A-Z]\w+", line)), "")


def _time_limit(scenario: Json, job: Json, foretold: Json, actual: Json) -> Finding:
    wanted = foretold["time_limit"]
    names = [name for name in actual["partition"].split(",") if name in scenario["partitions"]]
    partitions = [scenario["partitions"][name] for name in names]
    expected = {wanted}
    if "time_min" in job:
        # The scheduler chooses a time between the two.
        agrees = job["time_min"] <= actual["time_limit"] <= wanted
        return Finding("time limit", agrees, [job["time_min"], wanted], actual["time_limit"])
    if wanted == NO_TIME:
        expected = {_minutes(partition["max_time"]) for partition in partitions}
    if actual["state"] == "RUNNING":
        # A job that starts gets what its partition allows.
        for partition in partitions:
            if wanted == NO_TIME or wanted > _minutes(partition["max_time"]):
                default = partition["default_time"]
                expected.add(_minutes(partition["max_time"]) if default == UNLIMITED else default)
    return Finding("time limit", actual["time_limit"] in expected, sorted(expected), actual["time_limit"])


def _minutes(value: object) -> int:
    return UNLIMITED if value == "UNLIMITED" else int(str(value))


def _pending(scenario: Json, job: Json, foretold: Json, actual: Json) -> Finding:
    told, reason = foretold["pending"], actual["pending"]
    # With several partitions the Reason is that of the one tried last, not of the free one.
    possible = {told, *foretold["attempts"]}
    if actual["state"] == "RUNNING" or reason in UNBLOCKED:
        unseen = {"AccountNotAllowed", "PartitionNodeLimit"} if actual["state"] == "PENDING" else set()
        agrees = bool(possible & ({""} | unseen))
        reason = f"{actual['state']} {reason}"
    elif job.get("shared") == 0:
        agrees = bool(told)  # all of its nodes' resources count, and any limit on them may come first
    elif "AccountNotAllowed" in possible and reason.startswith(LIMIT_PREFIXES):
        agrees = True
    elif reason == "PartitionConfig":
        agrees = bool(possible & (PARTITION_RULES | {reason}))
    elif reason == "QOSNotAllowed":
        agrees = reason in possible or _shuts_out_qos(scenario, actual)
    else:
        agrees = reason in possible
    return Finding("pending", agrees, told, reason, told or reason)


def _shuts_out_qos(scenario: Json, actual: Json) -> bool:
    """Whether a partition of the job does not accept its QOS. The main scheduler checks that after the
    limits on running jobs and times, backfill before, so both Reasons alternate."""
    for name in actual["partition"].split(","):
        partition = scenario["partitions"].get(name, {})
        allowed, denied = partition.get("allow_qos", "ALL"), partition.get("deny_qos", "")
        if allowed != "ALL" and actual["qos"] not in allowed.split(","):
            return True
        if allowed == "ALL" and actual["qos"] in denied.split(","):
            return True
    return False


def _plugin(job: Json, foretold: Json, actual: Json) -> Finding:
    """The plugin's message, compared with what slurmctld did."""
    message = actual["message"]
    verdict = plugin_verdict(said_by_plugin(message), foretold["advice"])
    if actual["error"] == ACCOUNTING_POLICY:
        wanted = f"refused {_refusal(message)}"
    elif actual["error"] != 0:
        wanted = "refused "
    elif foretold["pending"]:
        # The plugin says only what blocks a job permanently if the job starts later.
        wanted = "accepted or never" if _starts_later(job) else f"waits {foretold['pending']}"
    else:
        wanted = "accepted "
    kind, _, token = verdict.partition(" ")
    said = said_by_plugin(message)
    agrees = verdict == wanted or (actual["error"] in ADVISED and any(line in foretold["advice"] for line in said))
    if kind == "advised" and wanted in ("accepted ", "accepted or never"):
        # slurmctld accepts a held job whatever its nodes have. Advice is certain: such a job does not run.
        agrees = actual["state"] != "RUNNING"
    elif wanted == "accepted or never":
        agrees = kind in ("accepted", "never")
    elif wanted.startswith("waits "):
        # The plugin names the partition that blocks the job least, or the limit that blocks it permanently.
        agrees = kind == "never" or (kind == "waits" and token in foretold["attempts"])
    return Finding("plugin", agrees, verdict, wanted)


def _starts_later(job: Json) -> bool:
    return job.get("priority") == 0 or "begins_in" in job or "dependency" in job


def _words(foretold: Json, actual: Json) -> Finding:
    """The plugin's message inside slurmctld, compared with the engine's outside."""
    said = said_by_plugin(actual["message"])
    return Finding("words", said == foretold["message"], foretold["message"], said)


def _suggestions(result: Json) -> Iterator[Finding]:
    """What the plugin suggests to a real sbatch, compared with what happened to it."""
    for proof in result.get("suggestions", []):
        works = proof["outcome"].startswith("starts")
        said = f"{proof['command']}: with {proof['suggestion']}"
        yield Finding("suggestion", works, said, proof["outcome"])


def _commands(result: Json) -> Iterator[Finding]:
    """What the commands for users said, compared with what happened."""
    for asked in result.get("commands", []):
        yield Finding(**asked)


def said_by_plugin(message: str) -> list[str]:
    """The lines of a message that are not slurmctld's own."""
    lines = [line.rpartition("judge_jobs: error: ")[2] for line in message.splitlines()]
    return [line for line in lines if line.strip() and not OF_SLURMCTLD.fullmatch(line)]


def first_refusal(said: list[str]) -> list[str]:
    """The lines without those of what else is wrong: slurmctld refuses the job before it looks at that."""
    begin = next((at for at, line in enumerate(said) if line.startswith("beside that")), len(said))
    end = next((at for at, line in enumerate(said) if at > begin and not line.startswith("  ")), len(said))
    return said[:begin] + said[end:]


def _as_of_accepted(line: str) -> str:
    """A line about a job that something else refuses, in the words for one that is accepted."""
    for refused, accepted in (
        ("this job would wait", "this job will wait"),
        ("this job might wait", "this job may wait"),
        ("this job could never start", "this job can never start"),
        ("slurmctld would never start it", "slurmctld never starts it"),
        ("slurmctld would end this job", "slurmctld will end this job"),
    ):
        line = line.replace(refused, accepted)
    return line


def plugin_verdict(said: list[str], advice: list[str]) -> str:
    """The plugin's lines as "refused TOKEN", "waits TOKEN", "never TOKEN", "advised " or "accepted ".

    `advice` are the lines that by the engine's own account are no verdict, but about what keeps the job from
    running beside limits and partition rules. They are told of accepted jobs, too, a held one for example.
    How many tasks of an array can run at once is no verdict either: the others wait for the first.
    """
    said = [_as_of_accepted(line) for line in said]
    verdict = [line for line in first_refusal(said) if line not in advice and not SOME_TASKS.match(line)]
    if all(STARTS_WITH.match(line) for line in verdict):
        verdict = []
    message = "\n".join(verdict)
    tokens = re.findall(r"\((?!MaxArraySize)([A-Z]\w+)\)", message)  # the Reasons that lines name
    token = tokens[0] if tokens else ""
    if re.search("this job (will|may) wait", message):
        return f"waits {token}"
    if "can never start" in message:
        return f"never {token}"
    if verdict:
        return f"refused {token}"
    return "advised " if any(line in advice for line in said) else "accepted "
