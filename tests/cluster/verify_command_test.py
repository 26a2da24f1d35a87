# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate verify: what the jobs of the queue count, and what slurmctld keeps."""

from __future__ import annotations

import json
import os
import signal

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import main
from qosgate_dev.testing.cluster import LOOKS_PER_SECOND
from qosgate_dev.testing.limits_case import LimitsTestCase
from qosgate_dev.testing.terminal import on_terminal

DIFFERS, NOT_REACHED, NO_PERMISSION, NOTHING_KEPT = 2, 69, 77, 78


class Verify(LimitsTestCase):
    slurm_conf = "Licenses=foo:8\nAccountingStorageTRES=gres/gpu,license/foo\n"

    def differences(self) -> set[tuple]:
        """(qos, account, user, what, tres, counted, kept) of each difference."""
        done = self.answer("verify", "root", DIFFERS)
        return {
            tuple(each[key] for key in ("qos", "account", "user", "what", "tres", "counted", "kept"))
            for each in done["differences"]
        }

    def expect_equal(self) -> dict:
        answer = self.answer("verify", "root")
        self.assertEqual((answer["differences"], answer["unsettled"], answer["unknown_jobs"]), ([], [], []))
        return answer

    def test_an_empty_queue(self) -> None:
        self.assertEqual(self.expect_equal()["jobs"], 0)

    def test_jobs_of_all_kinds_are_counted_as_slurmctld_does(self) -> None:
        suspended = self.start("ana", "-Aastro -n1 --gpus=1 --licenses=foo:2")
        self.start("ben", "-Aastro -pviz -n2")  # the QOS of the partition
        self.start("ana", "-Abio -N2 -n2")  # nodes that others share
        self.cluster.sbatch("-Aastro -n1 --array=1-9%1", "ben")
        self.cluster.sbatch("-Abio --hold -pmain,viz", "ana")
        self.cluster.sbatch("-Abio -pviz,main -n1", "ana")
        self.cluster.scontrol(f"suspend {suspended}")
        self.cluster.wait_job(suspended, "SUSPENDED")
        self.assertGreaterEqual(self.expect_equal()["jobs"], 6)
        text = self.show("verify", "root").stdout
        self.assertRegex(text, r"^\d+ numbers compared with \d+ records of the queue: no difference\n")
        self.assertIn("Not compared: minutes and wall time of the past (GrpTRESMins, GrpWall)", text)
        self.cluster.scontrol(f"resume {suspended}")

    def test_parts_of_a_heterogeneous_job_are_counted(self) -> None:
        self.start("ana", "-Abio -n1")
        self.cluster.run(["sbatch", "--hold", "-Abio", "-n1", ":", "-n1", "--wrap=sleep 300"], "ana", check=True)
        if slurm_version() < (26, 5):
            self.assertEqual(self.expect_equal()["jobs"], 3)
            return
        # slurmctld takes all parts but the first off what runs, and never counts them as submitted.
        differences = self.differences()
        for who in (("normal", None, None), ("normal", None, "ana"), (None, "bio", "ana"), (None, "lab", None)):
            for numbers in (("running_jobs", None, 1, 0), ("submitted_jobs", None, 3, 2), ("tres", "cpu", 1, 0)):
                self.assertIn((*who, *numbers), differences)
        self.cluster.scontrol("reconfigure")
        self.expect_equal()
        self.cluster.scontrol("update PartitionName=viz QOS=vizqos")

    def test_memory_with_a_fraction_is_counted(self) -> None:
        job = self.start("ana", "-Aastro -n1 --mem=1536M")
        self.assertIn("mem=1.50G", self.cluster.scontrol(f"show job {job}").stdout)
        self.expect_equal()
        self.start("ben", "-Aastro -n1 --mem=1537M")
        self.expect_equal()

    def test_a_requeued_job_of_several_partitions_counts_for_one_of_them(self) -> None:
        for partitions in ("viz,main", "main,viz"):
            job = self.cluster.sbatch(f"-Aastro -n1 -p{partitions}", "ana").job
            self.cluster.wait_job(job, "RUNNING")
            self.cluster.scontrol(f"requeuehold {job}")
            self.cluster.wait_job(job, "PENDING")
            found = json.loads(self.show("verify --json", "root").stdout)
            # 22.05 keeps the nodes of such a job for ever.
            jobs = [each for each in found["differences"] if each["tres"] != "node"]
            self.assertEqual((jobs, found["unsettled"], found["jobs"]), ([], [], 1))
            self.cluster.run(f"scancel {job}", check=True)
            self.cluster.wait_for(lambda: not self.cluster.run("squeue -h", check=True).stdout, "the job has ended")
        self.cluster.scontrol("reconfigure")
        self.expect_equal()
        self.cluster.scontrol("update PartitionName=viz QOS=vizqos")

    def test_a_job_that_goes_back_to_the_queue_is_submitted(self) -> None:
        job = self.cluster.sbatch("-Aastro", "ana", wrap='trap "" TERM; for i in $(seq 300); do sleep 1; done').job
        self.cluster.wait_job(job, "RUNNING")
        self.cluster.scontrol(f"requeue {job}")
        self.assertIn("CG", self.cluster.run(f"squeue -h -j {job} -o %t", check=True).stdout)
        self.expect_equal()
        # Up to 22.05 at least, a job that is cancelled at this moment stays counted for ever.
        self.cluster.run(f"scancel {job}", check=True)
        self.cluster.wait_for(
            lambda: not self.cluster.run("squeue -h", check=True).stdout, "the job has ended"
        )
        kept = self.cluster.scontrol("show assoc_mgr users=ana flags=assoc").stdout.count("GrpSubmitJobs=N(1)")
        done = self.show("verify", "root")
        self.assertEqual(done.rc, DIFFERS if kept else 0, done)
        self.assertEqual(bool(kept), "user ana in account astro    submitted jobs" in done.stdout)
        self.cluster.scontrol("reconfigure")
        self.expect_equal()
        self.cluster.scontrol("update PartitionName=viz QOS=vizqos")

    def test_a_partition_that_gets_another_qos_leaves_its_jobs_in_the_old_one(self) -> None:
        self.start("ben", "-Aastro -pviz -n2")
        self.cluster.scontrol("update PartitionName=viz QOS=over")
        differences = self.differences()
        for each in (
            ("vizqos", None, None, "running_jobs", None, 0, 1),
            ("over", None, None, "running_jobs", None, 1, 0),
            ("vizqos", None, "ben", "tres", "cpu", 0, 2),
            ("over", "astro", None, "submitted_jobs", None, 1, 0),
        ):
            self.assertIn(each, differences)
        self.assertNotIn("normal", {qos for qos, *_ in differences})
        done = self.show("verify", "root")
        self.assertEqual(done.rc, DIFFERS)
        self.assertRegex(done.stdout, r"user ben in QOS vizqos +mem +0M +2000M +\+2000M\n")
        # slurmctld counts anew; and the QOS of the partition is that of slurm.conf again: none.
        self.cluster.scontrol("reconfigure")
        self.expect_equal()
        self.cluster.scontrol("update PartitionName=viz QOS=vizqos")

    def test_minutes_that_a_shortened_job_leaves(self) -> None:
        self.cluster.sacctmgr("add qos double UsageFactor=2")
        self.cluster.sacctmgr("add qos single")
        self.cluster.sacctmgr("modify user ana where account=astro set qos+=double,single")
        jobs = {qos: self.start("ana", f"-Aastro --qos={qos} -n2 --time=100") for qos in ("double", "single")}
        self.expect_equal()
        for job in jobs.values():
            self.cluster.scontrol(f"update JobId={job} TimeLimit=30")
        self.cluster.run("scancel --user=ana", check=True)
        self.cluster.wait_for(lambda: not self.cluster.run("squeue -h", check=True).stdout, "the jobs have ended")
        if slurm_version() >= (23, 11, 7):
            self.expect_equal()
            return
        differences = self.differences()
        # The time that was taken away counted twice, and was given back once.
        self.assertIn(("double", None, None, "tres_run_minutes", "cpu", 0, 140), differences)
        self.assertIn((None, "lab", None, "tres_run_minutes", "cpu", 0, 140), differences)
        self.assertEqual({what for _, _, _, what, *_ in differences}, {"tres_run_minutes"})
        self.assertNotIn("single", {qos for qos, *_ in differences})
        self.assertRegex(self.show("verify", "root").stdout, r"QOS double +cpu RunMins +0 +140 +\+140\n")
        self.cluster.scontrol("reconfigure")
        self.expect_equal()
        self.cluster.scontrol("update PartitionName=viz QOS=vizqos")

    def test_on_a_terminal_it_says_that_it_reads_again(self) -> None:
        self.start("ben", "-Aastro -pviz -n2")
        self.cluster.scontrol("update PartitionName=viz QOS=over")
        self.addCleanup(self.cluster.scontrol, "update PartitionName=viz QOS=vizqos")
        self.addCleanup(self.cluster.scontrol, "reconfigure")
        again = "differ or change: reading 2 of at most 5"
        self.assertIn(again, self.cluster.run(on_terminal(80, self.qosgate, "verify")).stdout)
        self.assertEqual(self.show("verify", "root").stderr, "", "no words for a program")

    def test_it_waits_no_longer_than_it_is_told(self) -> None:
        usual = self.cluster.looks_until_over(lambda: self.show("verify", "root"))
        answers = []
        pid = self.cluster.status()["slurmctld"]["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            looks = self.cluster.looks_until_over(lambda: answers.append(self.show("verify --timeout 2", "root")))
        finally:
            os.kill(pid, signal.SIGCONT)
        [done] = answers
        self.assertEqual((done.rc, done.stdout), (NOT_REACHED, ""))
        self.assertIn("slurmctld has not answered within 2 s (--timeout)", done.stderr)
        self.assertLess(looks, 4 * LOOKS_PER_SECOND + 5 * usual)
        self.assertEqual(self.show("verify --timeout 30", "root").rc, 0)
        self.assertEqual(self.show("verify --timeout 0", "root").rc, 64)

    def test_only_operators_see_all_jobs(self) -> None:
        done = self.show("verify", "ana")
        self.assertEqual((done.rc, done.stdout), (NO_PERMISSION, ""))
        self.assertIn("only root, SlurmUser and operators", done.stderr)


class WithoutLimits(LimitsTestCase):
    slurm_conf = "AccountingStorageEnforce=associations,qos\n"

    def test_slurmctld_keeps_no_counters(self) -> None:
        self.start("ana", "-Aastro")
        done = self.show("verify", "root")
        self.assertEqual(done.rc, NOTHING_KEPT)
        self.assertIn("does not have 'limits'", done.stderr)


if __name__ == "__main__":
    main()
