# SPDX-License-Identifier: GPL-2.0-or-later
"""Finding, watching and ending the processes of one cluster.

Every daemon carries MARKER=<directory> in its environment, and what it starts inherits that: so the
cluster's processes are known from /proc alone, whatever became of pid files. `DIR/env` does
not set the marker: a shell that sourced it is not part of the cluster.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

MARKER = "QOSGATE_CLUSTER_DAEMON"

# Who waits counts looks, because each takes longer on a busy machine. 500 are 10 s on one that has nothing else to do.
_POLL_SECONDS = 0.02
_KILL_LOOKS = 500
_MARK_SECONDS = 0.001


def environment_of(pid: int) -> dict[str, str]:
    """The environment a process was started with; empty if it is gone or not ours to read."""
    try:
        raw = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    pairs = (item.partition(b"=") for item in raw.split(b"\0") if item)
    return {os.fsdecode(key): os.fsdecode(value) for key, _, value in pairs}


def wait_marked(pid: int) -> None:
    """Waits until a daemon that was just started carries the marker, or has ended.

    A process that executes a program shows no environment for a moment.
    """
    while MARKER not in environment_of(pid) and is_alive(pid):
        time.sleep(_MARK_SECONDS)


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat from the state on."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    # The command name, in parentheses, may itself hold spaces and parentheses.
    return stat[stat.rindex(")") + 2 :].split()


def _state_and_parent(pid: int) -> tuple[str, int] | None:
    fields = _stat(pid)
    return (fields[0], int(fields[1])) if fields else None


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process so far; the kernel counts it in ticks. Errors: ProcessLookupError."""
    fields = _stat(pid)
    if not fields:
        raise ProcessLookupError(f"process {pid} is gone")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_alive(pid: int) -> bool:
    """Whether the process exists and is more than an uncollected exit status."""
    found = _state_and_parent(pid)
    return found is not None and found[0] not in "ZX"


def read_pid(pid_file: Path) -> int | None:
    """The pid in a daemon's pid file, if there is one."""
    try:
        return int(pid_file.read_text())
    except (OSError, ValueError):
        return None


def find_daemon(pid_file: Path, directory: Path) -> int | None:
    """The pid of the living daemon a pid file names; stale files and recycled pids do not count."""
    pid = read_pid(pid_file)
    if pid is None or not is_alive(pid):
        return None
    return pid if environment_of(pid).get(MARKER) == str(directory) else None


def find_all(directory: Path, task_signature: dict[str, str]) -> set[int]:
    """Every process of the cluster: daemons, job steps, the jobs' own, and all their descendants.

    A job that lost its slurmstepd is known by its environment: it holds all of `task_signature`,
    and SLURMD_NODENAME, which slurmstepd alone sets.
    Cost: one pass over /proc.
    """
    parents: dict[int, int] = {}
    members: set[int] = set()
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        pid = int(entry)
        found = _state_and_parent(pid)
        if found is None or found[0] in "ZX":
            continue
        parents[pid] = found[1]
        environment = environment_of(pid)
        is_daemon = environment.get(MARKER) == str(directory)
        is_task = "SLURMD_NODENAME" in environment and (
            task_signature.items() <= environment.items()
        )
        if is_daemon or is_task:
            members.add(pid)
    return members | _descendants(members, parents)


def _descendants(members: set[int], parents: dict[int, int]) -> set[int]:
    found: set[int] = set()
    frontier = members
    while frontier:
        frontier = {pid for pid, parent in parents.items() if parent in frontier} - found - members
        found |= frontier
    return found


def send(pids: Iterable[int], signum: int) -> None:
    """Signals each process that still exists."""
    for pid in pids:
        try:
            os.kill(pid, signum)
        except ProcessLookupError:
            continue


def wait_gone(pids: Iterable[int], looks: int) -> set[int]:
    """Waits until the processes have ended; returns those that have not after so many looks."""
    remaining = {pid for pid in pids if is_alive(pid)}
    while remaining and looks > 0:
        time.sleep(_POLL_SECONDS)
        looks -= 1
        remaining = {pid for pid in remaining if is_alive(pid)}
    return remaining


def kill(pids: Iterable[int]) -> None:
    """Ends the processes at once."""
    pids = set(pids)
    send(pids, signal.SIGKILL)
    wait_gone(pids, _KILL_LOOKS)
