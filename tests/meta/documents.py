#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The documents lead somewhere, and each is short enough to be read.

Usage: documents.py SOURCE_ROOT
Each relative link of a page leads to a file or directory of the source, and its anchor to a heading there.
What is installed stays right there: see installed_page.py.
Each page of contrib/doc is in the index and in meson.build. It has at most 600 lines, and, but in tables, code and
headings, none of more than 140 columns.
A page that a source names, as "see contrib/doc/spec.md" or "the guide spec.md", exists.
"""

import re
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

MAX_LINES = 600
MAX_COLUMNS = 140
DIRECTORIES = ("contrib", "engine", "lua", "plugin", "tests")
SOURCES = (".build", ".cpp", ".h", ".hpp", ".json", ".lua", ".py", ".yaml", "")
NAMED = re.compile(r"(?<![\w./@*{}-])[\w./-]+\.md\b")
# By tests.
INVENTED = {"d/readme.md", "doc/qosgate/programs.md", "examples/README.md"}
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def long_lines(text: str) -> Iterator[str]:
    prose = FENCED.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(prose.splitlines(), 1):
        if len(line) > MAX_COLUMNS and not line.startswith(("|", "#")):
            yield f"line {number} has {len(line)} columns"


def broken_links(root: Path, page: Path, tools: dict) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    path = PurePosixPath(page.relative_to(root))
    for link in tools["links"](text):
        leads_to = root / tools["target"](path, link)
        if not leads_to.exists():
            yield f"{path}: there is no {link.path}"
        elif link.anchor and link.anchor not in tools["anchors"](leads_to.read_text(encoding="utf-8")):
            yield f"{path}: {leads_to.name} has no heading #{link.anchor}"
    if tools["place"](path):
        try:
            tools["installed"](path, text)
        except ValueError as error:
            yield str(error)


def unknown_pages(root: Path, path: Path) -> Iterator[str]:
    """The pages that a source names and that exist neither as they are named nor in contrib/doc."""
    for name in NAMED.findall(path.read_text(encoding="utf-8")):
        places = (root, root / "contrib/doc", root / "engine/qosgate", path.parent)
        if name not in INVENTED and not any((place / name).exists() for place in places):
            yield f"{path.relative_to(root)}: there is no {name}"


def main() -> int:
    root = Path(sys.argv[1])
    tools = runpy.run_path(str(root / "contrib/doc/installed_page.py"))
    documents = root / "contrib/doc"
    pages = sorted(documents.glob("*.md"))
    files = [path for directory in DIRECTORIES for path in sorted((root / directory).rglob("*")) if path.is_file()]
    all_pages = sorted(root.glob("*.md")) + [path for path in files if path.suffix == ".md"]
    problems = [problem for page in all_pages for problem in broken_links(root, page, tools)]
    for path in files:
        if path.suffix in SOURCES and path.name != Path(__file__).name:
            problems += unknown_pages(root, path)

    index = (documents / "README.md").read_text(encoding="utf-8")
    listed = {link.path for link in tools["links"](index)} | {"README.md"}
    build = (documents / "meson.build").read_text(encoding="utf-8")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        if page.name not in listed:
            problems.append(f"contrib/doc/README.md does not list {page.name}")
        if f"'{page.name}'" not in build:
            problems.append(f"contrib/doc/meson.build does not install {page.name}")
        if (lines := text.count("\n")) > MAX_LINES:
            problems.append(f"contrib/doc/{page.name} has {lines} lines: divide it")
        problems += [f"contrib/doc/{page.name}: {problem}" for problem in long_lines(text)]

    print("\n".join(problems) or f"{len(all_pages)} pages lead somewhere")
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
