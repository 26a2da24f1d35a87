# SPDX-License-Identifier: GPL-2.0-or-later
"""The programs that the tests of one suite run, as targets for ninja, one per line.

Usage: test_targets BUILD_DIRECTORY [SUITE]

Without a suite: what is built by default. Ninja's target `all` also has all programs of tests, with Meson before 1.7.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    build, suite = Path(arguments[0]).resolve(), arguments[1] if len(arguments) > 1 else None
    info = build / "meson-info"
    tests = json.loads((info / "intro-tests.json").read_text())
    targets = json.loads((info / "intro-targets.json").read_text())
    files = {
        target["id"]: Path(name).relative_to(build)
        for target in targets
        for name in target["filename"]
    }
    defaults = {files[target["id"]] for target in targets if target["build_by_default"] and target["filename"]}
    wanted = defaults if suite is None else {
        files[target]
        for test in tests
        if any(name.split(":")[-1] == suite for name in test["suite"])
        for target in test["depends"]
    }
    print("\n".join(sorted(map(str, wanted))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
