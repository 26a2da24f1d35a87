# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests against real Slurm daemons share; a test file ends in `if __name__ ...: main()`.

    from qosgate_dev.testing import Cluster, main

    class Quota(unittest.TestCase):
        def test_a_job_over_the_limit_is_refused(self) -> None:
            with Cluster.up(users=["ana"]) as cluster:
                cluster.sacctmgr("add account astro")
                cluster.sacctmgr("add user ana account=astro")
                submission = cluster.sbatch("--gres=gpu:9", user="ana")
                self.assertFalse(submission.accepted)

Environment:
    QG_REQUIRE_CLUSTER=1  a machine without Slurm fails the test instead of skipping it
    QG_KEEP_CLUSTER=1     the clusters' directories, with their logs, stay for a look
    QG_BUILD_ROOT         the build directory, for tests that load what was built
"""

from .cluster import HANG_SECONDS, Cluster, ClusterFailed, CommandResult, Submission
from .command import copy_command, copy_program
from .lua_plugin import write_lua_script
from .runner import build_root, main

__all__ = [
    "HANG_SECONDS",
    "Cluster",
    "ClusterFailed",
    "CommandResult",
    "Submission",
    "build_root",
    "copy_command",
    "copy_program",
    "main",
    "write_lua_script",
]
