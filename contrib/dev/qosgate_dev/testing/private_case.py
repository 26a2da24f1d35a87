# SPDX-License-Identifier: GPL-2.0-or-later
"""Helpers for tests of private clusters: processes, sockets, ports."""

from __future__ import annotations

import os
import socket
import sys
import unittest
from pathlib import Path

from .cluster import Cluster

TCP_LISTEN = "0A"
LOOPBACK = "0100007F" if sys.byteorder == "little" else "7F000001"


def processes_of(cluster: Cluster) -> dict[int, str]:
    """Every process whose command line or environment names the cluster's directory."""
    name = os.fsencode(cluster.directory)
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{entry}/cmdline").read_bytes()
            environment = Path(f"/proc/{entry}/environ").read_bytes()
        except OSError:
            continue
        if name in command or name in environment:
            found[int(entry)] = os.fsdecode(command.replace(b"\0", b" "))
    return found


def listening_addresses(pids: set[int]) -> set[tuple[str, int]]:
    """(hexadecimal address, port) of every TCP socket these processes listen on."""
    inodes = set()
    for pid in pids:
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            target = os.readlink(descriptor)
            if target.startswith("socket:["):
                inodes.add(target.removeprefix("socket:[").removesuffix("]"))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, _, _, _, _, _, inode, *_ = line.split()
            if state == TCP_LISTEN and inode in inodes:
                address, _, port = local.partition(":")
                found.add((address, int(port, 16)))
    return found


def ports_of(cluster: Cluster) -> set[int]:
    return {int(str(daemon["port"])) for daemon in cluster.status().values() if daemon["port"]}


class PrivateClusterCase(unittest.TestCase):
    """Assertions the cases below share."""

    def new_cluster(self) -> Cluster:
        cluster = Cluster.new()
        self.addCleanup(cluster.down)
        return cluster

    def assert_gone(self, cluster: Cluster) -> None:
        self.assertEqual(processes_of(cluster), {})
        sockets = [path for path in cluster.directory.rglob("*") if path.is_socket()]
        self.assertEqual(sockets, [])
        for port in ports_of(cluster) if cluster.layout.is_cluster() else ():
            with self.subTest(port=port), self.assertRaises(ConnectionRefusedError):
                connect(port)


def connect(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), timeout=2).close()
