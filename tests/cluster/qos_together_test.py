# SPDX-License-Identifier: GPL-2.0-or-later
"""Several administrators at the same time: no change is lost without a message."""

from __future__ import annotations

import subprocess
import threading
import time

from qosgate_dev.cluster.programs import mariadb_version
from qosgate_dev.testing import HANG_SECONDS, main

from mariadb_locks import has_lock_wait
from qos_cli import CONFLICT, EXISTS, OK, QosTestCase
from slurmdbd_proxy import COMMIT, MODIFY_QOS, READ_QOS, SlurmdbdProxy

ROUNDS = 6

# What libslurm prints about such a refusal, which slurmdbd reports without an error number.
STALE_WRITE = "qosgate: No error\n"


def refuses_stale_writes() -> bool:
    """Whether MariaDB refuses to write to a row that somebody else has changed since it was read
    (innodb_snapshot_isolation). In older releases the last writer wins."""
    return mariadb_version() >= (11, 6, 2)


class Together(QosTestCase):
    def both(self, first: list[str], second: list[str]) -> list[tuple[int, str]]:
        """Runs two commands at once; exit status and standard error of each."""
        processes = [self.start(*first), self.start(*second)]
        errors = [process.communicate(timeout=HANG_SECONDS)[1] for process in processes]
        return [(p.returncode, error) for p, error in zip(processes, errors, strict=True)]

    def wait_for_a_lock_wait(self) -> None:
        socket = self.cluster.layout.mariadb_socket
        self.cluster.wait_for(lambda: has_lock_wait(socket), "a transaction waits for another one")

    def test_limits_per_tres_of_two_are_both_kept(self) -> None:
        self.qos("create", "t-tres")
        for turn in range(ROUNDS):
            with self.subTest(turn):
                self.qos("update", "t-tres", "MaxTRESPU=unset")
                update = ["update", "t-tres"]
                done = self.both([*update, "MaxTRESPU=cpu=10"], [*update, "MaxTRESPU=mem=10G"])

                self.assertEqual([rc for rc, _ in done], [OK, OK], done)
                self.assertEqual(self.stored("t-tres", "maxtrespu"), "cpu=10,mem=10G")

    def test_flags_that_two_add_are_both_kept(self) -> None:
        self.qos("create", "t-flags")
        for turn in range(ROUNDS):
            with self.subTest(turn):
                self.qos("update", "t-flags", "Flags=unset")
                update = ["update", "t-flags"]
                done = self.both([*update, "Flags+=DenyOnLimit"], [*update, "Flags+=NoDecay"])

                self.assertEqual([rc for rc, _ in done], [OK, OK], done)
                self.assertEqual(self.stored("t-flags", "flags"), "DenyOnLimit,NoDecay")

    def test_of_two_that_create_one_is_told_what_the_other_made(self) -> None:
        for turn in range(ROUNDS):
            with self.subTest(turn):
                create = ["create", "t-new"]
                done = self.both([*create, "Priority=1", "MaxWall=11"], [*create, "Priority=2"])

                self.assertEqual(sorted(rc for rc, _ in done), [OK, EXISTS], done)
                stored = "2|" if done[0][0] == EXISTS else "1|00:11:00"
                values = "Priority=2)" if done[0][0] == EXISTS else "Priority=1 MaxWall=00:11:00)"
                self.assertEqual(self.stored("t-new", "priority,maxwall"), stored)
                self.assertIn(values, done[0][1] + done[1][1])
                self.qos("delete", "t-new")

    def test_a_wait_for_sacctmgr_is_said_and_its_change_is_kept(self) -> None:
        self.qos("create", "t-wait")
        change = "modify qos t-wait set maxtrespu=mem=10G flags+=nodecay"
        open_prompt = self.start_program("stdbuf", "-o0", "sacctmgr", *change.split())
        self.wait_until_it_says(open_prompt, "to decide")  # it holds the record when it asks

        start = time.monotonic()
        ours = self.start("update", "t-wait", "MaxTRESPU=cpu=10", "Flags+=DenyOnLimit")
        assert ours.stderr is not None
        said = ours.stderr.readline()
        waited = time.monotonic() - start
        open_prompt.communicate("y\n", timeout=HANG_SECONDS)
        out, rest = ours.communicate(timeout=HANG_SECONDS)

        self.assertIn("to modify QOS t-wait: another administrator's transaction is probably", said)
        self.assertGreater(waited, 1.5)
        self.assertEqual((ours.returncode, rest), (OK, STALE_WRITE if refuses_stale_writes() else ""))
        self.assertIn("MaxTRESPerUser: mem=10G -> cpu=10,mem=10G\n", out)
        self.assertEqual(self.stored("t-wait", "maxtrespu"), "cpu=10,mem=10G")
        self.assertEqual(self.stored("t-wait", "flags"), "DenyOnLimit,NoDecay")

    def test_who_is_overtaken_right_after_the_commit_is_told_what_stands(self) -> None:
        self.qos("create", "t-late", "MaxTRESPU=cpu=2")
        sacctmgr: list[subprocess.Popen[str]] = []
        wants_to_write = threading.Event()

        def theirs(body: bytes) -> None:
            if body.startswith(MODIFY_QOS):
                wants_to_write.set()

        def between(body: bytes) -> None:
            if body.startswith(COMMIT):  # sacctmgr looks, and waits to write what it has computed
                change = "-i modify qos t-late set maxtrespu=mem=5G"
                env = self.conf_with("theirs.conf", AccountingStoragePort=their_proxy.port)
                sacctmgr.append(self.start_program("sacctmgr", *change.split(), env=env))
                wants_to_write.wait(timeout=HANG_SECONDS)
                self.wait_for_a_lock_wait()  # slurmdbd has read the row, and waits to write it
            elif sacctmgr and body.startswith(READ_QOS):
                sacctmgr[0].wait(timeout=HANG_SECONDS)

        with (
            SlurmdbdProxy(self.slurmdbd_port, before=theirs) as their_proxy,
            SlurmdbdProxy(self.slurmdbd_port, before=between) as proxy,
        ):
            env = self.through(proxy)
            rc = OK if refuses_stale_writes() else CONFLICT
            result = self.qos("update", "t-late", "MaxTRESPU=cpu=10", rc=rc, env=env)

        if refuses_stale_writes():
            self.assertNotEqual(sacctmgr[0].wait(timeout=HANG_SECONDS), 0)
            self.assertEqual(self.stored("t-late", "maxtrespu"), "cpu=10")
            return
        self.assertEqual(self.stored("t-late", "maxtrespu"), "cpu=2,mem=5G")
        self.assertIn("stored, but somebody else changed it right afterwards", result.stderr)
        self.assertIn("MaxTRESPerUser is cpu=2,mem=5G now, not cpu=10;", result.stderr)


if __name__ == "__main__":
    main()
