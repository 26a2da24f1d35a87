#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The schemas in contrib/schemas, and answers that need no daemon. Usage: schemas_test.py QOSGATE slurm|none"""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from command_tree import all_commands, commands_of, options_of
from qosgate_dev.testing import answers
from qosgate_dev.testing.cluster import run_command

HAS_SLURM = sys.argv.pop(2) == "slurm"
QOSGATE = str(Path(sys.argv.pop(1)).resolve())
SHIPPED = Path(__file__).resolve().parents[2] / "lua/rules"
WORLD = {
    "captured_at": 1_795_000_000,
    "enforce": ["associations", "limits", "qos"],
    "qos": [{"name": "q", "MaxWall": 480, "GrpTRES": {"cpu": 8}, "usage": {"users": {"1000": {"tres": {"cpu": 6}}}}}],
    "associations": [
        {"level": "root", "account": "root"},
        {"level": "account", "account": "bio", "parent": 0, "GrpTRES": {"mem": 4096}},
        {"level": "user", "user": 1000, "user_name": "ana", "account": "bio", "parent": 1, "default_qos": "q",
         "permitted_qos": ["q"]},
    ],
    "partitions": [{"name": "main", "is_default": True}],
}
SCENARIO = {
    "id": "one", "enforce": ["limits"], "qos": [{"name": "q", "MaxWall": 60, "flags": ["DenyOnLimit"]}],
    "job": {"qos": "q", "time_limit": 60},
}
RECORD = {
    "time": "2026-11-20T09:12:44.120934Z", "id": "a-1", "uid": 1000, "user": "ana", "outcome": "accepted", "request": {},
    "candidate": {"policy": "0" * 16, "differs": ["outcome", "job"], "outcome": "refused", "rules": ["r"],
                  "changes": ["qos: q -> p"]},
}
SPEC = """owner: base
silence:
  - { code: normal-changed, reason: a small cluster }
qos:
  night: { template: low, MaxTRESPerUser: { cpu: 9 }, GrpTRES: { cpu: 8, gpu: 25% }, access: { accounts: [bio] } }
  normal: { GrpJobs: 5 }
templates:
  low: { GrpJobs: 0 }
"""
BROKEN = 'rule { name = "x", submit = function(job) job.qos = (1) end }\n'
TEST = 'test "ana" { job = { user = "ana" }, expect = { reject = "no" } }\n'


def subschemas(schema: object, path: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects within a schema that describe something, with their places."""
    if isinstance(schema, list):
        for number, each in enumerate(schema):
            yield from subschemas(each, f"{path}[{number}]")
    if isinstance(schema, dict):
        yield path, schema
        for key, each in schema.items():
            if key not in ("enum", "required"):
                yield from subschemas(each, f"{path}.{key}")


def is_definition(path: str) -> bool:
    """Whether others refer to it."""
    return path.startswith("$.$defs.") and path.count(".") == 2


class SchemasTest(unittest.TestCase):
    def test_each_command_that_answers_in_json_has_a_schema_and_each_schema_a_command(self) -> None:
        commands = {"-".join(path): text for path, text in all_commands(QOSGATE).items() if not commands_of(text)}
        asked = {name for name, text in commands.items() if "--json" in options_of(text)}
        names = set(answers.schema_names())

        self.assertGreater(len(asked), 20 if HAS_SLURM else 4)
        self.assertEqual(asked - names, set(), "commands without a schema")
        self.assertEqual(names - set(commands), set(), "schemas without a command")

    def test_each_is_a_schema(self) -> None:
        import jsonschema

        for name in answers.schema_names():
            with self.subTest(name):
                jsonschema.Draft202012Validator.check_schema(answers.load_schema(name))

    def test_no_other_member_is_allowed_or_required(self) -> None:
        for name in answers.schema_names():
            for path, schema in subschemas(answers.load_schema(name)):
                with self.subTest(name, path=path):
                    members = schema.get("properties")
                    if not isinstance(members, dict) or path.endswith("properties"):
                        continue
                    is_open = is_definition(path)
                    is_closed = False in (schema.get("additionalProperties"), schema.get("unevaluatedProperties"))
                    self.assertTrue(is_closed or is_open, "any member would be allowed")
                    self.assertLessEqual(set(schema.get("required", ())), set(members))

    def test_an_open_definition_is_closed_where_it_is_used_but_in_another_one(self) -> None:
        for name in answers.schema_names():
            root = answers.load_schema(name)
            is_open = {
                f"#/$defs/{key}" for key, part in root["$defs"].items()
                if ("properties" in part or part.get("$ref") == "#/$defs/qos_record") and "additionalProperties" not in part
            }
            for path, schema in subschemas(root):
                if schema.get("$ref") in is_open and not is_definition(path):
                    with self.subTest(name, path=path):
                        self.assertIs(schema.get("unevaluatedProperties"), False)

    def test_the_fields_of_a_qos_are_those_of_the_program(self) -> None:
        done = subprocess.run([QOSGATE, "qos", "fields", "--json"], capture_output=True, text=True, timeout=20)
        fields = [field["name"] for field in json.loads(done.stdout)["fields"]]
        parts = answers.load_schema("qos-list")["$defs"]

        self.assertEqual(list(parts["qos_record"]["properties"]), fields)
        self.assertEqual(parts["full_qos_record"]["required"], fields)
        self.assertEqual(parts["qos_field"]["enum"], fields)

    def test_what_is_missing_wrong_or_too_much_is_found(self) -> None:
        good = {"reasons": [{"reason": "None", "set_by": None, "limit": None, "tres": [], "meaning": "a", "waiting": "b",
                             "change": "c"}]}
        self.assertEqual(answers.find_problems("reason", good), [])
        for change, problem in (
            (lambda answer: answer.pop("reasons"), "'reasons' is a required property"),
            (lambda answer: answer.update(more=1), "'more' was unexpected"),
            (lambda answer: answer["reasons"][0].update(more=1), "'more' was unexpected"),
            (lambda answer: answer["reasons"][0].update(meaning=7), "7 is not of type 'string'"),
            (lambda answer: answer["reasons"][0].update(set_by="me"), "'me' is not one of"),
            (lambda answer: answer.update(error={"code": "not_found"}), "'message' is a required property"),
            (lambda answer: answer.update(error={"code": "odd", "message": "x"}), "'odd' is not one of"),
        ):
            bad = copy.deepcopy(good)
            change(bad)
            with self.subTest(problem):
                self.assertIn(problem, " ".join(answers.find_problems("reason", bad)))
        self.assertTrue(answers.find_problems("reason", [good]))

    def test_a_member_that_an_open_definition_does_not_have_is_found(self) -> None:
        sums = {"differing": 0, "refused": 0, "accepted": 0, "refused_otherwise": 0, "job_differs": 0, "message_differs": 0,
                "examples": []}
        answer = {"status": "ok", "policy": "0" * 16, "compared": 1, "first": "", "last": "", **sums, "rules": [],
                  "users": [{"user": "ana", **sums}], "fields": {}, "other_policies": [], "unreadable": 0, "lost": 0}
        self.assertEqual(answers.find_problems("policy-diff", answer), [])
        answer["users"][0]["more"] = 1
        self.assertIn("'more' was unexpected", " ".join(answers.find_problems("policy-diff", answer)))

    def test_an_answer_belongs_to_its_command_line_and_exit_status(self) -> None:
        failure = json.dumps({"error": {"code": "not_found", "message": "x"}})
        answers.check_answer([QOSGATE, "reason", "x", "--json"], 66, failure)
        answers.check_answer([QOSGATE, "lst", "--json"], 66, failure)
        answers.check_answer([QOSGATE, "policy", "test", "--", "--json"], 0, "words")
        answers.check_answer([QOSGATE, "qos", "fields", "x"], 66, "words")
        answers.check_answer(["squeue", "--json"], 3, "words")
        answers.check_answer([QOSGATE, "reason", "--json"], -15, "")
        for words, status, answer in (
            (["reason", "x", "--json"], 64, failure),
            (["reason", "x", "--json"], 0, "words"),
            (["--json", "reason", "x"], 0, "{}"),
            (["lst", "--json"], 64, "{}"),
            (["qos", "fields", "x"], 77, "a status that its help does not list"),
        ):
            with self.subTest(words, status=status), self.assertRaises(answers.AnswerWrong):
                answers.check_answer([QOSGATE, *words], status, answer)

    def test_a_cluster_test_that_gets_a_wrong_answer_fails(self) -> None:
        with tempfile.TemporaryDirectory(prefix="qosgate-schemas-") as directory:
            program = Path(directory) / "qosgate"
            script = f'[ "$2" != --help ] || exec {QOSGATE} "$@"\necho \'{{"reasons": []\'"$ENDING"\n'
            program.write_text("#!/bin/sh\n" + script)
            program.chmod(0o755)
            for ending, is_right in (("}", True), (', "more": 1}', False), ("", False)):
                with self.subTest(ending):
                    command = ([str(program), "reason", "--json"], 20.0)
                    if is_right:
                        self.assertEqual(run_command(*command, env={"ENDING": ending}).rc, 0)
                        continue
                    with self.assertRaisesRegex(answers.AnswerWrong, "reason --json: "):
                        run_command(*command, env={"ENDING": ending})


class AnswersTest(unittest.TestCase):
    """Of the commands that need no daemon."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="qosgate-schemas-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = Path(directory.name)
        (cls.directory / "world.json").write_text(json.dumps(WORLD))
        (cls.directory / "records").write_text(json.dumps(RECORD) + "\nhalf\n")
        for name, rules in (("good", SHIPPED), ("bad", None)):
            (cls.directory / name / "tests").mkdir(parents=True)
            for rule in rules.glob("*.lua") if rules else ():
                shutil.copy(rule, cls.directory / name)
        shutil.copytree(SHIPPED / "data", cls.directory / "good/data")
        (cls.directory / "bad/10-x.lua").write_text(BROKEN)
        (cls.directory / "bad/tests/x.lua").write_text(TEST)
        (cls.directory / "bad/next").mkdir()
        (cls.directory / "bad/next/10-y.lua").write_text("rule {\n")

    def ask(self, *words: str, status: int = 0, stdin: str = "") -> Any:
        """The answer, which has passed its schema."""
        command = [QOSGATE, *words, "--json"]
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=60, cwd=self.directory, env={"TZ": "UTC"}
        )
        self.assertEqual(done.returncode, status, done.stderr)
        answers.check_answer(command, done.returncode, done.stdout)
        return json.loads(done.stdout)

    def test_reasons(self) -> None:
        self.ask("reason", "--all")
        self.assertIn("error", self.ask("reason", "Priority", "Nonsense", status=66))
        self.assertEqual(self.ask("reason", status=64)["error"]["code"], "usage")

    def test_fields(self) -> None:
        self.ask("qos", "fields")
        self.ask("qos", "fields", "nothing", status=66)

    def test_policies(self) -> None:
        self.assertEqual(self.ask("policy", "check", "good", "--no-owner-check")["findings"], [])
        bad = self.ask("policy", "check", "bad", "--no-owner-check", status=1)
        self.assertEqual((bad["next"]["loads"], bad["next"]["hash"]), (False, None))
        self.assertEqual(self.ask("policy", "test", "bad", status=1)["failed"], 1)
        self.ask("policy", "check", "none", status=66)
        self.ask("policy", "test", "good", status=66)

    def test_differences(self) -> None:
        answer = self.ask("policy", "diff", "records", status=1)
        self.assertEqual((answer["refused"], answer["unreadable"], answer["fields"]), (1, 1, {"qos": 1}))
        self.ask("policy", "diff", "nothing", status=66)

    def test_verdicts(self) -> None:
        lines = [json.dumps(SCENARIO | {"job": {"qos": "q", "time_limit": time}}) for time in (60, 61, "UNLIMITED")]
        for options in ((), ("--stage", "submit")):
            done = subprocess.run(
                [QOSGATE, "eval", *options], input="\n".join(lines), capture_output=True, text=True, timeout=20
            )
            verdicts = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual([verdict["submit"] == "ok" for verdict in verdicts], [True, False, False])
            for verdict in verdicts:
                self.assertEqual(answers.find_problems("eval", verdict), [])

    @unittest.skipUnless(HAS_SLURM, "the command needs Slurm's library")
    def test_limits(self) -> None:
        self.ask("limits", "--world", "world.json", "--user", "ana")
        self.ask("limits", "--world", "world.json", "--user", "ana", "--all")
        self.ask("limits", "--world", "world.json", "--user", "ben", status=66)

    @unittest.skipUnless(HAS_SLURM, "the command needs Slurm's library")
    def test_specs_without_a_cluster(self) -> None:
        (self.directory / "a.yaml").write_text(SPEC)
        answer = self.ask("spec", "lint", "--offline", "a.yaml", status=2)
        self.assertEqual(
            [(each["code"], each["file"], each["line"], each["cure"]) for each in answer["findings"]],
            [("limit-never-binds", "a.yaml", 5, "# a.yaml:5: QOS night: take cpu out of MaxTRESPerUser"),
             ("zero-limit", "a.yaml", 8, "# a.yaml:8: QOS night: if jobs are meant to be let in, unset it: GrpJobs: unset")],
        )
        self.assertEqual([each["reason"] for each in answer["silenced"]], ["a small cluster"])
        ignored = self.ask("spec", "lint", "--offline", "a.yaml", "--ignore", "zero-limit", status=2)
        self.assertEqual([each["code"] for each in ignored["findings"]], ["limit-never-binds"])
        (self.directory / "b.yaml").write_text(SPEC.replace("GrpJobs: 0", "GrpJob: 0"))
        problem = self.ask("spec", "lint", "--offline", "b.yaml", status=65)["error"]["problems"][0]
        self.assertEqual((problem["file"], problem["line"]), ("b.yaml", 8))
        self.ask("spec", "lint", "--offline", "none.yaml", status=66)

    @unittest.skipUnless(HAS_SLURM, "the command needs Slurm's library")
    def test_what_is_kept_on_this_machine(self) -> None:
        state = str(self.directory / "state")
        self.assertEqual(self.ask("access", "list", "--state", state)["grants"], [])
        self.assertEqual(self.ask("access", "expire", "--state", state)["revoked"], [])
        self.assertEqual(self.ask("spec", "history", "--history", f"{state}/history")["entries"], [])
        self.ask("spec", "history", "7", "--history", f"{state}/history", status=66)
        (self.directory / "state/grants.jsonl").write_text('{"qos": "night"}\n')
        self.assertIn("grants.jsonl:1: ", self.ask("access", "list", "--state", state, status=65)["error"]["message"])

    def test_an_unknown_command(self) -> None:
        self.assertEqual(self.ask("lst", status=64)["error"]["code"], "usage")
        self.assertEqual(self.ask("qos", "lst", status=64)["error"]["code"], "usage")


if __name__ == "__main__":
    unittest.main()
