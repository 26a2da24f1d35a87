# SPDX-License-Identifier: GPL-2.0-or-later
"""A candidate and scripts for job_submit/lua: the candidate gets each job and each change as it was sent."""

from __future__ import annotations

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor

from qosgate_dev.testing import CommandResult, main
from qosgate_dev.testing.candidate_case import CandidateTestCase
from qosgate_dev.testing.plugin_case import USER

SCRIPT = "compat/job_submit.lua"
DECIDE = """\
local seen = 0
local function decide(job_desc)
    local word = job_desc.comment
    seen = seen + 1
    slurm.log_info("%%s logs", "shadow")
    if word == "refuse" then slurm.log_user("the shadow refuses") return 2045 end
    if word == "move" then job_desc.qos = "counted" job_desc.mail_user = "shadow" end
    if word == "say" then slurm.log_user("the shadow has seen %%d", seen) end
    if word == "crash" then error("the shadow crashes") end
    if word == "endless" then while true do end end
    if word == "queue" then slurm.log_user("the shadow: %%s", tostring(next(slurm.jobs) ~= nil)) end
    %s
    return slurm.SUCCESS
end
function slurm_job_submit(job_desc, part_list, submit_uid) return decide(job_desc) end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid) return decide(job_desc) end
"""
OF_CANDIDATE = DECIDE % ""
AFTER = """\
rule { name = "after", submit = function(job)
    if job.qos == "counted" then job:note("the shadow's rule sees it") end
end }
"""

LIVE = """\
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
    if job_desc.comment == "queue" and next(slurm.jobs) ~= nil then slurm.log_user("others wait") end
    return slurm.SUCCESS
end
function slurm_job_submit(job_desc, part_list, submit_uid) return decide(job_desc) end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid) return decide(job_desc) end
"""
RULES = """\
rule { name = "route", submit = function(job)
    if job.comment == "route" then job.qos = "small" job:note("the script says: QOS small") end
    if job.comment == "of_the_script" then job:reject("the shadow sees what the script wrote") end
end }
"""


class ScriptCase(CandidateTestCase):
    def setUp(self) -> None:
        self.mark = len(self.cluster.log("slurmctld"))

    def tearDown(self) -> None:
        # All that the candidates say has this word.
        self.assertNotIn("shadow", self.slurmctld_log_since(self.mark))
        super().tearDown()

    def waiting_job(self) -> int:
        job = self.submit("--hold")
        self.expect(job, True)
        return int(job.stdout.split()[-1])

    def change(self, job: int, what: str) -> CommandResult:
        return self.cluster.run(["scontrol", "update", f"jobid={job}", what], USER)

    def record_of_change(self, job: int) -> dict:
        return self.the_record(lambda record: record.get("job_id") == job, f"the change of job {job}")

    def submit_silently(self, comment: str) -> int:
        answer = self.submit_with(comment)
        self.expect(answer, True)
        self.assertEqual(answer.stderr, "")
        return int(answer.stdout.split()[-1])


class ScriptOfCandidate(ScriptCase):
    """In force there are neither rules nor a script."""

    def test_what_it_does_to_jobs_is_recorded_and_nobody_else_notices(self) -> None:
        self.make_next({SCRIPT: OF_CANDIDATE, "10-after.lua": AFTER})
        jobs = {word: self.submit_silently(word) for word in ("refuse", "move", "say", "crash", "endless", "same")}

        counts = self.wait_for_counts(6)
        self.assertEqual((counts["differing"], counts["skipped"]), (5, 0))
        self.assertEqual((counts["rules"], counts["has_script"]), (1, True))
        found = {word: self.record_of(word)["candidate"] for word in jobs if word != "same"}
        self.assertEqual(found["refuse"]["outcome"], "refused")
        self.assertEqual(found["refuse"]["message"], ["the shadow refuses"])
        self.assertEqual(found["refuse"]["rules"], [SCRIPT])
        self.assertEqual(found["move"]["outcome"], "accepted")
        self.assertEqual(found["move"]["changes"], ["qos: (unset) -> counted", "mail_user: (unset) -> shadow"])
        self.assertEqual(found["move"]["message"], ["the shadow's rule sees it"])
        self.assertEqual(found["move"]["rules"], [SCRIPT, "after"])
        # Its own globals, and it counts only what it has seen.
        self.assertEqual(found["say"]["message"], ["the shadow has seen 3"])
        for word, text in (("crash", "the shadow crashes"), ("endless", "more than 100000 instructions")):
            self.assertEqual((found[word]["outcome"], found[word]["rules"]), ("refused", [SCRIPT]))
            self.assertEqual(found[word]["events"][0]["effect"], "failed")
            self.assertIn(text, found[word]["events"][0]["text"])
        for word, job in jobs.items():
            shown = self.cluster.job(job)
            self.assertEqual((shown["QOS"], shown["Comment"]), ("normal", word))
        record = self.record_of("refuse")
        self.assertEqual((record["outcome"], record["events"], record["message"]), ("accepted", [], []))

        sums = json.loads(self.qosgate("policy", "diff", "--json").stdout)
        rows = {row["rule"]: row["differing"] for row in sums["rules"]}
        self.assertEqual(rows, {SCRIPT: 5, "after": 1})
        self.assertIn("1 rule and a script, hash " + counts["policy"], self.qosgate("status").stdout)

    def test_what_it_does_to_changes_is_recorded_though_nothing_in_force_looks_at_them(self) -> None:
        self.make_next({SCRIPT: OF_CANDIDATE, "10-after.lua": AFTER})
        jobs = {word: self.waiting_job() for word in ("refuse", "move", "say", "crash", "endless", "same")}
        self.wait_for_counts(6)
        for word, job in jobs.items():
            answer = self.change(job, f"comment={word}")
            self.assertEqual((answer.rc, answer.stderr), (0, ""))
            shown = self.cluster.job(job)
            self.assertEqual((shown["QOS"], shown["Comment"]), ("normal", word))

        counts = self.wait_for_counts(12)
        self.assertEqual((counts["differing"], counts["skipped"]), (5, 0))
        found = {word: self.record_of_change(job)["candidate"] for word, job in jobs.items() if word != "same"}
        self.assertEqual((found["refuse"]["outcome"], found["refuse"]["rules"]), ("refused", [SCRIPT]))
        self.assertIn("qos: normal -> counted", found["move"]["changes"])
        self.assertEqual(found["say"]["message"], ["the shadow has seen 9"])
        for word in ("crash", "endless"):
            self.assertEqual((found[word]["outcome"], found[word]["events"][0]["effect"]), ("refused", "failed"))
        record = self.record_of_change(jobs["refuse"])
        self.assertEqual((record["outcome"], record["events"], record["message"]), ("accepted", [], []))

    def test_rules_of_the_candidate_see_a_change_at_which_nothing_in_force_looks(self) -> None:
        (self.next / SCRIPT).unlink(missing_ok=True)
        text = 'if job.comment == "refuse" then job:reject("the shadow refuses") end'
        self.make_next({"10-after.lua": f'rule {{ name = "after", modify = function(job) {text} end }}\n'})
        job = self.waiting_job()
        self.assertEqual(self.change(job, "comment=refuse").rc, 0)
        record = self.record_of_change(job)
        self.assertEqual((record["outcome"], record["candidate"]["rules"]), ("accepted", ["after"]))
        self.assertEqual(self.change(job, "mailuser=nobody").rc, 0)  # no rule looks at it
        self.assertEqual(self.change(job, "timelimit=20").rc, 0)  # a limit of the job
        counts = self.wait_for_counts(3)  # with the submission
        self.assertEqual((counts["differing"], counts["skipped"]), (2, 0))

    def test_an_endless_script_is_bounded(self) -> None:
        self.make_next({SCRIPT: OF_CANDIDATE}, "rule_instructions = 10000000, rule_time_ms = 75")
        begin = time.monotonic()
        for _ in range(5):  # those that come together are not compared
            self.submit_silently("endless")
        with ThreadPoolExecutor(6) as pool:  # four each second are compared; one after the other may be no more
            list(pool.map(lambda _: self.submit_silently("endless"), range(25)))
        sent = 30
        while (counts := self.wait_for_counts(sent))["compared"] < 2:  # on a busy machine one may take as long as four
            self.submit_silently("endless")
            sent += 1
        took = time.monotonic() - begin
        print(f"of {sent} jobs whose script takes 25 ms, {counts['compared']} were compared; all took {took:.1f} s")
        # 100 ms at once, and then a tenth of the time; the last one may begin just before that is spent.
        self.assertLessEqual(counts["compared"], (100 + took * 1000 * 0.1) / 25 + 1)
        self.assertGreaterEqual(counts["skipped"], 2)
        texts = [record["candidate"]["events"][0]["text"] for record in self.records() if self.is_mine(record)]
        self.assertTrue(texts)
        for text in texts:
            self.assertIn("more than 25 ms of CPU time", text)

    def is_mine(self, record: dict) -> bool:
        return str(record["request"].get("name")).startswith(self._testMethodName) and "candidate" in record

    def test_rules_go_on_with_the_script_s_time(self) -> None:
        loop = "local begin = os.clock() while os.clock() - begin < 0.023 do end"
        rule = 'local x = 0 if job.comment == "half" then for i = 1, 500000 do x = x + 1 end job:note("the end") end'
        self.make_next(
            {
                SCRIPT: DECIDE % f'if word == "half" then {loop} end',
                "10-after.lua": f'rule {{ name = "after", submit = function(job) {rule} end }}\n',
            },
            "rule_instructions = 10000000, rule_time_ms = 75",
        )
        self.submit_silently("half")
        found = self.record_of("half")["candidate"]
        self.assertEqual(found["rules"], ["after"])
        self.assertIn("more than 25 ms of CPU time", found["events"][0]["text"])

    def test_a_job_of_salloc_is_not_read_for_a_candidate(self) -> None:
        # slurmctld would log that it has no script.
        self.make_next({SCRIPT: OF_CANDIDATE})
        mark = len(self.cluster.log("slurmctld"))
        answer = self.cluster.run(["timeout", "30", "salloc", "--no-shell", "-n1"], USER)
        self.assertEqual(answer.rc, 0, answer)
        job = int(re.search(r"Granted job allocation (\d+)", answer.stderr)[1])
        self.assertEqual(self.change(job, "comment=refuse").rc, 0)
        counts = self.wait_for_counts(2)
        self.assertEqual((counts["differing"], counts["skipped"]), (0, 1))
        self.assertNotIn("script", self.slurmctld_log_since(mark))

    def test_parts_of_a_heterogeneous_job_are_compared(self) -> None:
        self.make_next({SCRIPT: OF_CANDIDATE})
        words = ["sbatch", "--hold", "-n1", "--comment=same", ":", "-n1", "--comment=move", "--wrap=true"]
        answer = self.cluster.run(words, USER)
        self.expect(answer, True)
        self.assertEqual(answer.stderr, "")
        counts = self.wait_for_counts(2)
        self.assertEqual((counts["differing"], counts["skipped"]), (1, 0))


class ScriptInForce(ScriptCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        (cls.directory / "compat").mkdir(mode=0o755)
        cls.put_in_force({SCRIPT: LIVE})

    def setUp(self) -> None:
        super().setUp()
        self.waiting_job()
        self.cluster.wait_for(self.knows_jobs, "slurm.jobs is known")
        if self.next.exists():
            (self.next / SCRIPT).unlink(missing_ok=True)
            (self.next / "10-route.lua").unlink(missing_ok=True)

    def knows_jobs(self) -> bool:
        script = json.loads(self.qosgate("status", "--json").stdout)["plugin"]["script"]
        return script is not None and script["jobs"]["count"] > 0

    def test_rules_of_the_candidate_see_the_job_before_the_script(self) -> None:
        self.make_next({"10-route.lua": RULES})
        answer = self.submit_with("route")
        self.expect(answer, True, "the script says: QOS small")
        shown = self.cluster.job(int(answer.stdout.split()[-1]))
        self.assertEqual((shown["QOS"], shown["Comment"]), ("small", "of_the_script"))
        found = self.record_of("route")["candidate"]
        self.assertEqual((found["outcome"], found["differs"]), ("accepted", ["job"]))
        self.assertEqual(found["changes"], ["comment: of_the_script -> route"])
        self.assertEqual(found["rules"], [SCRIPT, "route"])

    def test_a_job_that_the_script_refuses_is_compared(self) -> None:
        self.make_next({"10-route.lua": RULES})
        self.expect(self.submit_with("refused"), False, "the script refuses")
        record = self.record_of("refused")
        self.assertEqual((record["outcome"], record["message"][0]), ("refused", "the script refuses"))
        found = record["candidate"]
        self.assertEqual((found["outcome"], found["differs"]), ("accepted", ["outcome", "message"]))
        self.assertEqual(found["rules"], [SCRIPT])

    def test_changes_are_compared_as_they_were_sent(self) -> None:
        self.make_next({"10-route.lua": RULES})
        route, refused, other = self.waiting_job(), self.waiting_job(), self.waiting_job()
        self.assertEqual(self.change(route, "comment=route").rc, 0)
        self.assertNotEqual(self.change(refused, "comment=refused").rc, 0)
        self.assertEqual(self.change(other, "comment=other").rc, 0)
        shown = self.cluster.job(route)
        self.assertEqual((shown["QOS"], shown["Comment"]), ("small", "of_the_script"))

        found = self.record_of_change(route)["candidate"]
        self.assertEqual(found["outcome"], "accepted")
        self.assertIn("comment: of_the_script -> route", found["changes"])
        record = self.record_of_change(refused)
        self.assertEqual((record["outcome"], record["candidate"]["outcome"]), ("refused", "accepted"))
        self.assertEqual(record["candidate"]["rules"], [SCRIPT])
        counts = self.wait_for_counts(6)
        self.assertEqual((counts["differing"], counts["skipped"]), (2, 0))

    def test_the_same_script_makes_no_difference(self) -> None:
        self.make_next({SCRIPT: LIVE})
        for word in ("route", "queue", "other"):
            self.expect(self.submit_with(word), True)
        self.expect(self.submit_with("refused"), False)
        route, refused = self.waiting_job(), self.waiting_job()
        self.assertEqual(self.change(route, "comment=route").rc, 0)
        self.assertNotEqual(self.change(refused, "comment=refused").rc, 0)
        counts = self.wait_for_counts(8)
        self.assertEqual((counts["differing"], counts["skipped"]), (0, 0), self.records()[-8:])

    def test_a_candidate_that_reads_other_fields_of_jobs_does_not_disturb_the_script(self) -> None:
        self.make_next({SCRIPT: DECIDE % "if next(slurm.jobs) == nil then local _ = slurm.jobs.x.job_state end"})
        self.expect(self.submit_with("queue"), True, "others wait")

        def is_read() -> bool:
            self.expect(self.submit_with("queue"), True, "others wait")
            messages = [record.get("candidate", {}).get("message", []) for record in self.records()]
            return ["the shadow: true"] in messages

        self.cluster.wait_for(is_read, "the candidate knows the jobs")


if __name__ == "__main__":
    main()
