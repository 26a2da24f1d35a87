# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate policy try says before a submission what a real sbatch prints after it."""

from __future__ import annotations

import concurrent.futures
import json
import os
import re
import shlex
import shutil
import stat
from pathlib import Path

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import CommandResult, copy_command, main
from qosgate_dev.testing.cluster import TIMED_OUT
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

ACCEPTED, REFUSED, USAGE, NOT_REACHED, NO_PERMISSION = 0, 1, 64, 69, 77

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
        if job.comment == "warn" then job:warn("job %s of %d tasks", job.name or "?", job.tasks or 1) end
        if job.comment == "fail" then local nothing = nil; nothing.field = 1 end
        if job.comment == "env" then job:note("MODE=%s", job.env["MODE"] or "none") end
        if job.comment == "argv" then job:note("%d words", #job.argv) end
        if job.comment == "script" then job:note("%d bytes", #job.script) end
        if job.comment == "place" then job:note("in %s", job.work_dir) end
        if job.comment == "held" then job:note("nice %s, priority %s", job.nice, job.priority) end
    end,
}
""",
    "30-shadow.lua": """\
rule { mode = "shadow", submit = function(job) job:reject("would not do") end }
""",
    "40-headroom.lua": """\
rule {
    name = "headroom",
    submit = function(job, view)
        if job.comment == "room" then
            job:note("%s jobs left", view.qos("counted"):headroom().submit_jobs)
        end
    end,
}
""",
}

SCRIPT = """\
#!/bin/sh
#SBATCH --qos=small
#SBATCH -n 3 --time=30 # a comment
#SBATCH --job-name="two words"
sleep 100
"""

# Words after "sbatch"; the script is job.sh, or the job is --wrap.
COMMANDS = (
    "",
    "-n2",
    "-n3 --qos=small",
    "-n2 --qos=small",
    "--qos=small --time=61",
    "--qos=small --time=1:00:00",
    "--qos=small --time=1-0 -n5",
    "--qos=small -c3",
    "--qos=small -n1 --cpus-per-task=2",
    "--qos=small -N2",
    "--qos=small -N2 --ntasks-per-node=2",
    "--qos=small --ntasks 4 --test-only",
    "--qos=other",
    "--qos=nosuch",
    "--qos=counted --array=1-3",
    "--qos=counted --array=1-4",
    "--qos=counted --array=0-15:8%1",
    "-p short --time=90",
    "-p short --time=60",
    "-p short",
    "-p main,short --time=90",
    "-p nosuch",
    "-A bio",
    "-A bio --qos=small",
    "-A nosuch",
    "-n6",
    "--cpus-per-task=5",
    "-n6 --qos=normal",
    "--gres=gpu:5 --qos=gpus",
    "--gpus=3 --qos=gpus",
    "--gpus=2 --qos=gpus",
    "--gpus-per-node=2 -N2 --qos=gpus",
    "--gpus-per-task=1 -n3 --qos=gpus",
    "--gres=gpu:2 --qos=gpus --mem-per-gpu=1G",
    "--mem=10G --qos=memory",
    "--mem-per-cpu=3G -n2 --qos=memory",
    "--mem=4096M --qos=memory",
    "--mem=1T",
    "-n1000",
    "-N9",
    "-N 0",
    "-N0-1",
    "--nodelist=",
    *(() if slurm_version() >= (26, 5) else ("--nodelist=a[1-2",)),  # sbatch ends before it asks anybody
    "-n1000 --hold",
    "-p main,short -n1000",
    "-p main,short -N9",
    "--comment=no",
    "--comment=warn -J name -n2",
    "--comment=place -D /tmp",
    "--comment=held --nice=7 --hold",
    "--comment=held --priority=500",
    "--comment=room",
    "--comment=no --qos=small -n3",
    "--comment=warn --qos=small -n3",
    "--exclusive --qos=small",
    "-w nosuchnode",
    "-C nosuchfeature",
    "--reservation=nosuch",
    "-L nosuch:1",
    "--begin=now+1hour -n3 --qos=waits",
    "-n3 --qos=waits",
    "-n2 --qos=waits",
    "--time=300 --qos=waits",
)

# Lines that slurmctld and sbatch add to those of the plugin and to the refusal.
OF_SLURMCTLD = re.compile(r"sbatch: Job \d|sbatch: error: invalid partition specified: ")
BARE_REASON = re.compile(r"sbatch: error: \w+$")


class Try(PluginTestCase):
    maxDiff = None
    options = ("--gpus", "4")
    without_module: concurrent.futures.Future[CommandResult]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        for line in (
            "add qos gpus MaxTRESPerUser=gres/gpu=2 Flags=DenyOnLimit",
            "add qos memory MaxTRESPerJob=mem=5G Flags=DenyOnLimit",
            "add qos waits MaxTRESPerUser=cpu=2 MaxWall=120",
            f"modify user {USER} where account=astro set qos+=gpus,memory,waits",
        ):
            cls.cluster.sacctmgr(line)
        cls.put_in_force(RULES)
        cls.qosgate = copy_command(cls.cluster)
        cls.begin_without_module()
        cls.home = cls.cluster.layout.home / USER
        cls.script = cls.home / "job.sh"
        cls.script.write_text(SCRIPT)

    @classmethod
    def begin_without_module(cls) -> None:
        """Starts a client that looks a minute for a slurm.conf that is not there; other tests run meanwhile."""
        alone = cls.cluster.directory.with_name("alone")
        alone.mkdir()
        program = shutil.copy(cls.qosgate, alone / "qosgate")
        (alone / "qosgate_client.so").write_text("no library\n")
        command = [str(program), "policy", "try", "--", "sbatch", "--wrap=true"]
        pool = concurrent.futures.ThreadPoolExecutor(1)
        cls.addClassCleanup(pool.shutdown)
        cls.without_module = pool.submit(cls.cluster.run, command, USER)

    def try_job(
        self, words: list[str], user: str | None = USER, options: tuple[str, ...] = (), **run: object
    ) -> CommandResult:
        return self.cluster.run([self.qosgate, "policy", "try", *options, "--", "sbatch", *words], user, **run)

    def answer(self, words: list[str], user: str | None = USER, options: tuple[str, ...] = (), **run: object) -> dict:
        done = self.try_job(words, user, ("--json", *options), **run)
        self.assertIn(done.rc, (ACCEPTED, REFUSED), done)
        answer = json.loads(done.stdout)
        starts = answer["status"] == "accepted" and not answer["never_starts"]
        self.assertEqual(starts, done.rc == ACCEPTED, done)
        return answer

    def compare(self, words: list[str], env: dict[str, str] | None = None) -> dict:
        """Tries, then submits; both must say the same. The job is ended."""
        foretold = self.answer(words, env=env)
        jobs = self.cluster.run("squeue --noheader --format=%i", check=True).stdout
        self.assertEqual(jobs, "", "nothing was submitted")
        actual = self.cluster.run(["sbatch", *words], USER, env=env)
        self.cluster.run(f"scancel --user={USER}", check=True)
        self.cluster.wait_for(
            lambda: not self.cluster.run("squeue --noheader", check=True).stdout, "the job has ended"
        )
        self.assertEqual(foretold["status"] == "accepted", actual.rc == 0, f"{actual}\n{foretold}")
        said = [line for line in actual.stderr.splitlines() if not OF_SLURMCTLD.match(line)]
        reads = [line for line in foretold["user_reads"] if not OF_SLURMCTLD.match(line)]
        if foretold["status"] == "blocked":  # slurmctld has its own words for why
            said = said[: len(reads)]
            self.assertNotEqual(reads, [])
        if len(foretold["parts"]) > 1:  # slurmctld names the limit of some parts only
            said, reads = ([line for line in lines if not BARE_REASON.match(line)] for lines in (said, reads))
        self.assertEqual(reads, said, actual)
        return foretold

    def test_it_says_what_sbatch_prints(self) -> None:
        for command in COMMANDS:
            with self.subTest(command):
                self.compare([*shlex.split(command), "--wrap=sleep 100"])

    def test_a_rule_that_fails(self) -> None:
        part = self.compare(["--comment=fail", "--wrap=true"])["parts"][0]
        self.assertEqual(part["refused_by"], "rules")
        self.assertEqual([event["kind"] for event in part["rules"][1]["events"]], ["error", "rejected"])
        self.expect_logged_error("attempt to index a nil value (local 'nothing')")

    def test_lines_of_the_script_and_the_environment_count_as_for_sbatch(self) -> None:
        for words, env, status in (
            ("job.sh", {}, "refused"),
            ("-n2 job.sh", {}, "accepted"),
            ("job.sh", {"SBATCH_QOS": "normal"}, "accepted"),
            ("--qos=small job.sh", {"SBATCH_QOS": "normal"}, "refused"),
            ("--wrap=true", {"SBATCH_QOS": "small", "SBATCH_TIMELIMIT": "90"}, "refused"),
            ("--wrap=true --time=9", {"SBATCH_QOS": "small", "SBATCH_TIMELIMIT": "90"}, "accepted"),
            ("--comment=env -n1 job.sh", {"MODE": "fast"}, "accepted"),
            ("--comment=env --export=NONE -n1 job.sh", {"MODE": "fast"}, "accepted"),
            ("--comment=argv -n1 job.sh one two", {}, "accepted"),
            ("--comment=script -n1 job.sh", {}, "accepted"),
            ("--comment=warn -n1 job.sh", {}, "accepted"),
        ):
            with self.subTest(words, env=env):
                self.assertEqual(self.compare(shlex.split(words), env)["status"], status)

    def test_parts_of_a_heterogeneous_job(self) -> None:
        for words in (
            "-n1 : -n2 --wrap=true",
            "-n1 --qos=small : -n3 --qos=small --wrap=true",
            "-n2 --qos=small : -n1 --qos=small --wrap=true",
            "-n1 : --comment=no --wrap=true",
            "--qos=counted : --qos=counted : --qos=counted : --qos=counted --wrap=true",
        ):
            with self.subTest(words):
                self.compare(shlex.split(words))

    def test_usage_counts_at_this_moment(self) -> None:
        before = self.answer(["--qos=gpus", "--gpus=2", "--wrap=true"])
        job = self.cluster.sbatch("--qos=gpus --gpus=1", USER).job
        self.cluster.wait_job(job, "RUNNING")
        after = self.answer(["--qos=gpus", "--gpus=2", "--wrap=true"])
        actual = self.submit("--qos=gpus --gpus=2")
        self.assertEqual(before["user_reads"], [])
        self.assertEqual(after["user_reads"], [
            line for line in actual.stderr.splitlines() if "Submitted" not in line
        ])
        self.assertIn("in use 1", " ".join(after["parts"][0]["message"]))

    def test_the_trace_has_what_each_rule_did_and_took(self) -> None:
        done = self.try_job(["-n6", "--comment=warn", "--wrap=true"])
        self.assertEqual(done.rc, ACCEPTED, done)
        for text in (
            f"Job of {USER} (",
            'limits = "explain"',
            "Account astro, partition main, QOS counted\n",
            "  large jobs run in QOS counted (10-route.lua): under 100 instructions, ",
            "    noted: moved to QOS counted\n    changed: qos: (unset) -> counted\n",
            "    warned: job wrap of 6 tasks\n",
            "  30-shadow (30-shadow.lua), mode shadow: ",
            "    shadow: would reject: would not do\n",
            "  headroom (40-headroom.lua): ",
            "    did nothing\n",
            "The user reads:\n  sbatch: moved to QOS counted\n  sbatch: job wrap of 6 tasks\n",
            "The job is accepted",
        ):
            self.assertIn(text, done.stdout)
        part = self.answer(["-n6", "--wrap=true"])["parts"][0]
        self.assertEqual([rule["has_run"] for rule in part["rules"]], [True] * 4)
        self.assertTrue(all(rule["microseconds"] > 0 for rule in part["rules"]), part)

    def test_what_will_wait_and_for_what(self) -> None:
        done = self.try_job(["--qos=waits", "-n3", "--wrap=true"])
        self.assertEqual(done.rc, REFUSED, done)
        self.assertIn("it waits for ever, at first because of QOSMaxCpuPerUserLimit", done.stdout)
        part = self.answer(["--qos=waits", "-n3", "--wrap=true"])["parts"][0]
        self.assertEqual(part["pending_reason"], "QOSMaxCpuPerUserLimit")

    def test_other_rules_are_tried_without_being_in_force(self) -> None:
        directory = self.cluster.directory.with_name("candidate")
        directory.mkdir()
        (directory / "10-all.lua").write_text('rule { submit = function(job) job:reject("closed") end }\n')
        for options, status in (((), ACCEPTED), (("--policy", str(directory)), REFUSED)):
            self.assertEqual(self.try_job(["--wrap=true"], options=options).rc, status)
        (directory / "10-all.lua").write_text("rule {")
        self.assertEqual(self.try_job(["--wrap=true"], options=("--policy", str(directory))).rc, 65)
        done = self.try_job(["--wrap=true"], options=("--policy", str(directory / "none")))
        self.assertEqual(done.rc, 66)
        self.assertIn("there is no such directory", done.stderr)

    def test_operators_may_judge_for_others(self) -> None:
        words = ["--comment=no", "--wrap=true"]
        by_root = self.answer(words, "root", ("--user", USER))
        self.assertEqual(by_root["user"], USER)
        self.assertIn("not today, ana", by_root["parts"][0]["message"])
        self.assertEqual(by_root["user_reads"], self.answer(words)["user_reads"])
        done = self.try_job(words, "ben", ("--user", USER))
        self.assertEqual(done.rc, NO_PERMISSION, done)
        self.assertIn("leave --user out", done.stderr)
        self.assertEqual(self.try_job(words, USER, ("--user", USER)).rc, REFUSED)
        self.assertEqual(self.try_job(words, "root", ("--user", "nosuch")).rc, 66)

    def capture(self, name: str, *options: str) -> Path:
        """A file that root captured, readable for all."""
        file = self.cluster.directory.with_name(name)
        self.cluster.run([self.qosgate, "capture", str(file), *options], check=True)
        file.chmod(0o644)
        return file

    def without_times(self, answer: dict) -> dict:
        for part in answer["parts"]:
            for rule in part["rules"]:
                rule["microseconds"] = 0
        return answer

    def test_a_capture_decides_like_the_live_cluster(self) -> None:
        self.cluster.wait_job(self.cluster.sbatch("--qos=gpus --gpus=1", USER).job, "RUNNING")
        self.cluster.wait_job(self.cluster.sbatch("--qos=waits -n1", USER).job, "RUNNING")
        file = self.capture("world.json")
        for command in COMMANDS:
            with self.subTest(command):
                words = [*shlex.split(command), "--wrap=true"]
                live = self.answer(words)
                captured = self.answer(words, "ben", ("--world", str(file), "--user", USER))
                self.assertEqual(self.without_times(captured), self.without_times(live))
        refused = self.answer(["--qos=gpus", "--gpus=2", "--wrap=true"], options=("--world", str(file)))
        self.assertIn("in use 1", " ".join(refused["parts"][0]["message"]))

    def test_groups_are_those_of_the_directory_service_or_of_the_capture(self) -> None:
        rules = self.cluster.directory.with_name("group-rules")
        rules.mkdir(mode=0o755)
        (rules / "10-groups.lua").write_text(
            "rule { submit = function(job, view)\n"
            '    if not view.user.in_group("lab-gpu") then job:reject("in %s", table.concat(view.user.groups, "+")) end\n'
            "end }\n"
        )

        def read(user: str | None, *options: str) -> str:
            options = ("--policy", str(rules), *options)
            return " ".join(self.answer(["--wrap=true"], user, options)["user_reads"])

        self.assertIn(f"in {USER}", read(USER))
        before = self.capture("before.json")
        without = self.capture("without.json", "--no-groups")
        anonymous = self.capture("hidden.json", "--anonymous")
        with self.cluster.layout.group.open("a") as group:
            group.write(f"lab-gpu:x:70001:{USER}\n")
        self.assertEqual(read(USER), "")
        self.assertIn(f"in {USER}", read("ben", "--user", USER, "--world", str(before)))
        self.assertEqual(read("ben", "--user", USER, "--world", str(self.capture("after.json"))), "")
        self.assertIn(
            "are not known: the file that 'qosgate capture' wrote does not have them",
            read("ben", "--user", USER, "--world", str(without)),
        )
        users = json.loads(anonymous.read_text())["users"]
        (user,) = (user for user in users if user.get("default_account") == "account1")
        self.assertEqual(user["groups"], [user["name"]])

    def test_a_capture_is_a_scenario_for_eval(self) -> None:
        world = json.loads(self.capture("for-eval.json").read_text())
        uid = self.answer(["--wrap=true"])["uid"]
        for tasks, submit in ((2, "ok"), (3, "QOSMaxCpuPerJobLimit")):
            job = {"user": uid, "account": "astro", "qos": "small", "partitions": ["main"], "tres": {"cpu": tasks}}
            scenario = self.cluster.write_beside(f"scenario-{tasks}.json", json.dumps(world | {"job": job}))
            done = self.cluster.run([self.qosgate, "eval", str(scenario)], check=True)
            self.assertEqual(json.loads(done.stdout)["submit"], submit)

    def test_a_capture_has_no_users_whom_the_host_does_not_know(self) -> None:
        before = json.loads(self.capture("known.json").read_text())
        self.cluster.sacctmgr("add user ghost1,ghost2 account=astro")
        self.addCleanup(self.cluster.sacctmgr, "delete user ghost1,ghost2")
        file = self.cluster.directory.with_name("ghosts.json")
        done = self.cluster.run([self.qosgate, "capture", "--json", str(file)], check=True)
        self.assertEqual(json.loads(done.stdout)["unknown_users"], 2)
        self.assertIn("2 users of accounting are no user of slurmctld's host, and are left out", done.stderr)
        self.assertNotIn("4294967294", file.read_text())
        world = json.loads(file.read_text())
        self.assertEqual(world["associations"], before["associations"])
        file.chmod(0o644)
        unknown = self.try_job(["--wrap=true"], "root", ("--world", str(file), "--user", "ghost1"))
        self.assertEqual(unknown.rc, 66, unknown)
        self.assertIn("neither the file of --world nor this host has user 'ghost1'", unknown.stderr)

    def test_a_capture_asks_for_groups_for_a_bounded_time(self) -> None:
        file = self.cluster.directory.with_name("soon.json")
        done = self.cluster.run([self.qosgate, "capture", "--json", "--group-seconds", "0", str(file)], check=True)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["without_groups"], answer["users"])
        self.assertIn("the directory service was asked for 0 s; --group-seconds gives it more", done.stderr)

    def test_an_anonymous_capture_names_nobody(self) -> None:
        text = self.capture("anonymous.json", "--anonymous").read_text()
        for name in (USER, "ben", "astro", "bio"):
            self.assertNotIn(f'"{name}"', text)
        (user,) = (user for user in json.loads(text)["users"] if user.get("default_account") == "account1")
        for words, status in ((["-n2"], "accepted"), (["-n3"], "refused"), (["-n2", "-Aaccount2"], "refused")):
            options = ("--world", str(self.cluster.directory.with_name("anonymous.json")), "--user", str(user["user"]))
            answer = self.answer(["--qos=small", *words, "--wrap=true"], options=options)
            self.assertEqual(answer["status"], status, answer)

    def test_a_capture_replaces_no_file_unasked(self) -> None:
        file = self.capture("once.json")
        command = [self.qosgate, "capture", str(file)]
        file.write_text("mine")
        done = self.cluster.run(command)
        self.assertEqual(done.rc, 73, done)
        self.assertEqual(file.read_text(), "mine")
        self.cluster.run([*command, "--force"], check=True)
        pipe = file.with_name("pipe")
        os.mkfifo(pipe)
        link = file.with_name("link")
        link.symlink_to(file)
        for special in (pipe, link):
            done = self.cluster.run([self.qosgate, "capture", str(special), "--force"])
            self.assertEqual(done.rc, 73, done)
            self.assertIn("is not a regular file", done.stderr)
            special.unlink()
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertIn("captured_at", json.loads(file.read_text()))
        for text, complaint in (("mine", "not a JSON"), ("{}", "not a file of 'qosgate capture'")):
            file.write_text(text)
            done = self.try_job(["--wrap=true"], "root", ("--world", str(file)))
            self.assertEqual(done.rc, 65, done)
            self.assertIn(complaint, done.stderr)

    def test_what_sbatch_refuses_is_a_wrong_command_line(self) -> None:
        for words, message in (
            (["--no-such-option", "--wrap=true"], "unrecognized option"),
            (["--time=never", "--wrap=true"], "Invalid --time"),
            (["nosuch.sh"], "Unable to open file nosuch.sh"),
            (["--version"], "submits no job"),
        ):
            with self.subTest(words):
                done = self.try_job(words)
                self.assertEqual(done.rc, USAGE, done)
                self.assertIn(message, done.stderr)
        done = self.cluster.run([self.qosgate, "policy", "try", "--", "squeue", "--me"], USER)
        self.assertEqual(done.rc, USAGE, done)
        self.assertIn("comes a command line of sbatch, salloc or srun", done.stderr)

    def test_without_its_module_it_submits_nothing(self) -> None:
        done = self.without_module.result()
        self.assertNotIn(done.rc, (ACCEPTED, REFUSED, TIMED_OUT), done)
        self.assertEqual(self.cluster.run("squeue --noheader", check=True).stdout, "")

    def test_a_script_in_the_place_of_sbatch_is_not_run(self) -> None:
        directory = self.cluster.directory.with_name("scripts")
        directory.mkdir()
        script = directory / "sbatch"
        script.write_text("#!/bin/sh\nunset LD_PRELOAD SLURM_CONF\n")
        script.chmod(0o755)
        done = self.try_job(["--wrap=true"], env={"PATH": f"{directory}:{os.environ['PATH']}"})
        self.assertEqual(done.rc, NOT_REACHED, done)
        self.assertIn(f"{script} is a script, or cannot be read: put the directory of Slurm's own sbatch", done.stderr)
        (directory / "sbatch").unlink()
        (directory / "sbatch").mkdir()  # no program: the next one in PATH counts
        self.answer(["--wrap=true"], env={"PATH": f"{directory}:{os.environ['PATH']}"})

    def test_without_slurmctld_it_is_not_reached(self) -> None:
        conf = self.cluster.layout.slurm_conf
        hurried = conf.with_name("hurried.conf")  # who asks tries again for so long
        hurried.write_text(conf.read_text().replace("MessageTimeout=10\n", "MessageTimeout=2\n"))
        hurried.chmod(0o644)
        env = {"SLURM_CONF": str(hurried)}
        self.cluster.stop("slurmctld")
        try:
            done = self.try_job(["--wrap=true"], env=env)
            file = self.cluster.directory.with_name("never.json")
            captured = self.cluster.run([self.qosgate, "capture", str(file)], env=env)
        finally:
            self.cluster.start("slurmctld")
            self.let_the_plugin_see_the_cluster()
        self.assertEqual(done.rc, NOT_REACHED, done)
        self.assertIn("Unable to contact slurm controller", done.stderr)
        self.assertEqual((captured.rc, file.exists()), (NOT_REACHED, False), captured)


if __name__ == "__main__":
    main()
