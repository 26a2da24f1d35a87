#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The engine and the plugin predict what a live slurmctld does with a few hundred random jobs on random sites.

The seed is fixed, so a disagreement is a change of the engine. contrib/dev/differential asks more, with other seeds.
"""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from qosgate_dev.differential import compare, generate, run
from qosgate_dev.testing import build_root, main

SEED = 20260
CONFIGURATIONS = 14  # two of each kind in generate.CONTROLLERS
JOBS = 30
PROVE_EVERY = 3  # the suggestions for a third of the jobs are taken literally: each waits for the scheduler

# The comparison needs at least so many of each field; about two thirds of what the seed gives.
LEAST_COMPARED = {
    "accepted": 380,
    "error": 200,
    "refusal": 60,
    "time limit": 90,
    "pending": 50,
    "plugin": 380,
    "words": 380,
    "suggestion": 10,
    "check": 90,
    "why": 10,
    "limits": 12,
}
LEAST_LIMITS = 25  # different Reasons among them

DOCUMENT = Path(__file__).resolve().parents[2] / "contrib" / "differential.md"


class Differential(unittest.TestCase):
    maxDiff = None
    tally: run.Tally

    @classmethod
    def setUpClass(cls) -> None:
        build = build_root().resolve()
        release = run.release_of(build)
        scenarios = generate.scenarios(SEED, CONFIGURATIONS, JOBS, release)
        cls.tally = run.run(scenarios, str(build), run.print_progress, PROVE_EVERY)
        print(cls.tally.table())

    def test_every_job_could_be_asked_about(self) -> None:
        self.assertEqual(self.tally.failures, [])
        self.assertEqual(self.tally.cases, CONFIGURATIONS * JOBS)

    def test_nothing_disagrees(self) -> None:
        reports = [run.report(disagreement) for disagreement in self.tally.disagreements]

        self.assertEqual(reports, [], "\n\n".join(["disagreements:", *reports]))

    def test_enough_of_every_field_was_compared(self) -> None:
        self.assertEqual(set(LEAST_COMPARED), set(compare.FIELDS))
        for field, least in LEAST_COMPARED.items():
            with self.subTest(field):
                self.assertGreaterEqual(self.tally.fields[field, True], least)

    def test_many_limits_were_met(self) -> None:
        met = {name for name, _ in self.tally.limits if name.startswith(compare.LIMIT_PREFIXES)}

        self.assertGreaterEqual(len(met), LEAST_LIMITS, sorted(met))

    def test_what_is_left_out_is_documented(self) -> None:
        chapter = DOCUMENT.read_text().partition("## Left out")[2].partition("\n## ")[0]
        rows = re.findall(r"(?m)^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", chapter)

        self.assertEqual(sorted(rows[1:]), sorted(compare.LEFT_OUT))
        self.assertLessEqual(set(self.tally.left_out), set(compare.LEFT_OUT))


if __name__ == "__main__":
    main()
