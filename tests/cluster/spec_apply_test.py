# SPDX-License-Identifier: GPL-2.0-or-later
"""Plans of QOSs and of who may use them, carried out on a real slurmdbd: all or nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import HANG_SECONDS, CommandResult, copy_program, main

from qos_cli import QosTestCase
from slurmdbd_proxy import COMMIT, SlurmdbdProxy

HELPER = Path(os.environ.get("QG_BUILD_ROOT", "build")).absolute() / "tests/cluster/helpers/apply_plan"


class PlanCase(QosTestCase):
    """Accounts top and sub below it, with users ana and bob, as they are when they were made."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if cls.cluster.sacctmgr("-n show account top").stdout:
            return
        for command in ("add account top", "add account sub parent=top", "add user ana,bob account=sub"):
            cls.cluster.sacctmgr(command)

    def setUp(self) -> None:
        self.addCleanup(self.clear)

    def clear(self) -> None:
        # Defaults first: slurmdbd 24.11 lets nobody lose the QOS that is their default. One after the other: slurmctld
        # takes what it has for the account above.
        associations = self.live()["associations"]
        below = {"account top": ("top",), "account sub": ("sub",), "user ana,bob": ("sub:ana", "sub:bob")}
        for change, members in (("defaultqos=-1", ("own_default",)), ("qos=", ("own", "added", "removed"))):
            is_changed = False  # then slurmctld is told what all below have, too
            for who, names in below.items():
                if is_changed or any(associations[name][member] for name in names for member in members):
                    self.cluster.sacctmgr(f"modify {who} set {change}")
                    is_changed = True
        if others := [name for name in self.live()["qos"] if name != "normal"]:
            self.cluster.sacctmgr(f"delete qos {','.join(others)}")

    def set_top(self, change: str) -> None:
        """Changes account top with sacctmgr, and slurmctld knows it.

        slurmdbd 23.11.0 to 25.05.0 does not tell slurmctld what the users of sub have then.
        """
        self.cluster.sacctmgr(f"modify account top set {change}")
        if (23, 11) <= slurm_version() <= (25, 5):
            self.cluster.restart("slurmctld")

    def plan(self, *lines: str, env: Mapping[str, str] | None = None) -> CommandResult:
        """Makes and carries out a plan with these changes, in words that the helper documents."""
        return self.cluster.run([str(HELPER), *lines], env=env)

    def apply(self, *lines: str) -> CommandResult:
        result = self.plan(*lines)
        self.assertTrue(result.stdout.endswith("\napplied\n"), str(result))
        self.expect_same_access_in_slurmctld()
        return result

    def expect_same_access_in_slurmctld(self) -> None:
        """slurmctld lets each user use the QOSs that slurmdbd has for them, with the same default.

        Later releases, such as 24.11, tell slurmctld after the commit has returned.
        """
        live: dict[str, Any] = {}
        stored: dict[str, Any] = {}

        def is_same() -> bool:
            nonlocal live, stored
            live = self.live()
            stored = {
                name: {"qos": one["qos"], "default": one["default"]}
                for name, one in live["associations"].items()
                if ":" in name
            }
            return bool(live["slurmctld"] == stored)

        self.cluster.wait_for(is_same, "slurmctld knows the access", otherwise=lambda: f"{live['slurmctld']} != {stored}")

    def refuse(self, *lines: str) -> str:
        """What is said when the plan is not carried out."""
        result = self.plan(*lines)
        self.assertEqual(result.rc, 1, str(result))
        return result.stdout.splitlines()[-1]

    def live(self) -> dict[str, Any]:
        return json.loads(self.cluster.run([str(HELPER), "show"]).stdout)

    def usable(self, association: str) -> list[str]:
        return self.live()["associations"][association]["qos"]

    def shown(self) -> list[Any]:
        """All that is stored of QOSs and associations."""
        live = self.live()
        return [live["qos"], live["associations"]]


class Plans(PlanCase):
    def test_creates_changes_and_grants_in_one_go(self) -> None:
        self.apply("create old Priority=1")

        result = self.apply(
            "create small MaxWall=60",
            "create large MaxWall=600 GrpTRES=gpu=4 Flags=DenyOnLimit",
            "update old Priority=7",
            "grant top small old",
            "grant sub:ana large",
            "default top small",
        )

        self.assertIn("step 0/5 adds 2 QOSs and changes 1\n", result.stdout)
        self.assertEqual(self.stored("large", "maxwall,grptres,flags"), "10:00:00|gres/gpu=4|DenyOnLimit")
        self.assertEqual(self.stored("old", "priority"), "7")
        live = self.live()["associations"]
        self.assertEqual(live["sub:bob"]["qos"], ["normal", "old", "small"])
        self.assertEqual(live["sub:ana"]["qos"], ["large", "normal", "old", "small"])
        self.assertEqual((live["sub:ana"]["default"], live["sub:ana"]["own_default"]), ("small", None))

    def test_new_qos_may_preempt_each_other_and_old_ones_may_preempt_them(self) -> None:
        self.apply("create boss Description=boss", "create serf Description=serf")

        self.apply("create high Preempt=low,mid", "create mid Preempt=serf,low", "create low", "update boss Preempt=high,serf")

        wanted = {"boss": ["high", "serf"], "high": ["low", "mid"], "mid": ["low", "serf"]}
        for name, preempt in wanted.items():
            self.assertEqual(self.stored(name, "preempt").split(","), sorted(preempt))
        # slurmctld knows it without a restart.
        self.assertEqual(self.live()["preempt"], wanted)

    def test_a_loop_of_preempt_is_refused_before_anything_is_written(self) -> None:
        before = self.shown()

        said = self.refuse("create one Preempt=two", "create two Preempt=one")

        self.assertIn("invalid_input: Preempt: QOSs would preempt each other", said)
        self.assertEqual(self.shown(), before)

    def test_a_removal_takes_the_qos_out_of_all_lists_and_of_no_other(self) -> None:
        self.apply("create q1 Description=q1", "create q2 Description=q2", "create q3 Description=q3")
        self.apply("create user Preempt=q2,q3")
        self.set_top("qos=q1,q2,q3")
        self.cluster.sacctmgr("modify user ana set qos=q2")
        self.cluster.sacctmgr("modify user bob set qos+=q2")

        self.apply("remove q2")

        self.assertFalse(self.exists("q2"))
        self.assertEqual(self.stored("user", "preempt"), "q3")
        self.assertEqual(self.usable("top"), ["q1", "q3"])
        self.assertEqual(self.usable("sub:bob"), ["q1", "q3"])
        self.assertEqual(self.usable("sub:ana"), [], "it had none of the account's")

    def test_a_qos_that_is_somebodys_default_is_not_removed(self) -> None:
        self.apply("create keep Description=keep")
        self.set_top("qos+=keep")
        self.cluster.sacctmgr("modify user ana set defaultqos=keep")
        before = self.shown()

        said = self.refuse("remove keep", "create other")

        self.assertIn("user ana in account sub of cluster", said)
        self.assertIn("QOS 'keep' as its default and could not use it", said)
        self.assertEqual(self.shown(), before)
        self.apply("default sub:ana", "remove keep", "create other")
        self.assertFalse(self.exists("keep"))

    def test_an_own_list_is_changed_alone_and_one_that_ends_stays_empty(self) -> None:
        self.apply("create q1 Description=q1", "create q2 Description=q2")
        self.cluster.sacctmgr("modify user ana set qos=q1")

        self.apply("grant top q2")
        self.assertEqual(self.usable("sub:ana"), ["q1"])
        self.assertEqual(self.usable("sub:bob"), ["normal", "q2"])

        self.apply("revoke sub:ana q1")
        self.assertEqual(self.usable("sub:ana"), [])

    def test_associations_of_a_partition_are_apart(self) -> None:
        self.apply("create q1 Description=q1")
        self.cluster.sacctmgr("add user ana account=sub partition=main")
        self.addCleanup(self.cluster.sacctmgr, "delete user ana account=sub partition=main")

        self.apply("grant sub:ana:main q1", "default sub:ana:main q1")

        self.assertEqual(self.usable("sub:ana:main"), ["normal", "q1"])
        self.assertEqual(self.usable("sub:ana"), ["normal"])
        self.apply("default sub:ana:main", "revoke sub:ana:main q1")
        self.assertEqual(self.usable("sub:ana:main"), ["normal"])

    def test_our_reading_of_the_tree_is_sacctmgrs(self) -> None:
        self.apply("create q1 Description=q1", "create q2 Description=q2", "create q3 Description=q3", "create q4 Description=q4")
        self.cluster.sacctmgr("modify account top set qos=q1,q2")
        self.cluster.sacctmgr("modify account sub set qos+=q3 qos-=q1")
        self.cluster.sacctmgr("modify user ana set qos+=q4 qos-=q3")
        self.cluster.sacctmgr("modify user bob set qos=q4 defaultqos=q4")
        self.cluster.sacctmgr("modify account top set defaultqos=q2")

        ours = {
            (*name.split(":"), "")[:2]: (sorted(one["qos"]), one["default"] or "")
            for name, one in self.live()["associations"].items()
        }
        shown = self.cluster.sacctmgr("-n -P show assoc format=account,user,qos,defaultqos").stdout
        theirs = {}
        for line in shown.splitlines():
            account, user, qos, default = line.split("|")
            theirs[account, user] = (sorted(qos.split(",")), default)
        self.assertEqual(ours, theirs)

    def test_the_cluster_and_its_partitions_have_what_slurmctld_says(self) -> None:
        capacity = self.live()["capacity"]

        self.assertEqual(capacity["main"]["cpu"], capacity[""]["cpu"])
        self.assertEqual(capacity[""]["node"], 1)
        self.assertGreater(capacity[""]["gres/gpu"], 0)
        self.cluster.stop("slurmctld")
        self.addCleanup(self.cluster.start, "slurmctld")
        hurried = self.conf_with("hurried.conf", MessageTimeout=3)  # who asks tries again for so long
        self.assertEqual(json.loads(self.cluster.run([str(HELPER), "show"], env=hurried).stdout)["capacity"], {})


class InSlurmctld(PlanCase):
    """After each apply slurmctld must have what slurmdbd has; PlanCase.apply() looks."""

    def test_a_removal_takes_no_other_qos_away(self) -> None:
        self.apply("create z1 Priority=1", "create z2 Priority=1", "create w1 Priority=1")
        self.cluster.sacctmgr("modify account sub set qos+=z1,z2")
        self.apply("grant sub w1")

        self.apply("remove w1")

        self.assertEqual(self.usable("sub:ana"), ["normal", "z1", "z2"])

    def test_a_removal_gives_nothing_back_that_was_revoked(self) -> None:
        self.apply("create big Priority=1", "create z1 Priority=1", "create w1 Priority=1")
        self.apply("grant sub big w1 z1")
        self.apply("revoke sub big")

        self.apply("remove w1")

        self.assertEqual(self.usable("sub:ana"), ["normal", "z1"])

    def test_several_removals_from_one_list_leave_the_rest(self) -> None:
        self.apply(*(f"create m{n} Priority=1" for n in range(5)))
        self.apply("grant sub m0 m1 m2 m3 m4", "grant sub:ana m0")
        self.apply("revoke sub m1")

        self.apply("remove m1", "remove m3", "remove m4")
        self.assertEqual(self.usable("sub:bob"), ["m0", "m2", "normal"])
        self.apply("revoke sub m2")
        self.assertEqual(self.usable("sub:bob"), ["m0", "normal"])
        self.apply("grant sub m2")

    def test_a_grant_above_and_a_revocation_below(self) -> None:
        self.apply("create q1 Priority=1", "create q2 Priority=1")
        self.apply("grant sub:ana q1 q2")

        self.apply("grant top q1", "revoke sub:ana q1", "revoke sub:ana q2")

        self.assertEqual(self.usable("sub:ana"), ["normal"])
        self.assertEqual(self.usable("sub:bob"), ["normal", "q1"])

    def test_a_grant_that_is_revoked_leaves_nothing_behind(self) -> None:
        self.apply("create q1 Priority=1", "create q2 Priority=1")
        self.apply("grant sub:ana q1", "grant sub q2")

        self.apply("revoke sub:ana q1", "revoke sub q2")
        self.assertEqual(self.usable("sub:ana"), ["normal"])
        self.apply("grant top q1 q2")

        self.assertEqual(self.usable("sub:ana"), ["normal", "q1", "q2"])

    def test_a_change_above_reaches_users_of_accounts_with_differences(self) -> None:
        self.apply("create q1 Priority=1", "create q2 Priority=1", "create q3 Priority=1")
        self.apply("grant sub q3", "grant sub:ana q2")

        self.apply("grant top q1 q2", "default top q1")
        self.assertEqual(self.usable("sub:ana"), ["normal", "q1", "q2", "q3"])
        self.apply("revoke top q1 q2", "default top")

        self.assertEqual(self.usable("sub:ana"), ["normal", "q2", "q3"])
        self.assertEqual(self.usable("sub:bob"), ["normal", "q3"])

    def test_a_grant_with_a_default(self) -> None:
        self.apply("create q1 Priority=1", "create q2 Priority=1")

        self.apply("grant sub:ana q1", "default sub:ana q1")
        self.apply("grant top q2", "default sub:bob q2", "default sub:ana", "revoke sub:ana q1")

        self.assertEqual(self.live()["associations"]["sub:bob"]["default"], "q2")
        self.assertIsNone(self.live()["associations"]["sub:ana"]["default"])

    def test_defaults_that_change_above_and_end_below(self) -> None:
        self.apply("create q1 Priority=1", "create q2 Priority=1")
        self.apply("grant top q1 q2", "default sub q1", "default sub:ana q1")

        self.apply("default top q2", "default sub", "default sub:ana")

        self.assertEqual(self.live()["associations"]["sub:ana"]["default"], "q2")


class OwnLists(PlanCase):
    """An association gets a list of its own, or loses it; PlanCase.apply() compares with slurmctld."""

    def setUp(self) -> None:
        super().setUp()
        self.apply("create q1 Priority=1", "create q2 Priority=1", "create q3 Priority=1")

    def stored_for(self, association: str) -> tuple[list[str] | None, list[str], list[str]]:
        one = self.live()["associations"][association]
        return one["own"], one["added"], one["removed"]

    def expect_same_after_a_restart(self) -> None:
        self.cluster.stop("slurmctld")
        self.cluster.start("slurmctld")
        self.expect_same_access_in_slurmctld()

    def test_a_list_above_leaves_differences_and_defaults_below(self) -> None:
        self.apply("grant sub:ana q3", "default sub:ana q3")
        self.apply("grant sub q2", "revoke sub:bob q2")

        self.apply("own top q1 q2")
        self.assertEqual(self.usable("sub:ana"), ["q1", "q2", "q3"])
        self.assertEqual(self.usable("sub:bob"), ["q1"])
        self.apply("own sub q1")
        self.assertEqual(self.usable("sub:ana"), ["q1", "q3"])
        self.assertEqual(self.live()["associations"]["sub:ana"]["default"], "q3")
        self.assertEqual(self.stored_for("sub"), (["q1"], [], []))

        self.expect_same_after_a_restart()

    def test_a_list_that_ends_gives_the_one_above_with_differences(self) -> None:
        self.cluster.sacctmgr("modify account sub set qos=q1")
        self.cluster.sacctmgr("modify user ana set qos=q2")
        self.apply("grant top q3")

        self.apply("own sub +q2 -q3", "own sub:ana")

        self.assertEqual(self.stored_for("sub"), (None, ["q2"], ["q3"]))
        self.assertEqual(self.stored_for("sub:ana"), (None, [], []))
        self.assertEqual(self.usable("sub:ana"), ["normal", "q2"])
        self.apply("own sub +q3")
        self.assertEqual(self.usable("sub:bob"), ["normal", "q3"])
        self.apply("own sub")
        self.assertEqual(self.stored_for("sub"), (None, [], []))
        self.apply("revoke top q3")
        self.assertEqual(self.usable("sub:bob"), ["normal"])

        self.expect_same_after_a_restart()

    def test_lists_grants_and_revocations_together(self) -> None:
        self.apply("grant sub:ana q3", "grant sub:bob q2")

        self.apply("grant top q3", "own sub q1 q2", "revoke sub:bob q2", "own sub:ana -q1")

        self.assertEqual(self.usable("sub:ana"), ["q2"])
        self.assertEqual(self.usable("sub:bob"), ["q1"])
        self.apply("own top q1 q2 q3", "own sub -q2", "own sub:ana q2", "default sub:ana q2")
        self.assertEqual(self.usable("sub:bob"), ["q1", "q3"])
        self.apply("create q4 Priority=1", "own sub q3 q4", "own sub:ana +q2", "default sub q4")

        self.assertEqual(self.usable("sub:ana"), ["q2", "q3", "q4"])
        self.expect_same_after_a_restart()

    def test_a_revoked_grant_leaves_the_other_differences(self) -> None:
        self.apply("grant sub:ana q1 q2")

        self.apply("revoke sub:ana q2")

        self.assertEqual(self.stored_for("sub:ana"), (None, ["q1"], []))
        self.apply("grant top q2")
        self.assertEqual(self.usable("sub:ana"), ["normal", "q1", "q2"])

    def test_differences_with_a_default_stay_while_others_end(self) -> None:
        self.apply("grant sub q1 q2", "grant sub:ana q3")
        self.apply("default sub:bob q1", "default sub:ana q3")

        self.apply("revoke sub q2")
        self.assertEqual(self.stored_for("sub"), (None, ["q1"], []))
        self.assertEqual(self.usable("sub:bob"), ["normal", "q1"])
        self.assertEqual(self.usable("sub:ana"), ["normal", "q1", "q3"])
        self.apply("grant sub:ana q2")
        self.apply("own sub:ana +q3")
        self.assertEqual(self.stored_for("sub:ana"), (None, ["q3"], []))
        self.apply("own sub:ana q2 q3")
        self.apply("own sub:ana +q3 -q1")
        self.assertEqual(self.stored_for("sub:ana"), (None, ["q3"], ["q1"]))

        self.expect_same_after_a_restart()

    def test_a_list_and_grants_at_once_are_refused(self) -> None:
        before = self.shown()

        said = self.refuse("grant sub q1", "own sub q2")

        self.assertIn("invalid_input: account sub of cluster", said)
        self.assertIn("a list of its own is set, and something is granted or revoked besides", said)
        self.assertEqual(self.shown(), before)

    def test_a_list_without_the_default_is_refused(self) -> None:
        self.apply("grant sub:ana q1", "default sub:ana q1")
        before = self.shown()

        said = self.refuse("own sub:ana q2")

        self.assertIn("QOS 'q1' as its default and could not use it", said)
        self.assertEqual(self.shown(), before)


class Conflicts(PlanCase):
    def moved_by(self, command: str, *lines: str) -> str:
        """What is said if sacctmgr does `command` between plan and apply."""
        process = self.start_program(str(HELPER), "wait", *lines)
        self.wait_until_it_says(process, "planned")
        self.cluster.sacctmgr(command)
        before = self.shown()
        said, _ = process.communicate("on\n", timeout=HANG_SECONDS)
        self.assertEqual(process.returncode, 1, said)
        self.assertEqual(self.shown(), before)
        return said.splitlines()[-1]

    def test_a_base_that_moved_is_named_and_nothing_is_changed(self) -> None:
        self.apply("create q1 MaxWall=10", "create q2 MaxWall=10")
        plan = ["update q1 MaxWall=30", "create new", "grant top q1", "remove q2"]
        cases = {
            "modify qos q1 set maxwall=20": "QOS 'q1': MaxWall is 00:20:00 now, not 00:10:00",
            "add qos new": "QOS 'new' exists now",
            "modify qos q2 set priority=5": "QOS 'q2': Priority is 5 now, not 0",
            "modify account top set qos+=q2": "account 'top': its QOSs are normal,q2 now, not normal",
            "delete qos q2": "QOS 'q2' does not exist any more",
        }
        undo = {"add qos new": "delete qos new", "modify qos q1 set maxwall=20": "modify qos q1 set maxwall=10"}
        for command, words in cases.items():
            with self.subTest(command):
                said = self.moved_by(command, *plan)
                self.assertTrue(said.startswith("conflict: the records changed since the plan was made: "), said)
                self.assertIn(words, said)
                self.assertIn("nothing was changed, make a new plan", said)
                if command in undo:
                    self.cluster.sacctmgr(undo[command])

    def test_what_the_plan_does_not_touch_may_move(self) -> None:
        self.apply("create q1 Description=q1", "create q2 Description=q2")
        process = self.start_program(str(HELPER), "wait", "update q1 MaxWall=30")
        self.wait_until_it_says(process, "planned")
        self.cluster.sacctmgr("modify qos q2 set priority=5")

        said, _ = process.communicate("on\n", timeout=HANG_SECONDS)

        self.assertTrue(said.endswith("applied\n"), said)


class Failures(PlanCase):
    PLAN = (
        "create new1 MaxWall=10",
        "create new2 Preempt=new1",
        "update q1 MaxWall=30",
        "update q2 Preempt=new2",
        "grant top new1",
        "revoke top q1",
        "remove q3",
    )

    def base(self) -> None:
        self.apply("create q1 Description=q1", "create q2 Description=q2", "create q3 Description=q3")
        self.set_top("qos=q1,q3")

    def test_a_lost_connection_leaves_all_or_nothing_and_says_which(self) -> None:
        self.base()
        old = self.shown()
        with SlurmdbdProxy(self.slurmdbd_port, fail_at=0) as proxy:
            self.assertIn("applied", self.plan(*self.PLAN, env=self.through(proxy)).stdout)
            total = proxy.requests
        new = self.shown()
        self.assertNotEqual(old, new)

        # The commit is among the last ones.
        for n in [*range(1, total - 12, 4), *range(max(total - 12, 1), total + 1)]:
            self.back()
            self.assertEqual(self.shown(), old)
            with self.subTest(request=n), SlurmdbdProxy(self.slurmdbd_port, fail_at=n) as proxy:
                result = self.plan(*self.PLAN, env=self.through(proxy))
                now = self.shown()

                self.assertIn(now, (old, new), str(result))
                said = result.stdout.splitlines()[-1] if result.stdout else ""
                if said == "applied" or "stored, but" in said:
                    self.assertEqual(now, new, str(result))
                elif "whether the changes were stored is unknown" not in said:
                    self.assertEqual(now, old, str(result))

    def back(self) -> None:
        """Undoes the plan, if it was carried out."""
        if "new1" in self.live()["qos"]:
            undo = ["update q2 Preempt=unset", "update q1 MaxWall=unset", "create q3 Description=q3", "grant top q1 q3"]
            self.apply(*undo, "revoke top new1", "remove new1", "remove new2")

    def test_a_commit_without_answer_is_called_unknown(self) -> None:
        self.base()
        with SlurmdbdProxy(self.slurmdbd_port, COMMIT) as proxy:
            result = self.plan(*self.PLAN, env=self.through(proxy))

        self.assertIn("whether the changes were stored is unknown; check what is stored before you try again", result.stdout)

    def test_an_ordinary_user_is_refused_with_the_cause(self) -> None:
        helper = copy_program(self.cluster, "tests/cluster/helpers/apply_plan")
        before = self.shown()

        result = self.cluster.run([helper, "create hers"], "ana")

        self.assertIn("permission_denied: ", result.stdout)
        self.assertIn("user ana may not; this requires root, SlurmUser or AdminLevel=Administrator", result.stdout)
        self.assertEqual(self.shown(), before)


class Size(PlanCase):
    def test_many_records_take_few_calls(self) -> None:
        names = [f"many{n}" for n in range(200)]
        with SlurmdbdProxy(self.slurmdbd_port) as proxy:
            plan = [f"create {name} Priority={n}" for n, name in enumerate(names)]
            self.assertIn("applied", self.plan(*plan, env=self.through(proxy)).stdout)
            created = proxy.requests
        with SlurmdbdProxy(self.slurmdbd_port) as proxy:
            plan = [f"update {name} MaxWall=60" for name in names]
            self.assertIn("applied", self.plan(*plan, env=self.through(proxy)).stdout)
            changed = proxy.requests

        self.assertLess(created, 40)
        self.assertLess(changed, 40)
        self.assertEqual(self.stored("many199", "priority,maxwall"), "199|01:00:00")


if __name__ == "__main__":
    main()
