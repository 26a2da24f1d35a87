# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of job_submit_qosgate.so about refusals other than limits, and about what Slurm hides."""

from __future__ import annotations

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import CommandResult, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

PUBLIC = "EnforcePartLimits=ALL\n"
PRIVATE = f"{PUBLIC}PrivateData=jobs,usage,users,accounts,partitions\n"


class Private(PluginTestCase):
    """The account astro has GrpTRES=cpu=4, ben uses 3 of them, and the partition `hidden` is hidden."""

    slurm_conf = (
        "PartitionName=hidden Nodes=ALL Hidden=YES\n"
        "PartitionName=grouped Nodes=ALL AllowGroups=root\n"
        "PartitionName=biology Nodes=ALL AllowAccounts=bio\n" + PUBLIC
    )

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.sacctmgr("modify account astro set GrpTRES=cpu=4")
        cls.cluster.sacctmgr("add user ben account=astro")
        cls.cluster.run(["sbatch", "-n3", "--wrap=sleep 300"], "ben", check=True)
        cls.cluster.wait_for(
            lambda: "in use 3 (none of it yours)" in cls.cluster.sbatch("-n2", USER).stderr, "ben's job runs"
        )

    def test_what_is_public_is_told(self) -> None:
        wait = "this job will wait: CPUs of all running jobs in account astro: limit 4, in use 3"
        self.expect(self.submit("-n2"), True, wait)
        self.expect(self.submit("-p shirt"), False, "did you mean short?", "partitions: short, main\n")
        self.expect(self.submit("-p biologie"), False, "no partition 'biologie'\n")
        self.expect(self.submit("-p hiden"), False, "no partition 'hiden'\n")
        self.expect(self.submit("-p biology"), False, "does not accept account astro (accepted: bio)")

    def test_what_is_private_is_hidden(self) -> None:
        self.change_slurm_conf(PUBLIC, PRIVATE)
        self.let_the_plugin_see_the_cluster()
        try:
            # Slurm itself does not show ana the account's association.
            shown = self.cluster.run("scontrol show assoc_mgr flags=assoc", USER, check=True).stdout
            self.assertNotIn("cpu=4(", shown)

            answer = self.submit("-n2")
            over = "in account astro: this job asks for 2, which is more than is left (AssocGrpCpuLimit)"
            self.expect(answer, True, over)
            self.assertNotIn("limit", answer.stderr.replace("Limit", ""))
            answer = self.submit("-p grouped2")
            self.expect(answer, False, "no partition 'grouped2'\n")
            self.assertNotIn("partitions:", answer.stderr)
            answer = self.submit("-p biology")
            self.expect(answer, False)
            self.assertNotIn("biology", answer.stderr)

            by_root = self.cluster.run(["sbatch", "-n2", "--uid=ana", "--wrap=sleep 300"])
            self.expect(by_root, True, "limit 4, in use 3")
            by_root = self.submit_as_root("-p shirt")
            self.expect(by_root, False, "did you mean short?", "partitions: short, main, hidden, grouped\n")
        finally:
            self.change_slurm_conf(PRIVATE, PUBLIC)
            self.let_the_plugin_see_the_cluster()

    def submit_as_root(self, arguments: str) -> CommandResult:
        return self.cluster.run(["sbatch", "--uid=ana", *arguments.split(), "--wrap=sleep 300"])

    def test_of_a_hidden_partition_no_more_is_told_than_its_name(self) -> None:
        self.cluster.sacctmgr("add qos behind MaxTRESPerUser=cpu=1 Flags=DenyOnLimit")
        self.addCleanup(self.cluster.sacctmgr, "delete qos behind")
        self.cluster.scontrol("create partitionname=closed nodes=ALL hidden=yes qos=behind maxtime=30")
        self.addCleanup(self.cluster.scontrol, "delete partitionname=closed")
        # Slurm itself shows this only to clients that ask for all.
        self.assertNotIn("closed", self.cluster.run("sinfo", USER, check=True).stdout)
        self.assertIn("not found", self.cluster.run("scontrol show partition closed", USER).stdout)
        self.assertIn("closed", self.cluster.run("sinfo", check=True).stdout)

        over = ("-p closed --time=31 --hold", "-p closed -n2")
        told = (
            "limit 00:30:00, this job asks for 00:31:00",
            "partition closed (QOS behind) does not allow",
        )
        for arguments, words in zip(over, told):
            self.cluster.wait_for(lambda: words in self.submit_as_root(arguments).stderr, "it is known")
            answer = self.submit(arguments)
            self.assertNotEqual(answer.rc, 0)
            for hidden in ("closed", "behind", "CPUs per user", "limit 1", "would be accepted", "00:30"):
                self.assertNotIn(hidden, answer.stderr)

    def test_a_limit_that_the_hidden_partition_has_no_part_in_is_told(self) -> None:
        self.cluster.sacctmgr("add qos quick MaxWall=20 Flags=DenyOnLimit")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=quick")
        self.addCleanup(self.let_the_plugin_see_the_cluster)  # after the next ones
        self.addCleanup(self.cluster.sacctmgr, "delete qos quick")
        self.cluster.scontrol("create partitionname=brief nodes=ALL hidden=yes maxtime=30")
        self.addCleanup(self.cluster.scontrol, "delete partitionname=brief")
        over = "limit 00:20:00, this job asks for 00:30:00"  # DefaultTime of short
        self.cluster.wait_for(lambda: over in self.submit("-q quick -p short,brief").stderr, "it is known")
        self.expect(self.submit("-q quick -p short,brief"), False, over, "the default of partition short")
        self.assertNotIn(over, self.submit("-q quick -p brief,short --hold").stderr)
        self.expect(self.submit("-q quick -p short,brief --time=20 --hold"), True)

    def test_nothing_is_suggested_in_a_partition_for_groups(self) -> None:
        over = "limit 01:00:00, this job asks for 01:01:00"
        answer = self.submit("-q small -p grouped --time=61")
        self.expect(answer, False, over, "group not permitted")
        self.assertNotIn("would be accepted", answer.stderr)
        self.expect(self.submit("-q small -p main --time=61"), False, over, "accepted with: --time=01:00:00")

    def test_a_test_only_submission_has_the_words_of_a_real_one(self) -> None:
        over = ("QOS small does not allow this job:", "limit 2, this job asks for 3", "would be accepted, and wait for other jobs, with:")
        for arguments, lines in (
            ("--qos=small -n3", (*over, "allocation failure: Job violates accounting/QOS policy")),
            ("-p shirt", ("did you mean short?", "allocation failure: Invalid partition name")),
            ("--qos=smal", ("did you mean small?", "allocation failure: Invalid qos specification")),
        ):
            with self.subTest(arguments):
                self.expect(self.submit(f"--test-only {arguments}"), False, *lines)
        self.expect(self.submit("--test-only --qos=small -n2"), True, "to start at")
        srun = self.cluster.run("srun --test-only --qos=small -n3 true", USER)
        self.assertIn("limit 2, this job asks for 3", srun.stderr)


class Advice(PluginTestCase):
    """Refusals of slurmctld whose error code says little."""

    slurm_conf = (
        "PartitionName=down Nodes=ALL State=DOWN\n"
        "PartitionName=drained Nodes=ALL State=DRAIN\n"
        "PartitionName=brief Nodes=ALL MaxTime=20\n"
        "PartitionName=inactive Nodes=ALL State=INACTIVE\n"
        "PartitionName=root Nodes=ALL RootOnly=YES\n"
        "PartitionName=reserved Nodes=ALL ReqResv=YES\n"
    )
    options = ("--gpus", "4", "--licenses", "matlab:10")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.scontrol(
            "create reservation ReservationName=maint StartTime=now+1hour Duration=60 Nodes=node1 Users=ana"
        )
        cls.cluster.scontrol(
            "create reservation ReservationName=secret StartTime=now+1hour Duration=60 Nodes=node2 Users=root"
        )
        for line in ("add account lab parent=bio", f"add user {USER} account=lab", "add qos long",
                     f"modify user {USER} account=astro set qos+=long"):
            cls.cluster.sacctmgr(line)
        cls.cluster.scontrol(
            "create reservation ReservationName=biology StartTime=now+1hour Duration=60 Nodes=node2 Accounts=bio"
            " flags=overlap"
        )
        cls.cluster.wait_for(
            lambda: "biology is not for" in cls.cluster.sbatch("--reservation=biology", USER).stderr,
            "the reservations are known",
        )

    def test_what_slurmctld_refuses_is_explained(self) -> None:
        node = "Requested node configuration is not available"
        for arguments, lines in (
            ("-p drained", ("drained is drained: it takes no new jobs", "Required partition not available")),
            ("-p inactive", ("inactive is inactive: it takes no new", "Required partition not available")),
            ("-p root", ("partition root is for jobs that root submits", "Access/permission denied")),
            ("-p reserved", ("is for jobs in a reservation: add --res", "Access/permission denied")),
            ("--reservation=maitn", ("'maitn' is known; did you mean maint?", "reservation is invalid")),
            ("--reservation=secert", ("no reservation 'secert' is known (known: maint)\n", "is invalid")),
            ("--reservation=biology", ("reservation biology is not for ana with account astro", "Access denied")),
            ("--reservation=maint,biology", ("reservation biology is not for ana with account astro", "Access denied")),
            ("--qos=lnog", ("no QOS 'lnog'", "did you mean long?", "Invalid qos")),
            ("-L matlba:1", ("no license 'matlba' is known; did you mean matlab?", "Invalid license")),
            ("-L matlab:11", ("10 matlab licenses; this job asks for 11", "Invalid license")),
            ("-C typo", ("no feature 'typo' is known", "Invalid feature specification")),
            ("--gres=gpu:a100:1", ("no gres 'gpu:a100' is known (known: gpu)", node)),
            ("--mem=9999G", ("that much memory: the largest has 250G, this job asks for 9999G", node)),
            ("-c65", ("that many CPUs: the largest has 64, this job asks for 65", node)),
            ("--gres=gpu:5", ("that many GPUs: the largest has 4, this job asks for 5", node)),
        ):
            with self.subTest(arguments):
                self.expect(self.submit(arguments), False, *lines)
                self.expect(self.submit(f"--test-only {arguments}"), False, lines[0])

    def test_fewer_whole_nodes_are_suggested(self) -> None:
        self.cluster.sacctmgr("add qos four MaxTRESPerJob=gres/gpu=4")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=four")
        words = "has 2 nodes; this job asks for 3"
        self.expect_help("--exclusive -N3 --time=10", True, words, "could start with: --nodes=2")
        words = "limit 4, this job asks for 8, because --exclusive takes whole nodes"
        self.cluster.wait_for(lambda: words in self.submit("--qos=four --exclusive -N2").stderr, "the QOS is known")
        self.expect_help("--qos=four --exclusive -N2 --time=10", True, words, "could start with: --nodes=1")
        self.expect_runs_silently("--qos=four --exclusive -N1 --time=10")

    def test_smaller_sizes_are_suggested_where_other_options_fix_them(self) -> None:
        for line in (
            "add qos cpus MaxTRESPerJob=cpu=2",
            "add qos gpus MaxTRESPerJob=gres/gpu=2",
            "add qos memory MinTRESPerJob=mem=300G",
            f"modify user {USER} account=astro set qos+=cpus,gpus,memory",
        ):
            self.cluster.sacctmgr(line)
        self.cluster.wait_for(lambda: "required" in self.submit("--qos=memory --mem=1").stderr, "the QOSs are known")
        for arguments, words, better in (
            ("--qos=cpus -w node1 -n3", "limit 2, this job asks for 3", "--ntasks=2\n"),
            ("--qos=cpus -w node[1-2] -n4", "limit 2, this job asks for 4", "--ntasks=2\n"),
            ("--qos=gpus --gpus=4 --ntasks-per-gpu=2", "limit 2, this job asks for 4", "--ntasks=4 --gpus=2\n"),
            ("--qos=gpus -N2 --gpus-per-node=2 --ntasks-per-gpu=2", "limit 2, this job asks for 4", "--gpus-per-node=1\n"),
            ("--qos=memory --mem=0 -n1", "required, this job asks for", "--nodes=2\n"),
        ):
            with self.subTest(arguments):
                self.expect_help(f"{arguments} --time=10", True, words, better)

    def test_an_account_with_which_the_user_may_use_the_qos_is_suggested(self) -> None:
        words = "QOS small exists, but ana cannot use it with account bio"
        self.expect_help("-A bio --qos=small --time=10", False, words, "would be accepted with: --account=astro")
        answer = self.submit("-A bio --qos=other")
        self.expect(answer, False, "QOS other exists, but ana cannot use it with account bio")
        self.assertNotIn("would be accepted", answer.stderr)

    def test_what_a_refusal_hides_is_told_too(self) -> None:
        rule = "wall time per job in partition brief: limit 00:20:00, this job asks for 00:21:00 (PartitionTimeLimit)\n"
        told = ("limit 2, this job asks for 3", f"beside that: {rule}", "would be accepted with: --ntasks=2 --time=00:20:00")
        self.expect_help("--qos=small -n3 --time=21 -p brief", False, *told)
        answer = self.submit("--qos=small -n3 --time=20 -p brief")
        self.expect(answer, False, "would be accepted with: --ntasks=2\n")
        self.assertNotIn("beside", answer.stderr)

    def test_what_slurmctld_accepts_has_no_words(self) -> None:
        for arguments in (
            "-p main,drained", "--reservation=maint", "--reservation=biology -A bio", "--reservation=biology -A lab",
            "--qos=long", "-L matlab:10", "--gres=gpu:4", "--mem=250G", "-c64",
        ):  # fmt: skip
            with self.subTest(arguments):
                answer = self.submit(f"--hold {arguments}")
                self.expect(answer, True)
                self.assertEqual(answer.stderr, "")
        self.assertNotIn("did you mean", self.submit("--qos=gnol").stderr)
        waits = "this job will wait: partition down is down (PartitionDown)"
        for partitions in ("down", "down,drained", "drained,down", "inactive,down"):
            with self.subTest(partitions):
                answer = self.submit(f"-p {partitions}")
                self.expect(answer, True, waits, "could start with: --partition=")
                job = int(answer.stdout.split()[-1])
                self.assertEqual(self.cluster.job(job)["Partition"], "down")


    def test_a_job_that_is_refused_would_wait_and_does_not(self) -> None:
        would = "this job would wait: partition down is down (PartitionDown)"
        for arguments, why in (("-C typo", "no feature 'typo' is known"), ("--mem=9999G", "that much memory")):
            with self.subTest(arguments):
                answer = self.submit(f"-p down {arguments}")
                self.expect(answer, False, why, would)
                self.assertNotIn("will wait", answer.stderr)
        self.cluster.sacctmgr("add qos two MaxTRESPerJob=cpu=2")
        self.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=two")
        for arguments, is_accepted, words in (
            ("", True, "this job can never start as it is: CPUs per job"),
            ("-C typo", False, "this job could never start as it is: CPUs per job"),
        ):
            with self.subTest(arguments):
                self.cluster.wait_for(lambda: "CPUs per job" in self.submit("--qos=two -n3").stderr, "it is known")
                self.expect(self.submit(f"--qos=two -n3 {arguments}"), is_accepted, words)
        done = self.cluster.run("srun --immediate -p down true", USER)
        self.assertNotEqual(done.rc, 0, done)
        self.assertIn(would, done.stderr)

    def test_a_job_past_its_deadline(self) -> None:
        too_long = "a time limit of 01:00:00 does not fit: the deadline (--deadline) is in 00:"
        self.expect(self.submit("--deadline=now+30minutes --time=20"), True)
        answer = self.submit("--deadline=now+30minutes --time=60")
        if slurm_version() >= (23, 2):
            self.expect(answer, False, too_long, "Requested time limit is invalid")
            return
        self.expect(answer, True, too_long, "slurmctld will end this job at once")
        job = int(answer.stdout.split()[-1])
        self.cluster.wait_for(lambda: self.cluster.job(job)["JobState"] == "DEADLINE", "slurmctld ends it")
        little = "less than a minute is left until then"
        answer = self.submit("--deadline=now+30seconds")
        self.expect(answer, True, little)
        job = int(answer.stdout.split()[-1])
        self.cluster.wait_for(lambda: self.cluster.job(job)["JobState"] == "DEADLINE", "slurmctld ends it")
        self.put_in_force({"site.lua": 'site { limits = "enforce" }'})
        self.addCleanup(self.put_in_force, {"site.lua": "site {}"})
        answer = self.submit("--deadline=now+30minutes --time=60")
        self.expect(answer, False, too_long, "slurmctld would end this job at once")
        self.expect(self.submit("--deadline=now+30seconds"), False, little)
        self.expect(self.submit("--deadline=now+30minutes --time=20"), True)


class Together(PluginTestCase):
    """Parts of a job that exceed limits only together."""

    options = ("--gpus", "4")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos subm MaxJobsPerUser=1 MaxSubmitJobsPerUser=3",
            "add qos peruser MaxTRESPerUser=cpu=16,gres/gpu=4",
            f"modify user {USER} account=astro set qos+=subm,peruser",
        ):
            cls.cluster.sacctmgr(line)
        cls.cluster.wait_for(
            lambda: "limit 16" in cls.cluster.sbatch("--qos=peruser -n17 --hold", USER).stderr, "it is known"
        )

    def submit_parts(self, *parts: str) -> CommandResult:
        """The last part has the script, as sbatch wants it."""
        script = self.cluster.layout.home / USER / "job.sh"
        script.write_text("#!/bin/sh\nexec sleep 300\n", encoding="utf-8")
        return self.cluster.run(["sbatch", *" : ".join(parts).split(), str(script)], USER)

    def test_every_limit_that_parts_exceed_together_is_told(self) -> None:
        never = "this job can never start as it is: parts 0 and 1 together exceed a limit: "
        running = f"{never}running jobs per user in QOS subm: limit 1, they are 2 jobs"
        answer = self.submit_parts(*["--qos=subm -t5"] * 4)
        refusing = "submitted jobs per user in QOS subm: limit 3, they are 4 jobs (QOSMaxSubmitJobPerUserLimit)"
        told = f"parts 0, 1, 2 and 3 together exceed a limit: {refusing}"
        self.expect(answer, False, running, told, "Job violates accounting/QOS policy")
        self.assertEqual(answer.stderr.count("together exceed"), 2, answer)
        answer = self.submit_parts(*["--qos=subm -t5"] * 3)
        self.expect(answer, True, running)
        self.assertEqual(answer.stderr.count("together exceed"), 1, answer)

        cpus = f"{never}CPUs per user in QOS peruser: limit 16, they ask for 20 (QOSMaxCpuPerUserLimit)"
        gpus = f"{never}GPUs per user in QOS peruser: limit 4, they ask for 6 (QOSMaxGRESPerUser)"
        answer = self.submit_parts(*["--qos=peruser -t5 -n10 --gpus=3"] * 2)
        self.expect(answer, True, cpus, gpus)
        answer = self.submit_parts(*["--qos=peruser -t5 -n8 --gpus=2"] * 2)
        self.expect(answer, True)
        self.assertEqual(answer.stderr, "")


if __name__ == "__main__":
    main()
