#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ninja can make each object that a target is linked of.

Usage: unity_objects.py SOURCE_ROOT
Debian 12's Meson thinks that a library has one object more than it has, if its number of files is a multiple of
unity_size and it is linked whole into another one. Then the build stops with "missing and no known rule to make it".
Such a library needs another unity_size.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

# What Meson makes of these differs, and ninja only plans.
BUILDS = ([], ["-Dunity=off"], ["-Db_sanitize=address,undefined", "-Db_lundef=false"], ["-Dtests=disabled", "-Db_lto=true"], ["-Db_sanitize=thread", "-Dslurm=disabled", "-Db_lundef=false"])


def problem_of(root: Path, options: list[str]) -> str:
    """What keeps ninja from building everything with these options; empty if nothing does."""
    with tempfile.TemporaryDirectory() as directory:
        for command in (["meson", "setup", *options, directory, str(root)], ["ninja", "-C", directory, "-n", "all"]):
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                return done.stderr.strip() or "\n".join(done.stdout.splitlines()[-5:])
    return ""


def main() -> int:
    problems = {" ".join(options) or "(none)": problem_of(Path(sys.argv[1]), options) for options in BUILDS}
    for options, problem in problems.items():
        print(f"options {options}: {problem or 'all objects can be made'}")
    return 1 if any(problems.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
