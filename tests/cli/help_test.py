#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Examples in the help, and colours. Usage: help_test.py QOSGATE slurm|none"""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from command_tree import all_commands, commands_of, is_absent, options_of
from qosgate_dev.testing.answers import statuses_in

HAS_SLURM = sys.argv.pop(2) == "slurm"
QOSGATE = sys.argv.pop(1)
ESCAPE = "\033["
WORLD = {
    "captured_at": 1_795_000_000,
    "enforce": ["associations", "limits", "qos"],
    "qos": [{"name": "q", "GrpTRES": {"cpu": 8, "mem": 4096}, "MaxWall": 2_880, "usage": {"tres": {"cpu": 8, "mem": 512}}}],
    "associations": [
        {"level": "root", "account": "root"},
        {"level": "account", "account": "bio", "parent": 0},
        {"level": "user", "user": 1000, "user_name": "ana", "account": "bio", "parent": 1, "default_qos": "q",
         "permitted_qos": ["q"]},
    ],
    "partitions": [{"name": "main", "is_default": True}],
}


def examples_of(text: str) -> list[str]:
    """The command lines below "Examples:", each in one line and without its remark."""
    _, _, below = text.partition("\nExamples:\n")
    found: list[str] = []
    for line in below.splitlines():
        if line and not line.startswith("  "):
            break
        if re.match(r"  \S", line):
            found.append(re.split(r"\s{3,}", line.strip())[0])
        elif line:
            found[-1] += " " + line.strip()
    return found


def commands_in(example: str) -> list[list[str]]:
    """The words of each `qosgate` in a command line, up to "--"."""
    tokens = shlex.shlex(example, posix=True, punctuation_chars="|;&<>")
    tokens.whitespace_split = True
    found: list[list[str]] = []
    is_begin, is_own = True, False
    for token in tokens:
        if set(token) <= set("|;&<>"):
            is_begin, is_own = token not in ("<", ">", ">>"), False
        elif is_begin and token == "sudo":
            continue
        elif is_begin:
            is_begin, is_own = False, token == "qosgate"
            if is_own:
                found.append([])
        elif token == "--":
            is_own = False
        elif is_own:
            found[-1].append(token)
    return found


class HelpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.help = all_commands(QOSGATE)
        cls.present = {path: text for path, text in cls.help.items() if not is_absent(text)}

    def path_of(self, words: list[str]) -> tuple[str, ...]:
        """The command that the words begin with."""
        names = [word for word in words if not word.startswith("-")]
        return next(path for size in (2, 1, 0) if (path := tuple(names[:size])) in self.help)

    def test_every_command_has_two_examples_of_itself(self) -> None:
        for path, text in self.present.items():
            with self.subTest(path):
                own = [
                    example
                    for example in examples_of(text)
                    if any(self.path_of(words)[: len(path)] == path for words in commands_in(example))
                ]
                self.assertGreaterEqual(len(own), 2, text)

    def test_examples_use_what_there_is(self) -> None:
        for text in self.present.values():
            for example in examples_of(text):
                for words in commands_in(example):
                    with self.subTest(example):
                        path = self.path_of(words)
                        self.assertTrue(path, "no such command")
                        options = {word.partition("=")[0] for word in words if word.startswith("--")}
                        if path in self.present:
                            self.assertLessEqual(options, set(options_of(self.help[path])))

    def test_every_command_lists_its_exit_statuses(self) -> None:
        for path, text in self.present.items():
            if not commands_of(text):
                with self.subTest(path):
                    self.assertLessEqual({0, 64}, statuses_in(text))

    def test_an_example_is_taken_apart_as_a_shell_does(self) -> None:
        self.assertEqual(examples_of("x\nExamples:\n  a b   words\n  c\n     d\n\n  e\n\nAfter:\n  f\n"), ["a b", "c d", "e"])
        self.assertEqual(
            commands_in("echo '| qosgate x' | sudo qosgate a --b -- sbatch --c | jq .d > qosgate"), [["a", "--b"]]
        )
        self.assertEqual(commands_in("qosgate a > b && qosgate c"), [["a"], ["c"]])


@unittest.skipUnless(HAS_SLURM, "the command needs Slurm's library")
class LooksTest(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="qosgate-help-")
        self.addCleanup(directory.cleanup)
        world = Path(directory.name) / "world.json"
        world.write_text(json.dumps(WORLD))
        self.command = [QOSGATE, "limits", "--world", str(world), "--user", "ana"]

    def on_terminal(self, *words: str, **env: str) -> str:
        """What the command shows on a terminal."""
        ours, theirs = pty.openpty()
        environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
        with subprocess.Popen([*self.command, *words], stdout=theirs, env=environment | env) as process:
            os.close(theirs)
            shown = b""
            try:
                while part := os.read(ours, 65536):
                    shown += part
            except OSError:  # the terminal is closed
                pass
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        return shown.decode().replace("\r\n", "\n")

    def test_colours_are_only_on_a_terminal_that_has_them(self) -> None:
        plain = subprocess.run(
            self.command, capture_output=True, text=True, timeout=20, env={**os.environ, "TERM": "xterm"}
        ).stdout

        coloured = self.on_terminal(TERM="xterm")
        self.assertIn(ESCAPE, coloured)
        self.assertNotIn(ESCAPE, plain)
        self.assertEqual(re.sub(r"\033\[\d+m", "", coloured), plain)
        for env in ({"TERM": "dumb"}, {}, {"TERM": "xterm", "NO_COLOR": "1"}):
            with self.subTest(env):
                self.assertEqual(self.on_terminal(**env), plain)
        self.assertNotIn(ESCAPE, self.on_terminal("--json", TERM="xterm"))

    def test_times_and_sizes_are_written_as_slurm_does(self) -> None:
        shown = subprocess.run(self.command, capture_output=True, text=True, timeout=20).stdout

        self.assertRegex(shown, r"wall time per job .* 2-00:00:00 ")
        self.assertRegex(shown, r"memory of all running jobs .* 4G .* 512M ")


if __name__ == "__main__":
    unittest.main()
