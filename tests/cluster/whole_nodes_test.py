# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs that take whole nodes, and nodes that are too small, as slurmctld counts them."""

from __future__ import annotations

from qosgate_dev.differential.run import release_of
from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase
from qosgate_dev.testing.rule_counts import COUNTING_RULE, counts_of
from qosgate_dev.testing.runner import build_root


class WholeNodes(PluginTestCase):
    """One small node, and a big one; the QOS eight has MaxTRESPerJob=cpu=8."""

    slurm_conf = """\
NodeName=small CPUs=4 RealMemory=8000
NodeName=big CPUs=16 RealMemory=32000 Gres=gpu:2 Feature=big
PartitionName=whole Nodes=ALL OverSubscribe=EXCLUSIVE
PartitionName=down Nodes=ALL State=DOWN
PartitionName=little Nodes=small
PartitionName=gpus Nodes=big MaxTime=600 DefaultTime=10
PartitionName=shares Nodes=big MaxMemPerCPU=1000
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

    def test_rules_read_what_the_nodes_have(self) -> None:
        self.put_in_force({"counts.lua": COUNTING_RULE})
        for arguments, counts in (
            ("--mem=0 -w big", "1 1 32000 0"), ("--mem=0 -x small", "1 1 32000 0"),
            ("--exclusive --mem=10 -w big", "1 16 10 2"), ("-p whole --mem-per-cpu=10 -C big", "1 16 160 2"),
            ("--exclusive --mem=10 -w small", "1 4 10 0"), ("--exclusive --mem=10 -N2", "2 20 20 2"),
        ):  # fmt: skip
            with self.subTest(arguments):
                read, has, _ = counts_of(self.cluster, self.cluster.sbatch(arguments, USER).job)
                self.assertEqual((read, has), (counts, counts))

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

    def test_a_partition_with_the_nodes_is_suggested(self) -> None:
        help = "would be accepted with: "
        for arguments in ("--gpus=2", "--gres=gpu:1", "--mem=9000", "-C big"):
            with self.subTest(arguments):
                self.expect_help(f"-p little {arguments}", False, "partition little", help)
        self.expect_help("-p little -w big", False, "partition little has no node big", f"{help}--partition=main")
        self.expect_help("-p little -c5", True, "the largest has 4, this job", "could start with: --partition=main")
        for arguments in ("--gpus=3", "--mem=32001", "-c17", "--gpus=2 --dependency=after"):
            with self.subTest(arguments):
                answer = self.submit(f"-p little {arguments}")
                self.expect(answer, arguments == "-c17", "little")
                self.assertNotIn("with: ", answer.stderr)

    def test_only_the_partitions_of_the_site_are_suggested(self) -> None:
        self.put_in_force({"site.lua": 'site { suggest_partition = { "gpus" } }\n'})
        self.addCleanup(self.put_in_force, {"site.lua": "site {}\n"})
        help = "would be accepted with: "
        self.expect_help("-p little --gpus=2", False, "has no GPUs; this job asks for 2", f"{help}--partition=gpus")
        self.expect(self.submit("-p little --gpus=2 --time=601"), False, "has no GPUs; this job asks for 2\n")
        self.put_in_force({"site.lua": "site { suggest_partition = {} }\n"})
        self.assertNotIn(help, self.submit("-p little --gpus=2").stderr)

    def test_less_memory_is_suggested_if_it_brought_the_cpus(self) -> None:
        more = "limit 8, this job asks for 9, one for each 1000M of its memory (MaxMemPerCPU)"
        self.expect_help("--qos=eight -p shares --mem=8001", True, more, "could start with: --mem=8000M")
        more = "limit 8, this job asks for 10"
        self.expect_help("--qos=eight -p shares -n5 --mem-per-cpu=1001", True, more, "with: --mem-per-cpu=1000M")
        self.expect_runs_silently("--qos=eight -p shares --mem=8000")

    def test_what_a_gpu_leaves_too_little_of_is_told(self) -> None:
        for arguments, share in (
            ("--gpus=2 --cpus-per-gpu=9", "room for 1 GPU with 9 CPUs (a node has at most 16 CPUs); this job asks for 2"),
            ("--gpus=1 --mem-per-gpu=40G", "room for no GPUs with 40G of memory each (a node has at most 32000M of memory);"),
        ):
            with self.subTest(arguments):
                self.expect(self.submit(arguments), False, f"partition main has {share}")

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


WAYS = (  # the options, and whether they take whole nodes; then whether a rule reads that the job is exclusive
    ("", False, "false"),
    ("--exclusive", True, "true"),
    ("--exclusive -p forced", True, "true"),
    ("-p whole", True, "false"),
    ("-p whole,main", True, "false"),
    ("-p personal", False, "false"),
    ("--exclusive=user", False, "false"),
    ("--exclusive=mcs", False, "false"),
    ("--oversubscribe", False, "false"),
)
SPECIALIZED = ("--core-spec=0", "--core-spec=1", "--thread-spec=1", "--core-spec=0 --oversubscribe")

SHARED_NODES = """\
rule {
    name = "no-whole-nodes",
    modify = function(job)
        if job.exclusive or job.gpus > 0 then job:reject("%s %d CPUs %d GPUs", job.exclusive, job.cpus, job.gpus) end
    end,
}
"""


class Ways(PluginTestCase):
    """Each way to whole nodes: what rules read is what slurmctld charges."""

    slurm_conf = """\
PartitionName=whole Nodes=ALL OverSubscribe=EXCLUSIVE PriorityTier=2
PartitionName=personal Nodes=ALL ExclusiveUser=YES
PartitionName=forced Nodes=ALL OverSubscribe=FORCE:4
"""
    options = ("--cpus", "8", "--memory", "8000", "--gpus", "2")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos eight MaxTRESPerJob=cpu=8",
            "add qos seven MaxTRESPerJob=cpu=7",
            "add qos gpuless MaxTRESPerJob=gres/gpu=1",
            f"modify user {USER} account=astro set qos+=eight,seven,gpuless",
        ):
            cls.cluster.sacctmgr(line)
        cls.put_in_force({
            "site.lua": 'site { limits = "enforce" }\n', "counts.lua": COUNTING_RULE, "shared.lua": SHARED_NODES,
        })  # fmt: skip

    def expect_counts(self, arguments: str, counts: str, exclusive: str) -> None:
        with self.subTest(arguments):
            job = self.cluster.sbatch(arguments, USER).job
            self.assertEqual(counts_of(self.cluster, job), (counts, counts, exclusive))

    def expect_refused(self, arguments: str, who: str) -> None:
        """Where the limit is below a whole node; at the limit the job runs."""
        with self.subTest(arguments):
            for qos, amount in (("seven", "8 CPUs"), ("gpuless", "2 GPUs")):
                self.expect(
                    self.submit(f"--qos={qos} --mem=10 {arguments}"), False,
                    "this job can never start", f"because {who} whole nodes, of at least {amount} in all",
                )  # fmt: skip
            job = self.cluster.sbatch(f"--qos=eight --mem=10 {arguments}", USER).job
            self.cluster.wait_job(job, "RUNNING")
            self.cluster.run(f"scancel {job}")

    def test_rules_read_what_the_job_gets(self) -> None:
        for arguments, is_whole, exclusive in WAYS:
            self.expect_counts(f"--mem=10 {arguments}", "1 8 10 2" if is_whole else "1 1 10 0", exclusive)
        self.expect_counts("--mem=0", "1 1 8000 0", "false")
        self.expect_counts("-N2 --exclusive --mem-per-cpu=10", "2 16 160 4", "true")
        self.expect_counts("--exclusive --gpus=1 --mem-per-gpu=100", "1 8 200 2", "true")

    def test_limits_know_each_way(self) -> None:
        self.expect_refused("--exclusive", "--exclusive takes")
        self.expect_refused("-p whole", "partition whole gives")
        for arguments, is_whole, _ in WAYS:
            if not is_whole:
                job = self.cluster.sbatch(f"--qos=seven --mem=10 {arguments}", USER).job
                self.cluster.wait_job(job, "RUNNING")
                self.cluster.run(f"scancel {job}")

    def test_specialized_resources_are_ignored(self) -> None:
        for arguments in SPECIALIZED:
            self.expect_counts(f"--mem=10 --qos=seven {arguments}", "1 1 10 0", "false")


class SpecializedResources(Ways):
    """The same where slurm.conf lets jobs set cores aside, and with them the rest of the node."""

    slurm_conf = Ways.slurm_conf + "AllowSpecResourcesUsage=YES\n"

    def test_specialized_resources_are_ignored(self) -> None:
        for arguments in SPECIALIZED:
            self.expect_counts(f"--mem=10 {arguments}", "1 8 10 2", "true")

    def test_limits_know_specialized_resources(self) -> None:
        for arguments in SPECIALIZED:
            option = arguments.partition("=")[0]
            self.expect_refused(arguments, f"{option} takes")

    def test_what_only_libslurm_sends(self) -> None:
        for core_spec, counts in (("0", "1 8 10 2"), (str(0x8000), "1 8 10 2"), (str(0xFFFE), "1 1 10 0")):
            with self.subTest(core_spec):
                job = int(self.submit_jobs("one", "pn_min_memory=10", f"core_spec={core_spec}").stdout)
                read, has, _ = counts_of(self.cluster, job)
                self.assertEqual((read, has), (counts, counts))

    def test_changes(self) -> None:
        """The submission, what an operator changes, and what the rule or the running job says."""
        whole, part = "1 8 10 2", "1 1 10 0"
        for submitted, change, has in (
            ("", "OverSubscribe=NO", part),
            ("", "CoreSpec=0", None), ("", "ThreadSpec=1", None),
            ("--core-spec=0", "CoreSpec=*", None), ("--core-spec=0 --oversubscribe", "CoreSpec=*", None),
            ("--core-spec=0", "OverSubscribe=YES", None),
            ("--exclusive", "OverSubscribe=YES", part), ("--core-spec=0", "OverSubscribe=YES CoreSpec=*", None),
            ("--exclusive", "Comment=new", whole),
        ):  # fmt: skip
            with self.subTest(submitted=submitted, change=change):
                job = self.cluster.sbatch(f"--hold --mem=10 {submitted}", USER).job
                changed = self.cluster.run(["scontrol", "update", f"jobid={job}", *change.split()])
                self.assertEqual(changed.rc != 0, has is None, changed)
                self.cluster.scontrol(f"release {job}")
                was = whole if submitted else part
                self.assertEqual(counts_of(self.cluster, job)[1], has or was)


class Linear(PluginTestCase):
    """select/linear gives whole nodes to every job; their GPUs count for limits, and are not charged."""

    slurm_conf = "SelectType=select/linear\nSelectTypeParameters=CR_Memory\n"
    options = ("--cpus", "8", "--memory", "8000", "--gpus", "2")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos eight MaxTRESPerJob=cpu=8",
            "add qos seven MaxTRESPerJob=cpu=7",
            "add qos gpuless MaxTRESPerJob=gres/gpu=1",
            f"modify user {USER} account=astro set qos+=eight,seven,gpuless",
        ):
            cls.cluster.sacctmgr(line)
        cls.put_in_force({"counts.lua": COUNTING_RULE})

    def test_every_job_takes_whole_nodes(self) -> None:
        for arguments, mib in (("--mem=10", 10), ("--mem-per-cpu=10", 80), ("--mem=10 --exclusive", 10)):
            with self.subTest(arguments):
                job = self.cluster.sbatch(arguments, USER).job
                read, has, exclusive = counts_of(self.cluster, job)
                self.assertEqual((read, has), (f"1 8 {mib} 2", f"1 8 {mib} 0"))
                self.assertEqual(exclusive, "true" if "--exclusive" in arguments else "false")

    def test_limits_count_whole_nodes(self) -> None:
        for qos, amount, reason in (
            ("seven", "8 CPUs", "QOSMaxCpuPerJobLimit"), ("gpuless", "2 GPUs", "QOSMaxGRESPerJob"),
        ):  # fmt: skip
            answer = self.submit(f"--qos={qos} --mem=10")
            self.expect(answer, True, "never start", "SelectType=select/linear gives whole nodes", amount)
            self.cluster.wait_reason(int(answer.stdout.split()[-1]), reason)
        self.expect_runs_silently("--qos=eight --mem=10")


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
            ("--gres=gpu:a100:1 -C amd", f"no node of {amd} has a100 GPUs; this job asks for 1"),
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


class Shapes(PluginTestCase):
    """Two nodes with two sockets of four cores of two threads, and one with a socket of 16 cores."""

    slurm_conf = """\
NodeName=deep[1-2] CPUs=16 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=32000
NodeName=flat CPUs=16 Sockets=1 CoresPerSocket=16 RealMemory=32000
PartitionName=deep Nodes=deep[1-2]
PartitionName=flat Nodes=flat
PartitionName=lean Nodes=deep[1-2] MaxMemPerCPU=1000
"""

    def test_sockets_cores_and_threads_that_no_node_has_are_told(self) -> None:
        for arguments, fits, told in (
            ("-p deep -B3", "-p deep -B2", "partition deep has that many sockets: the largest has 2, this job asks for 3"),
            ("-p deep --cores-per-socket=5", "-p main --cores-per-socket=5",
             "partition deep has that many cores on each socket: the largest has 4, this job asks for 5"),
            ("-p main --threads-per-core=3", "-p main --threads-per-core=2",
             "partition main has that many threads on each core: the largest has 2, this job asks for 3"),
            ("-p deep --mincpus=9 --threads-per-core=1", "-p deep --mincpus=8 --threads-per-core=1",
             "the largest has 8 on the threads that this job uses, this job asks for 9"),
            ("-p deep -O --mincpus=9 --ntasks-per-core=1", "-p deep --mincpus=16", "this job asks for 9"),
            ("-p lean --mem=9000 --threads-per-core=1", "-p lean --mem=8000 --threads-per-core=1", "this job asks for 9"),
            ("-p deep -w deep1 -B3", "-p deep -w deep1 -B2", "node deep1 (--nodelist) has 2 sockets; this job asks for 3"),
            ("-p main -N3 -B2", "-p main -N2 -B2", "2 nodes of partition main have what this job asks for on each"),
        ):  # fmt: skip
            with self.subTest(arguments):
                self.expect(self.submit(arguments), False, told, "Requested node configuration is not available")
                self.expect_runs_silently(fits)

    def test_a_suggested_partition_has_them(self) -> None:
        for options in ("-B2", "--threads-per-core=2", "-B 2:4:2"):
            self.expect_help(f"-p flat {options}", False, "no node of partition flat has", "--partition=main")
        self.expect_help("-p deep --mincpus=9 --threads-per-core=1", False, "--partition=main")
        answer = self.submit("-p flat -B3")
        self.expect(answer, False, "no node of partition flat has")
        self.assertNotIn("accepted with", answer.stderr)


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
