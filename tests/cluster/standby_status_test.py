# SPDX-License-Identifier: GPL-2.0-or-later
"""`qosgate status` of a cluster with a backup controller: who is in charge, who answers, and with which rules."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

from qosgate_dev.testing import CommandResult, build_root, main
from qosgate_dev.testing.cluster import LOOKS_PER_SECOND
from standby_test import PRIMARY, STANDBY, StandbyTestCase, refusal

# For all controllers together.
PATIENCE_SECONDS = 3


class StandbyStatus(StandbyTestCase):
    def ask(self, *options: str) -> CommandResult:
        return self.cluster.run([str(build_root() / "contrib" / "qosgate" / "qosgate"), "status", *options])

    @property
    def standby_file(self) -> Path:
        return self.status_file.with_name(f"qosgate_standby.{STANDBY}.json")

    def status(self) -> dict:
        return json.loads(self.ask("--json").stdout)

    def wait_for(self, rc: int, words: str = "") -> dict:
        self.cluster.wait_for(
            lambda: self.ask().rc == rc and words in self.ask().stdout,
            f"the status is {rc}: {words}",
            otherwise=lambda: str(self.ask()),
        )
        return self.status()

    def test_equal_rules_are_in_force(self) -> None:
        status = self.wait_for(0, "standby, answers, hash")
        primary, standby = status["controllers"]
        self.assertEqual((primary["host"], primary["in_charge"], primary["answers"]), (PRIMARY, True, True))
        self.assertEqual((standby["host"], standby["in_charge"], standby["answers"]), (STANDBY, False, True))
        self.assertEqual(primary["policy"], standby["policy"])
        self.assertEqual(status["plugin"]["policy"], standby["policy"])
        begin = time.time()
        self.cluster.wait_for(lambda: self.status()["controllers"][1]["as_of"] > begin, "the standby goes on to report")
        self.assertLessEqual(self.status()["controllers"][1]["as_of"], time.time())
        said = self.ask().stdout
        self.assertIn(f"Controller: {PRIMARY}, in charge, answers\n", said)
        same = f"Controller: {STANDBY}, standby, answers, hash {standby['policy']}, the rules in force\n"
        self.assertIn(same, said)

    def test_other_rules_of_the_standby_are_told_until_they_are_equal(self) -> None:
        self.write(self.standby.policy, refusal("elsewhere"))
        status = self.wait_for(1, "other rules")
        primary, standby = status["controllers"]
        self.assertNotEqual(primary["policy"], standby["policy"])
        [reason] = status["reasons"]
        self.assertIn(f"standby {STANDBY}: after a takeover other rules would be in force", reason)
        self.assertIn(f"(hash {standby['policy']}, here {primary['policy']})", reason)
        self.assertIn(f"let the files of {self.standby.policy} be the same on both", reason)
        self.assertEqual(status["status"], "degraded")
        self.write(self.standby.policy, refusal("first"))
        self.wait_for(0)

    def test_broken_rules_of_the_standby_are_told(self) -> None:
        self.write(self.standby.policy, "rule {\n")
        status = self.wait_for(1, "10-all.lua")
        [reason] = status["reasons"]
        self.assertTrue(reason.startswith(f"standby {STANDBY}: policy: "), reason)
        self.assertIn("correct this there", reason)

    def test_a_standby_that_is_down_is_told(self) -> None:
        self.wait_for(0)
        self.standby.stop()
        status = self.wait_for(1, "does not answer")
        self.assertEqual(status["reasons"], [f"standby {STANDBY}: its slurmctld does not answer: start it there"])
        self.assertEqual(status["controllers"][1]["answers"], False)

    def test_a_standby_that_hangs_is_not_waited_for(self) -> None:
        self.wait_for(0)
        usual = self.cluster.looks_until_over(self.status)
        found = []
        pid = json.loads(self.standby_file.read_text())["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            looks = self.cluster.looks_until_over(lambda: found.append(self.status()))
        finally:
            os.kill(pid, signal.SIGCONT)
        [status] = found
        self.assertEqual(status["controllers"][1]["answers"], False)
        self.assertEqual(status["controllers"][0]["answers"], True)
        self.assertLess(looks, (PATIENCE_SECONDS + 1) * LOOKS_PER_SECOND + 5 * usual)
        self.wait_for(0)

    def test_a_standby_without_the_plugin_is_told(self) -> None:
        self.standby.stop()
        self.standby_file.unlink()  # from here it would be old only after two minutes
        conf = self.standby.etc / "slurm.conf"
        with_plugin = conf.read_text()
        conf.write_text(with_plugin.replace("JobSubmitPlugins=qosgate", ""))
        self.addCleanup(conf.write_text, with_plugin)
        self.standby.start()
        self.wait_for_standby(" is UP")
        status = self.wait_for(1, "its plugin has not reported")
        self.assertIn("its rules are not known", self.ask().stdout)
        self.assertEqual(status["controllers"][1]["answers"], True)

    def test_before_a_takeover_the_standby_that_is_ready_is_named(self) -> None:
        self.wait_for(0)
        os.kill(self.cluster.status()["slurmctld"]["pid"], signal.SIGKILL)
        status = self.wait_for(2, "is gone")
        [reason] = status["reasons"]
        self.assertRegex(
            reason,
            rf"^the slurmctld that had it, process \d+, is gone; no slurmctld has reported that it is in charge; {STANDBY} "
            "answers, and takes over when SlurmctldTimeout has passed$",
        )

    def test_after_a_takeover_the_standby_is_in_charge(self) -> None:
        mark = len(self.standby.log())
        self.take_over()
        self.cluster.wait_for(lambda: self.host_of_status() == STANDBY, "the status is the standby's")
        status = self.wait_for(1, f"{STANDBY}, in charge, answers\n")
        primary, standby = status["controllers"]
        self.assertEqual((primary["in_charge"], standby["in_charge"]), (False, True))
        self.assertEqual((primary["answers"], standby["answers"]), (False, True))
        self.assertIn(f"standby {PRIMARY}: its slurmctld does not answer: start it there", status["reasons"])
        self.assertFalse(self.standby_file.exists())
        self.assertIsNone(status["plugin"]["taken_over_from"])
        self.assertNotIn("other rules are in force", self.ask().stdout + self.standby.log()[mark:])

    def test_after_a_takeover_other_rules_than_before_are_told_until_they_are_equal(self) -> None:
        before = self.status()["plugin"]["policy"]
        self.write(self.standby.policy, refusal("elsewhere"))
        self.wait_for(1, "other rules")
        self.take_over()
        self.expect_refusal("elsewhere")
        status = self.wait_for(1, "than before the takeover")
        here = status["plugin"]["policy"]
        self.assertNotEqual(before, here)
        self.assertEqual(status["plugin"]["taken_over_from"], {"host": PRIMARY, "policy": before})
        self.assertIn(
            f"other rules are in force than before the takeover (hash {here}, on {PRIMARY} {before}): "
            f"let the files of {self.standby.policy} be the same on both",
            status["reasons"],
        )
        self.wait_for_standby_log(f"other rules are in force than before: controller {PRIMARY} had hash {before}, here is ")
        self.write(self.standby.policy, refusal("first"))
        self.cluster.wait_for(
            lambda: self.status()["plugin"]["taken_over_from"] is None, "equal rules are no others", otherwise=self.standby.tell
        )
        self.assertNotIn("than before the takeover", self.ask().stdout)


if __name__ == "__main__":
    main()
