# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin knows in the first moments: of a slurmctld that starts, and of partitions that change."""

from __future__ import annotations

import concurrent.futures

from qosgate_dev.testing import CommandResult, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

PARTITION_CHANGES = 50
NOT_IN_MAIN = """rule { submit = function(job)
    if job.comment == "ruled" and job.partition == "main" then job:reject("not in main") end
end }
"""
ENFORCED = {"site.lua": 'site { limits = "enforce" }\n', "10-main.lua": NOT_IN_MAIN}


class StartTestCase(PluginTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.put_in_force(ENFORCED)

    def submit_while_slurmctld_starts(self, arguments: str, clients: int) -> list[CommandResult]:
        """The answers to clients that wait for slurmctld to come back."""
        self.cluster.stop("slurmctld")
        with concurrent.futures.ThreadPoolExecutor(clients) as pool:
            command = f"sbatch --hold {arguments} --wrap=true"
            waiting = [pool.submit(self.cluster.run, command, USER) for _ in range(clients)]
            self.cluster.start("slurmctld")
            return [client.result() for client in waiting]


class Starts(StartTestCase):
    """The first jobs of a slurmctld are judged with known partitions."""

    def test_no_job_slips_past_a_rule_on_the_default_partition(self) -> None:
        self.put_in_force({"site.lua": 'site { limits = "explain" }\n', "10-main.lua": NOT_IN_MAIN})
        self.addCleanup(self.put_in_force, ENFORCED)
        self.expected_errors.append("not known yet")
        for _ in range(4):
            for result in self.submit_while_slurmctld_starts("--comment=ruled", clients=6):
                self.expect(result, False, "Access/permission denied")
            # Who comes too early is told to submit again in a moment.
            self.cluster.wait_for(
                lambda: "not in main" in self.submit("--hold --comment=ruled").stderr, "the default is known"
            )

    def test_the_first_job_over_a_limit_is_explained_and_refused(self) -> None:
        self.cluster.sacctmgr("modify qos small set Flags=-1")
        self.addCleanup(self.cluster.sacctmgr, "modify qos small set Flags=DenyOnLimit")
        mark = len(self.cluster.log("slurmctld"))
        for result in self.submit_while_slurmctld_starts("--qos=small -n3", clients=8):
            # On a busy machine a client may come before slurmctld has told the plugin its partitions. Then it
            # submits the job again by itself.
            self.expect(result, False, "(QOSMaxCpuPerJobLimit)", "Job violates")
        self.assertNotIn(" unchecked ", self.slurmctld_log_since(mark))

    def test_a_first_job_within_its_limits_is_accepted_without_help(self) -> None:
        for result in self.submit_while_slurmctld_starts("--qos=small -n2", clients=8):
            self.expect(result, True)

    def test_a_partition_made_right_behind_the_start_is_not_refused(self) -> None:
        self.cluster.restart("slurmctld")
        self.cluster.scontrol("create partitionname=early nodes=ALL")
        self.addCleanup(self.cluster.scontrol, "delete partitionname=early")
        self.expect(self.submit("--partition=early --hold"), True)


class PartitionChanges(StartTestCase):
    """Outdated partitions cause no refusal, and no job gets past enforced limits because of them."""

    def use_new_partitions(self, count: int) -> list[CommandResult]:
        """Makes and changes partitions, and uses each at once. The answers to all submissions, which are accepted."""
        results = []
        for number in range(count):
            name = f"new{number}"
            self.cluster.scontrol(f"create partitionname={name} nodes=ALL maxtime=10")
            with self.subTest(name):
                results.append(self.submit(f"--partition={name} --hold --time=10"))
                self.expect(results[-1], True)
                self.cluster.scontrol(f"update partitionname={name} maxtime=30")
                results.append(self.submit(f"--partition={name} --hold --time=30"))
                self.expect(results[-1], True)
                self.cluster.run(f"scancel --user={USER} --partition={name}")
                self.cluster.scontrol(f"delete partitionname={name}")
                result = self.submit(f"--partition={name} --hold")
                self.expect(result, False, "Invalid partition")
                self.assertNotIn("never start", result.stderr)
        return results

    def test_a_partition_can_be_used_as_soon_as_it_is_made(self) -> None:
        self.put_in_force({"site.lua": 'site { limits = "explain" }\n'})
        self.addCleanup(self.put_in_force, ENFORCED)
        for result in self.use_new_partitions(PARTITION_CHANGES):
            self.assertEqual(result.stderr, "")

    def test_with_enforced_limits_a_job_in_a_new_partition_comes_again_by_itself(self) -> None:
        answers = "".join(result.stderr for result in self.use_new_partitions(3))
        self.assertIn("because a partition changed a moment ago; try again in a moment (sbatch", answers)
        self.assertIn("retrying", answers)

    def test_no_job_gets_past_enforced_limits_while_partitions_change(self) -> None:
        self.let_the_plugin_see_the_cluster()
        self.cluster.sacctmgr("modify qos small set Flags=-1")  # slurmctld alone would accept it
        self.addCleanup(self.cluster.sacctmgr, "modify qos small set Flags=DenyOnLimit")
        for minutes in (50, 60):
            self.cluster.scontrol(f"update partitionname=short maxtime={minutes}")
            self.expect(self.submit("--hold --qos=small -n2"), True)
            self.expect(self.submit("--hold --qos=small -n3"), False, "moment ago; try again", "(QOSMaxCpuPerJobLimit)")

    def test_a_change_counts_without_a_reconfigure(self) -> None:
        self.cluster.scontrol("create partitionname=slow nodes=ALL maxtime=60")
        self.addCleanup(self.cluster.scontrol, "delete partitionname=slow")
        self.cluster.wait_for(
            lambda: "(PartitionTimeLimit)" in self.submit("--partition=slow --time=90 --hold").stderr,
            "the limit of the new partition is explained",
        )
        self.expect(self.submit("--partition=slo --hold"), False, "did you mean slow")

    def test_starts_of_jobs_and_states_of_nodes_leave_it_known(self) -> None:
        over = "--partition=short --time=61 --hold"
        told = "(PartitionTimeLimit)"
        self.cluster.wait_for(lambda: told in self.submit(over).stderr, "all is known")
        node = self.cluster.run("sinfo --noheader --Node --format=%N", check=True).stdout.split()[0]
        self.cluster.scontrol(f"update nodename={node} state=drain reason=test")
        self.expect(self.submit(over), False, told)
        self.cluster.scontrol(f"update nodename={node} state=resume")
        self.expect(self.submit(over), False, told)
        job = self.cluster.sbatch("--partition=short", USER).jobid
        self.cluster.wait_job(job, "RUNNING")
        self.expect(self.submit(over), False, told)


if __name__ == "__main__":
    main()
