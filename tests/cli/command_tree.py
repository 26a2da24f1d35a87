# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of the program and their options, as --help shows them."""

from __future__ import annotations

import re
import subprocess


def help_of(program: str, path: tuple[str, ...]) -> str:
    return subprocess.run([program, *path, "--help"], capture_output=True, text=True, timeout=30).stdout


def commands_of(text: str) -> list[str]:
    """The names below "Subcommands:"."""
    part = re.search(r"^Subcommands:\n((?:  .*\n)+)", text, re.MULTILINE)
    return re.findall(r"^  (\w+)", part[1], re.MULTILINE) if part else []


def options_of(text: str) -> list[str]:
    """The long names below "Options:"."""
    part = re.search(r"^Options:\n((?:  .*\n)+)", text, re.MULTILINE)
    lines = re.findall(r"^  ((?:-\w,)?--[\w,-]+)", part[1], re.MULTILINE) if part else []
    return [name for line in lines for name in line.split(",") if name.startswith("--")]


def is_absent(text: str) -> bool:
    """Whether this build does not have the command."""
    return text.startswith("Not in this build")


def all_commands(program: str) -> dict[tuple[str, ...], str]:
    """The help of each command; () is the program itself."""
    found: dict[tuple[str, ...], str] = {}
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        path = waiting.pop()
        found[path] = help_of(program, path)
        waiting += [(*path, name) for name in commands_of(found[path])]
    return found
