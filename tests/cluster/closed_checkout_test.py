#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The demo and cluster tests work in a checkout that other users cannot reach, whatever its path is."""

from __future__ import annotations

import os
import shutil
import tempfile
import unittest
from pathlib import Path

from qosgate_dev import ROOT
from qosgate_dev.testing import CommandResult, build_root, main
from qosgate_dev.testing.cluster import run_command

# What the demo and the tests below read.
PARTS = ("contrib/dev", "contrib/schemas", "lua", "tests/cluster")

SECONDS = 120.0


class ClosedCheckout(unittest.TestCase):
    checkout: Path

    @classmethod
    def setUpClass(cls) -> None:
        # mkdtemp's directory is open to its owner only.
        home = tempfile.TemporaryDirectory(prefix="qgh-", dir="/tmp")
        cls.addClassCleanup(home.cleanup)
        cls.checkout = Path(home.name) / "ana's, with $x"
        for part in PARTS:
            shutil.copytree(ROOT / part, cls.checkout / part, ignore=shutil.ignore_patterns("__pycache__"))

    def run_there(self, *words: str, build: str = "build") -> CommandResult:
        """Runs a program of the checkout, with this build directory in it."""
        directory = self.checkout / build
        if not directory.exists():
            directory.symlink_to(build_root().absolute())
        environment = os.environ | {"QG_BUILD_ROOT": str(directory), "QG_REQUIRE_CLUSTER": "1"}
        return run_command(
            [str(self.checkout / "contrib/dev/python"), *words], SECONDS, env=environment, cwd=self.checkout
        )

    def test_the_demo(self) -> None:
        result = self.run_there("-m", "qosgate_dev.demo", build="build #1: new")

        self.assertEqual(result.rc, 0, result)
        self.assertEqual(result.stdout.splitlines()[-1], "8 of 8 steps as expected", result)

    def test_plugins_and_helpers(self) -> None:
        for test in (
            ("smoke_test.py",),
            ("client_filter_test.py", "ClientFilter.test_it_says_what_check_says"),
            ("robustness_test.py", "Robustness.test_odd_descriptions_get_the_answers_they_get_without_the_plugin"),
        ):
            with self.subTest(test):
                result = self.run_there(f"tests/cluster/{test[0]}", *test[1:])
                self.assertEqual(result.rc, 0, result)


if __name__ == "__main__":
    main()
