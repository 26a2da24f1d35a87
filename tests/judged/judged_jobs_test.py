# SPDX-License-Identifier: GPL-2.0-or-later
"""What judging a job takes does not grow unnoticed. Two runs of one build differ by some per cent at most."""

from __future__ import annotations

import os
import unittest
from pathlib import Path

from qosgate_dev.bench.instructions import ROWS, Cost, measure

# A bound goes down when less is needed, and up only with a reason. Each has a twentieth of room.
BOUNDS = {
    ("none", "accepted"): Cost(8_300, 650, 585),
    ("one", "accepted"): Cost(10_800, 850, 785),
    ("twenty", "accepted"): Cost(20_000, 1_180, 925),
    ("headroom", "accepted"): Cost(22_500, 1_290, 950),
    ("script", "accepted"): Cost(16_000, 1_070, 750),
    ("none", "refused"): Cost(200_000, 2_720, 2_290),
}


class JudgedJobs(unittest.TestCase):
    def test_instructions_and_lines_of_code_stay_below_their_bounds(self) -> None:
        for row in ROWS:
            with self.subTest(row):
                cost, bound = measure(Path(os.environ["QG_BUILD_ROOT"]), *row), BOUNDS[row]

                self.assertLessEqual(cost.instructions, bound.instructions, cost)
                self.assertLessEqual(cost.code_lines, bound.code_lines, cost)
                self.assertLessEqual(cost.own_code_lines, bound.own_code_lines, cost)
                self.assertGreater(cost.instructions, bound.instructions * 0.7, f"{cost}: tighten the bound, or the jobs went another way")


if __name__ == "__main__":
    unittest.main()
