#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lua/api/qosgate.lua is what the command prints. Usage: policy_api_test.py QOSGATE"""

from __future__ import annotations

import re
import subprocess
import sys
import unittest
from pathlib import Path

QOSGATE = sys.argv.pop(1)
SHIPPED = Path(__file__).parents[2] / "lua/api/qosgate.lua"


class PolicyApi(unittest.TestCase):
    def setUp(self) -> None:
        self.printed = subprocess.run(
            [QOSGATE, "policy", "api"], capture_output=True, text=True, check=True, timeout=20
        ).stdout

    def test_the_shipped_file_is_what_the_command_prints(self) -> None:
        self.assertEqual(SHIPPED.read_text(), self.printed, f"make it new: qosgate policy api > {SHIPPED}")

    def test_names_have_types_and_meanings(self) -> None:
        for line in (
            "---@field qos string? the QOS, or the default one",
            "---@field cpus integer CPUs, counted (read-only)",
            "---@field now qosgate.view.now the time",
            "---@field hour number 0 to 23",
            "---@field DefaultTime number? nil: not set",
            "---@field MaxJobsPerUser number? ",
            "---@field MaxTRESPerUser table<string, number> ",
            "---@field overcommit boolean --overcommit",
            "---@field requeue boolean? ",
            "---@field jobs fun(filter: table<string, string>): number how many",
            "---@field parent qosgate.view.association? ",
            "---@field gpu qosgate.Gpu? ",
            "---@field qos fun(name: string): qosgate.view.qos? ",
            "---@field fits fun(self: qosgate.view.qos, job: qosgate.Job): boolean, string? ",
            "---@field headroom fun(self: qosgate.view.qos): qosgate.view.headroom what",
            "---@field rule_time_ms integer? ",
            "function Job:reject(format, ...) end",
            "function test(name) end",
            '---@overload fun(name: "names"): qosgate.names',
        ):
            self.assertIn("\n" + line, self.printed)

    def test_each_function_of_a_module_has_its_comment_and_its_parameters(self) -> None:
        for module in sorted((SHIPPED.parents[1] / "lib").glob("*.lua")):
            signatures = re.findall(r"^function M\.(.*)$", module.read_text(), re.MULTILINE)
            self.assertTrue(signatures, module)
            for signature in signatures:
                with self.subTest(f"{module.stem}.{signature}"):
                    before, found, _ = self.printed.partition(f"\nfunction {module.stem}.{signature} end\n")
                    self.assertTrue(found)
                    comment = before.rpartition("\nfunction ")[2] + "\n"
                    self.assertRegex(comment, r"\n---[A-Z]")
                    named = signature.partition("(")[2].rstrip(")").split(", ")
                    self.assertEqual(re.findall(r"---@param (\S+)", comment), named)


if __name__ == "__main__":
    unittest.main()
