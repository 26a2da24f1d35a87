#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The engine and the plugin predict what a live slurmctld does with a few hundred random jobs on random sites.

The seed is fixed, so a disagreement is a change of the engine. contrib/dev/differential asks more, with other seeds.
"""

from __future__ import annotations

import unittest
from collections.abc import Sequence

from qosgate_dev.differential import compare, generate, run
from qosgate_dev.testing import build_root, main

SEED = 20260
CONFIGURATIONS = 14  # two of each kind in generate.CONTROLLERS
JOBS = 30
PROVE_EVERY = 3  # the suggestions for a third of the jobs are taken literally: each waits for the scheduler


class Comparison:
    """The configurations with some of the kinds of a controller. They need at least so many comparisons of each field, and
    so many different Reasons of limits: about two thirds of what the seed gives."""

    kinds: Sequence[dict[str, str]]
    added: generate.Kinds = frozenset()
    least_compared: dict[str, int]
    least_limits: int
    tally: run.Tally

    @classmethod
    def setUpClass(cls) -> None:
        build = build_root().resolve()
        scenarios = [
            scenario
            for scenario in generate.scenarios(SEED, CONFIGURATIONS, JOBS, run.release_of(build), cls.added)
            if scenario["controller"] in cls.kinds
        ]
        cls.cases = len(scenarios) * JOBS
        cls.tally = run.run(scenarios, str(build), run.print_progress, PROVE_EVERY)
        print(cls.tally.table())

    def test_every_job_could_be_asked_about(self) -> None:
        self.assertEqual(self.tally.failures, [])
        self.assertEqual(self.tally.cases, self.cases)

    def test_nothing_disagrees(self) -> None:
        reports = [run.report(disagreement) for disagreement in self.tally.disagreements]

        self.assertEqual(reports, [], "\n\n".join(["disagreements:", *reports]))

    def test_enough_of_every_field_was_compared(self) -> None:
        self.assertEqual(set(self.least_compared), set(compare.FIELDS))
        for field, least in self.least_compared.items():
            with self.subTest(field):
                self.assertGreaterEqual(self.tally.fields[field, True], least)

    def test_many_limits_were_met(self) -> None:
        met = {name for name, _ in self.tally.limits if name.startswith(compare.LIMIT_PREFIXES)}

        self.assertGreaterEqual(len(met), self.least_limits, sorted(met))

    def test_what_is_left_out_has_a_name(self) -> None:
        self.assertLessEqual(set(self.tally.left_out), set(compare.LEFT_OUT))


# Two tests, which Meson runs beside each other: tests/cluster/meson.build names them.
HALF = 3


class FirstKinds(Comparison, unittest.TestCase):
    maxDiff = None
    kinds = generate.CONTROLLERS[:HALF]
    least_limits = 12
    least_compared = {
        "accepted": 165,
        "error": 75,
        "refusal": 30,
        "time limit": 52,
        "pending": 30,
        "plugin": 165,
        "words": 165,
        "suggestion": 7,
        "check": 40,
        "why": 7,
        "limits": 8,
        "counters": 6,
    }


class OtherKinds(Comparison, unittest.TestCase):
    maxDiff = None
    kinds = generate.CONTROLLERS[HALF:]
    least_limits = 14
    least_compared = {
        "accepted": 215,
        "error": 125,
        "refusal": 50,
        "time limit": 38,
        "pending": 20,
        "plugin": 215,
        "words": 215,
        "suggestion": 5,
        "check": 50,
        "why": 3,
        "limits": 4,
        "counters": 8,
    }


class AddedKinds(Comparison, unittest.TestCase):
    """Heterogeneous jobs, a reservation that is too small, and running jobs that change."""

    maxDiff = None
    kinds = generate.CONTROLLERS[:HALF]
    added = frozenset({generate.PARTS, generate.RESERVATIONS, generate.CHANGES})
    least_limits = 7
    least_compared = {
        "accepted": 115,
        "error": 90,
        "refusal": 29,
        "time limit": 10,
        "pending": 5,
        "plugin": 40,
        "words": 115,
        "suggestion": 1,
        "check": 14,
        "why": 1,
        "limits": 1,
        "counters": 6,
    }


if __name__ == "__main__":
    main()
