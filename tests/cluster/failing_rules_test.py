# SPDX-License-Identifier: GPL-2.0-or-later
"""A rule that fails again and again only warns from then on, if the site and the rule say so."""

from __future__ import annotations

import json

from qosgate_dev.testing import CommandResult, build_root, main
from qosgate_dev.testing.plugin_case import PluginTestCase

RULE = """\
rule {{
    name = "picky",
    on_error = "{on_error}",
    submit = function(job)
        if job.comment == "no" then job:reject("not you") end
        if job.comment == "bad" then local wrong = ({{ job.comment }})[1] + 1 end
    end,
}}
"""
SWITCHED = "rule 'picky' (10-picky.lua): it failed 3 times in a row: it only warns from now on"


class FailingRules(PluginTestCase):
    def put_rule_in_force(self, on_error: str) -> None:
        self.put_in_force({"site.lua": f"site {{ rule_failures = 3 }} -- {on_error}\n"})
        self.put_in_force({"10-picky.lua": RULE.format(on_error=on_error)})
        self.cluster.wait_for(lambda: self.submit_with("no").rc != 0, "the rule is in force")

    def submit_with(self, comment: str) -> CommandResult:
        return self.submit(f"--hold --comment={comment}")

    def status(self, rc: int) -> dict:
        """What `qosgate status` says, as soon as it exits so; `text` is what it says later in words."""
        command = [str(build_root() / "contrib/qosgate/qosgate"), "status"]
        self.cluster.wait_for(lambda: self.cluster.run(command).rc == rc, f"status {rc}")
        values = json.loads(self.cluster.run([*command, "--json"]).stdout)
        self.text = self.cluster.run(command).stdout
        return values

    def wait_for_failing(self, failures: int, only_warns: bool, rc: int = 0) -> None:
        rule = {"rule": "picky", "file": "10-picky.lua", "failures_in_a_row": failures, "only_warns": only_warns}
        self.cluster.wait_for(
            lambda: self.status(rc)["plugin"]["failing_rules"] == [rule], f"status has {rule}"
        )

    def test_the_third_failure_in_a_row_ends_the_force_of_a_lenient_rule(self) -> None:
        self.expected_errors += ["failed user=", "rule 'picky'"]
        self.put_rule_in_force("warn")
        for _ in range(2):
            self.expect(self.submit_with("bad"), True, "was not applied because it failed")
        self.wait_for_failing(2, only_warns=False)
        self.assertIn("rule 'picky' (10-picky.lua): 2 failures in a row", self.text)
        self.expect(self.submit_with("no"), False, "not you")  # it works: the count begins anew
        for _ in range(2):
            self.expect(self.submit_with("bad"), True)
        self.assertNotIn(SWITCHED, self.cluster.log("slurmctld"))
        self.expect(self.submit_with("bad"), True)
        self.expect_logged_error(SWITCHED)
        self.expect(self.submit_with("no"), True, "note (not enforced, rule 'picky'): not you")
        self.wait_for_failing(0, only_warns=True, rc=1)
        self.assertIn("rule 'picky' (10-picky.lua) failed too often in a row", self.text)
        for _ in range(3):
            self.submit_with("bad")
        self.assertEqual(self.cluster.log("slurmctld").count(SWITCHED), 1)

        self.put_in_force({"10-picky.lua": RULE.format(on_error="warn") + "-- changed\n"})
        self.cluster.wait_for(lambda: self.submit_with("no").rc != 0, "a change puts the rule back in force")
        self.assertEqual(self.status(0)["plugin"]["failing_rules"], [])

    def test_a_rule_that_denies_on_errors_holds(self) -> None:
        self.expected_errors += ["failed user=", "rule 'picky'"]
        self.put_rule_in_force("deny")
        refused = "This job was not accepted because the rule 'picky'"
        for _ in range(2):
            self.expect(self.submit_with("bad"), False, refused)
        self.wait_for_failing(2, only_warns=False)
        self.expect(self.submit_with("bad"), False, refused)
        self.wait_for_failing(3, only_warns=False, rc=1)
        self.assertIn("rule 'picky' (10-picky.lua) has failed 3 times in a row, up to now", self.text)
        self.expect(self.submit_with("no"), False, "not you")  # it works: the count begins anew
        self.assertEqual(self.status(0)["plugin"]["failing_rules"], [])


if __name__ == "__main__":
    main()
