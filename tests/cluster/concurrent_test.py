#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Many submissions at once while rules, limits and slurmctld change: every answer is right.

slurmctld calls the plugin on several threads from 23.02 on, one at a time before. `scontrol
reconfigure` is a new slurmctld process from 23.11 on; before, the same one reads slurm.conf again.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import re
import signal
import subprocess
import time
import unittest
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from qosgate_dev.testing import HANG_SECONDS, Cluster, build_root, copy_program, main
from qosgate_dev.cluster import users

USER = "ana"
USERS_QOS = "normal,small,tiny,moving"
CLIENTS = 8

ACCEPTED = 0
NO_ANSWER = -1
ACCOUNTING_POLICY = 2050
INVALID_QOS = 2066
ACCESS_DENIED = 2002

# Memory that slurmctld may gain while its threads answer refused submissions: after a warm-up, in
# which the allocator's arenas, one per thread, find their size.
MEMORY_BYTES = 8 << 20

# What each kind of job is, for the helper.
CASES = {
    "fits": "qos=normal:tasks=1",
    "large": "qos=small:tasks=3",
    "closed": "qos=other:tasks=1",
    "moving": "qos=moving:tasks=3",
    "barred": "comment=bar:tasks=1",
    "routed": "comment=route:tasks=1",
    "routed_large": "comment=route:tasks=3",
    "passing": "qos=passing:tasks=3",
}
# The jobs that are judged while everything else changes.
LASTING_CASES = [name for name in CASES if name != "passing"]

# The rule in two versions. All its messages contain the name of the version, so that a mixture would be visible.
RULE = """\
rule {{ mode = "enforce", submit = function(job)
    if job.comment == "bar" then job:reject("barred by {name}") end
    if job.comment == "route" then
        job.qos = "{qos}"
        job.comment = "routed by {name}"
        job:warn("routed by {name}")
    end
end }}
"""
BROKEN_RULE = 'rule { mode = "enforce", submit = function(job) job.no_such = = 1 end }\n'
LIMITS = {"small": 2, "tiny": 1}
VERSIONS = {"one": "small", "two": "tiny"}


class Answer(NamedTuple):
    """The answer to one submission, which was decided between two moments of Python's monotonic clock."""

    case: str
    after: float
    when: float
    code: int
    job: int
    text: str


@dataclasses.dataclass
class Reconfigurations:
    """From when to when the plugin may not know slurmctld's partitions, for `scontrol reconfigure`."""

    spans: list[tuple[float, float]] = dataclasses.field(default_factory=list)
    begin: float | None = None  #: of the one that is not over

    def excuse(self, answer: Answer) -> bool:
        """Whether limits may not have been explained just then."""
        return any(begin <= answer.when and answer.after <= end for begin, end in self.spans)

    def end(self) -> None:
        """Limits are explained again."""
        assert self.begin is not None
        self.spans.append((self.begin, time.monotonic()))
        self.begin = None


def parse_answers(output: str) -> Iterator[Answer]:
    """The helper's output: lines for the user, then one that names their submission; then the next one is made."""
    lines: list[str] = []
    after = 0.0
    for line in output.splitlines():
        found = re.fullmatch(r"answer (\w+) ([\d.]+) (-?\d+) (\d+)", line)
        if found is None:
            lines.append(line)
            continue
        case, when, code, job = found.groups()
        yield Answer(case, after, float(when), int(code), int(job), "\n".join(lines))
        after = float(when)
        lines = []


class Clients:
    """Helpers that submit at the same time until their time is over; a context manager ends them.

    Without `seconds` they submit until they are ended.
    """

    def __init__(self, cluster: Cluster, cases: Sequence[str], seconds: float = HANG_SECONDS) -> None:
        program = copy_program(cluster, "tests/cluster/helpers/submit_loop")
        self._command = [
            program, str(seconds), *(f"{case}:{CASES[case]}" for case in cases)
        ]  # fmt: skip
        self._outputs = [
            cluster.write_beside(f"client-{number}.out", "") for number in range(CLIENTS)
        ]
        self._processes = [self._start(cluster, output) for output in self._outputs]

    def _start(self, cluster: Cluster, output: Path) -> subprocess.Popen[bytes]:
        record = users.find_user(cluster.layout, USER)
        with output.open("w") as stream:
            return subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stream,
                env=users.user_environment(cluster.layout, record),
                user=record.pw_uid,
                group=record.pw_gid,
                extra_groups=[],
            )

    def __enter__(self) -> Clients:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()

    def are_running(self) -> bool:
        """Whether none has ended yet."""
        return all(process.poll() is None for process in self._processes)

    def answers(self) -> list[Answer]:
        """Waits for the end; returns all answers. Errors: AssertionError if a client failed."""
        for process in self._processes:
            code = process.wait(timeout=HANG_SECONDS)
            assert code in (0, -signal.SIGKILL), f"a client ended with {code}"
        texts = (output.read_text(errors="replace") for output in self._outputs)
        return list(itertools.chain.from_iterable(map(parse_answers, texts)))


class Every:
    """Does something at most once per interval of some seconds."""

    def __init__(self, seconds: float, action: Callable[[], object]) -> None:
        self._seconds = seconds
        self._action = action
        self._next = time.monotonic() + seconds

    def look(self) -> None:
        if time.monotonic() >= self._next:
            self._action()
            self._next = time.monotonic() + self._seconds


class Concurrent(unittest.TestCase):
    cluster: Cluster
    rules: Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = Cluster.up(
            nodes=1,
            users=[USER],
            slurm_conf=(
                f"JobSubmitPlugins=qosgate\nPluginDir={build_root()}/plugin:@PLUGINDIR@\n"
                "MaxJobCount=200000\nMinJobAge=2\n"
            ),
        )
        cls.addClassCleanup(cls.cluster.down)
        for name, limit in (*LIMITS.items(), ("moving", 2)):
            cls.cluster.sacctmgr(f"add qos {name} MaxTRESPerJob=cpu={limit} Flags=DenyOnLimit")
        cls.cluster.sacctmgr("add qos other")
        cls.cluster.sacctmgr("add account astro")
        cls.cluster.sacctmgr(f"add user {USER} account=astro qos={USERS_QOS}")
        cls.rules = cls.cluster.layout.slurm_conf.parent / "qosgate.d"
        cls.rules.mkdir(mode=0o755)
        cls.put_in_force("one")

    def setUp(self) -> None:
        self.cluster.wait_for(
            lambda: self.are_limits_explained()
            and "barred by" in self.cluster.sbatch("--comment=bar", USER).stderr,
            "the plugin explains limits and runs rules",
        )

    @classmethod
    def put_in_force(cls, version: str) -> None:
        """Replaces the rule in one step; the plugin sees it a moment later."""
        qos = VERSIONS.get(version)
        new = cls.rules / "new"
        new.write_text(RULE.format(name=version, qos=qos) if qos else BROKEN_RULE)
        new.rename(cls.rules / "10-route.lua")

    def are_limits_explained(self) -> bool:
        return "limit 2" in self.cluster.sbatch("--qos=small -n3", USER).stderr

    def slurmctld_memory(self) -> int:
        pid = self.cluster.status()["slurmctld"]["pid"]
        status = Path(f"/proc/{pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

    def test_every_answer_is_right_while_all_else_changes(self) -> None:
        reconfigurations = Reconfigurations()
        versions = itertools.cycle(["two", "broken", "one"])
        limits = itertools.cycle([4, 2])

        def reconfigure() -> None:
            if reconfigurations.begin is None:
                reconfigurations.begin = time.monotonic()
                self.cluster.scontrol("reconfigure")

        def look_for_the_end() -> None:
            if reconfigurations.begin is not None and self.are_limits_explained():
                reconfigurations.end()

        put: list[str] = []

        def put_next_in_force() -> None:
            put.append(next(versions))
            self.put_in_force(put[-1])

        chores = [
            Every(1.5, put_next_in_force),
            Every(5.0, reconfigure),
            Every(0.2, look_for_the_end),
            Every(0.7, lambda: self.cluster.sacctmgr(
                f"modify qos moving set MaxTRESPerJob=cpu={next(limits)}")),
        ]  # fmt: skip
        with Clients(self.cluster, LASTING_CASES) as clients:
            while clients.are_running() and (len(reconfigurations.spans) < 4 or len(put) < 12):
                for chore in chores:
                    chore.look()
                time.sleep(0.05)
            self.assertTrue(clients.are_running())
            clients.end()
            answers = clients.answers()
        self.cluster.wait_for(self.are_limits_explained, "limits are explained again")
        if reconfigurations.begin is not None:
            reconfigurations.end()

        self.assert_slurmctld_is_well()
        answered = [answer for answer in answers if answer.code != NO_ANSWER]
        for answer in answered:
            getattr(self, f"check_{answer.case}")(answer, reconfigurations.excuse(answer))
        self.check_unanswered(
            [answer for answer in answers if answer.code == NO_ANSWER], reconfigurations
        )
        self.check_stored_jobs(answered)
        self.report(answered, reconfigurations)
        self.assertGreater(len(reconfigurations.spans), 3)
        explained = [answer for answer in answered if "this job asks for 3" in answer.text]
        self.assertGreater(len(explained), 100)
        for version in VERSIONS:
            self.assertTrue(any(f"routed by {version}" in answer.text for answer in answered))

    def check_unanswered(self, unanswered: Sequence[Answer], known: Reconfigurations) -> None:
        """Only a request that slurmctld could not read may stay without an answer.

        It reads none while it reads slurm.conf, or if the clock is set forward past MessageTimeout.
        """
        strange = [answer for answer in unanswered if not known.excuse(answer)]
        unread = [
            line
            for line in self.cluster.log("slurmctld").splitlines()
            if "error: slurm_receive_msg" in line and "Zero Bytes" not in line  # a client was killed
        ]
        self.assertLessEqual(len(strange), len(unread), (strange, unread, known))

    def check_fits(self, answer: Answer, _: bool) -> None:
        self.assertEqual((answer.code, answer.text), (ACCEPTED, ""), answer)

    def check_large(self, answer: Answer, is_excused: bool) -> None:
        self.assertEqual(answer.code, ACCOUNTING_POLICY, answer)
        if not is_excused:
            self.assertIn("limit 2, this job asks for 3", answer.text, answer)

    def check_closed(self, answer: Answer, is_excused: bool) -> None:
        self.assertEqual(answer.code, INVALID_QOS, answer)
        if not is_excused:
            self.assertIn("small", answer.text, answer)

    def check_moving(self, answer: Answer, _: bool) -> None:
        """The limit may change between the plugin's check and slurmctld's."""
        self.assertIn(answer.code, (ACCEPTED, ACCOUNTING_POLICY), answer)
        if "asked" in answer.text:
            self.assertIn("limit 2, this job asks for 3", answer.text, answer)

    def check_barred(self, answer: Answer, _: bool) -> None:
        self.assertEqual(answer.code, ACCESS_DENIED, answer)
        self.assertIn("barred by", answer.text, answer)

    def check_routed(self, answer: Answer, _: bool) -> None:
        self.assertEqual(answer.code, ACCEPTED, answer)
        self.assertIn("routed by", answer.text, answer)

    def check_routed_large(self, answer: Answer, is_excused: bool) -> None:
        """Rule, QOS and limit belong together."""
        self.assertEqual(answer.code, ACCOUNTING_POLICY, answer)
        version = self.version_in(answer.text)
        if not is_excused:
            limit = LIMITS[VERSIONS[version]]
            self.assertIn(f"limit {limit}, this job asks for 3", answer.text, answer)

    def version_in(self, text: str) -> str:
        """The only version of the rule that a text mentions."""
        versions = set(re.findall(r"routed by (\w+)", text))
        self.assertEqual(len(versions), 1, text)
        return str(versions.pop())

    def check_stored_jobs(self, answers: Sequence[Answer]) -> None:
        """slurmctld's jobs are as their users were told."""
        listing = self.cluster.run("squeue -h -o %i|%q|%k", check=True).stdout
        jobs = {int(row[0]): row[1:] for row in (line.split("|") for line in listing.splitlines())}
        told = [answer for answer in answers if answer.code == ACCEPTED]
        self.assertLessEqual({answer.job for answer in told}, jobs.keys())
        for answer in told:
            if answer.case == "routed":
                version = self.version_in(answer.text)
                wanted = [VERSIONS[version], f"routed by {version}"]
                self.assertEqual(jobs[answer.job], wanted, answer)

    def test_a_qos_that_comes_and_goes_counts_for_the_very_next_submission(self) -> None:
        """Even if it was looked up many times just before."""
        with Clients(self.cluster, ["passing", "large"]) as clients:
            for limit in (1, 2):
                self.add_passing_qos("passing", limit)
                self.assert_refused("passing", f"limit {limit}, this job asks for 3")
                self.cluster.sacctmgr("delete qos passing")
                self.assert_refused("passing", "there is no QOS 'passing'")
            self.assertTrue(clients.are_running())
        self.assert_slurmctld_is_well()

    def test_a_qos_in_the_place_of_another_is_not_taken_for_it(self) -> None:
        """The number is the same as before, and no look-up happened in between."""
        self.add_passing_qos("passing", 1)
        for gone, here in (("passing", "coming"), ("coming", "passing")):
            self.assert_refused(gone, "limit 1, this job asks for 3")
            # At the same time, because each takes half a second and a cached record is used for a second.
            both = f"sacctmgr -i delete qos {gone} & sacctmgr -i add qos {here}; wait"
            self.cluster.run(["sh", "-c", both], check=True)
            self.assert_refused(gone, f"there is no QOS '{gone}'")
            self.assert_refused(here, f"QOS {here} exists, but {USER} cannot use it")
            self.allow_passing_qos(here, 1)
        self.cluster.sacctmgr(f"delete qos {here}")
        self.assert_slurmctld_is_well()

    def add_passing_qos(self, name: str, limit: int) -> None:
        self.cluster.sacctmgr(f"add qos {name}")
        self.allow_passing_qos(name, limit)

    def allow_passing_qos(self, name: str, limit: int) -> None:
        self.cluster.sacctmgr(f"modify qos {name} set MaxTRESPerJob=cpu={limit} Flags=DenyOnLimit")
        # All of them: before 24.05 slurmdbd takes others off the list, too, when it deletes one.
        self.cluster.sacctmgr(f"modify user {USER} set qos={USERS_QOS},{name}")

    def assert_refused(self, qos: str, text: str) -> None:
        answer = self.cluster.sbatch(f"--qos={qos} -n3", USER)
        self.assertFalse(answer.accepted, answer)
        self.assertIn(text, answer.stderr, answer)

    def test_memory_stays_bounded(self) -> None:
        refused = ["large", "closed", "barred", "routed_large"]
        with Clients(self.cluster, refused, seconds=6) as clients:
            clients.answers()
        before = self.slurmctld_memory()

        with Clients(self.cluster, refused, seconds=8) as clients:
            answers = clients.answers()

        grown = self.slurmctld_memory() - before
        self.assertNotIn(ACCEPTED, {answer.code for answer in answers})
        print(f"{len(answers)} refused submissions: slurmctld gained {grown >> 10} KiB")
        self.assertLess(grown, MEMORY_BYTES)
        self.assert_slurmctld_is_well()

    def assert_slurmctld_is_well(self) -> None:
        self.assertTrue(self.cluster.status()["slurmctld"]["running"])
        log = self.cluster.log("slurmctld")
        ours = [line for line in log.splitlines() if "error: job_submit/qosgate" in line]
        unexpected = [line for line in ours if "10-route.lua" not in line]
        self.assertEqual(unexpected, [])

    def report(self, answers: Sequence[Answer], reconfigurations: Reconfigurations) -> None:
        counts = collections.Counter((answer.case, answer.code) for answer in answers)
        print(f"{len(answers)} answers, {len(reconfigurations.spans)} reconfigurations:")
        for (case, code), count in sorted(counts.items()):
            print(f"  {case:<14} {code:>5} {count:>6} times")


if __name__ == "__main__":
    main()
