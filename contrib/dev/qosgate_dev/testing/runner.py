# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs one test file, or skips it if there is no Slurm."""

from __future__ import annotations

import os
import signal
import sys
import unittest
from pathlib import Path
from types import FrameType
from typing import NoReturn

from qosgate_dev.cluster import programs, users
from qosgate_dev.cluster.errors import ClusterError

from . import cluster, network

# The exit code of a skipped test for Meson.
_SKIPPED = 77


def main() -> NoReturn:
    """Runs the calling file's tests. Exit codes: 0 passed, 1 failed, 77 skipped."""
    users.leave_sourced_cluster()
    reason = _why_no_cluster()
    if reason:
        required = os.environ.get("QG_REQUIRE_CLUSTER") == "1"
        print(f"{'failed' if required else 'skipped'}: {reason}", file=sys.stderr)
        sys.exit(1 if required else _SKIPPED)
    network.enter_own()
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        unittest.main(module="__main__", verbosity=2)
    finally:
        cluster.end_all()
    raise AssertionError("unittest.main exits")


def _interrupt(signum: int, frame: FrameType | None) -> None:
    """At Meson's SIGTERM, for a test that takes too long or is interrupted; SIGKILL follows soon."""
    signal.signal(signum, signal.SIG_IGN)
    cluster.end_all_after_this_process()
    # unittest passes on only KeyboardInterrupt.
    signal.default_int_handler(signum, frame)


def _why_no_cluster() -> str:
    if os.geteuid() != 0:
        return "only root can run jobs as several users"
    try:
        programs.require_all()
    except ClusterError as error:
        return str(error)
    return ""


def build_root() -> Path:
    """The build directory. Errors: SkipTest without QG_BUILD_ROOT."""
    value = os.environ.get("QG_BUILD_ROOT")
    if not value:
        raise unittest.SkipTest("QG_BUILD_ROOT is not set")
    return Path(value)
