# SPDX-License-Identifier: GPL-2.0-or-later
"""Hundreds of rules that would never end, or would take all memory: each submission is answered, at a bounded cost."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from qosgate_dev.testing import CommandResult, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase
from qosgate_dev.testing.whole_files import replace_directory

RULES = 200
TIME_MS = 20
ENDLESS = "while true do end"
# Each text is a new one.
GREEDY = 'local t, s = {}, ("x"):rep(60000) while true do t[#t + 1] = s .. #t end'
SUBMISSIONS = 12
# What no job exceeds (contrib/doc/rules-reference.md, Limits), and what one costs slurmctld besides.
JOB_MS = 100
BESIDES_MS = 30


def chain_of(body: str, last: str) -> dict[str, str]:
    """200 greedy rules, and a last one behind them whose on_error decides."""
    rules = {
        f"{number:03}-greedy.lua": f'rule {{ on_error = "allow", submit = function(job) {body} end }}\n'
        for number in range(100, 100 + RULES)
    }
    rules["900-last.lua"] = f'rule {{ name = "last", on_error = "{last}", submit = function(job) job:note("it ran") end }}\n'
    return rules


class GreedyRules(PluginTestCase):
    # A hundred parts that are busy for 30 ms each take longer than a client waits by default, on a busy machine.
    slurm_conf = "MessageTimeout=100\n"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.directory = cls.cluster.layout.slurm_conf.parent / "qosgate.d"
        cls.pid = cls.cluster.status()["slurmctld"]["pid"]

    def setUp(self) -> None:
        self.expected_errors += ["failed user="]

    def put_only(self, files: dict[str, str]) -> None:
        mark = len(self.cluster.log("slurmctld"))
        replace_directory(self.directory, files)
        self.cluster.wait_for(lambda: ": in force: " in self.slurmctld_log_since(mark), "the policy is in force")

    def controller_ms(self) -> float:
        return 1000 * self.cluster.cpu_seconds()

    def submit_many(self) -> list[CommandResult]:
        """A dozen submissions, four at a time."""
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(lambda _: self.submit("--hold"), range(SUBMISSIONS)))

    def cost_of_a_job(self, files: dict[str, str]) -> tuple[float, list[CommandResult]]:
        """Milliseconds of CPU time, and the answers."""
        self.put_only(files)
        spent = self.controller_ms()
        answers = self.submit_many()
        return (self.controller_ms() - spent) / SUBMISSIONS, answers

    def test_every_job_is_answered_at_a_bounded_cost_as_the_last_rule_says(self) -> None:
        not_run = "it was not run, nor were"
        site = f'site {{ limits = "off", rule_instructions = 10000000, rule_time_ms = {TIME_MS} }}\n'
        one, _ = self.cost_of_a_job({"site.lua": site, "100-greedy.lua": chain_of(ENDLESS, "allow")["100-greedy.lua"]})
        for body in (ENDLESS, GREEDY):
            for last, is_accepted, told in (
                ("allow", True, ""),
                ("warn", True, "The rule 'last' (900-last.lua) was not applied because it failed"),
                ("deny", False, "because the rule 'last' (900-last.lua) failed"),
            ):
                with self.subTest(f"{body} {last}"):
                    mark = len(self.cluster.log("slurmctld"))
                    spent, answers = self.cost_of_a_job({"site.lua": site, **chain_of(body, last)})
                    for answer in answers:
                        self.expect(answer, is_accepted, *([told] if told else []))
                        self.assertNotIn("it ran", answer.stderr)
                    self.assertIn(not_run, self.slurmctld_log_since(mark))
                    print(f"{body[:20]} {last}: {spent:.0f} ms of CPU time each, {one:.0f} with one that never ends")
                    self.assertLess(spent, JOB_MS)
                    self.assertLess(spent, 3 * one, "200 such rules have no more time than one")

        # Nothing is left of it.
        self.put_only({"site.lua": "site {}\n", "10-last.lua": 'rule { submit = function(job) job:note("it ran") end }\n'})
        self.expect(self.submit("--hold"), True, "it ran")

    def test_a_script_and_rules_together_cost_no_more_than_a_job_may(self) -> None:
        # Each takes most of the time that it may have.
        busy = "local begin = os.clock() while os.clock() - begin < 0.065 do end"
        site = 'site { limits = "off", rule_instructions = 10000000, rule_memory_mib = 16, rule_time_ms = 75 }\n'
        script = f"function slurm_job_submit(job_desc) {busy} return slurm.SUCCESS end\n"
        for behind in ({}, chain_of(ENDLESS, "allow")):
            self.put_only({"site.lua": site, "compat/job_submit.lua": script, **behind})
            self.submit("--hold")
            spent = self.controller_ms()
            for _ in range(SUBMISSIONS):
                self.expect(self.submit("--hold"), True)
            spent = (self.controller_ms() - spent) / SUBMISSIONS
            print(f"script of 65 ms, {len(behind)} rules: {spent:.0f} ms of CPU time each")
            self.assertLess(spent, JOB_MS + BESIDES_MS)

    def test_all_parts_of_a_job_cost_no_more_than_a_user_may_spend(self) -> None:
        parts = 100
        records = self.cluster.write_beside("records.jsonl", "")
        site = (
            'site { limits = "off", rule_instructions = 10000000, rule_time_ms = 75, record_percent = 100,'
            f' record_file = "{records}" }}\n'
        )
        busy = "local begin = os.clock() while os.clock() - begin < 0.03 do end"
        script = f"function slurm_job_submit(job_desc) if job_desc.comment then {busy} end return slurm.SUCCESS end\n"
        self.put_only({"site.lua": site, "compat/job_submit.lua": script})

        def submit_parts(options: list[str], user: str = USER) -> tuple[CommandResult, float]:
            before = self.controller_ms()
            one = [":", *options]
            answer = self.cluster.run(["sbatch", "--hold", "--wrap=true", *one * (parts - 1)], user)
            print(f"{parts} parts, {options}, {user}: {self.controller_ms() - before:.0f} ms of CPU time")
            return answer, self.controller_ms() - before

        self.expect(submit_parts(["-n1"])[0], True)
        answer, spent = submit_parts(["--comment=x"])
        self.expect(answer, False, "parts of heterogeneous jobs took too long to check recently", "decision ")
        self.assertLess(spent, 2000, "of 3000 ms that all parts would take")
        written: list[dict] = []

        def is_recorded() -> bool:
            written[:] = [json.loads(line) for line in Path(records).read_text().splitlines()]
            return written[-1]["outcome"] == "refused"

        self.cluster.wait_for(is_recorded, "the refused part is recorded")
        self.assertGreater(min(one["microseconds"] for one in written[-10:-1]), 25000, "the script's time counts")
        self.expect(self.submit("--hold"), True)
        self.expect(submit_parts(["-n1"], "root")[0], True)
        self.cluster.run("scancel --user=root")
        # A tenth of the time that passes comes back.
        self.cluster.wait_for(lambda: submit_parts(["-n1"])[0].rc == 0, "parts are accepted again")

    def test_rules_that_end_in_time_all_run(self) -> None:
        self.put_only({"site.lua": 'site { limits = "off" }\n', **chain_of("for i = 1, 100 do end", "deny")})
        for answer in self.submit_many():
            self.expect(answer, True, "it ran")


if __name__ == "__main__":
    main()
