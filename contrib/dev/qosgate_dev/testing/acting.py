# SPDX-License-Identifier: GPL-2.0-or-later
"""Starts programs as other users without copying this process.

Told a user, subprocess uses fork() in place of vfork(). That takes four times what a client of Slurm takes itself.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import sys
from collections.abc import Iterator
from typing import Any

# The numbers of setgroups, setresgid and setresuid.
_NUMBERS = {"x86_64": (116, 119, 117), "aarch64": (159, 149, 147)}
_MACHINE = platform.machine() if sys.maxsize > 2**32 else "of 32 bits"
_SETGROUPS, _SETRESGID, _SETRESUID = _NUMBERS.get(_MACHINE, (0, 0, 0))
_CAN_ACT = _MACHINE in _NUMBERS

_libc = ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def acting_as(uid: int, gid: int) -> Iterator[dict[str, Any]]:
    """Root's thread acts as this user, without other groups; what it starts meanwhile stays that user's.

    Yields further options for Popen: none, but on other machines than those above the user. The C library would
    change the user of all threads, so it is not asked.

        with acting_as(20001, 20001) as options:
            process = subprocess.Popen(["sbatch", "--wrap=true"], **options)
    """
    if not _CAN_ACT:
        yield {"user": uid, "group": gid, "extra_groups": []}
        return
    groups = os.getgroups()
    try:
        _call(_SETGROUPS, 0, None)
        _call(_SETRESGID, gid, gid, 0)
        _call(_SETRESUID, uid, uid, 0)
        yield {}
    finally:
        act_as_root()
        _call(_SETGROUPS, len(groups), (ctypes.c_uint32 * len(groups))(*groups))


def act_as_root() -> None:
    """Ends what acting_as() began, if it did, but for the groups: in a process that was forked meanwhile, or after
    an interruption."""
    if _CAN_ACT and os.getresuid()[2] == 0:
        _call(_SETRESUID, 0, 0, 0)
        _call(_SETRESGID, 0, 0, 0)


def _call(number: int, *arguments: object) -> None:
    if _libc.syscall(number, *arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
