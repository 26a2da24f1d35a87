# SPDX-License-Identifier: GPL-2.0-or-later
"""A script for job_submit/lua does under qosgate what it does under Slurm's own plugin, on two live controllers.

Each file of the directory compat/ is such a script, and says in its comments what is tried with it:

    --: submit ARGUMENTS        of sbatch, as a user; `submit as root ARGUMENTS`, or nobody, `submit salloc ARGUMENTS`
    --: fails ARGUMENTS         the script fails: up to 25.11 Slurm's plugin accepts such a job, qosgate refuses it
    --: only_ours ARGUMENTS     as `fails`, but Slurm's plugin would not survive it
    --: update ARGUMENTS        of `scontrol update`, for a waiting job; `update_fails` as `fails`

Result, messages, fields of the job, its batch script, and what the script wrote into the log are the same.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import tempfile
import unittest
from pathlib import Path

from compat_controllers import Answer, Controller, Ours, Slurms
from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import main
from qosgate_dev.testing.cluster import CommandResult
from qosgate_dev.testing.plugin_case import USER
from qosgate_dev.testing.whole_files import write_whole

SCRIPTS = Path(__file__).parent / "compat"
FAILED = "This job was not accepted because the site's script compat/job_submit.lua failed: "
# Slurm's plugin, a job whose script fails.
REFUSES_FAILURES = slurm_version() >= (26, 5)
# Bits of job_desc.bitflags.
LATER_CONSTANTS = {
    "GRES_ONE_TASK_PER_SHARING": 1 << 38,
    "GRES_MULT_TASKS_PER_SHARING": 1 << 39,
    "GRES_ALLOW_TASK_SHARING": 1 << 40,
    "STEPMGR_ENABLED": 1 << 41,
    "SPREAD_SEGMENTS": 1 << 43,
    "CONSOLIDATE_SEGMENTS": 1 << 44,
    "EXPEDITED_REQUEUE": 1 << 45,
}


def commands_of(script: str) -> list[tuple[str, str, list[str]]]:
    """(what is expected, user, command) of each line that tries something."""
    found = []
    for how, rest in re.findall(r"^--: (\w+)[ \t]*(.*?)\r?$", script, re.MULTILINE):
        user = USER
        if named := re.match(r"as (\w+)(?: |$)", rest):
            user, rest = named[1], rest[named.end() :]
        words = shlex.split(rest)
        if how.startswith("update"):
            command = words
        elif words[:1] == ["salloc"]:
            command = [*words, "true"]
        else:
            command = ["sbatch", "--hold", *words, "--wrap=true"]
        found.append((how, user, command))
    return found


class Compat(unittest.TestCase):
    """Every script of compat/ under both plugins."""

    maxDiff = None

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="qosgate-compat-")
        cls.addClassCleanup(directory.cleanup)
        Path(directory.name).chmod(0o755)
        cls.files = Path(directory.name) / "files"
        shutil.copytree(SCRIPTS / "files", cls.files)
        for path in [cls.files, *cls.files.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        cls.slurms = Slurms()
        cls.addClassCleanup(cls.slurms.cluster.down)
        cls.ours = Ours(cls.files)
        cls.addClassCleanup(cls.ours.cluster.down)
        for controller in (cls.slurms, cls.ours):
            controller.reserve()
        cls.wait_for_groups()

    def test_all_scripts_do_the_same(self) -> None:
        scripts = sorted(SCRIPTS.glob("*.lua"))
        only = os.environ.get("QG_COMPAT_SCRIPT")
        self.assertGreaterEqual(len(scripts), 30)
        for path in scripts:
            if only and path.stem != only:
                continue
            source = path.read_bytes().replace(b"@FILES@", os.fsencode(self.files))
            for controller in (self.slurms, self.ours):
                controller.put_in_force(source)
            self.assertNotIn("error: job_submit", self.ours.last_loaded, path.name)
            commands = commands_of(source.decode())
            self.assertTrue(commands, path.name)
            if b"io.popen" in source or b"AllowGroups" in source:
                self.wait_for_users(commands)
            for how, user, command in commands:
                with self.subTest(f"{path.stem}: {how} {shlex.join(command)}"):
                    self.compare(how, user, command)

    def test_with_allow_a_script_that_fails_does_what_it_does_in_slurms_plugin(self) -> None:
        site = self.ours.directory / "site.lua"
        before = site.read_text()
        write_whole(site, before.replace("site {", 'site { compat_on_error = "allow",', 1))
        self.addCleanup(write_whole, site, before)
        compared = 0
        for path in sorted(SCRIPTS.glob("*.lua")):
            source = path.read_bytes().replace(b"@FILES@", os.fsencode(self.files))
            commands = [row for row in commands_of(source.decode()) if row[0] in ("fails", "update_fails")]
            for controller in (self.slurms, self.ours) if commands else ():
                controller.put_in_force(source)
            for how, user, command in commands:
                with self.subTest(f"{path.stem}: {how} {shlex.join(command)}"):
                    ask = Controller.change if how.startswith("update") else Controller.ask
                    ours, slurms = ask(self.ours, command, user), ask(self.slurms, command, user)
                    self.assertEqual(ours.code, 0, ours)
                    compared += 1
                    if REFUSES_FAILURES:
                        self.assertNotEqual(slurms.code, 0, slurms)
                        continue
                    # Each plugin logs the failure in its own words.
                    ours.logged, slurms.logged = [], []
                    self.assertEqual(slurms, ours)
        self.assertGreaterEqual(compared, 5)

    def test_constants_of_later_releases_have_their_numbers_in_every_release(self) -> None:
        asks = "".join(f'slurm.log_user("{name}=%s", tostring(slurm.{name}))\n' for name in LATER_CONSTANTS)
        script = f"function slurm_job_submit()\n{asks}return slurm.ERROR end\nfunction slurm_job_modify() return 0 end\n"
        told = {}
        for whose, controller in (("slurms", self.slurms), ("ours", self.ours)):
            controller.put_in_force(script.encode())
            answer = controller.ask(["sbatch", "--hold", "--wrap=true"], USER)
            told[whose] = dict(re.findall(r"(\w+)=(\S+)$", answer.said, re.MULTILINE))
        self.assertEqual({name: int(number) for name, number in told["ours"].items()}, LATER_CONSTANTS)
        # What Slurm's plugin of this release has is the same.
        known = {name: number for name, number in told["slurms"].items() if number != "nil"}
        self.assertEqual({name: told["ours"][name] for name in known}, known)

    def test_the_priority_of_a_qos_is_that_of_slurms_plugin_if_it_tells_one(self) -> None:
        script = b"""
            function slurm_job_submit(job_desc)
                if not slurm.get_qos_priority then slurm.log_user("no such function") return slurm.ERROR end
                slurm.log_user("priority %s", tostring((slurm.get_qos_priority(job_desc.comment))))
                return slurm.ERROR
            end
            function slurm_job_modify() return 0 end
            """
        for controller in (self.slurms, self.ours):
            controller.put_in_force(script)
        for name, told in (("small", "priority 70"), ("normal", "priority 0"), ("no_such_qos", "priority nil")):
            job = ["sbatch", "--hold", f"--comment={name}", "--wrap=true"]
            ours, slurms = (controller.ask(job, USER) for controller in (self.ours, self.slurms))
            self.assertIn(f"sbatch: error: {told}\n", ours.said)
            if "no such function" not in slurms.said:
                self.assertEqual(ours.said, slurms.said)

    @classmethod
    def wait_for_groups(cls) -> None:
        """Until the plugin knows the groups of AllowGroups and of the user."""
        cls.ours.put_in_force(b"function slurm_job_submit(job_desc, part_list) return next(part_list) and 0 or 1 end")
        job = ["sbatch", "--hold", "--wrap=true"]
        cls.ours.cluster.wait_for(lambda: cls.ours.ask(job, USER).code == 0, "the groups are known")

    def wait_for_users(self, commands: list[tuple[str, str, list[str]]]) -> None:
        """Until the plugin knows the users and groups that the script asks about."""
        answers: list[Answer] = []

        def are_known() -> bool:
            answers[:] = [self.ours.ask(command, user) for how, user, command in commands if how == "submit"]
            return all("not known yet" not in answer.said for answer in answers)

        self.ours.cluster.wait_for(are_known, "the users are known", otherwise=lambda: str(answers))

    def test_a_changed_file_is_in_force_at_once(self) -> None:
        script = (SCRIPTS / "allow_file.lua").read_bytes().replace(b"@FILES@", os.fsencode(self.files))
        self.ours.put_in_force(script)
        job = ["sbatch", "--hold", "-p", "short", "--wrap=true"]
        self.assertEqual(self.ours.ask(job, USER).code, 0)
        allowed = self.files / "allow.txt"
        text = allowed.read_text()

        allowed.write_text(text.replace("main,short", "main"))
        self.ours.cluster.wait_for(lambda: self.ours.ask(job, USER).code != 0, "the shorter list is in force")
        allowed.chmod(0o666)
        allowed.write_text(text)
        self.ours.cluster.wait_for(
            lambda: "allow.txt: mode 0666 lets others write it" in self.ours.cluster.log("slurmctld"), "it is not trusted"
        )
        self.assertNotEqual(self.ours.ask(job, USER).code, 0)
        allowed.chmod(0o644)
        self.ours.cluster.wait_for(lambda: self.ours.ask(job, USER).code == 0, "the list is in force again")

        # What is kept for a restart has the files, too.
        allowed.rename(allowed.with_suffix(".old"))
        self.ours.directory.chmod(0o777)
        self.ours.cluster.restart("slurmctld")
        self.assertEqual(self.ours.ask(job, USER).code, 0)
        self.ours.directory.chmod(0o755)
        allowed.with_suffix(".old").rename(allowed)

    def test_log_records_and_status_show_what_the_script_did(self) -> None:
        site = self.ours.directory / "site.lua"
        before = site.read_text()
        records = self.files.parent / "records.jsonl"
        write_whole(site, before.replace("site {", f'site {{ record_file = "{records}", rule_instructions = 10000000,', 1))
        self.addCleanup(write_whole, site, before)
        rule = self.ours.directory / "10-late.lua"
        rule.write_text(
            'rule { name = "late", modify = function(job) if job.time_limit > 50 then job:reject("too long") end end }\n'
        )
        self.addCleanup(rule.unlink)
        self.ours.put_in_force(
            b"""
            function slurm_job_submit(job_desc, part_list, submit_uid)
                if job_desc.name == "crash" then error("oops") end
                if job_desc.name == "refused" then
                    slurm.log_user("not today")
                    return 2045
                end
                local sum = 0
                for i = 1, 800000 do sum = sum + i end
                job_desc.time_limit = 7
                slurm.log_user("seven minutes")
                return slurm.SUCCESS
            end
            function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
                if job_desc.comment == "no" then return slurm.ERROR end
                if job_desc.comment == nil then
                    slurm.log_user("longer")
                    return slurm.SUCCESS
                end
                job_desc.comment = "was " .. job_desc.comment
                return slurm.SUCCESS
            end
            """
        )

        def state() -> dict:
            return json.loads((self.ours.cluster.layout.controller_state / "qosgate_status.json").read_text())

        policy = re.findall(r"hash ([0-9a-f]{16})", self.ours.last_loaded)[-1]
        self.ours.cluster.wait_for(lambda: state()["policy"] == policy, "the status has what happened before")
        before_all = {
            name: state()[name] for name in ("jobs", "changes", "refused", "changed_by_rules", "with_message", "rule_failed")
        }
        times_before = state()["decision_times"]

        def sbatch(name: str) -> CommandResult:
            return self.ours.cluster.run(["sbatch", "--hold", "-J", name, "--wrap=true"], USER)

        accepted = sbatch("good")
        self.assertEqual(accepted.rc, 0, accepted)
        refused = sbatch("refused")
        self.assertRegex(refused.stderr, "error: not today\n(.*\n)*.*error: decision ")
        self.assertIn("oops", sbatch("crash").stderr)
        job = accepted.stdout.split()[-1]
        mark = len(self.ours.cluster.log("slurmctld"))
        for words in ("comment=yes", "comment=no", "timelimit=55"):
            self.ours.cluster.run(["scontrol", "update", f"jobid={job}", words], USER)

        def read() -> list[dict]:
            return [json.loads(line) for line in records.read_text().splitlines()] if records.exists() else []

        self.ours.cluster.wait_for(lambda: len(read()) >= 6, "six records", otherwise=lambda: str(read()))
        found = [
            (record["event"], record["outcome"], event["effect"], event["text"])
            for record in read()
            for event in record["events"]
            if event["rule"] == event["file"] == "compat/job_submit.lua"
        ]
        self.assertEqual(
            [row if "oops" not in row[3] else row[:3] for row in found],
            [
                ("submission", "accepted", "changed", "time_limit: (unset) -> 00:07:00"),
                ("submission", "accepted", "noted", "seven minutes"),
                ("submission", "refused", "rejected", "returned 2045: not today"),
                ("submission", "refused", "failed"),
                ("change", "accepted", "changed", "comment: yes -> was yes"),
                ("change", "refused", "rejected", "returned -1"),
                ("change", "refused", "noted", "longer"),
            ],
        )
        self.assertEqual([(record["user"], record["partition"]) for record in read()], [(USER, "main")] * 6)
        self.assertEqual(read()[0]["message"], ["seven minutes"])
        self.assertEqual(read()[-1]["message"][:2], ["longer", "too long"])
        self.assertRegex(
            self.ours.cluster.log("slurmctld")[mark:],
            rf"rejected change jobid={job} user=ana\(\d+\) job=good account=astro .*: rule 'compat/job_submit.lua'",
        )
        self.assertRegex(
            self.ours.cluster.log("slurmctld"),
            r"changed user=ana\(\d+\) job=good .*: rule 'compat/job_submit.lua' \(compat/job_submit.lua\): time_limit",
        )

        self.ours.cluster.wait_for(lambda: state()["script"]["calls"] == 6, "the status counts the calls")
        counts = {name: state()[name] - before_all[name] for name in before_all}
        self.assertEqual(
            counts, {"jobs": 3, "changes": 3, "refused": 4, "changed_by_rules": 2, "with_message": 4, "rule_failed": 1}
        )
        times = state()["decision_times"]
        self.assertEqual(sum(times["counts"]) - sum(times_before["counts"]), 6)
        self.assertGreater(times["sum_us"] - times_before["sum_us"], 4000, "a loop of the script takes so long")
        status = state()["script"]
        self.assertEqual(
            (status["file"], status["failures"], status["failures_in_a_row"]),
            ("compat/job_submit.lua", 1, 0),
        )
        self.assertIn("oops", status["last_failure"])

    def test_the_name_of_a_user_whom_accounting_does_not_know(self) -> None:
        script = b"""
            function slurm_job_submit(job_desc) slurm.log_user("%s", job_desc.user_name) return slurm.ERROR end
            function slurm_job_modify() return 0 end
            """
        for controller in (self.slurms, self.ours):
            controller.put_in_force(script)
        job = ["sbatch", "--hold", "--wrap=true"]
        answers: list[Answer] = []

        def is_known() -> bool:
            answers.append(self.ours.ask(job, "ben"))
            return "is not known yet" not in answers[-1].said

        self.ours.cluster.wait_for(is_known, "ben is known", otherwise=lambda: str(answers[-1]))
        self.assertIn("sbatch: error: ben\n", answers[-1].said)
        self.assertEqual(self.slurms.ask(job, "ben"), answers[-1])

    def test_the_log_gets_what_a_script_writes_if_the_site_says_so(self) -> None:
        site = self.ours.directory / "site.lua"
        before = site.read_text()
        write_whole(site, before.replace("site {", 'site { compat_writes = "log",', 1))
        self.addCleanup(write_whole, site, before)
        path = self.files / "jobs.log"
        self.ours.put_in_force(
            f"""
            function slurm_job_submit(job_desc)
                local file = io.open("{path}", "a")
                file:write("job of ", job_desc.user_id, "\\n")
                file:close()
                return slurm.SUCCESS
            end
            """.encode()
        )
        answer = self.ours.ask(["sbatch", "--hold", "--wrap=true"], USER)
        self.assertEqual(answer.code, 0, answer)
        self.assertRegex("\n".join(answer.logged), rf"lua: {path}: job of \d+")
        self.assertFalse(path.exists())

    def compare(self, how: str, user: str, command: list[str]) -> None:
        def ask(controller: Controller) -> Answer:
            return (controller.change if how.startswith("update") else controller.ask)(command, user)

        answer = ask(self.ours)
        if how in ("submit", "update"):
            self.assertEqual(ask(self.slurms), answer)
            return
        self.assertNotEqual(answer.code, 0)
        if how != "update_fails":  # no user reads a message about a change before 23.02
            self.assertIn(FAILED, answer.said)
        if how != "only_ours":
            self.assertEqual(ask(self.slurms).code != 0, REFUSES_FAILURES)


if __name__ == "__main__":
    main()
