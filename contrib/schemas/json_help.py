#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a C++ file that holds, for each schema of an answer, what the command's help says about the answer.

Usage: json_help.py OUTPUT COMMON SCHEMA...
Each member has a line, and its own members are below it: "jobs[]" is a list. Members in a row with the same text share
a line. Where a help would be too long, it has only the names of inner members; the schema has their texts. So it has of
the many members of a definition such as all fields of a QOS. Every member of a schema needs a description.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WIDTH = 100
MAX_LINES = 42  # of members
MAX_COLUMN = 26  # where texts begin at the latest
MANY = 20  # members of a definition, or words, that are not described one by one
ERROR = "error"  # the definition; what it has stands below the members

HEAD = """\
// Made by json_help.py.
#include "common/command.hpp"

#include "qosgate/base/check.hpp"

#include <algorithm>
#include <iterator>

namespace qg::cli {
namespace {

struct AnswerText {
    std::string_view command;
    std::string_view text;
};

constexpr AnswerText answer_texts[] = {
"""
ROW = """\
    {{"{name}", R"~~~~({text})~~~~"}},
"""
TAIL = """\
};

} // namespace

std::string_view json_help(std::string_view command) {
    const auto* found = std::ranges::find(answer_texts, command, &AnswerText::command);
    QG_CHECK(found != std::end(answer_texts));
    return found->text;
}

} // namespace qg::cli
"""


@dataclass
class Line:
    """Of a member, or with an empty text of members that the schema describes."""

    label: str
    text: str = ""
    below: list[Line] = field(default_factory=list)


class Answer:
    """What one schema says. Of the members within a member, those of the opened paths have texts."""

    def __init__(self, name: str, schema: dict[str, Any], common: dict[str, Any], opened: set[str]) -> None:
        self.name = name
        self.parts = common["$defs"] | schema.get("$defs", {})
        self.schema = schema
        self.opened = opened
        self.closed: list[str] = []  # the paths that are not opened
        self.described_at: dict[str, str] = {}  # where the members of a definition are described
        self.is_cut = False

    def flat(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema with the keys of what it refers to; its own ones count."""
        schema = without_null(schema)
        if "$ref" in schema:
            return self.flat(self.parts[part_of(schema)]) | schema
        return schema

    def undescribed(self, schema: Any, path: str = "") -> Iterator[str]:
        """The paths of members without a description, those of definitions from their names on."""
        if isinstance(schema, list):
            for each in schema:
                yield from self.undescribed(each, path)
        if not isinstance(schema, dict):
            return
        for key, value in schema.items():
            if key not in ("properties", "$defs"):
                yield from self.undescribed(value, path)
                continue
            for name, member in value.items():
                own_path = f"{path}.{name}" if path else name
                if key == "properties" and "description" not in self.flat(member):
                    yield own_path
                yield from self.undescribed(member, own_path)

    def members(self, schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """In the order of the file."""
        for key, value in schema.items():
            if key == "$ref":
                yield from self.members(self.parts[part_of(schema)])
            if key == "properties":
                yield from value.items()

    def lines(self, schema: dict[str, Any], path: str) -> list[Line]:
        """Those of the members of an object."""
        lines: list[Line] = []
        name = part_of(schema)
        part = self.parts[name] if name and name not in self.described_at else {}
        if part:
            self.described_at[name] = path
        for key, value in schema.items():
            if key == "$ref" and self.has_many_members(part):
                lines += self.cut_lines(part)
            elif key == "$ref":
                lines += self.lines(part, path)
            elif key == "properties":
                lines += [self.line(name, member, path) for name, member in value.items()]
        return lines

    def has_many_members(self, schema: dict[str, Any]) -> bool:
        return len(list(self.members(schema))) > MANY

    def cut_lines(self, schema: dict[str, Any]) -> list[Line]:
        names = [label_of(name, self.flat(member)) for name, member in self.members(schema)]
        self.is_cut = self.is_cut or bool(names)
        return [Line(", ".join(names))] if names else []

    def line(self, name: str, member: dict[str, Any], path: str) -> Line:
        flat = self.flat(member)
        label = label_of(name, flat)
        own_path = f"{path}.{label}" if path else label
        text = with_words(flat["description"], flat.get("enum", []))
        inner = flat["items"] if label.endswith("[]") else without_null(member)
        if part_of(inner) == ERROR or not any(self.members(inner)):
            return Line(label, text)
        if described_at := self.described_at.get(part_of(inner)):
            text += f"; members as in {described_at}"
        if own_path in self.opened:
            return Line(label, text, merge(self.lines(inner, own_path)))
        self.closed.append(own_path)
        if described_at or self.has_many_members(self.parts.get(part_of(inner), {})):
            inner = {key: inner[key] for key in inner if key != "$ref"}
        elif part_of(inner):
            self.described_at[part_of(inner)] = own_path
        return Line(label, text, self.cut_lines(inner))

    def of_members(self) -> list[str]:
        """The lines of the help."""
        lines = merge(self.lines(self.schema.get("else", self.schema), ""))
        return format_lines(lines, column_of(lines, 1), 1)

    def below_members(self) -> list[str]:
        """Those that follow."""
        rendered = []
        if self.is_cut:
            rendered.append(f"share/qosgate/schemas/{self.name}.schema.json describes what has no text here.")
        if "then" in self.schema:
            error = dict(self.members(self.schema["then"]))["error"]
            common = dict(self.members(self.parts[ERROR]))
            more = [name for name, _ in self.members(error) if name not in common]
            also = f"; {' and '.join(more)} may be in it, too" if more else ""
            rendered.append('An error is {"error": {"code": ..., "message": ...}}' + also + ".")
        return rendered


def part_of(schema: dict[str, Any]) -> str:
    """The name of the definition that it refers to; empty: to none."""
    return str(schema.get("$ref", "")).rpartition("/")[2]


def label_of(name: str, flat: dict[str, Any]) -> str:
    return name + ("[]" if "array" in flat.get("type", ()) else "")


def without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """What it is if it is not null, of one that is null or one other thing."""
    others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    return others[0] | {key: schema[key] for key in schema if key != "anyOf"} if len(others) == 1 else schema


def with_words(text: str, words: list[str | None]) -> str:
    """The description with the words that the member may be, in front of what explains a word."""
    shown = [json.dumps(word) for word in words if word is not None]
    if not shown or len(shown) > MANY:
        return text
    listed = " or ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]
    subject, _, rest = text.partition("; ")
    if subject.partition(":")[0] in (*words, "null"):
        return f"{listed}; {text}"
    return f"{subject}: {listed}" + (f"; {rest}" if rest else "")


def merge(lines: list[Line]) -> list[Line]:
    """Neighbours that say the same are one."""
    merged: list[Line] = []
    for line in lines:
        if merged and line.text and (merged[-1].text, merged[-1].below) == (line.text, line.below):
            merged[-1].label += ", " + line.label
        else:
            merged.append(line)
    return merged


def column_of(lines: list[Line], depth: int) -> int:
    """Where the texts begin."""
    own = [2 * depth + len(line.label) + 2 for line in lines if line.text]
    below = [column_of(line.below, depth + 1) for line in lines]
    return max((column for column in own + below if column <= MAX_COLUMN), default=0)


def format_lines(lines: list[Line], column: int, depth: int) -> list[str]:
    formatted: list[str] = []
    indent = "  " * depth
    for line in lines:
        label = wrap(line.label, indent, indent)
        first = label[-1].ljust(column)
        if line.text and (len(label) > 1 or len(first) > column):
            formatted += label
            formatted += wrap(line.text, " " * column, " " * column)
        elif line.text:
            formatted += wrap(line.text, first, " " * column)
        else:
            formatted += label
        formatted += format_lines(line.below, column, depth + 1)
    return formatted


def wrap(text: str, first: str, others: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )


def describe(name: str, schema: dict[str, Any], common: dict[str, Any]) -> str:
    """With all that fits, first what is least deep."""
    for path in Answer(name, schema, common, set()).undescribed([common, schema]):
        raise SystemExit(f"{name}.schema.json: {path} has no description")
    opened: set[str] = set()
    tried: set[str] = set()
    while True:
        answer = Answer(name, schema, common, opened)
        lines = answer.of_members()
        path = min((path for path in answer.closed if path not in tried), key=lambda path: path.count("."), default=None)
        if path is None:
            return "\n".join(lines + answer.below_members())
        tried.add(path)
        if len(Answer(name, schema, common, opened | {path}).of_members()) <= MAX_LINES:
            opened.add(path)


def main() -> None:
    common, *schemas = (json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[2:])
    names = [Path(path).name.partition(".")[0] for path in sys.argv[3:]]
    rows = [ROW.format(name=name, text=describe(name, schema, common)) for name, schema in zip(names, schemas)]
    Path(sys.argv[1]).write_text(HEAD + "".join(rows) + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main()
