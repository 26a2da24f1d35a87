# SPDX-License-Identifier: GPL-2.0-or-later
"""Command line of the benchmark inside slurmctld; `bench --help` says what it does."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

from qosgate_dev import ROOT
from qosgate_dev.cluster import interrupts, programs
from qosgate_dev.cluster.errors import ClusterError
from qosgate_dev.testing.cluster import ClusterFailed, end_all

from . import client, replay, report, samples
from .controller import Controller
from .policies import POLICIES

EX_FAILED = 1
EX_USAGE = 64
EX_UNAVAILABLE = 69
EX_NO_ROOT = 77

HOSTILE_SUBMISSIONS = 10  # for each text and size
REPLAY_RUNS = 5

DESCRIPTION = """\
Measures what a job_submit plugin adds to a submission, inside a live slurmctld:
Slurm's own Lua plugin with a script of 15 lines against qosgate with one of these:
  none      no rules
  one       one rule that does what the script does
  twenty    that one, fifteen of lua/rules and four more
  headroom  the one, which also reads the limits and the headroom of the job's QOS
  script    the same script as Slurm's plugin, as qosgate.d/compat/job_submit.lua
They take turns in judging the same submissions, in private clusters on loopback
ports, with few and many partitions, QOSs and queued jobs. A table of its own has
qosgate's times for hostile requests: each text of a request at 1 kB, at the longest
that is read, and at 1 MB and 16 MB, with 1,000 partitions and 1,000 QOSs.

The full run takes 4 to 10 minutes on two processors, --quick half a minute, 100,000
submissions of --soak a minute.
"""

EPILOG = """\
examples:
  sudo contrib/bench                    the full run; tables on standard output
  sudo contrib/bench --quick            one small cluster: does it work at all
  sudo contrib/bench --partitions 500 --queued 0 --qos 10 --json
  sudo contrib/bench --rules one twenty headroom script --queued 0 --qos 10
                                        what rules take
  sudo contrib/bench --client           what cli_filter/qosgate adds to an sbatch, with 1,000
                                        QOSs and 20,000 associations, in a minute or two
  sudo contrib/bench --replay 300000    how many records a processor decides about again in a second
  sudo contrib/bench --quick --soak 200000
                                        does the memory of slurmctld grow

It needs root, the packages [cluster] of contrib/packages, and a build directory,
in which it makes what it needs, with libbenchmark-dev: contrib/dev/build
--configure-only. `meson test -C build --benchmark` measures
the same decisions without a slurmctld.

How: job_submit/timing (tests/bench/controller) loads both plugins in slurmctld
and measures the time of each job_submit(). The plugins alternate in blocks of 110
submissions, the first 10 of which are not timed: so each is called for job after
job, as in a slurmctld that loads no other plugin. A measurement takes seconds,
because Lua reads the whole queue into a table once a second; that shows in its
maximum time. With --pause 2000 submissions come one by one and find the
processor's caches cold, so both plugins take longer.

exit codes: 0 done, 1 failed, 64 wrong usage, 69 something is missing, 77 no root
"""


class Parser(argparse.ArgumentParser):
    """Exits with the usage code of sysexits.h."""

    def error(self, message: str) -> NoReturn:
        self.exit(EX_USAGE, f"bench: {message}; 'bench --help' shows how\n")


def main(arguments: list[str]) -> int:
    options = make_parser().parse_args(arguments)
    if options.quick:
        options.qos, options.queued, options.partitions = [10], [0], [2]
        options.submissions = 200
        options.hostile_partitions, options.hostile_bytes = 2, 1_000_000
    if missing := what_is_missing(options.build):
        return complain(missing, EX_UNAVAILABLE)
    if os.geteuid() != 0:
        return complain("only root can run a cluster with several users", EX_NO_ROOT)
    interrupts.raise_on_signals()
    try:
        if options.client:
            print(measure_client(options), end="")
            return 0
        if options.replay:
            print(measure_replay(options), end="")
            return 0
        results, hostile, memory = measure_all(options)
    except (ClusterFailed, ClusterError) as error:
        return complain(str(error), EX_FAILED)
    except interrupts.Interrupted as interruption:
        return complain(str(interruption), 128 + interruption.signum)
    finally:
        interrupts.ignore()
        end_all()
    write = report.as_json if options.json else report.markdown
    print(write(software(options.build), results, hostile, memory), end="")
    return 0


def make_parser() -> Parser:
    parser = Parser(
        prog="bench",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for option, default, what in (
        ("--qos", [10, 1000], "how many QOSs"),
        ("--queued", [0, 20000], "how many jobs wait"),
        ("--partitions", [2, 50, 500], "how many partitions"),
    ):
        shown = " ".join(map(str, default))
        parser.add_argument(
            option, nargs="+", type=int, metavar="N", default=default, help=f"{what} ({shown})"
        )
    parser.add_argument(
        "--rules",
        nargs="+",
        choices=list(POLICIES),
        metavar="NAME",
        default=["none", "one"],
        help=f"what qosgate runs: {', '.join(POLICIES)} (none one)",
    )
    parser.add_argument(
        "--soak",
        type=int,
        default=0,
        metavar="N",
        help="at last, N submissions with twenty rules, and slurmctld's memory after each tenth (0)",
    )
    parser.add_argument(
        "--submissions",
        type=int,
        default=3000,
        metavar="N",
        help="of each plugin per measurement (3000)",
    )
    parser.add_argument(
        "--pause", type=int, default=0, metavar="US", help="microseconds between submissions (0)"
    )
    parser.add_argument(
        "--hostile-partitions",
        type=int,
        default=1000,
        metavar="N",
        help="how many partitions hostile requests meet (1000); they meet the most QOSs",
    )
    parser.add_argument(
        "--hostile-bytes",
        type=int,
        default=16_000_000,
        metavar="N",
        help="their longest text (16000000)",
    )
    parser.add_argument(
        "--client",
        action="store_true",
        help="measure only what the clients' plugin adds to sbatch, with the most QOSs",
    )
    parser.add_argument(
        "--associations",
        type=int,
        default=20000,
        metavar="N",
        help="about how many associations --client has; 0: one (20000)",
    )
    parser.add_argument(
        "--runs", type=int, default=60, metavar="N", help="of sbatch each way with --client (60)"
    )
    parser.add_argument(
        "--replay",
        type=int,
        default=0,
        metavar="N",
        help="measure only how fast 'qosgate policy replay' reads a file of N records (0: no)",
    )
    parser.add_argument("--quick", action="store_true", help="a run of less than 40 seconds")
    parser.add_argument("--json", action="store_true", help="print one JSON record")
    parser.add_argument(
        "--build",
        type=lambda text: Path(text).absolute(),
        default=ROOT / "build",
        metavar="DIR",
        help="the build directory (build)",
    )
    return parser


def what_is_missing(build: Path) -> str:
    """What keeps the benchmark from running, and the cure; empty if nothing does."""
    needed = [
        "plugin/cli_filter_qosgate.so",
        "plugin/job_submit_qosgate.so",
        "contrib/qosgate/qosgate",
        "tests/bench/controller/job_submit_timing.so",
        "tests/bench/controller/submit_stream",
    ]
    if not (build / "build.ninja").exists():
        return f"{build}: not a build directory; contrib/dev/build makes build/"
    made = subprocess.run(["ninja", "-C", str(build), "--quiet", *needed], stdin=subprocess.DEVNULL, check=False)
    if made.returncode != 0:
        return f"{build}: ninja cannot make {' '.join(needed)} (above); they need libbenchmark-dev"
    try:
        programs.require_all()
    except ClusterError as error:
        return str(error)
    return ""


def measure_all(
    options: argparse.Namespace,
) -> tuple[report.Results, report.HostileResults, list[report.Memory]]:
    results: list[tuple[report.Case, samples.Measured]] = []
    hostile = None
    memory: list[report.Memory] = []
    for qos in options.qos:
        with tempfile.TemporaryDirectory(prefix="qosgate-bench-") as directory:
            say(f"a cluster with {qos} QOSs")
            controller = Controller(options.build, Path(directory), qos)
            if qos == max(options.qos) and hostile is None:
                say(f"hostile requests, {options.hostile_partitions} partitions")
                hostile = measure_hostile(controller, qos, options)
            queue_lengths = [0, *sorted(options.queued)]
            for before, queued in itertools.pairwise(queue_lengths):
                controller.set_partitions(min(options.partitions))
                if queued > before:
                    say(f"{queued} jobs into the queue")
                    controller.fill(queued - before)
                for partitions in options.partitions:
                    controller.set_partitions(partitions)
                    for rules in filter(options.rules.__contains__, POLICIES):
                        controller.set_policy(rules)
                        measured = controller.measure(options.submissions, options.pause)
                        case = report.Case(qos, queued, partitions, rules)
                        say(report.one_line(case, measured))
                        results.append((case, measured))
            if options.soak and qos == options.qos[-1]:
                memory = measure_memory(controller, options.soak)
            controller.down()
    assert hostile is not None
    return results, hostile, memory


def measure_client(options: argparse.Namespace) -> str:
    """A table of what the clients' plugin adds to the time of an sbatch."""
    qos = max(options.qos)
    say(f"a cluster with {qos} QOSs and {options.associations} associations")
    bench = client.ClientBench(options.build, qos, options.associations)
    rows = []
    for name, words in client.JOBS.items():
        rows.append((name, bench.measure(words, options.runs)))
        say(f"{name}: {rows[-1][1].added:.1f} ms")
    bench.down()
    return report.client_markdown(software(options.build), rows)


def measure_replay(options: argparse.Namespace) -> str:
    """A table of what reading records takes."""
    say(f"{options.replay} records of a live slurmctld")
    return report.replay_markdown(
        software(options.build), replay.measure(options.build, options.replay, REPLAY_RUNS)
    )


def measure_memory(controller: Controller, submissions: int) -> list[report.Memory]:
    """slurmctld's memory after each tenth of so many submissions."""
    rules = "twenty"
    controller.set_policy(rules)
    memory = []
    done = 0
    for tenth in range(1, 11):
        part = submissions * tenth // 10 - done
        done += part
        memory.append(report.Memory(rules, done, controller.soak(part)))
        say(f"{done} submissions: {memory[-1].bytes / 2**20:.1f} MiB")
    return memory


def measure_hostile(
    controller: Controller, qos: int, options: argparse.Namespace
) -> report.HostileResults:
    """Measures requests with one long text each."""
    controller.set_partitions(options.hostile_partitions)
    texts = controller.measure_hostile(HOSTILE_SUBMISSIONS, options.hostile_bytes)
    return report.HostileResults(qos, options.hostile_partitions, HOSTILE_SUBMISSIONS, texts)


def software(build: Path) -> str:
    """The release of Slurm, and how qosgate was compiled."""
    year, month = programs.slurm_version()
    records = json.loads((build / "meson-info/intro-buildoptions.json").read_text())
    build_type = next(record["value"] for record in records if record["name"] == "buildtype")
    return f"Slurm {year}.{month:02}, qosgate built as {build_type}"


def say(line: str) -> None:
    print(f"bench: {line}", file=sys.stderr, flush=True)


def complain(why: str, exit_code: int) -> int:
    say(why)
    return exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
