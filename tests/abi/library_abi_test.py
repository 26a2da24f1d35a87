#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What libqosgate.so shows to programs: the functions of qosgate.h, all with one version.

Usage: library_abi_test.py LIBRARY HEADER
"""

from __future__ import annotations

import re
import subprocess
import sys
import unittest
from pathlib import Path

LIBRARY, HEADER = sys.argv[1], Path(sys.argv[2])

# Slurm's plugins look them up (engine/qosgate/slurmdb/lazy_symbols.cpp).
FOR_PLUGINS = {"rpc_num2string", "slurmdbd_msg_type_2_str", "uid_to_string_or_null"}


def read(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class LibraryAbi(unittest.TestCase):
    def test_it_exports_the_headers_functions_and_nothing_else(self) -> None:
        text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
        declared = set(re.findall(r"\b(qosgate_\w+)\(", text))
        shown = [line.split()[-1] for line in read("nm", "-D", "--defined-only", LIBRARY).splitlines()]

        self.assertIn("qosgate_apply", declared)
        self.assertEqual(set(shown), {f"{name}@@QOSGATE_0.1" for name in declared | FOR_PLUGINS} | {"QOSGATE_0.1"})

    def test_it_has_a_name_that_stays_with_its_interface_and_remains_loaded(self) -> None:
        dynamic = read("readelf", "-d", LIBRARY)

        self.assertIn("[libqosgate.so.0]", dynamic)
        self.assertIn("NODELETE", dynamic)
        self.assertNotIn("RPATH", dynamic)

    def test_the_header_is_c(self) -> None:
        for language, standard in (("c", "c99"), ("c++", "c++11")):
            with self.subTest(language):
                read("cc", "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", str(HEADER))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
