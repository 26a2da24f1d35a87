#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A field of a job is a row of model/job_field.hpp and a row of its member: with both, rules, records and messages know it, and
without one of them nothing compiles. Usage: new_field_test.py BUILD_DIRECTORY"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from qosgate_dev import ROOT
from qosgate_dev.compile_alone import options_of

BUILD = Path(sys.argv.pop(1)).resolve()

DETAIL = ("model/job_details.hpp", "    work_dir,  ", "    sampling,\n")
ROW = (
    "model/job_field.hpp",
    '        {"het_offset"',
    '{"sampling", text, D::sampling, write, limits, taking("--acctg-freq"), "", "--acctg-freq", "acctg_freq"},\n',
)
MEMBER = (
    "slurm/job_field_members.hpp",
    "    {model::JobDetail::work_dir,",
    "{model::JobDetail::sampling, &job_desc_msg_t::acctg_freq, not_stored, 1024},\n",
)
# All that has a table of fields of its own, and what follows from it.
SOURCES = ("policy/objects/field_table.cpp", "policy/objects/fields.cpp", "gate/decide/decision_record.cpp", "slurm/read_details.cpp")
PROGRAM = r"""
#include <iostream>
using namespace qg;
int main() {
    char sent[] = "task=30";
    job_desc_msg_t job{};
    job.core_spec = job.requeue = job.shared = NO_VAL16;
    job.nice = job.het_job_offset = NO_VAL;
    job.acctg_freq = sent;
    model::JobRequest request;
    request.details = slurm::details_of_submission(job);
    const policy::FieldSpec& field = *policy::find_job_field("sampling");
    policy::ErrorText error;
    std::cout << "read " << field.read({request, policy::no_facts()}, error).text << '\n'
              << "recorded " << gate::fields_json(request) << '\n';
    const model::JobRequest before = request;
    if (!policy::write_field(field, request, policy::Value::of_text("task=60"))) return 1;
    for (const std::string& change : policy::describe_changes(before, request, policy::no_facts()))
        std::cout << "changed " << change << '\n';
    std::cout << "told " << policy::describe_field(field, request, policy::no_facts()) << '\n';
    model::JobRequest replayed;
    if (!policy::set_field(replayed, field, policy::Value::of_text("task=30"))) return 1;
    std::cout << "replayed " << gate::fields_json(replayed) << '\n'
              << policy::describe_unknown_field("acctg_freq") << '\n'
              << "| " << field.name << " | " << field.description << " |\n";
}
"""


class NewField(unittest.TestCase):
    def setUp(self) -> None:
        self.engine = Path(self.enterContext(tempfile.TemporaryDirectory())) / "engine"
        shutil.copytree(ROOT / "engine", self.engine, ignore=shutil.ignore_patterns("*.py", "*.md"))

    def add(self, *places: tuple[str, str, str]) -> None:
        for name, before, text in places:
            path = self.engine / "qosgate" / name
            self.assertEqual(path.read_text().count(before), 1, name)
            path.write_text(path.read_text().replace(before, text + before))

    def compile(self, *words: str) -> subprocess.CompletedProcess[str]:
        """One translation unit of all sources."""
        main = self.engine / "main.cpp"
        main.write_text("".join(f'#include "qosgate/{name}"\n' for name in SOURCES) + PROGRAM)
        compiler, *options = options_of(BUILD)[ROOT / "engine/qosgate/slurm/read_details.cpp"]
        lua = [word for word in options_of(BUILD)[ROOT / "engine/qosgate/policy/objects/fields.cpp"] if "lua" in word]
        return subprocess.run(
            [compiler, f"-I{self.engine}", *options, *lua, "-O0", "-fno-lto", str(main), *words],
            cwd=BUILD,
            capture_output=True,
            text=True,
            check=False,
        )

    def test_two_rows_are_all(self) -> None:
        self.add(DETAIL, ROW, MEMBER)
        program = self.engine / "program"
        libraries = sorted(str(path) for path in (BUILD / "engine/qosgate").glob("*/*.a"))
        # The scratch copy has other definitions than the libraries; what is missing is not called.
        link = ["-Wl,-z,muldefs", "-Wl,--unresolved-symbols=ignore-all", "-Wl,--start-group", *libraries, "-Wl,--end-group", "-lfmt"]
        built = self.compile("-o", str(program), *link)
        self.assertEqual(built.returncode, 0, built.stderr[-3000:])

        said = subprocess.run([program], capture_output=True, text=True, check=True, timeout=20).stdout

        self.assertEqual(
            said.splitlines(),
            [
                "read task=30",
                'recorded {"sampling": "task=30"}',
                "changed sampling: task=30 -> task=60",
                "told --acctg-freq task=60",
                'replayed {"sampling": "task=30"}',
                "unknown field 'acctg_freq' of job: rules have job.sampling",
                "| sampling | --acctg-freq |",
            ],
        )

    def test_a_detail_without_a_row_does_not_compile(self) -> None:
        self.add(DETAIL, MEMBER)

        self.assertIn("job_field.hpp", self.compile("-fsyntax-only").stderr)

    def test_a_row_without_a_member_does_not_compile(self) -> None:
        self.add(DETAIL, ROW)

        self.assertIn("a detail has no row in job_field_members.hpp", self.compile("-fsyntax-only").stderr)


if __name__ == "__main__":
    unittest.main()
