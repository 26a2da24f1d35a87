#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names, help, messages and documents use plain words: "report", "show" or "message" instead of "told" and its like.

Usage: plain_words.py SOURCE_ROOT
Looked at are the names of all files, the identifiers and texts of what is installed, and the documents without their code. Comments
are not, nor the names of tests, which are sentences about behaviour.
"""

import re
import sys
from pathlib import Path

# What to write instead.
WORDS = {
    "told": "shown, reported, or 'reads a message'",
    "untold": "hidden",
    "tells": "shows, reports or names",
    "foretold": "predicted",
    "foretell": "predict",
    "foretells": "predicts",
    "speak": "send messages",
    "speaks": "applies, or sends a message",
    "spoke": "applied, or sent a message",
    "spoken": "sent as a message",
    "become": "'what happens to' something, or be",
    "becomes": "'what happens to' something, or is",
    "became": "'what happened to' something, or was",
    "becoming": "being",
    "whoever": "everybody who, all who, or the callers",
    "whomever": "everybody whom",
    "elsewhere": "in another place, or what that place is",
    "lately": "recently",
}

DIRECTORIES = ("engine", "plugin", "contrib/qosgate", "contrib/schemas", "lua")
SOURCES = {".c", ".h", ".cpp", ".hpp", ".lua", ".in", ".json"}
# What may stand in a document and is no sentence of it.
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
COMMENT = {".lua": re.compile(r"--.*")}
# Not inside of a text: that of an address, or of a line of Lua.
C_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def without_comments(text: str, suffix: str) -> str:
    """With as many lines as before."""
    if suffix in COMMENT:
        return COMMENT[suffix].sub("", text)
    return C_COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else "\n" * found[0].count("\n"), text)


def without_code(text: str) -> str:
    return CODE.sub(lambda found: "\n" * found[0].count("\n"), text)


def words_in(text: str) -> list[str]:
    return [word for part in PART.findall(text) if (word := part.lower()) in WORDS]


def problems_of(path: Path, root: Path) -> list[str]:
    found = [f"{path}: its name has '{word}'; write {WORDS[word]}" for word in words_in(path.stem)]
    is_source = path.suffix in SOURCES and str(path).startswith(tuple(f"{directory}/" for directory in DIRECTORIES))
    if not is_source and path.suffix != ".md":
        return found
    text = (root / path).read_text(encoding="utf-8")
    looked_at = without_comments(text, path.suffix) if is_source else without_code(text)
    for number, line in enumerate(looked_at.splitlines(), 1):
        found += [f"{path}:{number}: '{word}'; write {WORDS[word]}" for word in words_in(line)]
    return found


def main() -> int:
    root = Path(sys.argv[1])
    files = sorted(
        path.relative_to(root)
        for directory in ("engine", "plugin", "contrib", "lua", "tests", ".")
        for path in (root.glob("*.md") if directory == "." else (root / directory).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    )
    problems = [problem for path in files for problem in problems_of(path, root)]
    print("\n".join(problems) or f"{len(files)} files have plain words")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
