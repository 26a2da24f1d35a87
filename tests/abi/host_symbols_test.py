#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether this release of Slurm exports the names that qosgate looks up in it. Usage: host_symbols_test.py HEADER LOADER'S-SOURCE..."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

HEADER, *LOADER = map(Path, sys.argv[1:])
PROGRAMS = ("slurmctld", "sbatch", "salloc", "srun", "scrontab")
# Other releases have these, or programs that are not in every package.
MAY_BE_ABSENT = {"slurm_job_state_reason_string", "scopt"}


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(path: str) -> set[str]:
    return {line.split()[-1].partition("@")[0] for line in run("nm", "-D", "--defined-only", path).splitlines() if line.strip()}


class HostSymbolsTest(unittest.TestCase):
    def test_this_release_has_all_names(self) -> None:
        programs = [path for name in PROGRAMS if (path := shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin"))]
        if len(programs) < len(PROGRAMS) - 1:
            self.skipTest("this host has no slurmctld and no clients")
        names = set(re.findall(r'\{\s*"(\w+)"\}', HEADER.read_text()))
        self.assertIn("assoc_mgr_lock", names)
        for source in LOADER:
            names |= set(re.findall(r'(?:find\(|dlsym\(RTLD_DEFAULT, )"(\w+)"', source.read_text()))
        self.assertLessEqual({"slurm_init_job_desc_msg", "validate_operator", "slurm_error"}, names)
        found = set()
        for program in programs:
            found |= exported(program)
            for library in re.findall(r"(/\S*libslurm\S*\.so\S*) ", run("ldd", program)):
                found |= exported(library)
        absent = {name for name in names - found if not name.startswith("qosgate_")}
        self.assertLessEqual(absent, MAY_BE_ABSENT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
