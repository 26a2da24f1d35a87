# SPDX-License-Identifier: GPL-2.0-or-later
"""The command `qosgate` beside a cluster."""

from __future__ import annotations

import shutil
from pathlib import Path

from .cluster import Cluster
from .runner import build_root


def copy_command(cluster: Cluster, build: Path | None = None) -> str:
    """Copies `qosgate` and its module beside the cluster: ordinary users may be unable to reach the build directory."""
    build = build or build_root()
    for name in ("qosgate", "qosgate_client.so"):
        copy = shutil.copy(build / "contrib/qosgate" / name, cluster.directory.with_name(name))
        copy.chmod(0o755)
    return str(cluster.directory.with_name("qosgate"))
