# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds what `qosgate ... --json` answers against the schemas in contrib/schemas, and exit statuses against --help."""

from __future__ import annotations

import functools
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qosgate_dev import ROOT

SCHEMAS = ROOT / "contrib/schemas"
SUFFIX = ".schema.json"
PARTS = "common.json"  # what several schemas refer to
OF_FILES = {"spec"}  # schemas of what commands read

# contrib/doc/programs.md, Answers in JSON.
EXIT_STATUS = {
    "usage": 64,
    "invalid_input": 65,
    "not_found": 66,
    "unavailable": 69,
    "internal": 70,
    "already_exists": 73,
    "conflict": 75,
    "limit_exceeded": 75,
    "permission_denied": 77,
    "unsupported": 78,
}
_OUTPUT_NOT_WRITTEN = 74


class AnswerWrong(AssertionError):
    """An answer is not what its schema says; the message has both."""


def schema_names() -> list[str]:
    """The commands that have a schema, such as "qos-list"."""
    return sorted({path.name.removesuffix(SUFFIX) for path in SCHEMAS.glob(f"*{SUFFIX}")} - OF_FILES)


@functools.cache
def load_schema(name: str) -> dict[str, Any]:
    """The schema of a command in one piece. "" is that of a failure before any command is known."""
    parts = json.loads((SCHEMAS / PARTS).read_text())["$defs"]
    if not name:
        return {"$ref": "#/$defs/failure", "$defs": parts}
    schema = json.loads((SCHEMAS / f"{name}{SUFFIX}").read_text().replace(f'"{PARTS}#', '"#'))
    own = schema.get("$defs", {})
    assert not own.keys() & parts.keys(), f"{name}: {PARTS} has definitions of the same name"
    return schema | {"$defs": parts | own}


@functools.cache
def _validator(name: str) -> Any:
    """Errors: AnswerWrong without the Debian package: answers that nobody checks must not pass."""
    try:
        import jsonschema
    except ImportError as error:
        raise AnswerWrong(
            "python3-jsonschema is not installed, which checks answers in JSON: contrib/dev/install_packages cluster"
        ) from error
    return jsonschema.Draft202012Validator(load_schema(name))


def find_problems(name: str, answer: object) -> list[str]:
    """What in an answer of the command is not as its schema says: "$.jobs[0].text: ..."."""
    found = sorted(_validator(name).iter_errors(answer), key=lambda error: error.json_path)
    return [f"{error.json_path}: {error.message}" for error in found]


def own_words(words: Sequence[str]) -> list[str] | None:
    """The words of `qosgate` itself, without those behind "--". None: it is another program, or asked for its help."""
    if not words or not Path(words[0]).name.startswith("qosgate"):
        return None
    own = list(words[1 : words.index("--")] if "--" in words else words[1:])
    return None if "--help" in own else own


def command_of(own: Sequence[str]) -> str:
    """The command that answers in JSON, such as "qos-list"; "": none is known."""
    names = [word for word in own if not word.startswith("-")]
    known = schema_names()
    return next((name for name in ("-".join(names[:2]), "-".join(names[:1])) if name in known), "")


def statuses_in(text: str) -> set[int]:
    """The exit statuses that a help lists."""
    part = re.search(r"^Exit status:\n((?:  .*\n?)+)", text, re.MULTILINE)
    return {int(number) for number in re.findall(r"^  (\d+) ", part[1], re.MULTILINE)} if part else set()


@functools.cache
def _documented_statuses(program: str, names: tuple[str, ...]) -> set[int] | None:
    """Those of a command. None: there is no such command."""
    shown = subprocess.run([program, *names, "--help"], capture_output=True, text=True, timeout=30)
    return None if shown.returncode != 0 or "\nSubcommands:" in shown.stdout else statuses_in(shown.stdout)


def check_status(program: str, own: Sequence[str], status: int) -> None:
    """Errors: AnswerWrong if the command's help does not list the exit status."""
    names = tuple(word for word in own if not word.startswith("-"))[:2]
    documented = _documented_statuses(program, names)
    if documented is not None and status not in documented:
        raise AnswerWrong(f"{program} {' '.join(own)}: its --help does not list the exit status {status}")


def check_answer(words: Sequence[str], status: int, stdout: str) -> None:
    """Checks the exit status of a qosgate command line, and with --json its answer; other programs pass.

    Errors: AnswerWrong. A command that a signal has ended need not answer.
    """
    own = own_words(words)
    if own is None or status < 0:
        return
    check_status(words[0], own, status)
    if "--json" not in own or status == _OUTPUT_NOT_WRITTEN:
        return
    name = command_of(own)
    try:
        answer = json.loads(stdout)
    except ValueError as error:
        raise AnswerWrong(f"{' '.join(words)}: the answer is not JSON ({error}):\n{stdout}") from error
    problems = find_problems(name, answer)
    failure = answer.get("error") if isinstance(answer, dict) else None
    if not problems and failure is not None and EXIT_STATUS[failure["code"]] != status:
        problems.append(f"$.error.code: {failure['code']} does not belong to the exit status {status}")
    if problems:
        lines = "\n".join(problems[:10])
        raise AnswerWrong(f"{' '.join(words)}: not as {name or 'failure'} in {SCHEMAS} says:\n{lines}\n{stdout}")
