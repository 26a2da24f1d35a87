# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of `qosgate qos` against a real slurmdbd: what they answer, and what they change together."""

from __future__ import annotations

from qosgate_dev.testing import main

from qos_cli import BAD_DATA, EXISTS, NOT_FOUND, USAGE, QosTestCase


class Commands(QosTestCase):
    def test_says_old_and_new_of_each_field(self) -> None:
        created = self.qos("create", "report", "MaxWall=8:00:00").stdout
        updated = self.qos("update", "report", "MaxWall=12:00:00", "Flags=NoDecay").stdout

        again = self.qos("update", "report", "MaxWall=720").stdout

        self.assertEqual(
            created,
            "report: created\n  Description: unset -> report\n  MaxWall: unset -> 08:00:00\n",
        )
        self.assertEqual(
            updated,
            "report: updated\n  MaxWall: 08:00:00 -> 12:00:00\n  Flags: unset -> NoDecay\n",
        )
        self.assertEqual(again, "report: nothing to change\n")

    def test_json_says_old_and_new_as_values(self) -> None:
        self.qos("create", "values", "GrpTRES=cpu=1")

        answer = self.json("update", "values", "MaxWall=60", "GrpTRES=mem=1G")

        self.assertEqual(answer["dry_run"], False)
        self.assertEqual(
            answer["updated"],
            [
                {
                    "Name": "values",
                    "changes": {
                        "MaxWall": {"before": None, "after": 60},
                        "GrpTRES": {"before": {"cpu": 1}, "after": {"cpu": 1, "mem": 1024}},
                    },
                }
            ],
        )

    def test_a_dry_run_shows_the_change_and_makes_none(self) -> None:
        self.qos("create", "dry", "MaxWall=60")

        update = self.qos("update", "dry", "MaxWall=90", "--dry-run").stdout
        create = self.qos("create", "dry2", "MaxWall=90", "--dry-run").stdout
        delete = self.qos("delete", "dry", "--dry-run").stdout

        self.assertIn("dry: would be updated\n  MaxWall: 01:00:00 -> 01:30:00", update)
        self.assertIn("dry2: would be created", create)
        self.assertEqual(
            delete,
            "dry: would be deleted\n"
            "  to create it again: qosgate qos create dry MaxWall=01:00:00\n",
        )
        self.assertEqual(self.stored("dry", "maxwall"), "01:00:00")
        self.assertFalse(self.exists("dry2"))

    def test_a_dry_run_finds_the_same_errors(self) -> None:
        self.qos("create", "normal", "--dry-run", rc=EXISTS)
        self.qos("update", "nosuch", "MaxWall=1", "--dry-run", rc=NOT_FOUND)
        self.qos("create", "dry3", "Preempt=nosuch", "--dry-run", rc=NOT_FOUND)
        self.qos("delete", "nosuch", "--dry-run", rc=NOT_FOUND)

    def test_several_qos_change_together_or_not_at_all(self) -> None:
        self.qos("create", "two1,two2", "MaxWall=60")

        self.qos("update", "two1", "nosuch", "MaxWall=90", rc=NOT_FOUND)
        self.assertEqual(self.stored("two1", "maxwall"), "01:00:00")
        self.qos("create", "two3,two1", rc=EXISTS)
        self.assertFalse(self.exists("two3"))
        self.qos("delete", "two1", "nosuch", rc=NOT_FOUND)
        self.assertTrue(self.exists("two1"))
        self.qos("update", "two1", "two2", "MaxWall=90")
        for name in ("two1", "two2"):
            self.assertEqual(self.stored(name, "maxwall"), "01:30:00")
        self.qos("delete", "two1,two2")
        self.assertFalse(self.exists("two1") or self.exists("two2"))

    def test_a_write_that_slurmdbd_refuses_undoes_those_before_it(self) -> None:
        self.qos("create", "undo1,undo2,undo3")
        self.qos("update", "undo1", "Preempt=undo3")

        # Two calls, because the QOSs change differently: undo1 may also preempt undo2, undo2 not itself.
        self.qos("update", "undo1,undo2", "Preempt+=undo2", "MaxWall=60", rc=BAD_DATA)

        self.assertEqual(self.stored("undo1", "maxwall,preempt"), "|undo3")
        self.assertEqual(self.stored("undo2", "maxwall,preempt"), "|")

    def test_a_deleted_qos_can_be_made_again_without_its_old_limits(self) -> None:
        self.qos("create", "phoenix", "MaxWall=60", "Flags=NoDecay", "GrpTRES=cpu=1")
        self.qos("delete", "phoenix")

        self.qos("create", "phoenix", "Priority=2")

        self.assertEqual(self.stored("phoenix", "maxwall,flags,grptres,priority"), "|||2")

    def test_get_shows_what_is_set(self) -> None:
        self.qos("create", "shown", "MaxWall=60", "MaxTRESPerUser=gpu=2")

        text = self.qos("get", "SHOWN").stdout
        record = self.record("shown")

        self.assertEqual(
            text,
            "shown\n"
            "  Description     shown\n"
            "  MaxWall         01:00:00\n"
            "  MaxTRESPerUser  gres/gpu=2\n",
        )
        self.assertEqual((record["MaxWall"], record["MaxTRESPerUser"]), (60, {"gres/gpu": 2}))
        self.assertEqual((record["GrpWall"], record["GrpTRES"], record["Flags"]), (None, {}, []))

    def test_errors_name_the_near_miss(self) -> None:
        self.qos("create", "moonlight")
        cases = [
            (("get", "moonligt"), NOT_FOUND, "did you mean moonlight?"),
            (("update", "moonlight", "MaxWal=1"), BAD_DATA, "did you mean MaxWall?"),
            (("update", "moonlight", "GrpTRES=gres/gpus=1"), BAD_DATA, "did you mean gres/gpu?"),
            (("update", "moonlight", "Flags=DenyOnLimits"), BAD_DATA, "did you mean DenyOnLimit?"),
            (("list", "--sort", "Prio"), BAD_DATA, "'qosgate qos fields' lists all"),
            (("create", "moonlight"), EXISTS, "QOS 'moonlight' already exists (Description=moonlight)"),
            (("create", "twice,Twice"), BAD_DATA, "named twice"),
            (("create", "a b"), BAD_DATA, "cannot be the name of a QOS"),
            (("update", "moonlight"), BAD_DATA, "nothing to set"),
            (("update", "MaxWall=1"), BAD_DATA, "which QOS?"),
            (("updat", "moonlight"), USAGE, "did you mean update?"),
            (("delete",), USAGE, "NAME is required"),
            (("list", "--limit", "x"), USAGE, "--limit: 'x' is neither a whole number nor 'all'"),
            (("create", "한국"), BAD_DATA, "the accounting database cannot store the name '한국'"),
            (("create", "latin", "Description=한"), BAD_DATA, "cannot store the description '한'"),
            (("create", "moonlight", "MaxWall=99999999999"), BAD_DATA, "is too large for a time"),
            (("create", " blank"), BAD_DATA, "has no spaces around it"),
            (("delete", "moonlight", "force=yes"), BAD_DATA, "delete takes names only"),
        ]
        for words, rc, text in cases:
            with self.subTest(words):
                result = self.qos(*words, rc=rc)
                self.assertTrue(result.stderr.startswith("qosgate: error: "), result.stderr)
                self.assertIn(text, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_habits_from_sacctmgr_are_answered_with_the_command_to_type(self) -> None:
        self.qos("create", "habit")
        cases = [
            ("create a1 set Priority=10", "create a1 Priority=10"),
            ("create name=a1 Priority=10", "create a1 Priority=10"),
            ("create a1 Priority 10", "create a1 Priority=10"),
            ("create a1 maxwall", "create a1 maxwall=VALUE"),
            ("create a1 foo Priority=10", "create a1,foo Priority=10"),
            ("update habit set Priority=10", "update habit Priority=10"),
            ("update habit Priority 10", "update habit Priority=10"),
            ("delete where name=habit", "delete habit"),
            ("get name=habit", "get habit"),
            ("get where habit", "get habit"),
            ("delete set habit", "delete habit"),
            ("update where habit set Priority=10", "update habit Priority=10"),
            ("update where name=habit set Priority=10", "update habit Priority=10"),
            ("create set a1 Priority=10", "create a1 Priority=10"),
            ("create a1 name=foo Priority=10", "create a1,foo Priority=10"),
            ("create a1 Priority= 10", "create a1 Priority=10"),
            ("create a1 Priority =10", "create a1 Priority=10"),
            ("create a1 Priority = 10", "create a1 Priority=10"),
            ("update habit Flags += NoDecay", "update habit Flags+=NoDecay"),
            ("update habit MaxTRESPU= gpu=1", "update habit MaxTRESPU=gpu=1"),
            ("list where name=habit", "list habit"),
            ("list where habit", "list habit"),
            ("list Names=habit,normal", "list habit,normal"),
            ("list format=name,priority%10", "list --fields name,priority"),
            ("list format=name,prio,maxw", "list --fields name,Priority,MaxWall"),
            ("list where flags=nodecay format=name", "list --flag nodecay --fields name"),
        ]
        for typed, right in cases:
            with self.subTest(typed):
                result = self.qos(*typed.split(), rc=BAD_DATA)
                self.assertIn(f"'qosgate qos {right}'", result.stderr)
        self.assertFalse(self.exists("a1") or self.exists("set") or self.exists("foo"))
        self.assertEqual(self.stored("habit", "name,priority,flags,maxtrespu"), "habit|0||")

    def test_a_qos_is_not_renamed(self) -> None:
        self.qos("create", "rename1,rename2")

        result = self.qos("update", "rename1", "Name=rename2", "Priority=3", rc=BAD_DATA)

        said = "a QOS cannot be renamed: create 'rename2' and delete 'rename1'"
        self.assertIn(said, result.stderr)
        self.assertEqual(self.stored("rename1", "priority"), "0")
        self.assertEqual(self.stored("rename2", "priority"), "0")

    def test_one_argument_for_name_and_field_is_answered_with_two(self) -> None:
        for word in ("x1 Priority=3", " x1  Priority=3 "):
            with self.subTest(word):
                result = self.qos("create", word, rc=BAD_DATA)

                self.assertIn("names and fields are arguments of their own", result.stderr)
                self.assertIn("'qosgate qos create x1 Priority=3'", result.stderr)

    def test_a_text_may_end_with_an_equals_sign(self) -> None:
        self.qos("create", "equals1,equals2")

        self.qos("update", "equals1", "Description=a=", "equals2")

        self.assertEqual(self.record("equals2")["Description"], "a=")

    def test_a_name_that_may_not_be_given_can_be_changed_and_deleted(self) -> None:
        self.cluster.sacctmgr("add qos set,100%")

        self.qos("update", "set,100%", "Priority=3")
        self.assertEqual(self.record("100%")["Priority"], 3)
        self.qos("delete", "set", "100%")

    def test_errors_are_json_objects_too(self) -> None:
        error = self.json("get", "nosuch", rc=NOT_FOUND)["error"]
        usage = self.json("lst", rc=USAGE)["error"]

        self.assertEqual(error["code"], "not_found")
        self.assertIn("there is no QOS 'nosuch'", error["message"])
        self.assertEqual(usage["code"], "usage")


if __name__ == "__main__":
    main()
