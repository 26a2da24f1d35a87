# SPDX-License-Identifier: GPL-2.0-or-later
"""Free loopback ports that stay reserved until the daemons have taken them, and the daemons' sockets."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import socket
import sys
from pathlib import Path

from .errors import EX_UNAVAILABLE, ClusterError

# Below Linux's default range for outgoing connections, which starts at 32768.
PORT_RANGE = range(20000, 32000)

# The system call, which has the same number on every machine.
_PIDFD_GETFD = 438

# TCP_LISTEN as /proc/net/tcp spells it.
_LISTEN = "0A"


class Reservation:
    """Loopback ports that no other program gets, as a context manager.

    Each port is bound by a socket that does not listen. It is bound exclusively, so a second
    reservation of the same port fails; SO_REUSEADDR, set only afterwards, lets in a daemon that
    sets it too, as Slurm's do.

        with Reservation(3) as ports:
            first, second, third = ports
    """

    def __init__(self, count: int) -> None:
        self._sockets: list[socket.socket] = []
        candidates = random.sample(PORT_RANGE, len(PORT_RANGE))
        while len(self._sockets) < count:
            if not candidates:
                self.release()
                raise ClusterError(
                    f"127.0.0.1: fewer than {count} free ports between {PORT_RANGE.start} and"
                    f" {PORT_RANGE.stop - 1}: take other clusters down",
                    EX_UNAVAILABLE,
                )
            self._try(candidates.pop())

    def _try(self, port: int) -> None:
        holder = socket.socket()
        try:
            holder.bind(("127.0.0.1", port))
        except OSError:
            holder.close()
            return
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._sockets.append(holder)

    def release(self) -> None:
        """Gives the ports back."""
        for holder in self._sockets:
            holder.close()
        self._sockets.clear()

    def __enter__(self) -> list[int]:
        return [holder.getsockname()[1] for holder in self._sockets]

    def __exit__(self, *_: object) -> None:
        self.release()


def is_listening(port: int) -> bool:
    """Whether a socket listens on this loopback port.

    Read from the kernel's table: Slurm's daemons log an error about each connection that says
    nothing. Cost: one small file.
    """
    wanted = f"0100007F:{port:04X}" if sys.byteorder == "little" else f"7F000001:{port:04X}"
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, _, state, *_ = line.split()
        if state == _LISTEN and local == wanted:
            return True
    return False


def let_answer_at_once(pid: int) -> None:
    """Lets a process send small messages at once on the connections that it will accept.

    slurmdbd writes the length of an answer and the answer apart. The kernel holds the second back until the first is
    acknowledged, which takes 40 ms, twice or more in each sacctmgr. Connections inherit the option from the socket that
    listens. Nothing changes if the kernel does not let us reach it, as with Yama without root.
    """
    libc = ctypes.CDLL(None)
    with contextlib.suppress(OSError), open(os.pidfd_open(pid), "rb") as process:  # unless it has just ended
        for entry in os.listdir(f"/proc/{pid}/fd"):
            if not os.readlink(f"/proc/{pid}/fd/{entry}").startswith("socket:"):
                continue
            copy = libc.syscall(_PIDFD_GETFD, process.fileno(), int(entry), 0)
            if copy >= 0:
                with socket.socket(fileno=copy) as ours:
                    if ours.family == socket.AF_INET and ours.type == socket.SOCK_STREAM:
                        ours.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
