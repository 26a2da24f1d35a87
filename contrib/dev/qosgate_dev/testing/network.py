# SPDX-License-Identifier: GPL-2.0-or-later
"""A network of a test's own, in which Slurm's messages do not wait for each other.

Slurm writes a message in pieces. The kernel holds the second piece back until the first one is acknowledged, which the
receiver puts off by 40 ms, so that one sacctmgr takes half a second. The route of this network's loopback has each
piece acknowledged at once.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

_CLONE_NEWNET = 0x40000000

# contrib/dev/enter_tree reads it, too.
_LOOPBACK = Path(__file__).with_name("loopback.ip")


def enter_own() -> None:
    """Moves this process, and what it starts, to a network that has only a loopback; it goes with the last of them.

    Without the right to do so, or without the program `ip`, nothing changes: the tests only take longer.
    """
    ip = shutil.which("ip", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/ns/net", "rb") as before:
        if ip is None or libc.unshare(_CLONE_NEWNET) != 0:
            return
        done = subprocess.run([ip, "-batch", str(_LOOPBACK)], text=True, stderr=subprocess.PIPE, check=False)
        if done.returncode == 0:
            return
        print(f"no network of its own, so this takes longer: ip: {done.stderr.strip()}", file=sys.stderr)
        if libc.setns(before.fileno(), _CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "the network of before cannot be entered again")
