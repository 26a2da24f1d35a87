# SPDX-License-Identifier: GPL-2.0-or-later
"""A private cluster as a test sees it: made by contrib/dev/cluster, gone with the test."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent import futures
from pathlib import Path
from typing import Any

from qosgate_dev import ROOT
from qosgate_dev.cluster import __main__ as cluster_tool
from qosgate_dev.cluster import daemons, lifecycle, processes
from qosgate_dev.cluster import users as cluster_users
from qosgate_dev.cluster.layout import Layout

from . import answers
from .acting import act_as_root, acting_as
from .forked import run_forked

# As timeout(1) has it.
TIMED_OUT = 124

TOOL = ROOT / "contrib/dev/cluster"

# Ends only what hangs: no test passes or fails by it, however busy the machine is.
HANG_SECONDS = 300.0

# wait_for() gives up after so many looks without progress: a minute and a half, and longer on a busy machine.
_LOOKS = 900
_FIRST_PAUSE_SECONDS = 0.02
_POLL_SECONDS = 0.1

# Of looks_until_over().
LOOKS_PER_SECOND = 20

_open_clusters: list[Cluster] = []


class ClusterFailed(AssertionError):
    """The cluster, or a command that had to succeed, failed; the message has its whole output."""


@dataclasses.dataclass(frozen=True)
class CommandResult:
    """How a command ended; `rc` is negative after a signal, TIMED_OUT after its timeout."""

    command: str
    rc: int
    stdout: str
    stderr: str

    def __str__(self) -> str:
        return f"$ {self.command}\n{self.stdout}{self.stderr}(exit code {self.rc})"


@dataclasses.dataclass(frozen=True)
class Submission:
    """The answer of sbatch; `jobid` is None for a refused job, `stderr` has what the user read."""

    jobid: int | None
    rc: int
    stdout: str
    stderr: str

    @property
    def accepted(self) -> bool:
        """Whether there is a job."""
        return self.jobid is not None

    @property
    def job(self) -> int:
        """The job's number, of a submission that must have succeeded. Errors: ClusterFailed."""
        if self.jobid is None:
            raise ClusterFailed(f"sbatch refused the job (exit code {self.rc}):\n{self.stderr}")
        return self.jobid


def run_command(
    command: str | Sequence[str],
    timeout: float = HANG_SECONDS,
    acting: contextlib.AbstractContextManager[dict[str, Any]] = contextlib.nullcontext({}),
    **options: object,
) -> CommandResult:
    """Runs a command; after `timeout` seconds its whole process group is killed.

    A string is split like a shell's words, but no shell runs it. `acting`, such as acting_as(), is entered while it is
    started, also its `cwd`. `options` are Popen's.
    Errors: AnswerWrong if `qosgate` answers with anything but what its schemas and its help say.
    """
    words = shlex.split(command) if isinstance(command, str) else list(command)
    with acting as more:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **options,  # type: ignore[call-overload]
            **more,
        )
    with process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            stderr += f"(killed after {timeout:g} s)\n"
            code = TIMED_OUT
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if code != TIMED_OUT:
        answers.check_answer(words, code, stdout)
    return CommandResult(shlex.join(words), code, stdout, stderr)


class Cluster:
    """A running private cluster in a temporary directory; a context manager that ends it.

    Threads: not thread-safe.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.layout = Layout(directory)
        self._last: CommandResult | None = None

    @classmethod
    def up(
        cls,
        *,
        nodes: int | None = None,
        slurm_conf: str = "",
        users: Sequence[str] = (),
        qos: Sequence[str] = (),
        options: Sequence[str] = (),
    ) -> Cluster:
        """Starts a cluster with these nodes, more slurm.conf lines, invented users and QOSs.

        Each QOS is what follows `sacctmgr add qos`. slurmctld of 25.11 starts only if those that its partitions name exist.
        `options` are more arguments of `cluster up`, such as ["--gpu-type", "a100"].
        Errors: ClusterFailed with what the tool printed.
        """
        cluster = cls.new()
        arguments = list(options)
        if nodes is not None:
            arguments += ["--nodes", str(nodes)]
        if users:
            arguments += ["--users", ",".join(users)]
        for line in qos:
            arguments += ["--qos", line]
        if build := os.environ.get("QG_BUILD_ROOT"):
            arguments += ["--database", f"{build}/tests/cluster/database"]
        if slurm_conf:
            arguments += ["--slurm-conf", str(cluster.write_beside("extra.conf", slurm_conf))]
        try:
            cluster.tool("up", *arguments)
        except BaseException:
            cluster.down()
            raise
        return cluster

    @classmethod
    def new(cls) -> Cluster:
        """A cluster that is not up: only a name for its directory, in a short temporary one."""
        parent = Path(tempfile.mkdtemp(prefix="qgc-", dir="/tmp"))
        parent.chmod(0o755)
        cluster = cls(parent / "c")
        _open_clusters.append(cluster)
        return cluster

    def write_beside(self, name: str, text: str) -> Path:
        """Writes a file next to the cluster's directory, which `down` removes with it."""
        path = self.directory.with_name(name)
        path.write_text(text)
        return path

    def down(self) -> None:
        """Kills the cluster and removes its directory."""
        if self not in _open_clusters:
            return
        if self.layout.is_cluster():
            self.tool("down", "--now")
        if os.environ.get("QG_KEEP_CLUSTER") == "1":
            print(f"kept: {self.directory}", file=sys.stderr)
        else:
            shutil.rmtree(self.directory.parent)
        _open_clusters.remove(self)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.down()

    def tool(self, verb: str, *arguments: str, check: bool = True) -> CommandResult:
        """Runs `cluster VERB` on this cluster. Errors: with `check` ClusterFailed if it fails."""
        words = [verb, str(self.directory), *arguments]
        code, stdout, stderr = run_forked(lambda: cluster_tool.run(words), HANG_SECONDS)
        if code is None:
            stderr += f"(killed after {HANG_SECONDS:g} s)\n"
        result = CommandResult(shlex.join(["cluster", *words]), TIMED_OUT if code is None else code, stdout, stderr)
        if check and result.rc != 0:
            raise ClusterFailed(str(result))
        return result

    def start(self, *names: str) -> None:
        """Starts the named daemons, such as "slurmdbd" or "slurmd-node1", or all."""
        self.tool("start", *names)

    def stop(self, *names: str) -> None:
        """Stops the named daemons, or all; jobs live on.

        Errors: ClusterFailed if one had to be killed, or slurmctld ended late: something in it may hang.
        """
        self._stop_with("stop", *names)

    def _stop_with(self, verb: str, *names: str) -> None:
        result = self.tool(verb, *names)
        if re.search(": killed|slurmctld: ended late", result.stderr):
            raise ClusterFailed(str(result))

    def restart(self, *names: str) -> None:
        """Stops, then starts the named daemons, or all. Errors: as stop()."""
        self._stop_with("restart", *names)

    def status(self) -> dict[str, dict[str, object]]:
        """Each daemon by name: running, pid, port, address, log. Errors: ClusterError."""
        return {daemon.name: dataclasses.asdict(daemon) for daemon in lifecycle.status(self.layout)}

    def run(
        self,
        command: str | Sequence[str],
        user: str | None = None,
        *,
        timeout: float = HANG_SECONDS,
        check: bool = False,
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> CommandResult:
        """Runs a command with the cluster's environment, as root or as a user of the cluster.

        A string is split like a shell's words, but no shell runs it. `env` adds to the
        environment; `cwd` is by default the user's home, root's the cluster's directory.
        Errors: with `check` ClusterFailed if the exit code is not 0.
        """
        record = cluster_users.find_user(self.layout, user or "root")
        home = Path(record.pw_dir) if cluster_users.is_invented(self.layout, record) else None
        if record.pw_uid != 0:
            _require_reachable(command)
        result = self._last = run_command(
            command,
            timeout,
            acting_as(record.pw_uid, record.pw_gid),
            env=cluster_users.user_environment(self.layout, record) | dict(env or {}),
            cwd=cwd or home or self.directory,
        )
        if check and result.rc != 0:
            raise ClusterFailed(str(result))
        return result

    def run_until(
        self, command: str | Sequence[str], user: str, said: str, signum: signal.Signals = signal.SIGTERM
    ) -> CommandResult:
        """Runs a command that may not end by itself: it gets the signal as soon as it has written this to standard error.

        A string is split as by run().

        Errors: ClusterFailed with its output, if it does not say that.
        """
        words = shlex.split(command) if isinstance(command, str) else list(command)
        record = cluster_users.find_user(self.layout, user)
        out, err = (self.write_beside(f"until.{name}", "") for name in ("out", "err"))
        with out.open("w") as stdout, err.open("w") as stderr, acting_as(record.pw_uid, record.pw_gid) as more:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                env=cluster_users.user_environment(self.layout, record),
                cwd=record.pw_dir,
                **more,
            )
        try:
            self.wait_for(
                lambda: said in err.read_text() or process.poll() is not None,
                f"{words} says {said!r}",
                otherwise=err.read_text,
            )
            if process.poll() is None:
                process.send_signal(signum)
                process.wait(HANG_SECONDS)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return CommandResult(shlex.join(words), process.returncode, out.read_text(), err.read_text())

    def sacctmgr(self, arguments: str, *, check: bool = True) -> CommandResult:
        """Runs `sacctmgr -i ARGUMENTS` as root. Errors: with `check` ClusterFailed."""
        return self.run(f"sacctmgr -i {arguments}", check=check)

    def scontrol(self, arguments: str, *, check: bool = True) -> CommandResult:
        """Runs `scontrol ARGUMENTS` as root. Errors: with `check` ClusterFailed."""
        return self.run(f"scontrol {arguments}", check=check)

    def sbatch(
        self,
        arguments: str = "",
        user: str | None = None,
        *,
        wrap: str = "sleep 300",
    ) -> Submission:
        """Submits a job that runs the shell command `wrap`; a refused job is no error."""
        words = ["sbatch", "--parsable", *shlex.split(arguments), f"--wrap={wrap}"]
        result = self.run(words, user)
        # --parsable prints "<jobid>", or "<jobid>;<cluster>".
        number = result.stdout.strip().partition(";")[0]
        jobid = int(number) if result.rc == 0 and number.isdecimal() else None
        return Submission(jobid, result.rc, result.stdout, result.stderr)

    def job(self, jobid: int) -> dict[str, str]:
        """The fields of `scontrol show job`. Errors: ClusterFailed for an unknown job."""
        text = self.scontrol(f"show job -o {jobid}").stdout
        pairs = (word.partition("=") for word in text.split())
        return {key: value for key, separator, value in pairs if separator}

    def job_state(self, jobid: int) -> str:
        """The job's state, such as PENDING, RUNNING or COMPLETED."""
        return self.job(jobid)["JobState"]

    def job_reason(self, jobid: int) -> str:
        """Slurm's Reason why the job waits or has failed; "None" without one."""
        return self.job(jobid)["Reason"]

    def wait_job(self, jobid: int, state: str) -> dict[str, str]:
        """Waits until the job is in the state; returns its fields. Errors: ClusterFailed."""
        self.wait_for(
            lambda: self.job_state(jobid) == state,
            f"job {jobid} is {state}",
            otherwise=lambda: str(self.scontrol(f"show job {jobid}", check=False)),
        )
        return self.job(jobid)

    def wait_reason(self, jobid: int, reason: str) -> None:
        """Waits until the job waits for this reason. Errors: ClusterFailed."""
        self.wait_for(
            lambda: self.job_reason(jobid) == reason,
            f"job {jobid} waits for {reason}",
            otherwise=lambda: str(self.scontrol(f"show job {jobid}", check=False)),
        )

    def wait_for(
        self,
        condition: Callable[[], object],
        what: str,
        *,
        progress: Callable[[], object] = lambda: None,
        otherwise: Callable[[], str] = lambda: "",
    ) -> None:
        """Waits until the condition is true. Gives up after _LOOKS looks during which `progress` kept its value.

        Errors: ClusterFailed saying `what` did not happen, what `otherwise` tells, the last command that was run in
        vain, and what slurmctld's log says.
        """
        begin, looks, pause, reached = time.monotonic(), 0, _FIRST_PAUSE_SECONDS, progress()
        self._last = None
        while not (found := condition()):
            looks += 1
            if looks == _LOOKS and (now := progress()) != reached:
                looks, reached = 0, now
            elif looks == _LOOKS:
                seconds = time.monotonic() - begin
                what_not = f"not so after {seconds:.0f} s: {what} (the last look: {found!r})"
                log = daemons.telling_lines_of(self.layout, "slurmctld")
                raise ClusterFailed("\n".join([what_not, otherwise(), str(self._last or ""), log]))
            time.sleep(pause)
            pause = min(2 * pause, _POLL_SECONDS)

    def cpu_seconds(self, daemon: str = "slurmctld") -> float:
        """The CPU time of a running daemon so far, which a busy machine does not change."""
        pid = self.status()[daemon]["pid"]
        assert isinstance(pid, int)
        return processes.cpu_seconds(pid)

    def time_of(self, *actions: Callable[[], object]) -> list[float]:
        """The seconds that each action takes, one after the other; to be compared with others of the same minute."""
        moments = [time.monotonic()]
        for action in actions:
            action()
            moments.append(time.monotonic())
        return [end - begin for begin, end in itertools.pairwise(moments)]

    def looks_until_over(self, action: Callable[[], object]) -> int:
        """Runs the action in a thread. Returns how many looks, LOOKS_PER_SECOND, saw that it was not over; it is fewer on a
        busy machine, on which the action may take longer."""
        with futures.ThreadPoolExecutor(1) as pool:
            over, looks = pool.submit(action), 0
            while not futures.wait([over], 1 / LOOKS_PER_SECOND).done:
                looks += 1
            over.result()
        return looks

    def log(self, daemon: str) -> str:
        """The daemon's log so far, such as log("slurmctld") or log("slurmd-node1")."""
        return (self.layout.log / f"{daemon}.log").read_text(errors="replace")


def _require_reachable(command: str | Sequence[str]) -> None:
    """Errors: ClusterFailed for a file in the checkout or the build directory: other users may not enter its parents."""
    own = [ROOT, Path(os.environ.get("QG_BUILD_ROOT") or ROOT).absolute()]
    for word in shlex.split(command) if isinstance(command, str) else command:
        if any(Path(word).is_relative_to(directory) for directory in own):
            raise ClusterFailed(f"{word}: other users may be unable to reach it: copy it first, a program with copy_program()")


def end_all() -> None:
    """Ends what tests left running, after an interruption for example."""
    act_as_root()
    for cluster in list(_open_clusters):
        cluster.down()


def end_all_after_this_process() -> None:
    """Ends everything that still runs after this process has ended, even if it was killed.

    When Meson interrupts a test, it waits only half a second, and no database shuts down in that time.
    """
    parent = os.getpid()
    if os.fork() != 0:
        return
    act_as_root()
    os.setsid()
    with open(os.devnull, "r+b") as nothing:
        for stream in (0, 1, 2):
            os.dup2(nothing.fileno(), stream)
    try:
        while os.getppid() == parent:
            time.sleep(_POLL_SECONDS)
        for cluster in list(_open_clusters):
            if cluster.directory.parent.exists():
                with contextlib.suppress(ClusterFailed, OSError):
                    cluster.down()
    finally:
        os._exit(0)
