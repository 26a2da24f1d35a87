#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate policy test: what passes, what fails and why, exit statuses. Usage: policy_test_test.py QOSGATE"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

QOSGATE = sys.argv.pop(1)
SHIPPED = Path(__file__).resolve().parents[2] / "lua/rules"
RULE = """rule {
    name = "small debug",
    submit = function(job)
        if job.nodes > 2 then job:reject("at most 2 nodes") end
        job.qos = "debug"
    end,
}
"""
PASSES = 'test "small" { job = { nodes = 2 }, expect = { accept = true, job = { qos = "debug" } } }\n'
FAILS = 'test "large" { job = { nodes = 3 }, expect = { accept = true } }\n'


def run(*words: str | Path) -> subprocess.CompletedProcess:
    command = [QOSGATE, "policy", "test", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=20)


class PolicyTestTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="qosgate-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "tests").mkdir()
        (self.folder / "10-debug.lua").write_text(RULE)

    def write(self, text: str) -> None:
        (self.folder / "tests/debug.lua").write_text(text)

    def test_tests_that_pass(self) -> None:
        self.write(PASSES)
        done = run(self.folder)

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "ok      tests/debug.lua:1: small\n1 test, 0 failed\n")

    def test_a_test_that_fails_shows_why_and_what_the_rules_did(self) -> None:
        self.write(PASSES + FAILS)
        done = run(self.folder)

        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual(
            done.stdout,
            "ok      tests/debug.lua:1: small\n"
            "FAILED  tests/debug.lua:2: large\n"
            "        expect.accept: the job was rejected: at most 2 nodes\n"
            "        rule 'small debug' (10-debug.lua): rejected: at most 2 nodes\n"
            "2 tests, 1 failed\n",
        )

    def test_json_has_the_same(self) -> None:
        self.write(PASSES + FAILS)
        done = run(self.folder, "--json")
        answer = json.loads(done.stdout)

        self.assertEqual((done.returncode, answer["status"], answer["failed"]), (1, "failed", 1))
        first, second = answer["tests"]
        self.assertEqual((first["name"], first["file"], first["line"]), ("small", "debug.lua", 1))
        self.assertEqual((first["passed"], first["problems"]), (True, []))
        self.assertEqual((first["events"][0]["kind"], first["events"][0]["text"]), ("changed", "qos: (unset) -> debug"))
        self.assertEqual(second["passed"], False)
        self.assertEqual(second["problems"], ["expect.accept: the job was rejected: at most 2 nodes"])

        self.write(PASSES)
        done = run(self.folder, "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["status"]), (0, "ok"))

    def test_shipped_rules_pass_their_tests(self) -> None:
        done = run(SHIPPED)

        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertRegex(done.stdout, r"\n\d\d tests, 0 failed\n$")

    def test_rules_or_tests_that_do_not_load_are_an_error(self) -> None:
        self.write('test "x" {')
        done = run(self.folder)
        self.assertEqual((done.returncode, done.stdout), (65, ""))
        self.assertIn("tests: debug.lua:1: unexpected symbol", done.stderr)

        self.write(PASSES)
        (self.folder / "10-debug.lua").write_text("x = 1")
        done = run(self.folder)
        self.assertEqual((done.returncode, done.stdout), (65, ""))
        self.assertIn("10-debug.lua:1: 'x' is not declared", done.stderr)
        self.assertIn("'qosgate policy check' lists all that is wrong", done.stderr)

    def test_without_tests_there_is_nothing_to_pass(self) -> None:
        for folder in (self.folder, self.folder / "none"):
            with self.subTest(folder):
                if folder == self.folder:
                    (self.folder / "tests").rmdir()
                done = run(folder)

                self.assertEqual((done.returncode, done.stdout), (66, ""))
                self.assertIn("there is no such directory", done.stderr)

    def test_a_folder_without_files_of_tests_has_none(self) -> None:
        done = run(self.folder)

        self.assertEqual((done.returncode, done.stdout), (66, ""))
        self.assertIn("tests: there are no tests: no file there ends in .lua", done.stderr)


if __name__ == "__main__":
    unittest.main()
