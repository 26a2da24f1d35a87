#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every file of tests is named in the meson.build beside it: one that is not is never compiled, and never fails.

Usage: all_built.py SOURCE_ROOT
"""

import sys
from pathlib import Path


def main() -> int:
    tests = Path(sys.argv[1]) / "tests"
    files = sorted([*tests.rglob("*_test.cpp"), *tests.rglob("*_test.py")])
    # The cluster tests are named without their ending.
    missing = [
        file
        for file in files
        if not {f"'{file.name}'", f"'{file.stem.removesuffix('_test')}'"}
        & set((file.parent / "meson.build").read_text(encoding="utf-8").replace(",", " ").replace("(", " ").replace(")", " ").split())
    ]
    print("\n".join(f"{file}: not in its meson.build" for file in missing) or f"{len(files)} files are built or run")
    return 1 if missing or not files else 0


if __name__ == "__main__":
    sys.exit(main())
