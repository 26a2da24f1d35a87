# SPDX-License-Identifier: GPL-2.0-or-later
"""A backup controller: which rules it has after a takeover, and what it must not do while another one decides."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from qosgate_dev.cluster import processes, programs
from qosgate_dev.cluster import users as cluster_users
from qosgate_dev.cluster.layout import Layout
from qosgate_dev.testing import main
from qosgate_dev.testing.plugin_case import USER, PluginTestCase

PRIMARY = socket.gethostname()
STANDBY = "qgstandby"


class Standby:
    """A second slurmctld with its own loopback address and host name, which only it sees.

    Its slurm.conf and its qosgate.d are in a directory of its own. It ends with the cluster.

    Its host file lies over /etc/hosts, in a mount namespace of its own. With that of nss_wrapper, 2 of 100
    standbys ended with SIGSEGV: their first two look-ups are made by two threads, and nss_wrapper fills its
    table without a lock.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.etc = layout.etc / STANDBY
        self.policy = self.etc / "qosgate.d"
        self.log_file = layout.log / f"{STANDBY}.log"
        self._process: subprocess.Popen[bytes] | None = None
        shutil.copytree(layout.etc, self.etc, ignore=shutil.ignore_patterns(STANDBY, "qosgate.d"))
        self.hosts = self.etc / layout.hosts.name
        self.hosts.write_text(layout.hosts.read_text() + f"127.0.0.2 {STANDBY}\n")
        self.pid_file = layout.run / f"{STANDBY}.pid"
        conf = self.etc / "slurm.conf"
        paths = {
            str(layout.run / "slurmctld.pid"): str(self.pid_file),
            str(layout.log / "slurmctld.log"): str(self.log_file),
        }
        text = conf.read_text()
        for ours, its in paths.items():
            text = text.replace(ours, its)
        conf.write_text(text)

    def start(self) -> None:
        environment = cluster_users.environment(self.layout) | {processes.MARKER: str(self.layout.root)}
        del environment["NSS_WRAPPER_HOSTS"]
        slurmctld = [programs.get_program("slurmctld"), "-D", "-f", str(self.etc / "slurm.conf")]
        own_names = f'mount --bind "$1" /etc/hosts && hostname {STANDBY} && shift && exec "$@"'
        self._process = subprocess.Popen(
            ["unshare", "--uts", "--mount", "sh", "-c", own_names, "sh", str(self.hosts), *slurmctld],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def wake_ups(self) -> dict[str, int]:
        """How often its threads of policy and status have gone to sleep; nothing of one that starts or ends just now."""
        found = {}
        with contextlib.suppress(OSError, ValueError):
            for task in Path(f"/proc/{int(self.pid_file.read_text())}/task").iterdir():
                name = (task / "comm").read_text().strip()
                told = re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text())
                if told and name in ("qosgate-policy", "qosgate-status"):
                    found[name] = int(told[1])
        return found

    def log(self) -> str:
        return self.log_file.read_text(errors="replace") if self.log_file.exists() else ""

    def tell(self) -> str:
        """Its log, and how it ended if it did."""
        ended = None if self._process is None else self._process.poll()
        return self.log() if ended is None else f"{self.log()}\nthe standby ended with {ended}"


def refusal(words: str) -> str:
    return f'rule {{ submit = function(job) job:reject("{words}") end }}\n'


class StandbyTestCase(PluginTestCase):
    """Two controllers with the same rules; the primary is in charge."""

    slurm_conf = f"SlurmctldHost={PRIMARY}(127.0.0.1)\nSlurmctldHost={STANDBY}(127.0.0.2)\n"

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.directory = cls.cluster.layout.etc / "qosgate.d"
        cls.kept = cls.cluster.layout.controller_state / "qosgate_policy"
        cls.status_file = cls.cluster.layout.controller_state / "qosgate_status.json"
        cls.standby = Standby(cls.cluster.layout)

    def setUp(self) -> None:
        self.expected_errors += ["policy not loaded", "other rules are in force than before"]
        self.standby.stop()
        self.cluster.start("slurmctld")
        self.write(self.standby.policy, refusal("first"))
        self.put_in_force("first")
        self.standby.start()
        self.wait_for_standby(" is UP")

    def tearDown(self) -> None:
        """The primary may be down by now."""
        self.standby.stop()
        self.cluster.start("slurmctld")
        super().tearDown()

    def write(self, directory: Path, text: str) -> None:
        directory.mkdir(mode=0o755, exist_ok=True)
        (directory / "10-all.lua").write_text(text)

    def put_in_force(self, words: str) -> None:
        self.write(self.directory, refusal(words))
        self.wait_for_refusal(words)
        self.cluster.wait_for(lambda: words in self.kept.read_text(), "the policy is kept")

    def wait_for_refusal(self, words: str) -> None:
        def is_refused() -> bool:
            result = self.cluster.run(["sbatch", "--hold", "--wrap=true"], USER)
            return result.rc != 0 and words in result.stderr

        self.cluster.wait_for(is_refused, f"a submission is refused: {words}")

    def wait_for_standby(self, words: str) -> None:
        def is_there() -> bool:
            lines = self.cluster.scontrol("ping", check=False).stdout.splitlines()
            return any(STANDBY in line and words in line for line in lines)

        self.cluster.wait_for(is_there, f"the standby{words}", otherwise=self.standby.tell)

    def wait_for_standby_log(self, words: str) -> None:
        self.cluster.wait_for(
            lambda: words in self.standby.log(), f"the standby logs: {words}", otherwise=self.standby.tell
        )

    def take_over(self) -> None:
        os.kill(self.cluster.status()["slurmctld"]["pid"], signal.SIGKILL)
        mark = len(self.standby.log())
        self.cluster.scontrol("takeover")
        # Before, sbatch is told to wait for half of SlurmctldTimeout.
        self.cluster.wait_for(
            lambda: "Running as primary controller" in self.standby.log()[mark:],
            "the standby takes over",
            otherwise=self.standby.tell,
        )

    def expect_refusal(self, words: str) -> None:
        """The answer to the very next job."""
        self.expect(self.cluster.run(["sbatch", "--hold", "--wrap=true"], USER), False, words)

    def let_the_standby_look(self) -> None:
        """Waits for several looks of both its threads, at its directory and at its status; a look leaves no trace."""
        before: dict[str, int] = {}

        def have_looked() -> bool:
            now = self.standby.wake_ups()
            before.update({name: count for name, count in now.items() if name not in before})
            return len(before) == 2 and all(now.get(name, 0) >= count + 4 for name, count in before.items())

        self.cluster.wait_for(
            have_looked,
            "both threads look 4 times",
            otherwise=lambda: f"looks before: {before}, now: {self.standby.wake_ups()}\n{self.standby.tell()}",
        )

    def host_of_status(self) -> str:
        return json.loads(self.status_file.read_text())["host"]


class Takeover(StandbyTestCase):
    def test_what_was_in_force_last_is_taken_over_where_the_own_directory_is_broken(self) -> None:
        self.write(self.standby.policy, "rule {\n")
        self.wait_for_standby_log("policy not loaded")
        self.put_in_force("second")
        self.take_over()
        self.expect_refusal("second")
        self.cluster.wait_for(lambda: self.host_of_status() == STANDBY, "the status is the standby's")
        self.assertIn("second", self.kept.read_text())

    def test_what_was_in_force_last_is_taken_over_where_the_own_directory_is_gone(self) -> None:
        shutil.rmtree(self.standby.policy)
        self.standby.stop()
        self.standby.start()
        self.wait_for_standby(" is UP")
        self.put_in_force("second")
        self.take_over()
        self.expect_refusal("second")

    def test_a_standby_again_leaves_everything_to_the_controller_that_is_back(self) -> None:
        self.take_over()
        self.expect_refusal("first")
        self.cluster.wait_for(lambda: self.host_of_status() == STANDBY, "the status is the standby's")
        # 24.11 gets control only after half a minute, and the tool waits for that.
        self.cluster.tool("start", "slurmctld", check=False)
        self.put_in_force("second")

        mark = len(self.standby.log())
        self.write(self.standby.policy, refusal("third"))
        self.cluster.wait_for(
            lambda: "policy" in self.standby.log()[mark:], "the standby reads its directory", otherwise=self.standby.tell
        )
        self.let_the_standby_look()
        self.assertIn("second", self.kept.read_text())
        self.assertEqual(self.host_of_status(), PRIMARY)

    def test_a_standby_again_is_told_so_by_a_controller_that_gets_no_job(self) -> None:
        self.take_over()
        self.expect_refusal("first")
        self.cluster.wait_for(lambda: self.host_of_status() == STANDBY, "the status is the standby's")
        before = self.kept.read_text()
        self.cluster.tool("start", "slurmctld", check=False)
        self.cluster.wait_for(lambda: self.kept.read_text() != before, "the primary keeps its policy")
        self.cluster.wait_for(lambda: self.host_of_status() == PRIMARY, "the status is the primary's")
        self.let_the_standby_look()
        self.assertEqual(self.host_of_status(), PRIMARY)

    def test_a_standby_logs_the_hash_of_its_rules(self) -> None:
        self.wait_for_standby_log(" for Slurm ")
        self.assertRegex(self.standby.log(), r"1 rule, hash [0-9a-f]{16}, in force")


if __name__ == "__main__":
    main()
