#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate policy diff: sums of records, and what it says of other files. Usage: policy_diff_test.py QOSGATE"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

QOSGATE = sys.argv.pop(1)
OLD, NEW = "0" * 15 + "1", "0" * 15 + "2"


def record(number: int, decided: str = "accepted", user: str = "ana", **candidate: object) -> dict:
    """A record as slurmctld writes it, as far as the command reads it."""
    members = {"policy": NEW, "differs": [], **candidate}
    return {
        "time": f"2026-11-20T09:00:{number:02}.000000Z",
        "id": f"a-{number}",
        "event": "submission",
        "uid": 1000 + sum(user.encode()),
        "user": user,
        "outcome": decided,
        "request": {},
        "candidate": members,
    }


REFUSED = {"differs": ["outcome", "message"], "outcome": "refused", "rules": ["one", "two"], "message": ["no"]}
MOVED = {"differs": ["job"], "outcome": "accepted", "rules": ["one"], "changes": ["qos: a -> b", "comment: x: y -> z"]}


class PolicyDiff(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="qosgate-test-")
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)
        self.file = self.directory / "records.jsonl"

    def write(self, *records: object, file: Path | None = None) -> None:
        lines = [item if isinstance(item, str) else json.dumps(item) for item in records]
        (file or self.file).write_text("".join(line + "\n" for line in lines))

    def run_diff(self, *words: str | Path) -> subprocess.CompletedProcess:
        command = [QOSGATE, "policy", "diff", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=20)

    def diff(self, *words: str | Path, status: int = 1) -> dict:
        done = self.run_diff("--json", *(words or (self.file,)))
        self.assertEqual(done.returncode, status, done)
        return json.loads(done.stdout)

    def test_a_record_without_a_name_counts_for_its_user(self) -> None:
        nameless = record(2, **REFUSED)
        del nameless["user"]
        self.write(record(1, **REFUSED), nameless)
        self.assertEqual([(row["user"], row["differing"]) for row in self.diff()["users"]], [("ana", 2)])
        self.write(nameless)
        self.assertEqual([row["user"] for row in self.diff()["users"]], [str(nameless["uid"])])

    def test_a_directory_without_records_yet_says_what_to_set(self) -> None:
        directory = self.directory / "qosgate.d"
        directory.mkdir()
        (directory / "site.lua").write_text(f'site {{ record_file = "{self.file}" }}\n')
        done = self.run_diff(directory)
        self.assertEqual(done.returncode, 66, done)
        self.assertIn(f"{self.file}: no decision was recorded yet", done.stderr)
        self.assertIn("record_percent in site.lua, which is 0", done.stderr)
        self.write(record(1))
        self.assertEqual(self.diff(directory, status=0)["compared"], 1)

    def test_it_sums_up_by_rule_and_user(self) -> None:
        self.write(
            record(1),
            record(2, **REFUSED),
            record(3, user="ben", **MOVED),
            record(4, decided="refused", differs=["outcome"], outcome="accepted", rules=[]),
            record(5, decided="refused by slurmctld", **REFUSED),
        )

        sums = self.diff()

        self.assertEqual((sums["status"], sums["policy"], sums["compared"]), ("differences", NEW, 5))
        counts = ("differing", "refused", "accepted", "refused_otherwise", "job_differs", "message_differs")
        self.assertEqual([sums[key] for key in counts], [4, 1, 1, 1, 1, 2])
        self.assertEqual(sums["examples"], ["a-2", "a-3", "a-4"])
        self.assertEqual(
            {row["rule"]: (row["differing"], row["refused"]) for row in sums["rules"]},
            {"one": (3, 1), "two": (2, 1), None: (1, 0)},
        )
        self.assertEqual({row["user"]: row["differing"] for row in sums["users"]}, {"ana": 3, "ben": 1})
        self.assertEqual(sums["fields"], {"comment": 1, "qos": 1})
        self.assertEqual((sums["first"][17:19], sums["last"][17:19]), ("01", "05"))

        text = self.run_diff(self.file)
        self.assertEqual(text.returncode, 1)
        self.assertIn(f"Candidate {NEW}: 4 of 5 recorded decisions differ", text.stdout)
        self.assertRegex(text.stdout, r"\(no rule\) +1 +0 +1 +0 +0 +a-4")
        self.assertRegex(text.stdout, r"ben +1 +0 +0 +1 +0 +a-3")

    def test_other_words_with_the_same_outcome_are_shown(self) -> None:
        told = {"message": ["too large", "QOS a is full"]}
        other = {"differs": ["message"], "outcome": "refused", "message": ["too large", "QOS a is full; use b"]}
        silent = {"differs": ["message"], "outcome": "accepted", "rules": ["three"], "message": []}
        self.write(
            {**record(1, decided="refused", rules=["one"], **other), **told},
            {**record(2, decided="refused", rules=["one"], **{**other, "message": ["later"]}), **told},
            record(3, **{**REFUSED, "rules": ["two"]}),
            {**record(4, **silent), **told},
        )
        words = {row["rule"]: row["words"] for row in self.diff()["rules"]}
        self.assertEqual(
            words,
            {
                "one": {"id": "a-1", "before": ["QOS a is full"], "after": ["QOS a is full; use b"]},
                "two": None,
                "three": {"id": "a-4", "before": told["message"], "after": []},
            },
        )
        text = self.run_diff(self.file).stdout
        self.assertIn("  one (a-1)\n    now:       QOS a is full\n    candidate: QOS a is full; use b\n", text)
        self.assertIn("  three (a-4)\n    now:       too large / QOS a is full\n    candidate: nothing else\n", text)
        self.assertNotIn("two (", text)
        self.write(record(1, **REFUSED))
        self.assertNotIn("Other words", self.run_diff(self.file).stdout)

    def test_no_difference_is_success(self) -> None:
        self.write(record(1), record(2))
        self.assertEqual(self.diff(status=0)["differing"], 0)
        self.assertIn("0 of 2 recorded decisions differ", self.run_diff(self.file).stdout)

    def test_the_last_candidate_counts_unless_one_is_named(self) -> None:
        self.write(record(1, policy=OLD, **REFUSED), record(2))
        self.assertEqual(self.diff(status=0)["other_policies"], [OLD])
        self.assertEqual(self.diff(self.file, "--policy", OLD)["differing"], 1)
        self.assertEqual(self.diff(self.file, "--policy", "none", status=66)["error"]["code"], "not_found")

    def test_lines_that_are_no_records_are_counted_and_read_over(self) -> None:
        self.write("{", "[]", "7", '{"id": 1}', "x" * (5 << 20), record(1, **REFUSED), '{"time": "2026')
        sums = self.diff()
        self.assertEqual((sums["compared"], sums["unreadable"]), (1, 6))
        self.write({**record(1), "dropped_before": 7}, {**record(2), "candidate": 5})
        self.assertEqual(self.diff(status=0)["lost"], 7)

    def test_a_directory_stands_for_its_record_file_and_the_old_ones(self) -> None:
        rules = self.directory / "qosgate.d"
        rules.mkdir()
        (rules / "site.lua").write_text(f'site {{ record_file = "{self.file}", record_files_kept = 2 }}')
        self.write(record(3))
        self.write(record(1, policy=OLD), file=Path(f"{self.file}.2"))
        self.write(record(2, policy=OLD), file=Path(f"{self.file}.1"))
        self.write(record(0, **REFUSED), file=Path(f"{self.file}.3"))
        self.assertEqual(self.diff(rules, status=0)["other_policies"], [OLD])
        (rules / "site.lua").write_text("site {}")
        self.assertIn("has no record_file", self.diff(rules, status=66)["error"]["message"])

    def test_without_a_candidate_or_a_file_it_says_so(self) -> None:
        without = record(1)
        del without["candidate"]
        self.write(without)
        self.assertIn("1 records, and none was compared", self.diff(status=66)["error"]["message"])
        self.assertEqual(self.diff(self.directory / "none", status=66)["error"]["code"], "not_found")


if __name__ == "__main__":
    unittest.main()
