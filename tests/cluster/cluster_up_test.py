# SPDX-License-Identifier: GPL-2.0-or-later
"""What `cluster up` refuses, what it leaves when it fails, and the lines of slurm.conf that it accepts."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from qosgate_dev.cluster import daemons, ports, slurm_conf
from qosgate_dev.cluster.database import prepare
from qosgate_dev.cluster.errors import ClusterError
from qosgate_dev.testing import HANG_SECONDS, Cluster, ClusterFailed, main
from qosgate_dev.testing.cluster import TOOL, run_command
from qosgate_dev.testing.private_case import PrivateClusterCase


def keys_set_twice(text: str) -> set[str]:
    """The keys, other than those of nodes and partitions, that a slurm.conf sets more than once."""
    keys = [line.partition("=")[0].strip().lower() for line in text.splitlines()]
    return {key for key in keys if keys.count(key) > 1} - {"nodename", "partitionname"}


class FailedUp(PrivateClusterCase):
    def test_a_bad_slurm_conf_line_is_named_with_the_daemon(self) -> None:
        cluster = self.new_cluster()
        extra = cluster.write_beside("extra.conf", "NoSuchKey=1\n")

        result = cluster.tool("up", "--slurm-conf", str(extra), check=False)

        self.assertEqual(result.rc, 1)
        self.assertIn("cluster: slurmctld: ended with exit code 1:", result.stderr)
        self.assertIn("Parsing error at unrecognized key: NoSuchKey", result.stderr)
        self.assertRegex(result.stderr, r"\n  \$ \S+/slurmctld\n")
        self.assertIn(f"{cluster.directory}/log/slurmctld.log", result.stderr)
        self.assertIn("\ntry: correct what these lines name", result.stderr)
        self.assert_gone(cluster)

    def test_a_plugin_that_does_not_load_is_named(self) -> None:
        with self.assertRaises(ClusterFailed) as failure:
            Cluster.up(slurm_conf="JobSubmitPlugins=nosuch")

        self.assertIn("cannot find job_submit plugin for job_submit/nosuch", str(failure.exception))

    def test_nodes_that_do_not_come_are_named_with_their_logs_and_what_to_try(self) -> None:
        cluster = self.new_cluster()
        extra = cluster.write_beside("extra.conf", "NodeName=node1 State=DRAIN\n")

        result = cluster.tool("up", "--slurm-conf", str(extra), "--timeout", "10", check=False)

        self.assertEqual(result.rc, 1)
        self.assertIn("cluster: slurmctld: nodes not usable after 10 s: node1 is drained", result.stderr)
        self.assertRegex(result.stderr, r"\n  \$ \S+/sinfo -h -N -o '%N %T \(%E\)'\n  node1 drained")
        for daemon in ("slurmctld", "slurmd-node1"):
            self.assertIn(f"{cluster.directory}/log/{daemon}.log:\n  [", result.stderr)
        self.assertIn("\ntry: if nothing is wrong and this machine is busy, `cluster up` with a longer --timeout", result.stderr)
        self.assert_gone(cluster)

    def test_up_works_where_one_has_failed(self) -> None:
        cluster = self.new_cluster()
        extra = cluster.write_beside("extra.conf", "NoSuchKey=1\n")
        cluster.tool("up", "--slurm-conf", str(extra), check=False)

        self.assertEqual(cluster.tool("up", "--nodes", "1").rc, 0)

    def test_an_interrupted_up_cleans_up_whenever_it_happens(self) -> None:
        moments = {"munged": signal.SIGINT, "slurmdbd": signal.SIGTERM, "slurmctld": signal.SIGINT}
        for daemon, signum in moments.items():
            with self.subTest(daemon=daemon):
                cluster = self.new_cluster()
                process = self.up_until(cluster, daemon)

                process.send_signal(signum)

                _, stderr = process.communicate(timeout=HANG_SECONDS)
                self.assertEqual(process.returncode, 128 + signum, stderr)
                self.assertIn(f"interrupted by {signum.name}", stderr)
                self.assert_gone(cluster)

    def test_down_cleans_up_after_an_up_that_was_killed(self) -> None:
        cluster = self.new_cluster()
        process = self.up_until(cluster, "slurmctld")

        process.kill()
        process.communicate(timeout=HANG_SECONDS)
        cluster.tool("down")

        self.assert_gone(cluster)

    def up_until(self, cluster: Cluster, daemon: str) -> subprocess.Popen[str]:
        """Starts `up` and returns when it has begun to start the daemon."""
        process = subprocess.Popen(
            [str(TOOL), "up", str(cluster.directory)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started = cluster.layout.log / f"{daemon}.out"
        while not started.exists() and process.poll() is None:
            time.sleep(0.005)
        return process


class Refusals(PrivateClusterCase):
    def test_up_leaves_a_foreign_directory_alone(self) -> None:
        cluster = self.new_cluster()
        cluster.directory.mkdir()
        treasure = cluster.directory / "thesis.tex"
        treasure.write_text("precious")

        result = cluster.tool("up", check=False)

        self.assertEqual(result.rc, 73)
        self.assertIn(f"{cluster.directory}: holds other files", result.stderr)
        self.assertEqual(list(cluster.directory.iterdir()), [treasure])

    def test_wrong_usage_is_told_apart(self) -> None:
        cluster = self.new_cluster()
        for arguments, message in {
            ("--nodes", "0"): "--nodes: must be at least 1",
            ("--cpus", "many"): "'many' is not a whole number",
            ("--users", "root"): "root exists on this machine",
            ("--users", "ana,ana"): "ana exists on this machine or is named twice",
            ("--users", "Ana B"): "'Ana B' is no user name",
            ("--frobnicate",): "unrecognized arguments: --frobnicate",
        }.items():
            with self.subTest(arguments=arguments):
                result = cluster.tool("up", *arguments, check=False)
                self.assertEqual(result.rc, 64)
                self.assertIn(message, result.stderr)
        self.assertFalse(cluster.directory.exists())

    def test_a_directory_too_long_for_sockets_is_refused(self) -> None:
        result = run_command([str(TOOL), "up", "/tmp/" + "x" * 60])

        self.assertEqual(result.rc, 64)
        self.assertIn("65 bytes long, unix sockets below it allow 60", result.stderr)


    def test_a_directory_that_its_users_cannot_reach_is_refused(self) -> None:
        cluster = self.new_cluster()
        cluster.directory.parent.chmod(0o700)

        result = cluster.tool("up", "--users", "ana", check=False)

        self.assertEqual(result.rc, 73)
        self.assertIn(f"other users may not enter {cluster.directory.parent}, but the cluster has some", result.stderr)
        self.assertFalse(cluster.directory.exists())

    def test_a_directory_of_plugins_that_is_not_there_is_named(self) -> None:
        cluster = self.new_cluster()
        extra = cluster.write_beside("extra.conf", "PluginDir=/no where/plugin:@PLUGINDIR@\n")

        result = cluster.tool("up", "--slurm-conf", str(extra), check=False)

        self.assertEqual(result.rc, 66)
        self.assertIn("PluginDir: /no where/plugin: no such directory: build what is in it first", result.stderr)


class Plugins(PrivateClusterCase):
    def test_users_load_copies_that_each_start_makes_anew(self) -> None:
        cluster = self.new_cluster()
        closed = cluster.directory.with_name("ana's build")
        closed.mkdir(mode=0o700)
        built = closed / "site.so"
        built.write_text("first")
        extra = cluster.write_beside("extra.conf", f"plugindir = {closed}:@PLUGINDIR@\n")
        cluster.tool("up", "--nodes", "1", "--users", "ana", "--slurm-conf", str(extra))

        shown = cluster.scontrol("show config").stdout
        (directory,) = re.findall(rf"^PluginDir\s*= ({cluster.directory}/\S+?):/", shown, re.MULTILINE)
        self.assertEqual(cluster.run(["cat", f"{directory}/site.so"], "ana").stdout, "first")

        (closed / "more.so").write_text("more")
        built.unlink()
        cluster.start()
        self.assertEqual(cluster.run(["ls", directory], "ana").stdout.split(), ["more.so"])

        loaded = (Path(directory) / "more.so").open()
        (closed / "more.so").write_text("rebuilt")
        cluster.restart("slurmctld")
        self.assertEqual(cluster.run(["cat", f"{directory}/more.so"], "ana").stdout, "rebuilt")
        with loaded:
            self.assertEqual(loaded.read(), "more", "what has loaded the former copy keeps it")


class ExtraLines(PrivateClusterCase):
    def test_lines_replace_our_keys_partitions_and_nodes(self) -> None:
        lines = """
            # comments and continued lines are as in Slurm
            clustername=orion
            MaxJobCount=77
            Epilog=@DIR@/etc/epilog
            NodeName=big[1-2] CPUs=128 Gres=gpu:a100:2,gpu:h100:1 \\
                Feature=fast
            NodeName=small RealMemory=1000
            PartitionName=short Nodes=ALL Default=YES MaxTime=60
            PartitionName=long Nodes=big[1-2]
        """

        with Cluster.up(slurm_conf=lines) as cluster:
            config = cluster.scontrol("show config").stdout
            nodes = cluster.run("sinfo -h -N -p short -o '%N %c %m %G %f'").stdout.splitlines()
            partitions = cluster.run("sinfo -h -o %R").stdout.split()

            self.assertRegex(config, r"ClusterName\s+= orion")
            self.assertRegex(config, r"MaxJobCount\s+= 77")
            self.assertRegex(config, rf"Epilog(\[0\])?\s+= {cluster.directory}/etc/epilog")
            self.assertEqual(
                [line.split() for line in nodes],
                [
                    ["big1", "128", "256000", "gpu:a100:2,gpu:h100:1", "fast"],
                    ["big2", "128", "256000", "gpu:a100:2,gpu:h100:1", "fast"],
                    ["small", "64", "1000", "gpu:8", "(null)"],
                ],
            )
            self.assertEqual(sorted(partitions), ["long", "short"])
            self.assertEqual(keys_set_twice(cluster.layout.slurm_conf.read_text()), set())

    def test_node_lists_expand_as_slurm_expands_them(self) -> None:
        for text, names in {
            "a": ["a"],
            "a,b": ["a", "b"],
            "n[1-3]": ["n1", "n2", "n3"],
            "n[08-10,12],x": ["n08", "n09", "n10", "n12", "x"],
        }.items():
            with self.subTest(text=text):
                self.assertEqual(slurm_conf.expand_names(text), names)

    def test_a_node_list_that_is_none_is_refused(self) -> None:
        for text in ("n[1-", "n]", "", "n[a-b]"):
            with self.subTest(text=text), self.assertRaisesRegex(ClusterError, "NodeName="):
                slurm_conf.expand_names(text)


class TellingLines(unittest.TestCase):
    # As a new cluster's slurmctld writes them.
    USUAL = """
[2026-01-31T12:00:00.000] error: Could not open job state file /c/state/job_state: No such file or directory
[2026-01-31T12:00:00.000] error: NOTE: Trying backup state save file. Jobs may be lost!
[2026-01-31T12:00:00.000] error: Could not open partition state file /c/state/part_state: No such file or directory
[2026-01-31T12:00:00.000] error: NOTE: Trying backup partition state save file. Information may be lost!
[2026-01-31T12:00:00.000] error: No fed_mgr state file (/c/state/fed_mgr_state) to recover
"""
    LAST = "[2026-01-31T12:00:01.000] Running as primary controller"

    def test_a_start_without_saved_state_is_no_error(self) -> None:
        self.assertEqual(daemons.telling_lines(self.USUAL + self.LAST), f"  {self.LAST}")

    def test_saved_state_that_cannot_be_read_is_one(self) -> None:
        for error in (
            "error: Could not open job state file /c/state/job_state: Permission denied",
            "error: Bad job state save file time. We wrote it at time 1, but the file contains a time stamp of 2.",
            "error: Incomplete job state save file",
            "error: Incomplete fed_mgr state file",
            "error: Can't save state, create file /c/state/job_state.new error No space left on device",
            "fatal: Incomplete job state save file, start with '-i' to ignore this.",
        ):
            with self.subTest(error):
                self.assertIn(f"  {error}", daemons.telling_lines(f"{self.USUAL}{error}\n{self.LAST}").splitlines())


class Ports(unittest.TestCase):
    def test_a_port_listens_while_a_socket_listens_on_it(self) -> None:
        with ports.Reservation(1) as (port,), socket.socket() as daemon:
            self.assertFalse(ports.is_listening(port))
            daemon.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            daemon.bind(("127.0.0.1", port))
            self.assertFalse(ports.is_listening(port))
            daemon.listen()
            self.assertTrue(ports.is_listening(port))
            with socket.create_connection(("127.0.0.1", port)), daemon.accept()[0]:
                daemon.close()
                self.assertFalse(ports.is_listening(port))
        self.assertFalse(ports.is_listening(port))


class PreparedDatabase(PrivateClusterCase):
    def records_after(self, *options: str) -> list[str]:
        """What accounting has, without times, of a cluster that was just started."""
        cluster = self.new_cluster()
        cluster.tool("up", "--nodes", "1", *options)
        cluster.wait_for(
            lambda: "Registered" in cluster.sacctmgr("show events all_clusters format=reason%40").stdout,
            "slurmctld has told of the nodes",
        )
        lines = []
        for shown in (
            "qos",
            "account withassoc",
            "user withassoc",
            "tres",
            "cluster format=cluster,classification,qos,share",
            "events all_clusters format=cluster,state,reason,tres",
            "transactions format=action,actor,where",
        ):
            lines += [shown, *cluster.sacctmgr(f"-n -P show {shown}").stdout.splitlines()]
        return lines

    def test_its_cluster_is_as_one_that_makes_its_own(self) -> None:
        with tempfile.TemporaryDirectory() as store:
            option = ("--database", f"{store}/new/store")
            made = self.records_after(*option)
            self.assertEqual(made, self.records_after(*option))
            self.assertEqual(made, self.records_after())
            self.assertIn("cpu", " ".join(made))

    def test_it_is_made_once_and_anew_for_other_programs(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            store = Path(directory)
            database = prepare(store)
            status = database.stat()
            self.assertEqual(prepare(store), database)
            self.assertEqual(database.stat(), status)
            database.rename(store / "of_others")
            self.assertEqual(prepare(store), database)
            self.assertEqual(sorted(path.name for path in store.iterdir()), sorted([database.name, "lock"]))

    def test_a_database_that_cannot_be_copied_is_told(self) -> None:
        result = self.new_cluster().tool("up", "--database", "/dev/null/store", check=False)
        self.assertEqual(result.rc, 73, result)
        self.assertIn("/dev/null/store: Not a directory", result.stderr)


if __name__ == "__main__":
    main()
