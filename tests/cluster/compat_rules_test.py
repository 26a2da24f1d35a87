# SPDX-License-Identifier: GPL-2.0-or-later
"""First the site's script for job_submit/lua, then the rules: of new jobs and of changes."""

from __future__ import annotations

import json
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from qosgate_dev.testing import CommandResult, copy_command, main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

SCRIPT = """\
local function decide(job_desc)
    if job_desc.comment == "refused" then
        slurm.log_user("the script refuses")
        return 2045
    end
    if job_desc.comment == "route" then
        job_desc.qos = "small"
        job_desc.comment = "of_the_script"
        slurm.log_user("the script says: QOS small")
    end
    if job_desc.comment == "blame" then job_desc.qos = "nosuch" end
    if job_desc.comment == "blame gres" then job_desc.tres_per_node = "gres:none_such:1" end
    if job_desc.comment == "queue" and next(slurm.jobs) ~= nil then slurm.log_user("others wait") end
    if job_desc.comment == "group" then slurm.log_user("group %d", job_desc.group_id) end
    return slurm.SUCCESS
end
function slurm_job_submit(job_desc, part_list, submit_uid) return decide(job_desc) end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid) return decide(job_desc) end
"""
RULE = """\
rule { name = "after", submit = function(job)
    if job.comment ~= nil then job:note("the rule sees %s and QOS %s", job.comment, job.qos or "none") end
    if job.name == "no" and job.comment ~= nil then job:reject("the rule refuses") end
    if job.comment == "of_the_script" then job.comment = "of_the_rule" end
end }
"""
CONTACT = "hpc@example.org"
SCRIPT_SAYS = "the script says: QOS small"
RULE_SAYS = "the rule sees of_the_script and QOS small"


class CompatRules(PluginTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.qosgate = copy_command(cls.cluster)
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.records_file = Path(directory.name) / "records.jsonl"
        (cls.cluster.layout.slurm_conf.parent / "qosgate.d" / "compat").mkdir(mode=0o755, parents=True)
        cls.put_in_force(
            {
                "site.lua": f'site {{ record_file = "{cls.records_file}", contact = "{CONTACT}" }}\n',
                "compat/job_submit.lua": SCRIPT,
                "10-after.lua": RULE,
            }
        )
        cls.cluster.wait_for(
            lambda: "the script compat/job_submit.lua" in cls.cluster.log("slurmctld"), "the script is in force"
        )

    def setUp(self) -> None:
        self.forget_decisions()

    def forget_decisions(self) -> None:
        """What is recorded and logged of them may come later."""
        self.mark = len(self.cluster.log("slurmctld"))
        self.begin = datetime.now(timezone.utc).isoformat(timespec="microseconds")

    def records(self) -> list[dict]:
        """Those of decisions since the last forget_decisions()."""
        if not self.records_file.exists():
            return []
        records = [json.loads(line) for line in self.records_file.read_text().splitlines()]
        return [record for record in records if record["time"] >= self.begin]

    def record(self) -> dict:
        """The one of this test's decision."""
        self.cluster.wait_for(self.records, "the decision is recorded")
        (record,) = self.records()
        return record

    def deeds(self) -> list[tuple[str, str]]:
        """Who did what, in this test's decision."""
        return [(event["rule"], event["effect"]) for event in self.record()["events"]]

    def logged(self) -> str:
        return self.cluster.log("slurmctld")[self.mark :]

    def submit(self, *options: str) -> CommandResult:
        return self.cluster.run(["sbatch", "--hold", *options, "--wrap=true"], USER)

    def waiting_job(self, *options: str) -> str:
        """Without a comment neither script nor rule does anything."""
        answer = self.submit(*options)
        self.assertEqual(answer.rc, 0, answer)
        self.forget_decisions()
        return answer.stdout.split()[-1]

    def change(self, job: str, comment: str) -> CommandResult:
        return self.cluster.run(["scontrol", "update", f"jobid={job}", f"comment={comment}"], USER)

    def test_a_rule_sees_what_the_script_set(self) -> None:
        answer = self.submit("--comment=route")
        self.assertEqual(answer.rc, 0, answer)
        self.assertLess(answer.stderr.index(SCRIPT_SAYS), answer.stderr.index(RULE_SAYS))
        job = self.cluster.job(int(answer.stdout.split()[-1]))
        self.assertEqual((job["QOS"], job["Comment"]), ("small", "of_the_rule"))
        self.assertEqual(self.record()["message"][:2], [SCRIPT_SAYS, RULE_SAYS])

    def test_a_rule_refuses_after_the_script(self) -> None:
        answer = self.submit("--comment=route", "-J", "no")
        self.assertNotEqual(answer.rc, 0)
        told = [answer.stderr.index(words) for words in (SCRIPT_SAYS, "the rule refuses")]
        self.assertEqual(told, sorted(told))
        self.assertEqual(self.record()["outcome"], "refused")

    def test_the_script_s_refusal_ends_a_submission(self) -> None:
        answer = self.submit("--comment=refused", "-J", "no")
        self.assertNotEqual(answer.rc, 0)
        self.assertIn("the script refuses", answer.stderr)
        self.assertIn(f"sbatch: error: questions: {CONTACT}\n", answer.stderr)
        self.assertEqual(self.record()["message"][:2], ["the script refuses", f"questions: {CONTACT}"])
        self.assertNotIn("the rule", answer.stderr + self.logged())
        self.assertEqual(self.deeds(), [("compat/job_submit.lua", "rejected")])

    def test_what_the_script_set_is_told_to_be_the_script_s(self) -> None:
        words = "set by the site's rules, not by this request: QOS nosuch by script 'compat/job_submit.lua'"
        foretold = self.try_job("--comment=blame")
        answer = self.submit("--comment=blame")
        self.assertIn(f"sbatch: error: {words}\n", answer.stderr)
        self.assertIn(f"sbatch: error: {words}", foretold["user_reads"])
        self.assertIn(words, self.record()["message"])
        self.assertNotIn("set by the site's rules", self.submit("--qos=nosuch").stderr)
        words = "set by the site's rules, not by this request: --gres gres:none_such:1 by script 'compat/job_submit.lua'"
        answer = self.submit("--comment=blame gres")
        self.assertIn(f"sbatch: error: {words}\nsbatch: error: no gres 'none_such' is known", answer.stderr)
        self.assertIn(f"sbatch: error: questions: {CONTACT}\n", answer.stderr)

    def test_a_rule_sees_what_the_script_set_in_a_change(self) -> None:
        job = self.waiting_job()
        answer = self.change(job, "route")
        self.assertEqual(answer.rc, 0, answer)
        changed = self.cluster.job(int(job))
        # What a rule writes has no effect in a change.
        self.assertEqual((changed["QOS"], changed["Comment"]), ("small", "of_the_script"))
        self.assertEqual(self.record()["message"][:2], [SCRIPT_SAYS, RULE_SAYS])

    def test_a_rule_refuses_a_change_after_the_script(self) -> None:
        job = self.waiting_job("-J", "no")
        self.assertNotEqual(self.change(job, "route").rc, 0)
        changed = self.cluster.job(int(job))
        self.assertEqual((changed["QOS"], changed.get("Comment")), ("normal", None))
        record = self.record()
        self.assertEqual(record["outcome"], "refused")
        self.assertEqual(record["message"][0], SCRIPT_SAYS)
        self.assertIn("the rule refuses", record["message"])

    def test_the_script_s_refusal_ends_a_change(self) -> None:
        job = self.waiting_job("-J", "no")
        self.assertNotEqual(self.change(job, "refused").rc, 0)
        self.assertEqual(self.deeds(), [("compat/job_submit.lua", "rejected")])
        self.assertNotIn("the rule", self.logged())
        self.assertNotIn("Comment", self.cluster.job(int(job)))

    def try_job(self, *options: str, more: tuple[str, ...] = ()) -> dict:
        """The answer of qosgate policy try."""
        command = [str(self.qosgate), "policy", "try", *more, "--json", "--", "sbatch", "--hold", *options, "--wrap=true"]
        done = self.cluster.run(command, USER)
        self.assertIn(done.rc, (0, 1), done)
        return json.loads(done.stdout)

    def read_lines(self, answer: CommandResult) -> list[str]:
        """What sbatch prints, without the number of the decision."""
        return [line for line in answer.stderr.splitlines() if ": decision " not in line]

    def test_try_foretells_what_the_script_does(self) -> None:
        for options in (("--comment=route",), ("--comment=route", "-J", "no"), ("--comment=group",)):
            with self.subTest(options):
                foretold = self.try_job(*options)
                answer = self.submit(*options)
                self.assertEqual(foretold["user_reads"], self.read_lines(answer))
                self.assertEqual(foretold["status"] == "accepted", answer.rc == 0)
                script = foretold["parts"][0]["script"]
                self.assertEqual((script["not_run"], script["refused"]), (None, False))

    def test_try_says_that_the_script_refuses(self) -> None:
        foretold = self.try_job("--comment=refused", "-J", "no")
        self.assertEqual(foretold["user_reads"], self.read_lines(self.submit("--comment=refused", "-J", "no")))
        (part,) = foretold["parts"]
        self.assertEqual((part["refused_by"], part["script"]["refused"], part["rules"]), ("script", True, []))
        self.assertEqual((part["account"], part["partition"], part["qos"]), ("astro", "main", "normal"))
        command = [self.qosgate, "policy", "try", "--", "sbatch", "--comment=refused", "--wrap=true"]
        self.assertIn("Account astro, partition main, QOS normal\n", self.cluster.run(command, USER).stdout)

    def test_try_says_if_the_script_reads_what_is_not_known_here(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            world = Path(directory) / "world.json"
            self.cluster.run([str(self.qosgate), "capture", str(world)], check=True)
            Path(directory).chmod(0o755)
            world.chmod(0o644)
            (part,) = self.try_job("--comment=queue", more=("--world", str(world)))["parts"]
        self.assertIn("the jobs, as scripts see them, are not known here", part["script"]["not_run"])
        (part,) = self.try_job("--comment=queue")["parts"]
        self.assertIsNone(part["script"]["not_run"])

    def test_private_jobs_are_not_known_here(self) -> None:
        conf = self.cluster.layout.slurm_conf
        plain = conf.read_text()

        def restart_with(text: str) -> None:
            conf.write_text(text)
            self.cluster.restart("slurmctld")

        self.addCleanup(restart_with, plain)
        restart_with(plain + "\nPrivateData=jobs\n")
        words = ["--", "sbatch", "--hold", "--comment=queue", "--wrap=true"]
        for command in (["check"], ["policy", "try"]):
            told = self.cluster.run([str(self.qosgate), *command, *words], USER)
            self.assertIn("PrivateData hides some from you", told.stdout)
            self.assertEqual(told.stdout.count("Not judged: the site's job_submit.lua"), 1, told)
            told = self.cluster.run([str(self.qosgate), *command, *words])
            self.assertNotIn("Not judged: the site's job_submit.lua", told.stdout)


if __name__ == "__main__":
    main()
