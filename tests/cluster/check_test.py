# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate check says before sbatch, salloc and srun what they print and what becomes of the job."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import struct

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import CommandResult, copy_command, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

ACCEPTED, REFUSED, USAGE, NO_USER, NOT_REACHED, NO_PERMISSION = 0, 1, 64, 66, 69, 77

# Of MaxJobCount; from 25.05.3 on slurmctld takes as many jobs.
KEEPS_ONE_FREE = slurm_version() < (25, 11)

RULES = {
    "10-words.lua": """\
rule {
    name = "words",
    submit = function(job)
        if job.comment == "no" then job:reject("not today, %s", job.user) end
        if job.comment == "warn" then job:warn("job %s of %d tasks", job.name or "?", job.tasks or 1) end
        if job.comment == "kind" then job:note(job.script and "a script" or "no script") end
    end,
}
""",
}

# What follows "sbatch", "salloc" or "srun"; the job's program stands behind it.
OPTIONS = (
    "",
    "-n2 --qos=small",
    "-n3 --qos=small",
    "--qos=small --time=60",
    "--qos=small --time=61",
    "--qos=nosuch",
    "-A nosuch",
    "-p short --time=90",
    "-p short --time=60",
    "--gpus=3 --qos=gpus",
    "--gpus=2 --qos=gpus",
    "--comment=no",
    "--comment=warn -J name -n2",
    "--comment=kind",
    "--time=300 --qos=waits",
    "-n3 --qos=waits",
    "-n2 --qos=waits",
)

# What slurmctld refuses at once for another reason than limits, and what is nearly the same and accepted.
REFUSED_AT_ONCE = (
    "--qos=",
    "--account=",
    "--partition=",
    "--gres=",
    "--array=5-1",
    "--array=1-5:0",
    "--reservation=course",
    "--reservation=mine,course",
    "--tmp=10G",
    "--dependency=afterany:foo",
    "--dependency=aftre:1",
    "--nice=-100",
    "-p nosuch",
    "--nodelist=",  # 0 nodes
    "-N 0",
)
TAKEN = (
    "--qos=normal",
    "--account=astro",
    "--partition=main",
    "--gres=gpu:1",
    "--nodelist=node1",
    "--nodelist= -N2",
    "--nodelist= --hold",
    "-N 0-1",
    "--array=1-5:2",
    "--reservation=mine",
    "--reservation=mine -N1",
    "--tmp=10G --hold",
    "--dependency=afterany:99999",
    "--nice=100",
    "--reservation= --constraint= --licenses= --dependency= --array= --exclude= --wckey= --gpus= --prefer=",
)

# Of a job that waits or has got its nodes; they are no answer to the request.
OF_CLIENT = re.compile(
    r"(salloc|srun): (Granted|Relinquishing|Pending|Waiting|Nodes|[Jj]ob \d|[Ff]orce|Job alloc|Job aborted|"
    r"Requested partition configuration)"
)


class Check(PluginTestCase):
    maxDiff = None
    nodes = 3
    options = ("--gpus", "4")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos gpus MaxTRESPerUser=gres/gpu=2 Flags=DenyOnLimit",
            "add qos waits MaxTRESPerUser=cpu=2 MaxWall=120",
            f"modify user {USER} where account=astro set qos+=gpus,waits",
            "add qos thrifty UsageThreshold=0.5 Flags=EnforceUsageThreshold",
            f"modify user {USER} where account=astro set qos+=thrifty",
        ):
            cls.cluster.sacctmgr(line)
        # On one node, so that jobs without a time limit start on the others.
        for name, user, start in (("course", "root", "now+2hours"), ("mine", USER, "now+4hours")):
            cls.cluster.scontrol(f"create reservation={name} users={user} nodes=node3 starttime={start} duration=60")
        cls.cluster.scontrol("create partitionname=empty state=up maxtime=60")
        cls.put_in_force(RULES)
        cls.qosgate = copy_command(cls.cluster)

    def check(self, words: list[str], user: str = USER, options: tuple[str, ...] = (), **run: object) -> CommandResult:
        return self.cluster.run([self.qosgate, "check", *options, "--", *words], user, **run)

    def answer(self, words: list[str], user: str = USER, options: tuple[str, ...] = (), **run: object) -> dict:
        done = self.check(words, user, ("--json", *options), **run)
        self.assertIn(done.rc, (ACCEPTED, REFUSED), done)
        answer = json.loads(done.stdout)
        starts = answer["status"] == "accepted" and not answer["never_starts"]
        self.assertEqual(starts, done.rc == ACCEPTED, done)
        return answer

    def jobs(self) -> list[str]:
        return self.cluster.run("squeue --noheader --format=%i", check=True).stdout.split()

    def pending_reason(self) -> str:
        return self.cluster.run("squeue --noheader --format=%r", check=True).stdout.strip()

    def compare(self, words: list[str], program: list[str], **run: object) -> dict:
        """Checks, then runs the client; both must say the same."""
        foretold = self.answer([*words, *program], **run)
        self.assertEqual(self.jobs(), [], "nothing was submitted")
        reason = foretold["parts"][0]["pending_reason"]
        if reason is None:
            actual = self.cluster.run([*words, *program], USER, **run)
            self.assertEqual(foretold["status"] == "accepted", actual.rc == 0, f"{actual}\n{foretold}")
        else:
            actual = self.cluster.run_until([*words, *program], USER, "queued and waiting for resources")
        self.cluster.run(f"scancel --user={USER}", check=True)
        self.cluster.wait_for(lambda: not self.jobs(), "the job has ended")
        said = [line for line in actual.stderr.splitlines() if not OF_CLIENT.match(line)]
        if foretold["status"] == "blocked":  # slurmctld has its own words for why
            said = said[: len(foretold["user_reads"])]
        self.assertEqual(foretold["user_reads"], said, actual)
        return foretold

    def test_it_says_what_the_clients_print(self) -> None:
        for client, program in (("sbatch", ["--wrap=true"]), ("salloc", ["true"]), ("srun", ["true"])):
            for options in OPTIONS:
                with self.subTest(client, options=options):
                    self.compare([client, *shlex.split(options)], program)

    def test_parts_of_a_heterogeneous_job(self) -> None:
        for client in ("salloc", "srun"):
            for options in (
                "-n1 : -n2 true",
                "-n1 : --comment=no true",
                "-n1 --qos=small : -n3 --qos=small true",
                "-n3 --qos=small : --comment=warn true",  # no plugin is asked about the second
            ):
                with self.subTest(client, options=options):
                    self.compare([client, *shlex.split(options)], [])

    def test_parts_keep_their_numbers_behind_one_that_is_refused(self) -> None:
        self.let_the_plugin_see_the_cluster()
        words = ["sbatch", *shlex.split("-n3 --qos=small : --qos=waits -n1 : --qos=waits -n2")]
        answer = self.compare(words, ["--wrap=true"])
        self.assertIn("parts 1 and 2 together exceed a limit", "\n".join(answer["user_reads"]))

    def test_what_slurmctld_refuses_at_once(self) -> None:
        for options in REFUSED_AT_ONCE:
            with self.subTest(options):
                self.assertNotEqual(self.compare(["sbatch", *shlex.split(options)], ["--wrap=true"])["status"], "accepted")
        for options in TAKEN:
            with self.subTest(options):
                self.assertEqual(self.compare(["sbatch", *shlex.split(options)], ["--wrap=true"])["status"], "accepted")
        for client in ("salloc", "srun"):
            for options in ("--qos=", "--account=", "--partition=", "--gres=", "--nodelist=", "-N 0", "--dependency=foo"):
                with self.subTest(client, options=options):
                    self.compare([client, options], ["true"])

    def test_variables_and_lines_of_the_script_that_are_empty(self) -> None:
        for name in ("QOS", "ACCOUNT", "PARTITION"):
            with self.subTest(name):
                option = f"--{name.lower()}"
                answer = self.compare(["sbatch"], ["--wrap=true"], env={f"SBATCH_{name}": ""})
                self.assertIn(f"{option} is empty", answer["user_reads"][0])
                script = self.cluster.layout.home / USER / f"{name}.sh"
                script.write_text(f"#!/bin/sh\n#SBATCH {option}=\ntrue\n")
                answer = self.compare(["sbatch", str(script)], [])
                self.assertIn(f"{option} is empty", answer["user_reads"][0])

    def test_what_never_starts_is_told_to_wait_for_ever(self) -> None:
        for words, reason in (
            ("-p empty -t 9", "PartitionConfig"),
            ("-p short -t 61", "PartitionTimeLimit"),
            ("-p main,short -t 130 --qos=waits", "QOSMaxWallDurationPerJobLimit"),
            ("-p short,main -t 130 --qos=waits", "QOSMaxWallDurationPerJobLimit"),
            ("--qos=waits -n2 : --qos=waits -n1", "QOSMaxCpuPerUserLimit"),
        ):
            with self.subTest(words):
                command = ["sbatch", *shlex.split(words), "--wrap=true"]
                done = self.check(command)
                self.assertEqual(done.rc, REFUSED, done)
                self.assertIn(f"it waits for ever, at first because of {reason} ", done.stdout)
                self.assertTrue(self.answer(command)["never_starts"])
                if ":" not in command:
                    later = self.check([*command[:1], "--hold", *command[1:]]).stdout
                    self.assertIn(f"it never starts: when it may start, it waits for ever, at first because of {reason} ", later)
                self.cluster.run(command, USER, check=True)
                self.cluster.wait_for(lambda: reason in self.pending_reason(), "it waits for that")
                self.cluster.run(f"scancel --user={USER}", check=True)
        self.assertFalse(self.answer(["sbatch", "-p", "short", "-t", "60", "--wrap=true"])["never_starts"])

    def test_what_is_not_looked_at_is_named(self) -> None:
        for node, features in (("node1", "fast"), ("node2", "fast,even")):
            self.cluster.scontrol(f"update nodename={node} availablefeatures={features} activefeatures={features}")
        for options, named in (
            ("--reservation=mine", "when the reservation is active, and what is free in it"),
            ("--dependency=singleton", "the jobs of --dependency"),
            ("--switches=1 --contiguous", "--contiguous, --switches"),
            ("--qos=thrifty", "the UsageThreshold of the QOS"),
            ("--gpus=1 --cpus-per-gpu=2", "whether a node has the CPUs of --cpus-per-gpu"),
            ("--gpus=1 --mem-per-gpu=10", "whether a node has the memory of --mem-per-gpu"),
            ("-C fast*1", "which nodes the counts in --constraint take"),
            ("--gres=gpu:1 --gres-flags=enforce-binding", "--gres-flags"),
            ("--ntasks-per-core=1", "--ntasks-per-core"),
            ("--ntasks-per-socket=1 -n1", "--ntasks-per-socket"),
            ("--sockets-per-node=1", "which sockets of a node the job gets"),
            ("--threads-per-core=1", "which threads of a core the job gets"),
            ("--network=sn_single --wckey=key", "--network, --wckey"),
        ):
            with self.subTest(options):
                done = self.check(["sbatch", *shlex.split(options), "--wrap=true"])
                self.assertEqual(done.rc, ACCEPTED, done)
                self.assertIn(f"none of these keeps it waiting; not looked at: {named}.\n", done.stdout)
                self.assertEqual(self.cluster.run(["sbatch", *shlex.split(options), "--wrap=true"], USER).rc, 0)
        for options in ("", "-C fast", "-C (fast|even)&fast", "-C [fast|even]", "--gpus=1"):
            with self.subTest(options):
                done = self.check(["sbatch", *shlex.split(options), "--wrap=true"])
                self.assertNotIn("not looked at", done.stdout)
        self.cluster.run(f"scancel --user={USER}", check=True)
        self.cluster.wait_for(lambda: not self.jobs(), "the jobs have ended")

    def test_what_must_start_at_once_and_waits_is_refused(self) -> None:
        job = self.cluster.sbatch("--qos=waits -n2", USER).job
        self.cluster.wait_job(job, "RUNNING")
        busy = ["srun", "--immediate", "--qos=waits", "-n1", "true"]
        for command, said in (
            (busy, "refused by slurmctld: it must start at once (--immediate), and would wait because of QOSMaxCpuPerUserLimit"),
            (["srun", "--immediate", "--hold", "true"], "it must start at once (--immediate), and may start only later"),
        ):
            with self.subTest(command):
                done = self.check(command)
                self.assertEqual(done.rc, REFUSED, done)
                self.assertIn(said, done.stdout)
                self.assertNotEqual(self.cluster.run(command, USER).rc, 0)
        self.assertEqual(self.check([word for word in busy if word != "--immediate"]).rc, ACCEPTED)
        done = self.check(busy)
        self.assertIn("  this job would wait: CPUs per user", done.stdout)
        self.assertIn("this job would wait: CPUs per user", self.cluster.run(busy, USER).stderr)
        done = self.check([word for word in busy if word != "--immediate"])
        self.assertIn("  this job will wait: CPUs per user", done.stdout)
        self.cluster.run(f"scancel {job}", check=True)
        done = self.check(["srun", "--immediate", "true"])
        self.assertEqual(done.rc, ACCEPTED, done)
        self.assertIn("not looked at: whether it can start at once (--immediate)", done.stdout)

    def test_a_job_that_is_only_tested_is_answered_as_if_it_were_submitted(self) -> None:
        tested = "With --test-only nothing is submitted. Without it, the job is "
        self.assertIn(tested + "accepted, as far", self.check(["sbatch", "--test-only", "--wrap=true"]).stdout)
        done = self.check(["sbatch", "--test-only", "-n3", "--qos=small", "--wrap=true"])
        self.assertIn(tested + "refused by slurmctld (QOSMaxCpuPer", done.stdout)
        self.assertNotIn("--test-only", self.check(["sbatch", "--wrap=true"]).stdout)

    def test_only_the_first_task_of_an_array_is_judged(self) -> None:
        waiting = "none of these keeps {} waiting"
        self.assertIn(waiting.format("its first task"), self.check(["sbatch", "--array=0-9", "--wrap=true"]).stdout)
        self.assertIn(waiting.format("it"), self.check(["sbatch", "--array=7", "--wrap=true"]).stdout)

    def test_a_reservation_without_what_the_job_needs_is_told(self) -> None:
        reserve = "create reservation starttime=now duration=60 users=root,{} reservationname={} {}"
        self.cluster.run(f"scontrol {reserve.format(USER, 'two', 'nodes=node1,node2')}", check=True)
        self.cluster.run(f"scontrol {reserve.format(USER, 'cores', 'nodecnt=1 corecnt=4 partition=main')}", check=True)
        for options, said in (
            ("--reservation=two -w node3", "reservation two has no node node3 (--nodelist)"),
            ("--reservation=two -w node2", ""),
            ("--reservation=two -n129", "reservation two has 128 CPUs; this job asks for 129"),
            ("--reservation=two -n128", ""),
            ("--reservation=cores -n5", "reservation cores has 4 CPUs; this job asks for 5"),
            ("--reservation=cores -n4", ""),
            ("--reservation=cores --exclusive", "reservation cores has 4 CPUs; this job takes whole nodes, with 64"),
            ("--reservation=two,cores -n129", "its reservations have at most 128 CPUs; this job asks for 129"),
            ("--reservation=two,cores -n5", ""),
        ):
            with self.subTest(options):
                command = ["sbatch", "-t1", *shlex.split(options), "--wrap=true"]
                done = self.check(command)
                self.assertEqual(done.rc, REFUSED if said else ACCEPTED, done)
                self.assertIn(said, done.stdout)
                self.cluster.run(command, USER)
                starts = self.cluster.run(f"squeue --noheader --user={USER} --states=RUNNING,COMPLETED,COMPLETING").stdout
                if said:
                    self.assertEqual(starts, "")
                self.cluster.run(f"scancel --user={USER}", check=True)
        for name in ("two", "cores"):
            self.cluster.run(f"scontrol delete reservation={name}", check=True)

    def test_nodes_that_are_counted_already_may_be_shared(self) -> None:
        self.cluster.sacctmgr("add qos onenode GrpTRES=node=1")
        self.cluster.sacctmgr(f"modify user {USER} where account=astro set qos+=onenode")
        job = self.cluster.sbatch("--qos=onenode -n1", USER).job
        self.cluster.wait_job(job, "RUNNING")
        words = ["sbatch", "--qos=onenode", "-n1", "--wrap=true"]
        self.assertIn("accepted, but it may wait because of QOSGrpNodeLimit (", self.check(words).stdout)
        self.assertTrue(self.answer(words)["parts"][0]["may_start"])
        self.assertFalse(self.answer(["sbatch", "--wrap=true"])["parts"][0]["may_start"])
        self.cluster.run(f"scancel {job}", check=True)

    def test_what_waits_is_told_with_the_reason_that_squeue_shows(self) -> None:
        done = self.check(["salloc", "--qos=waits", "-n3"])
        self.assertEqual(done.rc, REFUSED, done)
        self.assertIn("it waits for ever, at first because of QOSMaxCpuPerUserLimit", done.stdout)
        job = self.cluster.sbatch("--qos=waits -n3", USER).job
        self.cluster.wait_for(lambda: self.pending_reason() == "QOSMaxCpuPerUserLimit", "it waits for that")
        self.cluster.run(f"scancel {job}", check=True)

        job = self.cluster.sbatch("--qos=waits -n2", USER).job
        self.cluster.wait_job(job, "RUNNING")
        done = self.check(["salloc", "--qos=waits", "-n1"])
        self.assertEqual(done.rc, ACCEPTED, done)
        self.assertIn("it waits because of QOSMaxCpuPerUserLimit", done.stdout)
        self.assertFalse(self.answer(["salloc", "--qos=waits", "-n1"])["never_starts"])
        self.cluster.run(f"scancel {job}", check=True)

    def test_the_answer_is_short(self) -> None:
        done = self.check(["srun", "-n3", "--qos=small", "hostname"])
        self.assertEqual(done.rc, REFUSED, done)
        self.assertIn("Account astro, partition main, QOS small\n  QOS small does not allow this job:\n", done.stdout)
        self.assertIn("\nThe job is refused by slurmctld (QOSMaxCpuPerJobLimit).\n", done.stdout)
        self.assertNotIn("Rules:", done.stdout)
        self.assertIsNone(self.answer(["srun", "hostname"])["not_judged"])

    def test_a_step_is_not_run_and_has_no_answer(self) -> None:
        job = self.cluster.sbatch("-n1", USER).job
        self.cluster.wait_job(job, "RUNNING")
        mark, real = (self.cluster.layout.home / USER / name for name in ("step-ran", "real-step-ran"))
        try:
            for words, env in (
                (["srun", "touch", str(mark)], {"SLURM_JOB_ID": str(job)}),
                (["srun", f"--jobid={job}", "touch", str(mark)], {}),
            ):
                with self.subTest(words):
                    done = self.check(words, env=env)
                    self.assertEqual(done.rc, USAGE, done)
                    self.assertIn("inside a job it runs a step of it", done.stderr)
            for option in ("-Z", "--no-allocate", "--no-al", "-vZ"):
                with self.subTest(option):
                    done = self.check(["srun", option, "--nodelist=n1", "touch", str(mark)], "root")
                    self.assertEqual(done.rc, USAGE, done)
                    self.assertIn("runs a program without a job", done.stderr)
            self.cluster.run(["srun", f"--jobid={job}", "touch", str(real)], USER, check=True)
            self.assertEqual((mark.exists(), real.exists()), (False, True))
        finally:
            self.cluster.run(f"scancel {job}", check=True)

    def test_rules_that_cannot_be_read_are_told(self) -> None:
        self.directory.chmod(0o700)
        try:
            answer = self.answer(["sbatch", "--comment=no", "--wrap=true"])
            self.assertEqual(answer["status"], "accepted")
            self.assertIn("the site's rules cannot be read here", answer["not_judged"])
            self.assertEqual(self.answer(["sbatch", "-n3", "--qos=small", "--wrap=true"])["status"], "refused")
            self.assertIn("Not judged: the site's rules", self.check(["sbatch", "--wrap=true"]).stdout)
        finally:
            self.directory.chmod(0o755)
        self.assertEqual(self.answer(["sbatch", "--comment=no", "--wrap=true"])["status"], "refused")

    def test_only_operators_check_for_others(self) -> None:
        words = ["salloc", "-n3", "--qos=small"]
        self.assertEqual(self.answer(words, "root", ("--user", USER))["user"], USER)
        done = self.check(words, "ben", ("--user", USER))
        self.assertEqual(done.rc, NO_PERMISSION, done)
        self.assertEqual(self.check(words, "root", ("--user", "nosuch")).rc, NO_USER)

    def test_wrong_command_lines(self) -> None:
        for words, message in (
            (["scontrol", "show", "jobs"], "comes a command line of sbatch, salloc or srun"),
            (["salloc", "--no-such-option"], "unrecognized option"),
            (["srun", "--time=never", "true"], "Invalid --time"),
            (["srun"], "srun refuses these arguments"),
            (["salloc", "--clusters=other", "true"], ""),
        ):
            with self.subTest(words):
                done = self.check(words)
                self.assertEqual(done.rc, USAGE, done)
                self.assertIn(message, done.stderr)

    def test_a_forgotten_double_dash_is_told(self) -> None:
        for words in (["check"], ["policy", "try"]):
            done = self.cluster.run([self.qosgate, *words, "sbatch", "--gpus=3", "job.sh"], USER)
            self.assertEqual(done.rc, USAGE, done)
            command = " ".join(["qosgate", *words])
            self.assertIn(f"put -- before sbatch: {command} -- sbatch ...", done.stderr)
        done = self.cluster.run([self.qosgate, "check", "--gpus=3", "--", "sbatch", "job.sh"], USER)
        self.assertNotIn("put --", done.stderr)

    def test_a_script_in_the_place_of_srun_is_not_run(self) -> None:
        directory = self.cluster.directory.with_name("scripts")
        directory.mkdir()
        script = directory / "srun"
        script.write_text("#!/bin/sh\nunset LD_PRELOAD SLURM_CONF\n")
        script.chmod(0o755)
        done = self.check(["srun", "true"], env={"PATH": f"{directory}:{os.environ['PATH']}"})
        self.assertEqual(done.rc, NOT_REACHED, done)
        self.assertIn(f"{script} is a script, or cannot be read: put the directory of Slurm's own srun", done.stderr)

    def test_a_program_that_is_not_slurms_is_told(self) -> None:
        directory = self.cluster.directory.with_name("foreign")
        directory.mkdir()
        shutil.copy("/usr/bin/true", directory / "sbatch")
        done = self.check(["sbatch", "--wrap=true"], env={"PATH": f"{directory}:{os.environ['PATH']}"})
        self.assertEqual(done.rc, NOT_REACHED, done)
        self.assertIn("the sbatch in PATH cannot load qosgate_client.so, so it is not Slurm's own: put the", done.stderr)

    def test_a_client_with_privileges_of_its_own_is_not_started(self) -> None:
        directory = self.cluster.directory.with_name("privileged")
        directory.mkdir()
        client = directory / "sbatch"
        shutil.copy(shutil.which("sbatch"), client)
        environment = {"PATH": f"{directory}:{os.environ['PATH']}"}
        self.assertEqual(self.check(["sbatch", "--wrap=true"], env=environment).rc, ACCEPTED)

        client.chmod(0o4755)
        for mark in ("setuid", "capability"):
            done = self.check(["sbatch", "--wrap=true"], env=environment)
            self.assertEqual(done.rc, NOT_REACHED, done)
            self.assertIn(f"{client} runs with privileges of its own (setuid, setgid or file capabilities)", done.stderr)
            client.chmod(0o755)
            if mark == "setuid":
                net_raw = struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0)  # as setcap cap_net_raw+ep stores it
                os.setxattr(client, "security.capability", net_raw)


class FullTable(PluginTestCase):
    """slurmctld's table of jobs, of which releases before 25.05.3 keep a place free."""

    places = 5
    max_count = 6 if KEEPS_ONE_FREE else 5
    slurm_conf = f"MaxJobCount={max_count}\nPrivateData=events\n"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.cluster.sacctmgr("add user ben account=bio")
        cls.qosgate = copy_command(cls.cluster)

    def answer(self, client: str, *words: str, user: str = USER) -> dict:
        program = ["--wrap=true"] if client == "sbatch" else ["true"]
        done = self.cluster.run([self.qosgate, "check", "--json", "--", client, *words, *program], user)
        self.assertIn(done.rc, (ACCEPTED, REFUSED), done)
        return json.loads(done.stdout)

    def expect_room(self, client: str, *words: str) -> None:
        answer = self.answer(client, *words)
        self.assertEqual((answer["status"], answer["slurmctld_error"], answer["not_judged"]), ("accepted", None, None))

    def expect_none(self, taken: int, client: str, *words: str, takes: int = 1) -> list[str]:
        answer = self.answer(client, *words)
        self.assertEqual((answer["status"], answer["slurmctld_error"]), ("refused", "Resource temporarily unavailable"))
        [line] = next(part["blocked_by"] for part in answer["parts"] if part["blocked_by"])
        places = "6, of which one stays free" if KEEPS_ONE_FREE else "5"
        self.assertIn(f"has no room: MaxJobCount {places}, in use {taken}, this job takes {takes};", line)
        return answer["user_reads"]

    def submit_for_a_while(self, client: str, *words: str) -> CommandResult:
        """It tries again, for two minutes."""
        program = ["--wrap=true"] if client == "sbatch" else ["true"]
        done = self.cluster.run(["timeout", "2", client, *words, *program], USER)
        self.assertEqual(done.rc, 124, done)
        return done

    def hold(self, *words: str) -> str:
        done = self.cluster.run(["sbatch", "--parsable", "--hold", *words, "--wrap=true"], USER)
        self.assertEqual(done.rc, 0, done)
        return done.stdout.strip()

    def test_a_full_table_is_told_at_its_last_place(self) -> None:
        free = self.places
        self.expect_room("sbatch", f"--array=1-{free}")
        self.expect_none(0, "sbatch", f"--array=1-{free + 1}", takes=free + 1)
        self.hold("--array=1-2")
        job = self.hold()
        free -= 3
        three_parts = ["--ntasks=1", *[":", "--ntasks=1"] * 2]
        self.expect_room("sbatch", f"--array=1-{free}")
        self.expect_room("sbatch", *three_parts[: 2 * free - 1])
        self.expect_none(3 + free, "sbatch", *three_parts[: 2 * free + 1])
        reads = self.expect_none(3, "sbatch", f"--array=1-{free + 1}", takes=free + 1)
        said = self.submit_for_a_while("sbatch", f"--array=1-{free + 1}").stderr.splitlines()
        self.assertEqual(said[0], reads[0])

        self.hold(f"--array=1-{free}")
        for client in ("sbatch", "salloc", "srun"):
            with self.subTest(client):
                reads = self.expect_none(self.places, client)
                self.assertEqual(self.submit_for_a_while(client).stderr.splitlines()[0], reads[0])
        reads = self.expect_none(self.places, "sbatch", "--test-only")
        self.assertEqual(self.submit("--test-only").stderr.splitlines(), reads)
        self.cluster.run(["scancel", job], USER)  # it keeps its place for a while
        self.expect_none(self.places, "sbatch")
        # A limit is not looked at before, and what is wrong with the list of an array is.
        self.expect_none(self.places, "sbatch", "--qos=small", "--ntasks=3")
        self.assertNotEqual(self.answer("sbatch", "--array=5-1")["slurmctld_error"], "Resource temporarily unavailable")

        self.change_slurm_conf("PrivateData=events", "PrivateData=jobs")
        for user, line in (("ben", "PrivateData hides jobs, so whether slurmctld's table of jobs (MaxJobCount) has room is not known"), ("root", None)):
            self.cluster.wait_for(
                lambda: self.answer("sbatch", "--account=bio", user=user)["not_judged"] == line, f"{user} is told"
            )
        self.expect_none(self.places, "sbatch")  # these are its own jobs


if __name__ == "__main__":
    main()
