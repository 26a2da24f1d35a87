# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line of contrib/dev/attack."""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections.abc import Iterable
from pathlib import Path

from qosgate_dev import ROOT
from qosgate_dev.cluster import interrupts, users
from qosgate_dev.testing import network

from . import generate, requests, run, site

DESCRIPTION = """\
Sends hostile requests to a slurmctld with rules, in a private cluster: sizes, GPUs and memory in all spellings, with 0,
what no node has, INFINITE, NO_VAL and what overflows; long and odd texts; new jobs, changes, parts of heterogeneous jobs,
arrays; by sbatch and scontrol, and straight over libslurm. This must hold:

  * no count that a rule reads is smaller than what the job has when it runs, or asks for if it never runs;
    of a job that was changed, each reading counts by itself, and only what it has
  * no job runs that the rules forbid (GPUs only in QOS gpu, and the like)
  * slurmctld survives, and works on no request longer than rules may take

Needs root and Slurm's daemons. The programs must be built: contrib/dev/build tests/cluster/helpers/attack_jobs
"""

EXAMPLES = """\
examples:
  attack                                    some hundred requests
  attack --count 5000 --seed 7              at length; the same seed sends the same requests
  attack --rules closed                     only with the rules that forbid things
  attack --unit cpu                         only with CR_CPU; else in turn with CR_Core
  attack --request 'submit min_nodes=0 max_nodes=1 tres_per_node=gres:gpu:2'
  attack --request 'sbatch -N0-1 --gres=gpu:2 then NumNodes=1'
  attack --show 20                          what it would send

A request is 'submit', with fields of job_desc_msg_t, or 'sbatch', with its options; ':' between parts of a heterogeneous
job; and behind 'then' what changes: fields again, or what scontrol update takes.

Each failure is made as small as possible and printed as the --request that shows it again. Ctrl-C ends a run early,
with what was found until then.

exit codes: 0 all holds, 1 something does not, 64 wrong usage, 130 stopped by SIGINT, 143 by SIGTERM
"""

EX_USAGE = 64


class Parser(argparse.ArgumentParser):
    """Exits with the usage code of sysexits.h."""

    def error(self, message: str) -> None:
        self.print_usage(sys.stderr)
        self.exit(EX_USAGE, f"{self.prog}: {message}\n")


def main() -> int:
    options = parse_options()
    if options.show:
        print(*itertools.islice(generate.requests(options.seed), options.show), sep="\n")
        return 0
    settings = site.settings(options.rules, options.unit)
    if options.request:
        sent: Iterable[run.Round] = [(setting, options.request) for setting in settings]
    else:
        print(f"seed {options.seed}: {options.count} requests", file=sys.stderr)
        sent = run.rounds(itertools.islice(generate.requests(options.seed), options.count), settings)
    users.leave_sourced_cluster()
    network.enter_own()
    interrupts.raise_on_first_signal()
    tell = print if options.request or options.tell else lambda outcome: None
    tally = run.run(sent, Path(options.build).resolve(), run.print_progress, tell)
    print(tally.text())
    if tally.stopped_by:
        return 128 + tally.stopped_by
    return 1 if tally.failures else 0


def parse_options() -> argparse.Namespace:
    parser = Parser(
        prog="attack", description=DESCRIPTION, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default=str(ROOT / "build"), metavar="DIR", help="build directory (build)")
    parser.add_argument("--count", type=int, default=400, metavar="N", help="how many requests (400)")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), metavar="S", help="(random)")
    parser.add_argument("--rules", choices=list(site.POLICIES), help="rules in force (in turn)")
    parser.add_argument("--unit", choices=list(site.UNITS), help="what a job gets whole (in turn)")
    parser.add_argument("--request", action="append", type=_request, metavar="LINE", help="only this; may be repeated")
    parser.add_argument("--show", type=int, metavar="N", help="print N requests, and send none")
    parser.add_argument("--tell", action="store_true", help="print what became of each request")
    options = parser.parse_args()
    if options.count < 1 or (options.show or 1) < 1:
        parser.error("--count and --show must be at least 1")
    return options


def _request(line: str) -> requests.Request:
    try:
        return requests.parse(line)
    except requests.Malformed as error:
        raise argparse.ArgumentTypeError(str(error)) from error


if __name__ == "__main__":
    sys.exit(main())
