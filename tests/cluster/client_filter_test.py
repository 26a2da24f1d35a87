# SPDX-License-Identifier: GPL-2.0-or-later
"""cli_filter/qosgate answers in sbatch, salloc and srun before the job is sent; slurmctld has no plugin."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import unittest
from pathlib import Path

from qosgate_dev.testing import Cluster, CommandResult, build_root, copy_command, main
from try_test import COMMANDS

USER = "ana"
PARTITIONS = """\
PartitionName=main Nodes=ALL Default=YES MaxTime=UNLIMITED
PartitionName=short Nodes=ALL MaxTime=60 DefaultTime=30
"""
SMALL = "sbatch: error: QOS small does not allow this job:"

RULES = {
    "10-route.lua": """\
rule {
    name = "large jobs run in QOS counted",
    submit = function(job)
        if job.cpus > 4 and not job:is_set("qos") then
            job.qos = "counted"
            job:note("moved to QOS %s", job.qos)
        end
    end,
}
""",
    "20-words.lua": """\
rule {
    name = "words",
    submit = function(job)
        if job.comment == "no" then job:reject("not today, %s", job.user) end
        if job.comment == "warn" then job:warn("job %s", job.name or "?") end
        if job.comment == "script" then job:reject("%d bytes", #job.script) end
        if job.comment == "sizes" then job.tasks = 2; job.time_limit = 15; job.nice = 5 end
    end,
}
""",
}

# Lines that a client or slurmctld writes itself.
OTHERS = re.compile(
    r"(sbatch|salloc|srun): (error: \w+$|error: (Batch job submission|Job submit/allocate|Unable to allocate|invalid "
    r"partition|cli_filter plugin)|Job \d|[Jj]ob \d|Granted|Pending|Relinquishing|Waiting|Nodes|Force|Job alloc|"
    r"Job aborted|Requested partition|Warning: can't run|error: (Memory|Temporary disk) specification)|allocation failure"
)


class ClientFilterCase(unittest.TestCase):
    """One cluster per class, with the plugin in its clients."""

    maxDiff = None
    slurm_conf = ""
    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = Cluster.up(
            nodes=2,
            users=[USER, "ben", "cem"],
            qos=[
                "small MaxTRESPerJob=cpu=2 MaxWall=60 Flags=DenyOnLimit",
                "counted MaxSubmitJobsPerUser=3",
                "other",
                "memory MaxTRESPerJob=mem=5G Flags=DenyOnLimit",
                "waits MaxTRESPerUser=cpu=2 MaxWall=120",
            ],
            slurm_conf=(
                f"CliFilterPlugins=qosgate\nPluginDir={build_root()}/plugin:@PLUGINDIR@\n{PARTITIONS}{cls.slurm_conf}"
            ),
            options=("--gpus", "4"),
        )
        cls.addClassCleanup(cls.cluster.down)
        for line in (
            "add qos gpus MaxTRESPerUser=gres/gpu=2 Flags=DenyOnLimit",  # slurmctld has made the TRES known
            "add account astro,bio",
            f"add user {USER} account=astro qos=normal,small,counted,gpus,memory,waits",
            f"add user {USER} account=bio qos=normal",
        ):
            cls.cluster.sacctmgr(line)
        cls.directory = cls.cluster.layout.slurm_conf.parent / "qosgate.d"
        cls.qosgate = copy_command(cls.cluster)
        cls.cluster.wait_for(
            lambda: "limit 2" in cls.cluster.run("sbatch --qos=small -n3 --wrap=true", USER).stderr, "limits are told"
        )

    def setUp(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)
        self.write("site.lua", "site {}\n")

    def tearDown(self) -> None:
        self.cluster.run(f"scancel --user={USER}", check=True)
        self.cluster.wait_for(
            lambda: not self.cluster.run("squeue --noheader", check=True).stdout, "no job is left"
        )

    def write(self, name: str, text: str) -> None:
        if name == "site.lua" and "client_timeout_ms" not in text:
            # A busy machine may not answer within the usual 0.3 s.
            text = text.replace("site {", "site { client_timeout_ms = 10000,", 1)
        self.directory.mkdir(mode=0o755, exist_ok=True)
        (self.directory / name).write_text(text)

    def write_rules(self) -> None:
        for name, text in RULES.items():
            self.write(name, text)

    def run_as(self, command: str, **run: object) -> CommandResult:
        return self.cluster.run(shlex.split(command), USER, **run)

    def said(self, done: CommandResult) -> list[str]:
        return [line for line in done.stderr.splitlines() if not OTHERS.match(line)]

    def foretold(self, words: list[str], user: str = USER) -> list[str]:
        """What `qosgate check` says, which lets the client itself make the job."""
        done = self.cluster.run(
            [self.qosgate, "check", "--json", "--", *words], user, env={"SLURM_CONF": str(self.without_filter)}
        )
        lines = [line for part in json.loads(done.stdout)["parts"] for line in part["message"]]
        return [line.strip() for line in lines]

    @property
    def without_filter(self) -> Path:
        copy = self.cluster.layout.slurm_conf.with_name("without-filter.conf")
        if not copy.exists():
            copy.write_text(self.cluster.layout.slurm_conf.read_text().replace("CliFilterPlugins", "#CliFilterPlugins"))
            copy.chmod(0o644)
        return copy

    def show(self, done: CommandResult) -> str:
        self.assertEqual(done.rc, 0, done)
        return self.cluster.run(f"scontrol show job {done.stdout.split()[-1]}", check=True).stdout

    @property
    def home(self) -> Path:
        return self.cluster.layout.home / USER

    def text_of(self, name: str) -> str:
        file = self.home / name
        return file.read_text() if file.exists() else ""


class ClientFilter(ClientFilterCase):
    def test_it_says_what_check_says(self) -> None:
        self.compare_with_check()

    def test_it_says_what_check_says_with_a_rule_that_reads_much(self) -> None:
        self.write(
            "10-read.lua",
            """\
rule {
    submit = function(job, view)
        job:note("%s %s %s %s %s %s %s", job.cpus, job.nodes, job.tasks, job.memory, job.gpus, job.time_limit, job.qos)
        job:note("%s %s", view.qos(job.qos) and view.qos(job.qos).name, view.partition(job.partition) ~= nil)
    end,
}
""",
        )
        self.compare_with_check()

    def compare_with_check(self) -> None:
        for command in COMMANDS:
            with self.subTest(command):
                words = ["sbatch", *shlex.split(command), "--wrap=sleep 100"]
                foretold = self.foretold(words)
                done = self.cluster.run(words, USER)
                lines = [line.removeprefix("sbatch: ").removeprefix("error: ").strip() for line in self.said(done)]
                self.assertEqual(lines, foretold, done)
                self.tearDown()

    def test_in_all_clients(self) -> None:
        for command in ("sbatch -n3 --qos=small --wrap=true", "salloc -n3 --qos=small true", "srun -n3 --qos=small true"):
            with self.subTest(command):
                client = command.split()[0]
                done = self.run_as(command)
                self.assertNotEqual(done.rc, 0)
                self.assertEqual(
                    self.said(done),
                    [
                        f"{client}: error: QOS small does not allow this job:",
                        f"{client}: error:   CPUs per job: limit 2, this job asks for 3 (QOSMaxCpuPerJobLimit)",
                        f"{client}: error: would be accepted with: --ntasks=2",
                        f"{client}: error: would be accepted with: --qos=normal",
                    ],
                )
                done = self.run_as(command.replace("-n3", "-n2"))
                self.assertEqual((done.rc, self.said(done)), (0, []), done)

    def test_advice_refuses_nothing_and_enforce_sends_nothing(self) -> None:
        done = self.run_as("sbatch -n3 --qos=small --wrap=true")
        self.assertIn("Batch job submission failed", done.stderr, "slurmctld has refused it")
        self.write("site.lua", 'site { limits = "enforce" }\n')
        done = self.run_as("sbatch -n3 --qos=small --wrap=true")
        self.assertEqual(done.rc, 1, done)
        self.assertNotIn("Batch job submission failed", done.stderr)
        self.assertIn("cli_filter plugin terminated with error", done.stderr)
        self.assertIn(SMALL, done.stderr)
        self.assertEqual(self.run_as("sbatch -n2 --qos=small --wrap=true").rc, 0)
        self.write("site.lua", 'site { limits = "off" }\n')
        self.assertEqual(self.said(self.run_as("sbatch -n3 --qos=small --wrap=true")), [])

    def test_what_waits_is_told_and_accepted(self) -> None:
        done = self.run_as("sbatch -n3 --qos=waits --wrap=true")
        self.assertEqual(done.rc, 0, done)
        self.assertIn("sbatch: this job can never start as it is: CPUs per user in QOS waits: limit 2", done.stderr)

    def test_rules_refuse_speak_and_change(self) -> None:
        self.write_rules()
        done = self.run_as("sbatch --comment=no --wrap=true")
        self.assertEqual((done.rc, self.said(done)[:1]), (1, ["sbatch: error: not today, ana"]), done)
        done = self.run_as("sbatch --comment=warn -J mine --wrap=true")
        self.assertEqual((done.rc, self.said(done)), (0, ["sbatch: job mine"]), done)
        job = self.show(self.run_as("sbatch -n5 --wrap=true"))
        self.assertIn("QOS=counted", job)
        job = self.show(self.run_as("sbatch -n5 --qos=normal --wrap=true"))
        self.assertIn("QOS=normal", job)
        job = self.show(self.run_as("sbatch --comment=sizes -n1 --mem=100 --time=60 --wrap=true"))
        self.assertIn("NumTasks=2", job)
        self.assertIn("TimeLimit=00:15:00", job)
        self.assertIn("Nice=5", job)

    def test_what_options_cannot_say_is_told_and_not_half_done(self) -> None:
        self.write(
            "10-rules.lua",
            """\
rule {
    submit = function(job)
        if job.comment == "hold" then job.priority = 0; job.qos = "small" end
        if job.comment == "alone" then job.exclusive = true end
        if job.comment == "memory" then job.memory_per_node = 200 end
        if job.comment == "many" then job.tasks = 4000000000 end
    end,
}
""",
        )
        for comment in ("hold", "alone"):
            with self.subTest(comment):
                done = self.run_as(f"sbatch --comment={comment} --qos=normal --wrap=true")
                self.assertIn("options of sbatch cannot say; it is sent without these changes", done.stderr)
                self.assertIn("QOS=normal", self.show(done))
        done = self.run_as("sbatch --comment=memory --mem-per-cpu=100 --wrap=true")
        self.assertIn("MinMemoryNode=200M", self.show(done))
        self.assertEqual(self.run_as("sbatch --comment=many --wrap=true").rc, 0)

    def test_a_rule_that_fails_refuses_nothing_here(self) -> None:
        self.write("10-rules.lua", "rule { submit = function(job) local x = nil; x.y = 1 end }\n")
        self.assertEqual(self.run_as("sbatch --wrap=true").stderr, "")
        self.assertEqual(self.said(self.run_as("sbatch --qos=small -n3 --wrap=true"))[:1], [SMALL])

    def test_what_is_counted_later_is_not_judged(self) -> None:
        self.write("site.lua", 'site { limits = "enforce" }\n')
        for options in ("-N2 --sockets-per-node=2", "--threads-per-core=1"):
            with self.subTest(options):
                done = self.run_as(f"sbatch -v -n3 --qos=small {options} --wrap=true")
                self.assertIn("options that the client reads only later", done.stderr)
        self.assertEqual(self.said(self.run_as("sbatch -n3 --qos=small -N0 --wrap=true"))[:1], [SMALL])

    def test_a_job_of_no_nodes_is_sent_as_it_is(self) -> None:
        self.write("10-rules.lua", "rule { submit = function(job) job.comment = 'x' end }\n")
        done = self.run_as("sbatch -N0 -n4 --wrap=true")
        self.assertIn("Node count specification invalid", done.stderr)
        self.assertNotIn("nodes=1", done.stderr)
        self.assertEqual(self.run_as("sbatch -n4 --wrap=true").rc, 0)

    def test_check_is_not_answered_twice(self) -> None:
        self.write_rules()
        done = self.cluster.run([self.qosgate, "check", "--", "sbatch", "--comment=no", "--wrap=true"], USER)
        self.assertEqual((done.rc, done.stderr), (1, ""), done)
        self.assertEqual(done.stdout.count("not today"), 1)

    def test_status_says_that_only_clients_load_it(self) -> None:
        done = self.cluster.run([self.qosgate, "status", "--json"], "root")
        (reason,) = json.loads(done.stdout)["reasons"]
        self.assertIn("JobSubmitPlugins does not name qosgate; clients load qosgate (CliFilterPlugins)", reason)

    def test_closed_descriptors(self) -> None:
        done = self.cluster.run(["sh", "-c", "sbatch -n3 --qos=small --wrap=true >&- 0<&-"], USER)
        self.assertIn(SMALL, done.stderr)

    def test_a_rule_that_needs_the_script_is_left_to_slurmctld(self) -> None:
        self.write_rules()
        done = self.run_as("sbatch -v --comment=script --wrap=true")
        self.assertEqual(done.rc, 0, done)
        self.assertNotIn("bytes", done.stderr)
        done = self.run_as("sbatch --comment=script --qos=small -n3 --wrap=true")
        self.assertEqual(self.said(done)[:1], [SMALL], "limits are judged all the same")

    def test_without_an_answer_the_job_is_sent(self) -> None:
        self.write("10-rules.lua", "rule {\n")
        done = self.run_as("sbatch -v -n2 --qos=small --wrap=true")
        self.assertEqual(done.rc, 0, done)
        self.assertIn("qosgate: this job is not judged here: ", done.stderr)
        self.assertEqual(self.said(self.run_as("sbatch -n2 --qos=small --wrap=true")), [])
        self.write("10-rules.lua", "")
        self.directory.chmod(0o700)
        self.assertEqual(self.run_as("sbatch -Q -n2 --qos=small --wrap=true").stderr, "")
        self.directory.chmod(0o755)
        self.write("site.lua", 'site { client = "off" }\n')
        self.assertNotIn(SMALL, self.run_as("sbatch -n3 --qos=small --wrap=true").stderr)

    def test_a_slurmctld_that_hangs_is_not_waited_for(self) -> None:
        self.write("site.lua", "site { client_timeout_ms = 200 }\n")
        pid = self.cluster.status()["slurmctld"]["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            done = self.cluster.run_until("sbatch -vv -n2 --qos=small --wrap=true", USER, "not judged here")
        finally:
            os.kill(pid, signal.SIGCONT)
        self.assertIn("not judged here: slurmctld did not answer in time", done.stderr)
        self.assertEqual(done.rc, -signal.SIGTERM, "sbatch itself waits for slurmctld")

    def test_there_is_nothing_to_judge_in_steps(self) -> None:
        job = self.run_as("sbatch -n1 --wrap='srun -vv -n1 true 2> step.txt; sleep 100'", cwd=self.home).stdout.split()[-1]
        self.cluster.wait_for(lambda: "judged" in self.text_of("step.txt"), "the step has run")
        self.assertIn("not judged here: a step of a job has no limits of its own", self.text_of("step.txt"))
        self.cluster.run(f"scancel {job}", check=True)

    def test_a_job_for_this_cluster_by_name_is_judged_and_one_for_others_is_not(self) -> None:
        own = self.cluster.run("scontrol show config", check=True).stdout.split("ClusterName", 1)[1].split()[1]
        over = "-n3 --qos=small"
        for options, variables in (
            (f"--clusters={own}", {}),
            (f"-M {own}", {}),
            (f"--cluster={own.upper()}", {}),
            ("", {"SBATCH_CLUSTERS": own}),
        ):
            with self.subTest(options, **variables):
                done = self.run_as(f"sbatch -v {options} {over} --wrap=true", env=variables)
                self.assertIn(SMALL, done.stderr)
                self.assertIn("would be accepted with: --ntasks=2", done.stderr)
        done = self.run_as(f"sbatch --clusters={own} -n2 --qos=small --wrap=true")
        self.assertEqual((done.rc, self.said(done)), (0, []), done)
        for others in ("elsewhere", f"{own},elsewhere", f"{own},{own}2", f"{own}2", "all"):
            with self.subTest(others):
                done = self.run_as(f"sbatch -v --clusters={others} {over} --wrap=true")
                self.assertIn("not judged here: --clusters (or its variable) names other clusters", done.stderr)
                self.assertNotIn(SMALL, done.stderr)

    def test_parts_of_a_heterogeneous_job(self) -> None:
        done = self.run_as("sbatch -n1 : -n3 --qos=small --wrap=true")
        self.assertIn(SMALL, done.stderr)
        self.assertNotIn("does not allow", self.run_as("sbatch -n1 : -n2 --qos=small --wrap=true").stderr)

    def test_variables_and_lines_of_the_script_count(self) -> None:
        script = self.home / "job.sh"
        script.write_text("#!/bin/sh\n#SBATCH --qos=small\n#SBATCH -n 3\ntrue\n")
        self.assertIn(SMALL, self.run_as(f"sbatch {script}").stderr)
        self.assertEqual(self.said(self.run_as(f"sbatch -n2 {script}")), [])
        self.assertIn(SMALL, self.run_as("sbatch -n3 --wrap=true", env={"SBATCH_QOS": "small"}).stderr)
        done = self.cluster.run(["sh", "-c", f"sbatch < {script}"], USER)
        self.assertIn(SMALL, done.stderr, "a script on standard input is still there for sbatch")
        self.assertIn("Batch job submission failed", done.stderr)


class BesideThePlugin(ClientFilterCase):
    """slurmctld has the plugin, too: only one of them speaks."""

    slurm_conf = "JobSubmitPlugins=qosgate\n"

    def test_only_slurmctld_speaks_unless_the_site_says_otherwise(self) -> None:
        done = self.run_as("sbatch -v -n3 --qos=small --wrap=true")
        self.assertIn("not judged here: slurmctld has qosgate and answers itself", done.stderr)
        self.assertEqual(done.stderr.count(SMALL), 1)
        self.write("site.lua", 'site { client = "on" }\n')
        done = self.run_as("sbatch -n3 --qos=small --wrap=true")
        self.assertEqual(done.stderr.count(SMALL), 2)


if __name__ == "__main__":
    main()
