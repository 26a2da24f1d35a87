#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The answers to sacctmgr's names of commands, and to wrong options. Usage: old_words_test.py QOSGATE"""

import subprocess
import sys
import unittest

QOSGATE = sys.argv.pop(1)


def run(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([QOSGATE, *words], capture_output=True, text=True, timeout=20)


class OldWordsTest(unittest.TestCase):
    def test_a_verb_of_sacctmgr_is_answered_with_the_one_here(self) -> None:
        verbs = {"add": "create", "modify": "update", "Remove": "delete", "show": "list"}
        for typed, right in verbs.items():
            with self.subTest(typed):
                done = run("qos", typed, "moonlight")

                self.assertEqual((done.returncode, done.stdout), (64, ""))
                self.assertIn(f"has no command '{typed}'; did you mean {right}?", done.stderr)

    def test_a_verb_is_suggested_only_where_it_exists(self) -> None:
        done = run("modify", "qos", "moonlight")

        self.assertEqual(done.returncode, 64)
        self.assertIn("; there are: qos, ", done.stderr)

    def test_a_wrong_option_is_answered_with_the_nearest(self) -> None:
        commands = {
            ("spec", "plan", "--prnue"): "; there is no option --prnue; did you mean --prune?",
            ("qos", "list", "--format=Name,Priority"): "; there is no option --format; did you mean --fields?",
            ("spec", "lint", "--ofline=1", "x"): "; there is no option --ofline; did you mean --offline?",
            ("access", "grant", "--qos", "a", "--user", "b", "--until", "1d", "--raeson", "x"):
                "--reason is required; there is no option --raeson; did you mean --reason?",
        }
        for words, answer in commands.items():
            with self.subTest(words):
                done = run(*words)

                self.assertEqual((done.returncode, done.stdout), (64, ""))
                self.assertIn(answer, done.stderr)
        for words in (("qos", "list", "--zzzzzz"), ("spec", "export")):
            self.assertNotIn("there is no option", run(*words).stderr)

    def test_all_options_that_are_missing_are_told_together(self) -> None:
        for words, answer in (
            (("access", "grant", "--qos", "a", "--user", "b"), "error: --until and --reason are required ('"),
            (("access", "grant", "--qos", "a", "--user", "b", "--reason", "x"), "error: --until is required ('"),
        ):
            with self.subTest(words):
                done = run(*words)
                self.assertEqual((done.returncode, done.stdout), (64, ""))
                self.assertIn(answer, done.stderr)


if __name__ == "__main__":
    unittest.main()
