# SPDX-License-Identifier: GPL-2.0-or-later
"""The counts of a job, and the sizes that partitions accept, as in slurmctld."""

from __future__ import annotations

import re
import unittest

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase
from qosgate_dev.testing.rule_counts import COUNTING_RULE, counts_of


class Counts(PluginTestCase):
    """The counts of a job: the boundary of each limit is exactly that of slurmctld."""

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
        """The job passes a limit of `number`, but not a limit of `number` - 1."""
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

    def test_default_memory_of_0_for_each_cpu(self) -> None:
        """At submission that is all memory of the first node, and later none."""
        node = self.cluster.scontrol("show node node1").stdout
        mib = int(re.search(r"RealMemory=(\d+)", node).group(1))
        shown = f"{mib}M" if mib % 1024 else f"{mib // 1024}G"
        self.expect_bound("mem", mib, "--partition=billed -n2", shown)
        job = self.cluster.sbatch("--partition=billed -n2", USER).job
        self.assertNotIn("mem=", self.cluster.wait_job(job, "RUNNING")["TRES"])
        self.cluster.run(f"scancel {job}")

    def test_gpus(self) -> None:
        for arguments, count in (
            ("--gres=gpu:2 -N2", 4),
            ("--gpus=3", 3),
            ("--gpus=36028797018963969K", 1024),  # slurmctld multiplies modulo 2^64
            ("--gres=gpu:17592186044417M", 1048576),
            ("--gpus=2KB", 2000),
            ("--gpus=2KiB", 2048),
            ("--gpus-per-node=2 -N2", 4),
            ("--gpus-per-task=1 -n3", 3),
            ("--gres=gpu", 1),
        ):
            with self.subTest(arguments):
                self.expect_bound("gres/gpu", count, arguments)

    @unittest.skipIf(slurm_version() >= (24, 11), "24.11 takes it for one GPU of a model with this name")
    def test_gpus_negated(self) -> None:
        self.expect_bound("gres/gpu", 2, "--gres=gpu:-18446744073709551614")


FEW_GPUS = """\
rule {
    name = "few-gpus",
    modify = function(job)
        if job.gpus > 1 then job:reject("this job takes %d GPUs", job.gpus) end
    end,
}
"""


class CountsForRules(PluginTestCase):
    """What rules read of a job is what the job has when it runs, also if a factor of a count is 0."""

    slurm_conf = """\
PartitionName=wide Nodes=ALL MinNodes=2
PartitionName=bounded Nodes=ALL MaxMemPerCPU=1000
PartitionName=tight Nodes=ALL MaxMemPerCPU=500
"""
    options = ("--gpus", "4", "--gpu-type", "a100")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.put_in_force({"counts.lua": COUNTING_RULE, "few.lua": FEW_GPUS})

    def test_jobs_that_ask_for_no_node_at_least(self) -> None:
        for nodes in ("0-1", "1-1"):
            for arguments, counts in (
                ("--mem=3000", "1 1 3000 0"),
                ("--gres=gpu:2 --mem=10", "1 1 10 2"),
                ("--gpus-per-node=2 --mem=10", "1 1 10 2"),
                ("--gpus-per-socket=2 --sockets-per-node=1 --mem=10", "1 1 10 2"),
                ("--gres=gpu:1 -n4 -c8 --mem-per-cpu=10", "1 32 320 1"),
                ("--mem-per-gpu=100 --gres=gpu:2", "1 1 200 2"),
            ):
                with self.subTest(nodes=nodes, arguments=arguments):
                    job = self.cluster.sbatch(f"-N{nodes} {arguments}", USER).job
                    self.assertEqual(counts_of(self.cluster, job), (counts, counts, "false"))

    def test_a_job_of_no_node_gets_the_gpus_that_rules_read(self) -> None:
        """22.05.8 would give it all GPUs of a node."""
        self.put_in_force({"counts.lua": 'rule { name = "idle", submit = function(job) end }\n'})
        self.addCleanup(self.put_in_force, {"counts.lua": COUNTING_RULE})
        job = self.cluster.sbatch("-N0-1 --gpus-per-socket=2 --sockets-per-node=1 --mem=10", USER).job
        self.assertIn("gres/gpu=2,", self.cluster.wait_job(job, "RUNNING")["TRES"])

    def test_jobs_of_no_tasks(self) -> None:
        """No command sends 0 tasks, but libslurm does."""
        for arguments, counts in (
            ("num_tasks=0", "1 1 10 0"),
            ("num_tasks=0 cpus_per_task=4", "1 4 10 0"),
            ("num_tasks=0 tres_per_task=gres:gpu:2", "1 1 10 2"),
            ("num_tasks=1 tres_per_task=gres:gpu:2", "1 1 10 2"),
            ("num_tasks=0 tres_per_task=gres:gpu:2 min_nodes=2", "2 2 20 4"),
            ("num_tasks=0 tres_per_task=gres:gpu:1 partition=wide", "2 2 20 2"),
            ("num_tasks=0 tres_per_job=gres:gpu:1 cpus_per_tres=gres:gpu:8", "1 8 10 1"),
        ):
            with self.subTest(arguments):
                job = int(self.submit_jobs("one", "pn_min_memory=10", *arguments.split()).stdout)
                self.assertEqual(counts_of(self.cluster, job), (counts, counts, "false"))

    def test_changes_to_no_tasks(self) -> None:
        for gpus, answer in ((1, "0"), (2, "2002 Access/permission denied")):
            for tasks in (0, 1):
                with self.subTest(gpus=gpus, tasks=tasks):
                    job = self.cluster.sbatch("--hold --mem=10", USER).job
                    change = f"job_id={job} num_tasks={tasks} tres_per_task=gres:gpu:{gpus}"
                    self.assertEqual(self.submit_jobs("change", *change.split()).stdout, f"change: {answer}\n")
                    self.cluster.scontrol(f"release {job}")
                    _, has, _ = counts_of(self.cluster, job)
                    self.assertEqual(has, "1 1 10 1" if answer == "0" else "1 1 10 0")

    def test_cpus_that_slurmctld_adds_for_memory(self) -> None:
        for arguments, counts in (("-p bounded --mem=3000", "1 3 3000 0"), ("-p bounded --mem=1000", "1 1 1000 0")):
            with self.subTest(arguments):
                job = self.cluster.sbatch(arguments, USER).job
                self.assertEqual(counts_of(self.cluster, job), (counts, counts, "false"))

    def test_a_job_moves_to_a_partition_whose_cpus_have_less_memory_than_the_default(self) -> None:
        for change in ("Partition=tight", "Partition=tight NumNodes=1"):
            with self.subTest(change):
                job = self.cluster.sbatch("--hold -n2", USER).job
                self.assertEqual(self.cluster.run(f"scontrol update JobId={job} {change}", USER).rc, 0)
                self.cluster.scontrol(f"release {job}")
                _, has, _ = counts_of(self.cluster, job)
                self.assertEqual(has, "1 4 2000 0")


class CountsOfCores(PluginTestCase):
    """Whole cores of two threads, and features of several nodes."""

    slurm_conf = """\
SelectTypeParameters=CR_Core_Memory
NodeName=n[1-2] Sockets=1 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=8000 Gres=gpu:a100:2,gpu:v100:2 Feature=fast
"""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.put_in_force({"counts.lua": COUNTING_RULE})

    def test_rules_read_what_the_job_gets(self) -> None:
        for arguments, counts in (
            ("-C fast", "1 2 10 0"),
            ("-C fast*+2", "2 4 20 0"),
            ("-C 'fast* 2'", "2 4 20 0"),
            ("-C fast*2", "2 4 20 0"),
            ("--gres=gpu:1 --cpus-per-gpu=3", "1 4 10 1"),
            ("--gres=gpu:a100:2,gpu:v100:1 --cpus-per-gpu=2", "1 6 10 3"),
            ("-n1 --gres=gpu:a100:2,gpu:v100:1 --cpus-per-gpu=2", "1 2 10 3"),
            ("-O -n2 --threads-per-core=1", "1 2 10 0"),
            ("-O -n2 --threads-per-core=1 --mincpus=2", "1 4 10 0"),
            ("-O -n1 --threads-per-core=1 --mincpus=2", "1 2 10 0"),
        ):
            with self.subTest(arguments):
                job = self.cluster.sbatch(f"--mem=10 {arguments}", USER).job
                self.assertEqual(counts_of(self.cluster, job)[:2], (counts, counts))

    def test_cores_of_gpus_on_several_nodes_are_no_more_than_rules_read(self) -> None:
        """Whether a node gets a core for the CPU that is left over, the selection decides."""
        for arguments in (
            "-N2 --gpus=4 --cpus-per-gpu=3", "-N2 --gres=gpu:1 --cpus-per-gpu=3", "-N2 --gres=gpu:2 --cpus-per-gpu=3",
        ):  # fmt: skip
            with self.subTest(arguments):
                job = self.cluster.sbatch(f"--mem=10 {arguments}", USER).job
                read, has, _ = counts_of(self.cluster, job)
                for most, charged in zip(read.split(), has.split(), strict=True):
                    self.assertGreaterEqual(int(most), int(charged), (read, has))


class EnforcedPartitions(PluginTestCase):
    """EnforcePartLimits=ALL: the rules of partitions, and the QOSs that are exempt."""

    slurm_conf = """\
EnforcePartLimits=ALL
PartitionName=quick Nodes=ALL MaxTime=60 MaxNodes=1 AllowQos=normal,small,passing
PartitionName=wide Nodes=ALL MinNodes=2 DenyQos=small
PartitionName=biology Nodes=ALL AllowAccounts=bio
PartitionName=timed Nodes=ALL DefaultTime=0
"""
    qos = ("passing Flags=PartitionTimeLimit,PartitionMaxNodes,PartitionMinNodes", "booked Flags=RequiresReservation")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.sacctmgr(f"modify user {USER} account=astro set qos+=passing,booked")

    def expect_all(self, *cases: tuple[str, tuple[str, ...]]) -> None:
        """Each case is a submission and the lines of its refusal; none: it is accepted without a message."""
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


if __name__ == "__main__":
    main()
