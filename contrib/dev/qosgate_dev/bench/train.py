# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs for a plugin that counts what it does (contrib/dev/trained_build).

Usage: train BUILD_DIRECTORY
"""

from __future__ import annotations

import sys
from pathlib import Path

from .judged import JudgingFailed, judge
from .policies import POLICIES

# Most jobs are accepted, as on a site. Each also decides where code lies that seldom runs.
_JOBS = {"accepted": 3000, "mixed": 1000}


def main(arguments: list[str]) -> int:
    build = Path(arguments[0]).absolute()
    try:
        for policy in POLICIES:
            print(f"== rules: {policy}", flush=True)
            for stream, count in _JOBS.items():
                judge(build, policy, stream, count)
    except JudgingFailed as error:
        print(f"train: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
