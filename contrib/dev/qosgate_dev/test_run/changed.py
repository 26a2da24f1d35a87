# SPDX-License-Identifier: GPL-2.0-or-later
"""Which tests a difference can touch: by the table of layers, by what tests include, and by the table below."""

from __future__ import annotations

import dataclasses
import re
import runpy
import subprocess
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from qosgate_dev import ROOT

from .tests import BENCHES, Test

# What compares guides with the code and with daemons, and what installs them.
_GUIDES = ("suite cli", "policy", "spec", "cluster guides", "cluster refusals", "cluster rules_live", "comparison")
_DIFFERENTIAL = ("cluster differential first", "cluster differential others")
_BENCHES = tuple(f"check {name}" for name in BENCHES)

# Where more than one directory of tests has to do with files: the first pattern counts. "suite NAME", "in DIRECTORY"
# (of tests), "check NAME" or the name of a test. Files of tests and of layers need no row, and a file without one touches
# everything. `*` stands for slashes too.
TOUCHED_BY = (
    ("tests/support/*", ("suite unit", "suite bounds")),
    ("tests/pch/*", ("suite unit", "suite bounds")),
    ("tests/data/*", ("suite unit", "suite cli")),
    ("tests/bench/*", _BENCHES),
    ("tests/judged/*", ("judged jobs",)),
    ("contrib/bench", _BENCHES),
    ("contrib/dev/bench", _BENCHES),
    ("contrib/dev/qosgate_dev/bench/*", _BENCHES),
    ("*.md", _GUIDES),
    ("contrib/doc/*", _GUIDES),
    ("plugin/*", ("in plugin", "suite abi", "suite cluster", "install")),
    ("contrib/qosgate/*", ("in cli", "in install", "suite cluster")),
    ("contrib/schemas/*", ("suite cli", "spec", "suite cluster")),
    ("contrib/examples/*", ("cluster spec_examples", "cluster library", "install")),
    ("contrib/ansible/*", ("cluster spec_examples", "install")),
    ("contrib/monitoring/*", ("cluster exporter", "install")),
    ("contrib/packaging/*", ("install",)),
    # Started by nothing else.
    (".ci/*", ()),
    ("contrib/test", ()),
    ("contrib/package", ()),
    ("contrib/dev/package", ()),
    ("contrib/dev/test", ("test command",)),
    ("contrib/dev/release-test", ()),
    ("contrib/dev/enter_tree", ()),
    ("contrib/dev/compile_alone", ("compile alone",)),
    ("contrib/dev/qosgate_dev/compile_alone.py", ("compile alone",)),
    ("contrib/dev/trained_build", ()),
    ("contrib/demo", ("cluster demo",)),
    ("contrib/dev/demo", ("cluster demo",)),
    ("contrib/dev/qosgate_dev/demo/*", ("cluster demo",)),
    ("contrib/dev/differential", _DIFFERENTIAL),
    ("contrib/dev/qosgate_dev/differential/*", (*_DIFFERENTIAL, "comparison", "differential_progress")),
    ("contrib/dev/attack", ("cluster attack",)),
    ("contrib/dev/qosgate_dev/attack/*", ("cluster attack",)),
    ("contrib/dev/qosgate_dev/test_run/*", ("test command",)),
    # Tests of the command line use it as well.
    ("contrib/dev/qosgate_dev/testing/*", ("suite cluster", "suite cli")),
    ("contrib/dev/qosgate_dev/cluster/*", ("suite cluster", "suite cli")),
    ("contrib/dev/cluster", ("suite cluster",)),
)

_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Touched:
    """Names of tests and of checks. `unknown` are the files of which nobody knows: then it is all tests."""

    tests: frozenset[str]
    checks: frozenset[str]
    unknown: tuple[str, ...] = ()


def touched(paths: Iterable[str], tests: Sequence[Test]) -> Touched:
    """The paths are relative to the tree, with / between their parts."""
    wanted: set[str] = set()
    unknown = []
    for path in paths:
        names = _touched_by(path, tests)
        if names is None:
            unknown.append(path)
        else:
            wanted |= names | {"suite meta"}
    checks = frozenset(name.removeprefix("check ") for name in wanted if name.startswith("check "))
    chosen = tests if unknown else [test for test in tests if wanted & _names_of(test)]
    return Touched(frozenset(test.name for test in chosen), checks, tuple(unknown))


def _names_of(test: Test) -> set[str]:
    """The words of TOUCHED_BY that stand for this test."""
    return {test.name, f"in {test.directory}", *(f"suite {suite}" for suite in test.suites)}


def _touched_by(path: str, tests: Sequence[Test]) -> set[str] | None:
    """None: nobody knows."""
    in_tests = path.startswith("tests/")
    own = {test.name for test in tests if path in test.files}
    if in_tests and own:
        return own
    row = next((names for pattern, names in TOUCHED_BY if fnmatchcase(path, pattern)), None)
    if row is not None:
        return set(row)
    parts = path.split("/")
    beside = [test for test in tests if in_tests and test.directory == parts[1]]
    if beside:
        # Beside the programs of unit tests there may be tests in Python.
        programs = {test.name for test in beside if {"unit", "bounds"} & {*test.suites} and path.endswith((".cpp", ".hpp"))}
        return programs or {f"in {parts[1]}"}
    # Rules and modules are read by what reads rules.
    layer = "policy" if parts[0] == "lua" else parts[2] if path.startswith("engine/qosgate/") else ""
    return _touched_by_layer(layer) if layer in _layers() else None


def _touched_by_layer(layer: str) -> set[str]:
    above = {other for other in _layers() if layer in layers_below(other)} | {layer}
    directories = {directory for directory, seen in _layers_of_tests().items() if seen & above}
    # The plugins and the command may include every layer.
    directories |= above | {"plugin", "cli", "install"}
    return {f"in {name}" for name in directories} | {"suite abi", "suite cluster"}


@cache
def _layers() -> Mapping[str, Collection[str]]:
    """Each layer, and those that it may include."""
    return runpy.run_path(str(ROOT / "tests/meta/include_layers.py"))["ALLOWED"]


def layers_below(layer: str) -> frozenset[str]:
    """All that it includes, and what those include."""
    allowed = _layers()[layer]
    return frozenset(allowed).union(*map(layers_below, allowed))


@cache
def _layers_of_tests() -> Mapping[str, frozenset[str]]:
    """Each directory of tests, and the layers of which its files include something, also by way of tests/support."""
    tests = ROOT / "tests"

    def seen(file: Path, known: set[Path]) -> set[str]:
        if file in known:
            return set()
        known.add(file)
        found = set()
        for header in _INCLUDE.findall(file.read_text(encoding="utf-8")):
            parts = header.split("/")
            if parts[0] == "qosgate":
                found.add(parts[1])
            elif (tests / header).is_file():
                found |= seen(tests / header, known)
        return found

    return {
        directory.name: frozenset().union(*(seen(file, set()) for file in directory.rglob("*.?pp")))
        for directory in tests.iterdir()
        if directory.is_dir()
    }


class NoDifference(Exception):
    """There is no git, no repository or no such revision; the message is git's."""


def find_base(git: Callable[..., str]) -> tuple[str, str]:
    """The revision to compare with if none is named, and why it is this one. Errors: NoDifference."""
    for branch in ("main@{upstream}", "origin/main", "main"):
        try:
            base = git("merge-base", "HEAD", branch).strip()
        except NoDifference:
            continue
        if base == git("rev-parse", "HEAD").strip():
            return base, f"HEAD, which {branch} has: only what is not committed"
        return base, f"where this branch left {branch}"
    return "HEAD", "HEAD, as there is no branch main: only what is not committed"


def changed_paths(revision: str) -> list[str]:
    """What differs from that revision in the tree as it is now, new files too. Errors: NoDifference."""
    # With --no-renames, a file that was moved is named at both places.
    changed = run_git("diff", "--name-only", "--no-renames", "-z", revision, "--")
    new = run_git("ls-files", "--others", "--exclude-standard", "-z")
    return sorted({path for path in (changed + new).split("\0") if path})


def run_git(*arguments: str) -> str:
    # Root may read the checkout of a user.
    command = ["git", "-C", str(ROOT), "-c", f"safe.directory={ROOT}", *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError as error:
        raise NoDifference("git is not installed") from error
    except subprocess.CalledProcessError as error:
        raise NoDifference(error.stderr.strip().removeprefix("fatal: ")) from error
