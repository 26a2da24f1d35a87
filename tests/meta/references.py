#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What refers to a specification finds it: the README.md named exists and has the section.

Usage: references.py SOURCE_ROOT
Reads "limits/README.md 4.1, 4.2", also over the end of a comment's line, and inside a README "(4.1)". The rules that
differ between releases stand twice: each has the same name, releases and section in release.hpp and in the README.
Before that table, limits/README.md names no release but those that begin or end a rule of the same section, the release
before either, the first and the last one covered, and those that were tried.
What compat.hpp tells by version is in the table of slurm/README.md 5; no other file uses SLURM_VERSION_NUM().
The rows of README.md's table of times are rows of contrib/doc/bench.md.
Each limit of limit_facts.hpp is named in limits/README.md 1.1.
Each file that HACKING.md names exists: below the root, the engine or contrib/doc, or beside another one of the same paragraph.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

DIRECTORIES = ("contrib", "engine", "lua", "plugin", "tests")
SPECIFICATIONS = {name: Path("engine/qosgate") / name for name in ("limits/README.md", "slurm/README.md")}

SECTION = r"\d{1,2}(?:\.\d+)?"
HEADING = re.compile(rf"^#+ ({SECTION})\.? ", re.MULTILINE)
LINE_END = re.compile(r"\s*\n\s*(?://+<?|#|\*|\|)?\s*")  # and what begins the next line of a comment
NAMED = re.compile(rf"([\w./]+/README\.md) ({SECTION}(?:(?:,| and|, and| to) {SECTION})*)")
INNER = re.compile(rf"\(({SECTION}(?:, {SECTION})*)\)")
UNKNOWN_FILE = re.compile(r"\b(?:limits|abi)\.md\b")

RULE = re.compile(r"Rule (\w+)\{\{([\d, ]+)\}, (?:no_end|\{([\d, ]+)\}), \"([\d.]+)\"\}")
ROW = re.compile(rf"^\| `(\w+)` \| ([\d.]+) \| ([\d.]*) ?\| .* \| ({SECTION}) \| \w+ \|$", re.MULTILINE)
CHANGE = re.compile(rf"^\| [^|]+ \| ([\d.]*) ?\| ([\d.]*) ?\| .* \| ({SECTION}) \| \w+ \|$", re.MULTILINE)
RELEASE = re.compile(r"(?<![\w.])2\d\.(?:02|05|08|11)(?:\.\d+)?(?!\w|\.\d)")
RELEASES = ["22.05", "23.02", "23.11", "24.05", "24.11", "25.05", "25.11", "26.05"]
ALWAYS_KNOWN = {RELEASES[0], RELEASES[-1], "22.05.8", "24.11.5"}  # the last two were tried
VERSION = re.compile(r"\bSLURM_VERSION_NUM\(")
DECLARED = re.compile(r"^(?:#define|(?:inline )?constexpr [\w:]+) (\w+)", re.MULTILINE)
TIMES = re.compile(r"^\|(?: [\d,]+ \|){3} \w+ \|.*$", re.MULTILINE)
LIMIT = re.compile(r'\.name = "(\w+)"')
PARAGRAPH = re.compile(r"\n\s*\n")
FILE = re.compile(r"(?<![\w./@*$-])[\w-]+(?:/[\w.-]+)*\.(?:cpp|hpp|py|md|json|yml|build|jsonl\.gz)\b")
IN_TREE = re.compile(rf"(?<![\w./@*$-])(?:{'|'.join(DIRECTORIES)})/[\w./-]*\w")


def texts(root: Path) -> Iterator[tuple[Path, str]]:
    paths = [root / "README.md"] + [path for directory in DIRECTORIES for path in sorted((root / directory).rglob("*"))]
    for path in paths:
        if path.is_file() and path.name != Path(__file__).name and path.suffix not in (".gz", ".png", ".pyc"):
            yield path.relative_to(root), path.read_text(encoding="utf-8")


def problems_of(path: Path, text: str, sections: dict[str, set[str]]) -> Iterator[str]:
    lines = LINE_END.sub(" ", text)
    for found in UNKNOWN_FILE.finditer(lines):
        yield f"{path}: {found[0]} is not in the project"
    for name, numbers in NAMED.findall(lines):
        known = sections.get(name.removeprefix("engine/qosgate/"))
        if known is None:
            yield f"{path}: {name} has no numbered sections"
            continue
        yield from (f"{path}: {name} has no section {n}" for n in re.findall(SECTION, numbers) if n not in known)
    for name, specification in SPECIFICATIONS.items():
        if path == specification:
            numbers = [n for group in INNER.findall(text) for n in re.findall(SECTION, group)]
            yield from (f"{path}: there is no section {n}" for n in numbers if n not in sections[name])


def told_by_version(compat: str) -> list[str]:
    """The names that compat.hpp declares with a version number."""
    declared = [(found.start(), found[1]) for found in DECLARED.finditer(compat)]
    return [[name for start, name in declared if start < found.start()][-1] for found in VERSION.finditer(compat)]


def release_text(numbers: str) -> str:
    """ "24, 11, 0" and "24.11" alike as "24.11"; "25, 11, 1" as "25.11.1"."""
    parts = [int(number) for number in re.findall(r"\d+", numbers)]
    return f"{parts[0]}.{parts[1]:02}" + (f".{parts[2]}" if parts[2:] and parts[2] else "") if parts else ""


def rules_of(found: list[tuple[str, str, str, str]]) -> set[tuple[str, str, str, str]]:
    return {(name, release_text(since), release_text(until), section) for name, since, until, section in found}


def release_after(release: str) -> str:
    """The one that follows; of a micro release, the next micro release."""
    if release in RELEASES[:-1]:
        return RELEASES[RELEASES.index(release) + 1]
    series, _, number = release.rpartition(".")
    return f"{series}.{int(number) + 1}"


def releases_without_a_rule(specification: str) -> Iterator[str]:
    """The releases that a section names, where the table of releases has no change of that section."""
    body, _, table = specification.partition("\n## 10. ")
    changes: dict[str, set[str]] = {}
    for since, until, section in CHANGE.findall(table):
        changes.setdefault(section, set()).update((since, until))
    parts = HEADING.split(body)
    if not changes or not RELEASE.search(body):
        yield "limits/README.md: no release is found in the table, or before it"
    for section, text in zip(parts[1::2], parts[2::2], strict=True):
        for release in dict.fromkeys(RELEASE.findall(text)):
            if release not in ALWAYS_KNOWN and changes.get(section, set()).isdisjoint({release, release_after(release)}):
                yield f"limits/README.md {section} names {release}; section 10 has no such change of {section}"


def missing_files(root: Path, guide: str) -> Iterator[str]:
    """The files that the guide names and that do not exist."""
    for paragraph in PARAGRAPH.split(guide):
        beside = {root, root / "engine/qosgate", root / "contrib/doc"}
        for name in dict.fromkeys(IN_TREE.findall(paragraph) + FILE.findall(paragraph)):
            found = next((path for path in (place / name for place in beside) if path.exists()), None)
            if found is None:
                yield name
            elif "/" in name:
                beside.add(found.parent)


def main() -> int:
    root = Path(sys.argv[1])
    sections = {name: set(HEADING.findall((root / path).read_text())) for name, path in SPECIFICATIONS.items()}
    problems = [problem for path, text in texts(root) for problem in problems_of(path, text, sections)]

    limits = root / "engine/qosgate/limits"
    coded = rules_of(RULE.findall((limits / "release.hpp").read_text()))
    described = rules_of(ROW.findall((limits / "README.md").read_text()))
    problems += [f"release.hpp and limits/README.md 10 differ: {' '.join(rule)}" for rule in sorted(coded ^ described)]
    problems += [f"limits/README.md 10: there is no section {rule[3]}" for rule in sorted(described)
                 if rule[3] not in sections["limits/README.md"]]  # fmt: skip
    problems += releases_without_a_rule((limits / "README.md").read_text())
    if not coded:
        problems.append("release.hpp has no rules")

    slurm = root / "engine/qosgate/slurm"
    by_version = told_by_version((slurm / "compat.hpp").read_text())
    problems += [f"{path}: SLURM_VERSION_NUM(): compat.hpp says what a release does" for path, text in texts(root)
                 if path.suffix in (".cpp", ".hpp", ".c", ".h") and path.name != "compat.hpp" and VERSION.search(text)]  # fmt: skip
    releases = (slurm / "README.md").read_text().partition("## 5. ")[2]
    problems += [f"slurm/README.md 5 lacks {name}" for name in by_version if not re.search(rf"\b{name}\b", releases)]
    if not by_version:
        problems.append("compat.hpp tells nothing by version")

    times = TIMES.findall((root / "README.md").read_text())
    measured = (root / "contrib/doc/bench.md").read_text().splitlines()
    problems += [f"README.md: contrib/doc/bench.md has no such row: {row}" for row in times if row not in measured]
    if not times:
        problems.append("README.md has no times")

    names = LIMIT.findall((root / "engine/qosgate/model/limit_facts.hpp").read_text())
    table = (limits / "README.md").read_text().partition("### 1.1")[2].partition("### 1.2")[0]
    problems += [f"limits/README.md 1.1 lacks {name}" for name in names if not re.search(rf"\b{name}\b", table)]
    if not names:
        problems.append("limit_facts.hpp has no limits")

    hacking = (root / "contrib/doc/HACKING.md").read_text()
    problems += [f"HACKING.md: there is no {name}" for name in missing_files(root, hacking)]
    if not FILE.search(hacking):
        problems.append("HACKING.md names no files")

    print("\n".join(problems) or "all references lead somewhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
