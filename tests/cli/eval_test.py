#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate eval for its users: files, standard input, wrong lines, options.

Usage: eval_test.py QOSGATE RELEASE, without Slurm an empty one
"""

import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

QOSGATE = sys.argv.pop(1)
SOURCE = Path(__file__).resolve().parents[2] / "engine/qosgate/limits/release.hpp"
RELEASE = sys.argv.pop(1) or "{}.{:0>2}".format(*re.findall(r"newest_release\{(\d+), (\d+)\}", SOURCE.read_text())[0])
GOOD = {
    "id": "a",
    "enforce": ["limits"],
    "qos": [{"name": "q", "MaxWall": 60, "flags": ["DenyOnLimit"]}],
    "job": {"qos": "q", "time_limit": 61, "tres": {"cpu": 1, "node": 1}},
}


def run(*args: str, stdin: str = "") -> subprocess.CompletedProcess:
    return subprocess.run([QOSGATE, "eval", *args], input=stdin, capture_output=True, text=True, timeout=20)


class EvalTest(unittest.TestCase):
    def test_reads_standard_input_and_lists_the_numbers(self) -> None:
        done = run(stdin=json.dumps(GOOD))

        self.assertEqual(done.returncode, 0, done.stderr)
        verdict = json.loads(done.stdout)
        self.assertEqual(verdict["submit"], "QOSMaxWallDurationPerJobLimit")
        self.assertEqual(verdict["violations"][0]["asked"], 61)
        self.assertEqual(verdict["violations"][0]["value"], 60)
        self.assertEqual(verdict["violations"][0]["set_by"], "QOS q")

    def test_reads_a_file_and_skips_empty_lines(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write("\n" + json.dumps(GOOD) + "\n\n")
            file.flush()
            done = run(file.name)

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 1)

    def test_names_the_wrong_line_and_judges_the_others(self) -> None:
        done = run(stdin=json.dumps(GOOD) + '\n{"job": {"tyme_limit": 1}}\n' + json.dumps(GOOD))

        self.assertEqual(done.returncode, 65)
        self.assertEqual(len(done.stdout.splitlines()), 2)
        self.assertIn("standard input:2: job.tyme_limit", done.stderr)
        self.assertIn("did you mean time_limit?", done.stderr)

    def test_a_missing_file_is_named(self) -> None:
        done = run("/nonexistent/jobs.jsonl")

        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/nonexistent/jobs.jsonl", done.stderr)

    def test_a_file_without_an_end_is_not_read_for_ever(self) -> None:
        done = run("/dev/zero")

        self.assertEqual(done.returncode, 65)
        self.assertIn("/dev/zero:1: longer than 16384 KiB", done.stderr)

    def test_an_unknown_release_is_refused_with_an_example(self) -> None:
        done = run("--release", "20.11", stdin=json.dumps(GOOD))

        self.assertEqual(done.returncode, 65)
        self.assertIn("24.11", done.stderr)

    def test_the_release_is_by_default_the_one_it_was_built_for(self) -> None:
        shown = subprocess.run([QOSGATE, "eval", "--help"], capture_output=True, text=True, timeout=20).stdout

        self.assertIn(f"--release TEXT={RELEASE} ", shown)

    def test_stage_submit_leaves_the_later_stages_out(self) -> None:
        verdict = json.loads(run("--stage", "submit", stdin=json.dumps(GOOD)).stdout)

        self.assertNotIn("pre_select", verdict)

    def test_strict_judges_as_if_deny_on_limit_were_set(self) -> None:
        lax = json.loads(json.dumps(GOOD))
        lax["qos"][0]["flags"] = []

        self.assertEqual(json.loads(run(stdin=json.dumps(lax)).stdout)["submit"], "ok")
        strict = json.loads(run("--strict", stdin=json.dumps(lax)).stdout)
        self.assertEqual(strict["submit"], "QOSMaxWallDurationPerJobLimit")

    def test_a_broken_pipe_is_no_crash(self) -> None:
        many = (json.dumps(GOOD) + "\n") * 5000
        shell = subprocess.run(
            ["bash", "-c", 'set -o pipefail; "$0" eval | head -1 >/dev/null', QOSGATE],
            input=many,
            capture_output=True,
            text=True,
            timeout=20,
        )

        self.assertNotIn("Abort", shell.stderr)
        self.assertIn(shell.returncode, (0, 141))


if __name__ == "__main__":
    unittest.main()
