# SPDX-License-Identifier: GPL-2.0-or-later
"""Invented users, and the environment that makes programs see them and their cluster.

nss_wrapper, loaded into the daemons and the clients, answers for the system's user, group and host
databases from files in the cluster's etc/. Nothing is added to this machine's own databases.
"""

from __future__ import annotations

import grp
import os
import pwd
import re
import shlex
import socket
import sys
from pathlib import Path

from .errors import EX_USAGE, ClusterError
from .layout import Layout
from .programs import NSS_WRAPPER, SEARCH_PATH

FIRST_UID = 20001

_USER_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")

# Variables that would lead a client or a daemon to another cluster, or give every job the same options.
_FOREIGN_PREFIXES = (
    "SLURM_", "SLURMD_", "SBATCH_", "SALLOC_", "SRUN_", "SQUEUE_", "SINFO_", "SACCTMGR_"
)  # fmt: skip


def leave_sourced_cluster() -> None:
    """Restarts this program with the machine's own user database if a DIR/env was sourced.

    That cluster may be gone, or may be about to be made again.
    """
    if "NSS_WRAPPER_PASSWD" not in os.environ:
        return
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NSS_WRAPPER_")}
    preload = [item for item in kept.get("LD_PRELOAD", "").split(":") if item != NSS_WRAPPER]
    os.execve(sys.executable, sys.orig_argv, kept | {"LD_PRELOAD": ":".join(preload)})


def require_usable(names: tuple[str, ...]) -> None:
    """Errors: ClusterError for a name that is malformed or taken, or for not being root."""
    if names and os.geteuid() != 0:
        raise ClusterError(
            "--users: only root can run jobs as other users: run as root, or leave --users out",
            EX_USAGE,
        )
    taken = {entry.pw_name for entry in pwd.getpwall()}
    taken |= {entry.gr_name for entry in grp.getgrall()}
    for name in names:
        if not _USER_NAME.fullmatch(name):
            raise ClusterError(
                f"--users: {name!r} is no user name: use small letters and digits", EX_USAGE
            )
        if name in taken:
            raise ClusterError(
                f"--users: {name} exists on this machine or is named twice: invent another name",
                EX_USAGE,
            )
        taken.add(name)


def write_databases(layout: Layout, names: tuple[str, ...]) -> None:
    """Writes etc/passwd, etc/group and etc/hosts and makes each invented user's home."""
    passwd = Path("/etc/passwd").read_text().rstrip("\n") + "\n"
    group = Path("/etc/group").read_text().rstrip("\n") + "\n"
    for uid, name in enumerate(names, start=FIRST_UID):
        home = layout.home / name
        passwd += f"{name}:x:{uid}:{uid}:{name}:{home}:/bin/sh\n"
        group += f"{name}:x:{uid}:\n"
        home.mkdir(mode=0o700)
        os.chown(home, uid, uid)
    layout.passwd.write_text(passwd)
    layout.group.write_text(group)
    # nss_wrapper reads a file again if its time is another second: a change right after this would have the same.
    for file in (layout.passwd, layout.group):
        os.utime(file, (1, 1))
    layout.hosts.write_text(f"127.0.0.1 localhost {socket.gethostname()}\n")


def cluster_variables(layout: Layout) -> dict[str, str]:
    """What a program needs in its environment to talk to the cluster and know its users."""
    return {
        "SLURM_CONF": str(layout.slurm_conf),
        "NSS_WRAPPER_PASSWD": str(layout.passwd),
        "NSS_WRAPPER_GROUP": str(layout.group),
        "NSS_WRAPPER_HOSTS": str(layout.hosts),
    }


def environment(layout: Layout) -> dict[str, str]:
    """This process's environment, changed for the cluster; copied programs are first in PATH."""
    kept = {
        key: value for key, value in os.environ.items() if not key.startswith(_FOREIGN_PREFIXES)
    }
    preload = [item for item in kept.get("LD_PRELOAD", "").split(":") if item]
    if NSS_WRAPPER not in preload:
        preload.append(NSS_WRAPPER)
    kept["LD_PRELOAD"] = ":".join(preload)
    kept["PATH"] = f"{layout.programs}:{SEARCH_PATH}"
    return kept | cluster_variables(layout)


def write_env_file(layout: Layout) -> None:
    """Writes DIR/env, which a shell sources."""
    lines = [f"# Source this file to use the private cluster in {layout.root}."]
    lines += [
        f"export {key}={shlex.quote(value)}" for key, value in cluster_variables(layout).items()
    ]
    lines += [
        'case ":${LD_PRELOAD-}:" in',
        f"  *:{NSS_WRAPPER}:*) ;;",
        f'  *) export LD_PRELOAD="${{LD_PRELOAD:+$LD_PRELOAD:}}{NSS_WRAPPER}" ;;',
        "esac",
    ]
    layout.env_file.write_text("\n".join(lines) + "\n")


def find_user(layout: Layout, name: str) -> pwd.struct_passwd:
    """The cluster's record of a user, invented or the machine's own.

    Errors: ClusterError for an unknown name.
    """
    rows = [line.split(":") for line in layout.passwd.read_text().splitlines()]
    records = [
        pwd.struct_passwd((row[0], row[1], int(row[2]), int(row[3]), *row[4:]))
        for row in rows
        if len(row) == 7
    ]
    for record in records:
        if record.pw_name == name:
            return record
    invented = [record.pw_name for record in records if is_invented(layout, record)]
    raise ClusterError(
        f"{layout.root}: the cluster knows no user {name!r}"
        f" (invented ones: {', '.join(invented) or 'none, see up --users'})",
        EX_USAGE,
    )


def user_environment(layout: Layout, user: pwd.struct_passwd) -> dict[str, str]:
    """The environment of a program that runs as the user."""
    return environment(layout) | {
        "USER": user.pw_name,
        "LOGNAME": user.pw_name,
        "HOME": user.pw_dir,
        "SHELL": user.pw_shell,
    }


def is_invented(layout: Layout, user: pwd.struct_passwd) -> bool:
    """Whether `up` invented the user."""
    return Path(user.pw_dir).parent == layout.home


def become(layout: Layout, user: pwd.struct_passwd) -> None:
    """Makes this process run as the user; for an invented user also in its home directory.

    Errors: ClusterError without the right to do so.
    """
    if user.pw_uid != os.geteuid():
        if os.geteuid() != 0:
            raise ClusterError(f"run {user.pw_name}: only root can become another user", EX_USAGE)
        os.setgroups([])
        os.setgid(user.pw_gid)
        os.setuid(user.pw_uid)
    if is_invented(layout, user):
        os.chdir(user.pw_dir)
