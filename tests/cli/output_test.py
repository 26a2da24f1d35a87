#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What every command does when it cannot write its output. Usage: output_test.py QOSGATE"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

QOSGATE = sys.argv.pop(1)
SHIPPED = Path(__file__).resolve().parents[2] / "lua/rules"
# Without their tests: each is written for one rule alone.
DIRECTORY = tempfile.TemporaryDirectory(prefix="qosgate-test-")
RULES = DIRECTORY.name
for rule in SHIPPED.glob("*.lua"):
    shutil.copy(rule, RULES)
shutil.copytree(SHIPPED / "data", Path(RULES) / "data")
SCENARIO = '{"job": {"time_limit": 1}}\n'
COMMANDS = (
    ["--help"],
    ["--version"],
    ["qos", "fields"],
    ["qos", "fields", "--json"],
    ["reason", "QOSMaxGRESPerUser"],
    ["reason", "--all", "--json"],
    ["eval"],
    ["policy", "check", RULES, "--no-owner-check"],
    ["policy", "check", RULES, "--no-owner-check", "--json"],
)


def run(words: list[str], redirection: str) -> subprocess.CompletedProcess:
    shell = ["bash", "-c", f'"$0" "$@" {redirection}', QOSGATE, *words]
    return subprocess.run(shell, input=SCENARIO, capture_output=True, text=True, timeout=20)


class OutputTest(unittest.TestCase):
    def test_output_that_cannot_be_written_is_an_error(self) -> None:
        for words in COMMANDS:
            for redirection in (">/dev/full", ">&-"):
                with self.subTest(words, redirection=redirection):
                    done = run(words, redirection)

                    self.assertEqual(done.returncode, 74, done.stderr)
                    self.assertIn("qosgate: error: standard output: cannot be written: ", done.stderr)

    def test_output_that_arrives_is_none(self) -> None:
        for words in COMMANDS:
            with self.subTest(words):
                done = run(words, ">/dev/null")

                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_names_of_others_in_an_error_are_safe_and_look_like_no_message(self) -> None:
        with tempfile.TemporaryDirectory(prefix="qosgate-test-") as directory:
            (Path(directory) / "x\x1b[2J\nqosgate: all is well.lua").write_text("rule {{{")
            done = run(["policy", "test", directory], ">/dev/null")

        lines = done.stderr.splitlines()
        self.assertNotIn("\x1b", done.stderr)
        self.assertTrue(lines[0].startswith("qosgate: error: x?[2J"), lines)
        self.assertTrue(lines[1].startswith("  qosgate: all is well.lua:1:"), lines)

    def test_a_reader_that_left_ends_the_command_quietly(self) -> None:
        done = run(["qos", "fields"], "| head -1 >/dev/null; exit ${PIPESTATUS[0]}")

        self.assertIn(done.returncode, (0, 141))
        self.assertEqual(done.stderr, "")

    def test_the_status_of_an_error_is_its_own_even_so(self) -> None:
        done = run(["reason", "NoSuch"], ">/dev/full")

        self.assertEqual(done.returncode, 66, done.stderr)


if __name__ == "__main__":
    unittest.main()
