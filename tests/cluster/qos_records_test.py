# SPDX-License-Identifier: GPL-2.0-or-later
"""Fields and lists of `qosgate qos` against a real slurmdbd: what it writes is what sacctmgr shows."""

from __future__ import annotations

import os
import random
from pathlib import Path

from qosgate_dev.testing import main

from qos_cli import BAD_DATA, NOT_FOUND, QosTestCase

BUILD = Path(os.environ.get("QG_BUILD_ROOT", "build")).absolute()

# The setting to write, sacctmgr's column, and what it shows then.
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
        # slurmdbd 22.05 to 23.11 counts this as no change.
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

    def test_new_qos_cannot_preempt_each_other(self) -> None:
        result = self.qos("create", "new1,new2", "Preempt=new2", rc=BAD_DATA)

        self.assertIn("would preempt each other", result.stderr)
        self.assertFalse(self.exists("new1") or self.exists("new2"))

    def test_texts_with_quotes_are_stored_as_they_are(self) -> None:
        for text in ("it's", 'say "hi"', "back\\slash", "größer | 100%"):
            with self.subTest(text):
                self.qos("create", "quote", f"Description={text}")
                self.assertEqual(self.record("quote")["Description"], text)
                self.qos("delete", "quote")


# Other values: zero, the largest that is stored, several TRES.
OTHERS = [
    ("Description=it's|9", "description", "it's|9"),
    ("Priority=0", "priority", "0"),
    ("MaxWall=0", "maxwall", "00:00:00"),
    ("MaxTRESPerJob=cpu=0,gpu=1", "maxtres", "cpu=0,gres/gpu=1"),
    ("MaxTRESPerNode=mem=1G", "maxtrespernode", "mem=1G"),
    ("MaxTRESPerUser=cpu=0", "maxtrespu", "cpu=0"),
    ("MaxTRESPerAccount=cpu=1,mem=1T,gpu=0", "maxtrespa", "cpu=1,gres/gpu=0,mem=1T"),
    ("MaxTRESMinsPerJob=gpu=9", "maxtresmins", "gres/gpu=9"),
    ("MaxTRESRunMinsPerUser=mem=5", "maxtresrunminspu", "mem=5M"),
    ("MaxTRESRunMinsPerAccount=mem=5", "maxtresrunminspa", "mem=5M"),
    ("MaxJobsPerUser=0", "maxjobspu", "0"),
    ("MaxJobsPerAccount=2147483647", "maxjobspa", "2147483647"),
    ("MaxSubmitJobsPerUser=0", "maxsubmitpu", "0"),
    ("MaxSubmitJobsPerAccount=0", "maxsubmitpa", "0"),
    ("MaxJobsAccruePerUser=0", "maxjobsaccruepu", "0"),
    ("MaxJobsAccruePerAccount=0", "maxjobsaccruepa", "0"),
    ("MinTRESPerJob=node=2", "mintres", "node=2"),
    ("MinPrioThreshold=0", "minpriothres", "0"),
    ("GrpTRES=gpu=0", "grptres", "gres/gpu=0"),
    ("GrpTRESMins=gpu=1", "grptresmins", "gres/gpu=1"),
    ("GrpTRESRunMins=mem=7", "grptresrunmins", "mem=7M"),
    ("GrpJobs=2147483647", "grpjobs", "2147483647"),
    ("GrpSubmitJobs=0", "grpsubmit", "0"),
    ("GrpJobsAccrue=0", "grpjobsaccrue", "0"),
    ("GrpWall=1", "grpwall", "00:01:00"),
    ("Flags=NoReserve", "flags", "NoReserve"),
    ("UsageFactor=0", "usagefactor", "0.000000"),
    ("UsageThreshold=0", "usagethres", "0.000000"),
    ("LimitFactor=0.5", "limitfactor", "0.500000"),
    ("Preempt=kept", "preempt", "kept"),
    ("PreemptMode=suspend,gang", "preemptmode", "gang,suspend"),
    ("PreemptExemptTime=0", "preemptexempttime", "00:00:00"),
    ("GraceTime=1", "gracetime", "00:00:01"),
]


class Combinations(QosTestCase):
    """Many QOSs with random combinations of fields, written in a few calls."""

    COUNT = 40

    def shown(self) -> dict[str, dict[str, str]]:
        lines = self.cluster.sacctmgr(f"-n -P show qos format=name,{COLUMNS}").stdout.splitlines()
        # A description may have a bar, but no field before it.
        names = COLUMNS.split(",")
        found = {}
        for line in lines:
            parts = line.split("|")
            while len(parts) > len(names) + 1:
                parts[1:3] = ["|".join(parts[1:3])]
            columns = dict(zip(names, parts[1:], strict=True))
            for column, value in columns.items():
                if "=" in value:
                    columns[column] = ",".join(sorted(value.split(",")))
            found[parts[0]] = columns
        return found

    def test_every_field_is_created_changed_and_cleared_in_any_combination(self) -> None:
        helper = str(BUILD / "tests/cluster/helpers/apply_plan")
        random_fields = random.Random(15)
        self.qos("create", "kept", "Description=")
        unset = self.shown()["kept"]
        names = [f"mix{n}" for n in range(self.COUNT)]
        wanted = {name: dict(unset) for name in names}
        clear = [(f"{field_of(assignment)}=unset", column, unset[column]) for assignment, column, _ in FIELDS]
        for verb, values in (("create", FIELDS), ("update", OTHERS), ("update", clear), ("update", OTHERS)):
            changes = []
            for name in names:
                count = random_fields.choice([1, 2, 5, len(values)])
                chosen = [row for row in random_fields.sample(values, count) if " " not in row[0]]
                changes.append(" ".join([verb, name, *(assignment for assignment, _, _ in chosen)]))
                for assignment, column, value in chosen:
                    wanted[name][column] = merged(wanted[name][column], assignment, value)

            result = self.cluster.run([helper, *changes])

            self.assertTrue(result.stdout.endswith("\napplied\n"), str(result))
            shown = self.shown()
            for name, change in zip(names, changes, strict=True):
                self.assertEqual(shown[name], wanted[name], change)


def merged(before: str, assignment: str, value: str) -> str:
    """What sacctmgr shows of a field after an assignment: TRES are merged."""
    if "TRES" not in field_of(assignment) or not value:
        return value
    counts = dict(part.split("=") for part in [*before.split(","), *value.split(",")] if part)
    return ",".join(sorted(f"{tres}={count}" for tres, count in counts.items()))


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
        self.assertEqual(self.qos("list", "l-a", "--parsable", "--columns", "maxwall,name").stdout, few)
        self.qos("update", "l-a", "Description=a|b")
        text = self.qos("list", "l-a", "--parsable", "--fields", "Description,Name").stdout
        self.assertEqual(text, "Description|Name\na\\x7cb|l-a\n")


if __name__ == "__main__":
    main()
