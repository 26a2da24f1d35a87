# SPDX-License-Identifier: GPL-2.0-or-later
"""A site's cli_filter.lua under cli_filter/qosgate does what it does under Slurm's cli_filter/lua."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import unittest
from pathlib import Path

from qosgate_dev.testing import Cluster, CommandResult, build_root, copy_command, main

USER = "ana"

# Each is run by both plugins, in each of the commands below.
SCRIPTS = {
    "defaults": """\
function slurm_cli_setup_defaults(options, early)
    options['time'] = 7
    options["comment"] = "default"
    return slurm.SUCCESS
end
function slurm_cli_pre_submit(options, offset)
    slurm.log_info("part %d of %s: time %s", offset, options.type, tostring(options['time']))
    return slurm.SUCCESS
end
function slurm_cli_post_submit(offset, job, step)
    slurm.log_info("sent part " .. offset .. " step " .. step)
    return slurm.SUCCESS
end
""",
    "unset values": """\
function slurm_cli_setup_defaults() return 0 end
function slurm_cli_post_submit() return 0 end
function slurm_cli_pre_submit(options)
    for _, name in ipairs{"account", "partition", "qos", "time", "time-min", "nodes", "ntasks", "ntasks-per-node",
        "cpus-per-task", "mem", "mem-per-cpu", "gres", "gpus", "licenses", "array", "exclusive", "hold", "requeue",
        "job-name", "comment", "nice", "priority", "begin", "deadline", "constraint", "exclude", "nodelist", "reservation",
        "dependency", "chdir", "output", "error", "input", "wckey", "mail-type", "mail-user", "overcommit", "signal",
        "switches", "export", "get-user-env", "test-only", "tmp", "mincpus", "threads-per-core", "hint", "distribution",
        "no_such_option", "immediate", "contiguous", "reboot", "uid", "gid", "verbose", "quiet", "wrap"} do
        slurm.log_info(name .. "=" .. tostring(options[name]))
    end
    return slurm.SUCCESS
end
""",
    "refusal": """\
function slurm_cli_setup_defaults() return slurm.SUCCESS end
function slurm_cli_post_submit() return slurm.SUCCESS end
function slurm_cli_pre_submit(options)
    if options["comment"] == "no" then
        slurm.log_error("comment %s is refused", options.comment)
        return slurm.ERROR
    end
    return slurm.SUCCESS
end
""",
    "json, words, storage": """\
function slurm_cli_setup_defaults() return slurm.SUCCESS end
function slurm_cli_pre_submit(options, offset)
    slurm.log_info("%s", slurm.json_cli_options(options))
    local json = slurm.json_env()
    slurm.log_info("%s %s", tostring(json:find('"QGTEST":"a b"', 1, true) ~= nil), tostring(json:find("SLURM_CONF") ~= nil))
    if options.type ~= "salloc" then
        for place, word in ipairs(options.argv) do slurm.log_info(place .. ": " .. word) end
    end
    for plugin in pairs(options.spank) do slurm.log_info("plugin %s", plugin) end
    slurm.log_info("%s %d", type(options), #options.spank_job_env)
    slurm.cli_store(3, "kept " .. offset)
    kept = (kept or 0) + 1
    return slurm.SUCCESS
end
function slurm_cli_post_submit(offset)
    slurm.log_info("%s %s %s", tostring(slurm.cli_retrieve(3)), tostring(slurm.cli_retrieve(4)), tostring(kept))
    return slurm.SUCCESS
end
""",
    "the host": """\
function slurm_cli_setup_defaults() return slurm.SUCCESS end
function slurm_cli_post_submit() return slurm.SUCCESS end
function slurm_cli_pre_submit(options)
    local pipe = io.popen("id -un")
    slurm.log_info("%s %s", pipe:read("*l"), os.getenv("QGTEST"))
    slurm.log_info("%s %s %s", tostring(pipe:close()), os.execute("exit 3"), os.execute("true"))
    slurm.log_info("%s", tostring(io.popen("exit 3"):close()))
    if os.execute("test -d /") ~= 0 then return slurm.ERROR end
    local file = io.open(os.getenv("QGFILE"))
    if file then slurm.log_info("%s", file:read("*a")); file:close() end
    dofile(os.getenv("QGFILE"))
    dofile((os.getenv("QGFILE"):gsub("more", "empty")))
    slurm.log_info("%s %s", tostring(from_file), table.concat({table.getn and 1 or 1, os.date("%Y") + 0 > 2000 and 1}, ","))
    slurm.log_info("%d %d", slurm.time_str2mins("1:00:00"), slurm.NO_VAL)
    return slurm.SUCCESS
end
""",
    "options that are kept": """\
function slurm_cli_setup_defaults() return 0 end
function slurm_cli_pre_submit(options) saved = options; return 0 end
function slurm_cli_post_submit()
    slurm.log_info("%s %s", tostring(saved["job-name"]), saved.type)
    slurm.log_info("%s", slurm.json_cli_options(saved))
    return 0
end
""",
    "an end of its own": """\
function slurm_cli_setup_defaults() return 0 end
function slurm_cli_post_submit() return 0 end
function slurm_cli_pre_submit(options)
    slurm.log_error("the reason")
    local both = coroutine.wrap(function() coroutine.yield("yielded") end)
    slurm.log_info("%s", both())
    for i = 1, 150 do slurm.log_info("line %d", i) end
    if options.comment == "no" then os.exit(3) end
    options.ntasks = "many"
    return 0
end
""",
    "an error while it runs": """\
function slurm_cli_setup_defaults() return slurm.SUCCESS end
function slurm_cli_post_submit() return slurm.SUCCESS end
function slurm_cli_pre_submit(options)
    options.comment = "before"
    local nothing = nil
    slurm.log_info("%s", nothing.field)
    return slurm.ERROR
end
""",
    "no number": """\
function slurm_cli_setup_defaults() end
function slurm_cli_post_submit() end
function slurm_cli_pre_submit(options) options.partition = "other" end
""",
    "options that exclude others": """\
function slurm_cli_setup_defaults(options, early)
    if not early then options.mem = "100M" end
    return slurm.SUCCESS
end
function slurm_cli_post_submit() return slurm.SUCCESS end
function slurm_cli_pre_submit(options)
    if options["mem-per-cpu"] ~= "-2" and options["mem-per-cpu"] ~= nil then slurm.log_info("%s", options["mem-per-cpu"]) end
    options["exclusive"] = "user"
    options["ntasks"] = "2"
    return slurm.SUCCESS
end
""",
}

COMMANDS = (
    "sbatch --wrap='sleep 50'",
    "sbatch --comment=no -t3 --wrap='sleep 50'",
    "sbatch -n1 -c1 --mem-per-cpu=50 -J name job.sh one 'two words'",
    "sbatch -n1 : -n2 --wrap='sleep 50'",
    "sbatch -n1 -t3 : -n2 job.sh one",
    "salloc -n1 true",
    "srun --comment=no true a b",
    "srun -n1 -t2 true x",
)


class ClientScript(unittest.TestCase):
    maxDiff = None
    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = Cluster.up(
            nodes=2,
            users=[USER],
            slurm_conf=(
                f"CliFilterPlugins=qosgate\nPluginDir={build_root()}/plugin:@PLUGINDIR@\n"
                "PartitionName=main Nodes=ALL Default=YES\nPartitionName=other Nodes=ALL\n"
            ),
        )
        cls.addClassCleanup(cls.cluster.down)
        cls.cluster.sacctmgr("add account astro")
        cls.cluster.sacctmgr(f"add user {USER} account=astro")
        cls.cluster.wait_for(
            lambda: cls.cluster.run("sbatch --wrap=true", USER).rc == 0, "the user can submit"
        )
        cls.home = cls.cluster.layout.home / USER
        (cls.home / "job.sh").write_text("#!/bin/sh\n#SBATCH --time=4\nsleep 50\n")
        (cls.home / "empty.lua").write_text("")
        (cls.home / "more.lua").write_text('from_file = "more"\n')
        conf = cls.cluster.layout.slurm_conf
        cls.ours = conf.parent / "qosgate.d" / "compat" / "cli_filter.lua"
        cls.lua_conf = conf.parent / "lua" / "slurm.conf"
        cls.lua_conf.parent.mkdir()
        cls.lua_conf.write_text(conf.read_text().replace("CliFilterPlugins=qosgate", "CliFilterPlugins=lua"))
        cls.lua_conf.parent.chmod(0o755)
        cls.theirs = cls.lua_conf.with_name("cli_filter.lua")

    def setUp(self) -> None:
        shutil.rmtree(self.ours.parents[1], ignore_errors=True)
        self.ours.parent.mkdir(parents=True)
        for directory in (self.ours.parent, self.ours.parents[1]):
            directory.chmod(0o755)
        # A busy machine may not answer within the usual 0.3 s.
        (self.ours.parents[1] / "site.lua").write_text("site { client_timeout_ms = 10000 }\n")

    def tearDown(self) -> None:
        self.cancel_jobs()

    def cancel_jobs(self) -> None:
        self.cluster.run(f"scancel --user={USER}", check=True)
        self.cluster.wait_for(
            lambda: not self.cluster.run("squeue --noheader", check=True).stdout, "no job is left"
        )

    def run_with(self, conf: Path | None, command: str) -> tuple[CommandResult, str]:
        """The command's result, and the job that it made."""
        env = {"QGTEST": "a b", "QGFILE": str(self.home / "more.lua")}
        if conf is not None:
            env["SLURM_CONF"] = str(conf)
        done = self.cluster.run(shlex.split(command), USER, cwd=self.home, env=env)
        job = ""
        if command.startswith("sbatch") and done.rc == 0:
            shown = self.cluster.run(f"scontrol show job {done.stdout.split()[-1]}", check=True).stdout
            job = " ".join(
                re.findall(r"(?:TimeLimit|Partition|Comment|NumTasks|OverSubscribe|MinMemory\w+|JobName)=\S*", shown)
            )
        self.cancel_jobs()
        # Slurm shows a job without a limit in two ways, before and after it has started.
        return done, job.replace("365-00:00:00", "UNLIMITED")

    def plain(self, done: CommandResult) -> list[str]:
        """What was said, without numbers of jobs, and without the names of the plugins."""
        lines = []
        for line in done.stderr.splitlines():
            if "non-numeric return code" in line:
                line = "non-numeric return code"
            if re.search(r"^srun: job|^salloc: ", line) and "error" not in line and "lua: " not in line:
                continue
            if "/lua: " in line or "qosgate: " in line:
                continue  # the texts of Lua's errors differ
            line = line.replace("\\/", "/")  # the same in JSON
            lines.append(re.sub(r"\b(job|allocation) \d+|\"SLURM_CONF\"", "job N", line))
        return lines

    def test_the_same_as_under_slurms_plugin(self) -> None:
        for name, script in SCRIPTS.items():
            for file in (self.ours, self.theirs):
                file.write_text(script)
            for command in COMMANDS:
                with self.subTest(script=name, command=command):
                    theirs, their_job = self.run_with(self.lua_conf, command)
                    ours, our_job = self.run_with(None, command)
                    self.assertEqual(self.plain(ours), self.plain(theirs))
                    self.assertEqual((ours.rc, our_job), (theirs.rc, their_job))

    def test_it_runs_before_rules_and_limits(self) -> None:
        self.ours.write_text(SCRIPTS["defaults"])
        (self.ours.parents[1] / "10-rule.lua").write_text(
            'rule { client = function(options) options:note("time %s", options.time) end }\n'
        )
        done, job = self.run_with(None, "sbatch --wrap=true")
        self.assertIn("sbatch: time 00:07:00", done.stderr)
        self.assertIn("TimeLimit=00:07:00", job)

    def test_a_script_that_does_not_load_is_an_error_and_no_barrier(self) -> None:
        for script, said in (
            ("function slurm_cli_pre_submit(", "compat/cli_filter.lua:2:"),
            ("error('broken')", "broken"),
            ("local x = nil; x.y = 1", "attempt to index a nil value"),
        ):
            with self.subTest(script):
                self.ours.write_text(script + "\n")
                done, _ = self.run_with(None, "sbatch --wrap=true")
                self.assertEqual(done.rc, 0, done)
                self.assertIn(said, done.stderr)
                self.assertIn("the site's script for clients is left out", done.stderr)
                self.assertEqual(done.stderr.count("left out"), 1, "it is said once")

    def test_a_script_that_others_can_write_is_not_run(self) -> None:
        self.ours.write_text(SCRIPTS["refusal"])
        self.ours.chmod(0o666)
        done, _ = self.run_with(None, "sbatch --comment=no --wrap=true")
        self.assertEqual(done.rc, 0, done)
        self.assertIn("compat/cli_filter.lua", done.stderr)
        self.ours.chmod(0o644)
        self.assertEqual(self.run_with(None, "sbatch --comment=no --wrap=true")[0].rc, 1)
        os.chown(self.ours, 20001, -1)
        self.assertEqual(self.run_with(None, "sbatch --comment=no --wrap=true")[0].rc, 0)

    def test_check_and_try_run_it_if_they_may(self) -> None:
        qosgate = copy_command(self.cluster)
        words = ["--json", "--", "sbatch", "--comment=no", "--wrap=true"]
        self.ours.write_text(SCRIPTS["refusal"])
        done = self.cluster.run([qosgate, "check", *words], USER)
        answer = json.loads(done.stdout)
        self.assertEqual((done.rc, answer["parts"][0]["refused_by"]), (1, "client"), done)
        self.assertEqual(answer["user_reads"], ["sbatch: error: cli_filter plugin terminated with error"])
        self.assertIn("comment no is refused", done.stderr)

        directory = self.home / "tried"
        self.cluster.run(["mkdir", "-p", str(directory / "compat")], USER, check=True)
        script = directory / "compat" / "cli_filter.lua"
        script.write_text(SCRIPTS["refusal"].replace("comment %s", "the tried comment %s"))
        os.chown(script, directory.stat().st_uid, -1)
        tried = [qosgate, "policy", "try", "--policy", str(directory), *words]
        done = self.cluster.run(tried, USER)
        self.assertEqual(done.rc, 1, done)
        self.assertIn("the tried comment no is refused", done.stderr)
        # A script may do what its caller may, so root does not run that of a user.
        done = self.cluster.run(tried, "root")
        self.assertIn("the site's script for clients is left out", done.stderr)
        self.assertNotIn("is refused", done.stderr)

    def test_a_missing_function_changes_nothing(self) -> None:
        self.ours.write_text("function slurm_cli_pre_submit(options) options.time = '9' return 0 end\n")
        done, job = self.run_with(None, "sbatch --wrap=true")
        self.assertEqual((done.rc, done.stderr), (0, ""))
        self.assertIn("TimeLimit=00:09:00", job)

    def test_an_endless_script_ends(self) -> None:
        self.ours.write_text("function slurm_cli_pre_submit() while true do end end\n")
        done, _ = self.run_with(None, "sbatch --wrap=true")
        self.assertEqual(done.rc, 0)
        self.assertIn("this function of the site's script for clients failed, and is left out", done.stderr)

    def test_a_function_that_fails_is_said(self) -> None:
        self.ours.write_text(SCRIPTS["an error while it runs"])
        done, _ = self.run_with(None, "sbatch --wrap=true")
        self.assertEqual(done.rc, 0, done)
        self.assertIn("compat/cli_filter.lua:6: attempt to index a nil value", done.stderr)
        self.assertIn("this function of the site's script for clients failed, and is left out", done.stderr)

    def test_broken_settings_leave_it_out(self) -> None:
        self.ours.write_text(SCRIPTS["refusal"])
        (self.ours.parents[1] / "site.lua").write_text('site { client = "of" }\n')
        done, _ = self.run_with(None, "sbatch --comment=no --wrap=true")
        self.assertEqual(done.rc, 0, done)
        self.assertIn("the site's script for clients is left out", done.stderr)

    def test_client_off_runs_none(self) -> None:
        self.ours.write_text(SCRIPTS["refusal"])
        (self.ours.parents[1] / "site.lua").write_text('site { client = "off" }\n')
        self.assertEqual(self.run_with(None, "sbatch --comment=no --wrap=true")[0].rc, 0)


if __name__ == "__main__":
    main()
