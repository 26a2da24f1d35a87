# SPDX-License-Identifier: GPL-2.0-or-later
"""What users of a slurmctld with job_submit_qosgate.so read about their jobs."""

from __future__ import annotations

import re
import unittest

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

# slurmctld tries each part of a heterogeneous job beside those before it when it is submitted.
TRIES_PARTS = slurm_version() >= (26, 5)


class Explanations(PluginTestCase):
    """What users read: slurmctld's own answer, unchanged, after our lines."""

    def test_a_limit_is_explained_in_front_of_slurms_words(self) -> None:
        for command, last in (
            ("sbatch --qos=small -n3 --wrap=true", "Batch job submission failed: Job violates"),
            ("srun --qos=small -n3 true", "Unable to allocate resources: Job violates"),
            ("salloc --qos=small -n3 true", "Job submit/allocate failed: Job violates"),
        ):
            with self.subTest(command):
                self.expect(
                    self.cluster.run(command, USER),
                    False,
                    "CPUs per job: limit 2, this job asks for 3 (QOSMaxCpuPerJobLimit)",
                    "error: QOSMaxCpuPerJobLimit",
                    last,
                )

    def test_every_violated_limit_is_named(self) -> None:
        self.expect(
            self.submit("--qos=small -n3 --time=2:00:00"),
            False,
            "wall time per job: limit 01:00:00, this job asks for 02:00:00",
            "CPUs per job: limit 2, this job asks for 3",
        )

    def test_usage_counts_for_the_very_next_submission(self) -> None:
        for _ in range(2):
            self.expect(self.submit("--qos=counted --hold"), True)
        self.expect(
            self.submit("--qos=counted --array=1-2"),
            False,
            "limit 3, submitted 2 (all yours), this array has 2 tasks",
        )
        self.expect(self.submit("--qos=counted --hold"), True)

    def test_a_changed_limit_counts_for_the_very_next_submission(self) -> None:
        self.cluster.sacctmgr("modify qos small set MaxTRESPerJob=cpu=4")
        self.addCleanup(self.cluster.sacctmgr, "modify qos small set MaxTRESPerJob=cpu=2")
        self.expect(self.submit("--qos=small -n5"), False, "limit 4, this job asks for 5")

    def test_a_qos_that_is_not_open_is_told_with_those_that_are(self) -> None:
        self.expect(
            self.submit("--qos=other"), False, "counted, normal, small", "Invalid qos specification"
        )
        self.expect(self.submit("--qos=nosuch"), False, "nosuch", "counted, normal, small")

    def test_the_account_decides_which_qos_are_open(self) -> None:
        self.expect(self.submit("--account=BIO --qos=small"), False, "bio", "normal")
        self.expect(self.submit("--account=nosuch"), False, "nosuch", "Invalid account")

    def test_accepted_jobs_of_all_kinds_say_nothing(self) -> None:
        for command in (
            "sbatch --hold --wrap=true",
            "sbatch --hold --array=1-10%2 --wrap=true",
            "sbatch --hold --partition=main,short --wrap=true",
            "sbatch --test-only --wrap=true",
            "sbatch --hold --wrap=true : --qos=small",
            "srun true",
            "srun --test-only true",
            "srun -n1 true : -n1 true",
            "salloc true",
        ):
            with self.subTest(command):
                result = self.cluster.run(command, USER)
                self.assertEqual(result.rc, 0, result)
                self.assertNotIn("limit", result.stderr, result)

    def test_a_job_that_starts_later_is_told_only_what_waiting_does_not_mend(self) -> None:
        self.cluster.sacctmgr("add qos busy MaxJobsPerUser=1 MaxTRESPerJob=cpu=2")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=busy")
        self.addCleanup(self.cluster.sacctmgr, "delete qos busy")
        first = self.cluster.sbatch("--qos=busy", USER).jobid
        self.cluster.wait_job(first, "RUNNING")
        self.expect(self.submit("--qos=busy"), True, "this job will wait", "(QOSMaxJobsPerUserLimit)")
        for later in ("--hold", "--begin=now+1hour", f"--dependency=afterany:{first}"):
            with self.subTest(later):
                fits = self.submit(f"--qos=busy {later}")
                self.expect(fits, True)
                self.assertNotIn("this job", fits.stderr)
                never = "this job can never start as it is: CPUs per job in QOS busy: limit 2, this job asks for 3"
                self.expect(self.submit(f"--qos=busy -n3 {later}"), True, never)
        self.expect(self.submit("--qos=busy --begin=now"), True, "this job will wait")

    def test_whole_nodes_and_shared_nodes_are_counted_as_slurm_does(self) -> None:
        self.cluster.sacctmgr("add qos part,node MaxJobsPerAccount=9")
        self.cluster.sacctmgr("modify qos part set MaxTRESPerUser=cpu=2")
        self.cluster.sacctmgr("modify qos node set MaxTRESPerUser=node=1")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=part,node")
        self.addCleanup(self.cluster.sacctmgr, "delete qos part,node")
        whole = self.submit("--qos=part --exclusive")
        self.expect(whole, True, "this job can never start", "--exclusive takes whole nodes")
        self.cluster.wait_reason(int(whole.stdout.split()[-1]), "QOSMaxCpuPerUserLimit")
        first = self.cluster.sbatch("--qos=node", USER).jobid
        self.cluster.wait_job(first, "RUNNING")
        node = self.cluster.run(f"squeue -h -j {first} -o %N", check=True).stdout.strip()
        shares = self.submit(f"--qos=node -w {node}")
        self.expect(shares, True, "this job may wait: nodes per user", "(QOSMaxNodePerUserLimit)")
        self.cluster.wait_job(int(shares.stdout.split()[-1]), "RUNNING")

    def test_a_part_of_a_het_job_is_told_with_its_number(self) -> None:
        result = self.cluster.run("sbatch --wrap=true : --qos=small -n3", USER)
        self.expect(result, False, "1: ", "limit 2, this job asks for 3")

    def test_parts_of_a_het_job_that_exceed_a_limit_together_are_told(self) -> None:
        self.cluster.sacctmgr("add qos pair MaxTRESPerUser=cpu=3 Flags=DenyOnLimit")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=pair")
        self.addCleanup(self.cluster.sacctmgr, "delete qos pair")
        together = "together exceed a limit: CPUs per user in QOS pair: limit 3, they ask for "
        for parts, line in (
            ("--qos=pair -n1 : --qos=pair -n2", ""),
            ("--qos=pair -n2 : --qos=pair -n2", f"1: parts 0 and 1 {together}4"),
            ("--qos=normal -n2 : --qos=pair -n2", "" if TRIES_PARTS else f"1: parts 0 and 1 {together}4"),
            ("--qos=pair -n1 : --qos=pair -n1 : --qos=pair -n2", f"2: parts 0, 1 and 2 {together}4"),
            ("--account=astro --qos=pair -n2 : --account=bio --qos=normal -n2", ""),
        ):
            with self.subTest(parts):
                result = self.cluster.run(f"sbatch --hold --wrap=true {parts}", USER)
                self.expect(result, not line, *filter(None, [line]))
                self.assertEqual(result.stderr.count("together"), bool(line), result)

    def test_parts_of_a_het_job_that_never_start_together_are_told(self) -> None:
        self.cluster.sacctmgr("add qos loose MaxTRESPerUser=cpu=3")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=loose")
        self.addCleanup(self.cluster.sacctmgr, "delete qos loose")
        is_refused = TRIES_PARTS  # a new job; it would never start
        never = f"1: {'' if is_refused else 'this job can never start as it is: '}parts 0 and 1 together exceed a limit: "
        why = "CPUs per user in QOS loose: limit 3, they ask for 4 (QOSMaxCpuPerUserLimit)"
        for parts, line in (
            ("--qos=loose -n1 : --qos=loose -n2", ""),
            ("--qos=loose -n2 : --qos=loose -n2", never + why),
        ):
            result = self.cluster.run(f"sbatch --time=5 --wrap='sleep 60' {parts}", USER)
            self.expect(result, not (line and is_refused), *filter(None, [line]))
            self.assertEqual(result.stderr.count("together"), bool(line), result)
            if line and is_refused:
                continue
            job = int(result.stdout.split()[-1])
            if line:
                self.cluster.wait_reason(job + 1, "QOSMaxCpuPerUserLimit")
            else:
                self.cluster.wait_job(job, "RUNNING")
            self.cluster.run(f"scancel {job}", check=True)

    def test_updates_of_jobs_stay_slurms_own(self) -> None:
        job = self.cluster.sbatch("--hold", USER).jobid
        update = f"scontrol update jobid={job}"
        for change, works in (
            ("timelimit=20", True),
            ("qos=small", True),
            ("qos=other", False),
            ("account=bio qos=normal", True),
            ("partition=short", True),
            ("partition=nosuch", False),
            ("comment=hello", True),
        ):
            with self.subTest(change):
                result = self.cluster.run(f"{update} {change}", USER)
                self.assertEqual(result.rc == 0, works, result)


@unittest.skipIf(slurm_version() < (24, 11), "needs Slurm 24.11: several QOSs for one job")
class QosLists(PluginTestCase):
    """`--qos=a,b`: the highest priority is judged at submission, all are tried afterwards."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos full Priority=20 GrpJobs=0",
            "add qos packed Priority=5 MaxJobsPerUser=0",
            "modify qos small set Priority=10",
            f"modify user {USER} account=astro set qos+=full,packed",
        ):
            cls.cluster.sacctmgr(line)

    def reason(self, job: int) -> str:
        return self.cluster.job_reason(job)

    def test_the_highest_priority_is_judged_at_submission(self) -> None:
        self.expect(
            self.submit("--qos=normal,small -n3"), False, "QOS small", "limit 2, this job asks for 3", "QOSMaxCpuPer"
        )
        self.expect(self.submit("--qos=small,full -n3 --hold"), True)

    def test_every_name_has_to_do(self) -> None:
        self.expect(self.submit("--qos=normal,other"), False, "QOS other exists", "Invalid qos")
        self.expect(self.submit("--qos=normal,nosuch"), False, "no QOS 'nosuch'", "Invalid qos")
        for one in ("normal,", ",normal", "normal,NORMAL", ","):
            with self.subTest(one):
                self.expect(self.submit(f"--qos={one}"), False, "does not name several QOSs", "Invalid qos")

    def test_a_job_that_one_of_them_lets_start_hears_nothing(self) -> None:
        result = self.cluster.run("sbatch --parsable --qos=full,normal --wrap='sleep 300'", USER)
        self.expect(result, True)
        self.assertNotIn("this job", result.stderr)
        self.cluster.wait_job(int(result.stdout), "RUNNING")
        self.assertEqual(self.cluster.job(int(result.stdout))["QOS"], "normal")

    def test_a_job_that_all_of_them_hold_waits_with_the_reason_of_the_last(self) -> None:
        result = self.cluster.run("sbatch --parsable --qos=packed,full --wrap='sleep 300'", USER)
        self.expect(result, True, "this job can never start as it is", "(QOSGrpJobsLimit)")
        self.cluster.wait_reason(int(result.stdout), "QOSMaxJobsPerUserLimit")

    def test_a_change_to_a_list(self) -> None:
        job = self.cluster.sbatch("--hold -n3", USER).jobid
        update = f"scontrol update jobid={job} qos="
        self.expect(self.cluster.run(update + "normal,small", USER), False, "limit 2, this job asks for 3")
        self.expect(self.cluster.run(update + "full,small", USER), True)
        self.expect(self.cluster.run(update + "normal,other", USER), False, "QOS other exists")


@unittest.skipIf(slurm_version() < (23, 11), "needs Slurm 23.11: relative QOSs")
class RelativeQos(PluginTestCase):
    """QOSs whose limits are percentages: of the cluster, or of the partition that they belong to."""

    partition = "half"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos share MaxTRESPerJob=cpu=50,node=50 MaxJobsPerUser=9 Flags=Relative,DenyOnLimit",
            "add qos share_of_partition MaxTRESPerJob=cpu=50 Flags=Relative,DenyOnLimit",
            f"modify user {USER} account=astro set qos+=share,share_of_partition",
        ):
            cls.cluster.sacctmgr(line)
        node = cls.cluster.run("sinfo --noheader --Node --format=%N", check=True).stdout.split()[0]
        conf = cls.cluster.layout.slurm_conf
        conf.write_text(
            f"{conf.read_text()}PartitionName={cls.partition} Nodes={node} QOS=share_of_partition\n"
        )
        cls.cluster.scontrol("reconfigure")
        cls.let_the_plugin_see_the_cluster()

    def cpus_of(self, partition: str) -> int:
        shown = self.cluster.scontrol(f"show partition {partition} --oneliner").stdout
        return int(re.search(r"TotalCPUs=(\d+)", shown)[1])

    def test_a_percentage_of_the_cluster(self) -> None:
        most = self.cpus_of("main") // 2
        self.expect(self.submit(f"--qos=share -n{most} --hold"), True)
        self.expect(
            self.submit(f"--qos=share -n{most + 1} --hold"),
            False,
            f"limit {most}, this job asks for {most + 1} (QOSMaxCpuPerJobLimit)",
            "error: QOSMaxCpuPerJobLimit",
        )
        self.expect(self.submit("--qos=share -N1 --hold"), True)
        over = "limit 1, this job asks for 2 (QOSMaxNodePerJobLimit)"
        self.expect(self.submit("--qos=share -N2 --hold"), False, over)

    def test_a_percentage_of_the_partition_it_belongs_to(self) -> None:
        most = self.cpus_of(self.partition) // 2
        self.assertLess(most, self.cpus_of("main") // 2)
        self.expect(self.submit(f"--partition={self.partition} -n{most} --hold"), True)
        self.expect(
            self.submit(f"--partition={self.partition} -n{most + 1} --hold"),
            False,
            f"limit {most}, this job asks for {most + 1} (QOSMaxCpuPerJobLimit)",
            "error: QOSMaxCpuPerJobLimit",
        )

    def test_a_qos_that_becomes_relative_is_judged_as_slurmctld_judges_it(self) -> None:
        self.cluster.sacctmgr("add qos late MaxTRESPerJob=cpu=10 Flags=Relative,DenyOnLimit")
        self.cluster.sacctmgr("add qos later MaxTRESPerJob=cpu=10 Flags=DenyOnLimit")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=late,later")
        self.cluster.sacctmgr("modify qos later set Flags+=Relative")
        tenth = self.cpus_of("main") // 10
        self.expect_most("late", tenth)
        self.expect_most("later", 10)  # literally, until the next reconfigure
        self.cluster.scontrol("reconfigure")
        self.let_the_plugin_see_the_cluster()
        self.expect_most("late", tenth)
        self.expect_most("later", tenth)

    def expect_most(self, qos: str, cpus: int) -> None:
        self.expect(self.submit(f"--qos={qos} -n{cpus} --hold"), True)
        self.expect(
            self.submit(f"--qos={qos} -n{cpus + 1} --hold"),
            False,
            f"limit {cpus}, this job asks for {cpus + 1} (QOSMax",
        )

    def test_that_of_a_partition_is_not_for_jobs(self) -> None:
        self.expect(
            self.submit("--qos=share_of_partition"), False, "belongs to a partition", "Invalid qos"
        )


if __name__ == "__main__":
    main()
