#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bash, zsh and fish complete the command line by qosgate's own script. Usage: completion_test.py QOSGATE"""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from command_tree import all_commands, commands_of, options_of

QOSGATE = sys.argv.pop(1)
BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")

ASK_BASH = """\
compopt() { :; }
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
_qosgate
printf '%s\\n' "${COMPREPLY[@]}"
"""


def run(*words: str, **options: object) -> subprocess.CompletedProcess:
    return subprocess.run(words, capture_output=True, text=True, timeout=30, **options)


def unique_prefix(name: str, names: list[str]) -> str:
    """The shortest beginning that only this name has; empty: another name begins like all of it."""
    prefixes = (name[:size] for size in range(1, len(name) + 1))
    return next((p for p in prefixes if sum(other.startswith(p) for other in names) == 1), "")


class Zsh:
    """An interactive zsh on a terminal of its own."""

    def __init__(self, script: Path) -> None:
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="dumb", COLUMNS="200")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.say(
            f"autoload -Uz compinit; compinit -D -u; source {script}; unsetopt beep\n"
            "show() { print -r -- \"<${BUFFER}>\"; BUFFER= }; zle -N show; bindkey '^N' show\n"
            "print rea''dy\n"
        )
        self.read_until("ready\r\n")

    def say(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def read_until(self, pattern: str) -> str:
        """What stands in the last group of the pattern."""
        seen = ""
        for _ in range(400):  # looks; more than a minute
            if select.select([self.terminal], [], [], 0.2)[0]:
                seen += os.read(self.terminal, 65536).decode(errors="replace")
            if found := re.search(pattern, seen):
                return found[found.lastindex or 0]
        raise AssertionError(f"{pattern!r} is not in {seen!r}")

    def complete(self, line: str) -> str:
        """The line as it is after the tabulator."""
        self.say(f"{line}\t\x0e")
        return self.read_until("<(.*?)>\r").strip()

    def end(self) -> None:
        self.say("\x15exit\n")
        os.close(self.terminal)
        os.waitpid(self.process, 0)


class CompletionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="qosgate-completion-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = Path(directory.name)
        cls.help = all_commands(QOSGATE)

    def script(self, shell: str) -> Path:
        """The script in a file; skips the test where the shell is not installed."""
        if shutil.which(shell) is None:
            self.skipTest(f"there is no {shell}")
        done = run(QOSGATE, "completion", shell)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        path = self.directory / shell
        path.write_text(done.stdout)
        return path

    def ask_bash(self, script: Path, *words: str, before: str = "") -> list[str]:
        done = run("bash", "-c", before + ASK_BASH, "bash", str(script), *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split()

    def ask_fish(self, script: Path, line: str) -> list[str]:
        done = run("fish", "--no-config", "-c", 'source $argv[1]; complete -C "$argv[2]"', str(script), line)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [found.split("\t")[0] for found in done.stdout.splitlines()]

    def test_there_are_many_commands(self) -> None:
        self.assertIn(("qos", "update"), self.help)
        self.assertIn("--dry-run", options_of(self.help["qos", "update"]))

    def test_bash_knows_every_command_and_option(self) -> None:
        script = self.script("bash")
        for path, text in self.help.items():
            with self.subTest(path):
                words = self.ask_bash(script, "qosgate", *path, "")
                long_names = [word for word in words if word.startswith("--")]
                self.assertEqual([word for word in words if not word.startswith("-")], commands_of(text))
                self.assertEqual(sorted(long_names), sorted(options_of(text)))

    def test_fish_knows_every_command_and_option(self) -> None:
        script = self.script("fish")
        for path, text in self.help.items():
            with self.subTest(path):
                words = self.ask_fish(script, " ".join(["qosgate", *path, "--"]))
                self.assertEqual(sorted(words), sorted(options_of(text)))
                if commands_of(text):
                    words = self.ask_fish(script, " ".join(["qosgate", *path, ""]))
                    self.assertEqual(sorted(words), sorted(commands_of(text)))

    def test_zsh_knows_every_command_and_option(self) -> None:
        zsh = Zsh(self.script("zsh"))
        self.addCleanup(zsh.end)
        for path, text in self.help.items():
            for names in (commands_of(text), options_of(text)):
                for name in filter(lambda name, names=names: unique_prefix(name, names), names):
                    line = " ".join(["qosgate", *path, ""])
                    self.assertEqual(zsh.complete(line + unique_prefix(name, names)), line + name)

    def test_an_unknown_word_is_left_as_it_is(self) -> None:
        self.assertEqual(self.ask_bash(self.script("bash"), "qosgate", "qos", "zzz"), [])
        self.assertEqual(self.ask_fish(self.script("fish"), "qosgate qos zzz"), [])
        zsh = Zsh(self.script("zsh"))
        self.addCleanup(zsh.end)
        self.assertEqual(zsh.complete("qosgate qos zzz"), "qosgate qos zzz")

    def test_behind_two_dashes_another_program_is_completed(self) -> None:
        if BASH_COMPLETION.exists():
            words = self.ask_bash(
                self.script("bash"), "qosgate", "check", "--", "mkfif", before=f"source {BASH_COMPLETION}\n"
            )
            self.assertEqual(set(words), {"mkfifo"})
        self.assertEqual(self.ask_bash(self.script("bash"), "qosgate", "check", "--", "--js"), [])
        self.assertEqual(self.ask_fish(self.script("fish"), "qosgate check -- mkfif"), ["mkfifo"])
        zsh = Zsh(self.script("zsh"))
        self.addCleanup(zsh.end)
        self.assertEqual(zsh.complete("qosgate check -- mkfif"), "qosgate check -- mkfifo")

    def test_another_shell_is_an_error_that_names_the_three(self) -> None:
        done = run(QOSGATE, "completion", "tcsh")
        self.assertEqual((done.returncode, done.stdout), (64, ""))
        for shell in ("bash", "zsh", "fish"):
            self.assertIn(shell, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
