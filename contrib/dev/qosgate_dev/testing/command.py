# SPDX-License-Identifier: GPL-2.0-or-later
"""Our programs where the users of a cluster can run them: they may be unable to reach the build directory."""

from __future__ import annotations

from pathlib import Path

from qosgate_dev.cluster import copies

from .cluster import Cluster
from .runner import build_root


def copy_program(cluster: Cluster, program: str, build: Path | None = None) -> str:
    """The copy of a program that is built in this place of the build directory, such as tests/cluster/helpers/submit_jobs."""
    return str(copies.copy_program(cluster.layout, (build or build_root()) / program))


def copy_command(cluster: Cluster, build: Path | None = None) -> str:
    """The copy of the command `qosgate`."""
    return str(copies.copy_command(cluster.layout, build or build_root()))
