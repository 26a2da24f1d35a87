# SPDX-License-Identifier: GPL-2.0-or-later
"""A candidate policy in qosgate.d/next: compared with each decision of slurmctld, and nothing more."""

from __future__ import annotations

import json

from qosgate_dev.testing import main
from qosgate_dev.testing.candidate_case import CandidateTestCase
from qosgate_dev.testing.plugin_case import USER

IN_FORCE = """\
rule { name = "comments", submit = function(job)
    if job.comment == "no" then job:reject("not today") end
    if job.comment == "slow" then job:warn("in force") end
end }
"""
CANDIDATE = """\
rule { name = "comments", submit = function(job)
    if job.comment == "never" then job:reject("not with the candidate") end
    if job.comment == "move" then job.qos = "counted" end
    if job.comment == "fail" then local wrong = ({ job.comment })[1] + 1 end
    if job.comment == "slow" then job:warn("in force") while job.comment == "slow" do end end
end }
"""
TEST = 'test "never" { job = { comment = "never" }, expect = { %s } }\n'


class Candidate(CandidateTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.put_in_force({"10-comments.lua": IN_FORCE})

    def setUp(self) -> None:
        self.make_next({"tests/never.lua": TEST % "reject = true", "10-comments.lua": CANDIDATE})

    def test_differences_are_recorded_and_summed_up_and_nobody_else_notices(self) -> None:
        mark = len(self.cluster.log("slurmctld"))
        never = self.submit_with("never")
        self.expect(never, True)
        self.assertEqual(never.stderr, "")
        self.expect(self.submit_with("no"), False, "not today")
        move = self.submit_with("move")
        self.expect(move, True)
        self.assertEqual(self.cluster.job(int(move.stdout.split()[-1]))["QOS"], "normal")
        self.expect(self.submit_with("fail"), True)
        self.expect(self.submit_with("same"), True)

        record = self.record_of("never")
        self.assertEqual((record["outcome"], record["events"], record["message"]), ("accepted", [], []))
        candidate = record["candidate"]
        self.assertEqual((candidate["differs"], candidate["outcome"]), (["outcome", "message"], "refused"))
        self.assertEqual(candidate["rules"], ["comments"])
        self.assertEqual(candidate["events"][0]["text"], "not with the candidate")
        self.assertEqual(self.record_of("no")["candidate"]["outcome"], "accepted")
        self.assertEqual(self.record_of("move")["candidate"]["changes"], ["qos: (unset) -> counted"])
        self.assertEqual(self.record_of("fail")["candidate"]["events"][0]["effect"], "failed")
        log = self.slurmctld_log_since(mark)
        for text in ("not with the candidate", "counted", "attempt to"):
            self.assertNotIn(text, log)

        counts = self.wait_for_candidate(lambda it: it["compared"] == 5)
        self.assertEqual((counts["differing"], counts["skipped"], counts["rules"]), (4, 0, 1))
        answer = self.qosgate("policy", "diff", "--json")
        self.assertEqual(answer.rc, 1, answer)
        sums = json.loads(answer.stdout)
        self.assertEqual(sums["policy"], counts["policy"])
        self.assertEqual(
            [sums[key] for key in ("compared", "differing", "refused", "accepted", "job_differs")], [4, 4, 2, 1, 1]
        )
        self.assertEqual([(row["rule"], row["differing"]) for row in sums["rules"]], [("comments", 4)])
        self.assertEqual([(row["user"], row["differing"]) for row in sums["users"]], [(USER, 4)])
        self.assertIn(record["id"], sums["examples"])
        text = self.qosgate("policy", "diff", str(self.records_file)).stdout
        self.assertIn("4 of 4 recorded decisions differ", text)
        self.assertIn("Candidate:  1 rule, hash " + counts["policy"], self.qosgate("status").stdout)

    def test_a_change_of_a_job_is_compared_too(self) -> None:
        job = self.submit_with("changed")
        self.expect(job, True)
        job_id = int(job.stdout.split()[-1])
        self.write(
            "20-time.lua",
            'rule { name = "time", modify = function(job) if job.time_limit < 15 then job:reject("too short") end end }\n',
        )
        self.wait_until_loaded()
        for minutes in (20, 10):
            self.assertEqual(self.cluster.run(f"scontrol update job={job_id} TimeLimit={minutes}", USER).rc, 0)
        counts = self.wait_for_candidate(lambda it: it["compared"] == 2)
        self.assertEqual((counts["differing"], counts["skipped"]), (1, 0))

        def find() -> list[dict]:
            return [record for record in self.records() if record.get("job_id") == job_id]

        self.cluster.wait_for(lambda: bool(find()), "it is recorded")
        (record,) = find()
        self.assertEqual((record["outcome"], record["candidate"]["outcome"]), ("accepted", "refused"))
        self.assertEqual((record["request"]["time_limit"], record["candidate"]["rules"]), (10, ["time"]))
        (self.next / "20-time.lua").unlink()

    def test_a_candidate_that_fails_its_tests_or_does_not_load_is_told_and_harms_nothing(self) -> None:
        self.expected_errors.append("candidate not loaded")
        self.write("tests/never.lua", TEST % "accept = true")
        # The command that shows all failures names the directory.
        shows_all = f"'qosgate policy test {self.next}' shows all"
        self.wait_for_candidate(
            lambda it: it["last_error"]
            and "test 'never' fails" in it["last_error"]
            and shows_all in it["last_error"]
        )
        self.expect_logged_error("candidate not loaded, no decision is compared with it: ")
        self.write("10-comments.lua", "rule {")
        self.wait_for_candidate(lambda it: it["last_error"] and "10-comments.lua:1" in it["last_error"])
        self.expect(self.submit_with("no"), False, "not today")
        self.assertNotIn("candidate", self.record_of("no"))
        status = self.qosgate("status")
        self.assertEqual(status.rc, 0, status)
        self.assertRegex(status.stdout, r"Candidate:  not loaded: .*next: 10-comments.lua:1")
        self.assertEqual(self.qosgate("policy", "check", str(self.next)).rc, 1)
        both = self.qosgate("policy", "check", str(self.directory))
        self.assertEqual(both.rc, 1)
        self.assertIn("next/10-comments.lua:1:", both.stdout)

        for file in sorted(self.next.rglob("*"), reverse=True):
            file.rmdir() if file.is_dir() else file.unlink()
        self.next.rmdir()
        self.wait_for_candidate(lambda it: it is None)

    def test_a_slow_candidate_is_bounded(self) -> None:
        self.write("site.lua", 'site { contact = "slow", rule_instructions = 10000000, rule_time_ms = 75 }\n')
        self.wait_until_loaded()
        for _ in range(30):
            self.expect(self.submit_with("slow"), True, "in force")
        counts = self.wait_for_candidate(lambda it: it["compared"] + it["skipped"] == 30)
        print(f"of 30 jobs whose rules take 25 ms, {counts['compared']} were compared")
        self.assertGreaterEqual(counts["compared"], 2)
        self.assertGreaterEqual(counts["skipped"], 2)


if __name__ == "__main__":
    main()
