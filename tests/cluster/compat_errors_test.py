# SPDX-License-Identifier: GPL-2.0-or-later
"""A script for job_submit/lua that crashes, reaches for the host, takes too much, or reads files: in a live slurmctld."""

from __future__ import annotations

import json
import re

from qosgate_dev.testing import CommandResult, build_root, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase
from qosgate_dev.testing.whole_files import replace_directory

FUNCTION = """\
function slurm_job_submit(job_desc, part_list, submit_uid)
{body}
    return slurm.SUCCESS
end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
{change}
    return slurm.SUCCESS
end
"""
SCRIPT = "compat/job_submit.lua"
FAILED = f"This job was not accepted because the site's script {SCRIPT} failed: "
GOOD = '    slurm.log_user("the good script")\n'
# Fails, in some way, for a job with that comment.
FAILING = """\
    calls = (calls or 0) + 1
    local comment, kept, long = job_desc.comment, {}, ("x"):rep(60000)
    if comment == "crash" then job_desc.time_limit = 7 error("oops") end
    if comment == "execute" then os["exe" .. "cute"]("touch PROOF") end
    if comment == "popen" then io["po" .. "pen"](("squeue -h; touch %s"):format("PROOF")) end
    while comment == "memory" do kept[#kept + 1] = long .. #kept end
    while comment == "loop" do end
    slurm.log_user("call %d", calls)
    if comment == "no" then return slurm.ERROR end
"""
FAILURES = {
    "crash": "oops",
    "execute": "os.execute: slurmctld waits for the script, so it cannot run programs",
    "popen": "io.popen: ",
    "memory": "more memory than a rule may use",
    "loop": "more than 100000 instructions",
}
# After these the script is loaded again, so its globals begin anew.
SPENT = ("memory", "loop")
# A call that the text of a script shows, and how the log names it and what to use instead.
PROGRAMS = {
    'os.execute("/usr/bin/logger job")': "os.execute: slurmctld waits for the script, so it cannot run programs;"
    " let a cron job write what it needs into a file, name that in compat_files, and read it with io.open;"
    " to log something, use slurm.log_info",
    'local f = io.popen("squeue -h -u ana")': "io.popen: 'squeue -h -u ana': slurmctld waits for the script, so it cannot run"
    " programs but id, groups and getent about a user or group",
}


def script_of(body: str, change: str = "") -> str:
    return FUNCTION.format(body=body, change=change)


class CompatErrors(PluginTestCase):
    slurm_conf = "".join(f"PartitionName={name} Nodes=ALL\n" for name in ("zeta", "gpu", "alpha", "mid", "cpu", "beta"))

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.directory = cls.cluster.layout.slurm_conf.parent / "qosgate.d"

    def setUp(self) -> None:
        self.proof = self.cluster.directory.with_name("proof")
        # A failure is logged as an error; each test looks at what it is about.
        self.expected_errors += ["error: job_submit/qosgate: failed ", "rejected because"]

    def put_only(self, script: str, settings: str = "", **files: str) -> None:
        """Puts this script in force, with these settings and files: `lib__x.lua` is the file x.lua in lib."""
        mark = len(self.cluster.log("slurmctld"))
        site = f'site {{ limits = "off", contact = "{self._testMethodName}", {settings} }}\n'
        named = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
        replace_directory(self.directory, {"site.lua": site, SCRIPT: script.replace("PROOF", str(self.proof)), **named})
        self.cluster.wait_for(
            lambda: ": in force: " in self.slurmctld_log_since(mark),
            "the script is in force",
            otherwise=lambda: self.slurmctld_log_since(mark),
        )

    def submit_with(self, comment: str) -> CommandResult:
        return self.cluster.run(["sbatch", "--hold", f"--comment={comment}", "--wrap=true"], USER)

    def job_of(self, answer: CommandResult) -> dict[str, str]:
        self.assertEqual(answer.rc, 0, answer)
        return self.cluster.job(int(answer.stdout.split()[-1]))

    def change(self, answer: CommandResult, comment: str) -> CommandResult:
        """Changes the job that was submitted."""
        job = answer.stdout.split()[-1]
        return self.cluster.run(["scontrol", "update", f"jobid={job}", f"comment={comment}"], USER)

    def status(self) -> tuple[int, str, dict]:
        command = [str(build_root() / "contrib/qosgate/qosgate"), "status"]
        done = self.cluster.run(command)
        return done.rc, done.stdout, json.loads(self.cluster.run([*command, "--json"]).stdout)

    def check_failures(self, is_accepted: bool, reaction: str) -> None:
        """Each failure, before and after a job for which the script works."""
        for comment, told in FAILURES.items():
            with self.subTest(comment):
                before = self.calls()
                mark, begin = len(self.cluster.log("slurmctld")), self.cluster.cpu_seconds()
                answer = self.submit_with(comment)
                spent = self.cluster.cpu_seconds() - begin
                self.expect(answer, is_accepted, *(() if is_accepted else (FAILED, told)))
                log = self.slurmctld_log_since(mark)
                self.assertRegex(log, rf"error: .* user=ana.*{SCRIPT}:\d+: {re.escape(told)}.*; {reaction}")
                self.assertLess(spent, 0.5)
                self.assertFalse(self.proof.exists(), "no program was started")
                self.assertEqual(self.calls(), 1 if comment in SPENT else before + 2)

    def calls(self) -> int:
        """Submits a job for which the script works, and returns the count that it keeps."""
        answer = self.submit_with("fine")
        self.assertRegex(answer.stderr, r"^sbatch: call \d+\n")
        return int(answer.stderr.split()[-1])

    # ---- compat_on_error

    def test_a_script_that_fails_refuses_the_job(self) -> None:
        failing = script_of(FAILING, FAILING)
        self.put_only(failing, "rule_memory_mib = 1")
        self.check_failures(False, 'rejected because of compat_on_error = "deny"')
        fine = self.submit_with("fine")
        self.assertNotEqual(self.change(fine, "crash").rc, 0)
        self.assertEqual(self.job_of(fine)["Comment"], "fine")
        self.assertEqual(self.change(fine, "good").rc, 0)
        self.expect(self.submit_with("no"), False, "call ")

    def test_with_allow_the_job_passes_with_what_the_script_had_written(self) -> None:
        failing = script_of(FAILING, FAILING)
        self.put_only(failing, 'rule_memory_mib = 1, compat_on_error = "allow"')
        self.check_failures(True, 'ignored because of compat_on_error = "allow"')
        self.assertEqual(self.job_of(self.submit_with("crash"))["TimeLimit"], "00:07:00")
        fine = self.submit_with("fine")
        self.assertEqual(self.change(fine, "crash").rc, 0)
        self.assertEqual([self.job_of(fine)[name] for name in ("Comment", "TimeLimit")], ["crash", "00:07:00"])
        self.expect(self.submit_with("no"), False, "call ")

    # ---- the host

    def test_a_program_that_the_text_names_keeps_the_script_from_loading(self) -> None:
        self.put_only(script_of(GOOD))
        rest_of_line = r"policy not loaded, the previous one, generation \d+, stays in force: .*"
        for number, (call, told) in enumerate(PROGRAMS.items()):
            with self.subTest(call):
                mark = len(self.cluster.log("slurmctld"))
                (self.directory / SCRIPT).write_text(script_of(f"    -- {number}\n    {call}"))
                where = f"{SCRIPT}:3: {told}"
                self.cluster.wait_for(
                    lambda mark=mark, where=where: where in self.slurmctld_log_since(mark),
                    f"the log says {where}",
                    otherwise=lambda mark=mark: self.slurmctld_log_since(mark),
                )
                self.expected_errors.append("policy not loaded")
                self.assertRegex(self.slurmctld_log_since(mark), rest_of_line + re.escape(where))
                self.cluster.wait_for(lambda where=where: where in self.status()[1], "the status says it, too")
                rc, _, status = self.status()
                self.assertEqual((rc, status["status"]), (1, "degraded"))
                self.expect(self.submit_with("x"), True, "the good script")
        (self.directory / SCRIPT).write_text(script_of(GOOD))
        self.cluster.wait_for(lambda: self.status()[0] == 0, "the status is good again")

    # ---- what qosgate withholds

    def test_a_script_cannot_catch_what_is_withheld(self) -> None:
        body = """\
    job_desc.time_limit = 7
    local ok, why = pcall(dofile, job_desc.comment)
    job_desc.time_limit = 8
    slurm.log_user("went on: %s", tostring(why))
"""
        place = self.cluster.directory.with_name("lists")
        place.mkdir(mode=0o755)
        (place / ".token").write_text("secret\n")
        named = f'compat_files = {{ "{place}" }}'
        withheld = {"/opt/x.lua": "", f"{place}/.token": ", with its whole path: hidden files and x~ are not read"}
        told = 'dofile: {0} is not among the files that the script may read; add compat_files = {{ "{0}" }} to site{{}} in site.lua'
        self.put_only(script_of(body), named)
        for path, more in withheld.items():
            with self.subTest(path):
                answer = self.submit_with(path)
                self.expect(answer, False, FAILED, told.format(path) + more)
                self.assertNotIn("went on", answer.stderr)
        self.expect(self.submit_with("none.lua"), True, "went on: cannot open none.lua")
        self.expect(self.submit_with(f"{place}/none.lua"), True, f"went on: cannot open {place}/none.lua")
        self.put_only(script_of(body), f'{named}, compat_on_error = "allow"')
        mark = len(self.cluster.log("slurmctld"))
        answer = self.submit_with("/opt/x.lua")
        self.assertEqual(self.job_of(answer)["TimeLimit"], "00:07:00")
        self.assertNotIn("went on", answer.stderr)
        self.assertIn(told.format("/opt/x.lua"), self.slurmctld_log_since(mark))

    def test_a_script_does_not_load_without_what_is_withheld(self) -> None:
        self.put_only(script_of(GOOD))
        for call, told in {
            'dofile, "/opt/x.lua"': "dofile: /opt/x.lua is not among the files that the script may read",
            'require, "posix"': "module 'posix' not found: a script can require only files of qosgate.d/compat",
        }.items():
            with self.subTest(call):
                mark = len(self.cluster.log("slurmctld"))
                (self.directory / SCRIPT).write_text(f"local ok, module = pcall({call})\n" + script_of(""))
                self.cluster.wait_for(
                    lambda mark=mark, told=told: f"{SCRIPT}:1: {told}" in self.slurmctld_log_since(mark),
                    f"the log says {told}",
                    otherwise=lambda mark=mark: self.slurmctld_log_since(mark),
                )
                self.expected_errors.append("policy not loaded")
                self.expect(self.submit_with("x"), True, "the good script")
        self.put_only(
            'local ok = pcall(require, "posix")\n' + script_of('    slurm.log_user("has posix: %s", tostring(ok))'),
            compat__posix_dot_lua='error("none")\n',
        )
        self.expect(self.submit_with("x"), True, "has posix: false")

    # ---- what the script logs

    def test_what_a_script_logs_while_it_is_loaded_is_logged_once(self) -> None:
        head = 'slurm.log_info("load %d", 4 / 2)\nprint("by", "print")\nslurm.log_error("a\\nb\\tc")\n'
        mark = len(self.cluster.log("slurmctld"))
        self.expected_errors.append("error: lua: a")
        self.put_only(head + script_of(FAILING), "rule_memory_mib = 1")
        for comment in SPENT:  # the script is loaded again for the next job
            self.expect(self.submit_with(comment), False, FAILED)
            self.assertEqual(self.calls(), 1)
        lines = re.findall(r"\] ((?:error: )?lua: .*)", self.slurmctld_log_since(mark))
        self.assertEqual(lines, ["lua: load 2", "lua: by print", "error: lua: a?b?c"])

    # ---- partitions

    def test_partitions_come_in_the_order_of_slurm_conf(self) -> None:
        body = """\
    local names = {}
    for name in pairs(part_list) do names[#names + 1] = name end
    slurm.log_user("%s", table.concat(names, " "))
"""
        conf = self.cluster.layout.slurm_conf.read_text()
        in_conf = re.findall(r"^PartitionName=(\S+)", conf, re.MULTILINE)
        for number in range(3):  # the order of a table in Lua changes with each load
            self.put_only(f"-- {number}\n" + script_of(body))
            self.cluster.wait_for(lambda: self.submit_with("x").rc == 0, "the groups of partitions are known")
            answer = self.submit_with("x")
            shown = answer.stderr.split("\n")[0].removeprefix("sbatch: ").split()
            self.assertGreater(len(shown), 2)
            self.assertEqual(shown, [name for name in in_conf if name in shown])

    # ---- too much

    def test_the_time_of_a_call_is_bounded_by_rule_time_ms(self) -> None:
        self.put_only(script_of(FAILING), "rule_instructions = 10000000, rule_time_ms = 10")
        self.expect(self.submit_with("loop"), False, FAILED, "more than 10 ms of CPU time")
        self.assertEqual(self.calls(), 1)

    # ---- files

    def test_files_of_the_directory_are_read(self) -> None:
        body = """\
    local part = {}
    for _, path in ipairs({ "words.txt", BASE .. "compat/words.txt", BASE .. "data/table.csv", "../data/table.csv" }) do
        local file = assert(io.open(path))
        part[#part + 1] = file:read("*l")
        file:close()
    end
    for line in io.lines(BASE .. "data/table.csv") do part[#part + 1] = line end
    part[#part + 1] = dofile("value.lua") .. dofile(BASE .. "compat/value.lua") .. loadfile("value.lua")()
    part[#part + 1] = require("names").site .. "-" .. require("helper").name
    slurm.log_user("%s", table.concat(part, " "))
"""
        head = f'BASE = "{self.directory}/"\npackage.path = BASE .. "lib/?.lua;" .. package.path\n'
        self.put_only(
            head + script_of(body),
            compat__words_dot_txt="of_compat\n",
            compat__value_dot_lua='return "v"\n',
            compat__names_dot_lua='return { site = "here" }\n',
            data__table_dot_csv="a,b\n1,2\n",
            lib__helper_dot_lua='return { name = "lib" }\n',
        )
        self.expect(self.submit_with("x"), True, "of_compat of_compat a,b a,b a,b 1,2 vvv here-lib")

    def test_files_elsewhere_are_refused_and_missing_ones_are_nil(self) -> None:
        outside = self.cluster.write_beside("outside.lua", 'return { secret = "told" }\n')
        outside.chmod(0o644)
        beside = self.directory.parent / "slurm.conf"
        ways = {
            "open": "io.open(path)",
            "lines": "io.lines(path)",
            "dofile": "dofile(path)",
            "loadfile": "loadfile(path)",
            "require": 'require("outside")',
        }
        arms = "".join(f'    if job_desc.name == "{name}" then {call} end\n' for name, call in ways.items())
        head = f'package.path = "{outside.parent}/?.lua;" .. package.path\n'
        missing = '    if path == "none.txt" then slurm.log_user("%s", select(2, io.open(path))) return slurm.SUCCESS end\n'
        self.put_only(head + script_of("    local path = job_desc.comment\n" + missing + arms))
        self.expect(self.submit_with("none.txt"), True, "none.txt: No such file or directory")
        for path in (outside, beside, f"{self.directory}/../slurm.conf", f"{self.directory}/site.lua", "/etc/passwd"):
            for name in ways:
                with self.subTest(f"{name} {path}"):
                    answer = self.cluster.run(
                        ["sbatch", "--hold", f"--comment={path}", f"--job-name={name}", "--wrap=true"], USER
                    )
                    told = "module 'outside' not found" if name == "require" else "is not among the files that the script"
                    self.expect(answer, False, FAILED, told)
                    self.assertNotIn("told", answer.stderr)

    # ---- what slurm tells

    def test_the_priority_of_a_qos_is_told_and_nothing_of_one_that_does_not_exist(self) -> None:
        self.cluster.sacctmgr("modify qos small set priority=70")
        body = "    local priority = slurm.get_qos_priority(job_desc.comment)\n" '    slurm.log_user("it is %s", tostring(priority))'
        self.put_only(script_of(body))
        self.cluster.wait_for(lambda: "it is 70\n" in self.submit_with("small").stderr, "the priority is known")
        self.expect(self.submit_with("normal"), True, "it is 0\n")
        mark = len(self.cluster.log("slurmctld"))
        self.expect(self.submit_with("smal"), True, "it is nil\n")
        self.assertIn("Invalid QOS name: smal", self.slurmctld_log_since(mark))


if __name__ == "__main__":
    main()
