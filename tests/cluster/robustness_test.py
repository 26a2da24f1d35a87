# SPDX-License-Identifier: GPL-2.0-or-later
"""Events that must not harm a slurmctld with the plugin."""

from __future__ import annotations

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

# Rejected submissions per measurement of memory, and how many bytes each may cost. A leak of the smallest
# message would exceed it; the bound leaves room for the allocator's own needs.
LEAK_SUBMISSIONS = 8000
LEAK_BYTES_EACH = 100


class Robustness(PluginTestCase):
    """Events in the life of a controller with the plugin."""

    def test_reconfigure_many_times(self) -> None:
        for _ in range(5):
            for _ in range(3):
                self.cluster.scontrol("reconfigure")
            self.let_the_plugin_see_the_cluster()  # which checks no limits until then
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
            self.cluster.stop("slurmctld")  # which is not late
            self.cluster.start("slurmctld")
            # The first submission may come before the plugin knows the partitions; the result is the same.
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
        # With no tasks per socket slurmctld divides by zero later: gate/decide/unusable_request.hpp.
        answers = answers.replace("zeros everywhere: 2002 Access/permission denied\n", "zeros everywhere: 0\n")
        answers = answers.replace("zeros in short count 9: 2002 Access/permission denied\n", "zeros in short count 9: 0\n")
        self.assertEqual(answers, self.submit_jobs("odd").stdout)
        self.assertIn("unset: 0\n", answers)
        self.assertGreater(len(answers.splitlines()), 300)

    def test_what_slurmctld_would_not_survive_is_refused(self) -> None:
        # It would free the text a second time when it forgets the job.
        has_extra = self.submit_jobs("many", "1", "extra=x").stdout
        frees_twice = slurm_version() < (23, 2)
        self.assertEqual(has_extra, "1 times: 2002 Access/permission denied\n" if frees_twice else "1 times: 0\n")
        # It would not load the job when it starts again, and end.
        for field in ("overcommit", "contiguous", "kill_on_node_fail"):
            for number, answer in ((1, "0"), (2, "2002 Access/permission denied"), (255, "2002 Access/permission denied")):
                with self.subTest(field=field, number=number):
                    self.assertEqual(self.submit_jobs("many", "1", f"{field}={number}").stdout, f"1 times: {answer}\n")
        # It would look for each of them, for a minute and a half.
        for nodes in ("n[0-999]x[0-999]", f",{'n' * 5000}[0-999]x[0-999]"):
            self.assertEqual(self.submit_jobs("many", "1", f"exc_nodes={nodes}").stdout, "1 times: 2002 Access/permission denied\n")
        self.assertEqual(self.submit_jobs("many", "1", "comment=x").stdout, "1 times: 0\n")

    def test_submissions_leave_no_memory_behind(self) -> None:
        refused = ("many", str(LEAK_SUBMISSIONS), "qos=other")
        self.submit_jobs(*refused)  # lets the allocator find its size
        before = self.resident_bytes()
        self.submit_jobs(*refused)
        grown = self.resident_bytes() - before
        self.assertLess(grown / LEAK_SUBMISSIONS, LEAK_BYTES_EACH)


if __name__ == "__main__":
    main()
