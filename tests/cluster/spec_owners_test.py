# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate spec where several owners, people and jobs have to do with one QOS."""

from __future__ import annotations

import itertools
import json
import signal
from typing import Any

from qosgate_dev.testing import main

from qos_cli import BAD_DATA, CONFLICT, UNAVAILABLE
from qos_records_test import FIELDS
from spec_command_test import CHANGES, SpecTestCase


class SeveralOwners(SpecTestCase):
    def test_watch_prunes_its_own_and_leaves_alone_what_others_manage(self) -> None:
        """Also if this owner created it: neither the file's change nor the pruning touches it."""
        first = self.write(
            "first.yaml", "owner: wob\nqos:\n  wp1: {}\n  wp2: { MaxWall: 60 }\n  wp3: { MaxWall: 60 }\n  wp4: {}\n"
        )
        self.spec("apply", first, "--yes")
        ops = self.write("ops.yaml", "owner: ops\nqos:\n  wp3: { GrpJobs: 5 }\n")
        self.spec("apply", ops, "--yes")
        files = (
            self.write("base.yaml", "owner: wob\nqos:\n  wp1: { Priority: 7 }\n"),
            self.write("moved.yaml", "owner: ops\nqos:\n  wp2: { MaxWall: 90 }\n"),
        )
        self.spec("apply", *files, "--prune", "--yes", rc=CONFLICT)
        status = self.state / "status.json"
        process = self.start_program(
            str(self.binary), "spec", "watch", *files, "--prune", "--interval", "1s", "--status", str(status),
            "--history", self.history,
        )

        def read() -> dict[str, Any]:
            return json.loads(status.read_text()) if status.exists() else {}

        self.cluster.wait_for(lambda: read().get("runs", 0) >= 3, "it runs", otherwise=lambda: str(read()))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), 0)
        self.assertEqual(self.stored("wp1", "priority"), "7")
        self.assertEqual(self.stored("wp2", "maxwall"), "01:00:00")
        self.assertEqual(self.stored("wp3", "maxwall,grpjobs"), "01:00:00|5")
        self.assertFalse(self.exists("wp4"))
        self.assertEqual((read()["applied"], read()["failed_runs"]), (1, 0))
        self.assertEqual([(c["qos"], c["field"]) for c in read()["conflicts"]], [("wp3", None), ("wp2", "MaxWall")])

    def test_a_part_of_another_owner_stops_the_pruning_until_it_is_taken_over(self) -> None:
        both = self.write("both.yaml", "owner: ptb\nqos:\n  pt1: {}\n  pt2: {}\n")
        ops = self.write("ops.yaml", "owner: ops\nqos:\n  pt2: { GrpJobs: 5 }\n")
        one = self.write("one.yaml", "owner: ptb\nqos:\n  pt1: {}\n")
        self.spec("apply", both, "--yes")
        self.spec("apply", ops, "--yes")

        refused = self.spec("apply", one, "--prune", "--yes", rc=CONFLICT).stderr
        self.assertIn("QOS pt2: parts of it are managed by ops, and ptb would delete it", refused)
        self.assertIn("delete it all the same: --take-over", refused)
        drift = self.spec("drift", one, "--prune", rc=CHANGES).stdout
        self.assertIn("pt2: exists, and is not wanted any more", drift)
        self.assertIn("Conflict: QOS pt2", drift)
        self.spec("apply", one, "--yes", "--take-over")
        self.assertTrue(self.exists("pt2"))
        taken = self.spec("apply", one, "--prune", "--take-over", "--yes").stdout
        self.assertIn("Warning: QOS 'pt2': it is deleted, although ops manages GrpJobs", taken)
        self.assertFalse(self.exists("pt2"))


class Told(SpecTestCase):
    def make_ana_admin(self) -> None:
        self.add_ana()
        self.cluster.sacctmgr("modify user ana set adminlevel=admin")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana set adminlevel=none")

    def test_drift_names_who_changed_each_field(self) -> None:
        self.make_ana_admin()
        values = dict(assignment.split("=", 1) for assignment, _, _ in FIELDS)
        lines = "".join(f"    {field}: {json.dumps(value)}\n" for field, value in values.items())
        file = self.write("a.yaml", f"owner: base\nqos:\n  df1:\n{lines}")
        self.spec("apply", file, "--yes")
        actors = dict(zip(values, itertools.cycle(("root", "ana")), strict=False))
        # Backwards: before Slurm 24.05, MaxTRESRunMinsPerAccount that becomes equal to the other's value changes that, too.
        for field, actor in reversed(actors.items()):
            self.qos("update", "df1", f"{field}=unset", user=actor)

        rows = self.spec_json("drift", file, rc=CHANGES)["drift"]
        self.assertEqual({row["field"]: row["actor"] for row in rows}, actors)

    def test_drift_names_who_deleted_a_qos_only_if_the_log_can_tell(self) -> None:
        self.make_ana_admin()
        file = self.write("a.yaml", "owner: base\nqos:\n  dd1: {}\n  dd2: {}\n")
        self.spec("apply", file, "--yes")
        self.cluster.run("sacctmgr -i delete qos dd1", "ana", check=True)

        self.assertRegex(
            self.spec("drift", file, rc=CHANGES).stdout, r"^dd1: is wanted, and does not exist \(deleted by ana at [^)]+\)\n"
        )
        self.cluster.sacctmgr("delete qos dd2")
        rows = self.spec_json("drift", file, rc=CHANGES)["drift"]
        self.assertEqual([(row["qos"], row["actor"]) for row in rows], [("dd1", None), ("dd2", None)])

    def test_a_plan_tells_that_an_apply_would_be_refused_because_of_jobs(self) -> None:
        both = self.write("both.yaml", "owner: pr\nqos:\n  rf1: {}\n  rf2: {}\n")
        one = self.write("one.yaml", "owner: pr\nqos:\n  rf2: {}\n")
        self.spec("apply", both, "--yes")
        self.assertIsNone(self.spec_json("plan", one, "--prune", rc=CHANGES)["refusal"])
        self.cluster.sacctmgr("add account astro", check=False)
        self.cluster.sacctmgr("add user ana account=astro", check=False)
        self.cluster.sacctmgr("modify user ana set qos+=rf1")
        job = self.cluster.sbatch("--hold --qos=rf1 --account=astro", "ana").job
        assert job is not None
        self.addCleanup(self.cluster.run, f"scancel {job}")

        told = self.spec("plan", one, "--prune", rc=CHANGES).stdout
        self.assertIn("An apply would be refused now: ", told)
        self.assertIn(f"rf1: job {job} asks for it", told)
        self.assertIn(f"rf1: job {job} asks for it", self.spec_json("plan", one, "--prune", rc=CHANGES)["refusal"])

    def test_lint_shows_what_slurm_conf_ignores_of_the_files(self) -> None:
        self.qos("create", "li9", "Priority=5")
        named = self.write("a.yaml", "owner: base\nqos:\n  li9:\n    MaxWall: 60\n    Priority: 5\n")
        unnamed = self.write("b.yaml", "owner: base\nqos:\n  li9:\n    MaxWall: 60\n")

        def ignored(file: str) -> list[tuple[str, int]]:
            found = json.loads(self.cluster.run([str(self.binary), "spec", "lint", file, "--json"]).stdout)
            return [(f["where"], f["line"]) for f in found["findings"] if f["code"] == "priority-ignored"]

        self.assertEqual(ignored(named), [("slurm.conf", 5)])
        self.assertEqual(ignored(unnamed), [])

    def test_lint_says_that_accounts_have_no_users(self) -> None:
        self.cluster.sacctmgr("add account empty", check=False)
        file = self.write("a.yaml", "owner: base\nqos:\n  li8: { MaxWall: 60, access: { accounts: [empty] } }\n")

        self.assertIn(
            "no user gets it from empty, which access names: add users there", self.spec("lint", file, rc=CHANGES).stdout
        )

    def test_a_plan_is_applied_under_any_name(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  an1: { MaxWall: 60 }\n")
        out = str(self.state / "reviewed.out")
        self.spec("plan", file, "--out", out, rc=CHANGES)

        self.spec("apply", out, "--yes")
        self.assertEqual(self.stored("an1", "maxwall"), "01:00:00")

    def test_shares_without_slurmctld_are_no_fault_of_the_file(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  sh1: { GrpTRES: { cpu: 50% } }\n")
        wrong = self.write("b.yaml", "owner: base\nqos:\n  sh1: { GrpTRES: { cpu: 50% }, Preempt: [nosuch] }\n")
        self.cluster.stop("slurmctld")
        self.addCleanup(self.cluster.start, "slurmctld")

        self.assertIn("slurmctld did not answer", self.spec("plan", file, rc=UNAVAILABLE).stderr)
        self.spec("plan", wrong, rc=BAD_DATA)


if __name__ == "__main__":
    main()
