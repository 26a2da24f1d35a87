#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate reason: every Reason that libslurm has, several at once, and unknown ones. Usage: reason_test.py QOSGATE"""

import ctypes
import ctypes.util
import json
import subprocess
import sys
import unittest

QOSGATE = sys.argv.pop(1)
ANSWER = ("reason", "set_by", "limit", "tres", "meaning", "waiting", "change")


def run(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([QOSGATE, "reason", *words], capture_output=True, text=True, timeout=20)


def reasons_of_libslurm() -> list[str]:
    """The strings of enum job_state_reason, or none without a libslurm that has them."""
    path = ctypes.util.find_library("slurm")
    library = ctypes.CDLL(path) if path else None
    for name in ("slurm_job_state_reason_string", "slurm_job_reason_string"):
        if library is not None and hasattr(library, name):
            string = getattr(library, name)
            string.restype = ctypes.c_char_p
            texts = [string(number).decode() for number in range(300)]
            return [text for text in texts if not text.isdigit()]
    return []


class ReasonTest(unittest.TestCase):
    def test_knows_every_reason_of_this_slurm(self) -> None:
        reasons = reasons_of_libslurm()
        if not reasons:
            self.skipTest("no libslurm that tells its Reasons")
        done = run("--json", *reasons)

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({answer["reason"] for answer in json.loads(done.stdout)["reasons"]}, set(reasons))
        self.assertGreater(len(set(reasons)), 190)

    def test_says_what_a_reason_means_and_what_to_do(self) -> None:
        done = run("PartitionTimeLimit")

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            done.stdout,
            "PartitionTimeLimit\n"
            "  Meaning: The job asks for more time than its partition allows.\n"
            "  Waiting: Waiting helps only when an administrator changes something.\n"
            "  Change:  Ask for less --time, or use another partition ('sinfo -o \"%P %l\"').\n",
        )

    def test_a_limit_names_who_sets_it(self) -> None:
        done = run("QOSMaxGRESPerUser")

        self.assertIn("  Limit:   MaxTRESPerUser of gres/*, set by a QOS (yours or the partition's)\n", done.stdout)

    def test_takes_what_squeue_shows_as_it_is(self) -> None:
        shown = "(ReqNodeNotAvail, UnavailableNodes:n1) (Priority) (None)"
        for words in (shown.split(), [shown]):
            with self.subTest(words):
                done = run("--json", *words)

                self.assertEqual(done.returncode, 0, done.stderr)
                reasons = [answer["reason"] for answer in json.loads(done.stdout)["reasons"]]
                self.assertEqual(reasons, ["ReqNodeNotAvail", "UnavailableNodes", "Priority", "None"])

    def test_answers_those_of_several_that_it_knows(self) -> None:
        done = run("Prioritty", "Resources", "Quux")

        self.assertEqual(done.returncode, 66)
        self.assertTrue(done.stdout.startswith("Resources\n"), done.stdout)
        self.assertEqual(
            done.stderr,
            "qosgate: error: Slurm has no Reason 'Prioritty' (did you mean Priority?), 'Quux';"
            " 'qosgate reason --all' lists all\n",
        )

    def test_no_word_at_all_is_no_reason(self) -> None:
        for nothing in ("", "()", " , "):
            with self.subTest(nothing):
                done = run(nothing)

                self.assertEqual((done.returncode, done.stdout), (66, ""))
                self.assertIn("Slurm has no Reason ''", done.stderr)

    def test_answers_and_error_are_one_json_object(self) -> None:
        done = run("--json", "Resources", "Prioritty")

        self.assertEqual(done.returncode, 66)
        root = json.loads(done.stdout)
        self.assertEqual([answer["reason"] for answer in root["reasons"]], ["Resources"])
        self.assertEqual(root["error"]["code"], "not_found")
        self.assertIn("did you mean Priority?", root["error"]["message"])

    def test_of_a_job_that_has_left_the_queue_there_is_none(self) -> None:
        done = run()  # squeue printed nothing

        self.assertEqual((done.returncode, done.stdout), (64, ""))
        self.assertIn("no Reason is given: has the job left the queue?", done.stderr)
        self.assertEqual(run("--all", "Priority").returncode, 64)

    def test_all_are_listed_alike(self) -> None:
        answers = json.loads(run("--all", "--json").stdout)["reasons"]

        self.assertGreater(len(answers), 220)
        for answer in answers:
            self.assertEqual(tuple(answer), ANSWER)


if __name__ == "__main__":
    unittest.main()
