# SPDX-License-Identifier: GPL-2.0-or-later
"""up, start, stop, down and status of one cluster."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pwd
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import config, copies, daemons, interrupts, ports, processes, programs, slurm_conf, users
from .daemons import Daemon, Launch
from .errors import EX_CANTCREAT, ClusterError
from .layout import Layout, Node, State

# Ends only what hangs: a busy machine takes its time.
START_SECONDS = 180.0

# A daemon that ends after more looks than the first is told to be late, and killed after the second: 8 and 40 s if the
# machine has nothing else to do. They end within two seconds.
_PROMPT_LOOKS = 400
_STOP_LOOKS = 2000

_POLL_SECONDS = 0.02

# Clients of a daemon that hangs would wait for minutes.
_CLIENT_SECONDS = 15.0

# One more than the processes through which a daemon leaves its terminal.
_EMPTY_LOOKS = 3

# As sinfo words it; a trailing * means that the slurmd does not answer.
_USABLE_STATE = re.compile(r"(idle|mixed|allocated|planned|reserved|completing)\b(?!\*)")


@dataclasses.dataclass(frozen=True)
class Options:
    """What `up` was asked for."""

    nodes: int = 4
    hardware: slurm_conf.Hardware = slurm_conf.Hardware()
    licenses: str = ""
    users: tuple[str, ...] = ()
    qos: tuple[str, ...] = ()  # what sacctmgr adds before slurmctld starts: "small MaxWall=60"
    extra_lines: str = ""
    wrap_slurmctld: str = ""
    start_seconds: float = START_SECONDS
    database: Path | None = None  # the files of one that database.prepare() returned: the cluster begins with a copy
    daemons: tuple[str, ...] = ()  # the names of those to start; without names, all are started


@dataclasses.dataclass(frozen=True)
class DaemonStatus:
    """One daemon as `status` shows it; `pid` is None when it is down, `port` None on a socket."""

    name: str
    running: bool
    pid: int | None
    port: int | None
    address: str
    log: str


def up(layout: Layout, options: Options) -> None:
    """Makes a new, empty cluster in the directory and starts it.

    Errors: ClusterError; no process of the cluster is left then, but its logs are.
    """
    programs.require_all()
    extra = slurm_conf.parse_extra_lines(
        options.extra_lines,
        {"@DIR@": str(layout.root), "@PLUGINDIR@": str(programs.slurm_plugin_dir())},
    )
    users.require_usable(options.users)
    require_usable(layout, has_users=bool(options.users))
    _claim_directory(layout)
    with layout.locked():
        if _members(layout):
            raise ClusterError(
                f"{layout.root}: this cluster is running: `cluster down {layout.root}` first"
            )
        _remove_content(layout)
        with _swept_on_failure(layout):
            _create_and_start(layout, options, extra)


def start(layout: Layout, names: Sequence[str], seconds: float = START_SECONDS) -> list[str]:
    """Starts the named daemons, or all, that are down; returns the names of those started.

    Errors: ClusterError; those started before the one that failed stay up.
    """
    state = layout.load()
    with layout.locked():
        chosen = daemons.select(daemons.all_daemons(layout, state), names)
        if any(_stage(daemon) == 2 for daemon in chosen):
            copies.refresh_plugins(layout, state.plugin_dirs)
        stopped = [daemon for daemon in chosen if not _pid(layout, daemon)]
        _start_in_order(layout, state, stopped, seconds)
        return [daemon.name for daemon in stopped]


def stop(layout: Layout, names: Sequence[str]) -> list[str]:
    """Stops the named daemons, or all, that are up; returns their names. Jobs live on."""
    layout.require_cluster()
    with layout.locked():
        running = _running(layout, names)
        _stop_in_order(layout, running)
        return [daemon.name for daemon in running]


def down(layout: Layout, now: bool = False) -> None:
    """Ends every process of the cluster, its jobs' too, and removes its sockets.

    Configuration, data and logs stay: `start` resumes the cluster, `up` makes a new one. With
    `now` the daemons are killed, which takes a tenth of the time and may lose the last changes.
    """
    layout.require_cluster()
    with layout.locked():
        if not now:
            _stop_in_order(layout, _running(layout, ()))
        _kill_everything(layout)


def status(layout: Layout) -> list[DaemonStatus]:
    """Each daemon in starting order."""
    state = layout.load()
    found = []
    for daemon in daemons.all_daemons(layout, state):
        pid = _pid(layout, daemon)
        running = pid is not None and daemon.answers()
        found.append(
            DaemonStatus(
                daemon.name, running, pid, daemon.port or None, daemon.address, str(daemon.log_file)
            )
        )
    return found


def require_usable(layout: Layout, *, has_users: bool) -> None:
    """Errors: ClusterError if nothing in the cluster's directory could be run, or invented users could not reach it."""
    parents = [parent for parent in layout.root.resolve().parents if parent.exists()]
    if os.statvfs(parents[0]).f_flag & os.ST_NOEXEC:
        raise ClusterError(
            f"{layout.root}: {parents[0]} is mounted noexec, so no job could run there: use another directory",
            EX_CANTCREAT,
        )
    for parent in parents if has_users else ():
        if not parent.stat().st_mode & stat.S_IXOTH:
            raise ClusterError(
                f"{layout.root}: other users may not enter {parent}, but the cluster has some:"
                f" use a directory below /tmp, or chmod o+x {parent}",
                EX_CANTCREAT,
            )


def _claim_directory(layout: Layout) -> None:
    """Makes the directory, or uses it if it is empty or contains a cluster of ours; everyone may enter it.

    Errors: ClusterError for a directory with anything else in it.
    """
    try:
        layout.root.mkdir(mode=0o755, parents=True, exist_ok=True)
        content = set(layout.root.iterdir()) - {layout.lock_file}
        foreign = content and not layout.is_cluster()
        if not foreign:
            layout.root.chmod(0o755)
    except OSError as error:
        raise ClusterError(f"{layout.root}: {error.strerror}", EX_CANTCREAT) from error
    if foreign:
        raise ClusterError(
            f"{layout.root}: holds other files and no cluster.json, so it is left alone:"
            " name a new or empty directory",
            EX_CANTCREAT,
        )


def _remove_content(layout: Layout) -> None:
    for directory in layout.directories:
        shutil.rmtree(directory, ignore_errors=True)


@contextlib.contextmanager
def _swept_on_failure(layout: Layout) -> Iterator[None]:
    """Ends all processes of a start that failed or was interrupted."""
    try:
        yield
    except BaseException:
        interrupts.ignore()
        _kill_everything(layout)
        raise


def _create_and_start(
    layout: Layout, options: Options, extra: slurm_conf.ExtraLines
) -> None:
    names = list(extra.nodes) or [f"node{number}" for number in range(1, options.nodes + 1)]
    with ports.Reservation(2 + len(names)) as free_ports:
        state = State(
            cluster_name=extra.value("ClusterName") or slurm_conf.DEFAULT_CLUSTER_NAME,
            nodes=tuple(map(Node, names, free_ports[2:])),
            slurmctld_port=free_ports[0],
            slurmdbd_port=free_ports[1],
            users=options.users,
            wrap_slurmctld=options.wrap_slurmctld,
            plugin_dirs=copies.take_plugin_dirs(layout, extra),
        )
        layout.save(state)
        _write_configuration(layout, state, options, extra)
        chosen = daemons.select(daemons.all_daemons(layout, state), options.daemons)
        before = [daemon for daemon in chosen if options.qos and _stage(daemon) < 2]
        _start_in_order(layout, state, before, options.start_seconds)
        _add_qos(layout, options.qos)
        after = [daemon for daemon in chosen if daemon not in before]
        _start_in_order(layout, state, after, options.start_seconds)


def _add_qos(layout: Layout, lines: Sequence[str]) -> None:
    """Errors: ClusterError with what sacctmgr says."""
    for line in lines:
        done = subprocess.run(
            [programs.get_program("sacctmgr"), "-i", "add", "qos", *shlex.split(line)],
            env=users.environment(layout),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_CLIENT_SECONDS,
        )
        if done.returncode != 0:
            raise ClusterError(f"sacctmgr does not add the QOS {line!r}:\n{done.stdout}{done.stderr}")


def _write_configuration(
    layout: Layout, state: State, options: Options, extra: slurm_conf.ExtraLines
) -> None:
    owner = pwd.getpwuid(os.geteuid()).pw_name
    for directory in layout.directories:
        directory.mkdir(mode=0o755)
    if options.database and state.cluster_name == slurm_conf.DEFAULT_CLUSTER_NAME:
        # Of its 32 MB most are zeros.
        command = ["cp", "-a", "--sparse=always", f"{options.database}/.", str(layout.database)]
        copied = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if copied.returncode != 0:
            raise ClusterError(f"--database {options.database}: {copied.stderr.strip()}", EX_CANTCREAT)
    layout.database.chmod(0o700)
    config.write_munge_key(layout)
    config.write_mariadb(layout, owner)
    config.write_slurmdbd(layout, state, owner)
    config.write_cgroup(layout)
    copies.refresh_plugins(layout, state.plugin_dirs)
    users.write_databases(layout, options.users)
    users.write_env_file(layout)
    layout.slurm_conf.write_text(
        slurm_conf.compose(layout, state, options.hardware, options.licenses, extra, owner)
    )
    (layout.etc / "gres.conf").write_text(
        slurm_conf.compose_gres(layout, state, options.hardware, extra)
    )


def _start_in_order(
    layout: Layout, state: State, chosen: Sequence[Daemon], seconds: float
) -> None:
    """Starts daemons at the same time if possible; each stage needs the one before it."""
    stages: dict[int, list[Daemon]] = {}
    for daemon in chosen:
        stages.setdefault(_stage(daemon), []).append(daemon)
    for number in sorted(stages):
        launches = [Launch(layout, daemon) for daemon in stages[number]]
        for launch in launches:
            launch.wait(seconds)
    nodes = {daemon.name.removeprefix("slurmd-") for daemon in chosen if _stage(daemon) == 3}
    if nodes and ports.is_listening(state.slurmctld_port):
        _wait_for_nodes(layout, nodes, seconds)


def _stage(daemon: Daemon) -> int:
    order = {"munged": 0, "mariadbd": 0, "slurmdbd": 1, "slurmctld": 2}
    return order.get(daemon.name, 3)


def _wait_for_nodes(layout: Layout, nodes: set[str], seconds: float) -> None:
    """Errors: ClusterError naming the nodes that slurmctld does not find usable, and why."""
    deadline = time.monotonic() + seconds
    while True:
        states, answer = _node_states(layout)
        unusable = {
            name: states.get(name, "unknown to sinfo")
            for name in nodes
            if not _USABLE_STATE.match(states.get(name, ""))
        }
        if not unusable:
            return
        if time.monotonic() > deadline:
            listing = ", ".join(f"{name} is {state}" for name, state in sorted(unusable.items()))
            raise ClusterError(
                f"slurmctld: nodes not usable after {seconds:g} s: {listing}:\n{answer}"
                f"{daemons.telling_lines_of(layout, 'slurmctld', f'slurmd-{min(unusable)}')}\n"
                f"try: {daemons.TRY_LONGER}"
            )
        time.sleep(_POLL_SECONDS)


def _node_states(layout: Layout) -> tuple[dict[str, str], str]:
    """Each node's state, followed by the reason for it if slurmctld knows one; and how sinfo showed them."""
    command = [programs.get_program("sinfo"), "-h", "-N", "-o", "%N %T (%E)"]
    shown = f"  $ {shlex.join(command)}\n"
    try:
        done = subprocess.run(
            command,
            env=users.environment(layout),
            capture_output=True,
            text=True,
            check=False,
            timeout=_CLIENT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return {}, f"{shown}  (no answer after {_CLIENT_SECONDS:g} s)\n"
    rows = (line.partition(" ") for line in done.stdout.splitlines())
    states = {name: state.removesuffix(" (none)") for name, _, state in rows}
    return states, shown + textwrap.indent(done.stdout + done.stderr, "  ")


def _stop_in_order(layout: Layout, running: Sequence[Daemon]) -> None:
    """The reverse of starting, so that no daemon waits for one that has ended. Standard error names those that are late."""
    for number in sorted({_stage(daemon) for daemon in running}, reverse=True):
        pids = {pid: daemon.name for daemon in running if _stage(daemon) == number and (pid := _pid(layout, daemon))}
        begin = time.monotonic()
        processes.send(pids, signal.SIGTERM)
        late = processes.wait_gone(pids, _PROMPT_LOOKS)
        hanging = processes.wait_gone(late, _STOP_LOOKS - _PROMPT_LOOKS)
        processes.kill(hanging)
        for pid in late:
            how = "killed" if pid in hanging else "ended late"
            print(f"cluster: {pids[pid]}: {how}, after {time.monotonic() - begin:.0f} s", file=sys.stderr)


def _running(layout: Layout, names: Sequence[str]) -> list[Daemon]:
    chosen = daemons.select(daemons.all_daemons(layout, layout.load()), names)
    return [daemon for daemon in chosen if _pid(layout, daemon)]


def _kill_everything(layout: Layout) -> None:
    """Repeats until several checks in a row find no process.

    A daemon that leaves its terminal forks twice, and each of these processes may end between being listed and
    being looked at, with its successor not on that list.
    """
    empty_looks = 0
    while empty_looks < _EMPTY_LOOKS:
        remaining = _members(layout)
        processes.kill(remaining)
        empty_looks = 0 if remaining else empty_looks + 1
    _remove_sockets(layout)


def _remove_sockets(layout: Layout) -> None:
    """Removes the sockets and pid files that killed daemons leave behind."""
    for directory in (layout.run, layout.database, layout.spool):
        for path in directory.rglob("*"):
            if path.is_socket():
                path.unlink()
    for path in layout.run.glob("*.pid"):
        path.unlink()


def _members(layout: Layout) -> set[int]:
    signature = {"SLURM_CONF": str(layout.slurm_conf)}
    if layout.is_cluster():
        signature["SLURM_CLUSTER_NAME"] = layout.load().cluster_name
    return processes.find_all(layout.root, signature)


def _pid(layout: Layout, daemon: Daemon) -> int | None:
    return processes.find_daemon(daemon.pid_file, layout.root)
