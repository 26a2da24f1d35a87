# SPDX-License-Identifier: GPL-2.0-or-later
"""The configuration files of munge, MariaDB, slurmdbd and Slurm's cgroup plugin."""

from __future__ import annotations

import os
from pathlib import Path

from . import programs
from .layout import Layout, State

DATABASE = "slurm_acct_db"


def write_private(path: Path, content: bytes) -> None:
    """Writes a file that only its owner may read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as handle:
        handle.write(content)


def write_munge_key(layout: Layout) -> None:
    """A random key, so that no other cluster's credentials are valid here."""
    write_private(layout.munge_key, os.urandom(128))


def write_mariadb(layout: Layout, owner: str) -> None:
    """MariaDB on a unix socket only, without privileges, and with hardly an fsync: tables made by slurmdbd cost hundreds.

    The server starts on an empty directory and makes, from its init file, the one system table
    that slurmdbd's stored procedures need: an initialised data directory would cost seconds.
    It makes slurmdbd's database, too. slurmdbd would make it after a first connection that failed;
    with MariaDB's client library 11.8.9 every query of such a connection fails.
    Dirty pages are written at once, or a server killed early could not read its own files again.
    Without its privilege tables everyone may do everything, hence a socket only the owner reaches.
    The character set is the default up to MariaDB 11.5, in which not every name can be stored.
    """
    layout.mariadb_init.write_text(
        f"CREATE DATABASE IF NOT EXISTS {DATABASE};\n"
        f"CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\n{programs.mariadb_proc_table()}\n"
    )
    layout.mariadb_conf.write_text(
        f"""\
[mariadbd]
user={owner}
datadir={layout.database}
tmpdir={layout.run}
socket={layout.mariadb_socket}
pid-file={layout.run}/mariadbd.pid
log-error={layout.log}/mariadbd.log
init-file={layout.mariadb_init}
skip-networking
skip-grant-tables
skip-name-resolve
skip-log-bin
character-set-server=latin1
performance-schema=0
key-buffer-size=1M
aria-pagecache-buffer-size=1M
loose-innodb-buffer-pool-size=32M
loose-innodb-log-file-size=16M
loose-innodb-data-file-path=ibdata1:2M:autoextend
loose-innodb-temp-data-file-path=ibtmp1:1M:autoextend
loose-innodb-autoextend-increment=1
loose-innodb-flush-log-at-trx-commit=0
loose-debug-no-sync=1
loose-innodb-flush-method=nosync
loose-innodb-doublewrite=0
loose-innodb-max-dirty-pages-pct=0
loose-innodb-stats-persistent=0
loose-innodb-lock-wait-timeout=900
"""
    )


def write_slurmdbd(layout: Layout, state: State, owner: str) -> None:
    """slurmdbd.conf; slurmdbd requires that only its own user can read it."""
    text = f"""\
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={state.slurmdbd_port}
CommunicationParameters=NoInAddrAny
SlurmUser={owner}
AuthType=auth/munge
AuthInfo=socket={layout.munge_socket}
PidFile={layout.run}/slurmdbd.pid
LogFile={layout.log}/slurmdbd.log
DebugLevel=info
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser={owner}
StorageLoc={DATABASE}
"""
    write_private(layout.etc / "slurmdbd.conf", text.encode())


def write_cgroup(layout: Layout) -> None:
    """cgroup.conf: from 23.11 on slurmd prepares control groups unless told not to."""
    if programs.slurm_version() >= (23, 11):
        (layout.etc / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
