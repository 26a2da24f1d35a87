# SPDX-License-Identifier: GPL-2.0-or-later
"""How much time slurmctld may spend on changes of jobs, and whose allowance it counts against."""

from __future__ import annotations

import json
import re

from qosgate_dev.testing import CommandResult, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

MIB = 1024 * 1024
MOST = 4 * MIB  # of an environment that is read
# sbatch with an environment of that size; it needs more stack than a shell has.
SUBMIT = """\
import json, os, resource, sys
size, arguments = int(sys.argv[1]), json.loads(sys.argv[2])
resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
parts = [min(100_000, size - at) for at in range(0, size, 100_000)]
variables = {f"V{number:04}": "x" * part for number, part in enumerate(parts)}
os.execvpe("sbatch", ["sbatch", "--parsable", "--hold", *arguments, "--wrap=true"], os.environ | variables)
"""


class ChangesCost(PluginTestCase):
    """In level `enforce` every change of a job is checked, or refused; an operator's is never refused."""

    slurm_conf = "Licenses=matlab:100\n"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.sacctmgr("add user ben account=bio")
        cls.put_in_force({"site.lua": 'site { limits = "enforce" }\n'})

    def submit_with(self, size: int, *arguments: str, user: str = USER) -> int:
        """The id of a held job that has an environment of about `size` bytes."""
        command = ["python3", "-c", SUBMIT, str(size), json.dumps(arguments)]
        return int(self.cluster.run(command, user, check=True).stdout.partition(";")[0])

    def change(self, job: int | str, user: str, minutes: int = 60) -> CommandResult:
        return self.cluster.run(f"scontrol update jobid={job} timelimit={minutes}", user)

    def lines_about(self, mark: int, what: str) -> list[str]:
        pattern = re.compile(rf"job_submit/qosgate: {what}")
        return [line for line in self.slurmctld_log_since(mark).splitlines() if pattern.search(line)]

    def test_an_environment_that_is_too_large_is_not_read(self) -> None:
        for size, is_read in ((MOST - 200_000, True), (MOST + 100_000, False)):
            with self.subTest(size):
                job = self.submit_with(size)
                mark = len(self.cluster.log("slurmctld"))
                self.assertEqual(self.change(job, USER).rc == 0, is_read)
                self.assertEqual(self.change(job, "root").rc, 0)
                refused = self.lines_about(mark, rf"refused change jobid={job} by=\d+: .* more than 4 MiB")
                unchecked = self.lines_about(mark, rf"unchecked change jobid={job} by=0: .* more than 4 MiB")
                self.assertEqual((len(refused), len(unchecked)), (0, 0) if is_read else (1, 1))

    def test_a_text_of_too_many_parts_is_refused(self) -> None:
        for parts, is_read in ((64, True), (65, False)):
            with self.subTest(parts):
                licenses = ",".join(["matlab:1"] * parts)
                submit = ["sbatch", "--hold", f"--licenses={licenses}", "--wrap=true"]
                answer = self.cluster.run(submit, USER)
                words = "cannot be checked: its text of licenses has more than 64 parts; shorten --licenses"
                self.expect(answer, is_read, *([] if is_read else [words]))
                self.expect(self.cluster.run([*submit, f"--uid={USER}"]), True)  # root's

                job = self.cluster.sbatch("--hold", USER).jobid
                for user, is_allowed in ((USER, is_read), ("root", True)):
                    change = self.cluster.run(f"scontrol update jobid={job} licenses={licenses}", user)
                    self.assertEqual(change.rc == 0, is_allowed, change)
                # Then only a change that makes it smaller is accepted.
                self.assertEqual(self.change(job, USER).rc == 0, is_read)
                self.expect(self.cluster.run(f"scontrol update jobid={job} licenses=matlab:1", USER), True)
                self.expect(self.change(job, USER), True)

    def test_a_text_that_slurmctld_refuses_for_its_length_is_left_to_it(self) -> None:
        answer = self.submit("--comment=" + "x" * 1025)
        self.expect(answer, False, "parameter too long")
        self.assertNotIn("cannot be checked", answer.stderr)

    def test_each_part_of_a_heterogeneous_job_is_measured(self) -> None:
        for size, is_read in ((MIB, True), (MOST + 100_000, False)):
            with self.subTest(size):
                job = self.submit_with(size, "-n1", ":", "-n1")
                for part in range(2):
                    self.assertEqual(self.change(f"{job}+{part}", USER).rc == 0, is_read)

    def test_the_owner_pays_and_an_operator_is_not_refused(self) -> None:
        tasks, split = 400, 350
        late = "such changes took too long to check recently"

        def change_as_root(user: str) -> int:
            """Changes that many tasks of the user's array; returns how many changes were not checked."""
            job = self.submit_with(MOST - 200_000, f"--array=1-{tasks}", user=user)
            mark = len(self.cluster.log("slurmctld"))
            self.assertEqual(self.change(f"{job}_[1-{split}]", "root").rc, 0)
            self.assertEqual(self.change(job, "root", 59).rc, 0)
            self.assertNotEqual(self.change(job, user, 58).rc, 0)
            self.assertTrue(self.lines_about(mark, rf"refused change jobid={job} by=[1-9]\d*: {late}"))
            return len(self.lines_about(mark, rf"unchecked change jobid={job} by=0: {late}"))

        for_ana = change_as_root(USER)
        self.assertGreater(for_ana, 0)
        small = self.submit_with(1000, user="ben")
        self.assertEqual(self.change(small, "ben", 58).rc, 0)  # who has made nothing large
        self.assertLess(change_as_root("ben"), 2 * split)  # nor does root pay for what it changed before


class ScriptAtChanges(PluginTestCase):
    """A script for job_submit/lua that reads the job that changes."""

    submit_with = ChangesCost.submit_with
    change = ChangesCost.change

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        (cls.cluster.layout.slurm_conf.parent / "qosgate.d" / "compat").mkdir(mode=0o755, parents=True, exist_ok=True)
        script = """
            function slurm_job_submit() return slurm.SUCCESS end
            function slurm_job_modify(change, job)
                return job.partition == "none" and slurm.ERROR or slurm.SUCCESS
            end
        """
        cls.put_in_force({"compat/job_submit.lua": script})

    def test_no_owner_keeps_operators_from_a_job_that_cannot_be_read(self) -> None:
        too_large = "cannot be read: its environment has more than 4 MiB"
        # On a busy machine one copy may take all of the owner's time; operators are not kept from that job, either.
        self.expected_errors = [too_large, "cannot be read: such changes took too long"]
        for size, is_read in ((MOST - 200_000, True), (MOST + 100_000, False)):
            with self.subTest(size):
                job = self.submit_with(size)
                mark = len(self.cluster.log("slurmctld"))
                self.assertEqual(self.change(job, USER).rc == 0, is_read)
                for command in (f"hold {job}", f"update jobid={job} timelimit=30", f"release {job}"):
                    self.expect(self.cluster.run(f"scontrol {command}", "root"), True)
                log = self.slurmctld_log_since(mark)
                self.assertEqual(too_large in log, not is_read)
                if not is_read:
                    self.assertIn("ignored, because an operator asks", log)


if __name__ == "__main__":
    main()
