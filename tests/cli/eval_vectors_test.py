#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every scenario of the limit vectors gets the same verdict as from real controllers, for each release.

Usage: eval_vectors_test.py QOSGATE VECTORS.jsonl.gz [RELEASE ...]

limits.jsonl.gz holds for all releases. live.jsonl.gz was seen on 22.05.8 alone: each scenario was set up on a private cluster
(sacctmgr, one idle node, no plugin), its job submitted with sbatch and looked at until it ran or had a Reason. What a user
cannot see is filled in: a Reason of a wall is the pre-select stage's, any other the post-select stage's, and a time limit that
the job did not name was set by a limit.
"""

import gzip
import json
import subprocess
import sys
import tempfile

RELEASES = ["22.05", "23.11", "24.05", "24.11", "25.05", "25.11", "26.05"]
FIELDS = [
    "submit",
    "time_limit",
    "time_set_by_limit",
    "pre_select",
    "post_select",
    "max_nodes",
    "max_nodes_reason",
]


def as_numbers(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def expected(scenario: dict, release: str) -> dict:
    """The entry of the newest release listed that is not newer than `release`."""
    listed = [r for r in scenario["expect"] if as_numbers(r) <= as_numbers(release)]
    return scenario["expect"][max(listed, key=as_numbers)]


def verdicts(qosgate: str, path: str, release: str) -> dict[str, dict]:
    run = subprocess.run(
        [qosgate, "eval", path, "--release", release], stdout=subprocess.PIPE, check=True, text=True, timeout=60
    )
    found = [json.loads(line) for line in run.stdout.splitlines()]
    return {verdict["id"]: verdict for verdict in found}


def differs(scenario: dict, verdict: dict | None, release: str) -> str:
    if verdict is None:
        return "no verdict"
    want = expected(scenario, release)
    # A bool is not a number here: True == 1 in Python.
    wrong = [
        f"{f}: expected {json.dumps(want[f])}, got {json.dumps(verdict[f])}"
        for f in FIELDS
        if want[f] != verdict[f] or isinstance(want[f], bool) != isinstance(verdict[f], bool)
    ]
    return "; ".join(wrong)


def main() -> int:
    qosgate, vectors, *releases = sys.argv[1:]
    with gzip.open(vectors, "rt", encoding="utf-8") as file:
        lines = file.readlines()
    scenarios = [json.loads(line) for line in lines]
    failed = 0
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as plain:
        plain.writelines(lines)
        plain.flush()
        for release in releases or RELEASES:
            answers = verdicts(qosgate, plain.name, release)
            problems = [
                f"{release} {s['id']}: {why}"
                for s in scenarios
                if (why := differs(s, answers.get(s["id"]), release))
            ]
            failed += len(problems)
            print(f"{release}: {len(scenarios) - len(problems)} of {len(scenarios)} agree")
            print("\n".join(problems[:10]))
    return 1 if failed or not scenarios else 0


if __name__ == "__main__":
    sys.exit(main())
