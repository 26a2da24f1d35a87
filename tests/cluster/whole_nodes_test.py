# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs that take whole nodes, and nodes that are too small, as slurmctld counts them."""

from __future__ import annotations

from qosgate_dev.differential.run import release_of
from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase
from qosgate_dev.testing.runner import build_root


class WholeNodes(PluginTestCase):
    """One small node, and a big one; the QOS eight has MaxTRESPerJob=cpu=8."""

    slurm_conf = """\
NodeName=small CPUs=4 RealMemory=8000
NodeName=big CPUs=16 RealMemory=32000 Gres=gpu:2 Feature=big
PartitionName=whole Nodes=ALL OverSubscribe=EXCLUSIVE
PartitionName=down Nodes=ALL State=DOWN
"""
    options = ("--gpus", "0")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos eight MaxTRESPerJob=cpu=8",
            "add qos gpuless MaxTRESPerJob=gres/gpu=1",
            "add qos lone MaxTRESPerJob=node=1",
            "add qos pair MaxJobsPerUser=2",
            f"modify user {USER} account=astro set qos+=eight,gpuless,lone,pair",
        ):
            cls.cluster.sacctmgr(line)

    def test_a_job_that_gets_only_larger_nodes_is_told_that_it_never_starts(self) -> None:
        for arguments in (
            "--exclusive -w big", "--exclusive -x small", "-p whole -C big", "--exclusive --mem=9000",
            "-p whole --gpus=1", "--exclusive -N1 -n5",
        ):  # fmt: skip
            with self.subTest(arguments):
                answer = self.submit(f"--qos=eight {arguments}")
                never = "can never start as it is: CPUs per job in QOS eight: limit 8, this job asks for 16"
                self.expect(answer, True, never, "whole nodes, of at least 16 CPUs in all")
                self.cluster.wait_reason(int(answer.stdout.split()[-1]), "QOSMaxCpuPerJobLimit")

    def test_a_job_that_may_get_the_small_node_starts_without_a_word(self) -> None:
        for arguments in ("--qos=eight --exclusive -w small", "--qos=eight -p whole --mem=8000"):
            with self.subTest(arguments):
                self.expect_runs_silently(arguments)

    def test_gpus_of_whole_nodes_count(self) -> None:
        answer = self.submit("--qos=gpuless --exclusive -w big")
        self.expect(answer, True, "limit 1, this job asks for 2, because --exclusive takes whole nodes")
        self.cluster.wait_reason(int(answer.stdout.split()[-1]), "QOSMaxGRESPerJob")

    def test_nodes_that_are_too_small_are_told(self) -> None:
        node = "Requested node configuration is not available"
        for arguments, words in (
            ("-w small -c5", "node small (--nodelist) has 4 CPUs; this job asks for 5"),
            ("-w small --gpus=1", "node small (--nodelist) has no GPUs; every node of this job must have some"),
            ("-w small -n5 -N1", "(its nodes in --nodelist) has room for 4 tasks of this job on 1 node"),
            ("-x big -c5", "main (without --exclude) has that many CPUs: the largest has 4"),
            ("--qos=lone -n17", "has room for 16 tasks of this job on 1 node, the limit of QOS lone"),
        ):
            with self.subTest(arguments):
                self.expect(self.submit(arguments), False, words, node)

    def test_a_partition_that_is_down_is_told_beside_a_limit(self) -> None:
        answer = self.submit("--qos=eight -n9 -p down")
        self.expect(answer, True, "limit 8, this job asks for 9", "partition down is down, too (PartitionDown)")
        self.cluster.wait_reason(int(answer.stdout.split()[-1]), "PartitionDown")

    def test_an_array_is_told_how_many_tasks_run_at_once(self) -> None:
        answer = self.submit("--qos=pair --array=1-4")
        self.expect(answer, True, "at most 2 tasks of this array can run at once: running jobs per user in QOS pair: limit 2")
        job = answer.stdout.split()[-1]
        running = lambda: self.cluster.run(f"squeue -h -j {job} -t R -o %i", check=True).stdout.split()
        self.cluster.wait_for(lambda: len(running()) == 2, "two tasks run")


class Models(PluginTestCase):
    """Two nodes with GPUs whose model slurm.conf does not name, and one with four of a model."""

    slurm_conf = """\
NodeName=plain[1-2] CPUs=16 RealMemory=32000 Gres=gpu:2 Feature=amd
NodeName=typed CPUs=32 RealMemory=32000 Gres=gpu:a100:4 Feature=intel
"""
    options = ("--gpus", "0")

    def test_gpus_of_a_model_that_too_few_nodes_have_are_told(self) -> None:
        node = "Requested node configuration is not available"
        amd = "partition main (its nodes with 'amd')"
        for arguments, words in (
            ("--gpus=a100:5", "partition main has 4 a100 GPUs; this job asks for 5"),
            ("--gpus=9", "partition main has 8 GPUs; this job asks for 9"),
            ("--gres=gpu:a100:1 -C amd", f"no node of {amd} has that many a100 GPUs: the largest has 0"),
            ("--gpus=a100:1 -C amd", f"{amd} has no a100 GPUs; this job asks for 1"),
            ("--gpus=a100:3 -N2", "1 node of partition main has what this job asks for on each; it asks for 2"),
            ("--gres=gpu:a100:1 -w plain1", "node plain1 (--nodelist) has no a100 GPUs; this job asks for 1"),
        ):
            with self.subTest(arguments):
                self.expect(self.submit(arguments), False, words, node)
        for arguments in (
            "--gpus=a100:4", "--gpus=8", "--gres=gpu:a100:1 -C intel", "--gres=gpu:2 -C amd", "--gpus=3 -N2",
        ):  # fmt: skip
            with self.subTest(arguments):
                answer = self.submit(f"--hold {arguments}")
                self.expect(answer, True)
                self.assertEqual(answer.stderr, "")


class Changes(PluginTestCase):
    """A change is judged by what slurmctld counts, with limits = "enforce"."""

    slurm_conf = "PartitionName=drained Nodes=ALL State=DRAIN MaxTime=10\n"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.put_in_force({"site.lua": 'site { limits = "enforce" }\n'})

    def change(self, submitted: str, change: str) -> tuple[int, dict[str, str]]:
        answer = self.submit(f"--hold {submitted}")
        self.expect(answer, True)
        job = int(answer.stdout.split()[-1])
        result = self.cluster.run(f"scontrol update jobid={job} {change}", USER)
        return result.rc, self.cluster.job(job)

    def test_cpus_count_whatever_the_tasks(self) -> None:
        rc, job = self.change("-n3 -t 30", "QOS=small NumCPUs=2")
        changed = (rc, job["QOS"], job["NumCPUs"], job["NumTasks"])
        # From 24.11 on the job does not start with fewer CPUs than its tasks need.
        starts = release_of(build_root()) < (24, 11)
        self.assertEqual(changed, (0, "small", "2", "3") if starts else (1, "normal", "3", "3"))
        rc, job = self.change("-n3 -t 30", "QOS=small NumTasks=2")
        self.assertEqual((rc != 0, job["QOS"]), (True, "normal"))

    def test_a_time_that_a_new_partition_does_not_allow_is_refused(self) -> None:
        rc, job = self.change("-t 61", "Partition=short")
        self.assertEqual((rc != 0, job["Partition"]), (True, "main"))
        rc, job = self.change("-t 60", "Partition=short")
        self.assertEqual((rc, job["Partition"]), (0, "short"))

    def test_a_drained_partition_is_no_partition_of_a_list(self) -> None:
        rc, job = self.change("-t 60", "Partition=short,drained")
        self.assertEqual((rc, job["Partition"]), (0, "short"))


if __name__ == "__main__":
    main()
