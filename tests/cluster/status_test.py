# SPDX-License-Identifier: GPL-2.0-or-later
"""`qosgate status`: the state of the plugin in slurmctld, and what is wrong with it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import time

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import CommandResult, build_root, copy_command, main
from qosgate_dev.testing.plugin_case import USER, WITH_PLUGIN

from start_test import StartTestCase


class StatusTestCase(StartTestCase):
    def status(self, rc: int, user: str = "root") -> dict:
        command = [copy_command(self.cluster), "status", "--json"]
        result = self.cluster.run(command, user)
        self.assertEqual(result.rc, rc, result)
        return json.loads(result.stdout)

    def wait_for_status(self, rc: int) -> dict:
        command = [str(build_root() / "contrib" / "qosgate" / "qosgate"), "status"]
        self.cluster.wait_for(lambda: self.cluster.run(command).rc == rc, f"the status is {rc}")
        return self.status(rc)

    def wait_until_all_is_counted(self) -> None:
        """Waits until the status counts every job so far, so that later changes are counted separately."""
        job = self.cluster.sbatch("--hold", USER).job
        before = self.status(0)["plugin"]["changes"]
        self.cluster.run(f"scontrol update job={job} timelimit=5", USER, check=True)
        self.cluster.wait_for(lambda: self.status(0)["plugin"]["changes"] > before, "the change is counted")


class Status(StatusTestCase):
    """`qosgate status`, and what slurmctld's log says at a start."""

    def test_a_start_is_one_line_in_the_log(self) -> None:
        version = ".".join(f"{part:02d}" for part in slurm_version()[:2])
        self.cluster.restart("slurmctld")
        self.let_the_plugin_see_the_cluster()
        self.assertRegex(
            self.cluster.log("slurmctld"),
            rf"job_submit/qosgate: qosgate \S+ for Slurm {version}\S*: limits enforce, 1 rule, hash [0-9a-f]{{16}}, in force\n",
        )

    def test_what_decides_is_shown_with_the_decisions(self) -> None:
        self.let_the_plugin_see_the_cluster()
        self.wait_for_status(0)
        self.wait_until_all_is_counted()
        before = self.status(0)["plugin"]
        self.submit("--hold")
        self.expect(self.submit("--comment=ruled"), False, "not in main")
        self.cluster.wait_for(
            lambda: self.status(0)["plugin"]["jobs"] == before["jobs"] + 2, "both jobs are counted"
        )
        plugin = self.status(0)["plugin"]
        self.assertEqual(plugin["refused"], before["refused"] + 1)
        self.assertEqual((plugin["limits"], plugin["rules"]), ("enforce", 1))
        self.assertEqual(plugin["pid"], self.cluster.status()["slurmctld"]["pid"])
        self.assertEqual(self.status(0)["controllers"], [], "there is only one")

    def test_a_policy_that_does_not_load_is_degraded(self) -> None:
        broken = self.directory / "99-broken.lua"
        broken.write_text("rule {\n")
        self.expected_errors.append("99-broken.lua")
        status = self.wait_for_status(1)
        self.assertIn("99-broken.lua", " ".join(status["reasons"]))
        told = "; correct this: slurmctld reads it again within two seconds, and then runs further checks and the tests,"
        self.assertIn(told, " ".join(status["reasons"]))
        self.assertEqual(len(status["reasons"]), 1, status)
        broken.unlink()
        self.wait_for_status(0)

    def test_a_rule_with_a_name_that_the_cluster_does_not_have_is_degraded(self) -> None:
        rule = self.directory / "50-route.lua"
        self.addCleanup(rule.unlink, missing_ok=True)
        text = 'rule { submit = function(job)\n    if job.comment == "route" then job.qos = "smal" end\nend }\n'
        rule.write_text(text)
        status = self.wait_for_status(1)
        self.assertEqual(status["reasons"], ["policy: 50-route.lua:2: the cluster has no QOS 'smal'; did you mean small?"])
        rule.write_text(text.replace('"smal"', '"small"'))
        self.wait_for_status(0)
        pid = self.cluster.status()["slurmctld"]["pid"]
        os.kill(pid, signal.SIGSTOP)
        try:
            [reason] = self.status(1)["reasons"]
        finally:
            os.kill(pid, signal.SIGCONT)
        self.assertEqual(
            reason,
            f"slurmctld runs, as process {pid}, and cannot be asked which names it has: no slurmctld answers; "
            "so those in the rules were not compared",
        )
        self.wait_for_status(0)

    def test_all_that_keeps_a_policy_from_loading_is_told_at_once(self) -> None:
        syntax = self.directory / "99-broken.lua"
        name = self.directory / "98-misspelt.lua"
        again = self.directory / "98-misspelt-again.lua"
        for file in (syntax, name, again):
            self.addCleanup(file.unlink, missing_ok=True)
        self.expected_errors.extend(("99-broken.lua", "98-misspelt"))
        name.write_text("rule { submit = function(job)\n    if job.qoss then job:note('x') end\nend }\n")
        syntax.write_text("rule {\n")
        self.wait_for_status(1)
        self.cluster.wait_for(lambda: "99-broken" in " ".join(self.status(1)["reasons"]), "slurmctld has read both files")
        first, second = self.status(1)["reasons"]
        self.assertIn("99-broken.lua:", first)
        self.assertEqual(second, "policy: 98-misspelt.lua:2: unknown field 'qoss' of job; did you mean qos? (all names: "
                                 "qosgate policy api); correct this, too")  # fmt: skip
        again.write_text(name.read_text())
        syntax.unlink()
        self.cluster.wait_for(lambda: len(self.status(1)["reasons"]) == 2 and "again" in str(self.status(1)), "both are told")
        self.cluster.wait_for(lambda: "99-broken" not in str(self.status(1)["reasons"]), "slurmctld has read what is left")
        places = [re.findall(r"98-[a-z-]+\.lua:2", reason) for reason in self.status(1)["reasons"]]
        self.assertEqual(sorted(places), [["98-misspelt-again.lua:2"], ["98-misspelt.lua:2"]])
        again.unlink()
        self.cluster.wait_for(
            lambda: len(self.status(1)["reasons"]) == 1 and "98-misspelt.lua:2: unknown field" in self.status(1)["reasons"][0], "slurmctld has read what is left"
        )
        self.assertEqual(len(self.status(1)["reasons"]), 1)
        name.unlink()
        self.wait_for_status(0)

    def policy_check(self, rc: int) -> dict:
        command = [str(build_root() / "contrib" / "qosgate" / "qosgate"), "policy", "check", "--json"]
        result = self.cluster.run(command)
        self.assertEqual(result.rc, rc, result)
        return json.loads(result.stdout)

    def test_policy_check_finds_what_slurmctld_finds(self) -> None:
        for name in ("notes.off", "tests"):
            (self.directory / name).mkdir()
            self.addCleanup(shutil.rmtree, self.directory / name)
        (self.directory / "notes.off" / "any.lua").write_text("rule { submit = function(job) job:note('slurmctld does not read this') end }")
        self.wait_for_status(0)
        answer = self.policy_check(0)
        self.cluster.wait_for(
            lambda: self.status(0)["plugin"]["policy"] == answer["hash"], "the hash that was foretold is in force"
        )
        in_force = self.status(0)["plugin"]
        self.assertEqual(len(answer["rules"]), in_force["rules"])

        shutil.copytree(self.directory / "notes.off", self.directory / "notes")
        told = self.policy_check(1)
        shutil.rmtree(self.directory / "notes")
        self.assertEqual([(found["file"], found["stops_loading"]) for found in told["findings"]], [("notes", False)])
        self.assertEqual((told["hash"], told["rules"]), (answer["hash"], answer["rules"]))
        self.assertEqual(answer["settings"]["limits"], in_force["limits"])
        self.assertEqual(answer["directory"], in_force["policy_directory"])

        broken = self.directory / "99-broken.lua"
        broken.write_text("rule { submit = function(job)\n  job.qoss = 'x'\n  job:note()\nend }")
        self.expected_errors.append("99-broken.lua")
        status = self.wait_for_status(1)
        first, second = self.policy_check(1)["findings"]
        self.assertIn(f"{first['file']}:{first['line']}: {first['message']}", " ".join(status["reasons"]))
        self.assertEqual((second["line"], second["stops_loading"]), (3, False))
        broken.unlink()
        self.wait_for_status(0)

        failing = self.directory / "tests" / "any.lua"
        failing.write_text('test "none is accepted" { job = {}, expect = { reject = true } }')
        self.expected_errors.append("any.lua")
        status = self.wait_for_status(1)
        (found,) = self.policy_check(1)["findings"]
        self.assertIn(f"{found['file']}:{found['line']}: {found['message']}", " ".join(status["reasons"]))
        failing.unlink()
        self.wait_for_status(0)
        self.assertEqual(self.policy_check(0)["hash"], in_force["policy"])

    def test_limits_that_slurm_does_not_enforce_are_degraded(self) -> None:
        missing = ("AccountingStorageEnforce has no 'limits'", "AccountingStorageEnforce has no 'qos'")
        self.expected_errors += missing
        conf = self.cluster.layout.slurm_conf
        text = conf.read_text()
        self.assertIn("AccountingStorageEnforce=associations,limits,qos\n", text)
        conf.write_text(text.replace("Enforce=associations,limits,qos\n", "Enforce=associations\n"))
        self.cluster.restart("slurmctld")
        status = self.wait_for_status(1)
        self.assertEqual(status["status"], "degraded")
        for words in missing:  # both at once, so that one restart is enough
            self.assertIn(words, " ".join(status["reasons"]))
        conf.write_text(text)
        self.cluster.restart("slurmctld")
        self.wait_for_status(0)

    def test_the_time_of_the_report_is_told(self) -> None:
        before = int(time.time())
        self.cluster.restart("slurmctld")
        self.let_the_plugin_see_the_cluster()
        status = self.wait_for_status(0)
        self.assertGreaterEqual(status["as_of"], before)
        self.assertLessEqual(status["as_of"], time.time())
        command = [str(build_root() / "contrib" / "qosgate" / "qosgate"), "status"]
        self.assertRegex(self.cluster.run(command).stdout, r"(?m)^As of: +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$")

    def test_a_controller_that_knows_no_rules_is_closed(self) -> None:
        self.expected_errors += ["99-broken.lua", "no rules are loaded"]
        broken = self.directory / "99-broken.lua"
        waiting = self.submit("--hold").stdout.split()[-1]
        self.cluster.stop("slurmctld")
        for kept in self.cluster.layout.root.rglob("qosgate_policy"):
            kept.unlink()
        broken.write_text("rule {\n")
        self.cluster.start("slurmctld")
        self.cluster.wait_for(
            lambda: self.status(2)["status"] == "closed", "the status is that of this slurmctld"
        )
        self.assertIn("99-broken.lua", " ".join(self.status(2)["reasons"]))
        command = [str(build_root() / "contrib" / "qosgate" / "qosgate"), "status"]
        self.assertTrue(
            self.cluster.run(command).stdout.startswith(
                "qosgate refuses all jobs but those of root, SlurmUser and operators:"
            )
        )
        self.expect(self.submit("--hold --job-name=shut --account=astro"), False, "99-broken.lua")
        self.assertRegex(
            self.cluster.log("slurmctld"),
            r"error: .*refused user=ana\(\d+\) job=shut account=astro partition=\w+ qos=\w+: no rules are loaded: ",
        )
        # A script for job_submit/lua, which cannot be read now, would see every change.
        self.assertNotEqual(self.comment(waiting, USER).rc, 0)
        self.assertEqual(self.comment(waiting, "root").rc, 0)
        broken.unlink()
        self.wait_for_status(0)
        self.expect(self.submit("--hold"), True)
        self.assertEqual(self.comment(waiting, USER).rc, 0)

    def comment(self, job: str, user: str) -> CommandResult:
        """A change that no rule looks at."""
        return self.cluster.run(["scontrol", "update", f"jobid={job}", "comment=x"], user)

    def conf_with_plugins(self, line: str) -> None:
        """Writes slurm.conf with another line for the plugins; slurmctld does not read it."""
        conf = self.cluster.layout.slurm_conf
        text = conf.read_text()
        self.assertIn(WITH_PLUGIN, text)
        self.addCleanup(conf.write_text, text)
        conf.write_text(text.replace(WITH_PLUGIN, f"\n{line}\n"))

    def test_a_plugin_in_quotes_is_read_as_slurm_reads_it(self) -> None:
        self.wait_for_status(0)
        self.conf_with_plugins('JobSubmitPlugins = "job_submit/qosgate" # in quotes')
        self.assertEqual(self.status(0)["reasons"], [])
        self.doCleanups()
        self.conf_with_plugins('JobSubmitPlugins=""')
        self.assertIn("JobSubmitPlugins does not name qosgate", self.status(1)["reasons"][0])

    def test_a_plugin_that_slurm_conf_no_longer_names_is_in_force_until_a_reconfigure(self) -> None:
        self.wait_for_status(0)
        self.conf_with_plugins("#")
        status = self.status(1)
        self.assertEqual(status["status"], "degraded")
        self.assertEqual(
            status["reasons"],
            [
                "it is in force now, but not after the next restart or reconfigure of slurmctld:"
                f" {self.cluster.layout.slurm_conf}: JobSubmitPlugins does not name qosgate"
            ],
        )
        self.expect(self.submit("--hold --comment=ruled"), False, "not in main")
        self.cluster.scontrol("reconfigure")
        self.expect(self.submit("--hold --comment=ruled"), True)
        status = self.status(2)
        self.assertEqual(
            status["reasons"],
            [f"{self.cluster.layout.slurm_conf}: JobSubmitPlugins does not name qosgate"],
        )
        self.doCleanups()
        self.cluster.scontrol("reconfigure")
        self.wait_for_status(0)

    def test_a_slurmctld_that_has_just_started_is_given_time_to_report(self) -> None:
        self.wait_for_status(0)
        for _ in range(3):
            self.cluster.restart("slurmctld")
            done = self.cluster.run([copy_command(self.cluster), "status", "--json"])
            self.assertNotEqual(json.loads(done.stdout)["status"], "not loaded", done)
        self.wait_for_status(0)

    def test_an_old_report_beside_a_slurmctld_without_the_plugin_is_told_as_such(self) -> None:
        self.wait_for_status(0)
        [file] = self.cluster.layout.root.rglob("qosgate_status.json")
        report = file.read_text()
        self.cluster.stop("slurmctld")
        self.conf_with_plugins("#")
        self.cluster.start("slurmctld")
        self.doCleanups()  # the line is back, but slurmctld has not read it
        file.write_text(report)
        process = self.cluster.status()["slurmctld"]["pid"]
        told = f"slurmctld runs without the plugin, as process {process}: run scontrol reconfigure"
        self.assertRegex(self.status(2)["reasons"][0], rf"^the slurmctld .* is gone; {told}")
        file.unlink()
        self.assertRegex(self.status(2)["reasons"][0], rf"^there is no {file}; {told}")
        self.cluster.scontrol("reconfigure")
        self.wait_for_status(0)

    def test_a_limit_on_a_tres_that_slurm_does_not_track_is_degraded(self) -> None:
        self.cluster.sacctmgr("add qos gpus MaxTRESPerUser=gres/gpu=2")
        self.addCleanup(self.cluster.sacctmgr, "delete qos gpus")
        conf = self.cluster.layout.slurm_conf
        text = conf.read_text()
        self.assertIn("\nAccountingStorageTRES=gres/gpu\n", text)
        conf.write_text(text.replace("\nAccountingStorageTRES=gres/gpu\n", "\n"))
        self.cluster.restart("slurmctld")
        self.expect_logged_error("AccountingStorageTRES lacks a TRES")
        [reason] = self.wait_for_status(1)["reasons"]
        self.assertIn("slurm.conf: AccountingStorageTRES lacks a TRES, such as gres/gpu, that is limited by QOS gpus (", reason)
        conf.write_text(text)
        self.cluster.restart("slurmctld")
        self.let_the_plugin_see_the_cluster()
        self.assertEqual(self.wait_for_status(0)["reasons"], [])

    def test_a_misspelt_plugin_in_slurm_conf_is_told(self) -> None:
        self.wait_for_status(0)
        conf = self.cluster.layout.slurm_conf
        text = conf.read_text()
        self.addCleanup(conf.write_text, text)
        for name, hint in (
            ("qosgat", ", but 'qosgat'; did you mean qosgate?"),
            ("job_submit/qosgaet", ", but 'job_submit/qosgaet'; did you mean job_submit/qosgate?"),
            ("lua", ""),
        ):
            with self.subTest(name):
                conf.write_text(text.replace("JobSubmitPlugins=qosgate\n", f"JobSubmitPlugins={name}\n"))
                told = f" of slurmctld: {conf}: JobSubmitPlugins does not name qosgate{hint}"
                [reason] = self.status(1)["reasons"]
                self.assertTrue(reason.endswith(told), reason)

    def test_who_may_not_read_the_state_is_told_whom_to_be(self) -> None:
        self.wait_for_status(0)
        [file] = self.cluster.layout.root.rglob("qosgate_status.json")
        self.addCleanup(file.parent.chmod, file.parent.stat().st_mode)
        file.parent.chmod(0o700)
        command = [copy_command(self.cluster), "status"]
        result = self.cluster.run(command, USER)
        self.assertEqual(result.rc, 77, result)
        self.assertRegex(result.stderr, r": Permission denied; ask as root\n")

    def test_a_report_with_anything_in_it_is_told_as_such(self) -> None:
        self.wait_for_status(0)
        self.cluster.stop("slurmctld")
        self.addCleanup(self.cluster.start, "slurmctld")
        [file] = self.cluster.layout.root.rglob("qosgate_status.json")
        # Of another host: nothing is known there but the time.
        report = json.loads(file.read_text()) | {"host": "elsewhere", "written_at": int(time.time())}
        command = [str(build_root() / "contrib" / "qosgate" / "qosgate"), "status"]
        for key in report:
            for value in ("x", -7, [[7]], {"rules": [], "calls": "x", "read_at": {}}):
                with self.subTest(key=key, value=value):
                    file.write_text(json.dumps(report | {key: value}))
                    result = self.cluster.run(command)
                    self.assertIn(result.rc, (0, 1, 2), result)
        file.write_text(json.dumps(report | {"written_at": int(time.time()) + 1000}))
        self.assertIn("which is still to come: compare the clocks", self.status(2)["reasons"][0])

        file.unlink()
        os.mkfifo(file)
        result = self.cluster.run(command)  # which does not wait for a writer
        self.assertEqual(result.rc, 65, result)
        self.assertIn("qosgate_status.json: not a regular file, so not the plugin's report; remove it", result.stderr)
        self.cluster.start("slurmctld")
        self.wait_for_status(0)

    def test_a_slurmctld_that_is_gone_or_without_the_plugin_has_it_not_loaded(self) -> None:
        self.cluster.stop("slurmctld")
        self.assertIn("is gone", self.status(2)["reasons"][0])
        [file] = self.cluster.layout.root.rglob("qosgate_status.json")
        report = json.loads(file.read_text())
        file.write_text(json.dumps(report | {"pid": os.getpid()}))  # another process has its number now
        self.assertIn("is gone", self.status(2)["reasons"][0])
        self.cluster.start("slurmctld")
        self.wait_for_status(0)
        self.take_plugin_out()
        self.assertIn("JobSubmitPlugins", self.status(2)["reasons"][0])
        if slurm_version() < (23, 11):  # from then on it ends without a word to its plugins
            self.assertFalse(list(self.cluster.layout.root.rglob("qosgate_status.json")))
        self.put_plugin_back()
        self.wait_for_status(0)

    def test_a_plugin_whose_file_is_missing_is_told_first(self) -> None:
        self.wait_for_status(0)
        conf = self.cluster.layout.slurm_conf
        text = conf.read_text()
        self.addCleanup(conf.write_text, text)
        nowhere = conf.with_name("nowhere")
        conf.write_text(re.sub(r"(?m)^PluginDir=.*$", f"PluginDir={nowhere}", text))
        [reason] = self.status(1)["reasons"]
        self.assertIn(f"slurmctld does not start again, because PluginDir ({nowhere}) has no job_submit_qosgate.so", reason)
        conf.write_text(text)
        self.cluster.stop("slurmctld")
        try:
            conf.write_text(re.sub(r"(?m)^PluginDir=.*$", f"PluginDir={nowhere}", text))
            [reason] = self.status(2)["reasons"]
            self.assertIn("no job is accepted by a slurmctld that has read this slurm.conf, and none starts with it", reason)
            self.assertIn(f"PluginDir ({nowhere}) has no job_submit_qosgate.so; install the file, or take the name out", reason)
            conf.write_text(text)
            self.assertNotIn("PluginDir", self.status(2)["reasons"][0])
        finally:
            conf.write_text(text)
            self.cluster.start("slurmctld")


class Reports(StatusTestCase):
    """What `qosgate status` makes of a report that cannot be right. Each waits for the next ones."""

    def test_a_report_that_is_not_of_now_is_told(self) -> None:
        self.wait_for_status(0)
        [file] = self.cluster.layout.root.rglob("qosgate_status.json")

        def told(change: dict) -> str:
            """What status says of the report with this change; slurmctld may have written it again before."""
            file.write_text(json.dumps(json.loads(file.read_text()) | change))
            command = [str(build_root() / "contrib" / "qosgate" / "qosgate"), "status"]
            result = self.cluster.run(command)
            self.assertIn(result.rc, (0, 1), result)
            return result.stdout

        for seconds in (-3600, -100, 100, 3600):
            words = "and it writes one each half minute: what is shown here may be old; slurmctld's log says whether"
            self.cluster.wait_for(lambda seconds=seconds, words=words: words in told({"written_at": int(time.time()) + seconds}), words)
        self.submit("--hold")  # which is reported after the rules were put in force
        words = "policy: the directory has had other rules for some seconds (hash "
        self.cluster.wait_for(lambda: words in told({"policy": "0123456789abcdef"}), words)
        file.unlink()  # it is written again
        self.wait_for_status(0)

    def test_a_full_state_directory_is_told(self) -> None:
        self.wait_for_status(0)
        state = self.cluster.layout.controller_state
        self.expected_errors += ["No space left", "status: "]
        pid = self.cluster.status()["slurmctld"]["pid"]
        self.cluster.run(f"mount -t tmpfs -o size=256k full {state}", check=True)
        try:
            with contextlib.suppress(OSError), (state / "fill").open("wb", buffering=0) as fill:
                while fill.write(b"x" * 4096):
                    pass
            [reason] = self.status(1)["reasons"]
        finally:
            self.cluster.run(f"umount --lazy {state}", check=True)
        self.assertEqual(
            reason,
            f"slurmctld, process {pid}, has loaded the plugin and cannot report, so what is in force is not known: "
            f"StateSaveLocation {state} is full: make room there",
        )
        # The report from before says 0, too; the next ones may still tell of what could not be written.
        roomy = int(time.time())
        command = [str(build_root() / "contrib" / "qosgate" / "qosgate"), "status", "--json"]

        def is_right() -> bool:
            result = self.cluster.run(command)
            return result.rc == 0 and json.loads(result.stdout)["as_of"] > roomy

        self.cluster.wait_for(is_right, "a new report says that all is right")


if __name__ == "__main__":
    main()
