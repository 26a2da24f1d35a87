# SPDX-License-Identifier: GPL-2.0-or-later
"""How long QOS records take: specs against sacctmgr, on one live slurmdbd in one run."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from qosgate_dev import ROOT
from qosgate_dev.cluster import interrupts, programs
from qosgate_dev.cluster.errors import ClusterError
from qosgate_dev.testing import Cluster
from qosgate_dev.testing.cluster import ClusterFailed, end_all

EX_FAILED = 1
EX_UNAVAILABLE = 69
EX_NO_ROOT = 77

_PATIENCE_SECONDS = 900

DESCRIPTION = """\
Creates and changes QOSs on a private cluster, once with a loop of sacctmgr and once with
a spec, in turn, lets accounts use them, and plans a spec in which nothing is to be changed.
Who may use a QOS is also read by `sacctmgr load`, which cannot create or change QOSs. Each
step is measured as a user would: whole commands, from start to end.

exit codes: 0 done, 1 failed, 64 wrong usage, 69 something is missing, 77 no root
"""


class Records:
    """A cluster, and the two ways of writing its QOS records. Errors: ClusterFailed."""

    def __init__(self, build: Path) -> None:
        self._cluster = Cluster.up(nodes=1)
        self._qosgate = build / "contrib/qosgate/qosgate"
        self._spec = self._cluster.directory.with_name("spec.yaml")

    def down(self) -> None:
        self._cluster.down()

    def loop(self, commands: Sequence[str]) -> float:
        """The seconds that so many calls of `sacctmgr -i` take."""

        def run() -> None:
            for arguments in commands:
                self._cluster.sacctmgr(arguments)

        return _seconds(run)

    def load(self, lines: Sequence[str]) -> float:
        """The seconds that `sacctmgr load` of a file with these lines takes."""
        file = self._spec.with_name("load.cfg")
        file.write_text("\n".join(["Cluster - 'qosgate'", "Parent - 'root'", *lines]) + "\n")
        return _seconds(lambda: self._cluster.sacctmgr(f"load {file}"))

    def write_spec(self, count: int, wall: int, *, with_access: bool = False) -> None:
        """A spec of this many QOSs, each with values of its own, and an account of its own that may use it."""
        qos: dict[str, dict] = {
            f"bench{number}": {"Priority": number, "MaxWall": wall + number, "MaxTRESPerUser": {"cpu": 8 + number}}
            for number in range(count)
        }
        if with_access:
            for number in range(count):
                qos[f"bench{number}"]["access"] = {"accounts": [f"spec{number}"]}
        self._spec.write_text(json.dumps({"owner": "bench", "prune": True, "qos": qos}))

    def plan(self, status: int) -> float:
        """The seconds that a plan takes, which has to end with this status."""
        return self._spec_command(["plan", "--no-consequences"], status)

    def apply(self) -> float:
        """The seconds that planning and applying takes."""
        return self._spec_command(["apply", "--yes", "--prune"], 0)

    def _spec_command(self, words: list[str], status: int) -> float:
        command = [str(self._qosgate), "spec", *words, str(self._spec)]

        def run() -> None:
            result = self._cluster.run(command, timeout=_PATIENCE_SECONDS)
            if result.rc != status:
                raise ClusterFailed(str(result))

        return _seconds(run)


def _seconds(run: Callable[[], None]) -> float:
    begin = time.monotonic()
    run()
    return time.monotonic() - begin


def create_commands(count: int) -> list[str]:
    return [
        f"add qos loop{number} set Priority={number} MaxWall={60 + number} MaxTRESPerUser=cpu={8 + number}"
        for number in range(count)
    ]


def change_commands(count: int) -> list[str]:
    return [f"modify qos loop{number} set MaxWall={90 + number}" for number in range(count)]


def account_lines(name: str, count: int, qos: str = "") -> list[str]:
    """Lines of `sacctmgr load` for accounts, each with a QOS of its own if `qos` is the beginning of their names."""
    return [
        f"Account - '{name}{number}':Description='x':Organization='x'" + (f":QOS='+{qos}{number}'" if qos else "")
        for number in range(count)
    ]


def grant_commands(count: int) -> list[str]:
    return [f"modify account loop{number} set qos+=loop{number}" for number in range(count)]


def measure(records: Records, options: argparse.Namespace) -> None:
    """Prints one row after the other."""
    count = options.count
    print("| step | sacctmgr -i, one call each | sacctmgr load | qosgate spec | ratio to the calls |")
    print("|---|---:|---:|---:|---:|")

    by_loop = records.loop(create_commands(count))
    records.write_spec(count, wall=60)
    print_row(f"create {count} QOSs", by_loop, records.apply())

    by_loop = records.loop(change_commands(count))
    by_spec = []
    for wall in (90, 120, 150):
        records.write_spec(count, wall)
        by_spec.append(records.apply())
    print_row(f"change {count} QOSs, each to its own value", by_loop, statistics.median(by_spec))

    records.load([line for name in ("loop", "load", "spec") for line in account_lines(name, count)])
    by_loop = records.loop(grant_commands(count))
    by_load = records.load(account_lines("load", count, qos="loop"))
    records.write_spec(count, wall=150, with_access=True)
    print_row(f"let {count} accounts use a QOS each", by_loop, records.apply(), by_load)

    records.write_spec(options.plan, wall=60)
    records.apply()
    by_spec = [records.plan(0) for _ in range(5)]
    # A loop that changes nothing costs per call what one that changes costs; it is measured for the smaller number.
    by_loop = records.loop(change_commands(count)) * options.plan / count
    print_row(f"find out that {options.plan} QOSs are as they should be", by_loop, statistics.median(by_spec))


def print_row(step: str, by_loop: float, by_spec: float, by_load: float | None = None) -> None:
    load = "" if by_load is None else f"{by_load:.2f} s"
    print(f"| {step} | {by_loop:.2f} s | {load} | {by_spec:.2f} s | {by_loop / by_spec:.0f} |", flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="records_bench", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=200, metavar="N", help="QOSs to create and change (200)")
    parser.add_argument("--plan", type=int, default=1000, metavar="N", help="QOSs of the plan without changes (1000)")
    parser.add_argument(
        "--build",
        type=lambda text: Path(text).absolute(),
        default=ROOT / "build",
        metavar="DIR",
        help="the build directory (build)",
    )
    options = parser.parse_args(arguments)
    if os.geteuid() != 0:
        return complain("only root can run a cluster with several users", EX_NO_ROOT)
    if not (options.build / "contrib/qosgate/qosgate").exists() or not shutil.which("sacctmgr"):
        return complain("qosgate is not built, or sacctmgr is not installed", EX_UNAVAILABLE)
    interrupts.raise_on_signals()
    try:
        programs.require_all()
        records = Records(options.build)
        measure(records, options)
        records.down()
    except (ClusterFailed, ClusterError) as error:
        return complain(str(error), EX_FAILED)
    except interrupts.Interrupted as interruption:
        return complain(str(interruption), 128 + interruption.signum)
    finally:
        interrupts.ignore()
        end_all()
    return 0


def complain(why: str, exit_code: int) -> int:
    print(f"records_bench: {why}", file=sys.stderr)
    return exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
