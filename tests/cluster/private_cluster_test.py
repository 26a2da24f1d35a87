# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/dev/cluster starts a complete Slurm that works and leaves no trace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

from qosgate_dev import ROOT
from qosgate_dev.cluster import lifecycle
from qosgate_dev.cluster.processes import cpu_seconds, is_alive
from qosgate_dev.cluster.programs import find_program
from qosgate_dev.testing import Cluster, ClusterFailed, build_root, copy_command, main
from qosgate_dev.testing.cluster import TOOL, run_command
from qosgate_dev.testing.private_case import LOOPBACK, PrivateClusterCase, listening_addresses, ports_of, processes_of

# Between the two signals with which Meson ends a test; here in CPU time.
MESONS_PATIENCE_SECONDS = 0.5

# Prints where its cluster is, and never ends.
ENDLESS_TEST = """
import time, unittest
from qosgate_dev.testing import Cluster, main
class Endless(unittest.TestCase):
    def test(self):
        cluster = Cluster.up()
        print(cluster.directory, flush=True)
        time.sleep(3600)
main()
"""


# Stands before slurmdbd: crashes as often as the file `crashes` has lines, without a word.
CRASHING_SLURMDBD = """#!/bin/sh
crashes={directory}/crashes
if [ -s "$crashes" ]; then
    sed -i 1d "$crashes"
    sh -c 'echo $$ > slurmdbd.pid'
    exit 0
fi
exec {slurmdbd}
"""


def has_a_successor(pid: int) -> bool:
    """Whether the process has a child that a signal to its group does not reach."""
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return any(os.getsid(child) == child for child in children)


class RunningCluster(PrivateClusterCase):
    cluster: Cluster

    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = Cluster.up(users=["ana", "ben"], options=["--licenses", "matlab:10"])
        cls.addClassCleanup(cls.cluster.down)
        cls.cluster.sacctmgr("add account astro")
        cls.cluster.sacctmgr("add user ana account=astro")

    def test_a_wait_in_vain_shows_the_last_command_and_the_log(self) -> None:
        with mock.patch("qosgate_dev.testing.cluster._LOOKS", 2), self.assertRaises(ClusterFailed) as failure:
            self.cluster.wait_for(lambda: self.cluster.run(["sh", "-c", "echo no >&2; exit 3"]).rc == 0, "it says yes")

        self.assertIn("it says yes (the last look: False)\n", str(failure.exception))
        self.assertIn("$ sh -c 'echo no >&2; exit 3'\nno\n(exit code 3)\n", str(failure.exception))
        self.assertIn(f"{self.cluster.directory}/log/slurmctld.log:\n  [", str(failure.exception))

    def test_a_user_is_given_no_file_that_others_may_be_unable_to_reach(self) -> None:
        for file in (ROOT / "README.md", build_root() / "contrib/qosgate/qosgate"):
            with self.subTest(file), self.assertRaisesRegex(ClusterFailed, f"{file}: .* copy it first"):
                self.cluster.run(["ls", str(file)], "ana")
        self.assertEqual(self.cluster.run([copy_command(self.cluster), "--version"], "ana").rc, 0)

    def test_up_yields_idle_nodes_and_daemons_that_answer(self) -> None:
        states = self.cluster.run("sinfo -h -o '%D %T %c %m %G'", check=True).stdout

        self.assertEqual(states.split(), ["4", "idle", "64", "256000", "gpu:8"])
        self.assertEqual(self.cluster.tool("status").rc, 0)
        self.assertEqual(
            [name for name, daemon in self.cluster.status().items() if not daemon["running"]], []
        )

    def check_status_as_json(self, running: bool) -> None:
        record = json.loads(self.cluster.tool("status", "--json", check=False).stdout)
        self.assertEqual((record["directory"], record["running"]), (str(self.cluster.directory), running))
        self.assertEqual({daemon["name"]: daemon for daemon in record["daemons"]}, self.cluster.status())

    def test_status_as_json_has_every_daemon(self) -> None:
        self.check_status_as_json(running=True)

    def test_a_shell_that_sources_env_talks_to_the_cluster(self) -> None:
        result = run_command(
            ["sh", "-c", f". {self.cluster.directory}/env && squeue -h && id -u ana"],
            env={"PATH": os.environ["PATH"]},
        )

        self.assertEqual((result.rc, result.stdout), (0, "20001\n"), result)

    def test_daemons_listen_on_the_loopback_address_only(self) -> None:
        listening = listening_addresses(set(processes_of(self.cluster)))

        self.assertEqual({address for address, _ in listening}, {LOOPBACK})
        self.assertEqual({port for _, port in listening}, ports_of(self.cluster))

    def test_a_job_of_an_invented_user_runs_to_its_end_as_that_user(self) -> None:
        submission = self.cluster.sbatch("--output=out.txt", user="ana", wrap="id -un; id -u")

        self.cluster.wait_job(submission.job, "COMPLETED")

        output = self.cluster.layout.home / "ana" / "out.txt"
        self.assertEqual(output.read_text().split(), ["ana", "20001"])
        self.assertEqual(output.stat().st_uid, 20001)
        name = self.cluster.run(f"squeue -h -t all -j {submission.job} -o %u").stdout.strip()
        self.assertEqual(name, "ana")

    def test_a_user_without_an_association_is_refused(self) -> None:
        submission = self.cluster.sbatch(user="ben")

        self.assertFalse(submission.accepted)
        self.assertIn("Invalid account or account/partition combination", submission.stderr)

    def test_run_is_the_user_in_its_home(self) -> None:
        result = self.cluster.tool("run", "ben", "sh", "-c", "id -un; pwd; echo $HOME")

        home = str(self.cluster.layout.home / "ben")
        self.assertEqual(result.stdout.split(), ["ben", home, home])

    def test_run_names_the_users_there_are(self) -> None:
        result = self.cluster.tool("run", "eve", "true", check=False)

        self.assertEqual(result.rc, 64)
        self.assertIn("no user 'eve' (invented ones: ana, ben)", result.stderr)

    def test_gpus_and_licenses_are_allocated_and_counted(self) -> None:
        fits = self.cluster.sbatch("--gres=gpu:8 --licenses=matlab:2", user="ana")
        too_many = self.cluster.sbatch("--gres=gpu:9", user="ana")

        fields = self.cluster.wait_job(fits.job, "RUNNING")

        # From 23.11 on Slurm shows separately what was asked for and what was allocated.
        allocated = fields.get("AllocTRES") or fields["TRES"]
        self.assertIn("gres/gpu=8", allocated)
        self.assertIn("license/matlab=2", allocated)
        self.assertFalse(too_many.accepted)
        self.cluster.run(f"scancel {fits.job}", check=True)

    def test_jobs_survive_reconfigure_and_a_restart_of_slurmctld(self) -> None:
        job = self.cluster.sbatch(user="ana").job
        self.cluster.wait_job(job, "RUNNING")

        self.cluster.scontrol("reconfigure")
        self.assertEqual(self.cluster.job_state(job), "RUNNING")
        self.cluster.restart("slurmctld")
        self.assertEqual(self.cluster.job_state(job), "RUNNING")

        self.assertEqual(self.cluster.tool("status").rc, 0)
        self.cluster.run(f"scancel {job}", check=True)

    def test_submission_works_while_slurmdbd_is_stopped(self) -> None:
        self.cluster.stop("slurmdbd")
        self.addCleanup(self.cluster.start)

        self.assertFalse(self.cluster.status()["slurmdbd"]["running"])
        self.assertNotEqual(self.cluster.tool("status", check=False).rc, 0)
        self.check_status_as_json(running=False)
        job = self.cluster.sbatch(user="ana", wrap="true").job
        self.cluster.wait_job(job, "COMPLETED")

        self.cluster.start("slurmdbd")
        self.cluster.wait_for(
            lambda: "COMPLETED" in self.cluster.run(f"sacct -X -n -j {job} -o state").stdout,
            f"slurmdbd has heard of job {job}",
        )

    def test_up_refuses_a_cluster_that_is_running(self) -> None:
        result = self.cluster.tool("up", check=False)

        self.assertEqual(result.rc, 1)
        self.assertIn("this cluster is running: `cluster down", result.stderr)


class SideBySide(PrivateClusterCase):
    def test_two_clusters_share_nothing(self) -> None:
        with Cluster.up(nodes=1) as first, Cluster.up(nodes=2) as second:
            self.assertEqual(ports_of(first) & ports_of(second), set())
            first.sacctmgr("add account astro")
            accounts = second.sacctmgr("list account -n -P format=account").stdout.split()
            self.assertEqual(accounts, ["root"])

            first.down()

            self.assertEqual(second.tool("status").rc, 0)
            self.assertEqual(second.run("sinfo -h -o %D").stdout.strip(), "2")


class Down(PrivateClusterCase):
    def test_no_process_socket_or_port_is_left(self) -> None:
        cluster = self.new_cluster()
        cluster.tool("up", "--nodes", "2", "--users", "ana")
        cluster.sacctmgr("add user ana account=root")
        stray = f"env -i setsid sh -c 'sleep 300; : {cluster.directory}'"
        cluster.sbatch(user="ana", wrap=f"sleep 300 & {stray}")
        cluster.wait_for(
            lambda: any("setsid" not in command and "sh -c sleep 300" in command
                        for command in processes_of(cluster).values()),
            "the job has started a process without the environment",
        )  # fmt: skip

        cluster.tool("down")

        self.assert_gone(cluster)
        self.assertTrue(cluster.log("slurmctld"))

    def test_down_after_daemons_were_killed(self) -> None:
        cluster = self.new_cluster()
        cluster.tool("up", "--nodes", "1")
        for name in ("munged", "slurmctld", "slurmd-node1"):
            os.kill(int(str(cluster.status()[name]["pid"])), signal.SIGKILL)

        cluster.tool("down")

        self.assert_gone(cluster)
        self.assertEqual(cluster.tool("down").rc, 0)

    def test_a_daemon_that_ends_late_or_not_at_all_is_told(self) -> None:
        cluster = self.new_cluster()
        cluster.tool("up", "--nodes", "1")
        with mock.patch.object(lifecycle, "_PROMPT_LOOKS", 0):  # then each is late
            for end in (cluster.stop, cluster.restart):
                with self.assertRaisesRegex(ClusterFailed, r"\ncluster: slurmctld: ended late, after \d+ s\n"):
                    end("slurmctld")
                cluster.start("slurmctld")
            cluster.restart("slurmd-node1")  # has no plugin that could hold it up
        pid = int(str(cluster.status()["slurmctld"]["pid"]))
        os.kill(pid, signal.SIGSTOP)
        with mock.patch.object(lifecycle, "_STOP_LOOKS", 2), mock.patch.object(lifecycle, "_PROMPT_LOOKS", 1):
            with self.assertRaisesRegex(ClusterFailed, r"\ncluster: slurmctld: killed, after \d+ s\n"):
                cluster.stop("slurmctld")
        self.assertFalse(is_alive(pid))

    def test_start_resumes_a_cluster_with_its_data(self) -> None:
        cluster = self.new_cluster()
        cluster.tool("up", "--nodes", "1")
        cluster.sacctmgr("add account astro")
        cluster.tool("down")

        cluster.start()

        accounts = cluster.sacctmgr("list account -n -P format=account").stdout.split()
        self.assertEqual(accounts, ["astro", "root"])

    def test_a_shell_that_sourced_env_can_make_the_cluster_anew(self) -> None:
        cluster = self.new_cluster()
        cluster.tool("up", "--nodes", "1", "--users", "ana")
        tool = str(TOOL)
        words = f". {cluster.directory}/env; {tool} down {cluster.directory} --now"

        result = run_command(
            ["sh", "-c", f"{words}; {tool} up {cluster.directory} --nodes 1 --users ana && sinfo -h"],
        )

        self.assertEqual(result.rc, 0, result)

    def test_slurmdbd_that_crashes_at_its_start_is_started_again_twice(self) -> None:
        cluster = self.new_cluster()
        cluster.tool("up", "--nodes", "1")
        programs = cluster.directory.parent / "programs"
        programs.mkdir()
        fake = programs / "slurmdbd"
        fake.write_text(
            CRASHING_SLURMDBD.format(directory=programs, slurmdbd=find_program("slurmdbd"))
        )
        fake.chmod(0o755)
        start = [str(TOOL), "start", str(cluster.directory), "slurmdbd"]
        env = {"PATH": f"{programs}:{os.environ['PATH']}"}

        for crashes, rc in ((2, 0), (3, 1)):
            with self.subTest(crashes=crashes):
                cluster.stop("slurmdbd")
                (programs / "crashes").write_text("again\n" * crashes)
                result = run_command(start, env=env)
                self.assertEqual(result.rc, rc, result)
                self.assertIn("slurmdbd crashed right after its start: starting it again", result.stderr)
                self.assertEqual(cluster.status()["slurmdbd"]["running"], rc == 0)

        self.assertIn("slurmdbd: ended right after its start", result.stderr)

    def test_a_test_that_is_killed_soon_after_its_interruption_leaves_nothing(self) -> None:
        with subprocess.Popen(
            [sys.executable, "-c", ENDLESS_TEST],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        ) as test:
            assert test.stdout
            cluster = Cluster(Path(test.stdout.readline().strip()))
            self.assertNotEqual(processes_of(cluster), {})
            before = cpu_seconds(test.pid)
            os.killpg(test.pid, signal.SIGTERM)
            cluster.wait_for(lambda: has_a_successor(test.pid), "it has left the rest to another process")
            self.assertLess(cpu_seconds(test.pid) - before, MESONS_PATIENCE_SECONDS)
            os.killpg(test.pid, signal.SIGKILL)

        cluster.wait_for(lambda: not cluster.directory.parent.exists(), "the directory is gone")
        self.assert_gone(cluster)

    def test_a_directory_that_is_no_cluster_is_named_so(self) -> None:
        cluster = self.new_cluster()

        for verb in ("down", "status", "start", "stop"):
            with self.subTest(verb=verb):
                result = cluster.tool(verb, check=False)
                self.assertEqual(result.rc, 66)
                self.assertIn(f"{cluster.directory}: not a private cluster", result.stderr)


if __name__ == "__main__":
    main()
