# SPDX-License-Identifier: GPL-2.0-or-later
"""The policy in force stays in force: over restarts, with broken files, a missing directory, a file that hangs."""

from __future__ import annotations

from pathlib import Path

from qosgate_dev.testing import CommandResult, build_root, main
from qosgate_dev.testing.plugin_case import USER, WITH_PLUGIN, WITHOUT_PLUGIN, PluginTestCase

HANGING_FILES = build_root() / "tests" / "cluster" / "helpers" / "hanging_files.so"
RULE = """\
rule { submit = function(job) if job.partition == "main" then job:reject("not on main") end end }
"""
# slurmctld waits so long for a file that hangs, when it starts and when it ends the plugin. The rest may take some times
# as long as without such a file, which is measured here.
PATIENCE_SECONDS = 2
NOT_HELD_UP = 4


class KeptPolicy(PluginTestCase):
    # The users of a private cluster come by LD_PRELOAD, too.
    options = ("--wrap-slurmctld", f"""sh -c 'LD_PRELOAD="$LD_PRELOAD {HANGING_FILES}" exec "$@"' sh""")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.sacctmgr("add user ben account=bio adminlevel=operator")
        cls.directory = cls.cluster.layout.slurm_conf.parent / "qosgate.d"
        cls.kept = cls.cluster.layout.controller_state / "qosgate_policy"

    def setUp(self) -> None:
        """Every test begins without any kept policy."""
        self.expected_errors += ["policy not loaded", "no rules are loaded", "is not read yet"]
        self.cluster.stop("slurmctld")
        self.remove_directory()
        self.kept.unlink(missing_ok=True)
        self.cluster.start("slurmctld")
        self.wait_for_answer(accepted=True)

    def remove_directory(self) -> None:
        for file in self.directory.glob("*"):
            file.unlink()
        if self.directory.exists():
            self.directory.rmdir()

    def write(self, text: str) -> Path:
        self.directory.mkdir(mode=0o755, exist_ok=True)
        path = self.directory / "10-main.lua"
        path.write_text(text)
        return path

    def submit_as(self, user: str) -> CommandResult:
        return self.cluster.run(["sbatch", "--hold", "--partition=main", "--wrap=true"], user)

    def wait_for_answer(self, accepted: bool, text: str = "") -> None:
        def is_answered() -> bool:
            result = self.submit_as(USER)
            return (result.rc == 0) == accepted and text in result.stderr

        self.cluster.wait_for(is_answered, f"a submission is {'accepted' if accepted else 'refused'}: {text}")

    def put_rule_in_force(self) -> None:
        self.write(RULE)
        self.wait_for_answer(False, "not on main")
        self.cluster.wait_for(lambda: "not on main" in self.kept.read_text(), "the policy is kept")
        self.assertEqual(self.kept.stat().st_mode & 0o7777, 0o600)

    def test_a_broken_or_missing_policy_leaves_the_last_one_in_force_over_restarts(self) -> None:
        self.put_rule_in_force()
        self.write("rule {\n")
        self.cluster.restart("slurmctld")
        self.expect(self.submit_as(USER), False, "not on main")
        self.expect_logged_error("what was in force before this start stays in force")

        self.remove_directory()
        self.cluster.restart("slurmctld")
        self.expect(self.submit_as(USER), False, "not on main")
        self.expect_logged_error("the directory is gone; to end a policy, leave the directory there and empty")

        self.directory.mkdir(mode=0o755)
        self.wait_for_answer(accepted=True)
        self.cluster.restart("slurmctld")
        self.expect(self.submit_as(USER), True)

    def test_a_first_policy_with_a_mistake_changes_nothing(self) -> None:
        self.cluster.wait_for(self.kept.exists, "something is kept")
        self.assertIn("folder 0 files 0", self.kept.read_text())
        self.write("rule { submit = function(job) if job.partitoin then return end end }\n")
        self.expect_logged_error("10-main.lua:1: unknown field 'partitoin' of job; did you mean partition?")
        self.cluster.restart("slurmctld")
        self.expect(self.submit_as(USER), True)

    def test_where_nothing_was_kept_only_operators_get_past_a_policy_that_does_not_load(self) -> None:
        waiting = self.cluster.sbatch("--hold", USER).job
        self.cluster.stop("slurmctld")
        self.kept.unlink()
        self.write("\nrule {\n")
        self.cluster.start("slurmctld")

        refused = self.submit_as(USER)
        self.expect(refused, False, "This job was not accepted because the site's rules are not loaded: ")
        self.assertIn(f"{self.directory}: 10-main.lua:3: ", refused.stderr)
        self.expect_logged_error("no rules are loaded: ")
        for operator in ("root", "ben"):
            self.expect(self.submit_as(operator), True)
        for change in ("timelimit=5", "nice=5"):
            self.expect(self.cluster.run(f"scontrol update jobid={waiting} {change}", USER), False)
            self.expect(self.cluster.run(f"scontrol update jobid={waiting} {change}", "root"), True)
        self.write(RULE)
        self.wait_for_answer(False, "not on main")

    def test_a_policy_that_never_loaded_is_missed_over_restarts_until_there_is_an_empty_directory(self) -> None:
        self.cluster.stop("slurmctld")
        self.kept.unlink()
        self.write("rule {\n")
        self.cluster.start("slurmctld")
        self.expect(self.submit_as(USER), False, "the site's rules are not loaded")
        self.cluster.wait_for(lambda: self.kept.exists() and "never loaded" in self.kept.read_text(), "it is noted")

        gone = "the directory is gone, and what was in it was never in force; put the directory back"
        self.remove_directory()
        for _ in range(2):
            self.cluster.restart("slurmctld")
            self.expect(self.submit_as(USER), False, gone)
            self.expect(self.submit_as("root"), True)
        status = self.wait_until_status(2)
        self.assertIn(gone, status)
        self.assertIn("an empty one means no rules", status)

        self.directory.mkdir(mode=0o755)
        self.wait_for_answer(accepted=True)
        self.cluster.wait_for(lambda: "folder 1 files 0" in self.kept.read_text(), "that there are no rules is kept")
        self.directory.rmdir()
        self.cluster.restart("slurmctld")
        self.expect(self.submit_as(USER), True)
        self.wait_until_status(0)

    def test_a_directory_that_never_was_means_no_rules_over_restarts(self) -> None:
        for is_kept in (True, False):
            with self.subTest(is_kept=is_kept):
                self.cluster.stop("slurmctld")
                if not is_kept:
                    self.kept.unlink()
                self.cluster.start("slurmctld")
                self.expect(self.submit_as(USER), True)
                self.cluster.wait_for(
                    lambda: self.kept.exists() and "folder 0 files 0" in self.kept.read_text(), "no rules are kept"
                )

    def test_a_file_that_hangs_holds_up_nobody(self) -> None:
        file = self.write(RULE)
        self.wait_for_answer(False, "not on main")
        hangs = file.with_name(file.name + ".hangs")
        answers: list[CommandResult] = []

        def start_and_submit() -> None:
            self.cluster.start("slurmctld")
            answers.append(self.submit_as(USER))

        def take_out_and_put_back() -> None:
            self.change_slurm_conf(WITH_PLUGIN, WITHOUT_PLUGIN)
            answers.append(self.submit_as(USER))
            self.change_slurm_conf(WITHOUT_PLUGIN, WITH_PLUGIN)

        self.cluster.stop("slurmctld")
        usual_start, usual_change = self.cluster.time_of(start_and_submit, take_out_and_put_back)
        self.cluster.stop("slurmctld")
        self.kept.unlink()
        hangs.touch()
        self.addCleanup(hangs.unlink, missing_ok=True)

        start = self.cluster.time_of(start_and_submit)[0]
        self.assertLess(start, PATIENCE_SECONDS + NOT_HELD_UP * usual_start)
        self.expect(answers[-1], False, "qosgate.d: is still being read; please try again in a moment")
        self.expect_logged_error("is not read yet, a file or directory may hang")
        self.expect(self.submit_as("root"), True)

        change = self.cluster.time_of(take_out_and_put_back)[0]
        self.expect(answers[-1], True)
        self.assertLess(change, PATIENCE_SECONDS + NOT_HELD_UP * usual_change)
        self.cluster.restart("slurmctld")  # it is not late

        hangs.unlink()
        self.wait_for_answer(False, "not on main")


if __name__ == "__main__":
    main()
