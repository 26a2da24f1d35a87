# SPDX-License-Identifier: GPL-2.0-or-later
"""What the plugin knows in the first moments: of a slurmctld that starts, and of partitions that change."""

from __future__ import annotations

import concurrent.futures
import json
import os

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import CommandResult, build_root, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

PARTITION_CHANGES = 50


class StartTestCase(PluginTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.put_in_force(
            {
                "site.lua": 'site { limits = "enforce" }\n',
                "10-main.lua": 'rule { submit = function(job) if job.comment == "ruled" and job.partition == "main"'
                ' then job:reject("not in main") end end }\n',
            }
        )

    def submit_while_slurmctld_starts(self, arguments: str, clients: int) -> list[CommandResult]:
        """The answers to clients that wait for slurmctld to come back."""
        self.cluster.stop("slurmctld")
        with concurrent.futures.ThreadPoolExecutor(clients) as pool:
            command = f"sbatch --hold {arguments} --wrap=true"
            waiting = [pool.submit(self.cluster.run, command, USER, timeout=30) for _ in range(clients)]
            self.cluster.start("slurmctld")
            return [client.result() for client in waiting]


class Starts(StartTestCase):
    """The first jobs of a slurmctld meet rules and limits that know the partitions."""

    def test_no_job_slips_past_a_rule_on_the_default_partition(self) -> None:
        answers = [
            result
            for _ in range(4)
            for result in self.submit_while_slurmctld_starts("--comment=ruled", clients=6)
        ]
        for result in answers:
            self.expect(result, False, "Access/permission denied")
        # The moment in which the default is not known is short.
        unknown = [result for result in answers if "not known yet" in result.stderr]
        self.expected_errors.append("not known yet")
        self.assertLess(len(unknown), len(answers) // 4, unknown)

    def test_the_first_job_over_a_limit_is_explained_and_refused(self) -> None:
        self.cluster.sacctmgr("modify qos small set Flags=-1")
        self.addCleanup(self.cluster.sacctmgr, "modify qos small set Flags=DenyOnLimit")
        for result in self.submit_while_slurmctld_starts("--qos=small -n3", clients=4):
            self.expect(result, False, "(QOSMaxCpuPerJobLimit)", "Job violates")

    def test_a_partition_made_right_behind_the_start_is_not_refused(self) -> None:
        self.cluster.restart("slurmctld")
        self.cluster.scontrol("create partitionname=early nodes=ALL")
        self.addCleanup(self.cluster.scontrol, "delete partitionname=early")
        self.expect(self.submit("--partition=early --hold"), True)


class Status(StartTestCase):
    """`qosgate status`, and what slurmctld's log says at a start."""

    def status(self, rc: int, user: str = "root") -> dict:
        command = [str(build_root() / "contrib" / "qosgate" / "qosgate"), "status", "--json"]
        result = self.cluster.run(command, user)
        self.assertEqual(result.rc, rc, result)
        return json.loads(result.stdout)

    def wait_for_status(self, rc: int) -> dict:
        command = [str(build_root() / "contrib" / "qosgate" / "qosgate"), "status"]
        self.cluster.wait_for(lambda: self.cluster.run(command).rc == rc, f"the status is {rc}")
        return self.status(rc)

    def wait_until_all_is_counted(self) -> None:
        """Waits until the status counts every job so far: a change that comes after them counts by itself."""
        job = self.cluster.sbatch("--hold", USER).job
        before = self.status(0)["plugin"]["changes"]
        self.cluster.run(f"scontrol update job={job} timelimit=5", USER, check=True)
        self.cluster.wait_for(lambda: self.status(0)["plugin"]["changes"] > before, "the change is counted")

    def test_a_start_is_one_line_in_the_log(self) -> None:
        version = ".".join(f"{part:02d}" for part in slurm_version()[:2])
        self.cluster.restart("slurmctld")
        self.let_the_plugin_see_the_cluster()
        self.assertRegex(
            self.cluster.log("slurmctld"),
            rf"job_submit/qosgate: qosgate \S+ for Slurm {version}\S*: limits enforce, 1 rule, policy [0-9a-f]{{16}}, in force\n",
        )

    def test_what_decides_is_shown_with_the_decisions(self) -> None:
        self.let_the_plugin_see_the_cluster()
        self.wait_for_status(0)
        self.wait_until_all_is_counted()
        before = self.status(0)["plugin"]
        self.submit("--hold")
        self.expect(self.submit("--comment=ruled"), False, "not in main")
        self.cluster.wait_for(
            lambda: self.status(0)["plugin"]["jobs"] == before["jobs"] + 2, "both jobs are counted"
        )
        plugin = self.status(0)["plugin"]
        self.assertEqual(plugin["refused"], before["refused"] + 1)
        self.assertEqual((plugin["limits"], plugin["rules"]), ("enforce", 1))
        self.assertEqual(plugin["pid"], self.cluster.status()["slurmctld"]["pid"])

    def test_a_policy_that_does_not_load_is_degraded(self) -> None:
        broken = self.folder / "99-broken.lua"
        broken.write_text("rule {\n")
        self.expected_errors.append("99-broken.lua")
        status = self.wait_for_status(1)
        self.assertIn("99-broken.lua", " ".join(status["reasons"]))
        broken.unlink()
        self.wait_for_status(0)

    def test_a_controller_that_knows_no_rules_is_closed(self) -> None:
        self.expected_errors += ["99-broken.lua", "no rules are loaded"]
        broken = self.folder / "99-broken.lua"
        self.cluster.stop("slurmctld")
        for kept in self.cluster.layout.root.rglob("qosgate_policy"):
            kept.unlink()
        broken.write_text("rule {\n")
        self.cluster.start("slurmctld")
        self.cluster.wait_for(
            lambda: self.status(2)["status"] == "closed", "the status is that of this slurmctld"
        )
        self.assertIn("99-broken.lua", " ".join(self.status(2)["reasons"]))
        self.expect(self.submit("--hold"), False, "99-broken.lua")
        broken.unlink()
        self.wait_for_status(0)
        self.expect(self.submit("--hold"), True)

    def test_a_slurmctld_that_is_gone_or_without_the_plugin_has_it_not_loaded(self) -> None:
        self.cluster.stop("slurmctld")
        self.assertIn("is gone", self.status(2)["reasons"][0])
        [file] = self.cluster.layout.root.rglob("qosgate_status.json")
        report = json.loads(file.read_text())
        file.write_text(json.dumps(report | {"pid": os.getpid()}))  # another process has its number now
        self.assertIn("is gone", self.status(2)["reasons"][0])
        self.cluster.start("slurmctld")
        self.wait_for_status(0)
        self.take_plugin_out()
        self.assertIn("JobSubmitPlugins", self.status(2)["reasons"][0])
        if slurm_version() < (23, 11):  # from then on it ends without a word to its plugins
            self.assertFalse(list(self.cluster.layout.root.rglob("qosgate_status.json")))
        self.put_plugin_back()
        self.wait_for_status(0)


class PartitionChanges(StartTestCase):
    """Nothing is refused, or said, on old knowledge of partitions."""

    def test_a_partition_can_be_used_as_soon_as_it_is_made(self) -> None:
        for number in range(PARTITION_CHANGES):
            name = f"new{number}"
            self.cluster.scontrol(f"create partitionname={name} nodes=ALL maxtime=10")
            with self.subTest(name):
                self.expect(self.submit(f"--partition={name} --hold --time=10"), True)
                self.cluster.scontrol(f"update partitionname={name} maxtime=30")
                self.expect(self.submit(f"--partition={name} --hold --time=30"), True)
                self.cluster.run(f"scancel --user={USER} --partition={name}")
                self.cluster.scontrol(f"delete partitionname={name}")
                result = self.submit(f"--partition={name} --hold")
                self.expect(result, False, "Invalid partition")
                self.assertNotIn("never start", result.stderr)

    def test_a_change_counts_within_two_seconds(self) -> None:
        self.cluster.scontrol("create partitionname=slow nodes=ALL maxtime=60")
        self.addCleanup(self.cluster.scontrol, "delete partitionname=slow")
        self.cluster.wait_for(
            lambda: "(PartitionTimeLimit)" in self.submit("--partition=slow --time=90 --hold").stderr,
            "the limit of the new partition is explained",
            timeout=2,
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
