# SPDX-License-Identifier: GPL-2.0-or-later
"""job_submit_qosgate.so inside a real slurmctld: what users read, and what cannot harm the controller."""

from __future__ import annotations

import re
import time
import unittest
from pathlib import Path

from lib import Cluster, CommandResult, build_root, main
from qosgate_cluster.programs import slurm_version

USER = "ana"
PARTITIONS = """\
PartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED
PartitionName=short Nodes=ALL MaxTime=60 DefaultTime=30
"""

# Rejected submissions per measurement of memory, and how many bytes each may cost. A leak of the smallest
# message would be more; the bound leaves room for the allocator's own habits.
LEAK_SUBMISSIONS = 8000
LEAK_BYTES_EACH = 100

WITH_PLUGIN = "\nJobSubmitPlugins=qosgate\n"
WITHOUT_PLUGIN = "\n#JobSubmitPlugins=qosgate\n"


class PluginTestCase(unittest.TestCase):
    """One cluster per class, with the plugin in its slurmctld.

    ana is in the accounts astro (her default; QOS normal, small, counted) and bio (normal).
    """

    plugins = "qosgate"
    slurm_conf = ""  # more lines
    options: tuple[str, ...] = ()  # more arguments of `cluster up`
    cluster: Cluster
    expected_errors: list[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.expected_errors = []
        cls.cluster = Cluster.up(
            nodes=2,
            users=[USER, "ben"],
            slurm_conf=(
                f"JobSubmitPlugins={cls.plugins}\n"
                f"PluginDir={build_root()}/plugin:@PLUGINDIR@\n{PARTITIONS}{cls.slurm_conf}"
            ),
            options=cls.options,
        )
        cls.addClassCleanup(cls.cluster.down)
        for line in (
            "add qos small MaxTRESPerJob=cpu=2 MaxWall=60 Flags=DenyOnLimit",
            "add qos counted MaxSubmitJobsPerUser=3",
            "add qos other",
            "add account astro,bio",
            f"add user {USER} account=astro qos=normal,small,counted",
            f"add user {USER} account=bio qos=normal",
        ):
            cls.cluster.sacctmgr(line)
        cls.let_the_plugin_see_the_cluster()

    @classmethod
    def let_the_plugin_see_the_cluster(cls) -> None:
        """Waits until the plugin knows the partitions: at a start a moment, behind a reconfigure a second."""
        cls.cluster.wait_for(
            lambda: "limit 2" in cls.cluster.sbatch("--qos=small -n3 --hold", USER).stderr,
            "the plugin explains limits",
        )

    def tearDown(self) -> None:
        self.cluster.run(f"scancel --user={USER}")
        unexpected = [
            line for line in self.own_errors() if not any(text in line for text in self.expected_errors)
        ]
        self.assertEqual(unexpected, [])
        self.assertTrue(self.cluster.status()["slurmctld"]["running"])

    def own_errors(self) -> list[str]:
        lines = self.cluster.log("slurmctld").splitlines()
        return [line for line in lines if "error: job_submit/qosgate" in line]

    def expect_logged_error(self, text: str) -> None:
        """That slurmctld logs an error of ours with this text; without this call a test fails for one."""
        self.expected_errors.append(text)
        self.cluster.wait_for(
            lambda: any(text in line for line in self.own_errors()), f"an error is logged: {text}"
        )

    def submit(self, arguments: str) -> CommandResult:
        return self.cluster.run(["sbatch", *arguments.split(), "--wrap=sleep 300"], USER)

    def expect(self, result: CommandResult, accepted: bool, *lines: str) -> None:
        """Whether the command succeeded, and that its messages have these lines in this order."""
        self.assertEqual(result.rc == 0, accepted, result)
        rest = result.stderr
        for line in lines:
            self.assertIn(line, rest, result)
            rest = rest.partition(line)[2]

    def submit_jobs(self, *arguments: str, timeout: float = 60) -> CommandResult:
        """The helper that speaks to slurmctld without sbatch."""
        program = build_root() / "tests" / "cluster" / "helpers" / "submit_jobs"
        return self.cluster.run([str(program), *arguments], USER, check=True, timeout=timeout)

    def take_plugin_out(self) -> None:
        self.change_slurm_conf(WITH_PLUGIN, WITHOUT_PLUGIN)

    def put_plugin_back(self) -> None:
        self.change_slurm_conf(WITHOUT_PLUGIN, WITH_PLUGIN)
        self.let_the_plugin_see_the_cluster()

    def change_slurm_conf(self, old: str, new: str) -> None:
        path = self.cluster.layout.slurm_conf
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new))
        self.cluster.scontrol("reconfigure")

    def resident_bytes(self) -> int:
        pid = self.cluster.status()["slurmctld"]["pid"]
        status = Path(f"/proc/{pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def slurmctld_log_since(self, mark: int) -> str:
        return self.cluster.log("slurmctld")[mark:]


class Explanations(PluginTestCase):
    """What users read. slurmctld's own answer stays as it was, with our lines in front."""

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
        self.cluster.sacctmgr("add qos loose MaxTRESPerUser=cpu=3")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=pair,loose")
        self.addCleanup(self.cluster.sacctmgr, "delete qos pair,loose")
        together = "the parts of this job exceed a limit together: CPUs per user in QOS pair: limit 3, this job asks for "
        for parts, line in (
            ("--qos=pair -n1 : --qos=pair -n2", ""),
            ("--qos=loose -n2 : --qos=loose -n2", ""),
            ("--qos=pair -n2 : --qos=pair -n2", f"1: {together}4"),
            ("--qos=normal -n2 : --qos=pair -n2", f"1: {together}4"),
            ("--qos=pair -n1 : --qos=pair -n1 : --qos=pair -n2", f"2: {together}4"),
            ("--account=astro --qos=pair -n2 : --account=bio --qos=normal -n2", ""),
        ):
            with self.subTest(parts):
                result = self.cluster.run(f"sbatch --hold --wrap=true {parts}", USER)
                self.expect(result, not line, *filter(None, [line]))
                self.assertEqual(result.stderr.count("together"), bool(line), result)

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


class Updates(PluginTestCase):
    """Changes of jobs. Releases before 23.02 show the user no message at them; the outcome is the same."""

    has_channel = slurm_version() >= (23, 2)

    def update(self, job: int, change: str, user: str = USER) -> CommandResult:
        return self.cluster.run(f"scontrol update jobid={job} {change}", user)

    def expect_update(self, result: CommandResult, accepted: bool, *lines: str) -> None:
        self.expect(result, accepted, *(lines if self.has_channel else ()))
        if not lines:
            self.assertNotIn("this job", result.stderr, result)

    def test_a_qos_that_is_too_small_is_explained(self) -> None:
        job = self.cluster.sbatch("--hold -n3", USER).jobid
        self.expect_update(self.update(job, "qos=small"), False, "limit 2, this job asks for 3", "violates")
        self.expect_update(self.update(job, "numcpus=2 numtasks=2 qos=small"), True)

    def test_the_time_of_the_job_is_not_compared_but_will_hold_it(self) -> None:
        job = self.cluster.sbatch("--hold --time=90", USER).jobid
        over = "limit 01:00:00, this job asks for 01:30:00"
        self.expect_update(self.update(job, "qos=small"), True, over)
        self.expect_update(self.update(job, "timelimit=60"), True)
        self.expect_update(self.update(job, "timelimit=90"), True, over)
        self.expect_update(self.update(job, "timelimit=80"), True)
        self.cluster.scontrol(f"release {job}")
        self.cluster.wait_reason(job, "QOSMaxWallDurationPerJobLimit")

    def test_a_size_that_is_too_large_is_accepted_and_explained(self) -> None:
        job = self.cluster.sbatch("--hold --qos=small -n2", USER).jobid
        self.expect_update(
            self.update(job, "numtasks=3 numcpus=3"),
            True,
            "never start as it is",
            "limit 2, this job asks for 3",
        )
        self.cluster.scontrol(f"release {job}")
        self.cluster.wait_reason(job, "QOSMaxCpuPerJobLimit")
        self.expect_update(self.update(job, "numtasks=2 numcpus=2"), True)
        self.cluster.wait_job(job, "RUNNING")

    def test_a_qos_that_is_full_is_told(self) -> None:
        self.cluster.sacctmgr("add qos single,sole MaxJobsPerUser=1")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=single,sole")
        self.addCleanup(self.cluster.sacctmgr, "delete qos single,sole")
        for qos in ("single", "sole"):
            self.cluster.wait_job(self.cluster.sbatch(f"--qos={qos}", USER).jobid, "RUNNING")
        job = self.cluster.sbatch("--qos=sole", USER).jobid
        held = self.cluster.sbatch("--hold", USER).jobid
        self.expect_update(self.update(job, "qos=single"), True, "this job will wait", "running 1 (all yours)")
        self.expect_update(self.update(held, "qos=single"), True)
        self.cluster.run(f"scancel --user={USER}")

    def test_a_running_job_that_gets_less_time_is_left_in_peace(self) -> None:
        job = self.cluster.sbatch("--qos=small --time=50", USER).jobid
        self.cluster.wait_job(job, "RUNNING")
        self.expect_update(self.update(job, "timelimit=40"), True)

    def test_a_partition_that_is_too_small_is_explained(self) -> None:
        node = self.cluster.run("sinfo --noheader --Node --format=%N", check=True).stdout.split()[0]
        self.cluster.scontrol(f"create partitionname=tiny nodes={node}")
        self.addCleanup(self.cluster.scontrol, "delete partitionname=tiny")
        self.let_the_plugin_see_the_cluster()
        most = int(re.search(r"TotalCPUs=(\d+)", self.cluster.scontrol("show partition tiny").stdout)[1])
        fits = self.cluster.sbatch(f"--hold -n{most}", USER).jobid
        large = self.cluster.sbatch(f"--hold -n{most + 1}", USER).jobid
        self.expect_update(self.update(fits, "partition=tiny"), True)
        self.expect_update(
            self.update(large, "partition=tiny"),
            False,
            f"partition tiny has {most} CPU{'' if most == 1 else 's'}; this job asks for {most + 1}",
            "partition configuration not available",
        )
        self.cluster.run(f"scancel --user={USER}")

    def test_more_time_than_the_partition_gives(self) -> None:
        job = self.cluster.sbatch("--hold --partition=short --time=50", USER).jobid
        over = ("wall time per job in partition short: limit 01:00:00, this job asks for 01:01:00", "permission denied")
        self.expect_update(self.update(job, "timelimit=61"), False, *over)
        self.expect_update(self.update(job, "timelimit=60"), True)
        self.expect_update(self.update(job, "timelimit=61", "root"), True)
        self.expect_update(self.update(job, "timelimit=62"), False, "this job asks for 01:02:00", "permission denied")

    def test_an_operator_passes_over_limits(self) -> None:
        self.cluster.sacctmgr("add user ben account=bio adminlevel=operator")
        self.addCleanup(self.cluster.sacctmgr, "delete user ben")
        for operator in ("root", "ben"):
            with self.subTest(operator):
                job = self.cluster.sbatch("--hold -n3", USER).jobid
                over = ("never start as it is", "limit 2, this job asks for 3")
                self.expect_update(self.update(job, "qos=small", operator), True, *over)
                self.expect_update(self.update(job, "qos=other", operator), True)
                self.expect(self.update(job, "qos=nosuch", operator), False)
                change = "qos=small timelimit=120 numtasks=4 numcpus=4"
                self.expect_update(self.update(job, change, operator), True)
                self.cluster.scontrol(f"release {job}")
                self.cluster.wait_job(job, "RUNNING")

    def test_a_job_over_its_limits_may_go_on(self) -> None:
        self.cluster.sacctmgr("add qos tiny,wee Flags=DenyOnLimit")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=tiny,wee")
        self.addCleanup(self.cluster.sacctmgr, "delete qos tiny,wee")
        job = self.cluster.sbatch("--hold --qos=tiny -n2", USER).jobid
        self.cluster.sacctmgr("modify qos tiny,wee set MaxTRESPerJob=cpu=1")
        self.expect(self.update(job, "qos=wee"), True)
        self.cluster.sacctmgr("modify qos wee set MaxTRESPerJob=cpu=2")
        self.expect(self.update(job, "qos=wee"), True)
        self.cluster.sacctmgr("modify qos tiny set MaxTRESPerJob=cpu=1")
        self.expect_update(self.update(job, "qos=tiny"), False, "limit 1, this job asks for 2")
        self.cluster.run(f"scancel {job}", USER)


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
                self.expect(self.submit(f"--qos={one}"), False, "is not one QOS", "Invalid qos")

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


class Counts(PluginTestCase):
    """What a job comes to: the limit is passed at the very number at which slurmctld passes it."""

    slurm_conf = """\
PriorityFlags=MAX_TRES
PartitionName=billed Nodes=ALL TRESBillingWeights=CPU=2,Mem=1G,GRES/gpu=7,License/foo=3 DefMemPerCPU=0
PartitionName=modest Nodes=ALL DefMemPerNode=300
PartitionName=lean Nodes=ALL DefMemPerCPU=200
"""
    options = ("--gpus", "4", "--licenses", "foo:20,bar:20")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.sacctmgr("add qos measured Flags=DenyOnLimit")
        cls.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=measured")

    def expect_bound(self, limit: str, number: int, arguments: str, shown: str = "") -> None:
        """The job passes a limit of `number`, and not one that is smaller by one."""
        self.cluster.sacctmgr(f"modify qos measured set MaxTRESPerJob={limit}={number}")
        try:
            self.expect(self.submit(f"--qos=measured --time=5 --hold {arguments}"), True)
            self.cluster.sacctmgr(f"modify qos measured set MaxTRESPerJob={limit}={number - 1}")
            self.expect(
                self.submit(f"--qos=measured --time=5 --hold {arguments}"),
                False,
                f", this job asks for {shown or number} (",
                "Job violates",
            )
        finally:
            self.cluster.sacctmgr(f"modify qos measured set MaxTRESPerJob={limit}=-1")

    def test_billing_of_the_largest(self) -> None:
        for arguments, billing in (
            ("-n2 --mem=1", 4),
            ("-n1 --mem=3G", 3),
            ("-n2 --mem=1G --gpus=1", 7),
            ("-n2 --mem=1G --gpus=1 --licenses=foo:2", 13),
        ):
            with self.subTest(arguments):
                self.expect_bound("billing", billing, f"--partition=billed {arguments}")

    def test_licenses(self) -> None:
        for licenses, count in (("foo:3", 3), ("foo:3,bar", 3), ("bar;foo:4", 4), ("foo:1,foo:2", 3)):
            with self.subTest(licenses):
                self.expect_bound("license/foo", count, f"--licenses={licenses}")

    def test_memory(self) -> None:
        for arguments, mib, shown in (
            ("--mem=100 -N2", 200, "200M"),
            ("--mem-per-cpu=100 -n2", 200, "200M"),
            ("--mem-per-gpu=100 --gpus=2 -n1", 200, "200M"),
            ("--partition=modest -N2 -n2", 600, "600M"),
            ("--partition=lean -N2 -n2", 400, "400M"),
            ("-n2", 2000, "2000M"),  # the cluster's DefMemPerCPU
        ):
            with self.subTest(arguments):
                self.expect_bound("mem", mib, arguments, shown)

    def test_gpus(self) -> None:
        for arguments, count in (
            ("--gres=gpu:2 -N2", 4),
            ("--gpus=3", 3),
            ("--gpus-per-node=2 -N2", 4),
            ("--gpus-per-task=1 -n3", 3),
            ("--gres=gpu", 1),
        ):
            with self.subTest(arguments):
                self.expect_bound("gres/gpu", count, arguments)


class EnforcedPartitions(PluginTestCase):
    """EnforcePartLimits=ALL: what partitions ask of a job, and the QOSs that may pass."""

    slurm_conf = """\
EnforcePartLimits=ALL
PartitionName=quick Nodes=ALL MaxTime=60 MaxNodes=1 AllowQos=normal,small,passing
PartitionName=wide Nodes=ALL MinNodes=2 DenyQos=small
PartitionName=biology Nodes=ALL AllowAccounts=bio
PartitionName=timed Nodes=ALL DefaultTime=0
"""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos passing Flags=PartitionTimeLimit,PartitionMaxNodes,PartitionMinNodes",
            "add qos booked Flags=RequiresReservation",
            f"modify user {USER} account=astro set qos+=passing,booked",
        ):
            cls.cluster.sacctmgr(line)

    def expect_all(self, *cases: tuple[str, tuple[str, ...]]) -> None:
        """Each case is a submission and the lines of its refusal; none: it is accepted, without a word."""
        for arguments, lines in cases:
            with self.subTest(arguments):
                result = self.submit(f"--hold {arguments}")
                self.expect(result, not lines, *lines)
                if not lines:
                    self.assertEqual(result.stderr, "", result)

    def test_sizes_and_times(self) -> None:
        no_time, no_nodes = "Requested time limit is invalid", "Node count specification invalid"
        self.expect_all(
            ("-p quick --time=60", ()),
            ("-p quick --time=61", ("partition quick: limit 01:00:00, this job asks for 01:01:00", no_time)),
            ("-p quick --time=61 --qos=passing", ()),
            ("-p quick --time=5 -N1", ()),
            ("-p quick --time=5 -N2", ("at most 1 node per job; this job asks for 2", no_nodes)),
            ("-p quick --time=5 -N2 --qos=passing", ()),
            ("-p wide -N2", ()),
            ("-p wide -N1", ("at least 2 nodes per job; this job asks for 1", no_nodes)),
            ("-p wide -N1 --qos=passing", ()),
            ("-p timed --time=1", ()),
            ("-p timed", ("partition timed requires a time limit", no_time)),
            ("-p timed --qos=passing", ("partition timed requires a time limit", no_time)),
        )

    def test_lists_of_qos_and_accounts(self) -> None:
        no_qos = "Invalid qos"
        self.expect_all(
            ("-p quick --time=5 --qos=small", ()),
            ("-p quick --time=5 --qos=counted", ("does not accept QOS counted (accepted: normal", no_qos)),
            ("-p wide -N2 --qos=counted", ()),
            ("-p wide -N2 --qos=small --time=5", ("accept QOS small (denied: small)", no_qos)),
            ("-p biology --account=bio", ()),
            ("-p biology", ("does not accept account astro (accepted: bio", "Invalid account")),
            ("-p main --qos=booked", ("is for jobs in a reservation", no_qos)),
        )

    def test_one_partition_of_several(self) -> None:
        self.expect_all(
            ("-p main,quick --time=60", ()),
            ("-p main,quick --time=61", ("quick: limit 01:00:00, this job asks", "time limit is invalid")),
        )

    @unittest.skipIf(slurm_version() < (24, 11), "needs Slurm 24.11: several QOSs for one job")
    def test_every_qos_of_a_list_has_to_fit(self) -> None:
        self.expect_all(
            ("-p quick --time=5 --qos=normal,passing", ()),
            ("-p quick --time=61 --qos=normal,passing", ("this job asks for 01:01:00", "time limit is invalid")),
            ("-p quick --time=5 --qos=normal,counted", ("does not accept QOS counted", "Invalid qos")),
            ("-p main,wide -N1 --qos=normal,passing", ("at least 2 nodes", "Node count")),
        )


class Robustness(PluginTestCase):
    """What happens around the plugin in a controller's life."""

    def test_reconfigure_many_times(self) -> None:
        for _ in range(5):
            for _ in range(3):
                self.cluster.scontrol("reconfigure")
            self.let_the_plugin_see_the_cluster()  # which has no opinion until then
            self.expect(self.submit("--qos=small -n3"), False, "limit 2, this job asks for 3")

    def test_a_partition_added_later_is_known_after_a_moment(self) -> None:
        self.cluster.scontrol("create partitionname=late nodes=ALL qos=small maxtime=60")
        self.addCleanup(self.cluster.scontrol, "delete partitionname=late")
        self.cluster.wait_for(
            lambda: "limit 2" in self.submit("--partition=late -n3 --hold").stderr,
            "the QOS of the new partition is explained",
        )

    def test_without_slurmdbd_all_goes_on(self) -> None:
        self.cluster.stop("slurmdbd")
        self.addCleanup(self.cluster.start, "slurmdbd")
        self.expect(self.submit("--hold"), True)
        self.expect(self.submit("--qos=small -n3"), False, "limit 2, this job asks for 3")

    def test_slurmctld_stops_and_starts_with_the_plugin(self) -> None:
        for _ in range(3):
            begin = time.monotonic()
            self.cluster.stop("slurmctld")
            self.assertLess(time.monotonic() - begin, 9, "slurmctld had to be killed")
            self.cluster.start("slurmctld")
            # The first submission may come before the plugin knows the partitions; its outcome is the same.
            self.assertFalse(self.cluster.sbatch("--qos=small -n3", USER).accepted)
            self.let_the_plugin_see_the_cluster()

    def test_the_plugin_can_be_taken_out_and_put_back(self) -> None:
        for _ in range(5):
            self.take_plugin_out()
            result = self.submit("--qos=small -n3")
            self.expect(result, False, "QOSMaxCpuPerJobLimit")
            self.assertNotIn("limit 2", result.stderr, result)
            self.put_plugin_back()

    def test_odd_descriptions_get_the_answers_they_get_without_the_plugin(self) -> None:
        answers = self.submit_jobs("odd").stdout
        self.take_plugin_out()
        self.addCleanup(self.put_plugin_back)
        self.assertEqual(answers, self.submit_jobs("odd").stdout)
        self.assertIn("unset: 0\n", answers)
        self.assertGreater(len(answers.splitlines()), 300)

    def test_submissions_leave_no_memory_behind(self) -> None:
        refused = ("many", str(LEAK_SUBMISSIONS), "qos=other")
        self.submit_jobs(*refused)  # lets the allocator find its size
        before = self.resident_bytes()
        self.submit_jobs(*refused)
        grown = self.resident_bytes() - before
        self.assertLess(grown / LEAK_SUBMISSIONS, LEAK_BYTES_EACH)


class Rules(PluginTestCase):
    """Rules in qosgate.d beside slurm.conf: what they change reaches the job."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.folder = cls.cluster.layout.slurm_conf.parent / "qosgate.d"
        cls.folder.mkdir(mode=0o755)

    def write_rule(self, body: str, **settings: str) -> None:
        """Puts one rule in force and waits until slurmctld says so."""
        lines = [f'{key} = "{value}",' for key, value in ({"mode": "enforce"} | settings).items()]
        mark = len(self.cluster.log("slurmctld"))
        (self.folder / "10-test.lua").write_text(
            "rule {\n" + "\n".join(lines) + f"\nsubmit = function(job)\n{body}\nend,\n}}\n"
        )
        self.cluster.wait_for(
            lambda: "job_submit/qosgate: " in self.slurmctld_log_since(mark), "the rule is loaded"
        )

    def tearDown(self) -> None:
        mark = len(self.cluster.log("slurmctld"))
        (self.folder / "10-test.lua").unlink(missing_ok=True)
        self.cluster.wait_for(
            lambda: "job_submit/qosgate: " in self.slurmctld_log_since(mark), "the rule is gone"
        )
        super().tearDown()

    def test_what_a_rule_sets_is_what_the_job_has(self) -> None:
        self.write_rule(
            'job.qos = "small"; job.partition = "short"; job.time_limit = 7;'
            ' job.comment = "by rule"; job:warn("moved to %s", job.partition)'
        )
        result = self.cluster.run("sbatch --parsable --hold --qos=normal --wrap=true", USER)
        self.expect(result, True, "moved to short")
        fields = self.cluster.job(int(result.stdout))
        self.assertEqual(fields["QOS"], "small")
        self.assertEqual(fields["Partition"], "short")
        self.assertEqual(fields["TimeLimit"], "00:07:00")

    def test_limits_are_those_of_the_job_that_the_rule_made(self) -> None:
        self.write_rule('job.qos = "small"')
        self.expect(self.submit("--qos=normal -n3"), False, "QOS small by rule '10-test'", "limit 2, this job asks for 3")

    def test_what_a_rule_in_mode_warn_says_is_not_enforced(self) -> None:
        self.write_rule('job:reject("no jobs today")', mode="warn")
        self.expect(self.submit("--hold"), True, "sbatch: note (not enforced, rule '10-test'): no jobs today")

    def test_a_rule_rejects_with_its_own_words(self) -> None:
        self.write_rule('job:reject("not on a %s", "Sunday")')
        self.expect(self.submit("--hold"), False, "not on a Sunday")

    def test_a_rule_that_fails_refuses_the_job_and_not_the_controller(self) -> None:
        self.write_rule("local nothing = nil; nothing.field = 1")
        self.expect(
            self.submit("--hold"), False, "This job was not accepted because the rule", "10-test.lua:4"
        )
        self.expect_logged_error("attempt to index a nil value (local 'nothing')")

    def test_a_change_cannot_walk_around_a_rule(self) -> None:
        self.write_rule(
            'if job.partition == "short" and job.time_limit > 10 then job:reject("too long for short") end'
        )
        job = self.cluster.sbatch("--hold --time=30 --job-name=sneaky", USER).jobid
        mark = len(self.cluster.log("slurmctld"))
        for change, user, works in (
            ("partition=short", USER, False),
            ("partition=short", "root", False),
            ("partition=short timelimit=11", USER, False),
            ("comment=partition", USER, True),
            ("timelimit=20", USER, True),
            ("partition=short timelimit=10", USER, True),
            ("timelimit=11", USER, False),
            ("name=other", USER, True),
        ):
            with self.subTest(f"{change} by {user}"):
                result = self.cluster.run(f"scontrol update jobid={job} {change}", user)
                self.assertEqual(result.rc == 0, works, result)
        for command in (f"release {job}", f"hold {job}"):
            self.cluster.run(f"scontrol {command}", USER, check=True)
        log = self.slurmctld_log_since(mark)
        uid = self.cluster.job(job)["UserId"].rstrip(")").partition("(")[2]
        self.assertIn(
            f"rejected change jobid={job} user={USER}({uid}) job=sneaky account=astro partition=short"
            " qos=normal: rule '10-test' (10-test.lua): too long for short",
            log,
        )
        self.assertIn(f"rejected change jobid={job} by=0 user={USER}({uid})", log)

    def test_a_change_of_nodes_cannot_walk_around_a_rule(self) -> None:
        nodes = self.cluster.run("sinfo --noheader --Node --format=%N", check=True).stdout.split()
        self.write_rule(
            f'if job.nodelist == "{nodes[0]}" then job:reject("not there") end;'
            ' if job.cpus > 2 then job:reject("too many") end'
        )
        self.expect(self.submit("--hold --mincpus=3"), False, "too many")
        job = self.cluster.sbatch("--hold --mincpus=2", USER).jobid
        for change, works in (
            (f"reqnodelist={nodes[0]}", False),
            (f"reqnodelist={nodes[-1]}", True),
            (f"excnodelist={nodes[0]}", True),
            ("mincpusnode=3", False),
            ("mincpusnode=1", True),
        ):
            with self.subTest(change):
                result = self.cluster.run(f"scontrol update jobid={job} {change}", "root")
                self.assertEqual(result.rc == 0, works, result)

    def test_each_task_and_each_component_is_asked_about(self) -> None:
        self.write_rule('if job.partition == "short" then job:reject("not short") end')
        array = self.cluster.sbatch("--hold --array=1-3", USER).jobid
        self.expect(self.cluster.run(f"scontrol update jobid={array}_2 partition=short", USER), False)
        self.expect(self.cluster.run(f"scontrol update jobid={array} partition=short", USER), False)
        result = self.cluster.run("sbatch --parsable --hold --wrap=true : -n1", USER, check=True)
        part = int(result.stdout) + 1
        self.expect(self.cluster.run(f"scontrol update jobid={part} partition=short", USER), False)

    def test_a_rule_that_fails_rejects_the_change(self) -> None:
        job = self.cluster.sbatch("--hold", USER).jobid
        self.write_rule("local nothing = nil; nothing.field = 1")
        self.expect(self.cluster.run(f"scontrol update jobid={job} timelimit=9", USER), False)
        self.expect_logged_error(f"failed change jobid={job}")
        self.expect(self.cluster.run(f"scontrol update jobid={job} comment=x", USER), True)

    def test_a_stranger_learns_nothing_from_a_rule(self) -> None:
        job = self.cluster.sbatch("--hold", USER).jobid
        self.write_rule('job:reject("never")')
        result = self.cluster.run(f"scontrol update jobid={job} timelimit=5", "ben")
        self.expect(result, False)
        self.assertNotIn("never", result.stderr)
        self.assertNotIn(f"jobid={job}", self.cluster.log("slurmctld"))
        self.assertRegex(result.stderr, "Invalid user id|Access/permission denied")

    def test_the_log_says_whose_job_it_was(self) -> None:
        self.write_rule('job.comment = "seen"; job:warn("hello")')
        mark = len(self.cluster.log("slurmctld"))
        self.cluster.run(["sbatch", "--hold", "--job-name=my job", "--wrap=true"], USER, check=True)
        log = self.slurmctld_log_since(mark)
        self.assertRegex(
            log,
            r"job_submit/qosgate: changed user=ana\(\d+\) job='my job' account=astro partition=main qos=normal:"
            r" rule '10-test' \(10-test.lua\): comment: \(unset\) -> seen\n",
        )
        self.assertRegex(log, r"job_submit/qosgate: warned user=ana\(.*: hello\n")



class Enforcing(PluginTestCase):
    """Level `enforce`: the plugin refuses by itself, changes of jobs included."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        folder = cls.cluster.layout.slurm_conf.parent / "qosgate.d"
        folder.mkdir(mode=0o755)
        mark = len(cls.cluster.log("slurmctld"))
        (folder / "site.lua").write_text('site { limits = "enforce" }\n')
        cls.cluster.wait_for(
            lambda: "job_submit/qosgate: " in cls.cluster.log("slurmctld")[mark:], "the level is set"
        )

    def test_what_can_never_start_is_refused(self) -> None:
        self.cluster.sacctmgr("modify qos small set Flags=-1")
        self.addCleanup(self.cluster.sacctmgr, "modify qos small set Flags=DenyOnLimit")
        mark = len(self.cluster.log("slurmctld"))
        self.expect(self.submit("--qos=small -n3"), False, "limit 2, this job asks for 3", "Job violates")
        self.assertRegex(
            self.slurmctld_log_since(mark),
            r"refused user=ana\(\d+\) job=wrap account=astro partition=main qos=small: QOSMaxCpuPerJobLimit: ",
        )

    def test_updates_of_batch_and_interactive_jobs(self) -> None:
        batch = self.cluster.sbatch("--hold -n3", USER).jobid
        array = self.cluster.sbatch("--hold -n3 --array=1-20", USER).jobid
        allocation = self.cluster.run("salloc --no-shell --begin=now+1hour -n3", USER, timeout=2)
        waiting = re.search(r"Pending job allocation (\d+)", allocation.stderr)
        for job in filter(None, (batch, array, waiting and int(waiting[1]))):
            for change, works in (
                ("comment=hello", True),
                ("qos=other", False),
                ("qos=small", False),
                ("qos=counted", array != job),
                ("qos=normal", True),
                ("account=bio qos=normal", True),
                ("account=nosuch", False),
                ("partition=short", True),
                ("partition=nosuch", False),
            ):
                with self.subTest(f"job {job}: {change}"):
                    result = self.cluster.run(f"scontrol update jobid={job} {change}", USER)
                    self.assertEqual(result.rc == 0, works, result)

    def test_a_change_may_not_take_the_job_past_a_limit_but_may_leave_it_there(self) -> None:
        job = self.cluster.sbatch("--hold --qos=small -n2 --time=50", USER).jobid
        for change, user, works in (
            ("timelimit=60", USER, True),
            ("timelimit=61", USER, False),
            ("numtasks=3 numcpus=3", USER, False),
            ("timelimit=90", "root", True),
            ("timelimit=80", USER, True),
            ("qos=normal", USER, True),
            ("qos=small", USER, False),
            ("timelimit=60", USER, True),
            ("qos=small", USER, True),
        ):
            with self.subTest(f"{change} by {user}"):
                result = self.cluster.run(f"scontrol update jobid={job} {change}", user)
                self.assertEqual(result.rc == 0, works, result)

    def test_many_updates_leave_no_memory_behind(self) -> None:
        job = self.cluster.sbatch("--hold -n3", USER).jobid
        environment = {f"VARIABLE_{number}": "x" * 1000 for number in range(100)}
        self.cluster.run(["sbatch", "--hold", "--wrap=true"], USER, env=environment)

        def update(times: int) -> None:
            for _ in range(times):
                self.cluster.run(f"scontrol update jobid={job} qos=small", USER)

        update(20)
        before = self.resident_bytes()
        update(100)
        self.assertLess(self.resident_bytes() - before, 1 << 20)


class BesideLua(PluginTestCase):
    """Slurm's own Lua plugin runs first; it brings a Lua of another version."""

    plugins = "lua,qosgate"
    script = """\
function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.comment == "to small" then
        job_desc.qos = "small"
        slurm.log_user("lua: to small")
    elseif job_desc.comment == "no" then
        slurm.log_user("lua: no")
        return slurm.ERROR
    end
    return slurm.SUCCESS
end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end
"""

    @classmethod
    def setUpClass(cls) -> None:
        # slurmctld does not start with the plugin but without its script, so that comes with a second start.
        plugins, cls.plugins = cls.plugins, "qosgate"
        super().setUpClass()
        cls.plugins = plugins
        conf = cls.cluster.layout.slurm_conf
        (conf.parent / "job_submit.lua").write_text(cls.script)
        conf.write_text(
            conf.read_text().replace("JobSubmitPlugins=qosgate\n", f"JobSubmitPlugins={plugins}\n")
        )
        cls.cluster.restart("slurmctld")
        cls.let_the_plugin_see_the_cluster()
        rules = conf.parent / "qosgate.d"
        rules.mkdir(mode=0o755)
        (rules / "10-tell.lua").write_text(
            'rule { mode = "enforce", submit = function(job) job:warn("qos %s", job.qos) end }\n'
        )
        cls.cluster.wait_for(
            lambda: "qos normal" in cls.cluster.sbatch("--hold", USER).stderr, "the rule is loaded"
        )

    def test_a_job_that_lua_changed_is_the_job_that_is_judged(self) -> None:
        self.expect(
            self.cluster.run(["sbatch", "--comment=to small", "-n3", "--wrap=true"], USER),
            False,
            "lua: to small",
            "qos small",
            "limit 2, this job asks for 3",
        )

    def test_a_job_that_lua_refuses_is_not_judged(self) -> None:
        result = self.submit("--comment=no")
        self.expect(result, False, "lua: no")
        self.assertNotIn("qos normal", result.stderr, result)

    def test_both_speak(self) -> None:
        result = self.cluster.run(["sbatch", "--comment=to small", "--hold", "--wrap=true"], USER)
        self.expect(result, True, "lua: to small", "qos small")


class BeforeLua(BesideLua):
    """With Slurm's Lua plugin second. Where that one speaks to the user it drops what others said before."""

    plugins = "qosgate,lua"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.expected_errors.append("JobSubmitPlugins has lua behind qosgate")

    def test_the_log_warns_of_this_order(self) -> None:
        self.expect_logged_error("JobSubmitPlugins has lua behind qosgate")

    def test_a_job_that_lua_changed_is_the_job_that_is_judged(self) -> None:
        """Not in this order; slurmctld still judges the job as Lua left it."""
        result = self.cluster.run(["sbatch", "--comment=to small", "-n3", "--wrap=true"], USER)
        self.expect(result, False, "lua: to small", "QOSMaxCpuPerJobLimit")

    def test_both_speak(self) -> None:
        self.expect(self.submit("--hold"), True, "qos normal")
        result = self.cluster.run(["sbatch", "--comment=to small", "--hold", "--wrap=true"], USER)
        self.expect(result, True, "lua: to small")


if __name__ == "__main__":
    main()
