# SPDX-License-Identifier: GPL-2.0-or-later
"""Lists of partitions that slurmctld accepts, and that start no job."""

from __future__ import annotations

import json
import re

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import copy_command, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

BEN = "ben"


class PartitionLists(PluginTestCase):
    slurm_conf = """\
PartitionName=downp Nodes=ALL State=DOWN
PartitionName=solo Nodes=ALL MaxNodes=1
PartitionName=vipp Nodes=ALL AllowQos=small
PartitionName=rootp Nodes=ALL RootOnly=YES
PartitionName=lean Nodes=ALL MaxMemPerNode=1000
"""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.put_in_force({"site.lua": "site {}\n"})  # for policy try
        cls.qosgate = copy_command(cls.cluster)

    def expect_waits(self, arguments: str, reason: str, *lines: str) -> None:
        answer = self.submit(arguments)
        self.expect(answer, True, *lines)
        self.cluster.wait_reason(int(answer.stdout.split()[-1]), reason)

    def test_what_is_wrong_in_the_others_is_told_beside_one_that_is_down(self) -> None:
        head = ("this job will wait (2 reasons):", "partition downp is down (PartitionDown)")
        for arguments, words, reason, better in (
            ("-p downp,short -t 90", "partition short: limit 01:00:00, this job asks for 01:30:00",
             "PartitionTimeLimit", "-t 60"),
            ("-p downp,solo -N2", "partition solo allows at most 1 node per job; this job asks for 2",
             "PartitionNodeLimit", "-N1"),
            ("-p downp,vipp -t 60", "partition vipp does not accept QOS normal (accepted: small)", None,
             "--qos=small"),
        ):  # fmt: skip
            with self.subTest(arguments):
                if reason:
                    self.expect_waits(arguments, reason, *head, words)
                else:
                    self.expect(self.submit(arguments), True, *head, words)
                self.expect_runs_silently(f"{arguments} {better}")

    def test_a_time_that_does_not_fit_before_the_deadline_is_refused_or_ends_the_job(self) -> None:
        deadline = "--deadline=now+1830seconds -t 60"
        self.expect_runs_silently(f"{deadline} --time-min=20")
        answer = self.submit(deadline)
        told = "a time limit of 01:00:00 does not fit: the deadline (--deadline) is in 00:30:00"
        if slurm_version() >= (23, 2):
            self.expect(answer, False, told, "shorten --time, or add --time-min", "Requested time limit is invalid")
            return
        self.expect(answer, True, f"{told}; slurmctld will end this job at once", "shorten --time, or add --time-min")
        self.cluster.wait_job(int(answer.stdout.split()[-1]), "DEADLINE")

    def test_a_list_that_begins_with_a_partition_for_root_starts_nothing_without_nodes(self) -> None:
        words = "partition rootp is for root only; as the first partition of the list it keeps this job from ever starting"
        self.expect_waits("-p rootp,main -t 9", "PartitionNodeLimit", "this job can never start as it is", words)
        self.expect_runs_silently("-p main,rootp -t 9")
        self.expect_runs_silently("-p rootp,main -t 9 -N1")

    def expect_foretold(self, options: str, is_accepted: bool, sentence: str) -> None:
        """qosgate policy try says what sbatch prints, with the same levels."""
        words = ["sbatch", *options.split(), "--wrap=true"]
        tried = self.cluster.run([self.qosgate, "policy", "try", "--json", "--", *words], USER)
        self.assertEqual(json.loads(tried.stdout)["status"], "blocked", tried)
        actual = self.cluster.run(words, USER)
        self.assertEqual(actual.rc == 0, is_accepted, actual)
        reads = json.loads(tried.stdout)["user_reads"]
        self.assertTrue(reads, tried)
        self.assertEqual(reads, actual.stderr.splitlines()[: len(reads)])
        said = self.cluster.run([self.qosgate, "policy", "try", "--", *words], USER).stdout
        self.assertRegex(said, rf"\nThe job is {re.escape(sentence)}[:.]")

    def test_lines_about_an_accepted_job_are_foretold_as_information(self) -> None:
        accepted = (True, "accepted, but slurmctld never starts it")
        refused = (False, "refused by slurmctld, or never started")
        self.expect_foretold("-p lean --mem=1001", *accepted)
        if slurm_version() >= (24, 11):  # 22.05 accepts it; whether a release does is not foretold
            self.expect_foretold("-p lean --mem=9999999", *refused)
        self.expect_foretold("-p main --mem=9999999", *refused)
        self.expect_foretold("-p lean,main --mem=9999999", *refused)
        # Half a minute more, so that the minutes that are left are the same for both.
        late = "--deadline=now+1830seconds -t 60"
        self.expect_foretold(late, *(refused if slurm_version() >= (23, 2) else accepted))
        self.expect_foretold(f"{late} -w nosuchnode", *refused)
        self.expect_foretold("--deadline=now+1830seconds -t 60 --time-min=50", *refused)

    def test_the_part_that_is_refused_decides_about_a_heterogeneous_job(self) -> None:
        parts = ("-p lean --mem=1001", "-p main --mem=9999999")
        for first, second in (parts, parts[::-1]):
            self.expect_foretold(f"{first} : {second}", False, "refused by slurmctld, or never started")

    def test_memory_above_max_mem_per_node_is_told_to_start_never(self) -> None:
        words = "slurmctld never starts it as it is (MaxMemPerLimit): ask for --mem=1000M or less"
        self.expect_waits("-p lean --mem=1001", "MaxMemPerLimit", "partition lean allows a job 1000M", words)
        self.expect_runs_silently("-p lean --mem=1000M")


class WithAny(PluginTestCase):
    slurm_conf = "EnforcePartLimits=ANY\nPartitionName=downp Nodes=ALL State=DOWN\n"

    def test_slurmctld_refuses_unless_the_last_one_is_down(self) -> None:
        too_long = "partition short: limit 01:00:00, this job asks for 01:30:00"
        self.expect(
            self.submit("-p downp,short -t 90"), False, "partition downp is down", too_long,
            "would be accepted with: --time=01:00:00", "Requested partition configuration not available now",
        )  # fmt: skip
        answer = self.submit("-p short,downp -t 90")
        self.expect(answer, True, "this job will wait (2 reasons):", too_long, "partition downp is down")


class PartitionAssociations(PluginTestCase):
    slurm_conf = "PartitionName=tiny Nodes=ALL\n"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.sacctmgr(f"add user {USER} account=bio partition=short qos=normal")
        cls.cluster.sacctmgr(f"add user {USER} account=bio partition=tiny qos=small defaultqos=small")
        for partition in ("short", "tiny"):
            cls.cluster.sacctmgr(f"add user {BEN} account=bio partition={partition} qos=normal")
        cls.qosgate = copy_command(cls.cluster)

    told = (
        f"a job in partition short cannot name other partitions: {USER} has an association for that partition alone "
        "with account bio; name one partition"
    )
    refused = "Multiple partition job request not supported when a partition is set in the association"

    def test_a_job_in_several_partitions_is_refused(self) -> None:
        for partitions in ("main,short", "short,main"):
            arguments = f"-A bio -p {partitions} -t 30"
            self.expect(self.submit(arguments), False, self.told, self.refused)
            check = f"{self.qosgate} check -- sbatch {arguments} --wrap=true"
            checked = self.cluster.run(check, USER)
            self.assertNotEqual(checked.rc, 0, checked)
            self.assertIn(self.told, checked.stdout)
        for arguments in ("-A bio -p short -t 30", "-A bio -p main -t 30", "-A astro -p main,short -t 30"):
            self.expect_runs_silently(arguments)

    def test_an_account_for_other_partitions_alone_is_told_with_them(self) -> None:
        where = f"  accounts that {BEN} can use: bio in partition short, bio in partition tiny"
        refused = "Invalid account or account/partition combination specified"
        for arguments, told in (
            ("-p main", f"user {BEN} has no default account in partition main"),
            ("-p main -A bio", f"user {BEN} may not use account 'bio' in partition main"),
            ("-p main -A bi", f"user {BEN} may not use account 'bi' in partition main"),
        ):
            with self.subTest(arguments):
                words = f"sbatch {arguments} --time=30 --wrap=true"
                answer = self.cluster.run(words, BEN)
                self.expect(answer, False, told, where, refused)
                self.assertNotIn("did you mean", answer.stderr)
                checked = self.cluster.run(f"{self.qosgate} check -- {words}", BEN)
                self.assertNotEqual(checked.rc, 0, checked)
                for line in (told, where):
                    self.assertIn(line + "\n", checked.stdout)
        self.expect(
            self.cluster.run("sbatch -p short -A bi --time=30 --wrap=true", BEN), False,
            f"user {BEN} may not use account 'bi' in partition short; did you mean bio?",
            f"  accounts that {BEN} can use: bio\n",
        )  # fmt: skip
        self.expect(self.cluster.run("sbatch -p short -A bio --time=30 --wrap=true", BEN), True)

    def test_such_a_change_is_refused_whoever_makes_it(self) -> None:
        job = self.cluster.sbatch("--hold -A bio -p main -t 30", USER).jobid
        for user in (USER, "root"):
            changed = self.cluster.run(f"scontrol update jobid={job} partition=main,short", user)
            self.assertNotEqual(changed.rc, 0, changed)
            self.assertIn(self.refused, changed.stderr)
            if slurm_version() >= (23, 2):  # before, a change has no messages
                self.assertIn(self.told, changed.stderr)
        changed = self.cluster.run(f"scontrol update jobid={job} partition=short", USER)
        self.assertEqual(changed.rc, 0, changed)

    def test_a_job_that_keeps_a_qos_of_another_association_waits(self) -> None:
        for user in (USER, "root"):
            job = self.cluster.sbatch("--hold -A bio -p main -t 30", USER).jobid
            changed = self.cluster.run(f"scontrol update jobid={job} partition=tiny", user)
            self.assertEqual(changed.rc, 0, changed)
            self.cluster.scontrol(f"release {job}")
            self.cluster.wait_reason(job, "InvalidQOS")
            changed = self.cluster.run(f"scontrol update jobid={job} qos=small", USER)
            self.assertEqual(changed.rc, 0, changed)
            self.cluster.wait_job(job, "RUNNING")


if __name__ == "__main__":
    main()
