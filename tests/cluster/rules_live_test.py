# SPDX-License-Identifier: GPL-2.0-or-later
"""What the guide to rules promises, seen in a real slurmctld: each shipped rule, the modules that they use, how a chain
of rules ends, rules that fail or do not end, and tables of a site."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from qosgate_dev import ROOT
from qosgate_dev.testing import copy_command, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase
from qosgate_dev.testing.whole_files import replace_directory

SHIPPED = ROOT / "lua/rules"
OTHER_USER = "ben"
# What the tables of the shipped rules name.
PARTITIONS = ("cad", "cpu", "debug", "gpu", "gpu-long", "interactive", "large", "portal", "small")
QOS = ("cpu-small", "gpu-normal", "gpu-short", "long", "physics", "portal", "short")
# Every user has two GPUs at once, at any hour.
CAPS = "user,from,to,gpus\n,0,24,2\n"


@dataclass(frozen=True)
class Case:
    """A job for which one shipped rule has something to say or to do."""

    rule: str
    options: str
    rejection: str = ""  # empty: the job is accepted
    told: str = ""
    job: dict[str, str] = field(default_factory=dict)  # what scontrol shows then
    user: str = USER


TIME = "--time=10"
CASES = (
    Case("accounts-by-partition", f"{TIME} -A bio -p large", "partition large is not for account bio"),
    Case("array-size", f"{TIME} --qos=long --array=1-11", "job arrays with QOS long may have 10 tasks, this one has 11"),
    Case("default-qos", f"{TIME} -p cpu", job={"QOS": "cpu-small"}),
    Case("default-time", "-p debug", told="no --time given: set to 15 minutes", job={"TimeLimit": "00:15:00"}),
    Case("department-qos", TIME, job={"QOS": "physics"}),
    Case("department-qos", f"{TIME} --qos=physics", "QOS physics is for another department", user=OTHER_USER),
    Case("forbidden-options", f"{TIME} --exclusive", "--exclusive is not allowed here"),
    Case("gpu-caps", f"{TIME} -p gpu --gpus=3", "a user may have 2 GPUs at once: your jobs have 0, this one asks for 3"),
    Case("gpu-partition", "--time=40 --gpus=1", told="sent to partition gpu", job={"Partition": "gpu"}),
    Case("gpu-shares", "--time=40 -p gpu --gpus=1 -n1 -c9", "9 CPUs; with 1 GPU it may have at most 8"),
    Case("gpu-type", f"{TIME} -p gpu-long --gpus=1", "name the type of the GPUs: --gpus=a100:1"),
    Case("interactive-jobs", f"{TIME} -p interactive", "partition interactive is for interactive jobs"),
    Case("licenses", f"{TIME} -p cad", told="license added: cad:1", job={"Licenses": "cad:1"}),
    Case("max-time", "-p debug --time=31", "in partition debug may take 30 minutes"),
    Case("partition-size", f"{TIME} -p small -N2", "partition small is for jobs with at most 1 nodes"),
    Case("required-options", "", "this job needs --time: give the time that the job needs"),
    Case("route-by-headroom", TIME, job={"QOS": "long"}, user=OTHER_USER),
    Case("service-isolation", f"{TIME} -p portal", "partition portal is only for a service"),
    Case("short-gpu-jobs", f"{TIME} -p gpu --gpus=1", told="sent to partition debug", job={"Partition": "debug"}),
    Case("work-dir", f"{TIME} --chdir=/home", "the working directory of this job is in /home"),
)


class RulesLive(PluginTestCase):
    options = ("--gpus", "4", "--licenses", "cad:5")
    slurm_conf = "".join(f"PartitionName={name} Nodes=ALL\n" for name in PARTITIONS)

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        names = ",".join(QOS)
        for line in (
            f"add qos {names}",
            # Only long has room for any number of jobs.
            "modify qos normal,short set MaxSubmitJobsPerUser=1000",
            f"modify user {USER} set qos+={names}",
            f"add user {OTHER_USER} account=astro qos=normal,short,long,physics",
        ):
            cls.cluster.sacctmgr(line)
        with cls.cluster.layout.group.open("a") as groups:
            groups.write(f"physics:x:70010:{USER}\n")
        cls.directory = cls.cluster.layout.slurm_conf.parent / "qosgate.d"

    def put_only(self, files: dict[str, str]) -> None:
        """Puts these files in force, and nothing else."""
        mark = len(self.cluster.log("slurmctld"))
        replace_directory(self.directory, files)
        self.cluster.wait_for(
            lambda: ": in force: " in self.slurmctld_log_since(mark), "the policy is in force"
        )

    def sbatch_as(self, user: str, options: str) -> tuple[str, bool]:
        """What the user reads of a job that asks for its project and works in /tmp, and whether it is accepted."""
        given = "" if "-A " in options else "-A astro "
        given += "" if "--chdir" in options else "--chdir=/tmp "
        result = self.cluster.run(f"sbatch --parsable --hold {given}{options} --wrap=true", user)
        return result.stdout.strip() + "\n" + result.stderr, result.rc == 0

    def test_each_shipped_rule_does_its_work(self) -> None:
        rules = {path.name: path.read_text() for path in SHIPPED.glob("*.lua")}
        self.assertEqual({f"{case.rule}.lua" for case in CASES}, set(rules))
        used = set(re.findall(r'require\("(\w+)"\)', "".join(rules.values())))
        self.assertEqual(used, {path.stem for path in (ROOT / "lua/lib").glob("*.lua")}, "each module is used")
        self.expected_errors.append("are not read yet")
        self.put_only({**rules, "data/gpu-caps.csv": CAPS})
        for user in (USER, OTHER_USER):
            self.cluster.wait_for(
                lambda user=user: "are not read yet" not in self.sbatch_as(user, TIME)[0], f"the groups of {user} are read"
            )
        for case in CASES:
            with self.subTest(rule=case.rule, options=case.options):
                told, is_accepted = self.sbatch_as(case.user, case.options)
                self.assertEqual(is_accepted, not case.rejection, told)
                self.assertIn(case.rejection or case.told, told)
                if case.job:
                    shown = self.cluster.job(int(told.split()[0]))
                    self.assertEqual({name: shown[name] for name in case.job}, case.job)

        # Running jobs count for the cap.
        running = "--parsable -A astro --chdir=/tmp --output=/dev/null --time=40 -p gpu --gpus=2"
        job = self.cluster.run(["sbatch", *running.split(), "--wrap=sleep 300"], USER, check=True)
        self.cluster.wait_job(int(job.stdout), "RUNNING")
        told, is_accepted = self.sbatch_as(USER, "--time=40 -p gpu --gpus=1")
        self.assertIn("a user may have 2 GPUs at once: your jobs have 2, this one asks for 1", told)
        self.assertFalse(is_accepted)
        told, is_accepted = self.sbatch_as(OTHER_USER, "--time=40 -p gpu --gpus=2 --qos=normal")
        self.assertTrue(is_accepted, told)

    def test_a_cap_of_gpus_holds_only_at_its_hours(self) -> None:
        rule = (SHIPPED / "gpu-caps.lua").read_text()
        before, after = ((time.localtime().tm_hour + hours) % 24 for hours in (-1, 2))
        for begin, end, is_accepted in ((before, after, False), (after, before, True)):
            with self.subTest(f"from {begin} to {end}"):
                self.put_only({"30-gpu-caps.lua": rule, "data/gpu-caps.csv": f"user,from,to,gpus\n,{begin},{end},1\n"})
                self.expect(self.submit(f"--hold {TIME} --gpus=1"), True)
                words = () if is_accepted else ("a user may have 1 GPUs at once: your jobs have 0, this one asks for 2",)
                self.expect(self.submit(f"--hold {TIME} --gpus=2"), is_accepted, *words)

    def test_a_chain_ends_where_a_rule_says_so(self) -> None:
        self.put_only(
            {
                "10-first.lua": "rule { stop = true, submit = function(job)\n"
                '    if job.comment == "stop" then job:stop() end\n'
                '    if job.comment == "no" then job:reject("the first says no") end\nend }\n',
                "20-second.lua": 'rule { submit = function(job)\n    job:note("the second ran")\n'
                '    if job.comment == "no" then job:reject("the second says no") end\nend }\n',
            }
        )
        self.expect(self.submit("--hold --comment=go"), True, "the second ran")
        stopped = self.submit("--hold --comment=stop")
        self.expect(stopped, True)
        self.assertNotIn("the second ran", stopped.stderr)
        refused = self.submit("--hold --comment=no")
        self.expect(refused, False, "the first says no")
        self.assertNotIn("the second", refused.stderr)

    def test_a_rule_in_the_shadow_is_only_recorded(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            records = Path(directory) / "records.jsonl"
            self.put_only(
                {
                    "site.lua": f'site {{ record_file = "{records}" }}\n',
                    "10-shadow.lua": 'rule { mode = "shadow", submit = function(job)\n    job.qos = "other"\n'
                    '    if job.comment == "no" then job:reject("not today") end\nend }\n',
                }
            )
            for comment, text in (("yes", "qos: "), ("no", "not today")):
                mark = len(self.cluster.log("slurmctld"))
                result = self.submit(f"--hold --comment={comment} --job-name={comment}")
                self.expect(result, True)
                self.assertEqual(result.stderr, "")
                self.assertEqual(self.cluster.job(int(result.stdout.split()[-1]))["QOS"], "normal")
                self.assertIn("shadow", self.slurmctld_log_since(mark))

                def record_of(name: str = comment) -> list[dict]:
                    lines = records.read_text().splitlines() if records.exists() else []
                    return [record for record in map(json.loads, lines) if record["request"].get("name") == name]

                self.cluster.wait_for(lambda: bool(record_of()), f"the job is recorded: {comment}")
                (record,) = record_of()
                self.assertEqual(record["outcome"], "accepted")
                self.assertEqual({(event["effect"], event["mode"]) for event in record["events"]}, {("shadow", "shadow")})
                self.assertIn(text, " ".join(event["text"] for event in record["events"]))
            self.put_only({"site.lua": "site {}\n"})  # the file is closed

    def test_a_rule_that_fails_and_allows_it_counts_as_missing(self) -> None:
        self.put_only(
            {
                "10-fails.lua": 'rule { on_error = "allow", submit = function(job)\n    job.qos = "other"\n'
                "    local wrong = ({ job.comment })[1] + 1\nend }\n",
                "20-next.lua": 'rule { submit = function(job) job:note("the next ran") end }\n',
            }
        )
        result = self.submit("--hold --comment=text")
        self.expect(result, True, "the next ran")
        self.assertNotIn("10-fails", result.stderr)
        self.assertEqual(self.cluster.job(int(result.stdout.split()[-1]))["QOS"], "normal")
        self.expect_logged_error("attempt to perform arithmetic on")

    def test_a_rule_without_an_end_is_ended_and_slurmctld_goes_on(self) -> None:
        self.put_only({"10-endless.lua": "rule { submit = function(job) while true do end end }\n"})
        self.expected_errors.append("more than 100000 instructions")

        def submit_some() -> set[str]:
            return {self.submit("--hold").stderr for _ in range(5)}

        before = self.cluster.cpu_seconds()
        with ThreadPoolExecutor(4) as pool:
            answers = [pool.submit(submit_some) for _ in range(3)]
            while not all(answer.done() for answer in answers):
                self.cluster.run("squeue --noheader", USER, check=True)
        self.assertLess(self.cluster.cpu_seconds() - before, 3, "CPU seconds of slurmctld: everybody waits for these rules")
        for answer in answers:
            for told in answer.result():
                self.assertIn("10-endless.lua:1: more than 100000 instructions", told)

    def test_a_table_of_the_site_decides_and_changes_without_a_restart(self) -> None:
        rule = (
            'local lookup = require("lookup")\n'
            'local most = lookup.index(data("tasks.csv"), "partition", "account")\n'
            "rule { submit = function(job)\n"
            "    local row = lookup.find(most, job.partition, job.account)\n"
            "    if row and (job.tasks or 1) > tonumber(row.tasks) then\n"
            '        job:reject("at most %d tasks in %s", tonumber(row.tasks), job.partition)\n'
            "    end\nend }\n"
        )
        head = "partition,account,tasks\n"
        self.put_only({"10-tasks.lua": rule, "data/tasks.csv": f"{head}main,astro,3\nmain,,1\n"})
        self.expect(self.submit("--hold -n3"), True)
        self.expect(self.submit("--hold -n4"), False, "at most 3 tasks in main")
        self.expect(self.submit("--hold -A bio -n2"), False, "at most 1 tasks in main")
        self.expect(self.submit("--hold -p short -n4"), True)
        new = self.directory / "data/.tasks.csv"
        new.write_text(f'{head}"main","astro",4\r\n')
        new.rename(self.directory / "data/tasks.csv")
        self.cluster.wait_for(lambda: self.submit("--hold -n4").rc == 0, "the new table is in force")
        self.expect(self.submit("--hold -n5"), False, "at most 4 tasks in main")

    def test_the_first_rule_of_the_guide_works_as_it_is_written(self) -> None:
        text = (ROOT / "contrib/doc/rules.md").read_text().partition("## A first rule in five minutes\n")[2].partition("\n## ")[0]
        home = Path(tempfile.mkdtemp(dir="/tmp"))
        self.addCleanup(shutil.rmtree, home)
        home.chmod(0o755)
        for source in re.findall(r"```lua\n(.*?)```", text, re.DOTALL):
            name = source.partition("\n")[0].removeprefix("-- ")
            path = home / name
            path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            path.write_text(source)
        (home / "job.sh").write_text("#!/bin/sh\nsleep 300\n")
        self.expected_errors.append("the directory is gone")
        if self.directory.exists():
            shutil.rmtree(self.directory)
        job = ""
        for block in re.findall(r"```\n(\$ .*?)```", text, re.DOTALL):
            for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
                with self.subTest(command):
                    printed = self.run_as_written(re.sub(r"jobid=\d+", f"jobid={job}", command), home)
                    job = re.sub(r"\D", "", printed) if printed.startswith("Submitted") else job
                    if command.startswith("scontrol "):  # since Slurm 23.02 it also shows what the rule says
                        self.assertIn("Access/permission denied", printed)
                        continue
                    self.assertRegex(without_what_varies(printed), pattern_of(expected))

    def run_as_written(self, command: str, home: Path) -> str:
        """Runs a command of the guide; what it puts in force is in force afterwards."""
        words = command.removeprefix("sudo ").replace("/etc/slurm/qosgate.d", str(self.directory)).split()
        if words[0] == "qosgate":
            words[0] = copy_command(self.cluster)
        mark = len(self.cluster.log("slurmctld"))
        result = self.cluster.run(words, "root" if command.startswith("sudo ") else USER, cwd=home)
        if words[0] == "cp":
            self.cluster.wait_for(lambda: ": in force: " in self.slurmctld_log_since(mark), "the rule is in force")
        return result.stdout + result.stderr


def pattern_of(expected: str) -> str:
    """A line "..." stands for any lines."""
    parts = without_what_varies(expected).split("...\n")
    return "^" + "(?:.*\n)*".join(map(re.escape, parts)) + "$"


def without_what_varies(text: str) -> str:
    for pattern, instead in ((r"\b[0-9a-f]{16}\b", "HASH"), (r"\b\d+ us\b", "N us"), (r"\bjob \d+", "job N")):
        text = re.sub(pattern, instead, text)
    return text


if __name__ == "__main__":
    main()
