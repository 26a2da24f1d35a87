#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What --help says about answers in JSON, from their schemas. Usage: json_help_test.py QOSGATE"""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from command_tree import all_commands, options_of
from qosgate_dev.testing import answers

QOSGATE = sys.argv.pop(1)
COMMON = {
    "$defs": {
        "error": {"description": "e", "properties": {"code": {"description": "c"}, "message": {"description": "m"}}},
        "time": {"type": "integer", "description": "seconds since 1970"},
        "job": {
            "type": "object",
            "properties": {
                "id": {"type": "integer", "description": "its number"},
                "kind": {"enum": ["batch", "step", None], "description": "what it is; null: not known"},
                "state": {"enum": ["odd"], "description": "odd: nobody knows"},
            },
        },
    }
}
SCHEMA: dict[str, Any] = {
    "then": {"properties": {"error": {"$ref": "common.json#/$defs/error", "properties": {"line": {"description": "l"}}}}},
    "else": {
        "properties": {
            "jobs": {"type": "array", "description": "in the queue", "items": {"$ref": "common.json#/$defs/job"}},
            "old": {
                "type": "array",
                "description": "that have ended",
                "items": {"$ref": "common.json#/$defs/job", "properties": {"end": {"$ref": "common.json#/$defs/time"}}},
            },
            "a": {"type": "integer", "description": "a number"},
            "b": {"type": ["array", "null"], "items": {"type": "string"}, "description": "a number"},
            "node": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/node"}], "description": "where; null: nowhere"},
        }
    },
    "$defs": {"node": {"type": "object", "properties": {"cpus": {"description": "how many"}, "host": {"description": "n"}}}},
}
HELP = """\
  jobs[]   in the queue
    id     its number
    kind   what it is: "batch" or "step"; null: not known
    state  "odd"; odd: nobody knows
  old[]    that have ended; members as in jobs[]
    end    seconds since 1970
  a, b[]   a number
  node     where; null: nowhere
    cpus   how many
    host   n
An error is {"error": {"code": ..., "message": ...}}; line may be in it, too."""


class JsonHelpTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="qosgate-json-help-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def make(self, schema: dict[str, Any]) -> subprocess.CompletedProcess:
        for name, content in (("common.json", COMMON), ("x.schema.json", schema)):
            (self.directory / name).write_text(json.dumps(content))
        command = [sys.executable, answers.SCHEMAS / "json_help.py", "x.cpp", "common.json", "x.schema.json"]
        return subprocess.run(command, cwd=self.directory, capture_output=True, text=True, timeout=20)

    def help_of(self, schema: dict[str, Any]) -> str:
        self.assertEqual(self.make(schema).stderr, "")
        return (self.directory / "x.cpp").read_text().partition("~~~~(")[2].partition(")~~~~")[0]

    def test_members_are_below_what_has_them(self) -> None:
        self.assertEqual(self.help_of(SCHEMA), HELP)

    def test_a_member_without_a_description_stops_the_build(self) -> None:
        for path in ("a", "node.cpus", "error.line"):
            schema = copy.deepcopy(SCHEMA)
            error = schema["then"]["properties"]["error"]
            members = schema["else"]["properties"] | schema["$defs"]["node"]["properties"] | error["properties"]
            del members[path.rpartition(".")[2]]["description"]
            with self.subTest(path):
                done = self.make(schema)
                self.assertEqual((done.returncode, done.stderr), (1, f"x.schema.json: {path} has no description\n"))

    def test_a_long_answer_has_names_where_texts_do_not_fit(self) -> None:
        schema = copy.deepcopy(SCHEMA)
        for number in range(42 - len(HELP.splitlines()) + 1):
            schema["else"]["properties"][f"m{number}"] = {"description": f"number {number}"}
        self.assertIn("    cpus   how many\n", self.help_of(schema))
        schema["else"]["properties"]["last"] = {"description": "too much"}
        shown = self.help_of(schema)
        self.assertIn("  old[]    that have ended; members as in jobs[]\n    end    seconds since 1970\n", shown)
        self.assertIn("  node     where; null: nowhere\n    cpus, host\n", shown)
        self.assertIn("  last     too much\nshare/qosgate/schemas/x.schema.json describes what has no text here.\n", shown)

    def test_a_definition_of_many_members_has_their_names(self) -> None:
        schema = copy.deepcopy(SCHEMA)
        many = {f"m{number}": {"description": f"number {number}"} for number in range(20)}
        schema["$defs"]["node"]["properties"] = many
        self.assertIn("    m0     number 0\n", self.help_of(schema))
        many["m20"] = {"description": "number 20"}
        self.assertIn("  node     where; null: nowhere\n    m0, m1, m2", self.help_of(schema))

    def test_every_answer_is_in_the_help_in_lines_that_fit(self) -> None:
        for path, text in all_commands(QOSGATE).items():
            if "--json" not in options_of(text) and path != ("eval",):
                continue
            with self.subTest(path):
                part = re.search(r"^(?:With --json|A verdict):\n((?:.+\n?)+)", text, re.MULTILINE)
                self.assertIsNotNone(part)
                lines = part[1].splitlines()
                self.assertLessEqual(len(lines), 44)
                self.assertLessEqual(max(map(len, lines)), 100)
                schema = answers.load_schema("-".join(path))
                for name in schema.get("else", schema).get("properties", {}):
                    self.assertRegex(part[1], rf"(?m)^  (?:\S+, )*{name}(?:\[\])?(?:,|  |$)")


if __name__ == "__main__":
    unittest.main()
