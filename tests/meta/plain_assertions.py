#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""No BOOST_TEST((a == b)): the inner parentheses keep a failing test from saying what a and b were.

Usage: plain_assertions.py SOURCE_ROOT
A comma in braces needs parentheses around its own side only: BOOST_TEST(words == (Words{"a", "b"})).
"""

import re
import sys
from pathlib import Path

LITERAL = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'')
ASSERTION = re.compile(r"\bBOOST_TEST(?:_REQUIRE)?\((?=\()")


def end_of_parentheses(text: str, begin: int) -> int:
    """The place behind the parenthesis that closes the one at `begin`."""
    depth = 0
    for place in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place + 1
    return len(text)


def mute_assertions(text: str) -> list[int]:
    """The lines of assertions whose whole condition stands in parentheses."""
    code = LITERAL.sub(lambda literal: re.sub(r"[^\n]", "_", literal.group()), text)
    return [
        code.count("\n", 0, found.start()) + 1
        for found in ASSERTION.finditer(code)
        if code[end_of_parentheses(code, found.end()) :].lstrip()[:1] in (")", ",")
    ]


def main() -> int:
    root = Path(sys.argv[1])
    sources = sorted((root / "tests").rglob("*.?pp"))
    problems = [
        f"{source.relative_to(root)}:{line}: BOOST_TEST((...)): one pair of parentheses prints both values"
        for source in sources
        for line in mute_assertions(source.read_text(encoding="utf-8"))
    ]
    print("\n".join(problems) or f"the assertions of {len(sources)} files say what they compare")
    return 1 if problems or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
