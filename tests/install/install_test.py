#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`meson install` puts each file in its place, and other programs can use what it installs.

Usage: install_test.py SOURCE_ROOT, with QG_BUILD_ROOT in the environment
"""

from __future__ import annotations

import contextlib
import os
import re
import runpy
import shutil
import sys
import tempfile
import unittest
from pathlib import Path, PurePosixPath

from qosgate_dev.testing.installation import BUILD, Installation, compiler, option, run

SOURCE = Path(sys.argv[1])
HERE = Path(__file__).resolve().parent


class Installed(unittest.TestCase):
    """One installation into a directory that stands for the root of a package."""

    destdir: Path
    prefix: Path
    flags: list[str]
    has_slurm: bool

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="qosgate-install-")
        cls.addClassCleanup(temporary.cleanup)
        cls.destdir = Path(temporary.name)
        cls.installation = Installation(cls.destdir)
        cls.prefix = cls.installation.prefix
        cls.has_slurm = (cls.prefix / "include/qosgate/slurmdb").is_dir()
        cls.flags = cls.installation.flags("qosgate")

    def compile(self, source: Path) -> Path:
        return self.installation.compile(source, *self.flags)

    def require_slurm(self) -> None:
        if not self.has_slurm:
            self.skipTest("built without Slurm")

    def test_a_program_judges_a_job(self) -> None:
        answer = run(self.compile(HERE / "judge.cpp"))

        self.assertIn("limit 8, this job asks for 9", answer)
        self.assertIn("QOSMaxCpuPerJobLimit", answer)

    def test_a_program_with_qos_records_has_what_slurms_plugins_look_up(self) -> None:
        self.require_slurm()

        answer = run(self.compile(HERE / "records.cpp"), SLURM_CONF="/invalid/slurm.conf")

        self.assertEqual(answer.count(": found\n"), 3, answer)
        self.assertIn("/invalid/slurm.conf", answer)

    def test_a_c_program_finds_its_own_library(self) -> None:
        self.require_slurm()
        flags = self.installation.flags("qosgate-c")
        program = self.installation.compile(HERE / "status_names.c", "-x", "c", "-std=c99", "-Wpedantic", "-Werror", *flags)

        answer = run(program, LD_LIBRARY_PATH=str(self.prefix / option("libdir")), SLURM_CONF="/invalid/slurm.conf")

        self.assertRegex(answer, r"^version \d+\.\d+\.\d+\n5 unavailable: .*/invalid/slurm.conf")

    def test_the_library_is_for_every_compiler(self) -> None:
        library = self.prefix / option("libdir") / "libqosgate.a"

        self.assertNotIn(".gnu.lto_", run("readelf", "--section-headers", "--wide", library))

    def test_every_header_compiles_from_where_it_was_installed(self) -> None:
        include = self.prefix / "include"
        headers = sorted(path.relative_to(include) for path in include.rglob("*.hpp"))
        everything = self.destdir / "everything.cpp"
        everything.write_text("".join(f"#include <{header}>\n" for header in headers))

        self.assertIn(Path("qosgate/limits/submit.hpp"), headers)
        run(*compiler(), "-fsyntax-only", everything, *self.flags)

    def test_programs_link_with_every_public_class(self) -> None:
        programs = ["engine_classes.cpp"] + (["slurm_classes.cpp"] if self.has_slurm else [])
        answers = {name: run(self.compile(HERE / name), SLURM_CONF="/invalid/slurm.conf") for name in programs}

        self.assertIn("60 minutes\n", answers["engine_classes.cpp"])
        if self.has_slurm:
            self.assertIn("\nlinked\n", answers["slurm_classes.cpp"])
        used = "".join((HERE / name).read_text() for name in programs)
        unused = [name for name in self.public_classes() if not re.search(rf"\b{name}\b", used)]
        self.assertEqual(unused, [], "public classes that no program here uses")

    def public_classes(self) -> list[str]:
        """The classes of the installed headers that have code in the library, but for interfaces."""
        include = self.prefix / "include"
        return [
            name
            for header in sorted(include.rglob("*.hpp"))
            if (SOURCE / "engine" / header.relative_to(include)).with_suffix(".cpp").exists()
            for name, body in re.findall(r"^class (\w+)[^;]*?\{(.*?)^\};", header.read_text(), re.MULTILINE | re.DOTALL)
            if not re.search(r"\)( const)? = 0;", body)
        ]

    def test_the_program_runs(self) -> None:
        program = self.prefix / "bin/qosgate"

        self.assertRegex(run(program, "--version"), r"^\d+\.\d+\.\d+")
        self.assertIn("MaxTRESPerUser", run(program, "qos", "fields"))

    def test_the_program_has_manual_pages_and_completion(self) -> None:
        self.assertIn('.TH "qosgate\\-why" 1', (self.prefix / option("mandir") / "man1/qosgate-why.1").read_text())
        data = self.prefix / option("datadir")
        for script in (
            "bash-completion/completions/qosgate",
            "zsh/site-functions/_qosgate",
            "fish/vendor_completions.d/qosgate.fish",
        ):
            self.assertIn("qosgate policy replay", (data / script).read_text())

    def test_systemd_accepts_the_units(self) -> None:
        self.require_slurm()
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        program = f"{option('prefix')}/{option('bindir')}/qosgate"
        units = sorted((self.prefix / "lib/systemd/system").glob("qosgate-*"))
        self.assertIn("qosgate-access-expire.timer", [unit.name for unit in units])
        with tempfile.TemporaryDirectory(prefix="qosgate-units-") as directory:
            for unit in units:
                text = unit.read_text()
                if unit.suffix == ".service":
                    self.assertIn(f"\nExecStart={program} ", text, unit)
                    verbs = re.findall(rf"(?m)^ExecStart={program} ([a-z ]+?)(?: -.*)?$", text)
                    self.assertIn("Exit status", run(self.prefix / "bin/qosgate", *verbs[0].split(), "--help"))
                # The program is not where the unit says before a package puts it there.
                (Path(directory) / unit.name).write_text(text.replace(program, str(self.prefix / "bin/qosgate")))
            run("systemd-analyze", "verify", "--man=no", *sorted(Path(directory).iterdir()))

    def test_the_plugin_is_beside_slurms_own(self) -> None:
        self.require_slurm()
        found = list(self.destdir.rglob("job_submit_qosgate.so"))

        self.assertEqual(len(found), 1, found)
        slurms = Path("/") / found[0].parent.relative_to(self.destdir)
        if option("slurm_plugin_dir"):
            self.assertEqual(str(slurms), option("slurm_plugin_dir"))
        elif not (slurms / "auth_munge.so").exists():
            others = [str(path) for path in Path("/usr/lib").glob("**/auth_munge.so")]
            self.assertEqual(others, [], f"installed to {slurms}, but Slurm has plugins elsewhere")

    def test_the_module_for_sbatch_is_where_the_program_looks(self) -> None:
        self.require_slurm()
        module = self.prefix / option("libdir") / "qosgate/qosgate_client.so"
        place = str(module.parent)[len(str(self.destdir)) :]

        self.assertTrue(module.is_file())
        self.assertIn(place.encode(), (self.prefix / "bin/qosgate").read_bytes())

    def test_a_controller_gets_programs_rules_and_guide_and_nothing_for_developers(self) -> None:
        with tempfile.TemporaryDirectory(prefix="qosgate-install-") as destdir:
            run(
                *("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet"),
                *("--tags", "runtime", "--destdir", destdir),
            )
            installed = {path.name for path in Path(destdir).rglob("*") if path.is_file()}

        rules = {path.name for path in (SOURCE / "lua/rules").glob("*.lua")}
        plugins = {"cli_filter_qosgate.so", "job_submit_qosgate.so", "qosgate_client.so"} if self.has_slurm else set()
        gates = {path.name for path in (BUILD / "plugin/qosgate").glob("*.so")}
        self.assertEqual(len(gates), 2 if self.has_slurm else 0)
        others = {"qosgate", "qosgate.lua", "decision-record.schema.json", "apply_spec.py", "qosgate_spec.py"}
        guides = {path.name for path in (SOURCE / "contrib/doc").glob("*.md")}
        examples = {path.name for path in (SOURCE / "contrib/examples").glob("*.yaml")}
        units = {"qosgate-access-expire.service", "qosgate-access-expire.timer"} if self.has_slurm else set()
        schemas = {path.name for path in (SOURCE / "contrib/schemas").glob("*.json")}
        has_exporter = "/metrics" in run(self.prefix / "bin/qosgate", "exporter", "--help")
        monitor = {"qosgate-exporter.service", "alerts.yml", "dashboard.json"} if has_exporter else set()
        pages = {name for name in installed if re.fullmatch(r"qosgate(-[a-z]+)*\.1", name)}
        help_files = {"_qosgate", "qosgate.fish", "qosgate.1", *pages}  # that of bash is called qosgate, too
        tables = {path.name for path in (SOURCE / "lua/rules/data").iterdir()}
        self.assertEqual(installed, others | guides | examples | rules | tables | plugins | gates | monitor | units | schemas | help_files)

    def test_every_link_of_the_guides_leads_to_what_is_installed(self) -> None:
        tools = runpy.run_path(str(SOURCE / "contrib/doc/installed_page.py"))
        documents = self.prefix / option("datadir") / "doc/qosgate"
        self.assertEqual({path.name for path in documents.glob("*.md")}, {path.name for path in (SOURCE / "contrib/doc").glob("*.md")})
        found = 0
        for guide in documents.rglob("*.md"):
            for link in tools["links"](guide.read_text()):
                with self.subTest(guide.name, link=link.text):
                    target = guide.parent / link.path if link.path else guide
                    self.assertTrue(target.exists(), link.path)
                    if link.anchor:
                        self.assertIn(link.anchor, tools["anchors"](target.read_text()))
                    found += 1
        self.assertGreater(found, 100)

    def test_a_link_to_what_is_not_installed_becomes_its_path(self) -> None:
        tools = runpy.run_path(str(SOURCE / "contrib/doc/installed_page.py"))
        page = PurePosixPath("contrib/doc/rules.md")
        for text, wanted in (
            ("[a](spec.md#fields), [b](#c)", "[a](spec.md#fields), [b](#c)"),
            ("[a\nb](../examples/README.md)", "[a\nb](examples/README.md)"),
            ("[x](../../lua/rules)", "[x](../../qosgate/rules)"),
            ("see [engine/x.hpp](../../engine/x.hpp).", "see engine/x.hpp."),
            ("`[x](y)`\n```\n[x](y)\n```\n", "`[x](y)`\n```\n[x](y)\n```\n"),
            ("[x](https://slurm.schedmd.com)", "[x](https://slurm.schedmd.com)"),
        ):
            # Where the checkout lies, and what it is called, does not matter.
            for directory in ("/", "doc/qosgate", "qosgate"):
                with tempfile.TemporaryDirectory() as root, contextlib.chdir(root):
                    os.makedirs(directory, exist_ok=True)
                    os.chdir(directory)
                    self.assertEqual(tools["installed"](page, text), wanted, directory)
        with self.assertRaisesRegex(ValueError, "engine/x.hpp is not installed"):
            tools["installed"](page, "[the header](../../engine/x.hpp)")

    def test_the_examples_of_the_guide_for_programs_compile(self) -> None:
        self.require_slurm()
        guide = (self.prefix / option("datadir") / "doc/qosgate/programs.md").read_text()
        (c,) = re.findall(r"^```c\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
        (cpp,) = re.findall(r"^```cpp\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
        in_c, in_cpp = self.destdir / "guide_list.c", self.destdir / "guide_judge.cpp"
        in_c.write_text(c)
        in_cpp.write_text(cpp)

        flags = self.installation.flags("qosgate-c")
        self.installation.compile(in_c, "-x", "c", "-std=c99", "-Wpedantic", "-Werror", *flags)

        self.assertIn("limit 8, this job asks for 9", run(self.compile(in_cpp)))

    def test_the_names_for_editors_are_in_the_data_directory(self) -> None:
        installed = self.prefix / option("datadir") / "qosgate/api/qosgate.lua"
        self.assertEqual(installed.read_text(), (SOURCE / "lua/api/qosgate.lua").read_text())

    def test_the_schemas_are_in_the_data_directory(self) -> None:
        installed = self.prefix / option("datadir") / "qosgate/schemas"
        for schema in (SOURCE / "contrib/schemas").glob("*.json"):
            self.assertEqual((installed / schema.name).read_text(), schema.read_text())

    def test_the_rules_are_in_the_data_directory(self) -> None:
        installed = self.prefix / option("datadir") / "qosgate/rules"
        for directory, others in ((".", ["data", "tests"]), ("tests", []), ("data", [])):
            shipped = sorted(path for path in (SOURCE / "lua/rules" / directory).iterdir() if path.is_file())

            names = [path.name for path in shipped]
            self.assertEqual(sorted(names + others), sorted(os.listdir(installed / directory)))
            for path in shipped:
                self.assertEqual((installed / directory / path.name).read_text(), path.read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
