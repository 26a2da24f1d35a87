#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every file begins with its SPDX line, a script after the line that names its interpreter.

Usage: licences.py SOURCE_ROOT
Left out are empty files and those that are read as they are: guides, JSON, data of tests, and Debian's own form.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

DIRECTORIES = (".ci", "contrib", "engine", "lua", "plugin", "tests")
SINGLE_FILES = (".clang-format", ".clang-tidy", "meson.build", "meson_options.txt")
COPYRIGHT = "contrib/packaging/debian/copyright"
WITHOUT = (".csv", ".gz", ".json", ".md", ".png", ".pyc", ".txt")
LINE = "SPDX-License-Identifier: GPL-2.0-or-later"


def sources(root: Path) -> Iterator[Path]:
    yield from (root / name for name in SINGLE_FILES)
    for directory in DIRECTORIES:
        yield from (path for path in sorted((root / directory).rglob("*")) if path.is_file() and path.suffix not in WITHOUT)


def has_line(text: str) -> bool:
    lines = text.splitlines()
    first = lines[1:2] if text.startswith("#!") else lines[:1]
    return not lines or LINE in first[0]


def main() -> int:
    root = Path(sys.argv[1])
    paths = [path for path in sources(root) if path != root / COPYRIGHT]
    missing = [path.relative_to(root) for path in paths if not has_line(path.read_text(encoding="utf-8"))]
    print("\n".join(f"{path}: has no SPDX line at its beginning" for path in missing) or f"{len(paths)} files have SPDX lines")
    return 1 if missing or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
