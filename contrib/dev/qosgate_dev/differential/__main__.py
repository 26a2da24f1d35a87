# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares qosgate's verdicts with a live slurmctld's; contrib/doc/differential.md explains what it prints."""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

from qosgate_dev.cluster import interrupts

from . import generate, run

JOBS_PER_SCENARIO = 50

EXAMPLES = """\
examples:
  differential --build build --cases 300            a quick look
  differential --build build --cases 5000 --seed 7  at length; the same seed asks the same questions
  differential --build build --cases 5000 --disagreements found
  differential --build build --replay found/1.json  one disagreement again

Standard error tells how many cases were asked so far. SIGINT (Ctrl-C) or SIGTERM ends a run early: the table of what
was compared until then is printed, marked PARTIAL.

exit codes: 0 all compared cases agree, 1 some do not, 2 some could not be asked, 64 wrong usage,
130 stopped by SIGINT, 143 by SIGTERM
"""


def main() -> int:
    options = parse_options()
    release = run.release_of(Path(options.build))
    if options.replay:
        scenarios = [json.loads(Path(options.replay).read_text())["scenario"]]
    else:
        count = max(1, round(options.cases / options.jobs))
        scenarios = generate.scenarios(options.seed, count, options.jobs, release, frozenset(options.kinds))
        print(f"seed {options.seed}: {count} configurations of {options.jobs} jobs", file=sys.stderr)
    interrupts.raise_on_first_signal()
    build = str(Path(options.build).resolve())
    tally = run.run(scenarios, build, run.print_progress, options.prove_every)
    if options.disagreements:
        write_disagreements(Path(options.disagreements), tally)
    if options.json:
        print(json.dumps(tally.as_json(), indent=1))
    else:
        print(tally.table())
        for number, disagreement in enumerate(tally.disagreements, 1):
            print(f"\n{number}. {run.report(disagreement)}")
    if tally.stopped_by:
        return 128 + tally.stopped_by
    if tally.failures:
        return 2
    return 1 if tally.disagreements else 0


class Parser(argparse.ArgumentParser):
    """Exits with the usage code of sysexits.h."""

    def error(self, message: str) -> None:
        self.print_usage(sys.stderr)
        self.exit(64, f"{self.prog}: {message}\n")


def parse_options() -> argparse.Namespace:
    parser = Parser(
        prog="differential",
        description="Compares qosgate's verdicts with those of a live slurmctld in a private cluster,"
        " on random limits and jobs. Needs root and Slurm's daemons.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--build", default="build", metavar="DIR", help="build directory (build)")
    helps = {
        generate.ODD: "what people send by mistake, or seldom",
        generate.PARTS: "heterogeneous jobs",
        generate.RESERVATIONS: "a reservation with a single node",
        generate.CHANGES: "new time limits of running jobs, and another UsageFactor while they run",
    }
    for kind in generate.KINDS:
        parser.add_argument(
            f"--{kind}", action="append_const", dest="kinds", const=kind, default=[], help=f"also {helps[kind]}"
        )
    parser.add_argument("--cases", type=int, default=300, metavar="N", help="about how many jobs (300)")
    parser.add_argument(
        "--seed", type=int, default=random.randrange(1_000_000), metavar="N", help="(random)"
    )
    parser.add_argument(
        "--jobs", type=int, default=JOBS_PER_SCENARIO, metavar="N",
        help=f"per configuration ({JOBS_PER_SCENARIO})",
    )  # fmt: skip
    parser.add_argument(
        "--prove-every",
        type=int,
        default=1,
        metavar="N",
        help="try suggestions, check, why and limits only for every Nth job: most of the time goes there (1)",
    )
    parser.add_argument("--replay", metavar="FILE", help="ask one recorded disagreement again")
    parser.add_argument("--disagreements", metavar="DIR", help="record each one in a file there")
    parser.add_argument("--json", action="store_true", help="print one JSON record")
    options = parser.parse_args()
    if options.cases < 1 or options.jobs < 1:
        parser.error("--cases and --jobs must be at least 1")
    return options


def write_disagreements(directory: Path, tally: run.Tally) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for number, disagreement in enumerate(tally.disagreements, 1):
        (directory / f"{number}.json").write_text(json.dumps(disagreement, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
