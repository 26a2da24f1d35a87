# SPDX-License-Identifier: GPL-2.0-or-later
"""Free loopback ports that stay reserved until the daemons have taken them, and the daemons' sockets."""

from __future__ import annotations

import errno
import random
import socket

from .errors import EX_UNAVAILABLE, ClusterError

# Below Linux's default range for outgoing connections, which starts at 32768.
PORT_RANGE = range(20000, 32000)


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

    With SO_REUSEADDR a port can be bound that is only reserved or has old connections. Slurm's daemons log an error
    about each connection that says nothing, and the kernel takes milliseconds to list its sockets.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            return error.errno == errno.EADDRINUSE
    return False
