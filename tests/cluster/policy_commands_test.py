# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate policy check and policy test on the directory of a live slurmctld, and on one beside it."""

from __future__ import annotations

import json
from pathlib import Path

from qosgate_dev.testing import CommandResult, build_root, main
from qosgate_dev.testing.plugin_case import PluginTestCase
from qosgate_dev.testing.whole_files import replace_directory

GOOD = """\
local names = require("names")
rule {
    name = "small debug",
    submit = function(job)
        if job.comment == "large" then
            job:reject("too large")
        elseif names.has(job.partition, "short") then
            job:note("never")
        end
    end,
}
"""
TESTS = """\
test "large" { job = { comment = "large" }, expect = { reject = "too large" } }
test "small" { job = { comment = "small" }, expect = { accept = true } }
"""
# One kind of finding each: of what a call gets, of types, of what is not used, and of names.
WRONG = {
    "10-arity.lua": 'rule { submit = function(job) if job:is_set() then job:warn("%s and %s", job.name) end end }\n',
    "20-types.lua": "rule { submit = function(job) if job.partition == 5 then job:stop() end end }\n",
    "30-nothing.lua": "rule { submit = function(job) end }\n",
    "40-twice.lua": 'rule { name = "same", submit = function(job) job:note("a") end }\n',
    "50-twice.lua": 'rule { name = "same", submit = function(job) job:note("b") end }\n',
    "60-field.lua": 'rule { submit = function(job) if job.node > 2 then job:reject("no") end end }\n',
    "lib/unused.lua": "return {}\n",
    "data/unused.csv": "a\n1\n",
}
FOUND = (
    '10-arity.lua:1: job:is_set() needs the name of a field: write job:is_set("qos")',
    "10-arity.lua:1: job:warn: the message shows 2 values, and here is 1: users read '(missing)'",
    "20-types.lua:1: job.partition is a text and never equals 5",
    "30-nothing.lua:1: submit does nothing, so the rule never does anything",
    "50-twice.lua:1: rule 'same' has the name of the rule in 40-twice.lua",
    "60-field.lua:1: unknown field 'node' of job; did you mean nodes?",
    "data/unused.csv: is not used: no rule, module or test reads it",
    "lib/unused.lua: is not used: no rule, module or test requires it",
)


class PolicyCommands(PluginTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.directory = cls.cluster.layout.slurm_conf.parent / "qosgate.d"
        mark = len(cls.cluster.log("slurmctld"))
        replace_directory(cls.directory, {"10-debug.lua": GOOD, "tests/debug.lua": TESTS})
        cls.cluster.wait_for(lambda: ": in force: " in cls.cluster.log("slurmctld")[mark:], "the rule is in force")

    def beside(self, files: dict[str, str]) -> Path:
        directory = self.directory.with_name("candidate.d")
        replace_directory(directory, files)
        return directory

    def policy(self, *words: str | Path) -> CommandResult:
        return self.cluster.run([str(build_root() / "contrib/qosgate/qosgate"), "policy", *map(str, words)])

    def test_check_shows_what_slurmctld_has_in_force(self) -> None:
        answer = self.policy("check")
        self.assertEqual(answer.rc, 0, answer)
        self.assertIn("no findings", answer.stdout)
        checked = json.loads(self.policy("check", "--json").stdout)
        # The file behind it is written every few seconds.
        status = [str(build_root() / "contrib/qosgate/qosgate"), "status"]
        self.cluster.wait_for(
            lambda: f"hash {checked['hash']}" in self.cluster.run(status).stdout, "status shows the hash"
        )

    def test_check_finds_what_is_wrong_beside_it_and_slurmctld_goes_on(self) -> None:
        directory = self.beside(WRONG)
        mark = len(self.cluster.log("slurmctld"))
        answer = self.policy("check", directory)
        self.assertEqual(answer.rc, 1, answer)
        for found in FOUND:
            self.assertIn(f"\n{found}", "\n" + answer.stdout)
        self.assertIn(f": {len(FOUND)} findings; slurmctld would not load this directory", answer.stdout)
        self.expect(self.submit("--hold --comment=large"), False, "too large")
        self.assertNotIn("policy", self.slurmctld_log_since(mark))
        answer = self.policy("check", self.beside({"10-debug.lua": GOOD, "tests/debug.lua": TESTS}))
        self.assertEqual(answer.rc, 0, answer)

    def test_check_compares_names_in_rules_with_the_cluster(self) -> None:
        rule = "rule { submit = function(job)\njob.qos = '%s'\nif job.partition == '%s' then job.account = '%s' end end }\n"
        answer = self.policy("check", self.beside({"a.lua": rule % ("smal", "mian", "astro")}))
        self.assertEqual(answer.rc, 1, answer)
        self.assertIn("a.lua:2: the cluster has no QOS 'smal'; did you mean small?\n", answer.stdout)
        self.assertIn("a.lua:3: the cluster has no partition 'mian'; did you mean main?\n", answer.stdout)
        self.assertIn(": 2 findings; slurmctld would load this directory", answer.stdout)
        answer = self.policy("check", self.beside({"a.lua": rule % ("small", "main", "astro")}))
        self.assertEqual(answer.rc, 0, answer)

    def test_coverage_shows_the_lines_that_no_test_ran(self) -> None:
        answer = self.policy("test", "--coverage")
        self.assertEqual(answer.rc, 0, answer)
        self.assertIn("2 tests, 0 failed", answer.stdout)
        self.assertRegex(answer.stdout, r"RULE +FILE +SUBMIT +MODIFY +CLIENT\nsmall debug +10-debug.lua +2 +0 +-\n")
        self.assertRegex(answer.stdout, r"FILE +LINES +RUN +NOT RUN\n10-debug.lua +4 +3 +8\n")
        whole = TESTS + 'test "short" { job = { partition = "short" }, expect = { note = "never" } }\n'
        answer = self.policy("test", "--coverage", self.beside({"10-debug.lua": GOOD, "tests/debug.lua": whole}))
        self.assertEqual(answer.rc, 0, answer)
        self.assertRegex(answer.stdout, r"10-debug.lua +4 +4 +-?\n")

    def test_a_failing_test_beside_it_changes_nothing_in_slurmctld(self) -> None:
        fails = TESTS.replace("accept = true", 'reject = "too small"')
        answer = self.policy("test", self.beside({"10-debug.lua": GOOD, "tests/debug.lua": fails}))
        self.assertEqual(answer.rc, 1, answer)
        self.assertIn("2 tests, 1 failed", answer.stdout)
        self.expect(self.submit("--hold --comment=small"), True)
        self.expect(self.submit("--hold --comment=large"), False, "too large")


if __name__ == "__main__":
    main()
