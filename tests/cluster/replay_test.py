# SPDX-License-Identifier: GPL-2.0-or-later
"""qosgate policy replay: what slurmctld recorded is decided again."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

from qosgate_dev.testing import CommandResult, build_root, copy_command, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase
from qosgate_dev.testing.terminal import on_terminal

RULES = """\
rule { name = "routing", submit = function(job)
    if job.comment == "no" then job:reject("not today") end
    if job.comment == "move" then job.qos = "counted" end
end }
"""
OTHER_RULES = """\
rule { name = "routing", submit = function(job)
    if job.comment == "move" then job.qos = "small" end
    if job.tasks == 2 and job.time_limit == 30 then job:reject("no two tasks") end
end }
"""
JOBS = {
    "no": "--comment=no",
    "move": "--comment=move",
    "pair": "-n2 --time=30 --mem-per-cpu=10",
    "large": "--qos=small -n3",
    "plain": "--time=5 --gpus-per-node=1",
}


class Replay(PluginTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.directory = Path(directory.name)
        cls.records = cls.directory / "records.jsonl"
        cls.put_in_force({"site.lua": f'site {{ record_file = "{cls.records}", record_percent = 100 }}\n'})
        cls.put_in_force({"10-routing.lua": RULES})
        cls.cluster.wait_for(
            lambda: "not today" in cls.cluster.run("sbatch --hold --comment=no --wrap=true", USER).stderr, "the rules"
        )
        for name, options in JOBS.items():
            cls.cluster.run(["sbatch", "--hold", f"--job-name={name}", *options.split(), "--wrap=true"], USER)
        cls.cluster.wait_for(
            lambda: set(JOBS) <= {json.loads(line)["request"].get("name") for line in cls.lines()}, "all are recorded"
        )
        gpus = "--hold --job-name=gpus --gpus=2 -n4 --mem-per-cpu=10 --time=90"
        cls.cluster.run(["sbatch", *gpus.split(), "--wrap=true"], USER)
        cls.cluster.wait_for(lambda: '"gpus"' in cls.records.read_text(), "it is recorded")
        # Only the jobs of this test.
        chosen = [line for line in cls.lines() if json.loads(line)["request"].get("name") in JOBS]
        cls.chosen = cls.directory / "chosen.jsonl"
        cls.chosen.write_text("".join(line + "\n" for line in chosen))
        cls.ids = {json.loads(line)["request"]["name"]: json.loads(line)["id"] for line in chosen}

    @classmethod
    def lines(cls) -> list[str]:
        return cls.records.read_text().splitlines() if cls.records.exists() else []

    def policy(self, rules: str) -> Path:
        directory = Path(tempfile.mkdtemp(dir=self.directory))
        (directory / "10-routing.lua").write_text(rules)
        return directory

    def replay(self, *words: str | Path, user: str | None = None) -> CommandResult:
        command = [copy_command(self.cluster), "policy", "replay", *map(str, words)]
        return self.cluster.run(command, user)

    def sums(self, *words: str | Path, status: int) -> dict:
        answer = self.replay("--json", *words)
        self.assertEqual(answer.rc, status, answer)
        return json.loads(answer.stdout)

    def test_the_same_rules_decide_as_they_did(self) -> None:
        sums = self.sums("--from", self.chosen, status=0)
        self.assertEqual((sums["records"], sums["decided"], sums["differing"]), (5, 5, 0), sums)
        sums = self.sums("--from", self.chosen, "--policy", self.policy(RULES), status=0)
        self.assertEqual(sums["left_out"], {})

    def test_other_rules_change_what_they_are_about(self) -> None:
        directory = self.policy(OTHER_RULES)
        sums = self.sums("--from", self.chosen, "--policy", directory, status=1)
        self.assertEqual([sums[key] for key in ("differing", "refused", "accepted", "job_differs")], [3, 1, 1, 1], sums)
        self.assertEqual(sorted(sums["examples"]), sorted(self.ids[name] for name in ("no", "move", "pair")))
        self.assertEqual([(row["rule"], row["differing"]) for row in sums["rules"]], [("routing", 3)])
        self.assertEqual([(row["user"], row["differing"]) for row in sums["users"]], [(USER, 3)])
        self.assertEqual(sums["fields"], {"qos": 1})
        # Two CPUs for half an hour; the other two jobs have no time limit.
        self.assertEqual((sums["cpu_hours"], sums["gpu_hours"], sums["hours_not_known"]), (1, 0, 2))
        text = self.replay("--from", self.chosen, "--policy", directory).stdout
        self.assertIn("5 of 5 recorded decisions, decided again", text)
        self.assertRegex(text, r"routing +3 +1 +1 +1 +1 +0 ")

    def test_gpus_of_a_job_count_as_gpu_hours(self) -> None:
        line = next(line for line in self.lines() if json.loads(line)["request"].get("name") == "gpus")
        one = self.directory / "gpus.jsonl"
        one.write_text(line + "\n")
        refuses = self.policy('rule { name = "gpus", submit = function(job) if job.gpus > 1 then job:reject("no") end end }\n')
        sums = self.sums("--from", one, "--policy", refuses, status=1)
        # Two GPUs and four CPUs for an hour and a half.
        self.assertEqual((sums["refused"], sums["gpu_hours"], sums["cpu_hours"], sums["hours_not_known"]), (1, 3, 6, 0), sums)
        self.assertEqual([(row["rule"], row["gpu_hours"]) for row in sums["rules"]], [("gpus", 3)])
        self.assertRegex(self.replay("--from", one, "--policy", refuses).stdout, r"gpus +1 +1 +0 +0 +6 +3 ")
        accepts = self.policy('rule { submit = function(job) if job.gpus > 2 then job:reject("no") end end }\n')
        sums = self.sums("--from", one, "--policy", accepts, status=0)
        self.assertEqual((sums["refused"], sums["gpu_hours"]), (0, 0), sums)

    def test_progress_is_shown_on_a_terminal_and_only_there(self) -> None:
        # The answer has to take longer than two seconds, after which there is a word.
        slow = self.policy("rule { submit = function(job) for i = 1, 20000 do end if job.cpus > 99 then job:stop() end end }\n")
        many = self.directory / "many.jsonl"
        line = self.chosen.read_text().splitlines()[0] + "\n"
        with many.open("w") as file:
            for _ in range(30):
                file.write(line * 1000)
        command = [str(build_root() / "contrib/qosgate/qosgate"), "policy", "replay", "--from", str(many), "--policy", str(slow)]
        shown = self.cluster.run(on_terminal(100, *command))
        self.assertRegex(shown.stdout, r"[123]0000 jobs so far, \d+ each second")
        self.assertIn("30000 of 30000 recorded decisions, decided again", shown.stdout)
        plain = self.cluster.run(command)
        self.assertIn("30000 of 30000 recorded decisions, decided again", plain.stdout)
        self.assertNotIn("so far", plain.stdout + plain.stderr)

    def test_what_a_record_does_not_hold_is_said(self) -> None:
        directory = self.policy('rule { submit = function(job) if job.env["HOME"] then job:reject("home") end end }\n')
        sums = self.sums("--from", self.chosen, "--policy", directory, status=66)
        self.assertEqual(sums["left_out"], {"a rule reads 'env', which records do not hold": 5})
        old = self.directory / "old.jsonl"
        records = [json.loads(line) for line in self.chosen.read_text().splitlines()]
        records[0]["event"] = "change"
        del records[1]["other_values"]
        records[2]["other_values"]["cut"] = ["comment"]
        records[3]["request"]["nonsense"] = 1
        old.write_text("".join(json.dumps(record) + "\n" for record in records) + "half a rec")
        sums = self.sums("--from", old, status=0)
        self.assertEqual((sums["decided"], sums["unreadable"]), (1, 1))
        self.assertEqual(
            set(sums["left_out"]),
            {
                "a change of a job",
                "recorded by an older version",
                "'comment' is not recorded as it was sent",
                "field 'nonsense' is not known",
            },
        )
        self.assertIn("a change of a job", self.replay("--from", old).stdout)

    def test_the_script_is_not_run_again(self) -> None:
        record = json.loads(self.chosen.read_text().splitlines()[0])
        event = {"rule": "compat/job_submit.lua", "mode": "enforce"}
        wrote = record | {"outcome": "accepted", "events": [event | {"effect": "changed", "text": "qos: normal -> small"}]}
        refused = record | {"outcome": "refused", "events": [event | {"effect": "rejected", "text": "no"}]}
        allowed = record | {"outcome": "accepted", "events": [event | {"effect": "failed", "text": "a bug"}]}
        records = self.directory / "script.jsonl"
        records.write_text("".join(json.dumps(row) + "\n" for row in (wrote, refused, allowed)))
        sums = self.sums("--from", records, "--policy", self.policy("rule { submit = function() end }\n"), status=0)
        self.assertEqual(
            sums["left_out"], {"the script compat/job_submit.lua refused it, and is not run again": 1}, sums
        )
        self.assertEqual((sums["decided"], sums["differing"]), (2, 0))

    def test_a_captured_world_takes_the_place_of_slurmctld(self) -> None:
        world = self.directory / "world.json"
        self.assertEqual(self.cluster.run([str(build_root() / "contrib/qosgate/qosgate"), "capture", str(world)]).rc, 0)
        sums = self.sums("--from", self.chosen, "--world", world, "--policy", self.policy(RULES), status=0)
        self.assertEqual((sums["decided"], sums["differing"]), (5, 0), sums)
        # In another world there is room for the large job.
        text, count = re.subn(r'("MaxTRESPerJob": *\{[^}]*"cpu": *)2', r"\g<1>3", world.read_text())
        self.assertEqual(count, 1, text)
        world.write_text(text)
        sums = self.sums("--from", self.chosen, "--world", world, "--policy", self.policy(RULES), status=1)
        self.assertEqual([(row["rule"], row["accepted"]) for row in sums["rules"]], [(None, 1)], sums)

    def test_groups_are_those_of_the_world(self) -> None:
        directory = self.policy(
            "rule { submit = function(job, view)\n"
            f'    if job.comment == "move" and not view.user.in_group("{USER}") then job:reject("no") end\n'
            '    if job.comment ~= "move" and view.user.in_group("nobody-else") then job:reject("no") end\n'
            "end }\n"
        )
        # The rule of the record rejects "no" and moves "move"; this one does neither.
        sums = self.sums("--from", self.chosen, "--policy", directory, status=1)
        self.assertEqual((sums["decided"], sums["accepted"], sums["refused"]), (5, 1, 0), sums)
        for options, decided in (((), 5), (("--no-groups",), 0)):
            world = self.directory / f"groups{decided}.json"
            command = [str(build_root() / "contrib/qosgate/qosgate"), "capture", str(world), *options]
            self.assertEqual(self.cluster.run(command).rc, 0)
            sums = self.sums("--from", self.chosen, "--policy", directory, "--world", world, status=1 if decided else 66)
            self.assertEqual((sums["decided"], sums["refused"]), (decided, 0), sums)
        self.assertEqual(sums["status"], "nothing decided")
        self.assertEqual(
            sums["error"]["message"], "none of 5 records could be decided again: the reasons stand in the answer"
        )
        words = self.replay("--from", self.chosen, "--policy", directory, "--world", world)
        self.assertEqual(words.rc, 66, words)
        self.assertIn(": 0 jobs of 0 users change\n", words.stdout)
        self.assertIn("qosgate: error: none of 5 records could be decided again", words.stderr)
        self.assertEqual(sums["left_out"], {"a rule reads the groups of a user, which are not known": 5})

    def test_the_answer_tells_what_was_not_chosen(self) -> None:
        words = self.replay("--from", self.chosen, "--until", "2020-01-01")
        self.assertEqual(words.rc, 66, words)
        self.assertIn("Outside of --since, --until and --user: 5 records\n", words.stdout)
        self.assertIn(
            "error: no record is left to decide: 5 records outside of --since, --until and --user", words.stderr
        )
        one = self.directory / "one.jsonl"
        refused = "rule { submit = function(job) job:reject('no') end }\n"
        line = next(row for row in self.chosen.read_text().splitlines() if json.loads(row)["outcome"] == "accepted")
        one.write_text(line + "\n")
        words = self.replay("--from", one, "--policy", self.policy(refused))
        self.assertIn(": 1 job of 1 user changes\n", words.stdout)

    def test_only_operators_may_ask_slurmctld_about_the_jobs_of_all(self) -> None:
        self.directory.chmod(0o755)
        for file in self.directory.rglob("*"):
            file.chmod(0o755 if file.is_dir() else 0o644)
        answer = self.replay("--from", self.chosen, "--policy", self.policy(RULES), user=USER)
        self.assertIn(answer.rc, (69, 77), answer)


    def test_a_world_without_the_users_decides_about_nobody(self) -> None:
        world = self.directory / "anonymous.json"
        command = [str(build_root() / "contrib/qosgate/qosgate"), "capture", "--anonymous", str(world)]
        self.assertEqual(self.cluster.run(command).rc, 0)
        sums = self.sums("--from", self.chosen, "--world", world, "--policy", self.policy(OTHER_RULES), status=66)
        why = "the world is anonymous ('qosgate capture --anonymous') and has no user of the job"
        self.assertEqual((sums["decided"], sums["left_out"]), (0, {why: 5}), sums)

    def test_a_record_without_a_name_counts_for_its_user(self) -> None:
        records = [json.loads(line) for line in self.chosen.read_text().splitlines()]
        for record in records:
            if record["request"]["name"] == "move":
                del record["user"]
        file = self.directory / "nameless.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
        sums = self.sums("--from", file, "--policy", self.policy(OTHER_RULES), status=1)
        self.assertEqual([(row["user"], row["differing"]) for row in sums["users"]], [(USER, 3)])

    def test_some_records_are_chosen(self) -> None:
        directory = self.policy(OTHER_RULES)
        sums = self.sums("--from", self.chosen, "--policy", directory, "--user", "root", status=66)
        self.assertEqual((sums["records"], sums["not_chosen"]), (0, 5))
        sums = self.sums("--from", self.chosen, "--policy", directory, "--user", USER, "--since", "1h", status=1)
        self.assertEqual((sums["records"], sums["not_chosen"]), (5, 0))
        sums = self.sums("--from", self.chosen, "--policy", directory, "--until", "1h", status=66)
        self.assertEqual((sums["records"], sums["not_chosen"]), (0, 5))
        for words in (["--since", "yesterday"], ["--since", "1h", "--until", "2h"], ["--since", "2026-02-30"]):
            self.assertNotIn(self.replay("--from", self.chosen, *words).rc, (0, 1))

    def test_another_limit_changes_what_it_is_about(self) -> None:
        directory = self.policy(RULES)
        change = ["--qos", "small:MaxTRESPerJob=cpu=3"]
        sums = self.sums("--from", self.chosen, "--policy", directory, *change, status=1)
        self.assertEqual([(row["rule"], row["accepted"]) for row in sums["rules"]], [(None, 1)], sums)
        self.assertEqual(sums["examples"], [self.ids["large"]])
        self.assertEqual(sums["changed_qos"], ["QOS small: MaxTRESPerJob: cpu=2 -> cpu=3"])
        # The limit that there is.
        sums = self.sums("--from", self.chosen, "--policy", directory, "--qos", "small:MaxTRESPerJob=cpu=2", status=0)
        self.assertEqual((sums["decided"], sums["changed_qos"]), (5, []))
        # Without DenyOnLimit jobs beyond a limit wait.
        change = ["--qos", "normal:MaxTRESPerUser=cpu=1"]
        sums = self.sums("--from", self.chosen, "--policy", directory, *change, status=1)
        self.assertEqual((sums["waits"], sums["refused"]), (1, 0), sums)
        self.assertRegex(self.replay("--from", self.chosen, "--policy", directory, *change).stdout, r"waits for a limit only now: +1")
        for wrong, why in {
            "small": "write --qos",
            "smal:MaxWall=1": "did you mean small?",
            "small:MaxWal=1": "did you mean MaxWall?",
            "small:GraceTime=5": "no part in the decision",
        }.items():
            answer = self.replay("--from", self.chosen, "--qos", wrong)
            self.assertNotIn(answer.rc, (0, 1))
            self.assertIn(why, answer.stderr)

    def fill_accounting(self) -> None:
        """Jobs that ran: accounting does not get held ones."""
        listed = f"sacct -X -n -P -u {USER} -S now-1hour -o JobName"
        if "array" in self.cluster.run(listed).stdout:
            return
        for options in ("-n2 --time=30 --mem-per-cpu=10", "--comment=move --time=5", "--array=1-3,7 --time=60 -J array"):
            self.assertEqual(self.cluster.run(["sbatch", *options.split(), "--wrap=true"], USER).rc, 0)
        self.cluster.wait_for(lambda: self.cluster.run(listed).stdout.count("array") == 4, "accounting has the jobs")

    def test_jobs_of_accounting_are_decided_again(self) -> None:
        reject = 'if job.cpus == 2 and job.time_limit == 30 and job.memory == 20 then job:reject("no two CPUs") end'
        directory = self.policy(f"rule {{ submit = function(job) {reject} end }}\n")
        self.fill_accounting()

        def read() -> dict:
            answer = self.replay("--json", "--from-accounting", "--policy", directory, "--user", USER)
            self.assertIn(answer.rc, (0, 1), answer)
            return json.loads(answer.stdout)

        sums = read()
        self.assertEqual((sums["source"], sums["refused"], sums["accepted"], sums["left_out"]), ("accounting", 1, 0, {}), sums)
        self.assertEqual(sums["cpu_hours"], 1)
        self.assertEqual([row["user"] for row in sums["users"]], [USER])
        # The tasks of the array are one job.
        directory = self.policy(
            "rule { submit = function(job)\n"
            '    if job.array_tasks == 4 and job.array == "1-3,7" then job:reject("array") end\n'
            '    if job.qos == "counted" then job:reject("counted") end\n'
            "end }\n"
        )
        self.assertEqual(read()["refused"], 2)
        text = self.replay("--from-accounting", "--policy", directory).stdout
        self.assertIn("Jobs that were refused are not in it. Nor is who sent a job: that counts as the owner.\n", text)
        self.assertIn("jobs submitted from", text)

    def test_what_accounting_does_not_hold_is_said(self) -> None:
        self.fill_accounting()

        def left_out(condition: str, status: int = 66) -> dict:
            directory = self.policy(f'rule {{ submit = function(job) if {condition} then job:reject("x") end end }}\n')
            return self.sums("--from-accounting", "--policy", directory, status=status)["left_out"]

        for condition, why in {
            "job.tasks": "a rule reads 'tasks', which accounting does not hold",
            "job.script": "a rule reads 'script', which accounting does not hold",
            'job.env["HOME"]': "a rule reads 'env', which accounting does not hold",
            'not job:is_set("qos")': "a rule asks whether the request sets 'qos', which accounting does not show",
        }.items():
            self.assertEqual(list(left_out(condition)), [why])
        self.assertEqual(left_out('job:is_set("reservation") or job.name == "nobody"', status=0), {})
        # The sender is assumed to be the owner.
        self.assertEqual(left_out("job.submit_uid == job.uid", status=1), {})
        self.assertEqual(left_out("job.submit_uid ~= job.uid", status=0), {})


if __name__ == "__main__":
    main()
