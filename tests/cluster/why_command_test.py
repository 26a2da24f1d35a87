# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate why: who holds the limits that jobs wait for, and what lets them start."""

from __future__ import annotations

import json
import shlex
import shutil
import time

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import main
from qosgate_dev.testing.limits_case import LimitsTestCase

USAGE, UNKNOWN = 64, 66

OF_LAB, OF_QOS, OF_USER = "AssocGrpCpuLimit", "QOSMaxCpuPerUserLimit", "AssocMaxJobsLimit"
WALL = "QOSMaxWallDurationPerJobLimit"


class WhyTestCase(LimitsTestCase):
    def wait(self, user: str, options: str, reason: str) -> int:
        """A job that waits with this Reason."""
        job = self.cluster.sbatch(options, user).job
        self.wait_reason(job, reason)
        return job

    def why(self, job: int | str, user: str | None = "ana") -> dict:
        (answer,) = self.answer(f"why {job}", user)["jobs"]
        return answer

    def limit_of(self, job: int | str, reason: str, user: str | None = "ana") -> dict:
        """The limit of the job's only Reason."""
        (found,) = self.why(job, user)["reasons"]
        self.assertEqual(found["reason"], reason)
        return found["limit"]

    def details_of(self, job: int | str, reason: str) -> list[str]:
        """The lines about this Reason of the job."""
        (found,) = [each for each in self.why(job)["reasons"] if each["reason"] == reason]
        return found["details"]

    def apply(self, job: int | str, wanted: str) -> None:
        """Runs the command that `why` shows with this word, as the owner; the job then starts."""
        changes = self.why(job)["changes"]
        (line,) = [line for line in changes if wanted in line]
        self.assertIn(f"decide: {line}\n", self.show(f"why {job}").stdout)
        done = self.cluster.run(shlex.split(line), "ana")
        self.assertEqual(done.rc, 0, done)
        self.cluster.wait_job(job, "RUNNING")


class Why(WhyTestCase):
    def test_a_limit_of_an_account_that_others_hold(self) -> None:
        before = time.time()
        holder = self.start("ben", "-Aastro -n6 --time=30")
        self.start("ana", "-Abio -n1 --time=90")
        job = self.wait("ana", "-Abio -n2", OF_LAB)
        limit = self.limit_of(job, OF_LAB)
        numbers = {name: limit[name] for name in ("limit", "tres", "set_by", "value", "used", "asked", "hidden")}
        self.assertEqual(
            numbers,
            {
                "limit": "GrpTRES", "tres": "cpu", "set_by": "account lab", "value": 8, "used": 7, "asked": 2,
                "hidden": 0,
            },
        )
        self.assertEqual([(each["user"], each["amount"]) for each in limit["held_by"]], [("ben", 6), ("ana", 1)])
        self.assertEqual(limit["held_by"][0]["job"], str(holder))
        self.assertFalse(limit["is_permanent"])
        # The job with 6 CPUs has to end; it may run for half an hour.
        self.assertEqual(limit["room_at"], limit["held_by"][0]["ends"])
        self.assertTrue(before + 29 * 60 < limit["room_at"] < time.time() + 31 * 60, limit)
        text = self.show(f"why {job}").stdout
        self.assertIn(f"Job {job} of ana waits: {OF_LAB} (account bio, QOS normal, partition main)\n", text)
        self.assertIn("CPUs of all running jobs in account lab: limit 8, in use 7", text)
        self.assertRegex(text, rf"{holder} +ben +6 +20\d\d-")

    def test_it_starts_when_the_holder_ends(self) -> None:
        holder = self.start("ben", "-Aastro -n6")
        job = self.wait("ana", "-Abio -n4", OF_LAB)
        self.assertIsNone(self.limit_of(job, OF_LAB)["room_at"], "a job without a time limit holds it")
        self.cluster.run(f"scancel {holder}", check=True)
        self.cluster.wait_job(job, "RUNNING")
        answer = self.why(job)
        self.assertEqual((answer["state"], answer["reasons"], answer["changes"]), ("RUNNING", [], []))
        self.assertRegex(self.show(f"why {job}").stdout, rf"^Job {job} of ana runs since 20\d\d-.*\.\n$")

    def test_what_is_too_large_by_itself_never_starts(self) -> None:
        job = self.wait("ana", "-Aastro --qos=over -n9 -N1", OF_QOS)
        answer = self.why(job)
        limit = answer["reasons"][0]["limit"]
        self.assertEqual((limit["is_permanent"], limit["asked"], limit["value"], limit["room_at"]), (True, 9, 8, None))
        self.assertIn("CPUs of all running jobs in account lab: limit 8", " ".join(answer["also"]))
        self.assertIn("Waiting does not help", self.show(f"why {job}").stdout)
        self.assertEqual(answer["changes"], [f"scontrol update JobId={job} NumTasks=8 NumCPUs=8"])
        self.apply(job, "NumTasks=8")

    def test_room_for_one_limit_is_not_promised_where_another_never_has_any(self) -> None:
        self.cluster.sacctmgr("modify qos plain set GrpTRES=cpu=4")
        self.addCleanup(self.cluster.sacctmgr, "modify qos plain set GrpTRES=cpu=-1")
        self.start("ben", "-Aastro --qos=plain -n3 --time=30")
        job = self.wait("ana", "-Aastro --qos=plain -n2", "QOSGrpCpuLimit")
        self.assertIsNotNone(self.limit_of(job, "QOSGrpCpuLimit")["room_at"])
        self.cluster.sacctmgr("modify user ana where account=astro set MaxTRESPerJob=cpu=1")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana where account=astro set MaxTRESPerJob=cpu=-1")
        self.cluster.wait_for(lambda: self.why(job)["also"], "the other limit is told")
        limit = self.limit_of(job, "QOSGrpCpuLimit")
        self.assertEqual((limit["is_permanent"], limit["room_at"]), (False, None))
        text = self.show(f"why {job}").stdout
        self.assertIn("Waiting does not help as long as the job and the other limits stay", text)
        self.assertNotIn("Estimate", text)

    def test_whole_nodes_behind_a_limit_on_jobs_are_counted_as_check_counts_them(self) -> None:
        self.cluster.sacctmgr("modify account lab set GrpTRES=cpu=-1")
        self.addCleanup(self.cluster.sacctmgr, "modify account lab set GrpTRES=cpu=8")
        self.cluster.sacctmgr("modify qos plain set MaxJobsPerUser=1 MaxTRESPerUser=cpu=64")
        self.addCleanup(self.cluster.sacctmgr, "modify qos plain set MaxJobsPerUser=-1 MaxTRESPerUser=cpu=-1")
        self.start("ana", "-Aastro --qos=plain -n1 --time=60")
        for options, has_cpus in (("--exclusive -N1 -n1", True), ("-n64 -N1", True), ("-n63 -N1", False)):
            with self.subTest(options):
                options = f"-Aastro --qos=plain --time=60 {options}"
                job = self.wait("ana", options, "QOSMaxJobsPerUserLimit")
                answer = self.why(job)
                told = [answer["reasons"][0]["limit"]["text"], *answer["also"]]
                self.assertEqual(len(told), 1 + has_cpus, told)
                self.assertEqual("asks for 64" in "".join(told), has_cpus, told)
                check = self.show(f"check -- sbatch {options} --wrap=true").stdout
                self.assertRegex(check, rf"this job will wait{' .2 reasons.' if has_cpus else ''}:")
                for line in (*told, "could start sooner with: --qos=normal\n"):
                    self.assertIn(line, check)
                self.assertIn(f"scontrol update JobId={job} QOS=normal", self.why(job)["changes"])
                self.cluster.run(f"scancel {job}", check=True)

    def test_names_are_quoted_for_the_shell(self) -> None:
        name = "a;id 'x"
        self.cluster.run(["sacctmgr", "-i", "add", "qos", name], check=True)
        self.cluster.run(["sacctmgr", "-i", "modify", "user", "ana", "where", "account=bio", "set", f"qos+={name}"])
        self.cluster.sacctmgr("modify qos normal set MaxTRESPerUser=cpu=2")
        self.addCleanup(self.cluster.sacctmgr, "modify qos normal set MaxTRESPerUser=cpu=-1")
        job = self.wait("ana", "-Abio -n3", OF_QOS)
        lines = [line for line in self.why(job)["changes"] if "a;id" in line]
        for line in lines:
            self.assertEqual(len(shlex.split(line)), 4, line)
            shell = self.cluster.run(["sh", "-c", f"set -- {line}; echo $#"], "ana")
            self.assertEqual(shell.stdout, "4\n", line)

    def test_no_command_for_a_list_of_tasks_that_slurmctld_shortens(self) -> None:
        for last, has_command in ((9, True), (199, False)):
            tasks = ",".join(str(task + task // 3 % 2) for task in range(1, last, 2))
            job = self.wait("ana", f"-Aastro --qos=over -n1 --time=180 --array={tasks}", WALL)
            self.assertEqual(bool(self.why(job)["changes"]), has_command, tasks)

    def test_a_job_that_may_not_start_yet_waits_for_no_limit(self) -> None:
        self.start("ben", "-Aastro -n8")
        later = self.why(self.wait("ana", "-Aastro -n1 --begin=now+1hour", "BeginTime"))
        self.assertEqual((later["reasons"][0]["limit"], later["also"], later["changes"]), (None, [], []))
        self.assertIn("starts by itself", later["reasons"][0]["waiting"])
        never = self.why(self.wait("ana", "-Aastro --qos=over -n1 --time=121 --begin=now+1hour", "BeginTime"))
        self.assertIn("limit 02:00:00, this job asks for 02:01:00", " ".join(never["also"]))
        reason = never["reasons"][0]
        self.assertEqual(
            (reason["waiting"], reason["change"]),
            ("Waiting does not help as long as the job and its limits stay as they are.", ""),
        )

    def test_advice_does_not_contradict_itself(self) -> None:
        self.cluster.sacctmgr("modify qos plain set MaxJobsPerUser=1")
        self.addCleanup(self.cluster.sacctmgr, "modify qos plain set MaxJobsPerUser=-1")
        self.start("ana", "-Aastro --qos=plain -n1 --time=60")
        job = self.wait("ana", "-Aastro --qos=plain -n9 --time=60", "QOSMaxJobsPerUserLimit")
        (reason,) = self.why(job)["reasons"]
        self.assertTrue(reason["waiting"].startswith("Waiting does not help"), reason)
        self.assertEqual(reason["change"], "Use another QOS.")

    def test_another_qos_lets_it_start(self) -> None:
        self.cluster.sacctmgr("modify qos normal set MaxTRESPerUser=cpu=2")
        self.addCleanup(self.cluster.sacctmgr, "modify qos normal set MaxTRESPerUser=cpu=-1")
        self.start("ana", "-Aastro -n2 --time=60")
        job = self.wait("ana", "-Aastro -n2 --time=60", OF_QOS)
        for reader, words in (("ana", "in use 2 (all yours)"), ("root", "in use 2 (all of user ana)")):
            self.assertIn(words, self.limit_of(job, OF_QOS, reader)["text"])
        # QOS plain has room as well; the first that helps is shown. In viz the QOS of the partition counts instead.
        self.assertEqual([line.split()[-1] for line in self.why(job)["changes"]], ["QOS=over", "Partition=viz"])
        self.apply(job, "QOS=over")

    def write_settings(self, text: str, mode: int) -> None:
        """Settings of the site, for those that may read them."""
        directory = self.cluster.layout.slurm_conf.parent / "qosgate.d"
        if not directory.exists():
            directory.mkdir()
            self.addCleanup(shutil.rmtree, directory)
        (directory / "site.lua").write_text(text, encoding="utf-8")
        directory.chmod(mode)

    def test_the_site_says_which_qos_and_partitions_are_suggested(self) -> None:
        self.cluster.sacctmgr("modify qos normal set MaxTRESPerUser=cpu=2")
        self.addCleanup(self.cluster.sacctmgr, "modify qos normal set MaxTRESPerUser=cpu=-1")
        job = self.wait("ana", "-Aastro -n3 --time=60", OF_QOS)

        def changes(reader: str) -> list[str]:
            (answer,) = self.answer(f"why {job}", reader)["jobs"]
            return [line.split()[-1] for line in answer["changes"] if "Num" not in line]

        self.write_settings('site { suggest_qos = { "plain", "over" }, suggest_partition = {} }', 0o755)
        self.assertEqual(changes("ana"), ["QOS=plain"])
        self.write_settings("site { suggest_qos = {} }", 0o755)
        self.assertEqual(changes("ana"), ["Partition=viz"])
        self.write_settings("site { suggest_qos = {} }", 0o700)
        self.assertEqual(changes("root"), ["Partition=viz"])
        self.assertEqual(changes("ana"), ["QOS=over", "Partition=viz"], "who may not read them")

    def test_a_qos_of_higher_priority_is_not_offered(self) -> None:
        self.cluster.sacctmgr("modify qos normal set MaxTRESPerUser=cpu=2")
        self.addCleanup(self.cluster.sacctmgr, "modify qos normal set MaxTRESPerUser=cpu=-1")
        self.cluster.sacctmgr("modify qos over set Priority=1")
        self.addCleanup(self.cluster.sacctmgr, "modify qos over set Priority=0")
        job = self.wait("ana", "-Aastro -n3 --time=60", OF_QOS)
        self.cluster.wait_for(lambda: "QOS=over" not in str(self.why(job)["changes"]), "the priority is known")
        self.apply(job, "QOS=plain")

    def test_memory_with_a_fraction_is_counted(self) -> None:
        self.cluster.sacctmgr("modify qos normal set MaxTRESPerUser=mem=2000")
        self.addCleanup(self.cluster.sacctmgr, "modify qos normal set MaxTRESPerUser=mem=-1")
        self.start("ana", "-Aastro -n1 --mem=1536M --time=60")
        job = self.wait("ana", "-Aastro -n1 --mem=1536M --time=60", "QOSMaxMemoryPerUser")
        limit = self.limit_of(job, "QOSMaxMemoryPerUser")
        self.assertEqual([each["amount"] for each in limit["held_by"]], [1536])
        self.assertIsNotNone(limit["room_at"])
        self.apply(job, "QOS=over")

    def test_the_tasks_of_an_array_start_together(self) -> None:
        array = self.wait("ana", "-Aastro --qos=over --array=1-2 -n1 --time=121", WALL)
        (line,) = [line for line in self.why(array)["changes"] if "TimeLimit" in line]
        self.assertEqual(line, f"scontrol update 'JobId={array}_[1-2]' TimeLimit=02:00:00")
        self.cluster.run(shlex.split(line), "ana", check=True)
        self.cluster.wait_for(
            lambda: len(self.cluster.run("squeue -h -t R -r", check=True).stdout.splitlines()) == 2, "both run"
        )

    def test_a_shorter_time_than_the_least_lets_it_start(self) -> None:
        self.cluster.sacctmgr("modify qos plain set GrpTRESRunMins=cpu=80")
        self.addCleanup(self.cluster.sacctmgr, "modify qos plain set GrpTRESRunMins=cpu=-1")
        self.start("ben", "-Aastro --qos=plain -n1 --time=60")
        job = self.wait("ana", "-Aastro --qos=plain -n1 --time=60 --time-min=30", "QOSGrpCPURunMinutesLimit")
        self.apply(job, "TimeLimit=00:20:00 TimeMin=00:20:00")

    def test_a_shorter_time_lets_it_start(self) -> None:
        job = self.wait("ana", "-Aastro --qos=over -n1 --time=121", WALL)
        self.assertEqual(self.why(job, "root")["changes"], self.why(job)["changes"])
        self.assertEqual(self.why(job, "ben")["changes"], [], "ben may not change it")
        self.apply(job, "TimeLimit=02:00:00")

    def test_a_shorter_time_complies_with_a_limit_that_counts_scaled_time(self) -> None:
        for factor, minutes in ((2, "00:50:00"), (1.5, "01:06:00"), (1, "01:40:00")):
            with self.subTest(factor):
                qos = f"scaled{factor}".replace(".", "x")
                self.cluster.sacctmgr(f"add qos {qos} UsageFactor={factor} Flags=UsageFactorSafe GrpTRESRunMins=cpu=100")
                self.cluster.sacctmgr(f"modify user ana where account=astro set qos+={qos}")
                job = self.wait("ana", f"-Aastro --qos={qos} -n1 --time=110", "QOSGrpCPURunMinutesLimit")
                self.apply(job, f"TimeLimit={minutes}")

    def test_another_partition_lets_it_start(self) -> None:
        self.start("ana", "-Abio -pviz -n4 --time=20")
        job = self.wait("ana", "-Abio -pviz -n1 --time=20", OF_QOS)
        limit = self.limit_of(job, OF_QOS)
        self.assertEqual((limit["set_by"], limit["used"]), ("partition viz (QOS vizqos)", 4))
        self.assertEqual(limit["room_at"], limit["held_by"][0]["ends"])
        self.apply(job, "Partition=main")

    def test_another_account_lets_it_start(self) -> None:
        for _ in range(3):
            self.start("ana", "-Aastro -n1")
        job = self.wait("ana", "-Aastro -n1", OF_USER)
        limit = self.limit_of(job, OF_USER)
        self.assertEqual((limit["set_by"], limit["used"], len(limit["held_by"])), ("user ana in account astro", 3, 3))
        self.apply(job, "Account=bio")

    def test_no_change_is_shown_that_does_not_help(self) -> None:
        self.start("ben", "-Aastro -n8 --time=60")
        job = self.wait("ana", "-Aastro --qos=over -n1 --time=121", WALL)
        answer = self.why(job)
        self.assertEqual(answer["changes"], [], "the account is full")
        self.assertIn("in account lab: limit 8, in use 8", " ".join(answer["also"]))

    def test_tasks_of_arrays_and_parts_by_the_names_of_squeue(self) -> None:
        self.start("ben", "-Aastro -n8")
        array = self.wait("ana", "-Abio --array=1-4%2 -n1", OF_LAB)
        names = {name: [job["job"] for job in self.answer(f"why {name}")["jobs"]] for name in (
            f"{array}", f"{array}_3", f"'{array}_[1-4]'", f"'{array}_[2,4]'", f"'{array}_[1-4%2]'"
        )}
        self.assertEqual(set(map(tuple, names.values())), {(f"{array}_[1-4%2]",)})
        self.assertEqual(self.show(f"why {array}_5").rc, UNKNOWN)
        done = self.cluster.run(["sbatch", "-Abio", "-n1", ":", "-n2", "--wrap=true"], "ana", check=True)
        leader = int(done.stdout.split()[-1])
        jobs = self.answer(f"why {leader}")["jobs"]
        self.assertEqual({job["job"] for job in jobs}, {f"{leader}+0", f"{leader}+1"})
        self.assertEqual([job["job"] for job in self.answer(f"why {leader}+1")["jobs"]], [f"{leader}+1"])

    def test_at_most_ten_holders_are_named_and_the_rest_is_summed(self) -> None:
        self.cluster.sacctmgr("modify account lab set GrpTRES=cpu=12")
        self.addCleanup(self.cluster.sacctmgr, "modify account lab set GrpTRES=cpu=8")
        array = self.cluster.sbatch("-Aastro --array=1-12 -n1", "ben").job
        self.cluster.wait_for(
            lambda: len(self.cluster.run("squeue -h -t R -r", check=True).stdout.splitlines()) == 12, "12 jobs run"
        )
        job = self.wait("ana", "-Abio -n1", OF_LAB)
        limit = self.limit_of(job, OF_LAB)
        self.assertEqual((len(limit["held_by"]), limit["others"]), (10, {"jobs": 2, "amount": 2}))
        self.assertTrue(all(each["job"].startswith(f"{array}_") for each in limit["held_by"]), limit)
        self.assertRegex(self.show(f"why {job}").stdout, r"\n +2 more +- +2 ")

    def test_other_reasons_are_explained_too(self) -> None:
        job = self.wait("ana", "-Aastro --hold", "JobHeldUser")
        answer = self.why(job)
        self.assertIn("scontrol release", answer["reasons"][0]["change"])
        self.assertEqual(answer["changes"], [])

    def test_unknown_jobs_are_an_error_after_the_others(self) -> None:
        job = self.start("ana", "-Aastro -n1")
        done = self.show(f"why 99999 {job} abc --json")
        self.assertEqual(done.rc, UNKNOWN, done)
        answer = json.loads(done.stdout)
        self.assertEqual([each["job"] for each in answer["jobs"]], [str(job)])
        self.assertEqual(answer["error"]["code"], "not_found")
        self.assertIn("jobs 99999, abc are not in the queue", done.stderr)
        for words in ("", "--me --pending", f"--me {job}"):
            self.assertEqual(self.show(f"why {words}").rc, USAGE)
        for name in ("abc", "1_x"):
            done = self.show(f"why {name}")
            self.assertEqual(done.rc, UNKNOWN)
            self.assertIn(f"'{name}' is no id of a job: write it as squeue shows it", done.stderr)

    def test_all_of_mine_and_all(self) -> None:
        self.assertEqual(self.show("why --me").stdout, "You have no pending jobs.\n")
        self.start("ben", "-Aastro -n8")
        mine = self.wait("ana", "-Abio -n1", OF_LAB)
        other = self.wait("ben", "-Aastro -n1", OF_LAB)
        self.assertEqual([each["job"] for each in self.answer("why --me")["jobs"]], [str(mine)])
        for user in ("ana", "root"):
            everything = {each["job"] for each in self.answer("why --pending", user)["jobs"]}
            self.assertEqual(everything, {str(mine), str(other)})


class SmallerSizes(WhyTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for qos in ("cpus MaxTRESPerJob=cpu=2", "nodes MaxTRESPerJob=node=1", "memory MaxTRESPerJob=mem=100", "gpus MaxTRESPerUser=gres/gpu=1", "both MaxTRESPerJob=cpu=2 MaxWall=10"):
            cls.cluster.sacctmgr(f"add qos {qos}")
        cls.cluster.sacctmgr("modify user ana where account=astro set qos+=cpus,nodes,memory,gpus,both")

    def test_each_size_that_check_suggests_is_offered_and_lets_the_job_start(self) -> None:
        for options, reason, words in (
            ("--qos=cpus -n3", "QOSMaxCpuPerJobLimit", "NumTasks=2 NumCPUs=2"),
            ("--qos=cpus -n2 -c2", "QOSMaxCpuPerJobLimit", "NumTasks=1 NumCPUs=2"),
            ("--qos=nodes -n2 -N2", "QOSMaxNodePerJobLimit", "NumNodes=1-1"),
            ("--qos=memory -n1 --mem=200", "QOSMaxMemoryPerJob", "MinMemoryNode=100"),
            ("--qos=memory -n2 --mem-per-cpu=100", "QOSMaxMemoryPerJob", "MinMemoryCPU=50"),
            ("--qos=gpus --gpus=2", "QOSMaxGRESPerUser", "TresPerJob=gres:gpu:1"),
            ("--qos=gpus --gres=gpu:2", "QOSMaxGRESPerUser", "TresPerNode=gres:gpu:1"),
            ("--qos=both -n3 --time=20", "QOSMaxWallDurationPerJobLimit", "NumTasks=2 NumCPUs=2 TimeLimit=00:10:00"),
        ):
            with self.subTest(options):
                job = self.wait("ana", f"-Aastro {options}", reason)
                self.assertIn(f"scontrol update JobId={job} {words}", [line.replace("gres/gpu", "gres:gpu") for line in self.why(job)["changes"]])
                self.apply(job, words.partition("=")[0])
                self.cluster.run(f"scancel {job}", check=True)

    def test_none_is_offered_that_scontrol_cannot_set_or_that_waits_for_others(self) -> None:
        job = self.wait("ana", "-Aastro --qos=cpus -n1 -c3", "QOSMaxCpuPerJobLimit")
        self.assertNotIn("Num", " ".join(self.why(job)["changes"]))
        job = self.wait("ana", "-Aastro --qos=nodes -n2 -N2 --array=7", "QOSMaxNodePerJobLimit")
        self.assertNotIn("Num", " ".join(self.why(f"{job}_[7]")["changes"]))
        holder = self.start("ben", "-Aastro -n8")
        job = self.wait("ana", "-Aastro -n9", OF_LAB)
        self.assertEqual(self.why(job)["changes"], [])
        self.cluster.run(f"scancel {holder}", check=True)
        self.cluster.wait_for(lambda: self.why(job)["changes"], "the account has room")
        self.apply(job, "NumTasks=8")


class PartitionRules(WhyTestCase):
    slurm_conf = (
        "PartitionName=atwo Nodes=ALL MinNodes=2\n"
        "PartitionName=brief Nodes=ALL MaxTime=60\n"
        "PartitionName=single Nodes=ALL MaxNodes=1 MaxTime=90\n"
        "PartitionName=plain Nodes=ALL AllowQos=plain\n"
        "PartitionName=week Nodes=ALL\n"
        "PartitionName=closed Nodes=ALL AllowGroups=no-such-group\n"
    )

    def rules_of(self, job: int, reason: str) -> list[str]:
        (found,) = self.why(job)["reasons"]
        self.assertEqual((found["reason"], found["limit"]), (reason, None))
        return found["rules"]

    def test_a_time_beyond_the_partition_is_told_and_the_time_that_it_allows_lets_it_start(self) -> None:
        job = self.wait("ana", "-Aastro -pbrief -n1 --time=61", "PartitionTimeLimit")
        (rule,) = self.rules_of(job, "PartitionTimeLimit")
        self.assertRegex(rule, r"brief.*01:00:00.*01:01:00")
        self.assertIn(f"    {rule}\n", self.show(f"why {job}").stdout)
        self.assertEqual(self.why(job, "ben")["changes"], [], "ben may not change it")
        self.assertIn(f"scontrol update JobId={job} Partition=main", self.why(job)["changes"])
        self.apply(job, "TimeLimit=01:00:00")

    def test_of_two_partitions_the_longer_time_is_offered(self) -> None:
        job = self.wait("ana", "-Aastro -pbrief,single -n1 -N1 --time=91", "PartitionTimeLimit")
        self.assertEqual(len(self.rules_of(job, "PartitionTimeLimit")), 2)
        self.apply(job, "TimeLimit=01:30:00")

    def test_a_range_of_nodes_is_counted_as_its_maximum(self) -> None:
        # Without --ntasks slurmctld gives as many nodes as the job may have, and each has a CPU.
        self.cluster.sacctmgr("modify user ana where account=astro set MaxTRESPerJob=cpu=1")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana where account=astro set MaxTRESPerJob=cpu=-1")
        one = self.wait("ana", "-Aastro -pbrief -N1 --time=61", "PartitionTimeLimit")
        two = self.wait("ana", "-Aastro -pbrief -N1-2 --time=61", "PartitionTimeLimit")
        self.assertFalse([line for line in self.why(two)["changes"] if "Time" in line or "Partition" in line])
        self.apply(one, "TimeLimit=01:00:00")

    def test_a_partition_for_more_nodes_is_not_offered(self) -> None:
        job = self.wait("ana", "-Aastro -pbrief -n1 --time=61", "PartitionTimeLimit")
        (line,) = [line for line in self.why(job)["changes"] if "Partition" in line]
        self.assertNotIn("atwo", line)
        # slurmctld accepts that change, but does not raise the job's nodes.
        self.cluster.run(["scontrol", "update", f"JobId={job}", "Partition=atwo"], "ana", check=True)
        self.cluster.wait_for(lambda: self.show(f"why {job}").stdout.count("PartitionNodeLimit"), "it waits there")

    def test_a_list_that_begins_with_a_closed_partition_says_what_slurmctld_sets(self) -> None:
        if slurm_version() >= (23, 2):
            self.skipTest("AllowGroups closes no list")
        job = self.wait("ana", "-Aastro -pclosed,week -n2 --time=9", "PartitionNodeLimit")
        rules = self.rules_of(job, "PartitionNodeLimit")
        words = "asks for INFINITE, which slurmctld sets if the first partition of a list is closed to the job"
        self.assertEqual(rules, [f"partition {name} has 2 nodes; this job {words}" for name in ("closed", "week")])
        self.assertNotIn("4294967295", self.show(f"why {job}").stdout)
        # With a maximum of nodes it is not set.
        self.start("ana", "-Aastro -pclosed,week -n2 -N1 --time=9")

    def test_too_many_nodes_are_told_and_another_partition_lets_it_start(self) -> None:
        job = self.wait("ana", "-Aastro -psingle -n2 -N2 --time=10", "PartitionNodeLimit")
        (rule,) = self.rules_of(job, "PartitionNodeLimit")
        self.assertIn("single", rule)
        self.apply(job, "Partition=main")

    def test_a_shorter_time_is_offered_for_the_partition_that_has_the_nodes(self) -> None:
        job = self.cluster.sbatch("-Aastro -pbrief,single -n2 -N2 --time=91", "ana").job
        self.cluster.wait_for(lambda: self.why(job)["reasons"][0]["rules"], "a rule is told")
        self.apply(job, "TimeLimit=01:00:00")

    def test_a_job_that_may_have_no_time_limit_is_not_sent_where_it_would_wait_for_minutes(self) -> None:
        self.cluster.sacctmgr("modify user ana where account=astro set GrpTRESRunMins=cpu=600")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana where account=astro set GrpTRESRunMins=cpu=-1")
        job = self.wait("ana", "-Aastro -psingle -n2 -N2", "PartitionNodeLimit")
        self.assertEqual(self.why(job)["changes"], [])
        # squeue shows 01:30:00 for it, MaxTime of the partition.
        self.cluster.run(["scontrol", "update", f"JobId={job}", "Partition=main"], "ana", check=True)
        self.wait_reason(job, "AssocGrpCPURunMinutesLimit")
        self.apply(self.wait("ana", "-Aastro -psingle -n2 -N2 --time=89", "PartitionNodeLimit"), "Partition=main")

    def test_a_qos_that_the_partition_does_not_take_is_told_with_those_that_it_takes(self) -> None:
        job = self.cluster.sbatch("-Aastro -pplain -n1", "ana").job
        self.cluster.wait_for(lambda: self.why(job)["reasons"][0]["reason"] == "QOSNotAllowed", "it waits for the QOS")
        (rule,) = self.rules_of(job, "QOSNotAllowed")
        self.assertRegex(rule, "plain.*normal")
        self.apply(job, "QOS=plain")

    def test_behind_a_job_that_waits_the_rules_are_told_too(self) -> None:
        # slurmctld looks at later jobs of a partition only for their rules, and then shows PartitionConfig.
        holder = self.start("ben", "-Aastro -n8")
        self.wait("ben", "-Aastro -pbrief -n1 --time=10", OF_LAB)
        job = self.cluster.sbatch("-Aastro -pbrief -n1 --time=61", "ana").job
        self.cluster.wait_for(lambda: self.why(job)["reasons"][0]["rules"], "a rule is told")
        self.assertRegex(self.why(job)["reasons"][0]["rules"][0], r"brief.*01:00:00.*01:01:00")
        self.assertEqual(self.why(job)["changes"], [], "the account is full")
        self.cluster.run(f"scancel {holder}", check=True)
        self.apply(job, "TimeLimit=01:00:00")

    def test_behind_a_limit_that_is_full_the_rules_are_told_too(self) -> None:
        for _ in range(3):
            self.start("ana", "-Aastro --qos=plain -n1")
        job = self.cluster.sbatch("-Aastro -pplain -n1", "ana").job
        self.cluster.wait_for(lambda: self.why(job)["reasons"][0]["reason"] != "None", "it has a Reason")
        text = self.show(f"why {job}").stdout
        self.assertIn("partition plain does not accept QOS normal (accepted: plain)", text)
        self.assertIn("MaxJobs", self.show(f"why {job} --json").stdout)
        self.assertNotIn("Estimate", text)
        done = self.show("check -- sbatch -Aastro -pplain -n1 --wrap=true")
        self.assertIn("this job can never start as it is", done.stdout)
        self.assertIn("partition plain does not accept QOS normal (accepted: plain)", done.stdout)

    def test_a_partition_that_is_down_hides_no_other_rule(self) -> None:
        self.cluster.scontrol("update PartitionName=plain State=DOWN")
        self.addCleanup(self.cluster.scontrol, "update PartitionName=plain State=UP")
        job = self.cluster.sbatch("-Aastro -pplain -n1", "ana").job
        self.cluster.wait_for(lambda: self.why(job)["reasons"][0]["reason"] != "None", "it has a Reason")
        answer = self.why(job)
        told = [*answer["also"], *(rule for each in answer["reasons"] for rule in each["rules"])]
        self.assertIn("partition plain does not accept QOS normal (accepted: plain)", "\n".join(told))
        self.apply(job, "Partition=main")

    def test_what_is_behind_other_reasons(self) -> None:
        first = self.start("ana", "-Aastro -n1 --time=10")
        job = self.wait("ana", f"-Aastro -n1 --dependency=afterok:{first}", "Dependency")
        self.assertEqual(self.details_of(job, "Dependency"), [f"afterok job {first}: RUNNING"])
        self.assertIn(f"\n    afterok job {first}: RUNNING\n", self.show(f"why {job}").stdout)
        job = self.wait("ana", "-Aastro -n1 --begin=now+1hour", "BeginTime")
        self.assertRegex(self.details_of(job, "BeginTime")[0], r"^it may start from 20\d\d-")

    def test_reservations_and_stopped_nodes_are_named(self) -> None:
        nodes = sorted(self.cluster.run("sinfo -h -N -o %N -p main", check=True).stdout.split())
        self.cluster.scontrol(
            "create reservation ReservationName=upkeep StartTime=now+1hour Duration=60 Nodes=ALL Users=root Flags=MAINT"
        )
        self.addCleanup(self.cluster.scontrol, "delete ReservationName=upkeep")
        job = self.wait("ana", "-Aastro -n1 --time=120", "ReqNodeNotAvail,")
        lines = self.details_of(job, "Reserved for maintenance")
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], r"^reservation upkeep: from 20.* to 20.*, nodes ")
        self.cluster.run(f"scancel {job}", check=True)
        self.cluster.scontrol(f"update NodeName={nodes[0]} State=DRAIN Reason=fan")
        self.addCleanup(self.cluster.scontrol, f"update NodeName={nodes[0]} State=RESUME")
        told = [f"node {nodes[0]}: DRAINED, fan"]
        job = self.wait("ana", f"-Aastro -n1 --time=30 -w {nodes[0]}", "ReqNodeNotAvail,")
        for node, count in ((nodes[0], 1), (nodes[1], 0)):
            answer = json.loads(self.show(f"check --json -- sbatch -Aastro -n1 --time=30 -w {node} --wrap=true").stdout)
            self.assertEqual(len(answer["stopped_nodes"]), count, answer)
        self.assertIn(
            f"But node {nodes[0]} of --nodelist is DRAINED (fan): the job waits until it is back.\n",
            self.show(f"check -- sbatch -Aastro -n1 --time=30 -w {nodes[0]} --wrap=true").stdout,
        )
        self.assertEqual(self.details_of(job, "UnavailableNodes"), told)
        job = self.cluster.sbatch(f"-Aastro -n{len(nodes)} -N{len(nodes)} --time=30", "ana").job
        self.cluster.wait_for(lambda: "DOWN" in str(self.why(job)["reasons"]), "it has this Reason")
        text = self.show(f"why {job}").stdout
        self.assertIn(told[0], text)
        self.assertNotIn("The job starts when running jobs have ended.", text)

    def test_a_node_that_counts_already_may_have_room(self) -> None:
        room = "Or as soon as a node that counts already has room for it."
        self.cluster.sacctmgr("add qos one GrpTRES=node=1")
        self.cluster.sacctmgr("modify user ana where account=astro set qos+=one")
        self.start("ana", "-Aastro --qos=one -n1 -w node1")
        job = self.wait("ana", "-Aastro --qos=one -n1 -w node2", "QOSGrpNodeLimit")
        self.assertIn(room, self.show(f"why {job}").stdout)
        job = self.wait("ana", "-Aastro --qos=one -n2 -N2", "QOSGrpNodeLimit")
        self.assertNotIn(room, self.show(f"why {job}").stdout, "it never has room")

    def test_a_part_that_has_room_starts_with_the_others_only(self) -> None:
        self.cluster.sacctmgr("modify user ana where account=astro set MaxTRES=cpu=2")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana where account=astro set MaxTRES=cpu=-1")
        self.cluster.sacctmgr("modify account astro set GrpTRES=cpu=3")
        self.addCleanup(self.cluster.sacctmgr, "modify account astro set GrpTRES=cpu=-1")
        done = self.cluster.run(
            ["sbatch", "--parsable", "-Aastro", "-n2", ":", "-n2", "--wrap=sleep 300"], "ana", check=True
        )
        job = int(done.stdout)
        self.cluster.wait_for(
            lambda: "AssocGrpCpuLimit" in self.cluster.run("squeue -h -o %r", check=True).stdout, "it waits for the limit"
        )
        text = self.show(f"why {job}").stdout
        self.assertNotIn("There is room now for what the job asks for", text)
        self.assertIn("the parts start together or not at all", text)
        both = "Beside that: parts 0 and 1 together exceed a limit: CPUs of all running jobs in account astro: limit 3, they ask for 4"
        for part in (f"{job}+0", f"{job}+1"):
            text = self.show(f"why {part}").stdout
            self.assertIn(both, text)
            self.assertNotIn("The job starts when", text)
        self.cluster.sacctmgr("modify account astro set GrpTRES=cpu=4")
        self.cluster.wait_for(lambda: both not in self.show(f"why {job}+0").stdout, "the parts fit together")

    def test_parts_that_need_several_nodes_are_added_up(self) -> None:
        self.cluster.sacctmgr("modify account astro set GrpTRES=cpu=100")
        self.addCleanup(self.cluster.sacctmgr, "modify account astro set GrpTRES=cpu=-1")
        self.cluster.sacctmgr("modify account lab set GrpTRES=cpu=-1")  # 26.05 refuses a part that exceeds it
        self.addCleanup(self.cluster.sacctmgr, "modify account lab set GrpTRES=cpu=8")
        done = self.cluster.run(["sbatch", "--parsable", "-Aastro", "-n65", ":", "-n65", "--wrap=sleep 300"], "ana", check=True)
        self.addCleanup(self.cluster.run, f"scancel {int(done.stdout)}")
        both = "Beside that: parts 0 and 1 together exceed a limit: CPUs of all running jobs in account astro: limit 100, they ask for 130"
        self.assertIn(both, self.show(f"why {int(done.stdout)}+0").stdout)

    def test_cpus_for_each_gpu_are_counted_as_check_counts_them(self) -> None:
        self.cluster.sacctmgr("add qos fewcpus MaxTRESPerUser=cpu=4")
        self.cluster.sacctmgr("modify user ana where account=astro set qos+=fewcpus")
        options = "-Aastro --qos=fewcpus --gpus=2 --cpus-per-gpu=3"
        job = self.wait("ana", options, OF_QOS)
        limit = self.limit_of(job, OF_QOS)
        self.assertEqual((limit["value"], limit["asked"], limit["is_permanent"]), (4, 6, True))
        self.assertIn("could start with: --qos=normal", self.show(f"check -- sbatch {options} --wrap=true").stdout)
        self.apply(job, "QOS=normal")

    def test_gpus_that_wait_for_nodes_are_not_over_their_limit(self) -> None:
        self.cluster.sacctmgr("add qos few MaxTRESPerUser=gres/gpu=2")
        self.cluster.sacctmgr("modify user ana where account=astro set qos+=few")
        self.cluster.sacctmgr("modify account lab set GrpTRES=cpu=-1")
        self.addCleanup(self.cluster.sacctmgr, "modify account lab set GrpTRES=cpu=8")
        cpus = self.cluster.run("sinfo -h -N -o %c -p main", check=True).stdout.split()[0]
        self.start("ben", f"-Aastro -N2 --ntasks-per-node={cpus} --time=30")
        job = self.cluster.sbatch("-Aastro --qos=few --gpus=1 --time=10", "ana").job
        self.cluster.wait_for(lambda: self.why(job)["reasons"][0]["reason"] != "None", "it has a Reason")
        (reason,) = self.why(job)["reasons"]
        if slurm_version() < (24, 5):
            self.assertEqual(reason["reason"], "QOSMaxGRESPerUser")
        told = "Before 24.05 Slurm shows this Reason also for --gpus jobs that wait for free nodes."
        self.assertEqual(told in self.show(f"why {job}").stdout, slurm_version() < (24, 5))

    def test_a_counter_that_no_job_accounts_for(self) -> None:
        reason = "QOSGrpCPURunMinutesLimit"
        self.cluster.sacctmgr("add qos double UsageFactor=2 GrpTRESRunMins=cpu=400")
        self.cluster.sacctmgr("modify user ana where account=astro set qos+=double")
        holder = self.start("ana", "-Aastro --qos=double -n2 --time=100")
        job = self.wait("ana", "-Aastro --qos=double -n2 --time=140", reason)
        limit = self.limit_of(job, reason)
        self.assertEqual((limit["used"], limit["unaccounted"]), (400, 0))
        self.assertNotIn("too high", self.show(f"why {job}").stdout)
        check = "check -- sbatch -Aastro --qos=double -n2 --time=140 --wrap=true"
        self.assertNotIn("too high", self.show(check).stdout)
        self.assertNotIn("too high", self.show("report usage").stdout)
        self.cluster.scontrol(f"update JobId={holder} TimeLimit=30")
        self.cluster.run(f"scancel {holder}", check=True)
        if slurm_version() >= (23, 11, 7):
            self.cluster.wait_job(job, "RUNNING")
            return
        self.cluster.wait_for(lambda: self.limit_of(job, reason)["used"] == 140, "the holder has ended")
        limit = self.limit_of(job, reason)
        self.assertEqual((limit["asked"], limit["unaccounted"], limit["held_by"]), (280, 140, []))
        for user in ("ana", "root"):
            text = self.show(f"why {job}", user).stdout
            self.assertIn("have at most 0 of what is in use, so slurmctld's counter is too high", text)
            self.assertIn("scontrol reconfigure", text)
            self.assertIn("Waiting does not help before slurmctld counts anew.", text)
        sentence = (
            "of CPU minutes of all running jobs in QOS double, slurmctld counts 140 as in use, and the jobs of the queue "
            "have at most 0: its counter is too high"
        )
        for command in (check, "report usage"):
            self.assertIn(sentence, self.show(command).stdout)
        (told,) = self.answer("report usage")["wrong_counters"]
        self.assertTrue(told.startswith(sentence), told)
        self.cluster.scontrol("reconfigure")
        self.cluster.wait_job(job, "RUNNING")
        self.assertNotIn("too high", self.show(check).stdout)
        self.cluster.scontrol("update PartitionName=viz QOS=vizqos")

    def test_a_job_without_a_time_limit_is_counted_without_one(self) -> None:
        self.cluster.sacctmgr("modify account astro set GrpTRESRunMins=cpu=20000")
        self.addCleanup(self.cluster.sacctmgr, "modify account astro set GrpTRESRunMins=cpu=-1")
        self.addCleanup(self.cluster.scontrol, "update PartitionName=week MaxTime=UNLIMITED")
        self.cluster.scontrol("update PartitionName=week MaxTime=7-0")
        job = self.wait("ana", "-Aastro -pweek -n1", "AssocGrpCPURunMinutesLimit")
        (reason,) = self.why(job)["reasons"]
        self.assertIn("this job asks for UNLIMITED", reason["limit"]["text"])
        self.apply(job, "TimeLimit=")

    def test_whole_nodes_are_counted_whole(self) -> None:
        job = self.wait("ana", "-Aastro -n1 --exclusive", OF_LAB)
        (reason,) = self.why(job)["reasons"]
        self.assertGreater(reason["limit"]["asked"], 8)
        self.assertNotIn("There is room now", self.show(f"why {job}").stdout)

    def test_a_change_to_a_qos_with_a_minimum_of_memory_is_not_offered(self) -> None:
        # slurmctld counts no memory when the partition of a job changes.
        self.cluster.sacctmgr("add qos least MinTRESPerJob=mem=1 Flags=DenyOnLimit")
        self.cluster.scontrol("update PartitionName=week QOS=least")
        self.addCleanup(self.cluster.scontrol, "update PartitionName=week QOS=")
        job = self.wait("ana", "-Aastro -pbrief -n1 --mem=100 --time=61", "PartitionTimeLimit")
        if slurm_version() >= (23, 2):
            return  # the job's memory is counted
        done = self.cluster.run(f"scontrol update JobId={job} Partition=week", "ana")
        self.assertEqual(done.rc, 1, done)
        self.assertNotIn("Partition=week", "".join(self.why(job)["changes"]))

    def test_no_time_is_offered_where_the_account_is_full(self) -> None:
        self.start("ben", "-Aastro -n8")
        job = self.wait("ana", "-Aastro -pbrief -n1 --time=61", "PartitionTimeLimit")
        self.assertEqual(self.why(job)["changes"], [])


class PrivateJobs(WhyTestCase):
    slurm_conf = "PrivateData=jobs\n"

    def test_hidden_jobs_are_a_sum_to_users_and_named_to_administrators(self) -> None:
        self.start("ben", "-Aastro -n5 --time=60")
        self.start("ana", "-Abio -n2 --time=60")
        job = self.wait("ana", "-Abio -n4", OF_LAB)
        limit = self.limit_of(job, OF_LAB)
        self.assertEqual((limit["used"], limit["hidden"], limit["room_at"]), (7, 5, None))
        self.assertEqual([each["user"] for each in limit["held_by"]], ["ana"])
        text = self.show(f"why {job}").stdout
        self.assertRegex(text, r"\n +hidden by PrivateData +- +5 ")
        self.assertNotIn("ben", text)
        done = self.show(f"why {job}", "ben")
        self.assertEqual(done.rc, UNKNOWN, done)
        self.assertIn("PrivateData hides the jobs of other users", done.stderr)
        shown = self.limit_of(job, OF_LAB, "root")
        self.assertEqual((shown["hidden"], [each["user"] for each in shown["held_by"]]), (0, ["ben", "ana"]))
        self.assertIsNotNone(shown["room_at"])


class HiddenPartition(WhyTestCase):
    def test_the_qos_of_a_hidden_partition_is_not_told_to_users(self) -> None:
        self.cluster.scontrol("update PartitionName=viz Hidden=YES")
        job = self.wait("ana", "-Abio -pviz -n5 -N1", OF_QOS)
        answer = self.why(job)
        self.assertEqual((answer["reasons"][0]["limit"], answer["hides_limits"], answer["changes"]), (None, True, []))
        text = self.show(f"why {job}").stdout
        self.assertIn("This limit is hidden from you", text)
        self.assertNotIn("vizqos", text)
        self.assertEqual(self.limit_of(job, OF_QOS, "root")["set_by"], "partition viz (QOS vizqos)")
        self.assertNotIn("viz", self.show("limits").stdout)
        self.assertIn("vizqos", self.show("limits --user ana", "root").stdout)

    def test_the_rules_of_a_hidden_partition_are_not_told_to_users(self) -> None:
        self.cluster.scontrol("update PartitionName=viz Hidden=YES MaxTime=33")
        self.addCleanup(self.cluster.scontrol, "update PartitionName=viz MaxTime=UNLIMITED")
        job = self.wait("ana", "-Abio -pviz -n1 --time=34", "PartitionTimeLimit")
        (told,) = self.why(job)["reasons"]
        self.assertEqual((told["rules"], self.why(job)["changes"]), ([], []))
        self.assertNotIn("33", self.show(f"why {job}").stdout)
        (told,) = self.why(job, "root")["reasons"]
        self.assertIn("00:33:00", " ".join(told["rules"]))


class PrivateUsage(WhyTestCase):
    slurm_conf = "PrivateData=usage,users,accounts\n"

    def test_a_hidden_limit_is_said_to_be_hidden(self) -> None:
        self.start("ben", "-Aastro -n8 --time=60")
        job = self.wait("ana", "-Abio -n1", OF_LAB)
        answer = self.why(job)
        self.assertEqual((answer["reasons"][0]["limit"], answer["hides_limits"], answer["changes"]), (None, True, []))
        text = self.show(f"why {job}").stdout
        self.assertIn("This limit is hidden from you (PrivateData, or a hidden partition).\n", text)
        self.assertNotIn("lab", text)
        self.assertEqual(self.limit_of(job, OF_LAB, "root")["used"], 8)


if __name__ == "__main__":
    main()
