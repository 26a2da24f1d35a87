#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A few hundred hostile requests find no way around rules, and slurmctld survives them.

The seed is fixed. contrib/dev/attack sends more, with other seeds.
"""

from __future__ import annotations

import itertools
import unittest

from qosgate_dev.attack import generate, run, site
from qosgate_dev.testing import build_root, main

SEED = 2
REQUESTS = 240

# Less would prove nothing: about two thirds of what the seed gives.
LEAST_RUN = 35


class Attack(unittest.TestCase):
    maxDiff = None

    def test_rules_hold_whatever_is_sent(self) -> None:
        requests = itertools.islice(generate.requests(SEED), REQUESTS)
        tally = run.run(run.rounds(requests, site.settings()), build_root().resolve(), run.print_progress)

        print(tally.text())
        self.assertEqual([str(failure) for failure in tally.failures], [])
        self.assertEqual(tally.sent, REQUESTS)
        self.assertGreaterEqual(tally.ran, LEAST_RUN)


if __name__ == "__main__":
    main()
