# SPDX-License-Identifier: GPL-2.0-or-later
"""`qosgate qos` against a real slurmdbd: what it writes is what sacctmgr shows."""

from __future__ import annotations

from qosgate_dev.testing import main

from qos_cli import BAD_DATA, EXISTS, NOT_FOUND, USAGE, QosTestCase

# What to write, sacctmgr's column, and what it shows then.
FIELDS = [
    ("Description=Two words", "description", "Two words"),
    ("Priority=77", "priority", "77"),
    ("MaxWall=8:00:00", "maxwall", "08:00:00"),
    ("MaxTRESPerJob=cpu=4,mem=2G", "maxtres", "cpu=4,mem=2G"),
    ("MaxTRESPerNode=cpu=2", "maxtrespernode", "cpu=2"),
    ("MaxTRESPerUser=gpu=2", "maxtrespu", "gres/gpu=2"),
    ("MaxTRESPerAccount=node=3", "maxtrespa", "node=3"),
    ("MaxTRESMinsPerJob=cpu=60", "maxtresmins", "cpu=60"),
    ("MaxTRESRunMinsPerUser=cpu=61", "maxtresrunminspu", "cpu=61"),
    ("MaxTRESRunMinsPerAccount=cpu=62", "maxtresrunminspa", "cpu=62"),
    ("MaxJobsPerUser=5", "maxjobspu", "5"),
    ("MaxJobsPerAccount=6", "maxjobspa", "6"),
    ("MaxSubmitJobsPerUser=7", "maxsubmitpu", "7"),
    ("MaxSubmitJobsPerAccount=8", "maxsubmitpa", "8"),
    ("MaxJobsAccruePerUser=9", "maxjobsaccruepu", "9"),
    ("MaxJobsAccruePerAccount=10", "maxjobsaccruepa", "10"),
    ("MinTRESPerJob=gpu=1", "mintres", "gres/gpu=1"),
    ("MinPrioThreshold=11", "minpriothres", "11"),
    ("GrpTRES=cpu=24,mem=1T", "grptres", "cpu=24,mem=1T"),
    ("GrpTRESMins=cpu=63", "grptresmins", "cpu=63"),
    ("GrpTRESRunMins=cpu=64", "grptresrunmins", "cpu=64"),
    ("GrpJobs=0", "grpjobs", "0"),
    ("GrpSubmitJobs=12", "grpsubmit", "12"),
    ("GrpJobsAccrue=13", "grpjobsaccrue", "13"),
    ("GrpWall=1-0:0:0", "grpwall", "1-00:00:00"),
    ("Flags=DENY_LIMIT,NoDecay", "flags", "DenyOnLimit,NoDecay"),
    ("UsageFactor=0.3", "usagefactor", "0.300000"),
    ("UsageThreshold=0.25", "usagethres", "0.250000"),
    ("LimitFactor=2", "limitfactor", "2.000000"),
    ("Preempt=normal", "preempt", "normal"),
    ("PreemptMode=requeue", "preemptmode", "requeue"),
    ("PreemptExemptTime=5", "preemptexempttime", "00:05:00"),
    ("GraceTime=90", "gracetime", "00:01:30"),
]
COLUMNS = ",".join(column for _, column, _ in FIELDS)


def field_of(assignment: str) -> str:
    return assignment.partition("=")[0]


class Fields(QosTestCase):
    def shown(self, name: str) -> dict[str, str]:
        return dict(zip(COLUMNS.split(","), self.stored(name, COLUMNS).split("|"), strict=True))

    def test_the_table_of_this_test_has_all_fields_of_the_program(self) -> None:
        fields = {field["name"] for field in self.json("fields")["fields"]}

        self.assertEqual(fields - {"Name"}, {field_of(assignment) for assignment, _, _ in FIELDS})

    def test_creates_a_qos_with_every_field_set(self) -> None:
        self.qos("create", "full", *(assignment for assignment, _, _ in FIELDS))

        self.assertEqual(self.shown("full"), {column: value for _, column, value in FIELDS})

    def test_creates_a_qos_as_sacctmgr_does(self) -> None:
        self.qos("create", "Plain")
        self.cluster.sacctmgr("add qos theirs")

        ours, theirs = self.shown("plain"), self.shown("theirs")
        self.assertEqual(ours | {"description": ""}, theirs | {"description": ""})
        self.assertEqual(ours["description"], "plain")

    def test_updates_and_clears_every_field_alone(self) -> None:
        self.qos("create", "each", "Description=")
        empty = self.shown("each")
        clear_last: list[str] = []
        for assignment, column, value in FIELDS:
            with self.subTest(assignment):
                self.qos("update", "each", *clear_last, assignment)
                clear_last = [f"{field_of(assignment)}=unset"]
                self.assertEqual(self.shown("each"), empty | {column: value})
        self.qos("update", "each", *clear_last)
        self.assertEqual(self.shown("each"), empty)

    def test_a_tres_field_is_merged_per_tres(self) -> None:
        self.qos("create", "merge", "GrpTRES=cpu=8,gpu=4")

        self.qos("update", "merge", "GrpTRES=cpu=16")
        self.assertEqual(self.stored("merge", "grptres"), "cpu=16,gres/gpu=4")
        self.qos("update", "merge", "GrpTRES=gpu=-1")
        self.assertEqual(self.stored("merge", "grptres"), "cpu=16")

    def test_run_minutes_per_account_do_not_take_those_per_user(self) -> None:
        # sacctmgr's own modify does, on Slurm 22.05 to 23.11.
        both = "MaxTRESRunMinsPerUser=cpu=5,node=7"
        self.qos("create", "pa1,pa2", both, "MaxTRESRunMinsPerAccount=cpu=1,mem=9")

        self.qos("update", "pa1,pa2", "MaxTRESRunMinsPA=gpu=2,mem=-1")

        for name in ("pa1", "pa2"):
            self.assertEqual(self.stored(name, "maxtresrunminspa"), "cpu=1,gres/gpu=2")
            self.assertEqual(self.stored(name, "maxtresrunminspu"), "cpu=5,node=7")

    def test_flags_and_preempt_are_added_and_removed(self) -> None:
        self.qos("create", "words", "Flags=NoDecay", "Preempt=normal")
        self.qos("create", "words2")

        self.qos("update", "words", "Flags+=DenyOnLimit", "Flags-=NoDecay", "Preempt+=words2")
        self.assertEqual(self.stored("words", "flags"), "DenyOnLimit")
        self.assertEqual(self.stored("words", "preempt"), "normal,words2")
        self.qos("update", "words", "Preempt-=normal")
        self.assertEqual(self.stored("words", "preempt"), "words2")

    def test_run_minutes_per_account_may_become_those_per_user(self) -> None:
        # What slurmdbd 22.05 to 23.11 takes for no change.
        self.qos("create", "pa3,pa4", "MaxTRESRunMinsPU=cpu=5", "MaxTRESRunMinsPA=mem=9")
        self.qos("update", "pa4", "MaxTRESRunMinsPerUser=unset")

        self.qos("update", "pa3,pa4", "MaxTRESRunMinsPA=cpu=5,mem=-1", "MaxWall=60")
        for name, per_user in (("pa3", "cpu=5"), ("pa4", "")):
            columns = "maxtresrunminspa,maxtresrunminspu,maxwall"
            self.assertEqual(self.stored(name, columns), f"cpu=5|{per_user}|01:00:00")
        self.qos("update", "pa3,pa4", "MaxTRESRunMinsPA=unset")
        self.assertEqual(self.stored("pa3", "maxtresrunminspa,maxtresrunminspu"), "|cpu=5")
        self.assertEqual(self.stored("pa4", "maxtresrunminspa,maxtresrunminspu"), "|")

    def test_qos_cannot_preempt_each_other(self) -> None:
        self.qos("create", "low1")
        self.qos("create", "high1", "Preempt=low1")

        loop = self.qos("update", "low1", "Preempt=high1", rc=BAD_DATA)
        own = self.qos("update", "low1", "Preempt=low1", rc=BAD_DATA)

        self.assertIn("would preempt each other", loop.stderr)
        self.assertIn("would preempt each other", own.stderr)
        self.assertEqual(self.stored("low1", "preempt"), "")

    def test_a_new_qos_cannot_preempt_one_that_is_made_with_it(self) -> None:
        result = self.qos("create", "new1,new2", "Preempt=new2", rc=BAD_DATA)

        self.assertIn("QOS 'new2' is created by the same command", result.stderr)
        self.assertFalse(self.exists("new1") or self.exists("new2"))

    def test_texts_with_quotes_are_stored_as_they_are(self) -> None:
        for text in ("it's", 'say "hi"', "back\\slash", "größer | 100%"):
            with self.subTest(text):
                self.qos("create", "quote", f"Description={text}")
                self.assertEqual(self.record("quote")["Description"], text)
                self.qos("delete", "quote")


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

        # Two calls, for the QOSs change unlike: undo1 may have undo2 besides, undo2 not itself.
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


class Lists(QosTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for name, priority, wall in (("l-a", 10, 60), ("l-b", 30, 90), ("l-c", 20, -1)):
            cls.cluster.sacctmgr(f"add qos {name} priority={priority} maxwall={wall} flags=nodecay")
        cls.cluster.sacctmgr("modify qos l-b set flags+=denyonlimit grptres=cpu=5")

    def test_filters_by_pattern_priority_and_flag(self) -> None:
        self.assertEqual(self.names("l-*"), ["l-a", "l-b", "l-c"])
        self.assertEqual(self.names("L-[ab]", "normal"), ["l-a", "l-b", "normal"])
        self.assertEqual(self.names("l-*", "--min-priority", "20"), ["l-b", "l-c"])
        self.assertEqual(self.names("l-*", "--min-priority", "20", "--max-priority", "20"), ["l-c"])
        self.assertEqual(self.names("l-*", "--flag", "nodecay", "--flag", "DENY_LIMIT"), ["l-b"])
        self.assertEqual(self.names("L-A,l-b"), ["l-a", "l-b"])
        self.assertEqual(self.names("nosuch*"), [])
        self.assertEqual(self.names("l-a", "--flag", "DenyOnLimit"), [])

    def test_a_name_that_no_qos_has_is_an_error_as_for_get(self) -> None:
        for words in (["l-aa"], ["l-*", "l-aa"], ["l-b,l-aa"]):
            with self.subTest(words):
                listed = self.qos("list", *words, rc=NOT_FOUND)

                self.assertEqual(listed.stdout, "")
                self.assertEqual(listed.stderr, self.qos("get", "l-aa", rc=NOT_FOUND).stderr)

    def test_what_list_cannot_filter_by_is_refused(self) -> None:
        for word in ("Priority=10", "name=", "=x"):
            with self.subTest(word):
                result = self.qos("list", word, rc=BAD_DATA)
                self.assertIn("list takes names and options", result.stderr)
        for word in ("", ","):
            self.assertIn("an empty QOS name", self.qos("list", word, rc=BAD_DATA).stderr)

    def test_sorts_by_any_field_with_unset_last(self) -> None:
        self.assertEqual(self.names("l-*", "--sort", "Priority"), ["l-a", "l-c", "l-b"])
        self.assertEqual(self.names("l-*", "--sort", "-priority"), ["l-b", "l-c", "l-a"])
        self.assertEqual(self.names("l-*", "--sort=Priority", "--reverse"), ["l-b", "l-c", "l-a"])
        self.assertEqual(self.names("l-*", "--sort=MaxWall"), ["l-a", "l-b", "l-c"])
        self.assertEqual(self.names("l-*", "--sort=-MaxWall"), ["l-b", "l-a", "l-c"])

    def test_pages_and_tells_the_total(self) -> None:
        page = self.json("list", "l-*", "--limit", "2", "--offset", "1", "--fields", "Name")

        self.assertEqual(page, {"qos": [{"Name": "l-b"}, {"Name": "l-c"}], "total": 3, "offset": 1})
        self.assertEqual(self.names("l-*", "--offset", "3"), [])
        self.assertEqual(self.names("l-*", "--limit", "0"), [])
        for every in ("all", "-1"):
            self.assertEqual(self.names("l-*", "--limit", every), ["l-a", "l-b", "l-c"])

    def test_the_table_has_the_columns_in_which_something_is_set(self) -> None:
        table = self.qos("list", "l-[ab]").stdout.splitlines()

        self.assertEqual(
            [line.split() for line in table],
            [
                ["Name", "Priority", "MaxWall", "GrpTRES", "Flags"],
                ["l-a", "10", "01:00:00", "-", "NoDecay"],
                ["l-b", "30", "01:30:00", "cpu=5", "DenyOnLimit,NoDecay"],
            ],
        )

    def test_parsable_output_has_a_header_and_all_columns(self) -> None:
        lines = self.qos("list", "l-a", "--parsable").stdout.splitlines()
        few = self.qos("list", "l-a", "--parsable", "--fields", "maxwall,name").stdout

        self.assertEqual(len(lines), 2)
        self.assertEqual(len(lines[0].split("|")), len(lines[1].split("|")))
        self.assertEqual(len(lines[0].split("|")), len(FIELDS) + 1)
        self.assertEqual(few, "MaxWall|Name\n01:00:00|l-a\n")
        self.qos("update", "l-a", "Description=a|b")
        text = self.qos("list", "l-a", "--parsable", "--fields", "Description,Name").stdout
        self.assertEqual(text, "Description|Name\na\\x7cb|l-a\n")


if __name__ == "__main__":
    main()
