# SPDX-License-Identifier: GPL-2.0-or-later
"""Asks `qosgate verify` once, `qosgate check` and `qosgate limits` before a submission and `qosgate why` after it, and takes
them at their word."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

from . import compare
from .commands import Command, command_of
from .terminal import Terminal, job_id_of, sbatch_words

Json = dict[str, Any]

_USAGE, _UNKNOWN = 64, 66
_EXIT_OF_STATUS = {"accepted": 0, "refused": 1, "blocked": 1}

# What slurmctld's own errors say about nodes, licenses and generic resources.
_OUTSIDE = re.compile(r"Requested node configuration|Invalid license|Invalid generic resource|Invalid feature")

# What slurmctld and sbatch themselves say in the end: the Reason of a limit, and the error.
_END_OF_REFUSAL = re.compile(r"sbatch: error: ([A-Z]\w+|Batch job submission failed: .*)")

# A line of slurmctld's own in the message of a refusal.
_OF_SLURMCTLD = re.compile(r"sbatch: error: invalid partition specified: ")


class UserCommands:
    """Asks the commands, as users and administrators do."""

    def __init__(self, terminal: Terminal, qosgate: str) -> None:
        self._terminal = terminal
        self._qosgate = qosgate

    def ask(self, scenario: Json, every: int) -> list[list[Json]]:
        """What they said and what happened, for every n-th job of a scenario that is set up."""
        is_full = scenario.get("full", False)
        counters = self._ask_verify(scenario)
        asked = [
            self._ask(job, number, is_full) if number % every == 0 else [] for number, job in enumerate(scenario["jobs"])
        ]
        return [[counters, *asked[0]], *asked[1:]]

    def _ask_verify(self, scenario: Json) -> Json:
        """The counters are those of the jobs that run and wait, but for what slurmctld itself counts wrongly."""
        done = self._terminal.run(self._qosgate, "verify", "--json")
        answer = json.loads(done.stdout)
        wrong = [each for each in answer["differences"] if not _is_slurmctlds(each, scenario)]
        return {"field": "counters", "agrees": not wrong, "foretold": "those of the jobs", "actual": wrong}

    def _ask(self, job: Json, number: int, is_full: bool) -> list[Json]:
        command = command_of(job)
        if command is None:
            return []
        asked = [self._ask_check(job, command)]
        part = self._check(job, command)["parts"][0]
        if part["status"] == "accepted" and part["pending_reason"] is not None:
            asked += self._ask_why(job, command, part["pending_reason"], number)
        elif part["status"] == "accepted" and not is_full:  # where all nodes are full, none starts
            asked.append(self._ask_limits(job, command, part))
        return [each for each in asked if each]

    def _check(self, job: Json, command: Command, *added: str) -> Json:
        words = [self._qosgate, "check", "--json", "--", *sbatch_words(command, *added)]
        done = self._terminal.run(*words, user=job["user_id"], script=command.script)
        try:
            answer = json.loads(done.stdout)
            if done.rc == _USAGE:  # sbatch itself refuses the options
                lines = [line for line in done.stderr.splitlines() if line.startswith("sbatch: ")]
                return {"status": "refused", "user_reads": lines, "client_lines": [], "parts": [{"status": "refused"}]}
            assert done.rc == (1 if answer["never_starts"] else _EXIT_OF_STATUS[answer["status"]])
            answer["client_lines"] = done.stderr.splitlines()  # sbatch has said them already
        except (ValueError, KeyError, AssertionError):
            raise AssertionError(str(done)) from None
        return answer

    def _ask_check(self, job: Json, command: Command) -> Json:
        """A held job takes nothing from the jobs that are asked about after it."""
        foretold = self._check(job, command, "--hold")
        from_client = foretold["client_lines"]
        actual = self._terminal.sbatch(job, command, "--hold")
        self._terminal.end(job_id_of(actual))
        foretold_lines = [line for line in foretold["user_reads"] if not _OF_SLURMCTLD.match(line)]
        said = [line for line in actual.stderr.splitlines() if not _OF_SLURMCTLD.match(line) and line not in from_client]
        if _OUTSIDE.search(actual.stderr):
            if foretold["status"] == "accepted":
                return {}
            # slurmctld has found this before the limit.
            foretold_lines = [line for line in foretold_lines if not _END_OF_REFUSAL.fullmatch(line)]
            said = [line for line in said if not _END_OF_REFUSAL.fullmatch(line)]
        is_accepted = bool(job_id_of(actual))
        agrees = foretold["status"] == "blocked" or (foretold["status"] == "accepted") == is_accepted
        if foretold["status"] == "blocked":  # slurmctld has its own words for why
            foretold_lines, said = _plain(foretold_lines), _plain(said)[: len(foretold_lines)]
        return {
            "field": "check",
            "agrees": agrees and said == foretold_lines,
            "foretold": [foretold["status"], *foretold_lines],
            "actual": ["accepted" if is_accepted else "refused", *said],
        }

    def _ask_why(self, job: Json, command: Command, foretold: str, number: int) -> list[Json]:
        submitted = job_id_of(self._terminal.sbatch(job, command))
        if not submitted:
            return []
        try:
            reasons = self._terminal.settled_reasons_of(submitted, {foretold})
            if not reasons or not reasons.isdisjoint(compare.UNBLOCKED):
                return []
            answer = self._why(job, submitted)
            # Before a change is tried.
            limits = self._judge_limits(job, answer)
            if limits and not limits["agrees"]:  # a job may have ended between the two commands
                limits = self._judge_limits(job, self._why(job, submitted))
            return [limits, self._judge_why(job, submitted, answer, reasons, number)]
        finally:
            self._terminal.end(submitted)

    def _why(self, job: Json, job_id: str) -> Json:
        done = self._terminal.run(self._qosgate, "why", "--json", job_id, user=job["user_id"])
        (answer,) = json.loads(done.stdout)["jobs"]
        return answer

    def _limits_that_count(self, job: Json, place: Json) -> list[Json] | None:
        """What `qosgate limits` says of the account, QOS and partitions of a job; None: it cannot be asked."""
        if not all(place[name] for name in ("account", "qos", "partition")):
            return None
        counting: list[Json] = []
        for partition in place["partition"].split(","):
            names = ["--account", place["account"], "--qos", place["qos"], "--partition", partition]
            done = self._terminal.run(self._qosgate, "limits", "--json", *names, user=job["user_id"])
            if done.rc == _UNKNOWN:  # the partition does not take such jobs, or the user is not in the account
                return None
            assert done.rc == 0, done
            answer = json.loads(done.stdout)
            if not answer["is_enforced"]:
                return None
            counting += [limit for account in answer["accounts"] for each in account["groups"] for limit in each["limits"]]
        return counting

    def _judge_limits(self, job: Json, why: Json) -> Json:
        """The limits that a job waits for are among those that count, with the same numbers."""
        held = [reason for reason in why["reasons"] if reason["limit"] and reason["limit"]["value"] is not None]
        counting = self._limits_that_count(job, why)
        if not held or counting is None:
            return {}
        problems = [problem for reason in held if (problem := _problem_with(reason["limit"], counting))]
        return {"field": "limits", "agrees": not problems, "foretold": counting, "actual": problems}

    def _ask_limits(self, job: Json, command: Command, part: Json) -> Json:
        """No limit leaves less than what a job gets that starts."""
        if "," in (part["partition"] or ",") or "array" in job:
            return {}
        counting = self._limits_that_count(job, part)
        submitted = job_id_of(self._terminal.sbatch(job, command)) if counting else ""
        if not counting or not submitted:
            return {}
        try:
            if self._terminal.settled_reasons_of(submitted, set()):
                return {}
            got = self._terminal.run("squeue", "-h", "-a", "-t", "RUNNING", "-j", submitted, "-o", "%C")
        finally:
            self._terminal.end(submitted)
        if not got.stdout.strip().isdecimal():
            return {}
        cpus = int(got.stdout)
        problems = [f"{cpus} CPUs in spite of {limit}" for limit in counting if _leaves_less(limit, cpus)]
        return {"field": "limits", "agrees": not problems, "foretold": counting, "actual": problems}

    def _judge_why(self, job: Json, job_id: str, answer: Json, before: set[str], number: int) -> Json:
        after = self._terminal.reasons_of(job_id)
        actual = "as squeue shows it"
        for reason in answer["reasons"]:
            if reason["reason"] not in before | after:
                actual = f"squeue shows {sorted(before | after)}"
            elif problem := _problem_of(reason["limit"]):
                actual = problem
        if actual == "as squeue shows it" and answer["changes"]:
            line = answer["changes"][number % len(answer["changes"])]
            actual = self._take_literally(job, job_id, line) or actual
        return {
            "field": "why",
            "agrees": actual == "as squeue shows it",
            "foretold": {name: answer[name] for name in ("reasons", "changes")},
            "actual": actual,
        }

    def _take_literally(self, job: Json, job_id: str, line: str) -> str:
        """What is wrong with a change; "" if limits and partitions no longer hold the job back."""
        changed = self._terminal.run(*shlex.split(line), user=job["user_id"])
        if changed.rc != 0:
            return f"{line}: {changed.stderr}"
        # With several partitions the Reason is that of the one tried last, not of the one in which it could start.
        places = self._terminal.run("squeue", "-h", "-a", "-j", job_id, "-o", "%P").stdout.split()
        names = places[0].split(",") if places else []
        for name in ("", *(names if len(names) > 1 else ())):
            if name and self._terminal.run("scontrol", "update", f"JobId={job_id}", f"Partition={name}").rc != 0:
                continue
            reasons = self._terminal.settled_reasons_of(job_id, compare.UNBLOCKED - {"None"})
            if reasons <= compare.UNBLOCKED:
                return ""
        return f"{line}: waits for {sorted(reasons)}"


def _is_slurmctlds(difference: Json, scenario: Json) -> bool:
    """Whether a counter may differ from the jobs because slurmctld counts wrongly (engine/qosgate/limits/README.md 7)."""
    if difference["what"] == "tres_run_minutes":
        return any(
            qos.get("UsageFactor", 1.0) != 1.0 for name in ("qos", "later_qos") for qos in scenario.get(name, {}).values()
        )
    if difference["what"] == "submitted_jobs" and difference["kept"] < difference["counted"]:
        jobs = scenario["running"] + scenario["jobs"]
        has_started_in_one = any(job["client"] == "salloc" and "," in job.get("partition", "") for job in jobs)
        return has_started_in_one and difference["qos"] in {each["qos"] for each in scenario["partitions"].values()}
    return False


def _plain(lines: list[str]) -> list[str]:
    """Whether slurmctld accepts a job that it never starts decides whether its lines are errors."""
    return [line.replace("sbatch: error: ", "sbatch: ", 1) for line in lines]


def _problem_with(held: Json, counting: list[Json]) -> str:
    """What is wrong with the limit that a job waits for among those that count; "" if nothing is."""
    same = [
        limit
        for limit in counting
        if all(limit[name] == held[name] for name in ("limit", "tres", "value"))
        and limit["used"] in (None, held["used"])
    ]
    if not same:
        return f"not among them: {held}"
    if held["asked"] is None or same[0]["left"] is None or same[0]["is_minimum"]:
        return ""
    return f"it leaves room: {same[0]}" if same[0]["left"] >= held["asked"] else ""


def _leaves_less(limit: Json, cpus: int) -> bool:
    """Whether a job with so many CPUs exceeds what a limit on CPUs or running jobs leaves."""
    name = limit["limit"]
    if limit["is_minimum"] or limit["counts"] == "node" or "Mins" in name or "Submit" in name:
        return False
    left = limit["value"] if limit["left"] is None else limit["left"]
    return left < cpus if limit["tres"] == "cpu" else "Jobs" in name and left < 1


def _problem_of(limit: Json | None) -> str:
    """What is wrong with the numbers of a limit; "" if nothing is."""
    if limit is None or limit["is_hidden"] or limit["value"] is None:
        return ""
    value, used, asked = limit["value"], limit["used"] or 0, limit["asked"]
    if limit["limit"].startswith("Min"):
        return f"it is asked for: {limit}" if asked is not None and asked >= value else ""
    if limit["limit"] == "GrpWall" and used >= value:
        return ""  # it is broken as soon as it is reached, by a job that counts as nothing, too
    if asked is not None and used + asked <= value:
        return f"there is room: {limit}"
    if limit["is_permanent"] and asked is not None and asked <= value:
        return f"waiting helps: {limit}"
    return ""
