# SPDX-License-Identifier: GPL-2.0-or-later
"""A cluster with the plugin, a policy that records decisions, and a candidate beside it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from .cluster import CommandResult
from .plugin_case import PluginTestCase
from .runner import build_root


class CandidateTestCase(PluginTestCase):
    """`put_in_force` has made the directory when a test begins; `next` is made there by `make_next`."""

    records_file: Path
    next: Path

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.records_file = Path(directory.name) / "records.jsonl"
        cls.put_in_force({"site.lua": f'site {{ record_file = "{cls.records_file}" }}\n'})
        cls.next = cls.directory / "next"

    def make_next(self, files: dict[str, str], settings: str = "") -> None:
        """Writes the candidate, other than that of the test before, so that its counts begin anew."""
        self.wait_for_time()
        self.next.mkdir(mode=0o755, exist_ok=True)
        for name, text in files.items():
            self.write(name, text)
        self.write("site.lua", f'-- {self._testMethodName}\nsite {{ {settings} }}\n')
        self.wait_until_loaded()

    def wait_for_time(self) -> None:
        """Waits until the candidate of the test before compares again: comparisons may take little time in all."""
        before = self.candidate()
        if before is None or before["policy"] is None:
            return

        def is_compared() -> bool:
            self.submit("--hold")
            now = self.candidate()
            return now is None or now["compared"] > before["compared"]

        self.cluster.wait_for(is_compared, "a job is compared")

    def candidate(self) -> dict | None:
        return json.loads(self.qosgate("status", "--json").stdout)["plugin"]["candidate"]

    def write(self, name: str, text: str) -> None:
        path = self.next / name
        path.parent.mkdir(mode=0o755, exist_ok=True)
        path.with_suffix(".new").write_text(text)
        path.with_suffix(".new").rename(path)

    def qosgate(self, *words: str) -> CommandResult:
        return self.cluster.run([str(build_root() / "contrib/qosgate/qosgate"), *words])

    def wait_for_candidate(self, is_so) -> dict | None:
        found = []

        def look() -> bool:
            found.append(self.candidate())
            return bool(is_so(found[-1]))

        try:
            self.cluster.wait_for(look, "the candidate's state")
        except Exception as error:
            raise AssertionError(f"the candidate is {found[-1:]}") from error
        return found[-1]

    def wait_for_counts(self, decisions: int) -> dict:
        """What became of so many decisions."""
        return self.wait_for_candidate(lambda it: it["compared"] + it["skipped"] == decisions)

    def wait_until_loaded(self) -> None:
        # By its hash: the one of the test before may still be there, and what it counts is lost with it.
        policy = json.loads(self.qosgate("policy", "check", "--json", str(self.next)).stdout)["hash"]
        self.wait_for_candidate(lambda it: it and it["policy"] == policy and it["compared"] == 0)

    def submit_with(self, comment: str) -> CommandResult:
        return self.submit(f"--hold --job-name={self._testMethodName}-{comment} --comment={comment}")

    def records(self) -> list[dict]:
        lines = self.records_file.read_text().splitlines() if self.records_file.exists() else []
        return [json.loads(line) for line in lines]

    def record_of(self, comment: str) -> dict:
        """The one of the job that submit_with() sent."""
        name = f"{self._testMethodName}-{comment}"
        return self.the_record(
            lambda record: "job_id" not in record and record["request"].get("name") == name, f"job with {comment}"
        )

    def the_record(self, is_it, what: str) -> dict:
        def find() -> list[dict]:
            return [record for record in self.records() if is_it(record)]

        self.cluster.wait_for(lambda: bool(find()), f"{what} is recorded")
        (record,) = find()
        return record
