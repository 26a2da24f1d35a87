#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The JSON Schema of spec files judges the samples as they are; tests/spec/schema_test.cpp asks the loader the same."""

from __future__ import annotations

import json
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "contrib/schemas/spec.schema.json").read_text())
SAMPLES = json.loads((ROOT / "tests/data/spec/samples.json").read_text())


class SpecSchemaTest(unittest.TestCase):
    def test_it_is_a_schema(self) -> None:
        jsonschema.Draft7Validator.check_schema(SCHEMA)

    def test_the_samples(self) -> None:
        validator = jsonschema.Draft7Validator(SCHEMA)
        self.assertEqual({sample["good"] for sample in SAMPLES}, {True, False})
        for sample in SAMPLES:
            with self.subTest(sample["what"]):
                problems = [error.message for error in validator.iter_errors(sample["spec"])]
                self.assertEqual(not problems, sample["good"], problems)

    def test_each_key_is_described(self) -> None:
        definitions = SCHEMA["definitions"]
        for name in ("spec", "qos_body", "shared_body", "access"):
            for key, value in definitions[name]["properties"].items():
                with self.subTest(name, key=key):
                    target = definitions.get(value.get("$ref", "").rpartition("/")[2], {})
                    self.assertTrue("description" in value or "description" in target or key == "$schema")


if __name__ == "__main__":
    unittest.main()
