# SPDX-License-Identifier: GPL-2.0-or-later
"""A script for job_submit/lua does under qosgate what it does under Slurm's own plugin, on two live controllers.

Each file of the directory compat/ is such a script, and says in its comments what is tried with it:

    --: submit ARGUMENTS        of sbatch, as a user; `submit as root ARGUMENTS`, `submit salloc ARGUMENTS`
    --: fails ARGUMENTS         the script fails: Slurm's plugin accepts such a job, qosgate refuses it
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
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

from qosgate_dev.testing import build_root, main
from qosgate_dev.testing.cluster import Cluster, CommandResult
from qosgate_dev.testing.plugin_case import PARTITIONS, USER

SCRIPTS = Path(__file__).parent / "compat"
FAILED = "This job was not accepted because the site's script compat/job_submit.lua failed: "
CHANGING_FIELDS = {"JobId", "SubmitTime", "EligibleTime", "AccrueTime", "LastSchedEval", "AllocNode:Sid", "StartTime"}
# Counts and places of one cluster: numbers of jobs, times, hosts' processes.
DIFFERING = {"job_id", "array_job_id", "submit_time", "start_time", "end_time", "priority"}
WAITING_JOBS = """\
function slurm_job_submit(job_desc, part_list, submit_uid)
    local waiting = 0
    for id, job in pairs(slurm.jobs) do
        if job.user_id == job_desc.user_id and job.job_state == 0 then waiting = waiting + 1 end
    end
    if waiting >= 3 then
        slurm.log_user("you have %d waiting jobs", waiting)
        return slurm.ERROR
    end
    if job_desc.comment == "only-asks" then return slurm.ERROR end
    return slurm.SUCCESS
end
function slurm_job_modify() return 0 end
"""
FIELDS_OF_JOBS = """\
account admin_comment alloc_node array_job_id array_task_id batch_features batch_host burst_buffer comment cpus_per_tres
delay_boot derived_ec end_time exit_code features gres gres_req group_id het_job_id het_job_id_set het_job_offset job_id
job_state licenses mem_per_tres min_cpus min_mem_per_cpu min_mem_per_node name nice nodes partition pn_min_cpus
pn_min_memory priority qos reboot req_switch resizing restart_cnt resv_name site_factor start_time submit_time time_limit
time_min total_cpus total_nodes tres_bind tres_fmt_alloc_str tres_fmt_req_str tres_freq tres_per_job tres_per_node
tres_per_socket tres_per_task user_id user_name wait4switch wckey work_dir no_such_field"""
STATES_OF_JOBS = {"waits": "0", "lists": "0", "runs": "1", "free": "1"}
ONLY_IN_SOME_STATES = {
    "end_time", "features", "min_cpus", "nodes", "start_time", "time_limit", "total_cpus", "total_nodes"
}
DUMP_OF_JOBS = f"""\
local fields = {{ {', '.join(f'"{name}"' for name in FIELDS_OF_JOBS.split())} }}
function slurm_job_submit(job_desc, part_list, submit_uid)
    local wanted = string.match(job_desc.comment or "", "^dump (.*)")
    for id, job in pairs(slurm.jobs) do
        for _, field in ipairs(job.name == wanted and fields or {{}}) do
            local ok, value = pcall(function() return job[field] end)
            slurm.log_info(string.format("job %s %s=%s", job.name, field, ok and tostring(value) or "(error)"))
        end
    end
    return slurm.SUCCESS
end
function slurm_job_modify() return 0 end
"""
EMPTY = "function slurm_job_submit() return 0 end\nfunction slurm_job_modify() return 0 end\n"


@dataclass
class Answer:
    """What a user and an administrator see of one command."""

    code: int
    said: str
    job: dict[str, str]
    script: str
    logged: list[str]


class Controller:
    """One of the two clusters."""

    def __init__(self, plugins: str, conf: str) -> None:
        self.cluster = Cluster.up(nodes=2, users=[USER, "ben"], slurm_conf=conf + PARTITIONS)
        for line in (
            "add qos small MaxTRESPerJob=cpu=2 MaxWall=60",
            "add account astro,bio",
            f"add user {USER} account=astro qos=normal,small defaultqos=normal",
            f"add user {USER} account=bio qos=normal",
        ):
            self.cluster.sacctmgr(line)
        self.plugins = plugins

    def reserve(self) -> None:
        """What scripts find in slurm.reservations."""
        self.cluster.scontrol(
            f"create reservation reservationname=course partitionname=short nodes=ALL"
            f" flags=part_nodes starttime=now+10days duration=120 users={USER}"
        )

    def put_in_force(self, script: bytes) -> None:
        raise NotImplementedError

    def restart_with(self, line: str) -> None:
        conf = self.cluster.layout.slurm_conf
        conf.write_text(conf.read_text() + line)
        self.cluster.restart("slurmctld")

    def ask(self, command: list[str], user: str) -> Answer:
        mark = len(self.cluster.log("slurmctld"))
        result = self.cluster.run(command, user)
        job = re.search(r"job (\d+)", result.stdout + result.stderr)
        fields: dict[str, str] = {}
        script = ""
        if result.rc == 0 and job:
            fields = {key: self.plain(value) for key, value in self.cluster.job(int(job[1])).items()}
            script = self.cluster.run(f"scontrol write batch_script {job[1]} -").stdout
            self.cluster.run(f"scancel {job[1]}", check=True)
        return Answer(
            result.rc,
            self.plain(result.stderr),
            {key: value for key, value in fields.items() if key not in CHANGING_FIELDS},
            script,
            self.lines_of_script(mark),
        )

    def change(self, words: list[str], user: str) -> Answer:
        """Changes a waiting job."""
        job = self.cluster.run("sbatch --parsable --hold --wrap=true", USER, check=True).stdout.strip()
        mark = len(self.cluster.log("slurmctld"))
        result = self.cluster.run(["scontrol", "update", f"jobid={job}", *words], user)
        fields = {key: self.plain(value) for key, value in self.cluster.job(int(job)).items()}
        self.cluster.run(f"scancel {job}", check=True)
        return Answer(
            result.rc,
            self.plain(result.stderr),
            {key: value for key, value in fields.items() if key not in CHANGING_FIELDS},
            "",
            self.lines_of_script(mark),
        )

    def lines_of_script(self, mark: int) -> list[str]:
        lines = re.findall(r"\] ((?:error: )?lua: .*)", self.cluster.log("slurmctld")[mark:])
        return [self.plain(line) for line in lines]

    def plain(self, text: str) -> str:
        """Without what differs between two clusters."""
        text = text.replace(str(self.cluster.directory), "DIRECTORY")
        return re.sub(r"\b(job ?|slurm-|allocation |out-)\d+", r"\1N", text)


class Slurms(Controller):
    """With job_submit/lua. slurmctld does not start without a script."""

    def __init__(self) -> None:
        super().__init__("lua", "")
        self.written = 0
        self.put_in_force(EMPTY.encode())
        self.restart_with("JobSubmitPlugins=lua\n")

    def put_in_force(self, script: bytes) -> None:
        path = self.cluster.layout.etc / "job_submit.lua"
        path.write_bytes(script)
        # The plugin reads a script with a later time than the last one's, in whole seconds.
        self.written += 1
        stamp = time.time() + 10 * self.written
        os.utime(path, (stamp, stamp))


class Ours(Controller):
    """With job_submit/qosgate."""

    def __init__(self, files: Path) -> None:
        super().__init__("qosgate", f"JobSubmitPlugins=qosgate\nPluginDir={build_root()}/plugin:@PLUGINDIR@\n")
        self.folder = self.cluster.layout.slurm_conf.parent / "qosgate.d"
        (self.folder / "compat").mkdir(mode=0o755, parents=True)
        (self.folder / "site.lua").write_text(f'site {{ limits = "off", compat_files = {{ "{files}" }} }}\n')
        self.put_in_force(EMPTY.encode())

    def put_in_force(self, script: bytes) -> None:
        mark = len(self.cluster.log("slurmctld"))
        (self.folder / "compat" / "job_submit.lua").write_bytes(script)
        self.cluster.wait_for(
            lambda: "job_submit/qosgate: policy" in self.cluster.log("slurmctld")[mark:], "the script is read"
        )
        self.last_loaded = self.cluster.log("slurmctld")[mark:]


def commands_of(script: str) -> list[tuple[str, str, list[str]]]:
    """(what is expected, user, command) of each line that tries something."""
    found = []
    for how, rest in re.findall(r"^--: (\w+)[ \t]*(.*?)\r?$", script, re.MULTILINE):
        user = USER
        if rest.startswith("as root "):
            user, rest = "root", rest.removeprefix("as root ")
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
        folder = tempfile.TemporaryDirectory(prefix="qosgate-compat-")
        cls.addClassCleanup(folder.cleanup)
        Path(folder.name).chmod(0o755)
        cls.files = Path(folder.name) / "files"
        shutil.copytree(SCRIPTS / "files", cls.files)
        for path in [cls.files, *cls.files.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        cls.slurms = Slurms()
        cls.addClassCleanup(cls.slurms.cluster.down)
        cls.ours = Ours(cls.files)
        cls.addClassCleanup(cls.ours.cluster.down)
        for controller in (cls.slurms, cls.ours):
            controller.reserve()

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
            self.assertNotIn("error", self.ours.last_loaded, path.name)
            commands = commands_of(source.decode())
            self.assertTrue(commands, path.name)
            if b"io.popen" in source:
                self.wait_for_users(commands)
            for how, user, command in commands:
                with self.subTest(f"{path.stem}: {how} {shlex.join(command)}"):
                    self.compare(how, user, command)

    def wait_for_users(self, commands: list[tuple[str, str, list[str]]]) -> None:
        """Until the plugin knows whom the script asks about: then no call fails."""
        answers: list[Answer] = []

        def are_known() -> bool:
            answers[:] = [self.ours.ask(command, user) for _, user, command in commands]
            return all(answer.code == 0 for answer in answers)

        self.ours.cluster.wait_for(are_known, "the users are known", otherwise=lambda: str(answers))

    def test_a_changed_file_is_in_force_at_once(self) -> None:
        script = (SCRIPTS / "allow_file.lua").read_bytes().replace(b"@FILES@", os.fsencode(self.files))
        self.ours.put_in_force(script)
        job = ["sbatch", "--hold", "-p", "short", "--wrap=true"]
        self.assertEqual(self.ours.ask(job, USER).code, 0)
        allowed = self.files / "allow.txt"
        text = allowed.read_text()

        allowed.write_text(text.replace("main,short", "main"))
        self.ours.cluster.wait_for(lambda: self.ours.ask(job, USER).code != 0, "the shorter list is in force", timeout=5)
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
        self.ours.folder.chmod(0o777)
        self.ours.cluster.restart("slurmctld")
        self.assertEqual(self.ours.ask(job, USER).code, 0)
        self.ours.folder.chmod(0o755)
        allowed.with_suffix(".old").rename(allowed)

    def test_log_records_and_status_show_what_the_script_did(self) -> None:
        site = self.ours.folder / "site.lua"
        before = site.read_text()
        records = self.files.parent / "records.jsonl"
        site.write_text(before.replace("site {", f'site {{ record_file = "{records}",', 1))
        self.addCleanup(site.write_text, before)
        self.ours.put_in_force(
            b"""
            function slurm_job_submit(job_desc, part_list, submit_uid)
                if job_desc.name == "crash" then error("oops") end
                if job_desc.name == "refused" then
                    slurm.log_user("not today")
                    return 2045
                end
                job_desc.time_limit = 7
                slurm.log_user("seven minutes")
                return slurm.SUCCESS
            end
            function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
                if job_desc.comment == "no" then return slurm.ERROR end
                job_desc.comment = "was " .. job_desc.comment
                return slurm.SUCCESS
            end
            """
        )

        def sbatch(name: str) -> CommandResult:
            return self.ours.cluster.run(["sbatch", "--hold", "-J", name, "--wrap=true"], USER)

        accepted = sbatch("good")
        self.assertEqual(accepted.rc, 0, accepted)
        refused = sbatch("refused")
        self.assertRegex(refused.stderr, "error: not today\n(.*\n)*.*error: decision ")
        self.assertIn("oops", sbatch("crash").stderr)
        job = accepted.stdout.split()[-1]
        for comment in ("yes", "no"):
            self.ours.cluster.run(["scontrol", "update", f"jobid={job}", f"comment={comment}"], USER)

        def read() -> list[dict]:
            return [json.loads(line) for line in records.read_text().splitlines()] if records.exists() else []

        self.ours.cluster.wait_for(lambda: len(read()) >= 5, "five records", otherwise=lambda: str(read()))
        found = [
            (record["event"], record["outcome"], event["did"], event["text"])
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
            ],
        )
        self.assertRegex(
            self.ours.cluster.log("slurmctld"),
            r"changed user=ana\(\d+\) job=good .*: rule 'compat/job_submit.lua' \(compat/job_submit.lua\): time_limit",
        )

        def script() -> dict:
            state = json.loads((self.ours.cluster.layout.controller_state / "qosgate_status.json").read_text())
            return state["script"]

        self.ours.cluster.wait_for(lambda: script()["calls"] == 5, "the status counts the calls", timeout=60)
        status = script()
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

    def test_a_bound_on_waiting_jobs_holds_under_both(self) -> None:
        for controller in (self.slurms, self.ours):
            controller.put_in_force(WAITING_JOBS.encode())
            controller.cluster.wait_for(
                lambda c=controller: c.cluster.run(["sbatch", "--hold", "--wrap=true", "--chdir=/"]).rc == 0,
                "jobs are read",
            )
            for _ in range(3):
                controller.cluster.run(["sbatch", "--hold", "--wrap=true"], USER, check=True)
            command = ["sbatch", "--hold", "--comment=only-asks", "--wrap=true"]
            answers: list[str] = []

            def is_refused(c: Controller = controller, command: list[str] = command, answers: list[str] = answers) -> bool:
                # A change of a job, after which Slurm's plugin looks at them again: it misses those of the same second.
                c.cluster.run(["sbatch", "--hold", "--wrap=true", "--chdir=/"])
                c.cluster.run("scancel --user=root")
                answers.append(c.cluster.run(command, USER).stderr)
                return "you have 3 waiting jobs" in answers[-1]

            try:
                controller.cluster.wait_for(is_refused, "the user has too many", otherwise=lambda a=answers: str(a))
                others = ["sbatch", "--hold", "--wrap=true", "--chdir=/"]
                controller.cluster.wait_for(
                    lambda c=controller, others=others: c.cluster.run(others).rc == 0, "root has not too many"
                )
            finally:
                controller.cluster.run(f"scancel --user={USER},root")

    def test_jobs_have_the_values_that_slurms_plugin_shows(self) -> None:
        seen = []
        site = self.ours.folder / "site.lua"
        self.addCleanup(site.write_text, site.read_text())
        site.write_text(site.read_text().replace("site {", "site { rule_instructions = 10000000,"))
        for controller in (self.slurms, self.ours):
            controller.put_in_force(DUMP_OF_JOBS.encode())
            for options in (
                "--job-name=waits --hold --time=30 -n2 --mem=50 --comment=c --nice=7 --qos=small --dependency=singleton",
                "--job-name=lists --hold -p short,main --array=1-5%2 --mem-per-cpu=20 --begin=now+1day",
                "--job-name=runs --time=5 -N1 --mem=20 --account=bio",
                "--job-name=free -p short --mem=20",
            ):
                submit = ["sbatch", *options.split(), "--wrap=sleep 300"]
                controller.cluster.wait_for(
                    lambda c=controller, submit=submit: c.cluster.run(submit, USER).rc == 0, "jobs are read"
                )
            found: dict[tuple[str, str], str] = {}

            def is_complete(c: Controller = controller, found: dict[tuple[str, str], str] = found) -> bool:
                mark = len(c.cluster.log("slurmctld"))
                for name in STATES_OF_JOBS:
                    # This is a change of a job, after which Slurm's plugin looks at them again.
                    c.cluster.run(["sbatch", "--hold", f"--comment=dump {name}", "--wrap=true"], USER)
                lines = re.findall(r"lua: job (\w+) (\w+)=(.*)", c.cluster.log("slurmctld")[mark:])
                found.clear()
                found.update({(name, field): c.plain(value) for name, field, value in lines})
                return all(found.get((name, "job_state")) == state for name, state in STATES_OF_JOBS.items())

            controller.cluster.wait_for(is_complete, "all jobs are seen", otherwise=lambda f=found: str(f))
            seen.append(dict(found))
            controller.cluster.run(f"scancel --user={USER}")
        slurms, ours = seen
        told = {key: value for key, value in ours.items() if value != "(error)" and key[1] not in DIFFERING}
        self.assertEqual({key: slurms[key] for key in told}, told)
        self.assertEqual({field for name, field in ours if ours[name, field] == "(error)"}, ONLY_IN_SOME_STATES)
        self.assertEqual({field for name, field in ours if name == "runs" and ours[name, field] == "(error)"}, {"features", "min_cpus"})

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
            self.assertEqual(ask(self.slurms).code, 0)


if __name__ == "__main__":
    main()
