# SPDX-License-Identifier: GPL-2.0-or-later
"""Compiles each file without the precompiled header and without the others of a unity build; writes nothing.

Usage: compile_alone BUILD_DIRECTORY FILE...

So a file that does not include what it uses is told. It gets the options of the target that compiles it; a header gets those
of a target with a file in its directory, or else in the nearest one above. A file without such a target is told, too.
exit codes: 0 all compile, 1 some do not
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_INCLUDE = re.compile(r"^#include<(.+)>$", re.MULTILINE)
_OF_THE_HEADER = ("-fpch-preprocess", "-Winvalid-pch")
# As tests/meson.build does without a precompiled header.
_INSTEAD = {"tests.hpp": ["-include", "support/print.hpp"]}
_SHOWN_LINES = 20


def main(arguments: Sequence[str]) -> int:
    build = Path(arguments[0]).resolve()
    options = options_of(build)
    files = [Path(name).resolve() for name in arguments[1:]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = list(pool.map(lambda file: problem_of(file, build, options), files))
    for file, problem in zip(files, problems):
        if problem:
            print(f"{os.path.relpath(file)} does not compile alone:\n{problem}")
    print(f"{problems.count('')} of {len(files)} files compile alone")
    return 1 if any(problems) else 0


def options_of(build: Path) -> dict[Path, list[str]]:
    """The command that compiles each source file of the build directory, without its input and output."""
    found: dict[Path, list[str]] = {}
    for target in json.loads((build / "meson-info/intro-targets.json").read_text(encoding="utf-8")):
        for group in target["target_sources"]:
            if group.get("language") != "cpp":
                continue
            command = [*group["compiler"], *_without_header(group["parameters"])]
            for name in [*group["sources"], *group["generated_sources"]]:
                for source in _sources_in(Path(name)):
                    found.setdefault(source, command)
    return found


def _without_header(parameters: Sequence[str]) -> list[str]:
    """Without the precompiled header."""
    kept: list[str] = []
    words = iter(parameters)
    for word in words:
        if word == "-include":
            kept += _INSTEAD.get(next(words), [])
        elif word not in _OF_THE_HEADER:
            kept.append(word)
    return kept


def _sources_in(file: Path) -> list[Path]:
    """Those that a file of a unity build includes; of another file, itself."""
    if "-unity" not in file.name or not file.exists():
        return [file]
    return [Path(os.path.normpath(name)) for name in _INCLUDE.findall(file.read_text(encoding="utf-8"))]


def problem_of(file: Path, build: Path, options: dict[Path, list[str]]) -> str:
    """What the compiler says; empty if it compiles."""
    command = options.get(file) or next(
        (options[source] for parent in file.parents for source in options if source.is_relative_to(parent)), None
    )
    if command is None:
        return "no target of the build directory has a file near it"
    done = subprocess.run(
        [*command, "-fdiagnostics-color=never", "-fmax-errors=3", "-fsyntax-only", "-x", "c++", "-"],
        input=f'#include "{file}"\n',
        cwd=build,
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else "\n".join(done.stderr.splitlines()[:_SHOWN_LINES])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
