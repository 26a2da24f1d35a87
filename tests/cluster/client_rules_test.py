# SPDX-License-Identifier: GPL-2.0-or-later
"""Rules with client = function(options, view) in the real sbatch, salloc and srun."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import tempfile
from pathlib import Path

from client_filter_test import SMALL, ClientFilterCase
from qosgate_dev.testing import CommandResult, main


class Shared:
    """What holds with and without qosgate in slurmctld."""

    def client_rule(self, body: str, keys: str = "") -> None:
        self.write("10-client.lua", f"rule {{ {keys} client = function(options, view)\n{body}\nend }}\n")

    def sbatch(self, options: str = "", **run: object) -> CommandResult:
        return self.run_as(f"sbatch {options} --wrap='sleep 100'", **run)

    def test_options_are_read_and_written(self) -> None:
        self.client_rule(
            """\
if not options.time then options.time = "20" end
if options.comment == "two" then options.ntasks = 2; options["mem-per-cpu"] = "100M" end
if options.comment == "unset" then options.qos = nil; options.hold = true end
if options.hold and options.comment == "free" then options.hold = false end
if options.comment == "alone" then options.exclusive = true end
"""
        )
        self.assertIn("TimeLimit=00:20:00", self.show(self.sbatch()))
        self.assertIn("TimeLimit=00:07:00", self.show(self.sbatch("-t7")))
        job = self.show(self.sbatch("--comment=two -n1"))
        self.assertIn("NumTasks=2", job)
        self.assertIn("MinMemoryCPU=100M", job)
        job = self.show(self.sbatch("--comment=unset --qos=counted"))
        self.assertIn("QOS=normal", job)
        self.assertIn("Reason=JobHeldUser", job)
        self.assertNotIn("JobHeldUser", self.show(self.sbatch("--hold --comment=free")))
        self.assertIn("OverSubscribe=NO", self.show(self.sbatch("--comment=alone")))

    def test_variables_and_lines_of_the_script_are_options_too(self) -> None:
        self.client_rule('options:note("%s %s", options.qos, options.time)')
        script = self.home / "options.sh"
        script.write_text("#!/bin/sh\n#SBATCH --time=5\ntrue\n")
        done = self.run_as(f"sbatch {script}", env={"SBATCH_QOS": "small"})
        self.assertEqual(self.said(done), ["sbatch: small 00:05:00"])

    def test_the_client_is_known(self) -> None:
        self.client_rule(
            """\
options:note("%s %s %s %s %s", view.client.command, view.client.interactive, view.client.work_dir,
    view.client.env("HERE"), view.client.env("THERE"))
"""
        )
        for command in ("sbatch --wrap=true", "salloc true", "srun true"):
            with self.subTest(command):
                client = command.split()[0]
                done = self.cluster.run(command.split(), "ana", cwd=self.home, env={"HERE": "x y"})
                self.assertEqual(self.said(done), [f"{client}: {client} false {self.home} x y nil"], done)
        # script(1) gives the command a terminal.
        done = self.cluster.run(["script", "-qec", "salloc true", "/dev/null"], "ana", cwd=self.home)
        self.assertIn("salloc: salloc true ", done.stdout)

    def test_a_rejection_ends_the_client(self) -> None:
        self.client_rule('if options.array then options:warn("so"); options:reject("no arrays, %s", options.array) end')
        done = self.sbatch("--array=1-3")
        self.assertEqual((done.rc, done.stdout), (1, ""))
        self.assertEqual(self.said(done)[:2], ["sbatch: so", "sbatch: error: no arrays, 1-3"])
        self.assertIn("cli_filter plugin terminated with error", done.stderr)
        self.assertEqual(self.sbatch().rc, 0)

    def test_a_rule_that_fails_changes_nothing_and_says_so(self) -> None:
        self.client_rule('options.time = "20"; local x = nil + 1')
        done = self.sbatch("-t7")
        self.assertIn("TimeLimit=00:07:00", self.show(done))
        self.assertIn("The rule '10-client' (10-client.lua) was not applied because it failed", done.stderr)
        self.client_rule("local x = nil + 1", 'on_error = "allow",')
        self.assertEqual(self.said(self.sbatch()), [])

    def test_values_that_the_client_does_not_take_are_errors(self) -> None:
        for value, text in (
            ('options.ntasks = "many"', "sbatch does not take --ntasks=many from a rule"),
            ('options.partitoin = "1"', "this sbatch has no option --partitoin; did you mean partition?"),
            ('options.hold = "x"', 'options["hold"] cannot be "x"'),
            ("options.help = true", "sbatch does not take --help"),
            ('options.wrap = "true"', "sbatch does not take --wrap=true from a rule"),
        ):
            with self.subTest(value):
                self.client_rule(value)
                done = self.sbatch()
                self.assertEqual(done.rc, 0, done)
                self.assertIn(text, done.stderr)

    def test_a_wrong_value_does_not_keep_other_rules_from_running(self) -> None:
        self.write("20-reject.lua", 'rule { client = function(options) options:reject("no") end }\n')
        for option in ("help", "version", "usage"):
            for command in ("sbatch --wrap=true", "salloc true", "srun true"):
                with self.subTest(option=option, command=command):
                    self.client_rule(f"options.{option} = true")
                    done = self.run_as(command)
                    self.assertEqual(done.rc, 1, done)
                    self.assertIn(f"does not take --{option} from a rule", done.stderr)

    def test_an_option_takes_the_place_of_those_that_it_excludes(self) -> None:
        self.client_rule('options.mem = "100M"; options["cpus-per-task"] = 1')
        done = self.sbatch("--mem-per-cpu=50")
        self.assertIn("MinMemoryNode=100M", self.show(done))

    def test_a_list_is_set_and_not_added_to(self) -> None:
        self.client_rule('options["mail-type"] = "END"')
        self.write("20-tell.lua", 'rule { client = function(options) options:note("%s", options["mail-type"]) end }\n')
        self.assertEqual(self.said(self.sbatch("--mail-type=BEGIN")), ["sbatch: END"])

    def test_files_that_others_can_write_are_not_followed(self) -> None:
        self.client_rule('options:reject("no")')
        self.assertEqual(self.sbatch().rc, 1)
        for mode, owner in ((0o666, 0), (0o644, 20001)):
            with self.subTest(mode=mode, owner=owner):
                (self.directory / "10-client.lua").chmod(mode)
                os.chown(self.directory / "10-client.lua", owner, -1)
                done = self.sbatch("-v")
                self.assertEqual(done.rc, 0, done)
                self.assertIn("not judged here: 10-client.lua: ", done.stderr)

    def test_a_wrong_value_can_be_caught(self) -> None:
        self.client_rule(
            """\
local done, why = pcall(function() options.ntasks = "many" end)
options:note("%s %s", done, options.ntasks)
options.ntasks = 2
"""
        )
        done = self.sbatch()
        self.assertEqual(self.said(done), ["sbatch: false nil"])
        self.assertIn("NumTasks=2", self.show(done))

    def test_what_slurmctld_knows_can_be_read(self) -> None:
        self.client_rule(
            """\
options:note("%s %s", view.user.name, table.concat(view.accounts(), ","))
if view.qos("small").MaxTRESPerJob.cpu == 2 then options.qos = "small" end
"""
        )
        done = self.sbatch("-n1")
        self.assertEqual(self.said(done), ["sbatch: ana astro,bio"], done)
        self.assertIn("QOS=small", self.show(done))

    def test_exempt_users(self) -> None:
        self.client_rule('options:reject("no")', 'exempt = { "ben" },')
        self.assertEqual(self.sbatch().rc, 1)
        self.client_rule('options:reject("no")', 'exempt = { "ana" },')
        self.assertEqual(self.sbatch().rc, 0)

    def test_exempt_operators(self) -> None:
        self.client_rule('options:reject("no")', 'exempt = { "operators" },')
        self.assertEqual(self.sbatch().rc, 1)
        self.cluster.sacctmgr("modify user ana set adminlevel=operator")
        self.cluster.wait_for(lambda: self.sbatch().rc == 0, "an operator is exempt")
        self.cluster.sacctmgr("modify user ana set adminlevel=none")
        self.cluster.wait_for(lambda: self.sbatch().rc == 1, "ana is no operator any more")

    def test_mode_warn_changes_nothing(self) -> None:
        self.client_rule('options.time = "20"; options:reject("no")', 'mode = "warn",')
        done = self.sbatch("-t7")
        self.assertIn("TimeLimit=00:07:00", self.show(done))
        self.assertIn("sbatch: note (not enforced, rule '10-client'): no", done.stderr)

    def test_each_part_of_a_heterogeneous_job(self) -> None:
        self.client_rule('if options.ntasks == "2" then options.time = "11" end')
        done = self.run_as("sbatch -n1 -t5 : -n2 -t5 --wrap='sleep 100'")
        job = self.show(done)
        self.assertIn("TimeLimit=00:05:00", job)
        self.assertIn("TimeLimit=00:11:00", job)

    def test_steps_have_no_rules(self) -> None:
        self.client_rule('if view.client.command == "srun" then options:reject("no") end')
        text = self.home / "inside.txt"
        self.run_as(f"sbatch -n1 --wrap='srun -n1 echo ran > {text} 2>&1'")
        self.cluster.wait_for(lambda: "ran" in self.text_of("inside.txt"), "the step has run")
        self.assertEqual(self.run_as("srun -n1 true").rc, 1)

    def test_an_endless_rule_ends(self) -> None:
        self.client_rule("while true do end")
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = self.sbatch()
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 3)
        self.assertEqual(done.rc, 0, done)
        self.assertIn("was not applied because it failed", done.stderr)

    def test_check_applies_them_as_the_client_does(self) -> None:
        self.client_rule('options.qos = "small"; options.ntasks = 3')
        done = self.cluster.run([self.qosgate, "check", "--", "sbatch", "--wrap=true"], "ana")
        self.assertIn("QOS small does not allow this job", done.stdout, done)
        self.assertIn("limit 2, this job asks for 3", done.stdout)

    def test_check_says_what_the_client_says_of_a_job_that_it_refuses(self) -> None:
        self.client_rule('if options.array then options:warn("so"); options:reject("no arrays, %s", options.array) end')
        words = ["sbatch", "--array=1-3", "--wrap=true"]
        for client in (words, ["sbatch", "-n1", ":", *words[1:]]):
            sent = self.cluster.run(client, "ana")
            self.assertEqual(sent.rc, 1, sent)
            done = self.cluster.run([self.qosgate, "check", "--json", "--", *client], "ana")
            self.assertEqual(done.rc, 1, done)
            answer = json.loads(done.stdout)
            self.assertEqual(answer["user_reads"], sent.stderr.splitlines())
            self.assertEqual((answer["status"], answer["slurmctld_error"]), ("refused", None))
            (part,) = answer["parts"]
            self.assertEqual((part["refused_by"], part["message"]), ("client", ["so", "no arrays, 1-3"]))
            self.assertIsNone(part["qos"])
        done = self.cluster.run([self.qosgate, "check", "--", *words], "ana")
        self.assertEqual(done.stdout, "\nThe job is not sent: the site's rules for clients refuse it.\n")
        self.assertIn("sbatch: error: no arrays, 1-3\n", done.stderr)
        for client, end in (("salloc", "salloc: error"), ("srun", "srun: error")):
            done = self.cluster.run([self.qosgate, "check", "--json", "--", client, "-J", "no", "true"], "ana")
            self.assertEqual(json.loads(done.stdout)["status"], "accepted")
        self.client_rule('options:reject("closed")')
        for client in ("salloc", "srun"):
            done = self.cluster.run([self.qosgate, "check", "--json", "--", client, "true"], "ana")
            answer = json.loads(done.stdout)
            sent = self.cluster.run([client, "true"], "ana")
            self.assertEqual((done.rc, answer["user_reads"]), (1, sent.stderr.splitlines()), done)
        self.client_rule("")
        done = self.cluster.run([self.qosgate, "check", "--json", "--", "sbatch", "--wrap=true"], "ana")
        self.assertEqual(json.loads(done.stdout)["status"], "accepted")

    def test_other_rules_are_tried_in_the_client(self) -> None:
        self.client_rule('options:reject("the live rule")')
        directory = Path(tempfile.mkdtemp(dir=self.home))
        directory.chmod(0o755)
        os.chown(directory, self.home.stat().st_uid, -1)
        tried = ["policy", "try", "--json", "--policy", directory.name, "--", "sbatch", "--wrap=true"]
        try:
            for body, status, message in (
                ('options:reject("the tried rule")', "refused", ["the tried rule"]),
                ('options.comment = "tried"', "accepted", ["the job says tried"]),
            ):
                (directory / "10-client.lua").write_text(
                    f"rule {{ client = function(options) {body} end,\n"
                    'submit = function(job) job:note("the job says %s", job.comment) end }\n'
                )
                os.chown(directory / "10-client.lua", self.home.stat().st_uid, -1)
                done = self.cluster.run([self.qosgate, *tried], "ana", cwd=self.home)
                answer = json.loads(done.stdout)
                self.assertEqual((answer["status"], answer["parts"][0]["message"]), (status, message), done)
            done = self.cluster.run([self.qosgate, "policy", "try", "--", "sbatch", "--wrap=true"], "ana")
            self.assertIn("the live rule", done.stderr)
            self.assertIn("The client does not send the job, so rules for jobs are not asked.", done.stdout)
            # What rules set are options of a command of root, too: only root's own rules do that.
            done = self.cluster.run([self.qosgate, *tried], "root", cwd=self.home)
            self.assertIn(f"sbatch: qosgate: the rules for clients are not run: {directory}: on the way to it: ", done.stderr)
            self.assertEqual(json.loads(done.stdout)["parts"][0]["message"], ["the job says nil"])
        finally:
            shutil.rmtree(directory)

    def test_check_runs_no_program_whatever_a_rule_sets(self) -> None:
        mark = self.home / "ran"
        script = self.home / "prolog.sh"
        script.write_text(f"#!/bin/sh\ntouch {mark}\n")
        script.chmod(0o755)
        self.client_rule(
            f'if options.comment == "run" then options["no-allocate"] = true; options.prolog = "{script}" end'
        )
        for options, rc in ((["--comment=run"], 64), ([], 0)):
            words = ["srun", *options, "--nodelist=node1", "touch", str(mark)]
            for user in ("ana", "root"):
                done = self.cluster.run([self.qosgate, "check", "--json", "--", *words], user)
                if user == "ana":
                    self.assertEqual(done.rc, rc, done)
                if options:
                    self.assertIn("srun: error: qosgate: srun --no-allocate runs a program without a job", done.stderr)
        self.assertFalse(mark.exists())


class ClientRules(Shared, ClientFilterCase):
    """Without qosgate in slurmctld."""

    def test_limits_are_judged_for_the_changed_options(self) -> None:
        self.client_rule('options.qos = "small"')
        self.assertEqual(self.said(self.sbatch("-n3"))[:1], [SMALL])
        self.assertEqual(self.said(self.sbatch("-n2")), [])

    def test_a_rule_speaks_also_if_limits_are_broken(self) -> None:
        self.client_rule('options:note("from a rule")')
        said = self.said(self.sbatch("-n3 --qos=small"))
        self.assertEqual(said[:2], ["sbatch: from a rule", SMALL])

    def test_both_kinds_of_rules(self) -> None:
        self.write(
            "20-both.lua",
            """\
rule {
    client = function(options) options.comment = "both" end,
    submit = function(job) if job.comment == "both" then job.time_limit = 9 end end,
}
""",
        )
        job = self.show(self.sbatch())
        self.assertIn("Comment=both", job)
        self.assertIn("TimeLimit=00:09:00", job)

    def test_without_slurmctld_the_options_are_still_set(self) -> None:
        self.write("site.lua", "site { client_timeout_ms = 200 }\n")
        self.client_rule('options:note("set"); options.time = "20"')
        pid = self.cluster.status()["slurmctld"]["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            done = self.cluster.run_until("sbatch -vv --wrap=true", "ana", "not judged here")
        finally:
            os.kill(pid, signal.SIGCONT)
        self.assertIn("sbatch: set", done.stderr)
        self.assertIn("not judged here: slurmctld did not answer in time", done.stderr)
        self.assertRegex(done.stderr, r"time +: (00:)?20:00")

    def test_check_tells_a_refusal_also_without_slurmctld(self) -> None:
        self.client_rule('options:reject("closed")')
        self.cluster.stop("slurmctld")
        try:
            done = self.cluster.run([self.qosgate, "check", "--json", "--", "sbatch", "--wrap=true"], "ana")
        finally:
            self.cluster.start()
        self.assertEqual((done.rc, json.loads(done.stdout)["parts"][0]["message"]), (1, ["closed"]), done)

    def test_rules_that_wait_too_long_are_not_applied_and_a_line_says_so(self) -> None:
        self.write("site.lua", "site { client_timeout_ms = 200 }\n")
        self.client_rule('options:note("%s", view.user.name)')
        pid = self.cluster.status()["slurmctld"]["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            done = self.cluster.run_until("sbatch --wrap=true", "ana", "were not applied")
        finally:
            os.kill(pid, signal.SIGCONT)
        self.assertIn("qosgate: the site's rules for clients were not applied: ", done.stderr)

    def test_a_late_answer_for_one_part_skips_no_rule_for_the_next(self) -> None:
        self.write("site.lua", "site { client_timeout_ms = 200 }\n")
        self.client_rule('if options.ntasks == "2" then options:reject("no") end')
        pid = self.cluster.status()["slurmctld"]["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            done = self.run_as("sbatch -n1 : -n2 --wrap=true")
        finally:
            os.kill(pid, signal.SIGCONT)
        self.assertEqual(done.rc, 1, done)
        self.assertIn("sbatch: error: no", done.stderr)


class BesideThePlugin(Shared, ClientFilterCase):
    """slurmctld has the plugin, too: it judges, and rules for clients run all the same."""

    slurm_conf = "JobSubmitPlugins=qosgate\n"

    def test_slurmctld_runs_none_of_them(self) -> None:
        self.client_rule('options:reject("no")')
        done = self.cluster.run(["sbatch", "--wrap=true"], "ana", env={"SLURM_CONF": str(self.without_filter)})
        self.assertEqual(done.rc, 0, done)

    def test_client_off_runs_none(self) -> None:
        self.client_rule('options:reject("no")')
        self.assertEqual(self.sbatch().rc, 1)
        self.write("site.lua", 'site { client = "off" }\n')
        self.assertEqual(self.sbatch().rc, 0)


# The classes of the other file are run by itself.
del ClientFilterCase


if __name__ == "__main__":
    main()
