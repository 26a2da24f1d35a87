#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A page as it is installed: its links lead to where their targets are installed.

Usage: installed_page.py SOURCE_ROOT PAGE OUTPUT, with PAGE relative to the source
The pages lie flat in share/doc/qosgate. A link to what is not installed becomes its text, which must be the path in the
source, so that it still says what is meant.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

# Where what is in the source is installed.
PLACES = {
    "contrib/doc": "/share/doc/qosgate",
    "contrib/examples": "/share/doc/qosgate/examples",
    "contrib/ansible": "/share/doc/qosgate/ansible",
    "contrib/decision-record.schema.json": "/share/doc/qosgate/decision-record.schema.json",
    "contrib/schemas": "/share/qosgate/schemas",
    "lua/api": "/share/qosgate/api",
    "lua/rules": "/share/qosgate/rules",
}

CODE = re.compile(r"^```.*?^```|`[^`]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[([^\[\]]*)\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


class Link(NamedTuple):
    begin: int
    end: int
    text: str
    path: str  # empty: the same page
    anchor: str


def links(page: str) -> Iterator[Link]:
    """The links of a page but those to other sites. What stands in code is none."""
    masked = CODE.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), page)
    for found in LINK.finditer(masked):
        if not re.match(r"[a-z]+:", found[2]):
            path, _, anchor = found[2].partition("#")
            yield Link(*found.span(), page[slice(*found.span(1))], path, anchor)


def anchors(page: str) -> set[str]:
    """The names of a page's headings, as web pages make them."""
    names: set[str] = set()
    for heading in HEADING.findall(FENCED.sub("", page)):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        other = name
        for number in range(1, 100):
            if other not in names:
                break
            other = f"{name}-{number}"
        names.add(other)
    return names


def target(page: PurePosixPath, link: Link) -> PurePosixPath:
    """What a link of this page leads to, relative to the source."""
    return PurePosixPath(os.path.normpath(page.parent / link.path)) if link.path else page


def place(path: PurePosixPath) -> PurePosixPath | None:
    """Where that is installed; none: it is not."""
    for begin, where in PLACES.items():
        if path.is_relative_to(begin):
            return PurePosixPath(where) / path.relative_to(begin)
    return None


def installed(page: PurePosixPath, text: str) -> str:
    """The page as it is installed. Raises ValueError: a link to what is not installed has another text than its path."""
    own = place(page)
    if own is None:
        raise ValueError(f"{page} is not installed")
    parts = []
    end = 0
    for link in links(text):
        leads_to = target(page, link)
        there = place(leads_to)
        if there is not None:
            path = os.path.relpath(there, own.parent) if link.path else ""
            new = f"[{link.text}]({path}{'#' if link.anchor else ''}{link.anchor})"
        elif link.text == str(leads_to):
            new = link.text
        else:
            raise ValueError(f"{page}: {leads_to} is not installed: the text of the link must be this path")
        parts += [text[end : link.begin], new]
        end = link.end
    return "".join([*parts, text[end:]])


def main() -> int:
    root, page, output = sys.argv[1:]
    try:
        text = installed(PurePosixPath(page), (Path(root) / page).read_text(encoding="utf-8"))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    Path(output).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
