#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate limits on worlds in files. Usage: limits_test.py QOSGATE slurm|none"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HAS_SLURM = sys.argv.pop(2) == "slurm"
QOSGATE = sys.argv.pop(1)

CPUS_PER_USER, WALL = ("MaxTRESPerUser", "cpu"), ("MaxWall", None)


def world(**changes: object) -> dict:
    """ana (1000) in account bio below lab, with QOS q; partition p has the QOS pq."""
    return {
        "captured_at": 1_795_000_000,
        "enforce": ["associations", "limits", "qos"],
        "qos": [
            {"name": "q", "MaxTRESPerUser": {"cpu": 8}, "MaxWall": 480,
             "usage": {"tres": {"cpu": 9}, "users": {"1000": {"tres": {"cpu": 6}}, "1001": {"tres": {"cpu": 3}}}}},
            {"name": "pq", "MaxTRESPerUser": {"cpu": 2}},
        ],
        "associations": [
            {"level": "root", "account": "root"},
            {"level": "account", "account": "lab", "parent": 0, "GrpTRES": {"cpu": 20, "mem": 4096},
             "usage": {"tres": {"cpu": 9, "mem": 1024}}},
            {"level": "account", "account": "bio", "parent": 1},
            {"level": "user", "user": 1000, "user_name": "ana", "account": "bio", "parent": 2, "default_qos": "q",
             "permitted_qos": ["q"], "usage": {"tres": {"cpu": 6, "mem": 512}}},
            {"level": "user", "user": 1001, "user_name": "ben", "account": "lab", "parent": 1,
             "permitted_qos": ["q"], "usage": {"tres": {"cpu": 3, "mem": 512}}},
        ],
        "partitions": [{"name": "main", "is_default": True}, {"name": "p", "qos": "pq"}],
    } | changes


@unittest.skipUnless(HAS_SLURM, "the command needs Slurm's library")
class LimitsTest(unittest.TestCase):
    def run_limits(self, world: dict, *words: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "world.json"
            file.write_text(json.dumps(world))
            user = () if "--user" in words else ("--user", "ana")
            command = [QOSGATE, "limits", "--world", str(file), *user, *words]
            return subprocess.run(command, capture_output=True, text=True, timeout=20)

    def groups(self, world: dict, *words: str) -> dict:
        """The limits by partition; None: all that have no QOS of their own."""
        done = self.run_limits(world, "--json", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (account,) = json.loads(done.stdout)["accounts"]
        return {
            (group["partitions"] or [None])[0]: {(each["limit"], each["tres"]): each for each in group["limits"]}
            for group in account["groups"]
        }

    def test_a_world_without_an_end_is_not_read_for_ever(self) -> None:
        done = subprocess.run([QOSGATE, "limits", "--world", "/dev/zero"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 65)
        self.assertIn("/dev/zero: larger than 262144 KiB", done.stderr)

    def test_the_table(self) -> None:
        done = self.run_limits(world(partitions=[{"name": "main", "is_default": True}]))
        self.assertEqual(
            done.stdout,
            "User ana (1000)\n"
            "\n"
            "Account bio (default), QOS q (default)\n"
            "  LIMITED                     SET BY          LIMIT  MINE  ALL  LEFT  USED\n"
            "  CPUs per user               QOS q               8     6    6     2  [#######...]  75%  binds first\n"
            "  wall time per job           QOS q        08:00:00     -    -     -  -\n"
            "  CPUs of all running jobs    account lab        20     6    9    11  [####......]  45%\n"
            "  memory of all running jobs  account lab        4G  512M   1G    3G  [##........]  25%\n",
        )

    def test_the_qos_of_a_partition_comes_first(self) -> None:
        groups = self.groups(world())
        self.assertEqual({key: limits[CPUS_PER_USER]["value"] for key, limits in groups.items()}, {None: 8, "p": 2})
        self.assertEqual(groups["p"][WALL]["value"], 480)
        self.assertEqual(groups["p"][CPUS_PER_USER]["of_partition"], "p")

    def test_with_overpartqos_the_partition_changes_nothing(self) -> None:
        changed = world()
        changed["qos"][0]["flags"] = ["OverPartQOS"]
        changed["qos"][0]["MaxWall"] = 60
        self.assertEqual(self.groups(changed).keys(), {None})

    def test_an_association_for_one_partition_is_shown_separately(self) -> None:
        changed = world(partitions=[{"name": "main", "is_default": True}, {"name": "other"}])
        changed["associations"].append(
            changed["associations"][3] | {"partition": "other", "MaxJobs": 1, "usage": {"jobs": 1}}
        )
        groups = self.groups(changed)
        self.assertEqual(groups["other"]["MaxJobs", None]["left"], 0)
        self.assertNotIn(("MaxJobs", None), groups[None])

    def test_zero_is_a_limit(self) -> None:
        changed = world()
        changed["qos"][0]["GrpJobs"] = 0
        limit = self.groups(changed)[None]["GrpJobs", None]
        self.assertEqual((limit["value"], limit["left"], limit["binds_first"]), (0, 0, True))

    def test_a_limit_of_one_type_does_not_hold_jobs_without_a_type(self) -> None:
        passed = "a100 GPUs per user: 6 in use of 2: jobs that ask for gres/gpu and name no type count here"
        for limits, used, tells in (
            ({"gres/gpu:a100": 2}, 6, True),
            ({"gres/gpu:a100": 2}, 2, False),
            ({"gres/gpu:a100": 2, "gres/gpu": 2}, 6, False),  # then it is a limit that was lowered
        ):
            with self.subTest(limits, used=used):
                changed = world(tres=["cpu", "mem", "energy", "node", "billing", "gres/gpu", "gres/gpu:a100"])
                usage = {"tres": {"gres/gpu": used, "gres/gpu:a100": used}}
                changed["qos"][0] |= {"MaxTRESPerUser": limits, "usage": {"users": {"1000": usage}}}
                shown = self.run_limits(changed).stdout
                self.assertIn("a100 GPUs per user", shown)
                self.assertEqual(passed in shown, tells, shown)
                limit = self.groups(changed)[None]["MaxTRESPerUser", "gres/gpu:a100"]
                self.assertEqual(limit["passed_by_untyped"], "gres/gpu" not in limits)

    def test_partitions_that_are_hidden_or_closed_to_the_qos_are_left_out(self) -> None:
        for more in ({"is_hidden": True}, {"deny_qos": ["q"]}, {"deny_accounts": ["bio"]}):
            with self.subTest(more):
                changed = world()
                changed["partitions"][1] |= more
                self.assertEqual(self.groups(changed).keys(), {None})

    def test_without_enforcement_no_limit_counts(self) -> None:
        done = self.run_limits(world(enforce=["associations"]))
        self.assertIn("does not have 'limits': no limit counts.\n", done.stdout)
        self.assertFalse(json.loads(self.run_limits(world(enforce=[]), "--json").stdout)["is_enforced"])

    def test_unknown_names_and_users_without_an_account(self) -> None:
        for words, message in (
            (("--account", "bioo"), "user ana has no account 'bioo'; did you mean bio?"),
            (("--qos", "pq"), "QOS pq exists, but ana cannot use it with account bio"),
            (("--account", "bio", "--qos", "qq"), "there is no QOS 'qq'; did you mean q?"),
            (("--partition", "x"), "there is no partition 'x'"),
            (("--user", "77"), "user 77 has no account"),
        ):
            with self.subTest(words):
                done = self.run_limits(world(), *words)
                self.assertEqual(done.returncode, 66, done)
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
