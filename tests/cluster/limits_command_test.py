# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate limits: what a user may use, as slurmctld has it at this moment."""

from __future__ import annotations

from qosgate_dev.testing import main
from qosgate_dev.testing.limits_case import LimitsTestCase

USAGE, BROKEN_FILE, UNKNOWN, NO_PERMISSION = 64, 65, 66, 77

PER_LAB = ("GrpTRES", "cpu", "lab")
PER_USER = ("MaxTRESPerUser", "cpu", "vizqos")
RUNNING_JOBS = ("MaxJobs", None, "astro")


class Limits(LimitsTestCase):
    def groups(self, command: str = "limits", user: str | None = "ana") -> dict:
        """The limits by account, QOS and partition (None: all others): {(limit, tres, owner): its members}."""
        found = {}
        for account in self.answer(command, user)["accounts"]:
            for group in account["groups"]:
                limits = {(each["limit"], each["tres"], each["owner"]): each for each in group["limits"]}
                for qos in group["qos"]:
                    for partition in group["partitions"] or [None]:
                        found[account["account"], qos, partition] = limits
        return found

    def test_the_limits_that_count_in_each_account_qos_and_partition(self) -> None:
        groups = self.groups()
        self.assertEqual(
            {key: set(limits) for key, limits in groups.items()},
            {
                ("astro", "normal", None): {PER_LAB, RUNNING_JOBS},
                ("astro", "plain", None): {PER_LAB, RUNNING_JOBS},
                ("astro", "normal", "viz"): {PER_LAB, RUNNING_JOBS, PER_USER, ("MaxWall", None, "vizqos")},
                ("astro", "plain", "viz"): {PER_LAB, RUNNING_JOBS, PER_USER, ("MaxWall", None, "vizqos")},
                # OverPartQOS: the partition changes nothing.
                ("astro", "over", None): {
                    PER_LAB, RUNNING_JOBS, ("MaxTRESPerUser", "cpu", "over"), ("MaxWall", None, "over")
                },
                ("bio", "normal", None): {PER_LAB},
                ("bio", "normal", "viz"): {PER_LAB, PER_USER, ("MaxWall", None, "vizqos")},
            },
        )
        self.assertEqual(groups["astro", "over", None]["MaxWall", None, "over"]["value"], 120)
        self.assertEqual(groups["astro", "normal", "viz"][PER_USER]["of_partition"], "viz")

    def test_usage_is_mine_and_that_of_all(self) -> None:
        self.start("ben", "-Aastro -n5")
        self.start("ana", "-Abio -n2")
        groups = self.groups()
        for account in ("astro", "bio"):
            limit = groups[account, "normal", None][PER_LAB]
            self.assertEqual((limit["value"], limit["mine"], limit["used"], limit["left"]), (8, 2, 7, 1))
            self.assertTrue(limit["binds_first"])
        running = groups["astro", "normal", None][RUNNING_JOBS]
        self.assertEqual((running["mine"], running["used"], running["left"]), (0, 0, 3))
        self.assertEqual(self.groups("limits", "ben")["astro", "plain", None][PER_LAB]["mine"], 5)

    def test_the_limit_that_binds_first_is_the_reason_of_the_next_job(self) -> None:
        for _ in range(3):
            self.start("ana", "-Aastro -n1")
        (first,) = [limit for limit in self.groups()["astro", "plain", None].values() if limit["binds_first"]]
        self.assertEqual((first["limit"], first["left"]), ("MaxJobs", 0))
        self.wait_reason(self.cluster.sbatch("-Aastro -n1", "ana").job, first["reason"])
        text = self.show("limits --account astro --qos plain").stdout
        self.assertRegex(text, r"running jobs +user ana in account astro +3 +3 +3 +0 +\[#{10}\] 100%  binds first")

    def test_what_is_left_can_be_had_and_no_more(self) -> None:
        self.start("ben", "-Aastro -n5")
        left = self.groups()["astro", "plain", None][PER_LAB]["left"]
        self.start("ana", f"-Aastro --qos=plain -n{left}")
        self.assertEqual(self.groups()["astro", "plain", None][PER_LAB]["left"], 0)
        job = self.cluster.sbatch("-Aastro --qos=plain -n1", "ana").job
        self.wait_reason(job, self.groups()["astro", "plain", None][PER_LAB]["reason"])

    def test_zero_is_a_limit_and_unlimited_is_none(self) -> None:
        self.cluster.sacctmgr("modify qos plain set GrpJobs=0 MaxSubmitJobsPerUser=9")
        self.addCleanup(self.cluster.sacctmgr, "modify qos plain set GrpJobs=-1 MaxSubmitJobsPerUser=-1")
        limits = self.groups()["astro", "plain", None]
        zero = limits["GrpJobs", None, "plain"]
        self.assertEqual((zero["value"], zero["used"], zero["left"], zero["binds_first"]), (0, 0, 0, True))
        self.assertEqual(limits["MaxSubmitJobsPerUser", None, "plain"]["left"], 9)
        self.assertNotIn(("MaxWall", None, "plain"), limits)
        (group,) = [
            group
            for group in self.answer("limits --all --account astro --qos plain")["accounts"][0]["groups"]
            if not group["partitions"]
        ]
        self.assertIn("MaxWall", group["not_limited"])
        self.assertRegex("\n".join(group["not_limited"]), r"(?m)^GrpTRES \(mem, node, billing, gres/gpu[,)]")
        self.assertNotIn("GrpJobs", group["not_limited"])

    def test_no_gpus_at_all_is_not_what_binds_first(self) -> None:
        # GrpTRES names what a job meets only if it asks for it; the CPUs of lab are what every job meets.
        self.cluster.sacctmgr("modify qos plain set GrpTRES=gres/gpu=0,cpu=0")
        self.addCleanup(self.cluster.sacctmgr, "modify qos plain set GrpTRES=gres/gpu=-1,cpu=-1")
        no_cpus = self.groups()["astro", "plain", None]
        self.assertTrue(no_cpus["GrpTRES", "cpu", "plain"]["binds_first"])
        self.cluster.sacctmgr("modify qos plain set GrpTRES=cpu=-1")
        self.start("ben", "-Aastro -n1")
        limits = self.groups()["astro", "plain", None]
        gpus = limits["GrpTRES", "gres/gpu", "plain"]
        self.assertEqual((gpus["value"], gpus["left"], gpus["binds_first"]), (0, 0, False))
        self.assertTrue(limits[PER_LAB]["binds_first"])

    def test_all_names_who_holds_it(self) -> None:
        self.start("ben", "-Aastro -n5")
        self.start("ana", "-Aastro -n1")
        self.assertEqual(self.groups("limits --all")["bio", "normal", None][PER_LAB]["users"], {"ben": 5, "ana": 1})
        self.assertIsNone(self.groups("limits")["bio", "normal", None][PER_LAB]["users"])
        self.assertIn("of account lab: ben 5, ana 1\n", self.show("limits --all").stdout)

    def test_administrators_see_those_of_every_user(self) -> None:
        self.start("ben", "-Aastro -n5")
        self.assertEqual(self.groups("limits --user ana", "root"), self.groups())
        self.assertEqual(self.show("limits --user ana", "ben").rc, NO_PERMISSION)
        self.assertEqual(self.show("limits --user ben", "ben").rc, 0)
        file = self.cluster.directory.with_name("world.json")
        self.cluster.run([self.qosgate, "capture", "--force", str(file)], check=True)
        file.chmod(0o644)
        self.assertEqual(self.groups(f"limits --world {file} --user ana", "ben"), self.groups())
        file.write_text("{}")
        self.assertEqual(self.show(f"limits --world {file}").rc, BROKEN_FILE)

    def test_unknown_names(self) -> None:
        for options, message in (
            ("--account astr", "user ana has no account 'astr'; did you mean astro?"),
            ("--account astro --qos vizqos", "QOS vizqos exists, but ana cannot use it with account astro\n"),
            ("--account astro --qos nosuch", "there is no QOS 'nosuch'"),
            ("--partition nowhere", "there is no partition 'nowhere'"),
            ("--user nosuch", "this host has no user 'nosuch'"),
        ):
            with self.subTest(options):
                done = self.show(f"limits {options}", "ana")
                self.assertEqual(done.rc, UNKNOWN, done)
                self.assertIn(message, done.stderr)
        self.assertEqual(self.answer("limits --qos vizqos", rc=UNKNOWN)["error"]["code"], "not_found")
        shown = self.show("limits --qos plain", "ana").stdout  # of astro alone
        self.assertIn("\nAccount bio: QOS plain exists, but ana cannot use it with account bio\n", shown)
        self.assertNotIn("no partition is open", shown)
        self.assertEqual(self.show("limits nonsense").rc, USAGE)


class PrivateUsage(LimitsTestCase):
    slurm_conf = "PrivateData=usage,users,accounts,jobs\n"

    def test_limits_of_accounts_are_hidden_from_users_and_said_to_be(self) -> None:
        self.start("ben", "-Aastro -n5")
        text = self.show("limits --all --account astro").stdout
        self.assertIn("running jobs", text)
        self.assertNotIn("lab", text)
        self.assertNotIn("ben", text)
        self.assertIn("PrivateData hides the limits of account astro and of those above it.\n", text)
        self.assertIn("PrivateData hides which users hold how much.\n", text)
        for account in self.answer("limits")["accounts"]:
            self.assertTrue(account["hides_limits"])
        self.assertEqual(self.show("limits --user ben").rc, NO_PERMISSION)

    def test_administrators_see_them(self) -> None:
        self.start("ben", "-Aastro -n5")
        text = self.show("limits --user ana --all --account astro", "root").stdout
        self.assertRegex(text, r"account lab +8 +0 +5 +3 ")
        self.assertIn("of account lab: ben 5\n", text)
        self.assertNotIn("PrivateData", text)


class PrivatePartitions(LimitsTestCase):
    slurm_conf = "PrivateData=partitions,nodes\n"

    def test_without_partitions_the_other_limits_are_shown(self) -> None:
        text = self.show("limits --account astro").stdout
        self.assertIn("account lab", text)
        self.assertNotIn("viz", text)
        self.assertIn("PrivateData hides the partitions", text)
        self.assertIn("vizqos", self.show("limits --account astro --user ana", "root").stdout)


if __name__ == "__main__":
    main()
