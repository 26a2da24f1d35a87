# SPDX-License-Identifier: GPL-2.0-or-later
"""A database with slurmdbd's tables, for new clusters to copy: making them takes half of a start."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from . import config, lifecycle, programs, slurm_conf, users
from .errors import EX_CANTCREAT, ClusterError
from .layout import Layout

_DAEMONS = ("munged", "mariadbd", "slurmdbd")


def prepare(store: Path) -> Path:
    """Returns the database below `store` that fits the installed mariadbd and slurmdbd; makes it if it is not there.

    One that was made for other programs is removed then.
    Errors: ClusterError.
    """
    try:
        store.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ClusterError(f"{store}: {error.strerror}", EX_CANTCREAT) from error
    database = store / _identity()
    if database.exists():
        return database
    with (store / "lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if not database.exists():
            for old in filter(Path.is_dir, store.iterdir()):
                shutil.rmtree(old)
            _make(database)
    return database


def _identity() -> str:
    parts = [Path(config.__file__).read_bytes()]
    for program in ("mariadbd", "slurmdbd"):
        status = os.stat(programs.get_program(program))
        parts.append(b"%d %d" % (status.st_size, status.st_mtime_ns))
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _make(database: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="qgd-", dir="/tmp") as parent:
        layout = Layout(Path(parent) / "c")
        lifecycle.up(layout, lifecycle.Options(nodes=1, daemons=_DAEMONS))
        try:
            _add_cluster(layout)
            # Gently: what is copied has to be complete.
            lifecycle.stop(layout, ())
        finally:
            lifecycle.down(layout, now=True)
        aside = database.with_suffix(".new")
        shutil.copytree(layout.database, aside)
        aside.rename(database)


def _add_cluster(layout: Layout) -> None:
    """Its tables, which slurmdbd makes with it."""
    done = subprocess.run(
        [programs.get_program("sacctmgr"), "-i", "add", "cluster", slurm_conf.DEFAULT_CLUSTER_NAME],
        env=users.environment(layout),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode != 0:
        raise ClusterError(f"sacctmgr add cluster: {done.stdout}{done.stderr}")
