#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What contrib/dev/differential counts as agreement. Needs no cluster: the answers are invented."""

from __future__ import annotations

import re
import unittest

from qosgate_dev import ROOT
from qosgate_dev.differential import compare

NO_ROOM = "partition side has room for 6 tasks of this job; it asks for 8"
NO_NODE = "no node of partition side has that many CPUs: the largest has 4 for a job (MaxCPUsPerNode), this job asks for 8"
WAITS = ["this job will wait: CPUs per job: limit 4, this job asks for 8 (QOSMaxCpuPerJobLimit)"]
REFUSED = [
    "QOS q1 does not allow this job:",
    "  CPUs per job: limit 4, this job asks for 8 (QOSMaxCpuPerJobLimit)",
]


def verdict(lines: list[str], advice: list[str]) -> str:
    return compare.plugin_verdict(lines, advice)


class PluginVerdict(unittest.TestCase):
    def test_nothing_said_is_accepted(self) -> None:
        self.assertEqual(verdict([], []), "accepted ")

    def test_advice_alone_is_no_refusal(self) -> None:
        self.assertEqual(verdict([NO_ROOM], [NO_ROOM]), "advised ")
        self.assertEqual(verdict([NO_ROOM, "could start with: --partition=big"], [NO_ROOM]), "advised ")
        self.assertEqual(verdict([NO_ROOM, "would be accepted with: --partition=big"], [NO_ROOM]), "refused ")

    def test_the_same_line_as_a_verdict_is_a_refusal(self) -> None:
        self.assertEqual(verdict([NO_ROOM], []), "refused ")

    def test_a_verdict_beside_advice_stands(self) -> None:
        for lines, wanted in (
            (REFUSED, "refused QOSMaxCpuPerJobLimit"),
            (WAITS, "waits QOSMaxCpuPerJobLimit"),
            (["there is no QOS 'nosuch'"], "refused "),
        ):
            with self.subTest(wanted):
                self.assertEqual(verdict([NO_ROOM, *lines], [NO_ROOM]), wanted)

    def test_that_some_tasks_of_an_array_run_is_no_verdict(self) -> None:
        some = "at most 2 tasks of this array can run at once: running jobs per user: limit 2, this array has 4 (QOSMaxJobsPerUserLimit)"
        self.assertEqual(verdict([some], []), "accepted ")
        self.assertEqual(verdict([some, *REFUSED], []), "refused QOSMaxCpuPerJobLimit")
        self.assertEqual(verdict([some, *WAITS], []), "waits QOSMaxCpuPerJobLimit")

    def test_a_setting_that_advice_names_is_no_reason(self) -> None:
        self.assertEqual(verdict([NO_NODE, *WAITS], [NO_NODE]), "waits QOSMaxCpuPerJobLimit")

    def test_lines_of_slurmctld_are_not_the_plugins(self) -> None:
        message = f"judge_jobs: error: {NO_ROOM}\njudge_jobs: error: QOSMaxCpuPerJobLimit\n"

        self.assertEqual(compare.said_by_plugin(message), [NO_ROOM])


class LeftOut(unittest.TestCase):
    def test_all_of_it_is_documented(self) -> None:
        chapter = (ROOT / "contrib/doc/differential.md").read_text().partition("## Left out")[2].partition("\n## ")[0]
        rows = re.findall(r"(?m)^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", chapter)

        self.assertEqual(sorted(rows[1:]), sorted(compare.LEFT_OUT))


SCENARIO = {"controller": {"EnforcePartLimits": "NO"}, "full": False, "partitions": {}}
HELD = {"client": "sbatch", "priority": 0}
WHOLE_NODES = {"client": "sbatch", "shared": 0}


def wrong_fields(said: list[str], advice: list[str], state: str, pending: str) -> list[str]:
    """The fields that disagree for a job that slurmctld accepts, as the engine predicted."""
    foretold = {
        "error": 0, "message": said, "advice": advice, "refusal": "", "time_limit": 60, "pending": "",
        "attempts": [""], "depends_on_nodes": False,
    }  # fmt: skip
    actual = {
        "error": 0, "message": "\n".join(said), "state": state, "pending": pending, "time_limit": 60,
        "partition": "main", "qos": "normal",
    }  # fmt: skip
    comparison = compare.compare(SCENARIO, HELD, {"foretold": foretold, "actual": actual})
    return [finding.field for finding in comparison.findings if not finding.agrees]


class WholeNodes(unittest.TestCase):
    def wrong_fields(self, state: str, pending: str) -> list[str]:
        foretold = {
            "error": 0, "message": [], "advice": [], "refusal": "", "time_limit": 60, "pending": "QOSMaxGRESPerUser",
            "attempts": ["QOSMaxGRESPerUser"], "depends_on_nodes": False,
        }  # fmt: skip
        actual = {
            "error": 0, "message": "this job can never start as it is: GPUs (QOSMaxGRESPerUser)", "state": state,
            "pending": pending, "time_limit": 60, "partition": "main", "qos": "normal",
        }  # fmt: skip
        comparison = compare.compare(SCENARIO, WHOLE_NODES, {"foretold": foretold, "actual": actual})
        fields = [finding.field for finding in comparison.findings if not finding.agrees]
        return [field for field in fields if field != "words"]

    def test_a_limit_is_compared_only_for_a_job_that_could_get_its_nodes(self) -> None:
        self.assertEqual(self.wrong_fields("PENDING", "Resources"), [])
        self.assertEqual(self.wrong_fields("PENDING", "QOSMaxGRESPerUser"), [])

    def test_a_job_that_runs_was_not_blocked(self) -> None:
        self.assertEqual(self.wrong_fields("RUNNING", ""), ["pending"])


class AdviceOnJobsThatAreTaken(unittest.TestCase):
    def test_a_held_job_may_be_advised(self) -> None:
        self.assertEqual(wrong_fields([NO_ROOM], [NO_ROOM], "PENDING", "JobHeldUser"), [])

    def test_advice_about_a_job_that_runs_is_wrong(self) -> None:
        self.assertEqual(wrong_fields([NO_ROOM], [NO_ROOM], "RUNNING", ""), ["plugin"])

    def test_a_refusal_of_a_job_that_is_taken_is_wrong(self) -> None:
        self.assertEqual(wrong_fields([NO_ROOM], [], "PENDING", "JobHeldUser"), ["plugin"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
