#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`meson install` puts each file in its place, and other programs can use what it installs.

Usage: install_test.py SOURCE_ROOT COMPILER [ARGUMENT...], with QG_BUILD_ROOT in the environment
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["QG_BUILD_ROOT"])
SOURCE = Path(sys.argv[1])
COMPILER = sys.argv[2:]
HERE = Path(__file__).resolve().parent


def run(*command: str | Path, **environment: str) -> str:
    """The output of a command that must succeed; a failure shows all it printed."""
    result = subprocess.run(
        list(map(str, command)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | environment,
    )
    if result.returncode != 0:
        raise AssertionError(f"$ {shlex.join(map(str, command))}\n{result.stdout}")
    return result.stdout


def option(name: str) -> str:
    """The value of one of Meson's options in this build."""
    records = json.loads((BUILD / "meson-info/intro-buildoptions.json").read_text())
    return str(next(record["value"] for record in records if record["name"] == name))


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
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", cls.destdir)
        cls.prefix = cls.destdir / option("prefix").lstrip("/")
        cls.has_slurm = (cls.prefix / "include/qosgate/slurmdb").is_dir()
        cls.flags = cls.library_flags()

    @classmethod
    def library_flags(cls) -> list[str]:
        """What pkg-config answers once the files are where its own file says."""
        found = cls.prefix / option("libdir") / "pkgconfig/qosgate.pc"
        text = found.read_text().replace(f"prefix={option('prefix')}\n", f"prefix={cls.prefix}\n")
        moved = cls.destdir / "pkgconfig"
        moved.mkdir()
        (moved / found.name).write_text(text)
        answer = run("pkg-config", "--cflags", "--libs", "qosgate", PKG_CONFIG_PATH=str(moved))
        return shlex.split(answer)

    def compile(self, source: Path) -> Path:
        program = self.destdir / source.stem
        run(*COMPILER, source, *self.flags, "-o", program)
        return program

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

    def test_the_library_is_for_every_compiler(self) -> None:
        library = self.prefix / option("libdir") / "libqosgate.a"

        self.assertNotIn(".gnu.lto_", run("readelf", "--section-headers", "--wide", library))

    def test_every_header_compiles_from_where_it_was_installed(self) -> None:
        include = self.prefix / "include"
        headers = sorted(path.relative_to(include) for path in include.rglob("*.hpp"))
        everything = self.destdir / "everything.cpp"
        everything.write_text("".join(f"#include <{header}>\n" for header in headers))

        self.assertIn(Path("qosgate/limits/submit.hpp"), headers)
        run(*COMPILER, "-fsyntax-only", everything, *self.flags)

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
        others = {"qosgate", "qosgate.lua", "lua.md", "running.md", "users.md", "decision-record.schema.json"}
        schemas = {path.name for path in (SOURCE / "contrib/schemas").glob("*.json")}
        has_exporter = "/metrics" in run(self.prefix / "bin/qosgate", "exporter", "--help")
        monitor = {"qosgate-exporter.service", "alerts.yml", "dashboard.json"} if has_exporter else set()
        pages = {name for name in installed if re.fullmatch(r"qosgate(-[a-z]+)*\.1", name)}
        help_files = {"_qosgate", "qosgate.fish", "qosgate.1", *pages}  # that of bash is called qosgate, too
        self.assertEqual(installed, others | rules | plugins | monitor | schemas | help_files)

    def test_the_guides_refer_to_nothing_that_is_not_installed(self) -> None:
        guides = sorted((self.prefix / option("datadir") / "doc/qosgate").glob("*.md"))
        self.assertEqual([guide.name for guide in guides], ["lua.md", "running.md", "users.md"])
        for guide in guides:
            text = guide.read_text()
            self.assertEqual(re.findall(r"\]\((?!https:|#)[^)]*\)", text), [], guide)
            self.assertNotIn("README.md", text, guide)

    def test_the_names_for_editors_are_in_the_data_folder(self) -> None:
        installed = self.prefix / option("datadir") / "qosgate/api/qosgate.lua"
        self.assertEqual(installed.read_text(), (SOURCE / "lua/api/qosgate.lua").read_text())

    def test_the_schemas_are_in_the_data_folder(self) -> None:
        installed = self.prefix / option("datadir") / "qosgate/schemas"
        for schema in (SOURCE / "contrib/schemas").glob("*.json"):
            self.assertEqual((installed / schema.name).read_text(), schema.read_text())

    def test_the_rules_are_in_the_data_folder(self) -> None:
        installed = self.prefix / option("datadir") / "qosgate/rules"
        for folder, others in ((".", ["tests"]), ("tests", [])):
            shipped = sorted((SOURCE / "lua/rules" / folder).glob("*.lua"))

            names = [path.name for path in shipped]
            self.assertEqual(sorted(names + others), sorted(os.listdir(installed / folder)))
            for path in shipped:
                self.assertEqual((installed / folder / path.name).read_text(), path.read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
