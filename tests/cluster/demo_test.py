#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The steps of contrib/demo work as shown, and it leaves nothing behind, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from qosgate_dev import ROOT
from qosgate_dev.testing import HANG_SECONDS, build_root, main

STORY = [str(ROOT / "contrib/dev/python"), "-m", "qosgate_dev.demo"]


class Demo(unittest.TestCase):
    def setUp(self) -> None:
        # mkdtemp makes the demo's directory in here. The path is short because of unix sockets.
        temporary = tempfile.TemporaryDirectory(prefix="qgd-", dir="/tmp")
        self.addCleanup(temporary.cleanup)
        self.directory = Path(temporary.name)
        self.directory.chmod(0o755)

    def start(self, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            STORY,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"TMPDIR": str(self.directory), "QG_BUILD_ROOT": str(build_root())} | environment,
        )

    def assert_nothing_is_left(self) -> None:
        self.assertEqual(list(self.directory.iterdir()), [])
        name = os.fsencode(self.directory)
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                environment = Path(f"/proc/{entry}/environ").read_bytes()
            except OSError:
                continue
            if int(entry) != os.getpid():
                self.assertFalse(name in environment, f"process {entry} is left")

    def test_every_step_is_as_expected(self) -> None:
        with self.start() as story:
            output, _ = story.communicate(timeout=HANG_SECONDS)

        self.assertEqual(story.returncode, 0, output)
        self.assertEqual(output.splitlines()[-1], "8 of 8 steps as expected", output)
        self.assertIn(
            "sbatch: this job will wait: GPUs of all running jobs in QOS moonlight: limit 3, in use 2 (none of it yours),"
            " this job asks for 2 (QOSGrpGRES)\n",
            output,
        )
        self.assertNotIn("\033", output)
        self.assert_nothing_is_left()

    def test_an_interrupted_one_leaves_nothing(self) -> None:
        for signum in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signum.name), self.start() as story:
                assert story.stdout is not None
                seen = ""
                while "Submitted batch job" not in seen and (line := story.stdout.readline()):
                    seen += line
                story.send_signal(signum)
                output, _ = story.communicate(timeout=HANG_SECONDS)

                self.assertEqual(story.returncode, 128 + signum, seen + output)
                self.assertIn("the cluster is gone", output)
                self.assert_nothing_is_left()

    def test_what_fails_is_shown_with_what_it_said_and_what_to_try(self) -> None:
        programs = self.directory / "programs"
        programs.mkdir()
        sbatch = programs / "sbatch"
        sbatch.write_text("#!/bin/sh\necho 'sbatch: error: cannot create cli_filter context' >&2\nexit 1\n")
        sbatch.chmod(0o755)

        with self.start(PATH=f"{programs}:{os.environ['PATH']}") as story:
            output, _ = story.communicate(timeout=HANG_SECONDS)

        self.assertEqual(story.returncode, 1, output)
        (cluster,) = self.directory.glob("qosgate-demo-*/c")
        refused = "sbatch --qos=moonlight --gres=gpu:3 --wrap true"
        for text in (
            f"not so after 40 s: a refused job is explained\n  ana$ {refused}\n"
            "  sbatch: error: cannot create cli_filter context\n  (exit code 1)\n",
            f"{cluster}/log/slurmctld.log:\n  [",
            f"contrib/dev/cluster start {cluster}\n",
            f"contrib/dev/cluster run {cluster} ana {refused}\n",
        ):
            self.assertIn(text, output)

    def test_a_TMPDIR_that_no_cluster_can_use_is_left_alone(self) -> None:
        closed = self.directory / "closed"
        closed.mkdir(mode=0o700)
        long = self.directory / ("x" * 50)
        long.mkdir()
        for place, reason in (
            (closed, f"other users may not enter {closed}"),
            (long, "unix sockets below it allow"),
        ):
            with self.subTest(reason), self.start(TMPDIR=str(place)) as story:
                assert story.stdout is not None
                first = story.stdout.readline()
                story.send_signal(signal.SIGTERM)
                output, _ = story.communicate(timeout=HANG_SECONDS)

                self.assertIn(f"contrib/demo: not in {place}: ", first)
                self.assertIn(reason, first)
                self.assertIn("the cluster is gone", output)
                self.assertEqual(list(place.iterdir()), [])


if __name__ == "__main__":
    main()
