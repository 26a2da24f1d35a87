# SPDX-License-Identifier: GPL-2.0-or-later
"""A TCP proxy in front of slurmdbd that closes the connection or stops answering at a chosen request."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator


# The beginning of a request's body: its type, and for DBD_FINI whether to close and whether to commit.
COMMIT = b"\x05\x79\x00\x00\x00\x01"
READ_QOS = b"\x05\xa8"
MODIFY_QOS = b"\x05\xab"


class SlurmdbdProxy:
    """Passes everything on until the n-th request of its life, counted from 1, or until the first
    one whose body begins so, or for which a function says so.

    At that request it hangs up (`is_silent` false) or keeps it and says nothing. Connections
    made afterwards are passed on: libslurm makes one by itself. `requests` counts what came.
    `before` is called with each request's body, and holds it until it returns.
    """

    def __init__(
        self,
        port: int,
        fail_at: int | bytes | Callable[[bytes], bool] = 0,
        *,
        is_silent: bool = False,
        before: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        self._target = ("127.0.0.1", port)
        self._fail_at = fail_at
        self._is_silent = is_silent
        self._before = before
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.requests = 0
        self.has_failed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> SlurmdbdProxy:
        return self

    def __exit__(self, *_: object) -> None:
        for sock in [self._listener, *self._open]:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                for end in (client, server):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._open += [client, server]
                threading.Thread(target=self._requests, args=(client, server), daemon=True).start()
                threading.Thread(target=self._answers, args=(client, server), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            for message in _messages(client):
                self.requests += 1
                self._before(message[4:])
                if self._is_chosen(message[4:]):
                    self.has_failed = True
                    if self._is_silent:
                        return
                    break
                server.sendall(message)
            for sock in (client, server):
                sock.shutdown(socket.SHUT_RDWR)

    def _is_chosen(self, body: bytes) -> bool:
        if isinstance(self._fail_at, int):
            return self.requests == self._fail_at
        if isinstance(self._fail_at, bytes):
            return not self.has_failed and body.startswith(self._fail_at)
        return not self.has_failed and self._fail_at(body)

    @staticmethod
    def _answers(client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := _receive(server, 65536):
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)


def _messages(sock: socket.socket) -> Iterator[bytes]:
    """Slurm's messages: a length in network order, then as many bytes."""
    while len(head := _receive_all(sock, 4)) == 4:
        yield head + _receive_all(sock, struct.unpack("!I", head)[0])


def _receive_all(sock: socket.socket, size: int) -> bytes:
    """So many bytes; fewer at the end."""
    data = b""
    while len(data) < size and (more := _receive(sock, size - len(data))):
        data += more
    return data


def _receive(sock: socket.socket, size: int) -> bytes:
    # Slurm sends the length of a message apart, and the kernel holds the rest back until that is acknowledged: after
    # 40 ms without this option, which the kernel forgets soon.
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
    return sock.recv(size)
