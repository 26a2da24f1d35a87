# SPDX-License-Identifier: GPL-2.0-or-later
"""Starts each daemon, and finds out whether it answers or why it does not."""

from __future__ import annotations

import dataclasses
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from . import interrupts, ports, processes, programs, users
from .errors import EX_USAGE, ClusterError
from .layout import Layout, State

_POLL_SECONDS = 0.01

# How long a daemon that left its terminal may take to write its pid file.
_PID_FILE_SECONDS = 30.0

_SLURMDBD_RESTARTS = 2

_FATAL = re.compile(r"\bfatal\b|\[ERROR\] (?!Aborting)|munged: Error", re.I)
_ERROR = re.compile(r"\berror\b", re.I)
# What Slurm calls an error whenever a private cluster starts as it should: a new one has no saved state yet.
_USUAL = re.compile(
    r"error: .*(Could not open \w+ state file \S+: No such file or directory|No fed_mgr state file \(\S+\) to recover"
    r"|NOTE: Trying backup (\w+ )?state save file|pmix|fix your gres\.conf|xcpuinfo_hwloc_topo_load"
    r"|Domain socket directory|Database settings not recommended|update cluster: Connection refused)"
)
_REASON_LINES = 4

TRY_LONGER = "if nothing is wrong and this machine is busy, `cluster up` with a longer --timeout"
_TRY_CORRECT = (
    "correct what these lines name, such as a line for slurm.conf or a plugin that does not load;"
    " if they name nothing, start it again"
)

# How long one request to a daemon may take before it is repeated.
_QUESTION_SECONDS = 5.0

# Kept to the end: Python loses an exception that a signal raises in a finaliser, such as Popen's.
_started: list[subprocess.Popen[bytes]] = []


@dataclasses.dataclass(frozen=True)
class Daemon:
    """One daemon of a cluster.

    `command` ends in a process that writes `pid_file`; `address` is shown to people; `port` is 0
    for a daemon that listens on a unix socket only; `answers` probes it without waiting; `serves`
    asks it something and waits for the answer, where listening does not mean that it is ready;
    `restarts` is how often it is started again if it crashes on its own before it answers.
    """

    name: str
    command: tuple[str, ...]
    pid_file: Path
    log_file: Path
    address: str
    port: int
    answers: Callable[[], bool]
    serves: Callable[[], bool] = lambda: True
    restarts: int = 0

    @property
    def output_file(self) -> Path:
        """What the daemon prints before it opens its log."""
        return self.log_file.with_suffix(".out")


def all_daemons(layout: Layout, state: State) -> list[Daemon]:
    """The cluster's daemons in the order in which they depend on each other."""
    return [
        _munged(layout),
        _mariadbd(layout),
        # Once in some hundred starts, slurmdbd of 22.05.8 dies of SIGSEGV in glibc's hsearch_r.
        dataclasses.replace(
            _slurm_daemon(layout, "slurmdbd", (), state.slurmdbd_port), restarts=_SLURMDBD_RESTARTS
        ),
        dataclasses.replace(
            _slurm_daemon(
                layout, "slurmctld", (), state.slurmctld_port, shlex.split(state.wrap_slurmctld)
            ),
            serves=lambda: _controller_serves(layout),
        ),
        *(
            _slurm_daemon(layout, "slurmd", ("-N", node.name), node.port, suffix=f"-{node.name}")
            for node in state.nodes
        ),
    ]


def select(daemons: Sequence[Daemon], names: Sequence[str]) -> list[Daemon]:
    """The named daemons, in starting order; all without names; `slurmd` is every slurmd.

    Errors: ClusterError for a name that no daemon has.
    """
    if not names:
        return list(daemons)
    for name in names:
        if not any(_matches(daemon, name) for daemon in daemons):
            known = ", ".join(daemon.name for daemon in daemons)
            raise ClusterError(f"{name}: no daemon of this cluster, which has {known}", EX_USAGE)
    return [daemon for daemon in daemons if any(_matches(daemon, name) for name in names)]


def _matches(daemon: Daemon, name: str) -> bool:
    return name in (daemon.name, daemon.name.partition("-")[0])


def _munged(layout: Layout) -> Daemon:
    log = layout.log / "munged.log"
    command = (
        programs.get_program("munged"),
        # The directory may be group-writable, as home directories are with some umasks.
        "--force",
        "--num-threads=10",
        f"--socket={layout.munge_socket}",
        f"--key-file={layout.munge_key}",
        f"--seed-file={layout.run}/munged.seed",
        f"--pid-file={layout.run}/munged.pid",
        f"--log-file={log}",
    )
    return Daemon(
        "munged",
        command,
        layout.run / "munged.pid",
        log,
        str(layout.munge_socket),
        0,
        lambda: _accepts(layout.munge_socket),
    )


def _mariadbd(layout: Layout) -> Daemon:
    return Daemon(
        "mariadbd",
        (programs.get_program("mariadbd"), f"--defaults-file={layout.mariadb_conf}"),
        layout.run / "mariadbd.pid",
        layout.log / "mariadbd.log",
        str(layout.mariadb_socket),
        0,
        lambda: _greets(layout.mariadb_socket),
    )


def _slurm_daemon(
    layout: Layout,
    program: str,
    arguments: tuple[str, ...],
    port: int,
    wrapper: Sequence[str] = (),
    suffix: str = "",
) -> Daemon:
    name = program + suffix
    return Daemon(
        name,
        (*wrapper, programs.get_program(program), *arguments),
        layout.run / f"{name}.pid",
        layout.log / f"{name}.log",
        f"127.0.0.1:{port}",
        port,
        lambda: ports.is_listening(port),
    )


def _accepts(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def _greets(path: Path) -> bool:
    """MariaDB speaks first, and not before it has run its init file."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(0.2)
        try:
            probe.connect(str(path))
            return bool(probe.recv(1))
        except OSError:
            return False


def _controller_serves(layout: Layout) -> bool:
    """Later releases of slurmctld, such as 24.11, listen before they have loaded their plugins."""
    try:
        answer = subprocess.run(
            [programs.get_program("scontrol"), "ping"],
            env=users.environment(layout),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_QUESTION_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return False
    return " is UP" in answer.stdout


class Crashed(ClusterError):
    """A daemon is gone, and its log does not say why."""


class Launch:
    """One start of a daemon, to be waited for.

    Starting takes no time, so several daemons come up side by side:

        launches = [Launch(layout, daemon) for daemon in daemons]
        for launch in launches:
            launch.wait(seconds=30)
    """

    def __init__(self, layout: Layout, daemon: Daemon) -> None:
        self.daemon = daemon
        self._layout = layout
        self._start()

    def _start(self) -> None:
        daemon = self.daemon
        self._log_start = daemon.log_file.stat().st_size if daemon.log_file.exists() else 0
        daemon.pid_file.unlink(missing_ok=True)
        with daemon.output_file.open("wb") as output, interrupts.deferred():
            self._process = subprocess.Popen(
                daemon.command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self._layout.run,
                env=_daemon_environment(self._layout),
                # Ctrl-C is for the tool; it ends the daemons in its own way.
                start_new_session=True,
            )
            # No search for the cluster's processes may begin before this one can be found.
            processes.wait_marked(self._process.pid)
            _started.append(self._process)

    def wait(self, seconds: float) -> None:
        """Waits until the daemon answers.

        Errors: ClusterError with the reason from its log, if it ended or took too long; Crashed if it
        crashed more often than the daemon's `restarts`.
        """
        for restart in range(1, self.daemon.restarts + 1):
            try:
                self._wait(seconds)
                return
            except Crashed:
                print(
                    f"cluster: {self.daemon.name} crashed right after its start:"
                    f" starting it again ({restart} of {self.daemon.restarts})",
                    file=sys.stderr,
                )
                self._start()
        self._wait(seconds)

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        left_terminal: float | None = None
        while not (self._pid() and self.daemon.answers() and self.daemon.serves()):
            now = time.monotonic()
            if now > deadline:
                raise self._failure(f"does not answer after {seconds:g} s", TRY_LONGER)
            code = self._process.poll()
            if code:
                raise self._failure(f"ended with {_describe(code)}", _TRY_CORRECT, may_be_crash=code < 0)
            # An empty pid file shows nothing yet, and a process that lives is waited for.
            pid = processes.read_pid(self.daemon.pid_file)
            is_gone = pid is not None and not processes.is_alive(pid)
            if code == 0 and not self._pid():
                left_terminal = left_terminal or now
                if is_gone or (pid is None and now > left_terminal + _PID_FILE_SECONDS):
                    raise self._failure("ended right after its start", _TRY_CORRECT, may_be_crash=True)
            time.sleep(_POLL_SECONDS)

    def _pid(self) -> int | None:
        return processes.find_daemon(self.daemon.pid_file, self._layout.root)

    def _failure(self, what: str, advice: str, *, may_be_crash: bool = False) -> ClusterError:
        reason = self._reason()
        is_crash = may_be_crash and not _FATAL.search(reason)
        return (Crashed if is_crash else ClusterError)(
            f"{self.daemon.name}: {what}:\n  $ {shlex.join(self.daemon.command)}\n{reason}\n"
            f"(from {self.daemon.log_file} and .out beside it)\n"
            f"try: {advice}"
        )

    def _reason(self) -> str:
        """The lines that say why, of its output and of its log since this start."""
        text = self.daemon.output_file.read_text(errors="replace")
        if self.daemon.log_file.exists():
            with self.daemon.log_file.open(errors="replace") as log:
                log.seek(self._log_start)
                text += f"\n{log.read()}"
        return telling_lines(text) or "  (it printed nothing)"


def telling_lines(log: str) -> str:
    """What a log says about a failure, indented: the last errors up to the fatal one; without one, the last lines too."""
    lines = [line for line in log.splitlines() if line.strip() and not _USUAL.search(line)]
    telling = [line for line in lines if _FATAL.search(line) or _ERROR.search(line)]
    fatal = [place for place, line in enumerate(telling) if _FATAL.search(line)]
    if fatal:
        telling = telling[: fatal[-1] + 1]
    reason = list(dict.fromkeys(telling))[-_REASON_LINES:]
    if not fatal:
        reason += [line for line in lines[-_REASON_LINES:] if line not in reason]
    return "\n".join(f"  {line}" for line in reason)


def telling_lines_of(layout: Layout, *names: str) -> str:
    """What the logs of these daemons say about a failure, each below its name."""
    found = []
    for name in names:
        log = layout.log / f"{name}.log"
        if log.exists() and (lines := telling_lines(log.read_text(errors="replace"))):
            found.append(f"{log}:\n{lines}")
    return "\n".join(found)


def _describe(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _daemon_environment(layout: Layout) -> dict[str, str]:
    return users.environment(layout) | {
        processes.MARKER: str(layout.root),
        "MYSQL_UNIX_PORT": str(layout.mariadb_socket),
    }
