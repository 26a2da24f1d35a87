# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate spec and qosgate access on a live slurmdbd: files become records, once, and nothing is lost."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import termios
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from qosgate_dev.cluster import users as cluster_users
from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import HANG_SECONDS, CommandResult, main

from qos_cli import BAD_DATA, CONFLICT, EXISTS, NO_PERMISSION, NOT_FOUND, OK, QosTestCase
from slurmdbd_proxy import COMMIT, SlurmdbdProxy

CHANGES = 2
DECLINED = 1


def waits_for_a_lock(process: subprocess.Popen[str]) -> bool:
    return bool(re.search(rf"(?m)-> +FLOCK +ADVISORY +WRITE +{process.pid} ", Path("/proc/locks").read_text()))


class SpecTestCase(QosTestCase):
    def setUp(self) -> None:
        self.state = self.cluster.directory / f"state-{self.id().rpartition('.')[2]}"
        self.history = str(self.state / "history")
        self.state.mkdir(mode=0o700)

    def run_it(self, *words: str, rc: int = OK, user: str | None = None) -> CommandResult:
        result = self.cluster.run([str(self.binary), *words], user)
        self.assertEqual(result.rc, rc, str(result))
        return result

    def spec(self, verb: str, *words: str, rc: int = OK, user: str | None = None) -> CommandResult:
        more = ("--history", self.history) if verb in ("apply", "rollback", "history") else ()
        return self.run_it("spec", verb, *words, *more, rc=rc, user=user)

    def spec_json(self, verb: str, *words: str, rc: int = OK) -> Any:
        return json.loads(self.spec(verb, *words, "--json", rc=rc).stdout)

    def write(self, name: str, text: str) -> str:
        path: Path = self.cluster.write_beside(f"{self.id().rpartition('.')[2]}-{name}", text)
        path.chmod(0o644)
        return str(path)

    def let_an_hour_pass(self) -> None:
        """Brings all ends in the list of `access` forward: what was granted for an hour is due."""
        file = self.state / "grants.jsonl"
        grants = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertTrue(grants)
        file.write_text("".join(json.dumps(grant | {"until": grant["until"] - 3600}) + "\n" for grant in grants))

    def mark_of(self, name: str) -> str:
        return self.stored(name, "description%200")

    def add_ana(self) -> None:
        self.cluster.sacctmgr("add account astro", check=False)
        self.cluster.sacctmgr("add user ana account=astro", check=False)

    def allow_ana(self, qos: str, *, create: bool = True) -> None:
        self.add_ana()
        if create:
            self.qos("create", qos)
        self.cluster.sacctmgr(f"modify user ana set qos+={qos}")


class Specs(SpecTestCase):
    def test_a_file_is_planned_applied_and_then_nothing_is_left_to_do(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  pa1: { MaxWall: 8:00:00, Priority: 10, Flags: [DenyOnLimit] }\n")

        plan = self.spec("plan", file, rc=CHANGES).stdout
        self.assertFalse(self.exists("pa1"))
        applied = self.spec("apply", file, "--yes").stdout
        again = self.spec("plan", file).stdout

        self.assertIn("pa1: create\n", plan)
        self.assertIn("  MaxWall: unset -> 08:00:00\n", plan)
        self.assertIn("Applied, verified.", applied)
        self.assertEqual(self.stored("pa1", "maxwall,priority,flags"), "08:00:00|10|DenyOnLimit")
        self.assertIn("Nothing to change.", again)
        self.assertIn("Nothing to change.", self.spec("apply", file, "--yes").stdout)
        self.assertEqual(self.spec_json("drift", file), {"drift": [], "conflicts": []})

    def test_the_mark_of_ownership_is_stored_and_not_shown(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  pm1: { description: Night jobs, MaxWall: 60 }\n")
        self.spec("apply", file, "--yes")

        self.assertRegex(self.mark_of("pm1"), r"^Night jobs \[qosgate:base\*")
        for words in (("get", "pm1"), ("list", "pm1", "--fields", "Name,Description")):
            shown = self.qos(*words).stdout
            self.assertIn("Night jobs", shown)
            self.assertNotIn("[qosgate", shown)
        self.assertEqual(self.record("pm1")["Description"], "Night jobs")
        changed = self.qos("update", "pm1", "Description=Day jobs")
        self.assertIn("Description: Night jobs -> Day jobs\n", changed.stdout)
        self.assertIn("Description is managed by the spec of base", changed.stderr)
        self.assertRegex(self.mark_of("pm1"), r"^Day jobs \[qosgate:base\*")

    def test_drift_names_the_field_and_who_changed_it(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  dr1: { MaxWall: 60, GrpJobs: 5 }\n")
        self.spec("apply", file, "--yes")
        before = int(time.time())
        self.cluster.sacctmgr("modify qos dr1 set MaxWall=90")

        text = self.spec("drift", file, rc=CHANGES).stdout
        found = self.spec_json("drift", file, rc=CHANGES)["drift"]

        self.assertIn("dr1: MaxWall: wanted 01:00:00, is 01:30:00 (last changed by root at ", text)
        self.assertEqual([(row["qos"], row["field"], row["actor"]) for row in found], [("dr1", "MaxWall", "root")])
        self.assertTrue(before <= found[0]["time"] <= time.time())
        self.spec("apply", file, "--yes")
        self.assertEqual(self.stored("dr1", "maxwall"), "01:00:00")

    def test_an_owner_does_not_overwrite_another_but_can_take_over(self) -> None:
        base = self.write("base.yaml", "owner: base\nqos:\n  co1: { MaxWall: 60 }\n")
        ops = self.write("ops.yaml", "owner: ops\nqos:\n  co1: { MaxWall: 90, GrpJobs: 5 }\n")
        self.spec("apply", base, "--yes")

        refused = self.spec("apply", ops, "--yes", rc=CONFLICT)
        conflicts = self.spec_json("plan", ops, rc=CONFLICT)["error"]["conflicts"]
        self.assertIn("QOS co1: MaxWall is managed by base, and ops wants it", refused.stderr)
        self.assertEqual([(c["field"], c["managed_by"], c["wanted_by"]) for c in conflicts], [("MaxWall", "base", "ops")])
        self.assertEqual(self.stored("co1", "maxwall,grpjobs"), "01:00:00|")
        self.spec("apply", ops, "--yes", "--take-over")
        self.assertEqual(self.stored("co1", "maxwall,grpjobs"), "01:30:00|5")
        self.spec("plan", base, rc=CONFLICT)

    def test_pruning_deletes_what_the_owner_created_and_nothing_else(self) -> None:
        self.qos("create", "pr3")
        both = self.write("both.yaml", "owner: pruner\nqos:\n  pr1: { MaxWall: 60 }\n  pr2: { MaxWall: 60 }\n")
        one = self.write("one.yaml", "owner: pruner\nqos:\n  pr1: { MaxWall: 60 }\n")
        self.spec("apply", both, "--yes")

        self.spec("apply", one, "--yes")
        self.assertTrue(self.exists("pr2"))
        plan = self.spec_json("plan", one, "--prune", rc=CHANGES)
        self.assertEqual([qos["Name"] for qos in plan["deleted"]], ["pr2"])
        self.spec("apply", one, "--prune", "--yes")
        self.assertFalse(self.exists("pr2"))
        self.assertTrue(self.exists("pr1") and self.exists("pr3") and self.exists("normal"))

    def test_a_qos_with_jobs_is_not_deleted(self) -> None:
        both = self.write("both.yaml", "owner: jobs\nqos:\n  jo1: {}\n  jo2: {}\n")
        one = self.write("one.yaml", "owner: jobs\nqos:\n  jo2: {}\n")
        self.spec("apply", both, "--yes")
        self.allow_ana("jo1", create=False)
        job = self.cluster.sbatch("--hold --qos=jo1 --account=astro", "ana").job
        assert job is not None

        refused = self.spec("apply", one, "--prune", "--yes", rc=CONFLICT)
        self.assertIn(f"jo1: job {job} asks for it", refused.stderr)
        self.assertTrue(self.exists("jo1"))
        self.cluster.run(f"scancel {job}", check=True)
        self.cluster.wait_for(lambda: not self.cluster.run("squeue -h").stdout, "the job is gone")
        self.spec("apply", one, "--prune", "--yes")
        self.assertFalse(self.exists("jo1"))
        self.assertNotIn("jo1", self.cluster.sacctmgr("-nP show assoc user=ana format=qos").stdout)

    def test_a_job_that_comes_while_it_asks_prevents_the_deletion(self) -> None:
        file = self.write("aj.yaml", "owner: asked\nqos:\n  aj1: {}\n  aj2: {}\n")
        self.spec("apply", file, "--yes")
        self.allow_ana("aj1", create=False)
        file = self.write("aj.yaml", "owner: asked\nqos:\n  aj2: {}\n")
        jobs: list[int | None] = []

        def submit() -> None:
            jobs.append(self.cluster.sbatch("--hold --qos=aj1 --account=astro", "ana").job)

        words = ("spec", "apply", file, "--prune", "--history", self.history)
        status, said = self.on_terminal("y\n", *words, meanwhile=submit)
        self.assertEqual((status, self.exists("aj1")), (CONFLICT, True), said)
        self.assertIn(f"aj1: job {jobs[0]} asks for it", said)
        self.cluster.run(f"scancel {jobs[0]}", check=True)
        self.cluster.wait_for(lambda: not self.cluster.run("squeue -h").stdout, "the job is gone")
        status, said = self.on_terminal("y\n", *words)
        self.assertEqual((status, self.exists("aj1")), (0, False), said)

    def test_a_plan_is_refused_if_the_base_moved(self) -> None:
        self.qos("create", "mo1", "MaxWall=30")
        file = self.write("a.yaml", "owner: base\nqos:\n  mo1: { MaxWall: 60 }\n")
        out = str(self.state / "plan.json")
        self.spec("plan", file, "--out", out, rc=CHANGES)
        self.cluster.sacctmgr("modify qos mo1 set GrpJobs=7")

        refused = self.spec("apply", out, "--yes", rc=CONFLICT)
        self.assertIn("mo1", refused.stderr)
        self.assertIn("GrpJobs", refused.stderr)
        self.assertEqual(self.stored("mo1", "maxwall,grpjobs"), "00:30:00|7")
        self.spec("plan", file, "--out", out, rc=CHANGES)
        self.spec("apply", out, "--yes")
        self.assertEqual(self.stored("mo1", "maxwall,grpjobs"), "01:00:00|7")

    def test_a_deletion_by_hand_prints_the_spec_that_brings_it_back(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  de1: { MaxWall: 60, Flags: [NoDecay] }\n")
        self.spec("apply", file, "--yes")

        deleted = self.json("delete", "de1")["deleted"][0]
        back = self.write("back.yaml", deleted["spec"])
        self.spec("apply", back, "--yes")
        self.assertEqual(self.stored("de1", "maxwall,flags"), "01:00:00|NoDecay")
        self.assertIn("or, as a spec:\n    ", self.qos("delete", "de1").stdout)

    def test_an_apply_is_undone_and_the_undoing_too(self) -> None:
        self.allow_ana("ro2")
        file = self.write("a.yaml", "owner: base\nqos:\n  ro1: { MaxWall: 60 }\n  ro2: { GrpJobs: 5 }\n")
        number = self.spec_json("apply", file, "--yes")["history"]

        shown = self.spec("rollback", str(number), "--yes").stdout
        self.assertIn("ro1: delete\n", shown)
        self.assertFalse(self.exists("ro1"))
        self.assertEqual(self.stored("ro2", "grpjobs,description"), "|ro2")
        entries = self.spec_json("history")["entries"]
        self.assertEqual([entry["number"] for entry in entries], [number + 1, number])
        self.assertEqual(entries[0]["undoes"], number)
        twice = self.spec("rollback", str(number), "--yes", rc=CONFLICT).stderr
        self.assertIn(f"entry {number} was undone by entry {number + 1}, and nothing was changed", twice)
        self.spec("rollback", "--yes")
        self.assertEqual(self.stored("ro1", "maxwall"), "01:00:00")
        self.cluster.sacctmgr("modify qos ro1 set MaxWall=90")
        refused = self.spec("rollback", str(number), "--yes", rc=CONFLICT)
        self.assertIn("changed since", refused.stderr)
        self.assertEqual(self.stored("ro1", "maxwall"), "01:30:00")

    @unittest.skipIf(slurm_version() >= (23, 11), "this release knows all flags")
    def test_a_flag_that_slurm_does_not_know_is_told_before_the_apply(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos: {uf1: {Flags: [Relative]}}\n")
        words = "QOS 'uf1': Flags: Relative: Slurm 22.05 does not know it"
        self.assertEqual(self.spec_json("plan", file, rc=CHANGES)["refusal"], words)
        for option in ("--dry-run", "--yes"):
            self.assertIn(words, self.spec("apply", file, option, rc=78).stderr)
        self.assertFalse(self.exists("uf1"))

    def kill_apply_at(self, file: str, fail_at: bytes | Callable[[bytes], bool]) -> None:
        """Ends an apply, which has an entry of its own, while slurmdbd does not answer this request."""
        with SlurmdbdProxy(self.slurmdbd_port, fail_at, is_silent=True) as proxy:
            process = self.start_program(
                str(self.binary), "spec", "apply", file, "--yes", "--history", self.history, env=self.through(proxy)
            )
            self.cluster.wait_for(lambda: proxy.has_failed, "the request comes")
            process.kill()
            process.communicate(timeout=HANG_SECONDS)
        (entry,) = self.spec_json("history")["entries"]
        self.assertTrue(entry["is_open"])

    def test_what_was_killed_before_it_was_stored_is_not_undone(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos: {ki1: {GrpJobs: 5}, ki2: {}}\n")
        self.kill_apply_at(file, COMMIT)
        self.cluster.wait_for(lambda: not self.exists("ki1"), "slurmdbd has undone it")
        self.qos("create", "ki2")

        refused = self.spec("rollback", "--yes", rc=CONFLICT)

        self.assertIn("ended before it knew whether it was stored, and not all of it is in force now", refused.stderr)
        self.assertTrue(self.exists("ki2"))
        self.assertIn("(perhaps not stored)", self.spec("history").stdout)

    def test_what_was_killed_after_it_was_stored_is_undone(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos: {ks1: {GrpJobs: 5}}\n")
        commits: list[bytes] = []

        def is_after_commit(body: bytes) -> bool:
            if commits:
                return True
            if body.startswith(COMMIT):
                commits.append(body)
            return False

        self.kill_apply_at(file, is_after_commit)
        self.assertTrue(self.exists("ks1"))
        self.spec("rollback", "--yes")
        self.assertFalse(self.exists("ks1"))
        self.assertFalse(self.spec_json("history")["entries"][0]["is_open"])

    def test_an_own_list_comes_back_as_one(self) -> None:
        self.add_ana()
        self.cluster.sacctmgr("add account overlist")
        self.addCleanup(self.cluster.sacctmgr, "delete account overlist")
        self.cluster.sacctmgr("add account sublist parent=overlist")
        self.addCleanup(self.cluster.sacctmgr, "delete account sublist")
        self.cluster.sacctmgr("add user bob account=sublist")
        self.qos("create", "ow1,ow2")
        self.cluster.sacctmgr("modify account sublist set qos=ow1")
        file = self.write("a.yaml", "owner: base\nqos:\n  ow1: { access: { complete: true } }\n")
        self.spec("apply", file, "--yes")
        self.assertNotIn("ow1", self.bobs_list())

        shown = self.spec_json("rollback", "--dry-run")
        before = {"own_qos": None, "added_qos": [], "removed_qos": ["normal", "ow1"]}
        after = {"own_qos": ["ow1"], "added_qos": [], "removed_qos": []}
        place = {"account": "sublist", "user": None, "partition": None}
        self.assertEqual(shown["lists"], [{**place, "before": before, "after": after}])
        said = self.spec("rollback", "--yes").stdout
        self.assertIn(
            "own list of account sublist: ow1; before: none, but the list of the account above without normal, ow1\n", said
        )

        # What the account above gets later is shut out again, in slurmctld, too.
        later = self.write("b.yaml", "owner: ops\nqos:\n  ow2: { access: { accounts: [overlist] } }\n")
        self.spec("apply", later, "--yes")
        self.assertEqual(self.bobs_list(), ["ow1"])
        self.assertEqual(self.bobs_list_in_slurmctld(), ["ow1"])
        self.cluster.stop("slurmctld")
        self.cluster.start("slurmctld")
        self.assertEqual(self.bobs_list_in_slurmctld(), ["ow1"])

    def test_a_list_of_which_nothing_is_left_opens_nothing(self) -> None:
        self.add_ana()
        self.qos("create", "ow3,ow4")
        self.cluster.sacctmgr("modify user ana where account=astro set qos=ow3")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana where account=astro set qos=")
        file = self.write(
            "a.yaml", "owner: base\nqos:\n  ow3: { access: { users: [ana] } }\n  ow4: { access: { users: [] } }\n"
        )
        self.spec("apply", file, "--yes")  # only adopts
        changed = "owner: base\nqos:\n  ow3: { access: { users: [], complete: true } }\n  ow4: { access: { users: [ana] } }\n"
        self.spec("apply", self.write("b.yaml", changed), "--yes")
        self.assertEqual(self.anas_list(), "ow4")
        self.cluster.sacctmgr("delete qos ow3")

        said = self.spec("rollback", "--yes").stdout

        self.assertIn("but the list of the account above without normal", said)
        self.assertEqual(self.anas_list(), "")

    def anas_list(self) -> str:
        return self.cluster.sacctmgr("-nP show assoc user=ana account=astro format=qos").stdout.strip()

    def bobs_list(self) -> list[str]:
        shown = self.cluster.sacctmgr("-nP show assoc user=bob account=sublist format=qos").stdout
        return sorted(shown.strip().split(","))

    def bobs_list_in_slurmctld(self) -> list[str]:
        helper = Path(os.environ.get("QG_BUILD_ROOT", "build")).absolute() / "tests/cluster/helpers/apply_plan"
        shown = json.loads(self.cluster.run([str(helper), "show"]).stdout)
        return sorted(shown["slurmctld"]["sublist:bob"]["qos"])

    def test_access_is_granted_and_a_second_plan_is_empty(self) -> None:
        self.add_ana()
        file = self.write("a.yaml", "owner: base\nqos:\n  ac1: { access: { users: [ana], accounts: [astro] } }\n")

        plan = self.spec_json("plan", file, rc=CHANGES)
        self.spec("apply", file, "--yes")
        self.assertIn({"qos": "ac1", "account": "astro", "user": None, "partition": None}, plan["granted"])
        self.assertIn("ac1", self.cluster.sacctmgr("-nP show assoc user=ana format=qos").stdout)
        self.spec("plan", file)

    def test_what_jobs_would_suffer_is_told(self) -> None:
        self.allow_ana("cq1")
        job = self.cluster.sbatch("--hold --qos=cq1 --account=astro --time=120", "ana").job
        assert job is not None
        self.addCleanup(self.cluster.run, f"scancel {job}")
        file = self.write("a.yaml", "owner: base\nqos:\n  cq1: { MaxWall: 60 }\n")

        told = self.spec_json("plan", file, rc=CHANGES)["consequences"]
        text = self.spec("plan", file, rc=CHANGES).stdout
        self.assertEqual([each["job"] for each in told["stuck"]], [str(job)])
        self.assertIn("could never start any more", text)
        self.spec("apply", file, "--yes")
        file = self.write("b.yaml", "owner: base\nqos:\n  cq1: { MaxWall: 300 }\n")
        told = self.spec_json("plan", file, rc=CHANGES)["consequences"]
        self.assertEqual([each["job"] for each in told["freed"]], [str(job)])
        self.assertIsNone(self.spec_json("plan", file, "--no-consequences", rc=CHANGES)["consequences"])

    def test_it_asks_on_a_terminal_and_refuses_without_one(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  as1: { MaxWall: 60 }\n")

        refused = self.spec("apply", file, rc=BAD_DATA)
        self.assertIn("add --yes", refused.stderr)
        status, said = self.on_terminal("n\n", "spec", "apply", file, "--history", self.history)
        self.assertEqual(status, DECLINED)
        self.assertIn("Apply? [y/N]", said)
        self.assertFalse(self.exists("as1"))
        status, said = self.on_terminal("\x03", "spec", "apply", file, "--history", self.history)
        self.assertEqual((status, self.exists("as1")), (-signal.SIGINT, False), said)
        self.assertIn("qosgate: interrupted: nothing was changed", said)
        status, said = self.on_terminal("y\n", "spec", "apply", file, "--history", self.history)
        self.assertEqual((status, self.exists("as1")), (0, True), said)

    def test_a_user_who_is_no_administrator_is_refused_with_the_cause(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  no1: { MaxWall: 60 }\n")

        result = self.run_it("spec", "apply", file, "--yes", rc=NO_PERMISSION, user="ana")
        self.assertIn("ana", result.stderr)
        self.assertFalse(self.exists("no1"))
        self.run_it("spec", "apply", file, "--dry-run", rc=NO_PERMISSION, user="ana")

    def test_a_wrong_file_is_told_by_place_and_near_miss(self) -> None:
        file = self.write("a.yaml", "owner: base\nqos:\n  wr1:\n    MaxWal: 60\n")

        error = self.spec_json("plan", file, rc=BAD_DATA)["error"]
        self.assertEqual(error["problems"][0]["line"], 4)
        self.assertIn("MaxWall", error["problems"][0]["text"])
        self.spec("plan", str(self.state / "none.yaml"), rc=NOT_FOUND)

    def test_lint_looks_at_what_the_files_would_make(self) -> None:
        file = self.write(
            "a.yaml", "owner: base\nqos:\n  li1:\n    GrpJobs: 0\n    access: { users: [ana] }\n"
        )
        self.add_ana()

        found = self.spec_json("lint", file, rc=CHANGES)["findings"]
        self.assertEqual([(each["code"], each["where"], each["line"]) for each in found], [("zero-limit", "QOS li1", 4)])
        self.assertRegex(found[0]["cure"], r"^# .*a\.yaml:4: QOS li1: if jobs are meant to be let in, unset it: GrpJobs: unset$")
        offline = self.spec_json("lint", "--offline", file, rc=CHANGES)["findings"]
        self.assertEqual([each["code"] for each in offline], ["zero-limit"])
        self.spec("lint", file, "--ignore", "zero-limit")
        self.spec("lint", file, "--ignore", "zero-limits", rc=NOT_FOUND)
        self.assertFalse(self.exists("li1"))

    def test_an_export_plans_to_no_change(self) -> None:
        self.qos("create", "ex1", "MaxWall=60", "GrpTRES=cpu=4,mem=8G", "Flags=NoDecay,DenyOnLimit", "UsageFactor=0.5")
        self.qos("create", "ex2", "Preempt=ex1", "GraceTime=90")
        out = str(self.state / "export.yaml")
        self.spec("export", "--owner", "exporter", "-o", out, "ex1", "ex2")

        plan = self.spec_json("plan", out, rc=CHANGES)  # only owners
        self.assertEqual([qos["changes"] for qos in plan["updated"]], [{}, {}])
        self.assertEqual(plan["created"] + plan["deleted"] + plan["granted"] + plan["revoked"], [])
        self.spec("apply", out, "--yes")
        self.spec("plan", out)

    def test_watch_sets_right_what_drifts_and_leaves_to_others_what_is_theirs(self) -> None:
        base = self.write("base.yaml", "owner: base\nqos:\n  wa1: { MaxWall: 60 }\n  wa2: { MaxWall: 60 }\n")
        ops = self.write("ops.yaml", "owner: ops\nqos:\n  wa2: { MaxWall: 90 }\n")
        self.spec("apply", ops, "--yes")
        status = self.state / "status.json"
        process = self.start_program(
            str(self.binary), "spec", "watch", base, "--interval", "1s", "--status", str(status), "--history", self.history
        )

        def read() -> dict[str, Any]:
            return json.loads(status.read_text()) if status.exists() else {}

        self.cluster.wait_for(lambda: read().get("applied") == 1, "the first run applies", otherwise=lambda: str(read()))
        self.assertEqual(self.stored("wa1", "maxwall"), "01:00:00")
        self.cluster.sacctmgr("modify qos wa1 set MaxWall=90")
        self.cluster.wait_for(lambda: self.stored("wa1", "maxwall") == "01:00:00", "it is set right")
        self.assertEqual(self.stored("wa2", "maxwall"), "01:30:00")
        self.assertEqual([c["qos"] for c in read()["conflicts"]], ["wa2"])
        self.assertEqual(read()["state"], "conflict")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), 0)
        self.assertEqual(read()["state"], "ended")

    def on_terminal(
        self, typed: str, *words: str, meanwhile: Callable[[], object] = lambda: None
    ) -> tuple[int, str]:
        """Exit status and what is shown on a terminal where `typed` is typed, after `meanwhile`, when it asks."""
        ours, theirs = pty.openpty()
        # Else Ctrl-C discards what is on its way to the terminal: now and then what the program says to it.
        attributes = termios.tcgetattr(theirs)
        attributes[3] |= termios.NOFLSH
        termios.tcsetattr(theirs, termios.TCSANOW, attributes)
        layout = self.cluster.layout
        environment = cluster_users.user_environment(layout, cluster_users.find_user(layout, "root"))
        with subprocess.Popen(
            [str(self.binary), *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY),  # so that Ctrl-C reaches it
        ) as process:
            os.close(theirs)
            shown = b""
            is_typed = False
            try:
                while part := os.read(ours, 65536):
                    shown += part
                    if b"Apply? [y/N]" in shown and not is_typed:
                        meanwhile()
                        os.write(ours, typed.encode())
                        is_typed = True
            except OSError:  # the terminal is closed
                pass
        os.close(ours)
        return process.returncode, shown.decode()


class TemporaryAccess(SpecTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.cluster.sacctmgr("add account astro", check=False)
        self.cluster.sacctmgr("add user ana account=astro", check=False)

    def access(self, verb: str, *words: str, rc: int = OK) -> CommandResult:
        return self.run_it("access", verb, *words, "--state", str(self.state), rc=rc)

    def access_json(self, verb: str, *words: str, rc: int = OK) -> Any:
        return json.loads(self.access(verb, *words, "--json", rc=rc).stdout)

    def may_use(self, qos: str) -> bool:
        lists = self.cluster.sacctmgr("-nP show assoc user=ana format=qos").stdout
        return qos in lists.replace("\n", ",").split(",")

    def test_access_ends_when_it_is_due(self) -> None:
        self.qos("create", "ta1")
        self.access("grant", "--qos", "ta1", "--user", "ana", "--until", "1h", "--reason", "thesis")

        self.assertTrue(self.may_use("ta1"))
        listed = self.access_json("list")["grants"]
        self.assertEqual([(g["qos"], g["user"], g["reason"], g["by"]) for g in listed], [("ta1", "ana", "thesis", "root")])
        self.assertEqual(self.access_json("expire")["revoked"], [])
        self.assertTrue(self.may_use("ta1"))
        self.let_an_hour_pass()
        self.assertTrue(self.access_json("list")["grants"][0]["is_due"])
        self.assertEqual([g["qos"] for g in self.access_json("expire", "--dry-run")["revoked"]], ["ta1"])
        self.assertTrue(self.may_use("ta1"))
        self.assertEqual([g["qos"] for g in self.access_json("expire")["revoked"]], ["ta1"])
        self.assertFalse(self.may_use("ta1"))
        self.assertTrue(self.may_use("normal"))
        self.assertEqual(self.access_json("list")["grants"], [])

    def test_access_that_was_made_permanent_stays(self) -> None:
        self.qos("create", "ta2")
        self.access("grant", "--qos", "ta2", "--user", "ana", "--until", "1h", "--reason", "x")
        self.cluster.sacctmgr("modify account astro set qos+=ta2")
        self.let_an_hour_pass()

        left = self.access_json("expire")["left"]
        self.assertEqual([(g["qos"], g["why"]) for g in left], [("ta2", "account astro may use it now")])
        self.assertTrue(self.may_use("ta2"))
        self.cluster.sacctmgr("modify account astro set qos-=ta2")

    def test_what_may_be_used_for_good_is_not_granted(self) -> None:
        refused = self.access("grant", "--qos", "normal", "--user", "ana", "--until", "1d", "--reason", "x", rc=EXISTS)
        self.assertIn("nothing was granted", refused.stderr)
        self.assertEqual(self.access_json("list")["grants"], [])

    def test_a_grant_is_extended_and_revoked(self) -> None:
        self.qos("create", "ta3")
        words = ("--qos", "ta3", "--user", "ana")
        self.access("grant", *words, "--until", "1d", "--reason", "x")
        first = self.access_json("list")["grants"][0]["until"]
        extended = self.access_json("grant", *words, "--until", "2d", "--reason", "y")["extended"]

        self.assertGreater(extended[0]["until"], first)
        self.assertEqual(len(self.access_json("list")["grants"]), 1)
        self.access("revoke", *words)
        self.assertFalse(self.may_use("ta3"))
        self.access("revoke", *words, rc=NOT_FOUND)

    def add_bob(self, *partition: str) -> None:
        self.cluster.sacctmgr(f"add user bob account=astro {' '.join(partition)}", check=False)

    def carry_out(self, cures: list[str]) -> None:
        for cure in cures:
            self.cluster.run(["bash", "-c", cure], check=True)

    def test_a_grant_that_cannot_end_does_not_keep_the_others(self) -> None:
        self.cluster.sacctmgr("add account chem")
        self.cluster.sacctmgr("add user cyd,dan account=chem")
        self.qos("create", "te1,te2")
        self.access("grant", "--qos", "te1", "--account", "chem", "--until", "1h", "--reason", "x")
        self.access("grant", "--qos", "te2", "--user", "dan", "--until", "1h", "--reason", "x")
        self.cluster.sacctmgr("modify account chem set defaultqos=te1")
        self.let_an_hour_pass()

        promised = self.access_json("expire", "--dry-run")
        done = self.access_json("expire")
        again = self.access_json("expire")

        for answer in (promised, done):
            self.assertEqual([g["qos"] for g in answer["revoked"]], ["te2"])
        for answer in (promised, done, again):
            self.assertEqual([(g["qos"], g["is_forgotten"]) for g in answer["left"]], [("te1", False)])
            self.assertIn("account chem of cluster", answer["left"][0]["why"])
        self.assertEqual(again["revoked"], [])
        self.assertEqual([g["qos"] for g in self.access_json("list")["grants"]], ["te1"])
        self.assertIn("what to do first:\n  sacctmgr -i modify account chem", self.access("expire").stdout)
        self.carry_out(again["left"][0]["cures"])
        self.assertEqual([g["qos"] for g in self.access_json("expire")["revoked"]], ["te1"])
        self.assertEqual(self.access_json("list")["grants"], [])

    def test_an_accounts_default_is_not_revoked_and_stays_in_the_list(self) -> None:
        self.qos("create", "tr1")
        words = ("--qos", "tr1", "--account", "astro")
        self.access("grant", *words, "--until", "1d", "--reason", "x")
        self.cluster.sacctmgr("modify account astro set defaultqos=tr1")

        left = self.access_json("revoke", *words, rc=CONFLICT)["left"]
        self.assertEqual([(g["qos"], g["is_forgotten"]) for g in left], [("tr1", False)])
        self.assertEqual(len(self.access_json("list")["grants"]), 1)
        self.assertTrue(self.may_use("tr1"))
        self.carry_out(left[0]["cures"])
        self.assertEqual(len(self.access_json("revoke", *words)["revoked"]), 1)
        self.assertFalse(self.may_use("tr1"))
        self.assertEqual(self.access_json("list")["grants"], [])

    def test_a_grant_waits_for_an_expiry_that_has_begun(self) -> None:
        self.qos("create", "tw1")
        words = ("--qos", "tw1", "--user", "ana", "--reason", "x")
        self.access("grant", *words, "--until", "1h")
        self.let_an_hour_pass()
        is_there, may_go_on = threading.Event(), threading.Event()

        def hold(body: bytes) -> None:
            if body.startswith(COMMIT) and not is_there.is_set():
                is_there.set()
                may_go_on.wait(timeout=HANG_SECONDS)

        state = ("--state", str(self.state))
        with SlurmdbdProxy(self.slurmdbd_port, before=hold) as proxy:
            expire = self.start_program(str(self.binary), "access", "expire", *state, env=self.through(proxy))
            self.assertTrue(is_there.wait(timeout=HANG_SECONDS))
            grant = self.start_program(str(self.binary), "access", "grant", *words, "--until", "1d", *state)
            self.cluster.wait_for(lambda: waits_for_a_lock(grant), "the grant waits for the expiry")
            may_go_on.set()
            self.assertIn("revoked", "".join(expire.communicate(timeout=HANG_SECONDS)))
            self.assertIn("granted until", "".join(grant.communicate(timeout=HANG_SECONDS)))
        self.assertTrue(self.may_use("tw1"))
        self.assertEqual([g["is_due"] for g in self.access_json("list")["grants"]], [False])

    def test_access_that_a_spec_names_has_no_end(self) -> None:
        """As ana, an administrator, because the list of root is the machine's."""
        self.cluster.sacctmgr("modify user ana set adminlevel=administrator")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana set adminlevel=none")
        home = self.cluster.directory.with_name(f"home-{self.id().rpartition('.')[2]}")
        home.mkdir()
        os.chown(home, cluster_users.find_user(self.cluster.layout, "ana").pw_uid, -1)

        def ana(*words: str, rc: int = OK) -> CommandResult:
            result = self.cluster.run([str(self.binary), *words], "ana", env={"XDG_STATE_HOME": str(home)})
            self.assertEqual(result.rc, rc, str(result))
            return result

        def listed() -> list[str]:
            return [g["qos"] for g in json.loads(ana("access", "list", "--json").stdout)["grants"]]

        self.add_bob("partition=main")
        self.qos("create", "tp1,tp2,tp3,tp4")
        for name in ("tp1", "tp2", "tp3", "tp4"):
            words = ("--user", "bob", "--partition", "main", "--until", "1d", "--reason", "x")
            ana("access", "grant", "--qos", name, *words)
        spec = "owner: perm\nqos: {%s: {access: {users: [%s]}}}\n"
        other = self.write("other.yaml", spec % ("tp1", "ana"))
        one = self.write("one.yaml", spec % ("tp1", "bob"))
        two = self.write("two.yaml", spec % ("tp2", "{user: bob, account: astro, partition: main}"))
        three = self.write("three.yaml", spec % ("tp3", "bob"))

        ana("spec", "apply", other, "--yes")
        ana("spec", "apply", one, "--dry-run")
        self.assertEqual(listed(), ["tp1", "tp2", "tp3", "tp4"])
        ana("spec", "apply", one, "--yes")
        self.assertEqual(listed(), ["tp2", "tp3", "tp4"])
        plan = str(home / "plan.json")
        ana("spec", "plan", two, "--out", plan, rc=CHANGES)
        ana("spec", "apply", plan, "--yes")
        self.assertEqual(listed(), ["tp3", "tp4"])
        layout = self.cluster.layout
        environment = cluster_users.user_environment(layout, cluster_users.find_user(layout, "ana"))
        watch = subprocess.Popen(
            [str(self.binary), "spec", "watch", three, "--interval", "1s"],
            env=environment | {"XDG_STATE_HOME": str(home)},
            user=cluster_users.find_user(layout, "ana").pw_uid,
        )
        self.addCleanup(watch.wait)
        self.addCleanup(watch.terminate)
        self.cluster.wait_for(lambda: listed() == ["tp4"], "watch has made it permanent")

    def test_wrong_words_are_answered_with_the_near_miss(self) -> None:
        self.qos("create", "tatest")
        for words, rc, text in (
            (("--qos", "tatets", "--user", "ana", "--until", "1d"), NOT_FOUND, "did you mean tatest?"),
            (("--qos", "tatest", "--user", "anna", "--until", "1d"), NOT_FOUND, "did you mean ana?"),
            (("--qos", "tatest", "--user", "ana", "--until", "2001-01-01"), BAD_DATA, "not in the future"),
            (("--qos", "tatest", "--until", "1d"), BAD_DATA, "Name --user, --account or both"),
        ):
            with self.subTest(words):
                self.assertIn(text, self.access("grant", *words, "--reason", "x", rc=rc).stderr)
        self.run_it("access", "grant", "--qos", "tatest", "--user", "ana", "--until", "1d", "--reason", "x",
                    rc=NO_PERMISSION, user="ana")


if __name__ == "__main__":
    main()
