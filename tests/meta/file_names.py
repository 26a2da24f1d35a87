#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No two places have a source file of the same name. A command's file has the command's name, whatever it is.

Usage: file_names.py SOURCE_ROOT
"""

import sys
from collections import defaultdict
from pathlib import Path

DIRECTORIES = ("engine", "plugin", "contrib/qosgate")


def is_command(path: Path) -> bool:
    source = path.with_suffix(".cpp")
    return source.exists() and f"void add_{path.stem}(" in source.read_text(encoding="utf-8")


def main() -> int:
    root = Path(sys.argv[1])
    places: dict[str, set[Path]] = defaultdict(set)
    for directory in DIRECTORIES:
        for path in (root / directory).rglob("*.[ch]pp"):
            if not is_command(path):
                places[path.stem].add(path.parent.relative_to(root))
    shared = {name: found for name, found in places.items() if len(found) > 1}
    for name, found in sorted(shared.items()):
        print(f"{name}: in {' and in '.join(map(str, sorted(found)))}")
    if not shared:
        print(f"{len(places)} names of files are in one place each")
    return 1 if shared or not places else 0


if __name__ == "__main__":
    sys.exit(main())
