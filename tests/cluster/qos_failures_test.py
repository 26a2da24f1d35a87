# SPDX-License-Identifier: GPL-2.0-or-later
"""`qosgate qos` when something is in the way: daemons, permissions, uses of a QOS, Ctrl-C."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import select
import shlex
import signal
import tempfile
import threading
from pathlib import Path

from qosgate_dev.cluster.programs import slurm_version
from qosgate_dev.testing import HANG_SECONDS, CommandResult, main
from qosgate_dev.testing.cluster import LOOKS_PER_SECOND

from qos_cli import CONFLICT, NO_PERMISSION, OK, UNAVAILABLE, QosTestCase
from slurmdbd_proxy import COMMIT, MODIFY_QOS, SlurmdbdProxy


class Permission(QosTestCase):
    def test_an_ordinary_user_may_look_and_not_touch(self) -> None:
        self.qos("create", "mine", "MaxWall=60")

        self.assertIn("mine", self.qos("list", user="ana").stdout)
        for words in (("create", "hers"), ("update", "mine", "MaxWall=90"), ("delete", "mine")):
            for dry in ([], ["--dry-run"]):
                with self.subTest(words, dry=dry):
                    result = self.qos(*words, *dry, rc=NO_PERMISSION, user="ana")
                    why = "user ana may not; this requires root, SlurmUser or AdminLevel=Administrator"
                    self.assertIn(why, result.stderr)
                    self.assertEqual(result.stdout, "")
        self.assertEqual(self.stored("mine", "maxwall"), "01:00:00")
        self.assertFalse(self.exists("hers"))

    def test_an_administrator_of_the_database_may(self) -> None:
        self.cluster.sacctmgr("add account admins")
        self.cluster.sacctmgr("add user ana account=admins")
        self.cluster.sacctmgr("modify user ana set adminlevel=administrator")
        self.addCleanup(self.cluster.sacctmgr, "modify user ana set adminlevel=none")

        dry = self.qos("create", "byana", "--dry-run", user="ana")
        self.qos("create", "byana", "MaxWall=60", user="ana")

        self.assertIn("byana: would be created", dry.stdout)

        self.assertEqual(self.stored("byana", "maxwall"), "01:00:00")


def refused_connections() -> int:
    """How many there were in this network so far, which is the test's own."""
    lines = Path("/proc/thread-self/net/snmp").read_text().splitlines()
    names, values = (line.split() for line in lines if line.startswith("Tcp:"))
    return int(values[names.index("AttemptFails")])


class Unavailable(QosTestCase):
    def test_a_slurmdbd_that_is_down_is_named_at_once(self) -> None:
        usual = self.cluster.looks_until_over(lambda: self.qos("list"))
        self.cluster.stop("slurmctld", "slurmdbd")  # slurmctld tries to connect, too
        self.addCleanup(self.cluster.start)
        before = refused_connections()

        results = []
        looks = self.cluster.looks_until_over(lambda: results.append(self.qos("list", rc=UNAVAILABLE)))

        self.assertEqual(refused_connections() - before, 1, "it does not try again")
        self.assertLess(looks, 2 * usual + LOOKS_PER_SECOND, "it does not wait")
        [result] = results
        self.assertIn(f"slurmdbd at 127.0.0.1:{self.slurmdbd_port}: cannot connect", result.stderr)
        self.assertIn("is slurmdbd running?", result.stderr)

    def test_a_bad_configuration_is_named(self) -> None:
        no_munge = {"AccountingStoragePass": "/none", "AuthInfo": "socket=/none"}
        cases = {
            "SLURM_CONF=/gone/slurm.conf: No such file": {"SLURM_CONF": "/gone/slurm.conf"},
            "authentication failed; is munged running": self.conf_with("a.conf", **no_munge),
            "NoSuchSetting": self.conf_with("b.conf", ClusterName="c\nNoSuchSetting=1"),
        }
        for text, env in cases.items():
            with self.subTest(text):
                self.assertIn(text, self.qos("list", rc=UNAVAILABLE, env=env).stderr)

    def test_a_connection_that_breaks_changes_all_or_nothing(self) -> None:
        names = ("half1", "half2")
        self.qos("create", ",".join(names), "MaxWall=0")
        with SlurmdbdProxy(self.slurmdbd_port, fail_at=0) as proxy:
            self.qos("update", *names, "MaxWall=1", env=self.through(proxy))
            total = proxy.requests
        self.assertGreater(total, 5)

        # Different changes, so that there are two writes to interrupt.
        self.qos("update", "half1", "Flags=NoDecay")
        for n in range(1, total + 2):
            with self.subTest(request=n), SlurmdbdProxy(self.slurmdbd_port, fail_at=n) as proxy:
                before = [self.stored(name, "maxwall") for name in names]
                words = ["update", *names, f"MaxWall={n + 1}", "Flags+=DenyOnLimit"]
                self.qos("update", *names, "Flags-=DenyOnLimit")
                command = [str(self.binary), "qos", *words]
                result = self.cluster.run(command, env=self.through(proxy))
                after = [self.stored(name, "maxwall") for name in names]

                wanted = [f"00:{n + 1:02}:00"] * 2
                self.assertIn(result.rc, (OK, UNAVAILABLE, CONFLICT), str(result))
                self.assertIn(after, [before, wanted], str(result))
                if result.rc == OK:
                    self.assertEqual(after, wanted, str(result))
                elif "stored, but not read again" in result.stderr:
                    self.assertEqual(after, wanted, str(result))
                elif "whether the changes were stored is unknown" not in result.stderr:
                    self.assertEqual(after, before, str(result))

    def test_a_slurmdbd_that_falls_silent_is_given_up(self) -> None:
        self.qos("create", "silent", "MaxWall=60")
        for n in (1, 2, 6):
            proxy = SlurmdbdProxy(self.slurmdbd_port, fail_at=n, is_silent=True)
            with self.subTest(request=n), proxy:
                words = ["update", "silent", "MaxWall=90", "--timeout", "1"]
                result = self.qos(*words, rc=UNAVAILABLE, env=self.through(proxy))
                self.assertIn("no answer within 1 s", result.stderr)
                self.assertEqual(self.stored("silent", "maxwall"), "01:00:00")

    def test_an_interrupt_before_the_commit_changes_nothing_and_says_so(self) -> None:
        self.qos("create", "ctrlc", "MaxWall=60")
        with SlurmdbdProxy(self.slurmdbd_port, MODIFY_QOS, is_silent=True) as proxy:
            process = self.start("update", "ctrlc", "MaxWall=90", env=self.through(proxy))
            self.cluster.wait_for(lambda: proxy.has_failed, "it wants to write")
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=HANG_SECONDS)

        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(said, "qosgate: interrupted: nothing was changed\n")
        self.assertEqual(self.stored("ctrlc", "maxwall"), "01:00:00")
        self.qos("update", "ctrlc", "MaxWall=62")

    def test_an_interrupt_during_the_commit_waits_for_the_truth(self) -> None:
        for name, answers in (("ctrl1", True), ("ctrl2", False)):
            with self.subTest(name):
                fail_at = 0 if answers else COMMIT
                is_heard = threading.Event()

                def interrupt(body: bytes) -> None:
                    if body.startswith(COMMIT):
                        process.send_signal(signal.SIGINT)
                        is_heard.wait(timeout=HANG_SECONDS)

                proxy = SlurmdbdProxy(self.slurmdbd_port, fail_at, is_silent=True, before=interrupt)
                with proxy:
                    process = self.start("create", name, env=self.through(proxy))
                    stderr = process.stderr
                    self.cluster.wait_for(
                        lambda: select.select([stderr], [], [], 0)[0], "it says that it waits"
                    )
                    is_heard.set()
                    if not answers:
                        self.cluster.wait_for(lambda: proxy.has_failed, "it commits")
                        process.send_signal(signal.SIGINT)
                    _, said = process.communicate(timeout=HANG_SECONDS)

                self.assertEqual(process.returncode, -signal.SIGINT, said)
                self.assertIn("waiting for its answer", said)
                end = "the change is stored" if answers else "whether the change was stored is unknown"
                self.assertIn(f"qosgate: interrupted: {end}", said)
                self.assertEqual(self.exists(name), answers)

    def test_an_interrupt_after_the_commit_says_that_the_change_is_stored(self) -> None:
        """While the answer cannot be written: nobody reads the pipe, which is full."""
        with tempfile.TemporaryDirectory() as directory:
            pipe = Path(directory) / "pipe"
            os.mkfifo(pipe)
            reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
            self.addCleanup(os.close, reader)
            writer = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            self.addCleanup(os.close, writer)
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(writer, b"x")
            program = ("sh", "-c", f'exec "$@" > {pipe}', "sh", str(self.binary))
            process = self.start_program(*program, "qos", "create", "ctrl3")

            def is_disconnected() -> bool:
                open_files = Path(f"/proc/{process.pid}/fd").iterdir()
                return not any(os.readlink(file).startswith("socket:") for file in open_files)

            self.cluster.wait_for(lambda: self.exists("ctrl3") and is_disconnected(), "all is done but the answer")
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=HANG_SECONDS)

        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(said, "qosgate: interrupted: the change is stored\n")


class DeleteGuard(QosTestCase):
    def cluster_name(self) -> str:
        return re.search(r"(?m)^ClusterName=(\S+)", self.cluster.layout.slurm_conf.read_text())[1]

    def run_cures(self, result: CommandResult) -> list[str]:
        """Runs the commands that an error shows, as pasted into a shell."""
        _, _, rest = result.stderr.partition("what to do first:\n")
        indented = itertools.takewhile(lambda line: line.startswith("  "), rest.splitlines())
        commands = [line.strip() for line in indented]
        self.assertTrue(commands, result)
        for command in commands:
            done = self.cluster.run(["bash", "-c", re.sub("^qosgate", str(self.binary), command)])
            self.assertEqual(done.rc, 0, done)
            self.assertNotIn("access to their default qos", done.stdout + done.stderr)
        return commands

    def test_the_commands_of_the_error_end_the_uses_as_they_stand(self) -> None:
        self.qos("create", "c-a,c-b,c-c,c-d")
        self.qos("create", "c-high", "Preempt=c-a")
        for line in (
            "add account top qos=normal,c-a,c-b,c-d",
            "add account below parent=top qos=c-a,c-b defaultqos=c-a",
            "modify account top set defaultqos=c-b",
            "add account other parent=top defaultqos=c-a",
            "add user ana account=below",
            "add user ana account=other",
            "modify user ana where account=other set defaultqos=c-b qos+=c-c",
            "add user ana account=other partition=main qos=normal,c-a defaultqos=normal",
            "add user root account=top defaultqos=c-b",
        ):
            self.cluster.sacctmgr(line)
        job = self.cluster.sbatch("-A top --qos c-a --hold").job
        self.qos("delete", "c-a,c-b", "--force", rc=CONFLICT)

        commands = self.run_cures(self.qos("delete", "c-a,c-b", rc=CONFLICT))

        self.cluster.wait_for(lambda: self.cluster.job_state(job) == "CANCELLED", "the job is over")
        self.qos("delete", "c-a,c-b")
        shown = self.cluster.sacctmgr(
            "-n -P show assoc wopl where account=top,below,other format=account,user,partition,qos,defaultqos"
        ).stdout
        self.assertEqual(
            sorted(shown.split()),
            sorted(
                [
                    "top|||c-d,normal|",
                    "below||||",
                    "other||||",
                    "top|root|||",
                    "below|ana|||",
                    "other|ana||c-c|",
                    "other|ana|main|normal|normal",
                ]
            ),
            commands,
        )

    def test_a_qos_that_associations_have_is_kept(self) -> None:
        self.qos("create", "g-a,g-b,g-c")
        self.cluster.sacctmgr("add account guard qos=g-a,g-b,g-c defaultqos=g-a")

        # slurmdbd before 24.05 would damage the association's list of QOSs.
        is_damaged = slurm_version() < (24, 5)
        for words in [("g-b",), ("g-b", "--dry-run")] + [("g-b", "--force")] * is_damaged:
            with self.subTest(words):
                result = self.qos("delete", *words, rc=CONFLICT)
                self.assertIn("\n  g-b: account guard of cluster ", result.stderr)
                cluster = self.cluster_name()
                cure = f"what to do first:\n  sacctmgr -i modify account guard where cluster={cluster} set qos-=g-b\n"
                self.assertIn(cure, result.stderr)
        default = self.qos("delete", "g-a", "--force", rc=CONFLICT)
        self.assertRegex(default.stderr, r"\n  g-a: account guard of cluster \w+ has it as default\n")
        self.assertIn("--force does not help:\n", default.stderr)
        self.assertTrue(self.exists("g-a") and self.exists("g-b"))

        if is_damaged:
            self.cluster.sacctmgr("modify account guard set qos-=g-b")
        self.qos("delete", "g-b", *([] if is_damaged else ["--force"]))
        shown = self.cluster.sacctmgr("-n -P show assoc account=guard format=qos").stdout
        self.assertEqual(shown.strip(), "g-a,g-c")

    def test_a_qos_that_another_preempts_is_kept_unless_forced(self) -> None:
        self.qos("create", "g-low")
        self.qos("create", "g-high", "Preempt=g-low,normal")

        result = self.qos("delete", "g-low", rc=CONFLICT)
        use = "\n  g-low: QOS g-high may preempt its jobs\n"
        self.assertIn(use, result.stderr)
        cure = "\nwhat to do first:\n  qosgate qos update g-high Preempt-=g-low\n"
        self.assertIn(cure, result.stderr)
        forced = self.qos("delete", "g-low", "--force")

        self.assertIn("warning: --force deletes what is, or may be, in use:" + use, forced.stderr)
        self.assertIn("what happens then:\n  it is taken out of their Preempt\n", forced.stderr)
        self.assertIn("g-high: updated\n  Preempt: g-low,normal -> normal\n", forced.stdout)
        self.assertEqual(self.stored("g-high", "preempt"), "normal")
        self.qos("create", "g-low")
        self.assertEqual(self.stored("g-high", "preempt"), "normal")

    def test_qos_that_preempt_only_each_other_go_together(self) -> None:
        self.qos("create", "g-one")
        self.qos("create", "g-two", "Preempt=g-one")

        self.qos("delete", "g-one,g-two")

        self.assertFalse(self.exists("g-one") or self.exists("g-two"))

    def test_a_qos_with_jobs_or_partitions_is_kept(self) -> None:
        self.qos("create", "g-job")
        self.cluster.sacctmgr("add account working qos=normal,g-job")
        self.cluster.sacctmgr("add user root account=working")
        job = self.cluster.sbatch("-A working --qos g-job --hold").job
        self.cluster.scontrol("create partition=g-part nodes=ALL allowqos=g-job")

        result = self.qos("delete", "g-job", rc=CONFLICT)
        self.assertIn(f"\n  g-job: job {job} asks for it\n", result.stderr)
        self.assertIn("\n  g-job: partition g-part has it in AllowQos or DenyQos\n", result.stderr)

        self.cluster.scontrol("delete partition=g-part")
        self.cluster.run(["scancel", str(job)], check=True)
        self.cluster.sacctmgr("modify account working set qos-=g-job")
        self.cluster.wait_for(lambda: self.cluster.job_state(job) == "CANCELLED", "the job is over")
        self.qos("delete", "g-job")

    def test_normal_is_kept(self) -> None:
        result = self.qos("delete", "normal", rc=CONFLICT)

        self.assertIn("\n  normal: slurmdbd gives it to each new cluster\n", result.stderr)
        self.assertNotIn("what to do first", result.stderr) # nothing helps
        self.assertTrue(self.exists("normal"))

    def test_without_slurmctld_nothing_is_deleted_unless_forced(self) -> None:
        self.qos("create", "g-quiet")
        self.cluster.stop("slurmctld")
        self.addCleanup(self.cluster.start, "slurmctld")

        for dry in ([], ["--dry-run"]):
            result = self.qos("delete", "g-quiet", *dry, rc=UNAVAILABLE)
            self.assertIn("slurmctld cannot be reached (", result.stderr)
            self.assertIn("): jobs and partitions are unknown\n", result.stderr)
            self.assertIn("\nwith --force they are deleted anyway, and then:\n", result.stderr)
        self.assertTrue(self.exists("g-quiet"))

        forced = self.qos("delete", "g-quiet", "--force")
        self.assertIn("slurmctld does not start again if slurm.conf gives one", forced.stderr)
        self.assertFalse(self.exists("g-quiet"))

    def test_the_qos_of_a_partition_is_kept_and_force_says_the_worst(self) -> None:
        self.qos("create", "g-pq")
        self.cluster.scontrol("create partition=g-own nodes=ALL qos=g-pq")
        self.addCleanup(self.cluster.scontrol, "delete partition=g-own")

        refused = self.qos("delete", "g-pq", rc=CONFLICT)
        self.assertTrue(self.exists("g-pq"))
        forced = self.qos("delete", "g-pq", "--force")

        for said in (refused.stderr, forced.stderr):
            self.assertIn("\n  g-pq: partition g-own has it as its QOS\n", said)
            self.assertIn("AND DOES NOT START AGAIN until slurm.conf gives these", said)
        self.assertFalse(self.exists("g-pq"))

    def test_each_use_is_a_line_and_json_has_all(self) -> None:
        self.qos("create", "g-many")
        higher = [f"g-many{n}" for n in range(25)]
        self.qos("create", ",".join(higher), "Preempt=g-many")

        lines = self.qos("delete", "g-many", rc=CONFLICT).stderr.splitlines()
        error = self.json("delete", "g-many", rc=CONFLICT)["error"]

        self.assertEqual(sum("may preempt its jobs" in line for line in lines), 20)
        self.assertIn("  ... and 5 more uses (--json lists all)", lines)
        use = {"qos": "g-many", "kind": "preempt", "by": sorted(higher), "can_be_forced": True}
        self.assertEqual(error["uses"], [use])
        self.qos("delete", "g-many", *higher)

    def test_what_was_deleted_can_be_created_again(self) -> None:
        self.qos("create", "g-back", "Description=it's  two", "GrpTRES=cpu=4,mem=1536M", "MaxWall=0")
        self.qos("update", "g-back", "PreemptMode=requeue,within", "UsageFactor=0.3", "Flags=NoDecay")
        self.qos("create", "g-back2", "Preempt=g-back,normal", "Description=", "GraceTime=90")
        before = self.json("get", "g-back2", "g-back")["qos"]

        deleted = self.json("delete", "g-back2", "g-back")["deleted"]
        self.assertEqual([qos["Name"] for qos in deleted], ["g-back", "g-back2"])
        for qos in deleted:
            words = shlex.split(qos["create"])
            self.assertEqual(words[:3], ["qosgate", "qos", "create"])
            self.qos(*words[2:])

        self.assertEqual(self.json("get", "g-back2", "g-back")["qos"], before)
        text = self.qos("delete", "g-back2").stdout
        command = "qosgate qos create g-back2 Description= Preempt=g-back,normal GraceTime=00:01:30"
        self.assertEqual(text, f"g-back2: deleted\n  to create it again: {command}\n")


if __name__ == "__main__":
    main()
