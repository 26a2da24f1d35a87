#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate policy test: what passes, what fails and why, exit statuses. Usage: policy_test_test.py QOSGATE"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

QOSGATE = sys.argv.pop(1)
DOCUMENTS = Path(__file__).resolve().parents[2] / "contrib/doc"
SHIPPED = Path(__file__).resolve().parents[2] / "lua/rules"
RULE = """rule {
    name = "small debug",
    submit = function(job)
        if job.nodes > 2 then job:reject("at most 2 nodes") end
        job.qos = "debug"
    end,
}
"""
OVERFLOW = """rule {
    submit = function(job, view)
        local gpu = view.qos("gpu")
        if view.now.hour ~= 22 or view.user.admin_level ~= "operator" or not view.partition("main") then return end
        if gpu:headroom().tres.gpu < job.gpus and not gpu:fits(job) then job.qos = "gpu-low" end
    end,
}
"""
PASSES = 'test "small" { job = { nodes = 2 }, expect = { accept = true, job = { qos = "debug" } } }\n'
FAILS = 'test "large" { job = { nodes = 3 }, expect = { accept = true } }\n'


def run(*words: str | Path) -> subprocess.CompletedProcess:
    command = [QOSGATE, "policy", "test", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=20)


class PolicyTestTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="qosgate-test-")
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)
        (self.directory / "tests").mkdir()
        (self.directory / "10-debug.lua").write_text(RULE)

    def write(self, text: str) -> None:
        (self.directory / "tests/debug.lua").write_text(text)

    def test_a_test_gives_reservations_and_the_job_before(self) -> None:
        (self.directory / "10-debug.lua").write_text(
            "rule { modify = function(job, before, view)\n"
            '    local maintenance = view.reservation("maint")\n'
            "    if maintenance and job.time_limit > before.time_limit then\n"
            '        job:reject("%s until %d", maintenance.Users[1], maintenance.EndTime)\n'
            "    end\n"
            "end }\n"
        )
        reservation = '{ name = "%s", users = { "ana" }, end_time = 1795003600 }'
        for name, expected in (("maint", 'reject = "ana until 1795003600"'), ("other", "accept = true")):
            self.write(
                'test "x" { before = { time_limit = 60 }, job = { time_limit = 61 },'
                f" given = {{ reservations = {{ {reservation % name} }} }}, expect = {{ {expected} }} }}\n"
            )
            self.assertEqual(run(self.directory).returncode, 0, run(self.directory))

    def test_tests_that_pass(self) -> None:
        self.write(PASSES)
        done = run(self.directory)

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "ok      tests/debug.lua:1: small\n1 test, 0 failed\n")

    def write_overflow(self, given: str) -> None:
        (self.directory / "10-debug.lua").write_text(OVERFLOW)
        self.write(
            'test "overflow" { job = { qos = "gpu", gpus = 2 }, given = { ' + given + " },"
            ' expect = { accept = true, job = { qos = "gpu-low" } } }'
        )

    def test_a_test_gives_what_view_shows(self) -> None:
        usage = "usage = { users = { [1000] = { tres = { gpu = %d } } } }"
        for used, passes in ((3, True), (2, False)):
            self.write_overflow(
                'now = "2026-07-20 22:30", qos = { { name = "gpu", MaxTRESPerUser = { gpu = 4 }, '
                + usage % used
                + ' }, { name = "gpu-low" } }, partitions = { { name = "main", max_time = math.huge } },'
                ' users = { { user = 1000, admin_level = "operator" } }'
            )
            done = run(self.directory)
            self.assertEqual((done.returncode, done.stderr), (0 if passes else 1, ""), done.stdout)

    def test_a_test_gives_groups(self) -> None:
        (self.directory / "10-debug.lua").write_text(
            "rule { submit = function(job, view)\n"
            '    if not view.user.in_group("gpu") then job:reject("not for %s", view.user.groups[1] or "you") end\n'
            "end }\n"
        )
        for given, expected in (
            ('user = { groups = { "staff", "gpu" } }', "accept = true"),
            ('user = { groups = { "staff" } }', 'reject = "not for staff"'),
            ("user = { groups = {} }", 'reject = "not for you"'),
            ('users = { { user = 1000, groups = { "gpu" } } }', "accept = true"),
            ('users = { { user = 1000, groups = { "gpu" } } }, user = { groups = {} }', "reject = true"),
            ('users = { { user = 1001, groups = { "gpu" } } }', 'reject = "not for you"'),
            ('now = "2026-07-20 22:30"', 'reject = "not for you"'),
        ):
            with self.subTest(given):
                self.write(f'test "x" {{ job = {{}}, given = {{ {given} }}, expect = {{ {expected} }} }}\n')
                done = run(self.directory)
                self.assertEqual(done.returncode, 0, done)

    def test_a_rule_that_reads_view_breaks_no_test_of_others(self) -> None:
        (self.directory / "20-view.lua").write_text(
            "rule { submit = function(job, view)\n"
            '    job:note("%s %s %s %s %d %s %s", view.user.name, view.user.admin_level, view.user.in_group("gpu"),\n'
            '        view.partition("gpu"), view.now.hour, view.qos("gpu"), view.accounts()[1])\n'
            "    if view.sender.in_group(\"gpu\") or view.association().account == job.account then job:reject(\"no\") end\n"
            "end }\n"
        )
        self.write(
            'test "small" { job = { nodes = 2, submit_uid = 7 },'
            ' expect = { accept = true, note = "user none false nil 12 nil account", job = { account = unset } } }\n'
        )
        done = run(self.directory)
        self.assertEqual(done.returncode, 0, done)

    def test_a_file_gives_all_its_tests_something(self) -> None:
        (self.directory / "10-debug.lua").write_text(
            "rule { submit = function(job, view)\n"
            '    job:reject("%s %s %s", job.qos, job.account, view.user.groups[1] or "none")\n'
            "end }\n"
        )
        given = 'given { qos = "gpu", account = "bio", user = { groups = { "lab" } } }\n'
        for table, told in (
            ("", "gpu bio lab"),
            ('given = { qos = "debug" }', "debug bio lab"),
            ("given = { qos = unset, user = { groups = {} } }", "nil bio none"),
        ):
            with self.subTest(table):
                self.write(given + f'test "x" {{ {table + "," if table else ""} expect = {{ reject = "{told}" }} }}\n')
                done = run(self.directory)
                self.assertEqual(done.returncode, 0, done)
        self.write(given + 'test "groups that are not known" { given = { user = {} }, expect = { fails = true } }\n')
        self.assertEqual(run(self.directory).returncode, 0)
        for text, complaint in (
            ('test "x" { expect = { accept = true } }\ngiven {}\n', "debug.lua:2: given stands before the tests"),
            ("given {}\ngiven {}\n", "debug.lua:2: given stands once in a file"),
            ("given(1)\n", "debug.lua:1: given takes a table or the name of a capture"),
        ):
            with self.subTest(text):
                self.write(text)
                done = run(self.directory)
                self.assertEqual(done.returncode, 65)
                self.assertIn(complaint, done.stderr)

    def test_the_manuals_test_with_a_view_passes_its_rule(self) -> None:
        examples = [
            example
            for page in ("rules-view.md", "rules-tests.md")
            for example in re.findall(r"```lua\n(.*?)```", (DOCUMENTS / page).read_text(), re.DOTALL)
        ]
        (rule,) = (text for text in examples if 'name = "overflow of gpu"' in text)
        (test,) = (text for text in examples if "goes to gpu-low" in text)
        (self.directory / "10-debug.lua").write_text(rule)
        self.write(test)
        done = run(self.directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_what_view_shows_is_read_strictly(self) -> None:
        for given, complaint in (
            ('now = "tonight"', 'given: now cannot be "tonight": write "2026-07-20 22:30"'),
            ('qos = { { name = "gpu", MaxTRESPerUsr = {} } }', "qos[0].MaxTRESPerUsr: is not a key of a scenario here"),
            ("partition = {}", "did you mean partitions?"),
            ('users = { { user = 1000, admin_level = "boss" } }', "must be none, operator or administrator"),
            ('tres = { "cpu" }', "given: tres cannot be given"),
        ):
            with self.subTest(given):
                self.write_overflow(given)
                done = run(self.directory)
                self.assertEqual(done.returncode, 1)
                self.assertIn(complaint, done.stdout)

    def test_a_test_that_fails_shows_why_and_what_the_rules_did(self) -> None:
        self.write(PASSES + FAILS)
        done = run(self.directory)

        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual(
            done.stdout,
            "ok      tests/debug.lua:1: small\n"
            "FAILED  tests/debug.lua:2: large\n"
            "        expect.accept: the job was rejected: at most 2 nodes\n"
            "        rule 'small debug' (10-debug.lua): rejected: at most 2 nodes\n"
            "2 tests, 1 failed\n",
        )

    def test_several_rejections_are_lines(self) -> None:
        (self.directory / "20-other.lua").write_text('rule { submit = function(job) job:reject("nor this") end }\n')
        self.write(FAILS)
        done = run(self.directory)

        self.assertEqual(done.returncode, 1)
        self.assertIn(
            "        expect.accept: the job was rejected: rule 'small debug': at most 2 nodes\n"
            "          rule '20-other': nor this\n",
            done.stdout,
        )

    def test_a_test_in_which_no_rule_runs_says_so(self) -> None:
        (self.directory / "10-debug.lua").write_text('rule { modify = function(job) job:reject("no") end }\n')
        self.write(PASSES.replace(', job = { qos = "debug" }', ""))
        done = run(self.directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(
            done.stdout,
            "ok      tests/debug.lua:1: small\n"
            "        no rule ran, because none runs for new jobs; if that is meant, write expect = { runs = false }\n"
            "1 test, 0 failed, 1 ran no rule\n",
        )
        (test,) = json.loads(run(self.directory, "--json").stdout)["tests"]
        self.assertEqual((test["passed"], len(test["warnings"]), test["rules"]), (True, 1, []))

        self.write('test "small" { expect = { runs = false } }\n')
        self.assertTrue(run(self.directory).stdout.endswith("\n1 test, 0 failed\n"))
        (self.directory / "10-debug.lua").write_text(RULE)
        self.assertEqual(run(self.directory).returncode, 1)
        (test,) = json.loads(run(self.directory, "--json").stdout)["tests"]
        self.assertEqual((test["warnings"], test["rules"]), ([], ["small debug"]))

    def test_coverage_is_told_by_rule_and_line(self) -> None:
        (self.directory / "20-change.lua").write_text('rule { modify = function(job) job:note("x") end }\n')
        self.write(PASSES)
        done = run(self.directory, "--coverage")

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(
            done.stdout,
            "ok      tests/debug.lua:1: small\n"
            "1 test, 0 failed\n"
            "\n"
            "RULE         FILE           SUBMIT  MODIFY  CLIENT\n"
            "small debug  10-debug.lua        1       0       -\n"
            "20-change    20-change.lua       -       0       -\n"
            "\n"
            "FILE           LINES  RUN  NOT RUN\n"
            "10-debug.lua       2    2  -\n"
            "20-change.lua      1    0  1\n",
        )

    def test_lines_that_no_test_ran_are_told(self) -> None:
        (self.directory / "10-debug.lua").write_text(
            RULE.replace('job:reject("at most 2 nodes") end', '\n            job:reject("at most 2 nodes")\n        end')
        )
        self.write(PASSES)
        answer = json.loads(run(self.directory, "--coverage", "--json").stdout)["coverage"]
        self.assertEqual(answer["rules"], [
            {"rule": "small debug", "file": "10-debug.lua", "tests": 1, "submit": 1, "modify": 0, "client": None}
        ])
        self.assertEqual(answer["files"][0]["file"], "10-debug.lua")
        self.assertEqual(answer["files"][0]["lines_not_run"], [5])

        self.write(PASSES + FAILS.replace("accept = true", "reject = true"))
        answer = json.loads(run(self.directory, "--coverage", "--json").stdout)["coverage"]
        self.assertEqual((answer["rules"][0]["tests"], answer["files"][0]["lines_not_run"]), (2, []))
        self.assertNotIn("coverage", json.loads(run(self.directory, "--json").stdout))

    def test_a_test_names_a_capture(self) -> None:
        capture = {
            "captured_at": 1795000000,
            "tres": ["cpu", "mem", "energy", "node", "billing", "gres/gpu"],
            "partitions": [{"name": "main", "is_default": True, "default_time": 30}],
        }
        (self.directory / "10-debug.lua").write_text(
            "rule { submit = function(job, view)\n"
            '    job:reject("%s %d %d", job.partition, job.time_limit, view.now.seconds)\n'
            "end }\n"
        )
        self.write('given "monday.json"\ntest "x" { expect = { reject = "main 30 1795000000" } }\n')
        self.assertIn("given: there is no file tests/monday.json", run(self.directory).stdout)
        self.write('test "x" { given = "monday.json", expect = { reject = "main 30 1795000000" } }\n')
        self.assertIn("given: there is no file tests/monday.json", run(self.directory).stdout)
        (self.directory / "tests/monday.json").write_text(json.dumps(capture))
        self.assertEqual(run(self.directory).returncode, 0, run(self.directory))
        self.write('given "monday.json"\ntest "x" { expect = { reject = "main 30 1795000000" } }\n')
        self.assertEqual(run(self.directory).returncode, 0, run(self.directory))
        self.write('given "monday.json"\ntest "x" { given = {}, expect = { reject = "nil nil 1767" } }\n')
        self.assertEqual(run(self.directory).returncode, 0, run(self.directory))
        self.write('given "monday.json"\ntest "x" { expect = { reject = "main 30 1795000000" } }\n')
        (self.directory / "tests/monday.json").write_text(json.dumps(capture | {"captured_at": 1795000001}))
        self.assertEqual(run(self.directory).returncode, 1)
        (self.directory / "tests/monday.json").write_text(" " * (4 * 1024 * 1024 + 1))
        done = run(self.directory)
        self.assertEqual(done.returncode, 69)
        self.assertIn("tests/monday.json: larger than 4096 KiB", done.stderr)
        (self.directory / "tests/monday.json").write_text("{}")
        (self.directory / "tests/debug.lua").unlink()
        self.assertEqual(run(self.directory).returncode, 66)

    def test_json_has_the_same(self) -> None:
        self.write(PASSES + FAILS)
        done = run(self.directory, "--json")
        answer = json.loads(done.stdout)

        self.assertEqual((done.returncode, answer["status"], answer["failed"]), (1, "failed", 1))
        first, second = answer["tests"]
        self.assertEqual((first["name"], first["file"], first["line"]), ("small", "tests/debug.lua", 1))
        self.assertEqual((first["passed"], first["problems"]), (True, []))
        self.assertEqual((first["events"][0]["kind"], first["events"][0]["text"]), ("changed", "qos: (unset) -> debug"))
        self.assertEqual(second["passed"], False)
        self.assertEqual(second["problems"], ["expect.accept: the job was rejected: at most 2 nodes"])

        self.write(PASSES)
        done = run(self.directory, "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["status"]), (0, "ok"))

    def test_shipped_rules_pass_their_tests(self) -> None:
        for rule in sorted(SHIPPED.glob("*.lua")):
            with self.subTest(rule.name), tempfile.TemporaryDirectory(prefix="qosgate-test-") as directory:
                (Path(directory) / "tests").mkdir()
                shutil.copy(rule, directory)
                shutil.copy(SHIPPED / "tests" / rule.name, f"{directory}/tests")
                shutil.copytree(SHIPPED / "data", f"{directory}/data")
                done = run(directory)

                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertRegex(done.stdout, r"\n\d+ tests, 0 failed\n$")

    def test_rules_or_tests_that_do_not_load_are_an_error(self) -> None:
        self.write('test "x" {')
        done = run(self.directory)
        self.assertEqual((done.returncode, done.stdout), (65, ""))
        self.assertIn("tests/debug.lua:1: unexpected symbol", done.stderr)

        self.write(PASSES)
        (self.directory / "10-debug.lua").write_text("x = 1")
        done = run(self.directory)
        self.assertEqual((done.returncode, done.stdout), (65, ""))
        self.assertIn("10-debug.lua:1: 'x' is not declared", done.stderr)
        self.assertIn("'qosgate policy check' lists all that is wrong", done.stderr)

    def test_without_tests_there_is_nothing_to_pass(self) -> None:
        for directory, why in (
            (self.directory, "/tests: there are no tests"),
            (self.directory / "none", "there is no such directory"),
        ):
            with self.subTest(directory):
                if directory == self.directory:
                    (self.directory / "tests").rmdir()
                done = run(directory)

                self.assertEqual((done.returncode, done.stdout), (66, ""))
                self.assertIn(why, done.stderr)

    def test_a_directory_without_files_of_tests_has_none(self) -> None:
        done = run(self.directory)

        self.assertEqual((done.returncode, done.stdout), (66, ""))
        self.assertIn("tests: there are no tests: no file there ends in .lua", done.stderr)


if __name__ == "__main__":
    unittest.main()
