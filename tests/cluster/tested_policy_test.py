# SPDX-License-Identifier: GPL-2.0-or-later
"""slurmctld puts a changed policy in force only if its tests pass."""

from __future__ import annotations

import json

from qosgate_dev.testing import CommandResult, build_root, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

OLD = 'rule { submit = function(job, view) job:reject("old rule") end }\n'
NEW = """\
rule {
    submit = function(job, view)
        if job.partition == "short" then job:reject("new rule") end
        if view.qos(job.qos) == nil then job:reject("no QOS") end
    end,
}
"""
PASSES = """\
test "short is closed" {
    job = { partition = "short", qos = "small" },
    given = { qos = { { name = "small" } }, partitions = { { name = "short" } } },
    expect = { reject = "new rule" },
}
"""
FAILS = PASSES.replace('reject = "new rule"', "accept = true")
COUNTS = """\
rule {
    submit = function(job)
        job.tasks = 3
        job:reject("%s %d %d", job.partition, job.cpus, job.memory)
    end,
}
"""
COUNTED = """\
test "three tasks" {
    given = "now.json",
    job = { partition = "main", memory_per_cpu = 100 },
    expect = { reject = "main 3 %d" },
}
"""
# Each test spends all the time that a job may have; together they take longer than slurmctld gives them.
SLOW_SITE = "site { rule_instructions = 10000000, rule_time_ms = 75 }\n"
SLOW_RULE = "rule { submit = function(job) while true do local x = job.nodes end end }\n"
SLOW_TESTS = 'for i = 1, 400 do test("slow " .. i) { expect = { fails = true } } end\n'


class TestedPolicy(PluginTestCase):
    def setUp(self) -> None:
        self.directory = self.cluster.layout.slurm_conf.parent / "qosgate.d"
        (self.directory / "tests").mkdir(mode=0o755, parents=True, exist_ok=True)
        for file in (*self.directory.rglob("*.lua"), *self.directory.rglob("*.json")):
            file.unlink()
        self.write("10.lua", OLD)
        self.wait_for_answer("old rule")

    def write(self, name: str, text: str) -> None:
        """Replaces a file as an editor does, so that slurmctld never sees half of it."""
        path = self.directory / name
        path.with_suffix(".new").write_text(text)
        path.with_suffix(".new").rename(path)

    def submit_to(self, partition: str) -> CommandResult:
        return self.cluster.run(["sbatch", "--hold", f"--partition={partition}", "--wrap=true"], USER)

    def wait_for_answer(self, text: str) -> None:
        self.cluster.wait_for(lambda: text in self.submit_to("short").stderr, f"a submission is refused: {text}")

    def status(self, rc: int, text: str = "") -> dict:
        """What `qosgate status` says, as soon as it says that."""
        answers = []

        def is_said() -> bool:
            done = self.cluster.run([str(build_root() / "contrib/qosgate/qosgate"), "status", "--json"])
            answers.append(json.loads(done.stdout))
            return done.rc == rc and text in " ".join(answers[-1]["reasons"])

        self.cluster.wait_for(is_said, f"status {rc}: {text}")
        return answers[-1]

    def test_a_test_that_fails_keeps_the_old_policy_in_force_until_it_is_mended(self) -> None:
        self.status(0)
        self.write("tests/short.lua", FAILS)
        self.expect_logged_error("stays in force")
        self.write("10.lua", NEW)
        why = "tests/short.lua:1: test 'short is closed' fails: expect.accept: the job was rejected: new rule"
        self.expect_logged_error(f"{self.directory}: {why} (1 of 1 tests fails; 'qosgate policy test' shows all)")
        self.assertEqual(self.status(1, why)["status"], "degraded")
        self.expect(self.submit_to("main"), False, "old rule")

        self.cluster.restart("slurmctld")
        self.expect_logged_error("what was in force before this start stays in force")
        self.expect(self.submit_to("main"), False, "old rule")
        self.status(1, why)

        self.write("tests/short.lua", PASSES)
        self.wait_for_answer("new rule")
        self.expect(self.submit_to("main"), True)
        self.status(0)

    def test_a_job_in_a_capture_is_counted_as_slurmctld_counts_it(self) -> None:
        self.expected_errors.append("policy not loaded")
        qosgate = str(build_root() / "contrib/qosgate/qosgate")
        captured = self.cluster.run([qosgate, "capture", "--force", str(self.directory / "tests/now.json")])
        self.assertEqual(captured.rc, 0, captured)
        self.write("tests/counts.lua", COUNTED % 301)
        self.write("10.lua", COUNTS)
        why = "test 'three tasks' fails: expect.reject: the message has no \"main 3 301\": main 3 300"
        self.status(1, why)
        tested = self.cluster.run([qosgate, "policy", "test", str(self.directory)])
        self.assertEqual(tested.rc, 1, tested)
        self.assertIn('expect.reject: the message has no "main 3 301": main 3 300', tested.stdout)

        self.write("tests/counts.lua", COUNTED % 300)
        tested = self.cluster.run([qosgate, "policy", "test", str(self.directory)])
        self.assertEqual(tested.rc, 0, tested)
        self.wait_for_answer("short 3")
        asked = ["sbatch", "--partition=main", "--mem-per-cpu=100", "--wrap=true"]
        self.expect(self.cluster.run(asked, USER), False, "main 3 300")

    def test_a_setting_puts_it_in_force_without_its_tests(self) -> None:
        self.expected_errors.append("policy not loaded")
        self.write("tests/short.lua", FAILS)
        self.write("10.lua", NEW)
        self.status(1, "short is closed")
        self.write("site.lua", "site { run_tests = false }\n")
        self.wait_for_answer("new rule")
        self.status(0)

    def test_endless_tests_hold_up_neither_jobs_nor_the_end_of_slurmctld(self) -> None:
        self.expected_errors.append("policy not loaded")
        self.write("tests/short.lua", "while true do end\n")
        self.write("10.lua", NEW)
        self.status(1, "tests/short.lua:1: takes too long or too much memory while it is loaded")

        self.write("tests/short.lua", SLOW_TESTS)
        self.write("site.lua", SLOW_SITE)
        self.write("10.lua", SLOW_RULE)
        before = self.cluster.cpu_seconds()
        self.cluster.wait_for(lambda: self.cluster.cpu_seconds() > before + 1, "the tests are running")
        # They would hold up jobs, and the end of slurmctld, until their 10 s of CPU time are over and it is logged.
        self.expect(self.submit_to("main"), False, "old rule")
        self.cluster.stop("slurmctld")
        self.cluster.start("slurmctld")
        self.assertNotIn("it was not run", self.cluster.log("slurmctld"))

        self.expect(self.submit_to("main"), False, "old rule")
        self.status(1, "it was not run: all tests together took more than 10000 ms of CPU time")


if __name__ == "__main__":
    main()
