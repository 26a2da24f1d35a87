# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate report, and qosgate qos get --usage --access: what is used of the limits, by whom."""

from __future__ import annotations

import csv
import io
import re

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import main
from qosgate_dev.testing.limits_case import LimitsTestCase
from qosgate_dev.testing.terminal import on_terminal

USAGE, WRONG_VALUE, UNKNOWN, NO_PERMISSION = 64, 65, 66, 77


class Report(LimitsTestCase):
    slurm_conf = "PriorityWeightQOS=1000\nPartitionName=closed Nodes=ALL State=DOWN\n"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "modify qos plain set GrpTRES=cpu=8 MaxJobsPerAccount=4 MaxTRESPerUser=cpu=6 Priority=20",
            "modify qos over set Priority=100",
            "modify user where name=ben account=astro set defaultqos=plain",
        ):
            cls.cluster.sacctmgr(line)

    def usage(self, options: str = "") -> dict[str, dict]:
        return {each["qos"]: each for each in self.answer(f"report usage {options}", "root")["qos"]}

    def test_the_share_of_each_limit_and_who_uses_most(self) -> None:
        self.start("ana", "-Aastro --qos=plain -n2")
        self.start("ben", "-Aastro --qos=plain -n3")
        self.cluster.sbatch("-Aastro --qos=plain --hold --array=1-7", "ben")
        plain = self.usage()["plain"]
        self.assertEqual((plain["priority"], plain["running"], plain["pending"]), (20, 2, 7))
        limits = {each["limit"]: each for each in plain["limits"]}
        self.assertEqual(
            limits["GrpTRES"],
            {"limit": "GrpTRES", "tres": "cpu", "account": None, "user": None, "value": 8, "used": 5, "share": 0.625},
        )
        self.assertEqual((limits["MaxTRESPerUser"]["user"], limits["MaxTRESPerUser"]["share"]), ("ben", 0.5))
        self.assertEqual((limits["MaxJobsPerAccount"]["account"], limits["MaxJobsPerAccount"]["used"]), ("astro", 2))
        self.assertEqual([each["limit"] for each in plain["limits"]][0], "GrpTRES")
        text = self.show("report usage", "root").stdout
        self.assertRegex(
            text, r"\nplain +20 +2 +7 +CPUs of all running jobs +all jobs +8 +5 +3 +\[######\.\.\.\.\]  62%\n"
        )
        self.assertNotIn("\033", text)

    def test_on_a_narrow_terminal_no_line_is_wider(self) -> None:
        self.start("ana", "-Aastro --qos=plain -n2")
        self.start("ben", "-Aastro -pviz -n1 --qos=over")
        for command in ("report usage", "report priority", "qos get plain --usage", "limits --user ana"):
            with self.subTest(command):
                shown = self.cluster.run(on_terminal(80, self.qosgate, *command.split()), env={"NO_COLOR": "1"})
                lines = shown.stdout.splitlines()
                self.assertEqual([line for line in lines if len(line) > 80], [], shown)
                whole = self.show(command, "root").stdout
                self.assertEqual(set(shown.stdout.split()) - set(whole.split()) - {"PRIO", "RUN", "PEND"}, set(), "a word")
        wide = self.cluster.run(on_terminal(200, self.qosgate, "report", "usage"), env={"NO_COLOR": "1"})
        self.assertEqual(wide.stdout, self.show("report usage", "root").stdout)

    def test_orders(self) -> None:
        self.start("ana", "-Aastro --qos=plain -n2")
        self.assertEqual(next(iter(self.usage())), "plain")
        self.assertEqual(next(iter(self.usage("--sort priority"))), "over")
        self.assertEqual(list(self.usage("--sort name")), sorted(self.usage()))
        self.assertEqual(list(self.usage("--sort -name")), sorted(self.usage(), reverse=True))
        self.assertEqual(next(iter(self.usage("--sort running"))), "plain")
        done = self.show("report usage --sort runing", "root")
        self.assertEqual(done.rc, WRONG_VALUE)
        self.assertIn("there is no order 'runing'; did you mean running?", done.stderr)
        self.assertEqual(self.show("report usage --csv --json", "root").rc, USAGE)

    def test_csv_has_the_numbers_of_json(self) -> None:
        self.start("ana", "-Aastro --qos=plain -n2")
        rows = list(csv.DictReader(io.StringIO(self.show("report usage --csv", "root").stdout)))
        self.assertEqual({row["qos"] for row in rows}, set(self.usage()))
        (row,) = [row for row in rows if (row["qos"], row["limit"]) == ("plain", "MaxTRESPerUser")]
        self.assertEqual(
            [row[key] for key in ("user", "tres", "value", "used", "share")], ["ana", "cpu", "6", "2", "0.3333"]
        )

    def test_points_are_those_of_sprio(self) -> None:
        answer = self.answer("report priority", "root")
        self.assertEqual(answer["priority_weight_qos"], 1000)
        self.assertEqual([each["qos"] for each in answer["qos"]][:2], ["over", "plain"])
        points = {each["qos"]: each for each in answer["qos"]}
        for qos in ("over", "plain", "normal"):
            job = self.cluster.sbatch(f"-Aastro -pclosed --qos={qos}", "ana").job  # sprio shows only what waits
            self.cluster.wait_for(
                lambda job=job: self.cluster.run(f"sprio -h -j {job} -o %Q", check=True).stdout.strip().isdecimal(),
                f"sprio shows job {job}",
                otherwise=lambda job=job: str(self.cluster.scontrol(f"show job {job}")),
            )
            shown = self.cluster.run(f"sprio -h -j {job} -o '%q %Q'", check=True).stdout.split()
            self.assertEqual((float(shown[0]), int(shown[1])), (points[qos]["factor"], points[qos]["points"]))
        text = self.show("report priority").stdout
        self.assertRegex(text, r"\nplain +20 +0\.200000 +200\n")
        lines = self.show("report priority --csv").stdout.splitlines()
        self.assertEqual(lines[:2], ["qos,priority,factor,points", "over,100,1.000000,1000"])

    def details(self, qos: str, user: str = "root") -> dict:
        done = self.answer(f"qos get {qos} --usage --access", user)
        return done["qos"][0]

    def test_get_shows_usage_by_account_and_user(self) -> None:
        self.start("ana", "-Aastro --qos=plain -n2")
        self.start("ben", "-Aastro --qos=plain -n3")
        usage = self.details("plain")["usage"]
        self.assertEqual((usage["running"], usage["pending"]), (2, 0))
        self.assertEqual([(each["account"], each["running"]) for each in usage["accounts"]], [("astro", 2)])
        self.assertEqual(
            [(each["user"], each["running"], each["limits"][0]["used"]) for each in usage["users"]],
            [("ana", 1, 2), ("ben", 1, 3)],
        )
        text = self.show("qos get plain --usage", "root").stdout
        self.assertRegex(text, r"\n    user ben +1 +0 +CPUs per user +6 +3 +3 +\[#####\.\.\.\.\.\]  50%\n")
        self.assertNotIn("Access", text)

    def test_get_shows_who_may_use_it(self) -> None:
        access = self.details("plain")["access"]
        self.assertEqual(access["accounts"], [{"account": "astro", "users": ["ana", "ben"], "defaults": ["ben"]}])
        self.assertEqual(self.details("vizqos")["access"]["accounts"], [])
        self.assertEqual(self.details("vizqos")["access"]["partition_qos_of"], ["viz"])
        self.cluster.scontrol("update PartitionName=main DenyQos=plain")
        self.addCleanup(self.cluster.scontrol, "update PartitionName=main DenyQos=")
        self.assertEqual(self.details("plain")["access"]["refused_by"], ["main"])
        text = self.show("qos get plain vizqos --access", "root").stdout
        self.assertIn("    account astro: ana, ben; default of ben\n    refused by partition main\n", text)
        self.assertIn("    no user may ask for it\n    QOS of partition viz\n", text)
        # Without the options nothing is asked of slurmctld.
        self.assertNotIn("usage", self.answer("qos get plain", "root")["qos"][0])

    def past_usage(self, qos: str) -> float:
        shown = self.cluster.scontrol(f"show assoc_mgr qos={qos} flags=qos").stdout
        return float(re.findall(r"UsageRaw=([0-9.]+)", shown)[0])

    def test_update_resets_past_usage(self) -> None:
        for qos in ("plain", "over"):
            job = self.start("ana", f"-Aastro --qos={qos} -n2")
            self.cluster.wait_for(
                lambda job=job: self.cluster.job(job)["RunTime"] >= "00:00:02", f"job {job} has run for 2 s"
            )
            self.cluster.run(f"scancel {job}", check=True)
            self.cluster.wait_for(lambda qos=qos: self.past_usage(qos) > 0, f"QOS {qos} has usage")
        update = "qos update plain RawUsage=0"
        self.assertEqual(self.show("qos update plain RawUsage=1", "root").rc, WRONG_VALUE)
        created = self.show("qos create fresh RawUsage=0", "root")
        self.assertEqual(created.rc, WRONG_VALUE)
        self.assertIn("only with 'qos update'", created.stderr)
        self.assertEqual(self.show("qos update nosuch RawUsage=0", "root").rc, UNKNOWN)
        self.assertGreater(self.past_usage("plain"), 0)
        if slurm_version() >= (24, 11):
            self.assertIn("sacctmgr modify qos plain set rawusage=0", self.show(update, "root").stderr)
            return
        self.assertEqual(self.show(update, "ana").rc, NO_PERMISSION)
        dry = self.show(f"{update} --dry-run", "root").stdout
        self.assertIn("plain: past usage would be set to 0 in cluster", dry)
        self.assertGreater(self.past_usage("plain"), 0)
        answer = self.answer(f"{update} MaxWall=90", "root")
        self.assertEqual(answer["usage_reset"], ["plain"])
        self.assertEqual(answer["updated"][0]["changes"], {"MaxWall": {"before": None, "after": 90}})
        self.assertEqual(self.past_usage("plain"), 0)
        self.assertGreater(self.past_usage("over"), 0)
        self.assertIn("over: past usage is 0 in cluster", self.show("qos update over RawUsage=0", "root").stdout)
        self.assertEqual(self.past_usage("over"), 0)

    def test_the_help_teaches(self) -> None:
        for command in ("verify", "lint", "report usage", "report priority", "qos get"):
            with self.subTest(command):
                text = self.show(f"{command} --help").stdout
                self.assertIn("Exit status:", text)
                self.assertGreaterEqual(len(re.findall(rf"(?m)^  (?:sudo )?qosgate {command}\b", text)), 2)


class PrivateReport(LimitsTestCase):
    slurm_conf = "PrivateData=usage,users,accounts,jobs\n"

    def test_names_are_hidden_from_users_and_said_to_be(self) -> None:
        self.start("ben", "-Aastro --qos=over -n2")
        for command in ("report usage", "qos get over --usage --access"):
            with self.subTest(command):
                done = self.show(command, "ana")
                self.assertEqual(done.rc, 0, done)
                self.assertNotIn("ben", done.stdout)
                self.assertIn("PrivateData hides", done.stdout)
                self.assertIn("ben", self.show(command, "root").stdout)
                self.assertNotIn("ben", self.show(f"{command} --json", "ana").stdout)
        self.assertNotIn("ben", self.show("report usage --csv", "ana").stdout)

    def test_ones_own_use_is_shown(self) -> None:
        self.start("ben", "-Aastro --qos=over -n2")
        self.assertRegex(self.show("qos get over --usage", "ben").stdout, r"(?m)^    user ben +1 +0")
        use = self.answer("qos get over --usage", "ben")["qos"][0]["usage"]
        self.assertEqual(([each["user"] for each in use["users"]], use["accounts"]), (["ben"], None))
        self.assertNotIn("user ben", self.show("qos get over --usage", "ana").stdout)
        self.assertIsNone(self.answer("qos get over --usage", "ana")["qos"][0]["usage"]["users"])


class PrivateUsers(LimitsTestCase):
    slurm_conf = "PrivateData=users,accounts\n"

    def test_nothing_is_said_to_be_hidden_where_all_users_are_shown(self) -> None:
        done = self.show("qos get over --access", "ana")
        self.assertRegex(done.stdout, r"account astro: ana, ben")
        self.assertNotIn("PrivateData hides", done.stdout)
        self.assertFalse(self.answer("qos get over --access", "ana")["qos"][0]["access"]["hides_users"])


if __name__ == "__main__":
    main()
