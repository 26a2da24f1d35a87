# SPDX-License-Identifier: GPL-2.0-or-later
"""The files of one cluster under its directory, and the state that is saved there."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from .errors import EX_NOINPUT, EX_USAGE, ClusterError

# A unix socket's path has at most 107 bytes. The longest below the directory is a job step's in
# a node's spool, `spool/<node>/<node>_<job>.<step>`: about 45 bytes for the usual node names.
MAX_DIRECTORY_BYTES = 60

# Slurm's files know no quoting, so the directory's name must not need any.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./+-]+")


@dataclasses.dataclass(frozen=True)
class Node:
    """One slurmd: its name and the loopback port it listens on."""

    name: str
    port: int


@dataclasses.dataclass(frozen=True)
class State:
    """What `up` decided and later commands need; stored as cluster.json in the directory."""

    cluster_name: str
    nodes: tuple[Node, ...]
    slurmctld_port: int
    slurmdbd_port: int
    users: tuple[str, ...]
    wrap_slurmctld: str
    plugin_dirs: tuple[str, ...]

    @property
    def ports(self) -> list[int]:
        """Every TCP port of the cluster."""
        return [self.slurmctld_port, self.slurmdbd_port, *(node.port for node in self.nodes)]


class Layout:
    """The paths under one cluster's directory.

    Errors: ClusterError for a directory whose name cannot be used.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.root = Path(directory).absolute()
        text = str(self.root)
        if not _PLAIN_PATH.fullmatch(text):
            raise ClusterError(
                f"{text}: Slurm's configuration files cannot hold this name: use a directory"
                " of letters, digits and _ . / + -",
                EX_USAGE,
            )
        if len(text) > MAX_DIRECTORY_BYTES:
            raise ClusterError(
                f"{text}: {len(text)} bytes long, unix sockets below it allow"
                f" {MAX_DIRECTORY_BYTES}: use a shorter one, such as /tmp/cluster",
                EX_USAGE,
            )

        self.state_file = self.root / "cluster.json"
        self.lock_file = self.root / "cluster.lock"
        self.env_file = self.root / "env"
        self.etc = self.root / "etc"
        self.log = self.root / "log"
        self.run = self.root / "run"
        self.database = self.root / "db"
        self.controller_state = self.root / "state"
        self.spool = self.root / "spool"
        self.gpu = self.root / "gpu"
        self.home = self.root / "home"
        self.plugins = self.root / "plugins"
        self.programs = self.root / "bin"

        self.slurm_conf = self.etc / "slurm.conf"
        self.munge_key = self.etc / "munge.key"
        self.munge_socket = self.run / "munge.socket"
        self.mariadb_conf = self.etc / "mariadb.cnf"
        self.mariadb_init = self.etc / "mariadb-init.sql"
        self.mariadb_socket = self.database / "socket"
        self.passwd = self.etc / "passwd"
        self.group = self.etc / "group"
        self.hosts = self.etc / "hosts"

    @property
    def directories(self) -> list[Path]:
        """What a new cluster creates, and all that it removes of an older one."""
        return [self.etc, self.log, self.run, self.database, self.controller_state,
                self.spool, self.gpu, self.home, self.plugins, self.programs]  # fmt: skip

    def is_cluster(self) -> bool:
        """Whether `up` has ever made a cluster here."""
        return self.state_file.is_file()

    def require_cluster(self) -> None:
        """Errors: ClusterError if `up` was never run."""
        if not self.is_cluster():
            raise ClusterError(
                f"{self.root}: not a private cluster (no {self.state_file.name} there):"
                f" `cluster up {self.root}` makes one",
                EX_NOINPUT,
            )

    def save(self, state: State) -> None:
        """Writes the state; a reader sees the old or the new one, never half of it."""
        aside = self.state_file.with_suffix(".new")
        aside.write_text(json.dumps(dataclasses.asdict(state), indent=2) + "\n")
        aside.replace(self.state_file)

    def load(self) -> State:
        """Reads the state. Errors: ClusterError if there is none."""
        self.require_cluster()
        record = json.loads(self.state_file.read_text())
        record["nodes"] = tuple(Node(**node) for node in record["nodes"])
        record["users"] = tuple(record["users"])
        # An older checkout made clusters without them.
        record["plugin_dirs"] = tuple(record.get("plugin_dirs", ()))
        return State(**record)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One command at a time changes a cluster; waits for the one at work."""
        with self.lock_file.open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
