#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/dev/compile_alone tells the files that do not include what they use, though they are built."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
from pathlib import Path

from qosgate_dev import ROOT

FILES = {
    "meson.build": """\
project('small', 'cpp', default_options: ['unity=on', 'cpp_std=c++20'])
executable('small', 'main.cpp', 'other.cpp', cpp_pch: 'pch/all.hpp', cpp_args: '-DWIDTH=3')
""",
    "pch/all.hpp": "#include <optional>\n",
    "main.cpp": "#include <string>\nint main() { return std::string(WIDTH, 'x').size() == 3 ? 0 : 1; }\n",
    "other.cpp": '#include "sub/whole.hpp"\n#include "sub/part.hpp"\nint other() { return Whole().part.value_or(1); }\n',
    "sub/whole.hpp": "#pragma once\n#include <optional>\nstruct Whole { std::optional<int> part; };\n",
    "sub/part.hpp": "#pragma once\nstruct Part { std::optional<int> part; };\n",
}


class CompileAlone(unittest.TestCase):
    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in FILES.items():
            self.write(name, text)
        self.run_command("meson", "setup", "build")
        self.build()

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def run_command(self, *words: str, rc: int = 0) -> str:
        done = subprocess.run(words, cwd=self.root, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, rc, done)
        return done.stdout

    def build(self) -> None:
        self.run_command("ninja", "-C", "build")

    def compile_alone(self, *files: str, rc: int = 0) -> str:
        return self.run_command(str(ROOT / "contrib/dev/compile_alone"), "build", *files, rc=rc)

    def test_who_includes_what_it_uses_compiles(self) -> None:
        said = self.compile_alone("main.cpp", "other.cpp", "sub/whole.hpp")

        self.assertEqual(said, "3 of 3 files compile alone\n")

    def test_a_header_that_needs_another_is_told(self) -> None:
        said = self.compile_alone("sub/part.hpp", "sub/whole.hpp", rc=1)

        self.assertRegex(said, r"(?s)^sub/part.hpp does not compile alone:\n.* error: .*optional.*\n1 of 2 files compile alone\n$")

    def test_what_the_precompiled_header_has_is_not_included(self) -> None:
        self.write("main.cpp", "int main() { return std::optional<int>().value_or(0); }\n")
        self.build()

        self.assertIn("main.cpp does not compile alone:", self.compile_alone("main.cpp", rc=1))

    def test_what_another_file_of_the_unity_build_includes_is_not_included(self) -> None:
        self.write("other.cpp", "std::string other() { return {}; }\n")
        self.build()

        self.assertIn("other.cpp does not compile alone:", self.compile_alone("other.cpp", "main.cpp", rc=1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
