# SPDX-License-Identifier: GPL-2.0-or-later
"""Command line of the private Slurm cluster; `cluster --help` says what it does."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from . import database, interrupts, lifecycle, users
from .errors import EX_FAILED, EX_NOINPUT, EX_USAGE, ClusterError
from .layout import Layout
from .slurm_conf import Hardware

# What a shell returns for a command it cannot run.
EX_NO_COMMAND = 127

DESCRIPTION = """\
A private Slurm cluster in one directory: munge, MariaDB, slurmdbd, slurmctld and
any number of slurmd, all on this machine, on free loopback ports. Several run
side by side, next to a real Slurm too; nothing outside the directory changes.
"""

EXAMPLES = """\
examples:
  cluster up /tmp/c                        4 nodes of 64 CPUs, 256000 MB and 8 GPUs
  . /tmp/c/env                             this shell now talks to it
  sinfo; srun -n 2 hostname
  cluster down /tmp/c                      ends all of it; logs and data stay
  cluster start /tmp/c                     resumes it with its data
  cluster up /tmp/c                        a new, empty cluster in the same place

users that this machine does not know:
  cluster up /tmp/c --users ana,ben
  sacctmgr -i add account astro
  sacctmgr -i add user ana account=astro
  cluster run /tmp/c ana sbatch --wrap 'id -un'
  cluster run /tmp/c ana cat slurm-1.out   run starts in ana's home

slurm.conf lines, here from a process substitution:
  cluster up /tmp/c --slurm-conf <(echo 'JobSubmitPlugins=qosgate
    PluginDir=/build/plugin:@PLUGINDIR@
    PartitionName=short Nodes=ALL MaxTime=60 Default=YES
    PartitionName=long  Nodes=ALL')
  cluster up /tmp/c --qos small --slurm-conf <(echo 'PartitionName=p Nodes=ALL AllowQos=small')

  A key in FILE replaces ours, its PartitionName lines replace our partition
  `main`, its NodeName lines replace our nodes; each such node gets the address,
  port, CPUs, memory and GPUs that the line leaves out. @DIR@ is the cluster's
  directory, @PLUGINDIR@ Slurm's own plugin directory. The plugins in every other
  directory of PluginDir are copied into the cluster's, where its users can load
  them, and again at each start.

when something fails:
  cluster stop /tmp/c slurmdbd             ... and start, and restart
  tail /tmp/c/log/slurmctld.log            one log per daemon
  cluster up /tmp/c --wrap-slurmctld 'valgrind --log-file=/tmp/v.%p'

exit codes: 0 done (status: all daemons run), 1 failed (status: some do not),
64 wrong usage, 66 not a cluster, 69 a program is missing, 73 directory unusable.
"""


Verb = Callable[[Layout, argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """Exits with the usage code of sysexits.h."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(EX_USAGE, f"{self.prog}: {message}\n")


def main(arguments: list[str]) -> int:
    users.leave_sourced_cluster()
    return run(arguments)


def run(arguments: list[str]) -> int:
    """In a process that has not sourced a cluster's env, and does nothing else."""
    options = make_parser().parse_args(arguments)
    interrupts.raise_on_signals()
    os.umask(0o022)
    try:
        verb: Verb = options.verb
        return verb(Layout(options.directory), options)
    except ClusterError as error:
        print(f"cluster: {error}", file=sys.stderr)
        return error.exit_code
    except interrupts.Interrupted as interruption:
        print(f"cluster: {interruption}", file=sys.stderr)
        return 128 + interruption.signum


def make_parser() -> Parser:
    parser = Parser(
        prog="cluster",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verbs = parser.add_subparsers(metavar="VERB", required=True, parser_class=Parser)

    up = add_verb(verbs, "up", run_up, "make a new, empty cluster and start it")
    add_up_options(up)

    down = add_verb(
        verbs, "down", run_down, "end every process of the cluster; keep logs and data"
    )
    down.add_argument(
        "--now", action="store_true", help="kill the daemons: quick, but data may be lost"
    )

    status = add_verb(verbs, "status", run_status, "show each daemon; exit code 0 if all run")
    status.add_argument("--json", action="store_true", help="print one JSON record")

    for name, verb, summary in (
        ("start", run_start, "start all daemons that are down, or the named ones"),
        ("stop", run_stop, "stop all daemons, or the named ones; jobs live on"),
        ("restart", run_restart, "stop, then start"),
    ):
        command = add_verb(verbs, name, verb, summary)
        command.add_argument(
            "daemons",
            nargs="*",
            metavar="DAEMON",
            help="munged, mariadbd, slurmdbd, slurmctld, slurmd (each one) or slurmd-<node>",
        )

    run = add_verb(verbs, "run", run_command, "run a command as a user of the cluster")
    run.add_argument("user", metavar="USER", help="an invented user, or one of this machine")
    run.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND ...")
    return parser


def add_verb(
    verbs: argparse._SubParsersAction[Parser], name: str, verb: Verb, summary: str
) -> Parser:
    description = summary[0].upper() + summary[1:] + "."
    command = verbs.add_parser(name, help=summary, description=description)
    command.add_argument("directory", metavar="DIR", help="the cluster's directory")
    command.set_defaults(verb=verb)
    return command


def add_up_options(up: Parser) -> None:
    hardware = Hardware()
    up.add_argument("--nodes", type=positive, default=4, metavar="N", help="how many (4)")
    up.add_argument(
        "--cpus", type=positive, default=hardware.cpus, metavar="N",
        help=f"per node ({hardware.cpus})",
    )  # fmt: skip
    up.add_argument(
        "--memory", type=positive, default=hardware.memory_mib, metavar="MB",
        help=f"per node ({hardware.memory_mib})",
    )  # fmt: skip
    up.add_argument(
        "--gpus", type=not_negative, default=hardware.gpus, metavar="N",
        help=f"per node ({hardware.gpus})",
    )  # fmt: skip
    up.add_argument("--gpu-type", default="", metavar="TYPE", help="such as a100 (none)")
    up.add_argument("--licenses", default="", metavar="NAME:N,...", help="such as matlab:10 (none)")
    up.add_argument("--users", default="", metavar="NAME,...", help="users to invent (none)")
    up.add_argument(
        "--qos", action="append", default=[], metavar="QOS",
        help="make one before slurmctld starts, as sacctmgr writes it: 'small MaxWall=60'; may be given several times",
    )  # fmt: skip
    up.add_argument(
        "--slurm-conf", action="append", default=[], metavar="FILE",
        help="more slurm.conf lines; may be given several times",
    )  # fmt: skip
    up.add_argument(
        "--wrap-slurmctld", default="", metavar="COMMAND", help="command to run slurmctld under"
    )
    up.add_argument(
        "--database", type=Path, metavar="DIR",
        help="keep a database with slurmdbd's tables in DIR, of which this cluster and later ones start in half of the time",
    )  # fmt: skip
    up.add_argument(
        "--timeout", type=positive, default=int(lifecycle.START_SECONDS), metavar="SECONDS",
        help=f"how long one daemon may take to answer ({lifecycle.START_SECONDS:g})",
    )  # fmt: skip


def positive(text: str) -> int:
    if (number := not_negative(text)) == 0:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def not_negative(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def run_up(layout: Layout, options: argparse.Namespace) -> int:
    begin = time.monotonic()
    lifecycle.up(
        layout,
        lifecycle.Options(
            nodes=options.nodes,
            hardware=Hardware(options.cpus, options.memory, options.gpus, options.gpu_type),
            licenses=options.licenses,
            users=tuple(filter(None, options.users.split(","))),
            qos=tuple(options.qos),
            extra_lines="\n".join(read_file(path) for path in options.slurm_conf),
            wrap_slurmctld=options.wrap_slurmctld,
            start_seconds=options.timeout,
            database=options.database and database.prepare(options.database),
        ),
    )
    print(f"{layout.root}: up in {time.monotonic() - begin:.1f} s; use it: . {layout.env_file}")
    return 0


def read_file(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError as error:
        raise ClusterError(f"{path}: {error.strerror}", EX_NOINPUT) from error


def run_down(layout: Layout, options: argparse.Namespace) -> int:
    lifecycle.down(layout, now=options.now)
    print(f"{layout.root}: down")
    return 0


def run_start(layout: Layout, options: argparse.Namespace) -> int:
    started = lifecycle.start(layout, options.daemons)
    print(f"{layout.root}: started: {', '.join(started) or 'nothing, all run already'}")
    return 0


def run_stop(layout: Layout, options: argparse.Namespace) -> int:
    stopped = lifecycle.stop(layout, options.daemons)
    print(f"{layout.root}: stopped: {', '.join(stopped) or 'nothing, none was running'}")
    return 0


def run_restart(layout: Layout, options: argparse.Namespace) -> int:
    run_stop(layout, options)
    return run_start(layout, options)


def run_status(layout: Layout, options: argparse.Namespace) -> int:
    found = lifecycle.status(layout)
    all_run = all(daemon.running for daemon in found)
    if options.json:
        record = {
            "directory": str(layout.root),
            "running": all_run,
            "daemons": [dataclasses.asdict(daemon) for daemon in found],
        }
        print(json.dumps(record, indent=2))
    else:
        for daemon in found:
            word = "running" if daemon.running else "silent" if daemon.pid else "down"
            print(f"{daemon.name:<16} {word:<8} {daemon.pid or '-':<8} {daemon.address}")
    return 0 if all_run else EX_FAILED


def run_command(layout: Layout, options: argparse.Namespace) -> int:
    layout.require_cluster()
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise ClusterError(f"run {options.user}: no command given", EX_USAGE)
    user = users.find_user(layout, options.user)
    users.become(layout, user)
    try:
        os.execvpe(command[0], command, users.user_environment(layout, user))
    except OSError as error:
        raise ClusterError(f"run: {command[0]}: {error.strerror}", EX_NO_COMMAND) from error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
