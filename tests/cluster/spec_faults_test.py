# SPDX-License-Identifier: GPL-2.0-or-later
"""`qosgate spec apply` is killed, or a daemon below it, at random points: the records are all old or all new.

The plan makes a new QOS somebody's default, which takes two transactions; so a third end is allowed: the first
one is stored. The next apply always does the rest.

QG_FAULT_POINTS=N tries N points (9); QG_FAULT_SEED=N repeats a run. By hand:

    sudo QG_BUILD_ROOT=$PWD/build QG_FAULT_POINTS=200 contrib/dev/python tests/cluster/spec_faults_test.py
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from qosgate_dev.testing import HANG_SECONDS, main

from qos_cli import CONFLICT, OK, QosTestCase
from slurmdbd_proxy import COMMIT, SlurmdbdProxy

POINTS = int(os.environ.get("QG_FAULT_POINTS", "9"))
SEED = int(os.environ.get("QG_FAULT_SEED", str(random.randrange(10**6))))
ACCOUNTS = ["phys", "chem", "geo"]

OLD = """\
owner: faults
prune: true
qos:
  "stays-{n}":
    for_each: {n: [%s]}
    Priority: 1
    MaxWall: "1:00:00"
    GrpTRES: {cpu: 10, gpu: 2}
    access: {accounts: [phys], complete: true}
  "goes-{n}":
    for_each: {n: [%s]}
    Priority: 5
  was: {access: {accounts: [phys], default_for: [phys], complete: true}}
""" % (
    ", ".join(map(str, range(30))),
    ", ".join(map(str, range(5))),
)

NEW = """\
owner: faults
prune: true
qos:
  "stays-{n}":
    for_each: {n: [%s]}
    Priority: 2
    MaxWall: unset
    GrpTRES: {cpu: 20, mem: 1T}
    Flags: [DenyOnLimit]
    access: {accounts: [chem, geo], complete: true}
  "comes-{n}":
    for_each: {n: [%s]}
    Priority: 9
    Preempt: [stays-1]
    access: {accounts: [phys]}
  was: {access: {accounts: [chem], complete: true}}
  is: {Preempt: [comes-2, comes-3], access: {accounts: [phys], default_for: [phys]}}
""" % (
    ", ".join(map(str, range(30))),
    ", ".join(map(str, range(2, 12))),
)

# From new to old: a QOS is deleted when it is nobody's default any more.
BETWEEN = "owner: faults\nqos: {was: {access: {accounts: [phys, chem], default_for: [phys]}}}\n"



def at_commit(number: int, more: int = 0) -> Callable[[bytes], bool]:
    """Chooses the n-th commit, or the request that comes so many after it."""
    commits = later = 0

    def is_chosen(body: bytes) -> bool:
        nonlocal commits, later
        later += commits == number
        commits += body.startswith(COMMIT)
        return commits == number and later == more

    return is_chosen


NOTHING = "nothing was changed"
HALF = "only the first of two transactions is stored"


class SpecFaults(QosTestCase):
    # The records at each end, and how long an apply takes: learnt once for all tests of the file.
    old_records: str
    half_records: str
    new_records: str
    between_records: str
    takes: float

    def setUp(self) -> None:
        for account in ACCOUNTS:
            self.cluster.sacctmgr(f"add account {account}", check=False)
        self.old = self.write("old.yaml", OLD)
        self.new = self.write("new.yaml", NEW)
        self.between = self.write("between.yaml", BETWEEN)

    def write(self, name: str, text: str) -> str:
        path: Path = self.cluster.write_beside(name, text)
        return str(path)

    @property
    def history(self) -> Path:
        return self.cluster.directory.parent / "history"

    def entries(self) -> list[str]:
        """The applies that can be undone."""
        return sorted(path.name for path in self.history.glob("*.json"))

    def apply_command(self, spec: str) -> list[str]:
        return [str(self.binary), "spec", "apply", "--yes", "--timeout", "20", "--history", str(self.history), spec]

    def apply(self, spec: str, env: Mapping[str, str] | None = None) -> None:
        self.cluster.run(self.apply_command(spec), check=True, env=env)

    def back(self) -> None:
        """From any end to the old records."""
        self.apply(self.between)
        self.apply(self.old)

    def records(self) -> str:
        """All that the specs name, as sacctmgr shows it."""
        qos = self.cluster.sacctmgr("-n -P show qos format=name,priority,maxwall,grptres,flags,preempt")
        access = self.cluster.sacctmgr("-n -P show assoc format=account,user,qos,defaultqos")
        return "\n".join(sorted(qos.stdout.splitlines())) + "\n" + access.stdout

    def learn_ends(self) -> None:
        """Applies the new spec once wholly and once up to its second commit; leaves the old records."""
        if hasattr(SpecFaults, "half_records"):
            if self.records() != self.old_records:  # a test failed
                self.back()
            return
        self.apply(self.new)
        self.apply(self.between)
        SpecFaults.between_records = self.records()
        self.apply(self.old)
        SpecFaults.old_records = self.records()
        SpecFaults.takes = self.cluster.time_of(lambda: self.apply(self.new))[0]
        SpecFaults.new_records = self.records()
        self.back()
        self.assertEqual(self.records(), self.old_records)
        with SlurmdbdProxy(self.slurmdbd_port, at_commit(2)) as proxy:
            command = self.apply_command(self.new)
            said = self.cluster.run(command, env=self.through(proxy)).stderr
        SpecFaults.half_records = self.records()
        self.back()
        self.assertIn("the first of two transactions", said)
        self.assertEqual(len({self.old_records, self.half_records, self.new_records}), 3)

    def name_of(self, records: str) -> str:
        ends = {
            self.old_records: "old",
            self.half_records: "half",
            self.new_records: "new",
            self.between_records: "between",
        }
        return ends.get(records, "mixed:\n" + records)

    def expect_truth(self, said: str, end: str) -> None:
        """What a message claims must be so."""
        self.assertFalse(NOTHING in said and "of two transactions" in said, said)
        if NOTHING in said:
            self.assertEqual(end, "old", said)
        if HALF in said:
            self.assertEqual(end, "half", said)
        if "the change is stored" in said:
            self.assertEqual(end, "new", said)

    def finish(self) -> None:
        self.apply(self.new)
        self.assertEqual(self.name_of(self.records()), "new", "the next apply did not finish the work")
        self.back()


class Faults(SpecFaults):
    def kill(self, victim: str, apply: subprocess.Popen[str]) -> None:
        if victim == "the command":
            apply.kill()
            return
        pid = self.cluster.status()[victim]["pid"]
        assert isinstance(pid, int)
        os.kill(pid, signal.SIGKILL)

    def revive(self, victim: str) -> None:
        if victim == "mariadbd":
            self.cluster.restart("mariadbd", "slurmdbd")
        elif victim == "slurmdbd":
            self.cluster.restart("slurmdbd")
        self.cluster.wait_for(
            lambda: self.cluster.sacctmgr("-n show cluster", check=False).rc == 0,
            f"slurmdbd answers after the end of {victim}",
        )

    def test_the_next_apply_finishes_whatever_is_killed(self) -> None:
        chance = random.Random(SEED)
        self.learn_ends()
        outcomes: Counter[tuple[str, str]] = Counter()
        try:
            for point in range(POINTS):
                victim = ["the command", "slurmdbd", "mariadbd"][point % 3]
                with self.subTest(victim=victim, point=point, seed=SEED):
                    outcomes[victim, self.try_point(victim, chance.uniform(0, self.takes * 1.2))] += 1
        finally:
            print(f"{outcomes.total()} points, seed {SEED}: {dict(outcomes)}", flush=True)

    def try_point(self, victim: str, delay: float) -> str:
        """Kills it after so many seconds of an apply, and checks what is left. Returns the end."""
        apply = self.start_program(*self.apply_command(self.new))
        time.sleep(delay)
        self.kill(victim, apply)
        said = "".join(apply.communicate(timeout=HANG_SECONDS))
        self.revive(victim)
        end = self.name_of(self.records())

        if victim == "mariadbd":  # it may lose the transactions of the last second, also those of back()
            self.assertIn(end, ("old", "half", "new", "between"), said)
        else:
            self.assertIn(end, ("old", "half", "new"), said)
            self.expect_truth(said, end)
            if apply.returncode == 0:
                self.assertEqual(end, "new", said)
        self.finish()
        return end

    def test_each_lost_connection_is_told_truly(self) -> None:
        self.learn_ends()
        ends = set()
        for commit, more in [(0, 30), *((1, more) for more in range(0, 14, 2)), (2, 0), (2, 2)]:
            with self.subTest(commit=commit, more=more):
                with SlurmdbdProxy(self.slurmdbd_port, at_commit(commit, more)) as proxy:
                    result = self.cluster.run(self.apply_command(self.new), env=self.through(proxy))
                end = self.name_of(self.records())
                self.assertIn(end, ("old", "half", "new"), str(result))
                self.expect_truth(result.stderr, end)
                if result.rc == OK:
                    self.assertEqual(end, "new")
                elif "unknown" not in result.stderr:
                    words = {"old": "", "half": HALF, "new": "stored, but not read again"}[end]
                    self.assertIn(words, result.stderr)
                    self.assertEqual("'qosgate spec apply FILES' does the rest" in result.stderr, end == "half")
                ends.add(end)
                self.finish()
        self.assertGreaterEqual(ends, {"old", "half"})


class Interrupts(SpecFaults):
    def wait_for_words(self, process: subprocess.Popen[str], words: str) -> None:
        assert process.stderr is not None
        errors = process.stderr.fileno()
        said = b""

        def is_said() -> bool:
            nonlocal said
            if select.select([errors], [], [], 0)[0]:
                said += os.read(errors, 4096)
            return words.encode() in said

        self.cluster.wait_for(is_said, f"it says '{words}'")

    def test_an_interrupt_at_any_time_is_told_truly(self) -> None:
        chance = random.Random(SEED)
        self.learn_ends()
        for _ in range(9):
            delay = chance.uniform(self.takes * 0.2, self.takes * 1.1)
            with self.subTest(delay=delay, seed=SEED):
                entries = self.entries()
                apply = self.start_program(*self.apply_command(self.new))
                time.sleep(delay)
                apply.send_signal(signal.SIGINT)
                said = "".join(apply.communicate(timeout=HANG_SECONDS))
                end = self.name_of(self.records())

                self.assertIn(apply.returncode, (OK, -signal.SIGINT), said)
                self.assertIn(end, ("old", "new"), said)  # the second transaction is waited for
                self.expect_truth(said, end)
                self.assertEqual(len(self.entries()) - len(entries), int(end == "new"), said)
                self.finish()

    def test_a_second_interrupt_in_between_tells_what_is_stored(self) -> None:
        self.learn_ends()
        for point, words in ((at_commit(1, 5), HALF), (at_commit(2), "are stored is unknown")):
            with self.subTest(words):
                with SlurmdbdProxy(self.slurmdbd_port, point, is_silent=True) as proxy:
                    apply = self.start_program(*self.apply_command(self.new), env=self.through(proxy))
                    self.cluster.wait_for(lambda: proxy.has_failed, "it is at this request")
                    apply.send_signal(signal.SIGINT)
                    self.wait_for_words(apply, "a second interrupt ends this at once")
                    apply.send_signal(signal.SIGINT)
                    _, said = apply.communicate(timeout=HANG_SECONDS)
                self.assertEqual(apply.returncode, -signal.SIGINT, said)
                self.assertIn(words, said)
                self.assertNotIn("the change is stored", said)
                self.assertEqual(self.name_of(self.records()), "half", said)
                self.finish()


class Together(SpecFaults):
    def test_of_two_at_the_same_moment_one_wins(self) -> None:
        chance = random.Random(SEED)
        self.learn_ends()
        other = self.write("other.yaml", NEW.replace("Priority: 2", "Priority: 3").replace("Priority: 9", "Priority: 8"))
        self.apply(other)
        other_records = self.records()
        self.back()
        for rival, allowed in ((self.new, {"new"}), (other, {"new", "other"})):
            for _ in range(4):
                delay = chance.uniform(0, self.takes / 2)
                with self.subTest(rival=rival, delay=delay, seed=SEED):
                    one = self.start_program(*self.apply_command(self.new))
                    time.sleep(delay)
                    two = self.start_program(*self.apply_command(rival))
                    words = [process.communicate(timeout=HANG_SECONDS) for process in (one, two)]
                    found = self.records()

                    said = str(words)
                    statuses = {one.returncode, two.returncode}
                    self.assertLessEqual(statuses, {OK, CONFLICT}, said)
                    self.assertIn(OK, statuses, said)
                    self.assertIn("other" if found == other_records else self.name_of(found), allowed, said)
                    for process, (_, errors) in zip((one, two), words):
                        if process.returncode == CONFLICT:
                            self.assertRegex(errors, "changed (since the plan was made|them in between|the same)")
                    self.finish()


if __name__ == "__main__":
    main()
