#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate policy check: findings, what would be in force, owners, exit statuses. Usage: policy_check_test.py QOSGATE SLURM

SLURM is "slurm" or "none": whether the build has Slurm support.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

QOSGATE = sys.argv.pop(1)
HAS_SLURM = sys.argv.pop(1) == "slurm"
SHIPPED = Path(__file__).resolve().parents[2] / "lua/rules"
GOOD = "rule {{ name = '{}', submit = function(job) job:warn('x') end }}\n"


def run(*words: str | Path, under: tuple[str, ...] = (), **environment: str) -> subprocess.CompletedProcess:
    command = [*under, QOSGATE, "policy", "check", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=20, env=os.environ | environment)


class PolicyCheckTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="qosgate-check-")
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name)
        self.root.chmod(0o755)
        self.directory = self.root / "qosgate.d"
        self.directory.mkdir()
        self.directory.chmod(0o755)

    def test_a_candidate_is_checked_too(self) -> None:
        (self.directory / "10-good.lua").write_text(GOOD.format("good"))
        following = self.directory / "next"
        following.mkdir(mode=0o755)
        (following / "10-good.lua").write_text(GOOD.format("good"))
        self.assertEqual(run(self.directory).returncode, 0)
        (following / "20-bad.lua").write_text("rule { submit = function(job) return job.node end }\n")
        result = run(self.directory)
        self.assertEqual(result.returncode, 1, result)
        self.assertIn("next/20-bad.lua:1: unknown field 'node' of job", result.stdout)
        self.assertIn(f"{self.directory}: no findings\n", result.stdout)
        self.assertIn(f"{self.directory}/next: 1 finding; slurmctld would not load this directory\n", result.stdout)
        answer = json.loads(run("--json", self.directory).stdout)
        self.assertEqual((answer["status"], answer["loads"], answer["next"]["loads"]), ("findings", True, False))
        self.assertEqual([finding["file"] for finding in answer["findings"]], ["next/20-bad.lua"])
        (following / "20-bad.lua").unlink()
        self.assertTrue(json.loads(run("--json", self.directory).stdout)["next"]["loads"])

    def test_a_script_with_a_line_for_the_shell_gets_the_same_advice(self) -> None:
        script = "function slurm_job_submit(job_desc) return 0 end\n"
        for text, line in ((script, 1), (f"#!/usr/bin/lua\n{script}", 2)):
            (self.directory / "job_submit.lua").write_text(text)
            result = run(self.directory)
            self.assertIn(f"job_submit.lua:{line}: this file defines slurm_job_submit, so it is a script", result.stdout)
            self.assertIn(": 1 finding;", result.stdout)

    def test_the_script_is_named_among_what_is_in_force(self) -> None:
        (self.directory / "compat").mkdir(mode=0o755)
        script = self.directory / "compat" / "job_submit.lua"
        script.write_text(
            "function slurm_job_submit() return 0 end\nfunction slurm_job_modify() return 0 end\n"
        )
        result = run(self.directory)
        self.assertEqual(result.returncode, 0, result)
        self.assertIn("Policy:   limits explain, the script compat/job_submit.lua, 0 rules, hash ", result.stdout)
        self.assertEqual(json.loads(run("--json", self.directory).stdout)["script"], "compat/job_submit.lua")
        script.write_text("x =")
        self.assertIsNone(json.loads(run("--json", self.directory).stdout)["script"])

    def test_a_missing_directory_of_records_is_a_finding(self) -> None:
        (self.directory / "site.lua").write_text(f'site {{ record_file = "{self.root}/none/records.jsonl" }}\n')
        result = run(self.directory)
        self.assertEqual(result.returncode, 1, result)
        self.assertIn(
            f"site.lua: record_file: {self.root}/none does not exist, so no decision would be recorded; make a"
            " directory that SlurmUser can write, or change the setting\n",
            result.stdout,
        )
        self.assertIn("1 finding; slurmctld would load this directory", result.stdout)
        self.assertEqual(run("--no-owner-check", self.directory).returncode, 0)
        (self.root / "none").mkdir()
        self.assertEqual(run(self.directory).returncode, 0)

    def test_a_script_for_job_submit_lua_is_checked(self) -> None:
        script = self.root / "job_submit.lua"
        script.write_text(
            "function slurm_job_submit(job_desc, part_list, submit_uid)\n"
            "    if job_desc.nodes and job_desc.partition == nil then\n"
            "        job_desc.num_gpus = 1\n"
            "    end\n"
            "end\n"
        )
        result = run("--compat", script)
        self.assertEqual(result.returncode, 1, result)
        for line in (
            f"{script}: has no slurm_job_modify: all changes of jobs are accepted\n",
            f"{script}:1: slurm_job_submit ends without a return: the job is then accepted\n",
            f"{script}:2: job_desc has no field 'nodes', so this is always nil",
            f"{script}:3: job_desc has no field 'num_gpus', so this sets nothing",
            f"{script}: 4 findings; slurmctld would load this script\n",
        ):
            self.assertIn(line, result.stdout)
        script.write_text(
            "function slurm_job_submit(job_desc)\n"
            "    io.popen('squeue -u ' .. job_desc.user_id)\n"
            "    os.execute('true')\n"
            "    dofile('/etc/slurm/limits.lua')\n"
            "    return job_desc.nodes, next(slurm.jobs)\n"
            "end\n"
            "function slurm_job_modify(job_desc) end\n"
        )
        result = run("--compat", script)
        self.assertEqual(result.returncode, 1, result)
        for line in (
            f"{script}:2: io.popen: 'squeue -u ': slurmctld waits for the script",
            f"{script}:3: os.execute: slurmctld waits for the script",
            f"{script}:4: dofile: /etc/slurm/limits.lua is not among the files that the script may read; add"
            ' compat_files = { "/etc/slurm/limits.lua" } to site{} in site.lua, or copy it to qosgate.d/compat',
            f"{script}:5: job_desc has no field 'nodes'",
            f"{script}:5: slurm.jobs is a copy here, 2 seconds old or more (20 times as long as reading it takes): a user "
            "who submits fast passes a bound on it; view.jobs of a rule counts exactly",
            f"{script}:7: slurm_job_modify ends without a return",
            f"{script}: 6 findings; slurmctld would not load this script\n",
        ):
            self.assertIn(line, result.stdout)
        script.write_text(
            "function slurm_job_submit(job_desc)\n"
            "    io.popen('id -nu ' .. job_desc.user_id)\n"
            "    io.open('/etc/slurm/qosgate.d/compat/allow.txt')\n"
            "    return slurm.SUCCESS\n"
            "end\n"
            "function slurm_job_modify(job_desc) return slurm.SUCCESS end\n"
        )
        result = run("--compat", script)
        self.assertEqual((result.returncode, result.stdout), (0, f"{script}: no findings; slurmctld would load this script\n"))

    def test_a_script_for_cli_filter_lua_is_known_by_its_functions(self) -> None:
        script = self.root / "filter.lua"
        whole = (
            "function slurm_cli_setup_defaults(options, early) return slurm.SUCCESS end\n"
            "function slurm_cli_pre_submit(options, offset)\n"
            "    if os.execute('true') ~= 0 then return slurm.ERROR end\n"
            "    slurm.cli_store(1, slurm.json_env())\n"
            "    return slurm.SUCCESS\n"
            "end\n"
            "function slurm_cli_post_submit(offset, job_id, step_id) return slurm.SUCCESS end\n"
        )
        script.write_text(whole)
        result = run("--compat", script)
        self.assertEqual(
            (result.returncode, result.stdout), (0, f"{script}: no findings; clients (cli_filter) would load this script\n")
        )
        script.write_text(
            "function slurm_cli_pre_submit(options)\n    if options.qos == nil then slurm.log_usr('no') end\nend\n"
        )
        result = run("--compat", script)
        self.assertEqual(result.returncode, 1, result)
        for line in (
            f"{script}: there is no function slurm_cli_setup_defaults: Slurm's own plugin does not load such a script\n",
            f"{script}: there is no function slurm_cli_post_submit: Slurm's own plugin does not load such a script\n",
            f"{script}:1: slurm_cli_pre_submit ends without a return: the job is then accepted\n",
            f"{script}:2: slurm has no 'log_usr', so this is nil",
            f"{script}: 4 findings; clients (cli_filter) would load this script\n",
        ):
            self.assertIn(line, result.stdout)
        script.write_text(whole + "end\n")
        result = run("--compat", script)
        self.assertEqual(result.returncode, 1, result)
        self.assertIn(f"{script}:8: ", result.stdout)
        self.assertIn("1 finding; clients (cli_filter) would not load this script\n", result.stdout)
        answer = json.loads(run("--json", "--compat", script).stdout)
        self.assertEqual((answer["loads"], answer["script"]), (False, None))
        # One with both kinds of functions is slurmctld's.
        script.write_text(whole + "function slurm_job_submit() return 0 end\n")
        self.assertIn("slurmctld would not load this script\n", run("--compat", script).stdout)

    def test_variables_modules_and_old_habits_of_a_script_are_found(self) -> None:
        script = self.root / "job_submit.lua"
        script.write_text(
            'LIST = "/etc/slurm/allow.txt"\n'
            'local twice = "/etc/slurm/a" twice = "b"\n'
            "function slurm_job_submit(job_desc)\n"
            "    setmetatable(job_desc, meta)\n"
            "    local list, other, joined = io.open(LIST), io.open(twice), io.open(LIST .. 'x')\n"
            '    local policy = require "gpu_policy"\n'
            "    if list then return slurm.SUCCESS elseif other then return 1 else return 2 end\n"
            "end\n"
            "function slurm_job_modify(job_desc)\n"
            "    if job_desc.comment then return slurm.SUCCESS end\n"
            "end\n"
        )
        result = run("--compat", script)
        self.assertEqual(result.returncode, 1, result)
        for line in (
            f"{script}:4: setmetatable of job_desc fails",
            f"{script}:5: io.open: /etc/slurm/allow.txt is not among the files",
            f"{script}:5: io.open: /etc/slurm/allow.txtx is not among the files",
            f"{script}:6: require: there is no module 'gpu_policy'; copy it to qosgate.d/compat",
            f"{script}:9: slurm_job_modify ends without a return",
            f"{script}: 5 findings; slurmctld would load this script\n",
        ):
            self.assertIn(line, result.stdout)
        (self.directory / "compat").mkdir(mode=0o755)
        self.write("compat/gpu_policy.lua", "return {}\n")
        self.write("compat/job_submit.lua", 'function slurm_job_submit() require "gpu_policy" return 0 end\n')
        self.assertNotIn("require", run(self.directory).stdout)

    def test_a_directory_with_a_script_is_checked_with_it(self) -> None:
        (self.directory / "compat").mkdir(mode=0o755)
        self.write("compat/job_submit.lua", "function slurm_job_submit(d) return d.nodes end\n")
        self.write("compat/allow.txt", "ana\n")
        result = run(self.directory)
        self.assertEqual(result.returncode, 1, result)
        self.assertIn("compat/job_submit.lua:1: job_desc has no field 'nodes'", result.stdout)
        self.assertNotIn("allow.txt", result.stdout)
        self.assertIn("slurmctld would load this directory", result.stdout)

    def write(self, name: str, text: str, mode: int = 0o644) -> None:
        path = self.directory / name
        path.write_text(text)
        path.chmod(mode)

    def write_conf(self, user: str) -> str:
        conf = self.root / "slurm.conf"
        conf.write_text(f"ClusterName=c\nSlurmUser={user}\n")
        conf.chmod(0o644)
        return str(conf)

    def test_what_is_right_is_shown_as_slurmctld_would_have_it(self) -> None:
        self.write("site.lua", 'site { limits = "enforce", contact = "help@example.org" }')
        self.write("10-a.lua", GOOD.format("first"))
        self.write("20-b.lua", GOOD.format("second").replace("rule {", 'rule { mode = "shadow",'))
        done = run(self.directory)

        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^Policy:   limits enforce, 2 rules, hash [0-9a-f]{16}$")
        self.assertEqual(
            lines[1],
            'Settings: limits = "enforce", contact = "help@example.org", rule_instructions = 100000,'
            ' rule_memory_mib = 8, rule_time_ms = 50, rule_failures = 0, compat_on_error = "deny",'
            ' compat_files = {}, compat_programs = {}, compat_writes = "error", writable_env = {}, run_tests = true,'
            ' record_file = "", record_percent = 0,'
            ' record_file_mib = 64, record_files_kept = 4, client = "auto", client_timeout_ms = 300,'
            " suggest_qos = nil, suggest_partition = nil",
        )
        self.assertEqual(lines[3].split(), ["file", "mode", "on_error", "changes", "name"])
        self.assertEqual(lines[4].split(), ["10-a.lua", "enforce", "deny", "limits", "first"])
        self.assertEqual(lines[5].split(), ["20-b.lua", "shadow", "deny", "limits", "second"])
        self.assertEqual(lines[-1], f"{self.directory}: no findings")

    def test_shows_which_changes_run_a_rule(self) -> None:
        self.write("10-none.lua", 'rule { on = { "submit" }, submit = function(job) job:warn("x") end }')
        self.write("20-some.lua", "rule { submit = function(job) if job.comment == job.name then job:stop() end end }")
        self.write("30-any.lua", "rule { submit = function(job, view) if job[view.user.name] then job:stop() end end }")
        lines = run(self.directory).stdout.splitlines()
        answer = json.loads(run(self.directory, "--json").stdout)

        self.assertEqual([line.split()[3] for line in lines if ".lua" in line], ["none", "limits,", "any"])
        self.assertEqual(
            [rule["changes"] for rule in answer["rules"]], [[], ["limits", "name", "comment"], None]
        )

    def test_every_finding_has_its_line(self) -> None:
        self.write("20-b.lua", "rule {\n  submit = function(job)\n")
        self.write("10-a.lua", "rule { submit = function(job)\n  job.qoss = strng\n  job:is_set()\nend }\n")
        done = run(self.directory)

        self.assertEqual((done.returncode, done.stderr), (1, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 5, done.stdout)
        self.assertIn("10-a.lua:2: unknown field 'qoss' of job; did you mean qos?", lines[0])
        self.assertEqual(lines[1], "10-a.lua:2: unknown name 'strng'; did you mean string?")
        self.assertIn("10-a.lua:3: job:is_set() needs the name of a field", lines[2])
        self.assertRegex(lines[3], r"^20-b.lua:3: 'end' expected .*near <eof>$")
        self.assertEqual(lines[4], f"{self.directory}: 4 findings; slurmctld would not load this directory")

    def test_what_certainly_fails_keeps_the_directory_from_loading(self) -> None:
        rule = "local function set(j)\n  {}\nend\nrule {{ submit = function(job) set(job) end }}\n"
        for statement, message, loads in (
            ("j.time_limit = '8 hours'", 'job.time_limit cannot be "8 hours": write minutes from 1 on', False),
            ("j.exc_nodes = 'n1'", "unknown field 'exc_nodes' of job: rules have job.excluded_nodes", False),
            ("if j.partition == 5 then return end", "job.partition is a text and never equals 5", True),
        ):
            self.write("10-a.lua", rule.format(statement))
            done = run(self.directory)
            self.assertEqual(done.returncode, 1, done)
            self.assertTrue(done.stdout.startswith(f"10-a.lua:2: {message}"), done.stdout)
            self.assertIn(f"1 finding; slurmctld would {'' if loads else 'not '}load this directory", done.stdout)
            answer = json.loads(run("--json", self.directory).stdout)
            self.assertEqual((answer["loads"], answer["findings"][0]["stops_loading"]), (loads, not loads))
        self.write("10-a.lua", rule.format("j.time_limit = '8:00:00'"))
        self.assertEqual(run(self.directory).returncode, 0)

    def test_what_is_not_used_is_a_finding(self) -> None:
        self.write("10-a.lua", GOOD.format("a"))
        for name in ("lib", "data", "test"):
            (self.directory / name).mkdir(mode=0o755)
        self.write("lib/projects.lua", "return {}\n")
        self.write("data/map.json", "{}\n")
        done = run(self.directory)
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(
            done.stdout.splitlines()[:3],
            [
                "data/map.json: is not used: no rule, module or test reads it",
                "lib/projects.lua: is not used: no rule, module or test requires it",
                "test: is not read; did you mean tests?",
            ],
        )
        (self.directory / "test").rename(self.directory / "tests")
        self.write("10-a.lua", "local t, d = require('projects'), data('map.json')\n" + GOOD.format("a"))
        self.assertEqual(run(self.directory).returncode, 0)

    def test_a_test_that_fails_is_a_finding(self) -> None:
        self.write("10-a.lua", "rule { submit = function(job, view) if view.qos('gpu') then job.qos = 'gpu' end end }")
        (self.directory / "tests").mkdir()
        (self.directory / "tests").chmod(0o755)
        passes = "test 'gpu' { given = { qos = { { name = 'gpu' } } }, expect = { job = { qos = 'gpu' } } }\n"
        self.write("tests/a.lua", passes)
        self.assertEqual(run(self.directory).returncode, 0)

        self.write("tests/a.lua", passes + passes.replace("expect = { job = { qos = 'gpu' } }", "expect = { reject = true }"))
        done = run(self.directory)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            done.stdout.splitlines(),
            [
                "tests/a.lua:2: test 'gpu' fails: expect.reject: the job was accepted",
                f"{self.directory}: 1 finding; slurmctld would not load this directory",
            ],
        )
        self.write("site.lua", "site { run_tests = false }")
        done = run(self.directory)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 finding; slurmctld would load this directory", done.stdout)
        self.assertIs(json.loads(run(self.directory, "--json").stdout)["settings"]["run_tests"], False)

    def test_what_loads_in_spite_of_findings_is_shown(self) -> None:
        self.write("10-a.lua", GOOD.format("a"))
        self.write("20-b.lua.bak", "")
        done = run(self.directory)

        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("20-b.lua.bak: is ignored"), lines[0])
        self.assertTrue(lines[1].startswith("Policy:   limits explain, 1 rule, hash "), lines[1])
        self.assertEqual(lines[-1], f"{self.directory}: 1 finding; slurmctld would load this directory")

    def test_json_has_the_same(self) -> None:
        self.write("site.lua", 'site { limits = "off" }')
        self.write("10-a.lua", GOOD.format("a"))
        answer = json.loads(run(self.directory, "--json").stdout)

        self.assertEqual(list(answer), ["status", "directory", "loads", "hash", "script", "rules", "settings", "findings"])
        self.assertEqual((answer["status"], answer["loads"], answer["findings"]), ("ok", True, []))
        self.assertRegex(answer["hash"], r"^[0-9a-f]{16}$")
        self.assertEqual(
            answer["rules"],
            [{"name": "a", "file": "10-a.lua", "mode": "enforce", "on_error": "deny", "changes": ["limits"]}],
        )
        self.assertEqual(
            answer["settings"],
            {
                "limits": "off",
                "contact": "",
                "rule_instructions": 100000,
                "rule_memory_mib": 8,
                "rule_time_ms": 50,
                "rule_failures": 0,
                "compat_on_error": "deny",
                "compat_files": [],
                "compat_programs": [],
                "compat_writes": "error",
                "writable_env": [],
                "run_tests": True,
                "record_file": "",
                "record_percent": 0,
                "record_file_mib": 64,
                "record_files_kept": 4,
                "client": "auto",
                "client_timeout_ms": 300,
                "suggest_qos": None,
                "suggest_partition": None,
            },
        )

        self.write("20-b.lua", "x = 1")
        self.write("30-c.LUA", "")
        done = run(self.directory, "--json")
        answer = json.loads(done.stdout)

        self.assertEqual((done.returncode, answer["status"], answer["loads"]), (1, "findings", False))
        self.assertIsNone(answer["hash"])
        self.assertEqual([rule["name"] for rule in answer["rules"]], ["a"])
        first, second = answer["findings"]
        self.assertEqual((first["file"], first["line"], first["stops_loading"]), ("20-b.lua", 1, True))
        self.assertTrue(first["message"].startswith("'x' is not declared"), first)
        self.assertEqual((second["file"], second["line"], second["stops_loading"]), ("30-c.LUA", None, False))

    def test_shipped_rules_have_no_findings(self) -> None:
        for rule in SHIPPED.glob("*.lua"):  # without their tests: each is for its rule alone
            shutil.copy(rule, self.directory)
        shutil.copytree(SHIPPED / "data", self.directory / "data")
        done = run(self.directory, "--no-owner-check")

        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn(f"{len(list(SHIPPED.glob('*.lua')))} rules", done.stdout)

    def test_modes_count_unless_told_otherwise(self) -> None:
        self.write("10-a.lua", GOOD.format("a"), mode=0o664)
        done = run(self.directory)

        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith("10-a.lua: mode 0664 lets others write it: chmod go-w '"), done.stdout)
        self.assertEqual(run(self.directory, "--no-owner-check").returncode, 0)
        self.write("10-a.lua", GOOD.format("a"))
        self.assertEqual(run(self.directory).returncode, 0)

    def test_the_directory_s_own_mode_is_told_with_its_path(self) -> None:
        self.directory.chmod(0o777)
        done = run(self.directory)

        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith(f"{self.directory}: mode 0777 lets others write it"), done.stdout)
        answer = json.loads(run(self.directory, "--json").stdout)
        self.assertIsNone(answer["findings"][0]["file"])

    def test_a_directory_that_is_not_there_is_an_error(self) -> None:
        done = run(self.root / "none.d")
        self.assertEqual((done.returncode, done.stdout), (66, ""))
        self.assertIn(f"{self.root}/none.d: there is no such directory", done.stderr)

        done = run(self.root / "none.d", "--json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["error"]["code"]), (66, "not_found"))

        self.write("10-a.lua", "")
        done = run(self.directory / "10-a.lua")
        self.assertEqual(done.returncode, 69)
        self.assertIn("Not a directory", done.stderr)

    def test_an_unknown_option_is_wrong_usage(self) -> None:
        self.assertEqual(run("--nonsense").returncode, 64)
        self.assertEqual(run(self.directory, self.directory).returncode, 64)

    @unittest.skipIf(HAS_SLURM, "of a build without Slurm")
    def test_without_slurm_the_directory_must_be_named(self) -> None:
        done = run()

        self.assertEqual(done.returncode, 78)
        self.assertIn("this build has no Slurm support and reads no slurm.conf: name a directory", done.stderr)

    @unittest.skipUnless(HAS_SLURM, "of a build with Slurm")
    def test_the_default_is_the_directory_beside_slurm_conf(self) -> None:
        user = "root" if os.geteuid() == 0 else str(os.geteuid())
        self.write("10-a.lua", GOOD.format("a"))
        done = run(SLURM_CONF=self.write_conf(user))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.endswith(f"{self.directory}: no findings\n"), done.stdout)

        self.write("10-a.lua", "")
        done = run(SLURM_CONF=self.write_conf(user))
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.startswith("10-a.lua: declares nothing"), done.stdout)

        self.assertEqual(run(SLURM_CONF="/nonexistent/slurm.conf").returncode, 69)
        done = run(SLURM_CONF=self.write_conf("no-such-user"))
        self.assertEqual(done.returncode, 66)
        self.assertIn("this host has no user 'no-such-user', which is SlurmUser", done.stderr)

    @unittest.skipUnless(HAS_SLURM and os.geteuid() == 0, "needs Slurm and root")
    def test_the_live_directory_is_read_with_the_rights_of_slurm_user(self) -> None:
        conf = self.write_conf("nobody")
        self.write("10-a.lua", GOOD.format("a"), mode=0o600)
        for words in ((), (self.directory,)):
            with self.subTest(words):
                done = run(*words, SLURM_CONF=conf)
                self.assertEqual(done.returncode, 1)
                self.assertTrue(done.stdout.startswith("10-a.lua: cannot be read: Permission denied"), done.stdout)

        self.assertEqual(run(self.directory).returncode, 0)  # not of a slurmctld: root reads it
        self.write("10-a.lua", GOOD.format("a"))
        self.assertEqual(run(SLURM_CONF=conf).returncode, 0)

        self.directory.chmod(0o700)
        done = run(SLURM_CONF=conf)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("as user nobody: ", done.stdout)
        self.assertIn("cannot be read: Permission denied", done.stdout)

    @unittest.skipUnless(
        HAS_SLURM and os.geteuid() == 0 and shutil.which("setpriv"), "needs Slurm, root and setpriv"
    )
    def test_root_that_may_not_become_slurm_user_says_so(self) -> None:
        conf = self.write_conf("nobody")
        self.write("10-a.lua", GOOD.format("a"), mode=0o600)
        for capability in ("setuid", "setgid"):
            with self.subTest(capability):
                without = ("setpriv", f"--bounding-set=-{capability}", f"--inh-caps=-{capability}")
                done = run(SLURM_CONF=conf, under=without)
                self.assertEqual((done.returncode, done.stdout), (69, ""), done)
                self.assertIn("cannot be read as user nobody, as slurmctld reads it", done.stderr)


if __name__ == "__main__":
    unittest.main()
