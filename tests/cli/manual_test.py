#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual pages say what --help says, and man(1) reads them without a warning. Usage: manual_test.py QOSGATE"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

QOSGATE = sys.argv.pop(1)


def run(*words: str, **options: object) -> subprocess.CompletedProcess:
    return subprocess.run(words, capture_output=True, text=True, timeout=30, **options)


class ManualTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory(prefix="qosgate-manual-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = Path(directory.name)
        cls.done = run(QOSGATE, "manual", directory.name)
        cls.pages = sorted(cls.directory.glob("*.1"))

    def show(self, page: Path) -> subprocess.CompletedProcess:
        """The page in lines that are never broken or hyphenated."""
        if shutil.which("man") is None:
            self.skipTest("there is no man")
        env = {**os.environ, "MANWIDTH": "400", "LC_ALL": "C.UTF-8"}
        return run("man", "--warnings", "--no-hyphenation", "--no-justification", "-l", str(page), env=env)

    def test_each_command_has_a_page(self) -> None:
        self.assertEqual((self.done.returncode, self.done.stdout, self.done.stderr), (0, "", ""))
        names = {page.stem for page in self.pages}
        self.assertLess({"qosgate", "qosgate-qos", "qosgate-qos-update", "qosgate-why"}, names)
        for page in self.pages:
            with self.subTest(page.stem):
                self.assertEqual(run(QOSGATE, *page.stem.split("-")[1:], "--help").returncode, 0)

    def test_man_reads_each_page_without_a_warning(self) -> None:
        for page in self.pages:
            with self.subTest(page.stem):
                shown = self.show(page)
                self.assertEqual((shown.returncode, shown.stderr), (0, ""))
                for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"):
                    self.assertRegex(shown.stdout, rf"(?m)^{title}$")

    def test_a_page_has_every_word_of_the_help(self) -> None:
        for page in self.pages:
            with self.subTest(page.stem):
                text = run(QOSGATE, *page.stem.split("-")[1:], "--help").stdout
                words = set(re.sub(r"^Usage:.*", "", text, flags=re.MULTILINE).split())
                shown = self.show(page).stdout.upper()
                # CLI11's words about types and about options that exclude each other.
                no_words = re.compile(r"Options:|Subcommands:|Positionals:|.*:(UINT|TEXT|INT|\{.*)|REQUIRED|Excludes:|"
                                      r"TEXT(=.*)?|in|\[?\d+\]?|-|\.\.\.|.*,--.*|--.*")
                missing = [word for word in words if not no_words.fullmatch(word) and word.strip(":").upper() not in shown]
                self.assertEqual(missing, [])

    def test_values_have_the_names_that_the_help_has(self) -> None:
        for page in self.pages:
            with self.subTest(page.stem):
                text = run(QOSGATE, *page.stem.split("-")[1:], "--help").stdout
                shown = self.show(page).stdout
                for option, value in re.findall(r"(?m)^  (?:-\w,)?(--[\w-]+) ([A-Z]+)\b", text):
                    self.assertRegex(shown, rf"(?m){option} {value}\b")

    def test_a_directory_that_is_not_there_is_an_error(self) -> None:
        done = run(QOSGATE, "manual", str(self.directory / "nothing"))
        self.assertEqual((done.returncode, done.stdout), (69, ""))
        self.assertIn("nothing/qosgate.1: No such file or directory", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
