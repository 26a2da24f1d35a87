# SPDX-License-Identifier: GPL-2.0-or-later
"""A slurmctld that has just started, and whose partitions the plugin does not know yet, with enforced limits."""

from __future__ import annotations

import concurrent.futures
import tempfile
from pathlib import Path

from qosgate_dev.testing import CommandResult, build_root, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

HANGING = build_root() / "tests" / "cluster" / "helpers" / "hanging_cluster_data.so"
CANNOT_CHECK_YET = "cannot be checked yet, because slurmctld has just started; try again in a moment"


class UnknownCluster(PluginTestCase):
    """The plugin's thread cannot read the partitions while the file `hangs` exists."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.hangs = Path(directory.name) / "hangs"
        # The users of a private cluster come by LD_PRELOAD, too.
        wrapper = f"""sh -c 'QG_HANGING_CLUSTER_DATA={cls.hangs} LD_PRELOAD="$LD_PRELOAD {HANGING}" exec "$@"' sh"""
        cls.options = ("--wrap-slurmctld", wrapper)
        super().setUpClass()
        cls.put_in_force({"site.lua": 'site { limits = "enforce" }\n'})

    def setUp(self) -> None:
        self.hangs.touch()
        self.addCleanup(self.hangs.unlink, missing_ok=True)
        self.cluster.restart("slurmctld")
        self.log_mark = len(self.cluster.log("slurmctld"))

    def run_until_it_is_known(self, *commands: str) -> list[CommandResult]:
        """The answers to users' commands that come before the partitions are known."""
        with concurrent.futures.ThreadPoolExecutor(len(commands)) as pool:
            waiting = [pool.submit(self.cluster.run, command, USER) for command in commands]
            self.cluster.wait_for(
                lambda: self.slurmctld_log_since(self.log_mark).count(CANNOT_CHECK_YET) >= len(commands),
                "every job is to be submitted again",
            )
            self.hangs.unlink()
            return [command.result() for command in waiting]

    def test_clients_submit_a_job_again_by_themselves(self) -> None:
        commands = ("sbatch --qos=small -n2 --wrap=true", "salloc --qos=small -n2 true", "srun --qos=small -n2 true")
        for result in self.run_until_it_is_known(*commands):
            self.expect(result, True, "the limits of this job " + CANNOT_CHECK_YET, "retrying")
        self.assertNotIn(" unchecked ", self.slurmctld_log_since(self.log_mark))

    def test_a_job_over_its_limits_is_refused_when_it_is_submitted_again(self) -> None:
        (result,) = self.run_until_it_is_known("sbatch --hold --qos=small -n3 --wrap=true")
        self.expect(result, False, CANNOT_CHECK_YET, "retrying", "(QOSMaxCpuPerJobLimit)", "Job violates")
        self.assertNotIn(" unchecked ", self.slurmctld_log_since(self.log_mark))

    def test_a_change_must_be_submitted_again_but_not_an_operators(self) -> None:
        self.hangs.unlink()
        self.let_the_plugin_see_the_cluster()
        job = self.cluster.sbatch("--hold", USER).job
        self.hangs.touch()
        self.cluster.restart("slurmctld")
        mark = len(self.cluster.log("slurmctld"))
        change = f"scontrol update job={job} timelimit=5"
        self.expect(self.cluster.run(change, USER), False, "Resource temporarily unavailable")
        self.assertIn("the limits of this change " + CANNOT_CHECK_YET, self.slurmctld_log_since(mark))
        self.expect(self.cluster.run(change), True)

    def test_partitions_that_stay_unknown_are_told_and_let_operators_pass(self) -> None:
        status = [str(build_root() / "contrib" / "qosgate" / "qosgate"), "status"]
        test_only = "sbatch --test-only --wrap=true"  # it is not submitted again
        self.expect(self.cluster.run(test_only, USER), False, "the limits of this job cannot be checked yet")
        self.cluster.wait_for(lambda: self.cluster.run(status).rc == 1, "the status is degraded")
        self.assertIn("partitions: slurmctld does not answer", self.cluster.run(status).stdout)
        self.expect(self.cluster.run(test_only, USER), False, "the limits of this job cannot be checked yet")
        self.expect(self.cluster.run("sbatch --hold --uid=ana --wrap=true"), True)
        self.assertIn(": the partitions are not known", self.slurmctld_log_since(self.log_mark))


if __name__ == "__main__":
    main()
