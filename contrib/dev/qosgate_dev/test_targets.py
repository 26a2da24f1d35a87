# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs that the tests of some suites run, as targets for ninja, one per line.

Usage: test_targets BUILD_DIRECTORY [SUITE]...

Without a suite: what is built by default. Ninja's target `all` also has all programs of tests, with Meson before 1.7.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from pathlib import Path


def main(arguments: list[str]) -> int:
    build, suites = Path(arguments[0]).resolve(), set(arguments[1:])
    tests = json.loads((build / "meson-info/intro-tests.json").read_text())
    wanted = {
        target
        for test in tests
        if suites & {name.split(":")[-1] for name in test["suite"]}
        for target in test["depends"]
    }
    print("\n".join(targets_of(build, wanted, with_defaults=not suites)))
    return 0


def targets_of(build: Path, wanted: Collection[str], *, with_defaults: bool) -> list[str]:
    """The files of these targets of Meson's; with defaults: also of those that are built by default."""
    build = build.resolve()  # as Meson names its files
    targets = json.loads((build / "meson-info/intro-targets.json").read_text())
    return sorted(
        str(Path(name).relative_to(build))
        for target in targets
        if target["id"] in wanted or (with_defaults and target["build_by_default"])
        for name in target["filename"][-1:]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
