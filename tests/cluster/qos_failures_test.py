# SPDX-License-Identifier: GPL-2.0-or-later
"""`qosgate qos` when something is in the way: daemons, permissions, uses of a QOS, Ctrl-C."""

from __future__ import annotations

import signal
import time

from lib import main
from qos_cli import CONFLICT, NO_PERMISSION, OK, UNAVAILABLE, QosTestCase
from qosgate_cluster.programs import slurm_version
from slurmdbd_proxy import COMMIT, MODIFY_QOS, SlurmdbdProxy


class Permission(QosTestCase):
    def test_an_ordinary_user_may_look_and_not_touch(self) -> None:
        self.qos("create", "mine", "MaxWall=60")

        self.assertIn("mine", self.qos("list", user="ana").stdout)
        for words in (("create", "hers"), ("update", "mine", "MaxWall=90"), ("delete", "mine")):
            for dry in ([], ["--dry-run"]):
                with self.subTest(words, dry=dry):
                    result = self.qos(*words, *dry, rc=NO_PERMISSION, user="ana")
                    why = "user ana may not; this requires root, SlurmUser or AdminLevel=Administrator"
                    self.assertIn(why, result.stderr)
                    self.assertEqual(result.stdout, "")
        self.assertEqual(self.stored("mine", "maxwall"), "01:00:00")
        self.assertFalse(self.exists("hers"))

    def test_an_administrator_of_the_database_may(self) -> None:
        self.cluster.sacctmgr("add account admins")
        self.cluster.sacctmgr("add user ana account=admins adminlevel=administrator")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana set adminlevel=none")

        dry = self.qos("create", "byana", "--dry-run", user="ana")
        self.qos("create", "byana", "MaxWall=60", user="ana")

        self.assertIn("byana: would be created", dry.stdout)

        self.assertEqual(self.stored("byana", "maxwall"), "01:00:00")


class Unavailable(QosTestCase):
    def test_a_slurmdbd_that_is_down_is_named_at_once(self) -> None:
        self.cluster.stop("slurmdbd")
        self.addCleanup(self.cluster.start, "slurmdbd")
        start = time.monotonic()

        result = self.qos("list", rc=UNAVAILABLE)

        self.assertLess(time.monotonic() - start, 5)
        self.assertIn(f"slurmdbd at 127.0.0.1:{self.slurmdbd_port}: cannot connect", result.stderr)
        self.assertIn("is slurmdbd running?", result.stderr)

    def test_a_bad_configuration_is_named(self) -> None:
        no_munge = {"AccountingStoragePass": "/none", "AuthInfo": "socket=/none"}
        cases = {
            "SLURM_CONF=/gone/slurm.conf: No such file": {"SLURM_CONF": "/gone/slurm.conf"},
            "no proof of who you are; is munged running": self.conf_with("a.conf", **no_munge),
            "NoSuchSetting": self.conf_with("b.conf", ClusterName="c\nNoSuchSetting=1"),
        }
        for text, env in cases.items():
            with self.subTest(text):
                self.assertIn(text, self.qos("list", rc=UNAVAILABLE, env=env).stderr)

    def test_a_connection_that_breaks_changes_all_or_nothing(self) -> None:
        names = ("half1", "half2")
        self.qos("create", *names, "MaxWall=0")
        with SlurmdbdProxy(self.slurmdbd_port, fail_at=0) as proxy:
            self.qos("update", *names, "MaxWall=1", env=self.through(proxy))
            total = proxy.requests
        self.assertGreater(total, 5)

        # Unlike changes, so that there are two writes to tear apart.
        self.qos("update", "half1", "Flags=NoDecay")
        for n in range(1, total + 2):
            with self.subTest(request=n), SlurmdbdProxy(self.slurmdbd_port, fail_at=n) as proxy:
                before = [self.stored(name, "maxwall") for name in names]
                words = ["update", *names, f"MaxWall={n + 1}", "Flags+=DenyOnLimit"]
                self.qos("update", *names, "Flags-=DenyOnLimit")
                command = [str(self.binary), "qos", *words]
                result = self.cluster.run(command, env=self.through(proxy))
                after = [self.stored(name, "maxwall") for name in names]

                wanted = [f"00:{n + 1:02}:00"] * 2
                self.assertIn(result.rc, (OK, UNAVAILABLE, CONFLICT), str(result))
                self.assertIn(after, [before, wanted], str(result))
                if result.rc == OK:
                    self.assertEqual(after, wanted, str(result))
                elif "stored, but not read again" in result.stderr:
                    self.assertEqual(after, wanted, str(result))
                elif "whether the changes were stored is unknown" not in result.stderr:
                    self.assertEqual(after, before, str(result))

    def test_a_slurmdbd_that_falls_silent_is_given_up(self) -> None:
        self.qos("create", "silent", "MaxWall=60")
        for n in (1, 2, 6):
            proxy = SlurmdbdProxy(self.slurmdbd_port, fail_at=n, is_silent=True)
            with self.subTest(request=n), proxy:
                words = ["update", "silent", "MaxWall=90", "--timeout", "1"]
                result = self.qos(*words, rc=UNAVAILABLE, env=self.through(proxy))
                self.assertIn("no answer within 1 s", result.stderr)
                self.assertEqual(self.stored("silent", "maxwall"), "01:00:00")

    def test_an_interrupt_before_the_commit_changes_nothing_and_says_so(self) -> None:
        self.qos("create", "ctrlc", "MaxWall=60")
        with SlurmdbdProxy(self.slurmdbd_port, MODIFY_QOS, is_silent=True) as proxy:
            process = self.start("update", "ctrlc", "MaxWall=90", env=self.through(proxy))
            self.cluster.wait_for(lambda: proxy.has_failed, "it wants to write")
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=10)

        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(said, "qosgate: interrupted: nothing was changed\n")
        self.assertEqual(self.stored("ctrlc", "maxwall"), "01:00:00")
        self.qos("update", "ctrlc", "MaxWall=62")

    def test_an_interrupt_during_the_commit_waits_for_the_truth(self) -> None:
        for name, answers in (("ctrl1", True), ("ctrl2", False)):
            with self.subTest(name):
                fail_at = 0 if answers else COMMIT

                def interrupt(body: bytes) -> None:
                    if body.startswith(COMMIT):
                        process.send_signal(signal.SIGINT)
                        time.sleep(0.3)

                proxy = SlurmdbdProxy(self.slurmdbd_port, fail_at, is_silent=True, before=interrupt)
                with proxy:
                    process = self.start("create", name, env=self.through(proxy))
                    if not answers:
                        self.cluster.wait_for(lambda: proxy.has_failed, "it commits")
                        time.sleep(0.5)
                        process.send_signal(signal.SIGINT)
                    _, said = process.communicate(timeout=10)

                self.assertEqual(process.returncode, -signal.SIGINT, said)
                self.assertIn("waiting for its answer", said)
                end = "the change is stored" if answers else "whether the change was stored is unknown"
                self.assertIn(f"qosgate: interrupted: {end}", said)
                self.assertEqual(self.exists(name), answers)


class DeleteGuard(QosTestCase):
    def test_a_qos_that_associations_have_is_kept(self) -> None:
        self.qos("create", "g-a,g-b,g-c")
        self.cluster.sacctmgr("add account guard qos=g-a,g-b,g-c defaultqos=g-a")

        # slurmdbd before 24.05 would damage the association's list of QOSs.
        is_damaged = slurm_version() < (24, 5)
        for words in [("g-b",), ("g-b", "--dry-run")] + [("g-b", "--force")] * is_damaged:
            with self.subTest(words):
                result = self.qos("delete", *words, rc=CONFLICT)
                why = "QOS g-b is used by associations (1: account guard of cluster"
                self.assertIn(why, result.stderr)
        default = self.qos("delete", "g-a", "--force", rc=CONFLICT)
        why = "QOS g-a is used by associations as their default (1: account guard"
        self.assertIn(why, default.stderr)
        self.assertTrue(self.exists("g-a") and self.exists("g-b"))

        if is_damaged:
            self.cluster.sacctmgr("modify account guard set qos-=g-b")
        self.qos("delete", "g-b", *([] if is_damaged else ["--force"]))
        shown = self.cluster.sacctmgr("-n -P show assoc account=guard format=qos").stdout
        self.assertEqual(shown.strip(), "g-a,g-c")

    def test_a_qos_that_another_preempts_is_kept_unless_forced(self) -> None:
        self.qos("create", "g-low")
        self.qos("create", "g-high", "Preempt=g-low,normal")

        result = self.qos("delete", "g-low", rc=CONFLICT)
        self.assertIn("QOS g-low is used by Preempt of other QOSs (1: g-high)", result.stderr)
        forced = self.qos("delete", "g-low", "--force")

        self.assertIn("warning: QOS g-low is used by Preempt of other QOSs", forced.stderr)
        self.assertEqual(self.stored("g-high", "preempt"), "normal")
        self.qos("create", "g-low")
        self.assertEqual(self.stored("g-high", "preempt"), "normal")

    def test_qos_that_preempt_only_each_other_go_together(self) -> None:
        self.qos("create", "g-one")
        self.qos("create", "g-two", "Preempt=g-one")

        self.qos("delete", "g-one,g-two")

        self.assertFalse(self.exists("g-one") or self.exists("g-two"))

    def test_a_qos_with_jobs_or_partitions_is_kept(self) -> None:
        self.qos("create", "g-job")
        self.cluster.sacctmgr("add account working qos=normal,g-job")
        self.cluster.sacctmgr("add user root account=working")
        job = self.cluster.sbatch("-A working --qos g-job --hold").job
        self.cluster.scontrol("create partition=g-part nodes=ALL allowqos=g-job")

        result = self.qos("delete", "g-job", rc=CONFLICT)
        self.assertIn(f"QOS g-job is used by jobs (1: {job})", result.stderr)
        self.assertIn("QOS g-job is used by partitions (1: g-part)", result.stderr)

        self.cluster.scontrol("delete partition=g-part")
        self.cluster.run(["scancel", str(job)], check=True)
        self.cluster.sacctmgr("modify account working set qos-=g-job")
        self.cluster.wait_for(lambda: self.cluster.job_state(job) == "CANCELLED", "the job is over")
        self.qos("delete", "g-job")

    def test_normal_is_kept(self) -> None:
        result = self.qos("delete", "normal", rc=CONFLICT)

        self.assertIn("what Slurm gives to new clusters", result.stderr)
        self.assertTrue(self.exists("normal"))

    def test_without_slurmctld_jobs_are_unknown_and_said_so(self) -> None:
        self.qos("create", "g-quiet")
        self.cluster.stop("slurmctld")
        self.addCleanup(self.cluster.start, "slurmctld")

        result = self.qos("delete", "g-quiet", "--timeout", "5")

        why = "warning: cannot tell whether these use it: jobs and partitions: slurmctld"
        self.assertIn(why, result.stderr)
        self.assertFalse(self.exists("g-quiet"))


if __name__ == "__main__":
    main()
