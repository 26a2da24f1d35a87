# SPDX-License-Identifier: GPL-2.0-or-later
"""Slurm's, munge's and MariaDB's programs on this machine."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path

from .errors import EX_UNAVAILABLE, ClusterError

NSS_WRAPPER = "libnss_wrapper.so"

# Debian's package of each program, for the message that says what to install.
_PACKAGES = {
    "munged": "munge",
    "mariadbd": "mariadb-server",
    "slurmdbd": "slurmdbd",
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sinfo": "slurm-client",
}

# Where MariaDB ships the statements that make its system tables: from 11, and before.
_SYSTEM_TABLES = (
    "mariadb/mariadb_system_tables.sql",
    "mariadb/mysql_system_tables.sql",
    "mysql/mysql_system_tables.sql",
)

# Daemons live in sbin, which an ordinary user's PATH leaves out.
SEARCH_PATH = os.pathsep.join(
    [os.environ.get("PATH", ""), "/usr/local/sbin", "/usr/sbin", "/usr/local/bin", "/usr/bin"]
)


def find_program(name: str) -> str | None:
    """The program's path, if it is installed."""
    return shutil.which(name, path=SEARCH_PATH)


def get_program(name: str) -> str:
    """The program's path. Errors: ClusterError naming the package that has it."""
    found = find_program(name)
    if found is None:
        raise ClusterError(
            f"{name}: not found in PATH nor in the sbin directories:"
            f" install {_PACKAGES.get(name, name)}",
            EX_UNAVAILABLE,
        )
    return found


def require_all() -> None:
    """Errors: ClusterError naming all that is missing, so that one install command suffices."""
    missing = sorted({package for name, package in _PACKAGES.items() if not find_program(name)})
    if not _has_nss_wrapper():
        missing.append("libnss-wrapper")
    if missing:
        raise ClusterError(
            "a private cluster needs programs that are not installed here:"
            f" apt-get install {' '.join(missing)}",
            EX_UNAVAILABLE,
        )


def _has_nss_wrapper() -> bool:
    try:
        ctypes.CDLL(NSS_WRAPPER)
    except OSError:
        return False
    return True


def mariadb_version() -> tuple[int, ...]:
    """MariaDB's version, as in 10.11.14."""
    answer = subprocess.run(
        [get_program("mariadbd"), "--version"], capture_output=True, text=True, check=True
    ).stdout
    found = re.search(r"Ver (\d+)\.(\d+)\.(\d+)-MariaDB", answer)
    if found is None:
        raise ClusterError(f"mariadbd --version: unknown answer {answer!r}", EX_UNAVAILABLE)
    return tuple(map(int, found.groups()))


def slurm_version() -> tuple[int, int]:
    """Slurm's release as (year, month), as in 22.05 or 24.11."""
    answer = subprocess.run(
        [get_program("slurmctld"), "-V"], capture_output=True, text=True, check=False, timeout=20
    ).stdout
    found = re.search(r"(\d+)\.(\d+)", answer)
    if found is None:
        raise ClusterError(f"slurmctld -V: no release number in its answer {answer!r}")
    return int(found[1]), int(found[2])


def slurm_plugin_dir() -> Path:
    """Slurm's own plugin directory: the one its daemons load libslurmfull from.

    Errors: ClusterError if slurmctld names no such library.
    """
    slurmctld = get_program("slurmctld")
    answer = subprocess.run(
        ["ldd", slurmctld], capture_output=True, text=True, check=False, timeout=20
    ).stdout
    found = re.search(r"libslurmfull\S* => (\S+)", answer)
    if found is None:
        raise ClusterError(
            f"ldd {slurmctld}: names no libslurmfull, so Slurm's plugin directory is unknown"
        )
    return Path(found[1]).parent


def mariadb_proc_table() -> str:
    """MariaDB's own definition of its table of stored procedures, as one SQL statement.

    slurmdbd creates procedures, and this is the only system table they need.
    Errors: ClusterError if the file MariaDB ships is not where its packages put it.
    """
    prefix = Path(os.path.realpath(get_program("mariadbd"))).parent.parent
    for name in _SYSTEM_TABLES:
        script = prefix / "share" / name
        if not script.is_file():
            continue
        found = re.search(
            r"^CREATE TABLE IF NOT EXISTS proc \(.*?;\s*$", script.read_text(), re.M | re.S
        )
        if found is not None:
            return " ".join(found[0].split())
    raise ClusterError(
        f"{prefix}/share: neither {' nor '.join(_SYSTEM_TABLES)} defines `proc`:"
        " is mariadb-server-core complete?",
        EX_UNAVAILABLE,
    )
