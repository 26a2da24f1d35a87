# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules judge a job with what slurmctld adds to its request (limits/README.md 6.6), and slurmctld adds just that."""

from __future__ import annotations

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

# A longer list than --nodes raises the number of nodes only there.
FILLS_GAPS = slurm_version() < (23, 2)
NEEDS_PARTITION = slurm_version() < (25, 11)

CLOSED = """\
local function judge(job)
    if ("," .. job.partition .. ","):find(",short,", 1, true) then job:reject("short is closed") end
    if job.nodes > 2 then job:reject("at most two nodes") end
end
rule { name = "closed", submit = judge, modify = judge }
"""
SHORT = """\
rule {
    name = "short",
    submit = function(job)
        if job.partition == "old" then job.partition = "main" end
        if job.time_limit > 60 then job:reject("too long") end
    end,
}
"""
OPEN = "rule { name = 'open', submit = function(job) end }"
AT_START = "in the partition of whichever of its reservations has room"

# Options, the partition that the job gets, and why rules that close it reject it.
IN_OTHER_PARTITIONS = (
    ("-p drained", "short"),
    ("-p inactive", "short"),
    ("-p drained,inactive", "short,short"),
    ("-p main,inactive", "main,short"),
    ("--reservation=of_short", "short"),
    ("--reservation=of_drained", "short"),
)
WITH_ITS_OWN = ("-p main --reservation=of_short", "--reservation=plain", "--reservation=plain,plain", "-p main,shut")


class CompletedRequests(PluginTestCase):
    nodes = 3
    slurm_conf = (
        "PartitionName=drained Nodes=ALL State=DRAIN Alternate=inactive\n"
        "PartitionName=inactive Nodes=ALL State=INACTIVE Alternate=short\n"
        "PartitionName=shut Nodes=ALL State=DRAIN\n"
        "Licenses=seat:2,room:9\n"
    )

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for name, partition in (("plain", ""), ("of_short", "short"), ("of_drained", "drained")):
            cls.cluster.scontrol(
                f"create reservation ReservationName={name} PartitionName={partition} Users={USER} StartTime=now"
                " Duration=UNLIMITED Licenses=room:1 NodeCnt=0 Flags=ANY_NODES".replace(" PartitionName= ", " ")
            )

        # slurmctld says after each look at this one that reservations have changed.
        cls.cluster.scontrol(
            "create reservation ReservationName=floating Users=root StartTime=now+60minutes Duration=60 Licenses=room:1"
            " NodeCnt=0 Flags=ANY_NODES,TIME_FLOAT"
        )
        cls.rule = ""

    def let_run(self, rule: str) -> None:
        """Puts the rule in force, unless it is."""
        if rule != self.rule:
            self.put_in_force({"10-rule.lua": rule})
        type(self).rule = rule

    def shown(self, job: int, field: str) -> str:
        return self.cluster.job(job)[field]

    def hold(self, options: str) -> int:
        answer = self.submit(f"--hold {options}")
        self.expect(answer, True)
        return int(answer.stdout.split()[-1])

    def expect_change(self, job: int, what: str, accepted: bool, *logged: str) -> None:
        """slurmctld's log says why, and scontrol does not."""
        mark = len(self.cluster.log("slurmctld"))
        answer = self.cluster.run(["scontrol", "update", f"jobid={job}", *what.split()], USER)
        self.expect(answer, accepted)
        for text in logged:
            self.assertIn(text, self.slurmctld_log_since(mark))

    def test_a_job_is_judged_in_the_partitions_that_it_gets(self) -> None:
        self.let_run(OPEN)
        for options, partition in IN_OTHER_PARTITIONS:
            with self.subTest(options):
                self.assertEqual(self.shown(self.hold(options), "Partition"), partition)
        self.let_run(CLOSED)
        for options, _ in IN_OTHER_PARTITIONS:
            with self.subTest(options, rules="closed"):
                self.expect(self.submit(options), False, "short is closed")
        for options in WITH_ITS_OWN:
            with self.subTest(options, rules="closed"):
                self.expect(self.submit(options), True)

    def test_a_partition_that_only_the_start_decides_is_refused(self) -> None:
        self.let_run(CLOSED)
        for reservations in ("plain,of_short", "of_short,plain", ",of_short", "of_short,"):
            with self.subTest(reservations):
                self.expect(self.submit(f"--reservation={reservations}"), False, AT_START, "name a partition")
                self.expect(self.submit(f"--reservation={reservations} -p main"), True)

    def test_so_is_a_change_to_it(self) -> None:
        self.let_run(CLOSED)
        lists = "ReservationName=plain,of_short"
        job = self.hold("")
        self.expect_change(job, lists, False, AT_START)
        self.expect_change(job, "ReservationName=of_short", True)  # it stays in main
        self.assertEqual(self.shown(job, "Partition"), "main")
        self.expect_change(self.hold("-p main"), lists, True)

    def test_a_change_to_a_closed_partition_is_judged_in_its_alternate(self) -> None:
        self.let_run(CLOSED)
        job = self.hold("-p main")
        for partition in ("drained", "main,inactive"):
            self.expect_change(job, f"Partition={partition}", False, "short is closed")
        self.assertEqual(self.shown(job, "Partition"), "main")
        self.let_run(OPEN)
        self.expect_change(job, "Partition=drained", True)
        self.assertEqual(self.shown(job, "Partition"), "short")

    def test_a_partition_that_does_not_exist_is_told_before_rules_that_need_one(self) -> None:
        self.let_run(SHORT)
        for options, told in (
            ("-p MAIN", "there is no partition 'MAIN'; did you mean main? Upper and lower case matter"),
            ("-p nosuch", "there is no partition 'nosuch'"),
            ("-p main,nosuch --time=60", "there is no partition 'nosuch'"),
        ):
            with self.subTest(options):
                answer = self.submit(options)
                self.expect(answer, False, "Batch job submission failed: Invalid partition name specified")
                self.assertTrue(answer.stderr.startswith(f"sbatch: error: {told}"), answer)
        self.expect(self.submit("-p main --time=61"), False, "too long")
        self.expect(self.submit("-p old --time=60"), True)  # the rule gives it another one
        job = self.hold("-p main --time=60")
        self.expect_change(job, "Partition=nosuch", False, "there is no partition 'nosuch'")
        self.expect_change(job, "Partition=short", True)

    def test_a_list_of_no_partition_is_refused_or_means_the_default_one(self) -> None:
        self.let_run(SHORT)
        for options in ("-p ,", "--partition=", "-p ,,"):
            with self.subTest(options):
                answer = self.submit(f"{options} --time=60")
                if NEEDS_PARTITION:
                    self.expect(answer, False, "--partition is empty: give a name, or leave the option out")
                else:
                    self.expect(answer, True)
                    self.assertEqual(answer.stderr, "")
                self.expect(self.submit(f"{options} --time=61"), False, "too long")

    def test_a_contiguous_list_counts_the_nodes_between_its_own(self) -> None:
        gaps = "-w node1,node3"
        self.let_run(OPEN)
        answer = self.submit(f"--contiguous {gaps}")
        job = int(answer.stdout.split()[-1])
        self.cluster.wait_job(job, "RUNNING")
        self.assertEqual(self.shown(job, "NumNodes"), "3" if FILLS_GAPS else "2")
        self.let_run(CLOSED)
        self.expect(self.submit(f"--contiguous {gaps}"), not FILLS_GAPS, *["at most two nodes"] * FILLS_GAPS)
        for options in (gaps, "--contiguous -w node2,node3", "--contiguous -w node1"):
            with self.subTest(options):
                self.expect(self.submit(options), True)


if __name__ == "__main__":
    main()
