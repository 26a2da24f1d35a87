# SPDX-License-Identifier: GPL-2.0-or-later
"""Decision records: what a live slurmctld writes, and how it answers to a file that cannot be written."""

from __future__ import annotations

import json
import re
import stat
import tempfile
from pathlib import Path

import jsonschema
from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((Path(__file__).parents[2] / "contrib" / "decision-record.schema.json").read_text())
)
RULES = """\
rule { submit = function(job)
    if job.comment == "no" then job:reject("not today") end
    if job.comment == "warn" then job:warn("mind the time") end
    if job.comment == "note" then job:note("all is well") end
    if job.comment == "other" then job.qos = "counted" end
end }
"""


class Records(PluginTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.records_file = Path(directory.name) / "records.jsonl"
        cls.write_site("")
        cls.put_in_force({"10-rules.lua": RULES})

    @classmethod
    def write_site(cls, settings: str) -> None:
        cls.put_in_force({"site.lua": f'site {{ record_file = "{cls.records_file}", {settings} }}\n'})

    def records(self) -> list[dict]:
        lines = self.records_file.read_text().splitlines() if self.records_file.exists() else []
        found = [json.loads(line) for line in lines]
        for record in found:
            self.assertEqual([error.message for error in SCHEMA.iter_errors(record)], [], record)
        return found

    def record_of(self, name: str) -> dict:
        """The record of the job of this name, which must come."""

        def find() -> list[dict]:
            return [record for record in self.records() if record["request"].get("name") == name]

        self.cluster.wait_for(lambda: bool(find()), f"job {name} is recorded")
        (record,) = find()
        return record

    def test_a_refused_job_is_found_by_the_id_that_its_user_reads(self) -> None:
        result = self.submit("--hold --qos=small -n3 --job-name=large")
        record = self.record_of("large")
        self.expect(result, False, "(QOSMaxCpuPerJobLimit)", f"decision {record['id']}: name it if you ask about this job\n", "Job violates")
        self.assertEqual(record["outcome"], "refused by slurmctld")
        self.assertEqual(record["reason"], "QOSMaxCpuPerJobLimit")
        self.assertEqual((record["user"], record["qos"], record["event"]), (USER, "small", "submission"))
        self.assertEqual((record["request"]["qos"], record["request"]["tasks"]), ("small", 3))
        self.assertIn("limit 2", " ".join(record["message"]))
        self.assertEqual(stat.S_IMODE(self.records_file.stat().st_mode), 0o600)

    def test_what_rules_do_is_recorded_with_the_rule(self) -> None:
        self.expect(self.submit("--hold --comment=no --job-name=rejected"), False, "not today", "decision ")
        self.expect(self.submit("--hold --comment=other --job-name=changed"), True)
        rejected = self.record_of("rejected")
        self.assertEqual(rejected["outcome"], "refused")
        (event,) = rejected["events"]
        self.assertEqual((event["effect"], event["file"], event["mode"]), ("rejected", "10-rules.lua", "enforce"))
        changed = self.record_of("changed")
        self.assertEqual(changed["outcome"], "accepted")
        self.assertEqual(changed["events"][0]["effect"], "changed")
        self.assertIn("counted", changed["events"][0]["text"])
        self.assertNotIn("qos", changed["request"])  # the request as it was sent

    def test_a_decision_that_only_warned_is_recorded(self) -> None:
        self.expect(self.submit("--hold --comment=warn --job-name=warned"), True, "mind the time")
        self.expect(self.submit("--hold --comment=note --job-name=noted"), True, "all is well")
        for name, did, text in (("warned", "warned", "mind the time"), ("noted", "noted", "all is well")):
            record = self.record_of(name)
            (event,) = record["events"]
            self.assertEqual((record["outcome"], event["effect"], event["text"]), ("accepted", did, text))
            self.assertEqual(record["message"], [text])

    def test_records_are_rotated_by_size_and_the_oldest_go(self) -> None:
        self.write_site("record_file_mib = 1, record_files_kept = 2, record_percent = 100")
        self.addCleanup(self.write_site, "")
        kept = [self.records_file.with_name(f"{self.records_file.name}{end}") for end in ("", ".1", ".2", ".3")]
        # Each record of such a job has about a kilobyte, so 2,000 of them are two files and more.
        self.submit_jobs("many", "10", "qos=other")

        def sizes() -> list[int]:
            lines = self.records_file.read_bytes().splitlines(keepends=True)
            return [len(line) for line in lines if json.loads(line)["request"].get("name") == "api"]

        self.cluster.wait_for(lambda: len(sizes()) == 10, "ten are recorded")
        each = sum(sizes()) / 10
        self.submit_jobs("many", str(int(4.5 * 2**20 / each)), "qos=other")
        self.expect(self.submit("--hold --job-name=last"), True)
        self.record_of("last")
        self.assertEqual([file.exists() for file in kept], [True, True, True, False])
        kept_records = []
        for file in reversed(kept[:3]):
            self.assertLess(file.stat().st_size, 2**20 + 65536)
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
            kept_records += [json.loads(line) for line in file.read_text().splitlines()]
        # Whole lines, and from the oldest that is kept on none is missing but those that are counted.
        numbers = [int(record["id"].partition("-")[2]) for record in kept_records]
        lost = sum(record.get("dropped_before", 0) for record in kept_records[1:])
        self.assertEqual(numbers[-1] - numbers[0] + 1, len(numbers) + lost)
        for file in kept[1:]:
            file.unlink(missing_ok=True)

    def test_a_job_that_passes_silently_is_recorded_by_percent(self) -> None:
        self.submit("--hold --job-name=silent-0")
        self.submit("--hold --comment=no --job-name=behind-0")
        self.record_of("behind-0")
        self.assertNotIn("silent-0", [record["request"].get("name") for record in self.records()])
        self.write_site("record_percent = 100")
        self.addCleanup(self.write_site, "")
        self.expect(self.submit("--hold --job-name=silent-100"), True)
        record = self.record_of("silent-100")
        self.assertEqual((record["outcome"], record["events"], record["message"]), ("accepted", [], []))

    def test_a_change_is_recorded_with_its_job(self) -> None:
        self.write_site('record_percent = 100, limits = "enforce"')
        self.addCleanup(self.write_site, "")
        job = self.cluster.sbatch("--hold --job-name=to-change -n3", USER).job
        self.cluster.run(f"scontrol update job={job} qos=small", USER)
        self.cluster.wait_for(
            lambda: any(record.get("job_id") == job for record in self.records()), "the change is recorded"
        )
        (record,) = [record for record in self.records() if record.get("job_id") == job]
        self.assertEqual((record["event"], record["outcome"], record["request"]["qos"]), ("change", "refused", "small"))

    def test_a_file_that_cannot_be_written_delays_no_job_and_is_told(self) -> None:
        self.wait_until_status(0)
        self.records_file.unlink(missing_ok=True)
        self.records_file.symlink_to("/dev/null")
        self.submit("--hold --comment=no")
        self.expect_logged_error("is a symbolic link")
        self.assertRegex(self.wait_until_status(1), r"decisions are not recorded: .*; correct this")
        self.records_file.unlink()
        self.submit("--hold --comment=no --job-name=again")
        self.assertGreaterEqual(self.record_of("again")["dropped_before"], 1)
        self.wait_until_status(0)

    def test_ids_of_two_starts_differ(self) -> None:
        self.submit("--hold --comment=no --job-name=first")
        self.record_of("first")
        self.cluster.restart("slurmctld")
        self.let_the_plugin_see_the_cluster()
        self.submit("--hold --comment=no --job-name=second")
        self.record_of("second")
        ids = [record["id"] for record in self.records()]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertTrue(all(re.fullmatch(r"[0-9a-f]+-\d+", item) for item in ids), ids)


if __name__ == "__main__":
    main()
