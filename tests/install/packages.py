#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The Debian packages are installed beside Slurm: what they have works, and nothing of them stays when they are purged.

contrib/dev/release-test runs it in a tree of its own, after smoke_test.py, with the packages in /packages.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from qosgate_dev.testing import CommandResult, main
from qosgate_dev.testing.cluster import run_command

PLUGINS = "slurm-wlm-qosgate-plugin"
SLURM_CONF = Path("/etc/slurm/slurm.conf")
# Where a package may leave something.
PLACES = ("/etc", "/usr", "/var/lib", "/var/cache", "/run")
NON_INTERACTIVE = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}


def installed() -> set[str]:
    listed = run_command(["dpkg-query", "-W", "-f", "${Package}\n"])
    return set(listed.stdout.split())


def branch_of_slurm() -> str:
    """ "24.11"."""
    version = run_command(["dpkg-query", "-W", "-f", "${source:Upstream-Version}", "slurmctld"]).stdout
    return ".".join(version.split(".")[:2])


def files_of_qosgate() -> list[str]:
    found = run_command(["find", *PLACES, "-xdev", "-name", "*qosgate*", "-not", "-path", "/var/lib/dpkg/*"])
    return found.stdout.split()


class Packages(unittest.TestCase):
    def succeed(self, *words: str) -> CommandResult:
        result = run_command(list(words), env=NON_INTERACTIVE)
        self.assertEqual(result.rc, 0, result)
        return result

    def test_the_command_and_a_shipped_rule(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            shutil.copy("/usr/share/qosgate/rules/max-time.lua", directory)
            self.succeed("qosgate", "policy", "check", directory)
        self.assertIn(f"\ngates for Slurm {branch_of_slurm()} in /usr/lib/", self.succeed("qosgate", "--version").stdout)

    def test_no_service_is_enabled(self) -> None:
        self.assertEqual([path for path in files_of_qosgate() if ".wants/" in path], [])

    def test_the_plugin_package_depends_on_a_branch_and_not_on_a_micro_release(self) -> None:
        branch = branch_of_slurm()
        depends = self.succeed("dpkg-query", "-W", "-f", "${Depends}", PLUGINS).stdout

        self.assertIn(f"slurm-wlm-basic-plugins (>= {branch}~)", depends)
        self.assertIn(f"slurm-wlm-basic-plugins (<< {branch}.999~)", depends)
        self.assertNotRegex(depends, rf"slurm[a-z-]* \([<>=]+ {re.escape(branch)}\.\d\b")

    def test_they_stay_while_slurm_needs_them_and_then_go_as_a_whole(self) -> None:
        self.addCleanup(SLURM_CONF.unlink, missing_ok=True)
        SLURM_CONF.parent.mkdir(exist_ok=True)
        SLURM_CONF.write_text("ClusterName=example\nJobSubmitPlugins=lua,qosgate\n")
        refused = run_command(["apt-get", "purge", "--yes", PLUGINS], env=NON_INTERACTIVE)
        self.assertNotEqual(refused.rc, 0, refused)
        self.assertIn(f"{SLURM_CONF} names qosgate in JobSubmitPlugins", refused.stdout + refused.stderr)
        self.assertIn(PLUGINS, installed())

        SLURM_CONF.write_text("ClusterName=example\n#JobSubmitPlugins=lua,qosgate\n")
        before = set(Path("/packages/before").read_text(encoding="utf-8").split())
        purged = self.succeed("apt-get", "purge", "--yes", "--autoremove", *(installed() - before))
        self.assertIn("qosgate_policy", purged.stdout + purged.stderr)
        self.assertEqual(installed(), before)
        self.assertEqual(files_of_qosgate(), [])


if __name__ == "__main__":
    main()
