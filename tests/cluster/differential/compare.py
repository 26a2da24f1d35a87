# SPDX-License-Identifier: GPL-2.0-or-later
"""What counts as agreement between the engine's forecast and slurmctld; contrib/differential.md has the reasons."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

NO_TIME = 0xFFFFFFFE
UNLIMITED = 0xFFFFFFFF

ACCOUNTING_POLICY = 2050

# Refusals that have nothing to do with QOSs, accounts, partitions or limits.
OUTSIDE = {
    2014: "no nodes like these (2014)",
    2048: "licenses (2048)",
    2072: "generic resources (2072)",
}

# Reasons of a job that no limit and no partition rule holds back.
UNHELD = {"None", "Resources", "Priority", "Licenses", "ReqNodeNotAvail", "BeginTime", "Dependency", "Reservation"}

FIELDS = ("accepted", "error", "refusal", "time limit", "pending", "plugin")


@dataclasses.dataclass(frozen=True)
class Finding:
    """One field of one job."""

    field: str
    agrees: bool
    foretold: object
    actual: object
    limit: str = ""  # the Reason it is about


@dataclasses.dataclass(frozen=True)
class Skipped:
    """A job that is not compared."""

    why: str


def compare(scenario: Json, job: Json, result: Json) -> list[Finding] | Skipped:
    """All that can be compared of one job."""
    foretold, actual = result["foretold"], result["actual"]
    if actual["error"] in OUTSIDE:
        return Skipped(OUTSIDE[actual["error"]])
    found = list(_submission(foretold, actual))
    if actual["error"] == 0 and foretold["error"] == 0:
        found.append(_time_limit(scenario, job, foretold, actual))
        if job.get("priority") != 0:
            found.append(_pending(foretold, actual))
    found.append(_plugin(job, foretold, actual))
    return found


def _submission(foretold: Json, actual: Json) -> Iterator[Finding]:
    accepts = foretold["error"] == 0
    limit = foretold["refusal"] or _refusal(actual["message"])
    yield Finding("accepted", accepts == (actual["error"] == 0), foretold["error"], actual["error"], limit)
    if accepts or actual["error"] == 0:
        return
    yield Finding("error", foretold["error"] == actual["error"], foretold["error"], actual["error"])
    if actual["error"] == ACCOUNTING_POLICY:
        told = _refusal(actual["message"])
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
    if wanted == NO_TIME:
        expected = {_minutes(partition["max_time"]) for partition in partitions}
    if actual["state"] == "RUNNING":
        # A job that starts gets what its partition allows.
        for partition in partitions:
            if wanted == NO_TIME or wanted > _minutes(partition["max_time"]):
                default = partition["default_time"]
                expected.add(_minutes(partition["max_time"]) if default == UNLIMITED else default)
    if "time_min" in job:
        expected.add(actual["time_limit"])  # the scheduler chooses between the two
    return Finding("time limit", actual["time_limit"] in expected, sorted(expected), actual["time_limit"])


def _minutes(value: object) -> int:
    return UNLIMITED if value == "UNLIMITED" else int(str(value))


def _pending(foretold: Json, actual: Json) -> Finding:
    told, reason = foretold["pending"], actual["pending"]
    if actual["state"] == "RUNNING" or reason in UNHELD:
        return Finding("pending", told == "", told, actual["state"] + " " + reason, told)
    return Finding("pending", told == reason, told, reason, reason)


def _plugin(job: Json, foretold: Json, actual: Json) -> Finding:
    """The plugin's words, against what slurmctld did."""
    message = actual["message"]
    verdict = plugin_verdict(message)
    if actual["error"] == ACCOUNTING_POLICY:
        wanted = f"refused {_refusal(message)}"
    elif actual["error"] != 0:
        wanted = "refused "
    elif foretold["pending"]:
        wanted = f"waits {foretold['pending']}"
    else:
        wanted = "accepted "
    agrees = verdict == wanted or (verdict.startswith("never ") and wanted.startswith("waits "))
    return Finding("plugin", agrees, verdict, wanted)


def plugin_verdict(message: str) -> str:
    """The plugin's message as "refused TOKEN", "waits TOKEN", "never TOKEN" or "accepted "."""
    tokens = re.findall(r"\(([A-Z]\w+)\)", message)
    token = tokens[0] if tokens else ""
    if "this job will wait" in message:
        return f"waits {token}"
    if "can never start" in message:
        return f"never {token}"
    own = [line for line in message.splitlines() if not re.search(r"error: [A-Z]\w+$", line)]
    return f"refused {token}" if any(line.strip() for line in own) else "accepted "
