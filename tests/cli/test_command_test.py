#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/test: which tests it takes for a change, and what people see of it."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from qosgate_dev import ROOT
from qosgate_dev.test_run import changed
from qosgate_dev.test_run.durations import Durations
from qosgate_dev.test_run.report import Failure, Report
from qosgate_dev.test_run.screen import Screen, bar, few_of, shortened, time_left_text, time_text
from qosgate_dev.test_run.tests import Job, Test, TestRun

LAYERS = ("base", "model", "limits", "quota", "policy", "gate", "report", "slurm", "slurmdb", "spec")


def invented(name: str, suite: str, *files: str) -> Test:
    return Test(name, (suite,), files)


# As Meson would list them.
TESTS = [
    *(invented(layer, "unit", f"tests/{layer}/{layer}_test") for layer in LAYERS),
    invented("threads", "unit", "tests/threads/threads_test"),
    invented("plugin", "unit", "tests/plugin/plugin_test"),
    invented("hostile requests", "bounds", "tests/plugin/hostile_test"),
    invented("tables", "unit", "tests/cli/tables_test"),
    invented("help", "cli", "tests/cli/help_test.py", "contrib/qosgate/qosgate"),
    invented("install", "cli", "tests/install/install_test.py"),
    invented("library abi", "abi", "tests/abi/library_abi_test.py", "engine/qosgate/admin/qosgate.h"),
    invented("references", "meta", "tests/meta/references.py"),
    invented("licences", "meta", "tests/meta/licences.py"),
    *(invented(f"cluster {name}", "cluster", f"tests/cluster/{name}_test.py") for name in ("rules", "guides", "demo")),
]

PROGRAMS = {test.name for test in TESTS if {*test.suites} & {"unit", "bounds"}}
META = {"references", "licences"}
CLUSTER = {"cluster rules", "cluster guides", "cluster demo"}
# Whoever may include every layer.
ON_TOP = {"plugin", "hostile requests", "tables", "help", "install", "library abi"} | CLUSTER | META


def tests_of(*paths: str) -> set[str]:
    return set(changed.touched(paths, TESTS).tests)


class TouchedTests(unittest.TestCase):
    def test_a_layer_touches_its_own_tests_and_those_above(self) -> None:
        gate = tests_of("engine/qosgate/gate/gate.cpp")

        self.assertGreaterEqual(gate, ON_TOP | {"gate", "report", "threads"})
        self.assertFalse(gate & {"model", "limits", "quota", "spec", "slurmdb"}, gate)

    def test_a_layer_is_seen_through_those_between(self) -> None:
        self.assertIn("limits", changed.layers_below("script"), "which the table names only for policy")
        self.assertGreaterEqual(tests_of("engine/qosgate/model/tres.hpp"), {*LAYERS} - {"base"})

    def test_tests_see_layers_that_theirs_may_not(self) -> None:
        self.assertIn("limits", tests_of("engine/qosgate/quota/local_quota.cpp"))

    def test_each_kind_of_file(self) -> None:
        for path, wanted in (
            ("engine/qosgate/spec/plan.cpp", ON_TOP | {"spec"}),
            ("engine/qosgate/admin/qosgate.h", ON_TOP),
            ("plugin/status.cpp", {"plugin", "hostile requests", "library abi", "install"} | CLUSTER | META),
            ("contrib/qosgate/job/why.cpp", {"tables", "help", "install"} | CLUSTER | META),
            ("tests/gate/gate_test.cpp", {"gate"} | META),
            ("tests/cli/table_test.cpp", {"tables"} | META),
            ("tests/cli/command_tree.py", {"tables", "help"} | META),
            ("tests/gate/meson.build", {"gate"} | META),
            ("tests/spec/spec_setup.hpp", {"spec"} | META),
            ("tests/support/gate_setup.hpp", PROGRAMS | META),
            ("tests/cluster/rules_test.py", {"cluster rules"} | META),
            ("tests/cluster/helpers/submit_loop.cpp", CLUSTER | META),
            ("tests/meta/licences.py", META),
            ("contrib/dev/qosgate_dev/testing/cluster.py", CLUSTER | {"help", "install"} | META),
            ("contrib/dev/qosgate_dev/demo/stage.py", {"cluster demo"} | META),
            ("README.md", {"policy", "spec", "help", "install", "cluster guides"} | META),
            ("contrib/doc/users.md", {"policy", "spec", "help", "install", "cluster guides"} | META),
            ("engine/qosgate/limits/README.md", {"policy", "spec", "help", "install", "cluster guides"} | META),
        ):
            with self.subTest(path):
                self.assertEqual(tests_of(path), wanted)

    def test_rules_are_touched_as_the_layer_that_reads_them(self) -> None:
        self.assertEqual(tests_of("lua/rules/gpu.lua"), tests_of("engine/qosgate/policy/store.cpp"))

    def test_several_files_touch_what_each_of_them_does(self) -> None:
        self.assertEqual(tests_of("tests/gate/a_test.cpp", "tests/cluster/rules_test.py"), {"gate", "cluster rules"} | META)

    def test_a_file_that_nobody_knows_touches_everything(self) -> None:
        for path in ("meson.build", "engine/setup/meson.build", "engine/qosgate/new/new.cpp", "contrib/packages", "new"):
            found = changed.touched([path, "README.md"], TESTS)

            self.assertEqual(found.tests, {test.name for test in TESTS}, path)
            self.assertEqual(found.unknown, (path,))

    def test_benchmarks_are_no_tests_of_mesons(self) -> None:
        found = changed.touched(["contrib/dev/qosgate_dev/bench/client.py"], TESTS)

        self.assertEqual((found.tests, found.checks), (META, {"bench"}))
        self.assertEqual(changed.touched(["README.md"], TESTS).checks, set())

    def test_every_row_names_something_that_exists(self) -> None:
        files = {test.stem.removesuffix("_test") for test in (ROOT / "tests/cluster").rglob("*_test.py")}
        for pattern, names in changed.TOUCHED_BY:
            self.assertTrue(list(ROOT.glob(pattern)) or pattern.startswith("*"), pattern)
            for name in names:
                kind, _, rest = name.partition(" ")
                self.assertTrue(kind != "cluster" or rest.split()[0] in files, name)
                self.assertTrue(kind != "in" or (ROOT / "tests" / rest).is_dir(), name)


class Base(unittest.TestCase):
    def base(self, known: dict[str, str]) -> tuple[str, str]:
        """Of a repository in which git answers so."""

        def git(*words: str) -> str:
            if " ".join(words) not in known:
                raise changed.NoDifference("no such revision")
            return known[" ".join(words)] + "\n"

        return changed.find_base(git)

    def test_a_branch_is_compared_with_where_it_left_main(self) -> None:
        answers = {"rev-parse HEAD": "c", "merge-base HEAD main@{upstream}": "a", "merge-base HEAD main": "b"}

        self.assertEqual(self.base(answers), ("a", "where this branch left main@{upstream}"))

    def test_without_an_upstream_the_local_main_counts(self) -> None:
        self.assertEqual(self.base({"rev-parse HEAD": "c", "merge-base HEAD main": "b"})[0], "b")

    def test_on_main_only_what_is_not_committed_counts(self) -> None:
        base, why = self.base({"rev-parse HEAD": "c", "merge-base HEAD main": "c"})

        self.assertEqual(base, "c")
        self.assertIn("not committed", why)
        self.assertEqual(self.base({"rev-parse HEAD": "c"})[0], "HEAD")


class Words(unittest.TestCase):
    def test_times(self) -> None:
        for seconds, text in ((0.4, "0 s"), (59.9, "59 s"), (60, "1 min 0 s"), (3599, "59 min 59 s"), (3700, "1 h 1 min")):
            self.assertEqual(time_text(seconds), text)

    def test_times_left_are_no_more_exact_than_they_are_known(self) -> None:
        for seconds, text in ((3, "some seconds left"), (44, "40 s left"), (89, "90 s left"), (95, "2 min left"),
                              (600, "10 min left")):  # fmt: skip
            self.assertEqual(time_left_text(seconds, is_rough=False), text)
        self.assertEqual(time_left_text(600, is_rough=True), "about 10 min left")

    def test_a_line_is_as_wide_as_the_terminal(self) -> None:
        self.assertEqual(shortened("12345678", 8), "12345678")
        self.assertEqual(shortened("123456789", 8), "12345...")
        self.assertEqual(shortened("123456789", 2), "12")

    def test_few_of_many(self) -> None:
        self.assertEqual(few_of(["a", "b", "c"]), "a, b, c")
        self.assertEqual(few_of(["a", "b", "c", "d"]), "a, b, c and 1 more")

    def test_the_bar_has_one_width(self) -> None:
        self.assertEqual({len(bar(share / 100)) for share in range(101)}, {len(bar(0.5))})


class Conclusion(unittest.TestCase):
    def setUp(self) -> None:
        self.out = io.StringIO()
        self.enterContext(contextlib.redirect_stdout(self.out))
        self.report = Report(Screen())

    def fail(self, name: str, output: str) -> None:
        self.report.fail(Failure(name, "exit code 1", f"run '{name}'", [output], Path("/logs") / name))

    def test_the_last_line_counts(self) -> None:
        self.report.passed("one", 1.0)
        self.assertTrue(self.report.conclude(1.0))
        self.assertEqual(self.out.getvalue().splitlines()[-1], "1 passed, 0 failed")

    def test_what_failed_is_told_with_the_end_of_its_output_and_how_to_run_it_alone(self) -> None:
        self.report.passed("one", 1.0)
        self.report.skipped("two", "no such program")
        self.fail("three", "".join(f"line {n}\n" for n in range(100)))
        self.assertIn("line 99", self.out.getvalue(), "at once")
        self.assertFalse(self.report.conclude(75.0))

        end = self.out.getvalue().partition("== failed")[2]
        self.assertRegex(end, r"(?s)^, 1 of 1: three: exit code 1.* line 75\n.* line 99\n.*/logs/three\n")
        self.assertNotIn("line 74\n", end)
        self.assertTrue(end.endswith("run 'three'\n\nall of it took 1 min 15 s\n1 passed, 1 failed, 1 skipped\n"), end)

    def test_nothing_that_passed_is_no_success(self) -> None:
        self.assertFalse(self.report.conclude(1.0))

    def test_a_run_that_was_stopped_says_where(self) -> None:
        self.report.passed("one", 1.0)
        self.report.conclude(1.0, "stopped by SIGINT in: build")

        self.assertRegex(self.out.getvalue(), r"== stopped by SIGINT in: build\n.*\n1 passed, 0 failed\n$")


class OnATerminal(unittest.TestCase):
    """What stands there is what is written after the last erasure."""

    def setUp(self) -> None:
        self.out = io.StringIO()
        self.out.isatty = lambda: True  # type: ignore[method-assign]
        self.enterContext(contextlib.redirect_stdout(self.out))
        self.size = (20, 24)
        self.enterContext(mock.patch("qosgate_dev.test_run.screen._size", lambda: os.terminal_size(self.size)))
        self.enterContext(mock.patch.dict("os.environ", {"TERM": "xterm", "NO_COLOR": "1"}))
        self.screen = Screen()

    def draw(self, *lines: str) -> str:
        """What is written for it."""
        before = len(self.out.getvalue())
        with mock.patch("qosgate_dev.test_run.screen._REDRAW_SECONDS", 0):
            self.screen.show(lambda: lines, lambda: "in short")
        return self.out.getvalue()[before:]

    def test_the_state_is_drawn_in_its_place(self) -> None:
        self.assertEqual(self.draw("one", "a line that is too long for it"), "one\na line that is t...\n")
        self.assertEqual(self.draw("two"), "\033[2A\r\033[Jtwo\n")

    def test_what_stays_stands_above_it(self) -> None:
        self.draw("state")
        self.screen.say("done")

        self.assertEqual(self.out.getvalue(), "state\n\033[1A\r\033[Jdone\nstate\n")

    def test_lines_that_a_narrower_terminal_broke_are_erased(self) -> None:
        self.draw("x" * 19)
        self.size = (10, 24)

        self.assertTrue(self.draw("two").startswith("\033[2A\r\033[J"))

    def test_a_low_terminal_has_fewer_lines_of_it(self) -> None:
        self.size = (20, 4)

        self.assertEqual(self.draw("1", "2", "3", "4"), "1\n2\n")

    def test_no_colour_is_no_colour(self) -> None:
        self.screen.result("FAIL", "x")
        self.screen.title("y")

        self.assertEqual(self.out.getvalue(), "FAIL x\ny\n")


class WithoutATerminal(unittest.TestCase):
    def test_there_is_a_line_only_after_a_silence(self) -> None:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            screen = Screen()
            screen.show(lambda: ["state"], lambda: "in short")
            self.assertEqual(out.getvalue(), "")
            with mock.patch("qosgate_dev.test_run.screen._SILENT_SECONDS", 0):
                screen.show(lambda: ["state"], lambda: "in short")
            self.assertEqual(out.getvalue(), "in short\n")


# One test of each kind; each has a target of its own.
PROJECT = """
project('small', meson_version: '>= 1.0.1')
sh = find_program('sh')
foreach name, test : {
  'good': ['unit', 'exit 0'],
  'bad': ['cli', 'seq 100; echo no good >&2; exit 3'],
  'skipped': ['cli', 'echo skipped: no such thing; exit 77'],
  'long': ['cluster', 'echo $$ >pid.new; mv pid.new pid; exec sleep 300'],
}
  made = custom_target(name, output: name + '.made', command: ['touch', '@OUTPUT@'], build_by_default: true)
  test('a ' + name + ' one', sh, args: ['-c', test[1]], suite: test[0], depends: made, workdir: meson.project_build_root())
endforeach
"""


@unittest.skipUnless(os.geteuid() == 0, "contrib/test needs root")
class AWholeRun(unittest.TestCase):
    """In a tree that has our commands, and a project of four tests."""

    def setUp(self) -> None:
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(ROOT / "contrib/dev", self.root / "contrib/dev", ignore=shutil.ignore_patterns("__pycache__"))
        self.packages = self.root / "contrib/dev/install_packages"
        self.packages.write_text("#!/bin/sh\n")
        shutil.copy(ROOT / "meson_options.txt", self.root)
        (self.root / "meson.build").write_text(PROJECT)
        self.command = [str(self.root / "contrib/dev/test")]

    def run_command(self, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self.command, *options], capture_output=True, text=True, timeout=60, check=False)

    def test_all_that_was_asked_for_passes(self) -> None:
        done = self.run_command("--suite", "unit")

        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"ok +a good one .* 1 of 1\n")
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 0 failed")

    def test_what_fails_is_told(self) -> None:
        done = self.run_command("--suite", "unit", "--suite=cli")

        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"skip +a skipped one: no such thing\n")
        self.assertRegex(done.stdout, r"== failed, 1 of 1: a bad one: exit code 3, after \d s\n +76\n")
        self.assertIn("no good\n       whole output: build/contrib-test/a bad one.log\n", done.stdout)
        self.assertIn("\nsudo contrib/test --test 'a bad one'\n", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 1 failed, 1 skipped")
        self.assertTrue((self.root / "build/contrib-test/a bad one.log").read_text().startswith("1\n2\n"))

    def test_one_test_needs_only_its_own_build(self) -> None:
        done = self.run_command("--test", "a good one")

        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([path.name for path in (self.root / "build").glob("*.made")], ["good.made"])

    def test_a_program_counts_that_this_run_installed(self) -> None:
        programs = self.root / "bin"
        programs.mkdir()
        formatter = programs / "clang-format"
        for version, last in (("14.0.6", "1 passed, 0 failed"), ("19.1.7", "0 passed, 0 failed, 1 skipped")):
            with self.subTest(version):
                installed = f"#!/bin/sh\necho clang-format version {version}\n"
                self.packages.write_text(f"#!/bin/sh\nprintf '{installed}' >'{formatter}'\nchmod +x '{formatter}'\n")
                formatter.write_text("#!/bin/sh\necho clang-format version 13.0.1\n")
                formatter.chmod(0o755)
                with mock.patch.dict("os.environ", {"PATH": f"{programs}:{os.environ['PATH']}"}):
                    done = self.run_command("--test", "clang-format")

                self.assertEqual(done.stdout.splitlines()[-1], last, done.stdout + done.stderr)
        self.assertIn("clang-format 14 is not installed (clang-format version 19.1.7)", done.stdout)

    def test_a_machine_without_python_gets_it_first_or_is_told(self) -> None:
        programs = self.root / "bin"
        programs.mkdir()
        for file in Path("/usr/bin").iterdir():
            if not file.name.startswith("python"):
                (programs / file.name).symlink_to(file)
        self.packages.write_text(f"#!/bin/sh\necho $1\nln -s '{sys.executable}' '{programs}/python3'\n")
        self.root.chmod(0o755)
        # Without QG_PYTHON, which says which Python runs this test.
        with mock.patch.dict("os.environ", {"PATH": str(programs), "HOME": "/"}, clear=True):
            of_a_user = subprocess.run([*self.command, "--help"], capture_output=True, text=True, user=65534, check=False)
            done = self.run_command("--help")

        self.assertEqual((of_a_user.returncode, of_a_user.stdout), (69, ""))
        self.assertIn("there is no python3 in PATH, and this needs it: sudo ", of_a_user.stderr)
        self.assertTrue(done.stdout.startswith("build\nUsage: contrib/test "), done.stdout + done.stderr)

    def test_unknown_names_are_wrong_usage(self) -> None:
        for options, said in (
            (("--test", "a god one"), "there is no test 'a god one'; there is 'a good one'"),
            (("--suite", "units"), "there is no suite 'units'; there is 'unit'"),
            (("--fast",), "unrecognized arguments: --fast"),
            (("--all", "--suite", "unit"), "not allowed with"),
        ):
            done = self.run_command(*options)

            self.assertEqual(done.returncode, 64, done.stdout)
            self.assertIn(said, done.stderr)

    def test_a_second_run_in_the_tree_waits_for_the_first(self) -> None:
        pid_file = self.root / "build/pid"
        first = subprocess.Popen([*self.command, "--suite=cluster"], stdout=subprocess.DEVNULL)
        self.addCleanup(first.kill)
        while not pid_file.exists() and first.poll() is None:
            time.sleep(0.1)
        second = subprocess.Popen([*self.command, "--suite=unit"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(second.kill)
        self.assertEqual(second.stdout.readline(), "waiting for another contrib/test in this tree\n")
        first.terminate()
        out, _ = second.communicate(timeout=60)

        self.assertEqual(second.returncode, 0, out)
        self.assertEqual(first.wait(timeout=60), 128 + signal.SIGTERM)

    def test_a_build_that_fails_ends_it(self) -> None:
        (self.root / "meson.build").write_text(PROJECT.replace("'touch'", "'false'"))

        done = self.run_command("--suite", "unit")

        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?s)== failed, 1 of 1: build: exit code 1.*FAILED: good.made")
        self.assertIn("== because of that not begun: tests in build/\n", done.stdout)
        self.assertIn("\ncontrib/dev/build\n", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "0 passed, 1 failed")

    def test_a_signal_ends_what_runs_and_says_what_was_done(self) -> None:
        for signum in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signum.name):
                pid_file = self.root / "build/pid"
                pid_file.unlink(missing_ok=True)
                run = subprocess.Popen([*self.command, "--suite=unit", "--suite=cluster"], stdout=subprocess.PIPE, text=True)
                for _ in range(300):
                    if pid_file.exists() or run.poll() is not None:
                        break
                    time.sleep(0.1)
                run.send_signal(signum)
                out, _ = run.communicate(timeout=60)

                self.assertEqual(run.returncode, 128 + signum, out)
                self.assertRegex(out, rf"== stopped by {signum.name} in: tests in build/: [01] of 2\n")
                self.assertRegex(out.splitlines()[-1], "[01] passed, 0 failed")
                self.assertFalse(Path(f"/proc/{pid_file.read_text().strip()}").exists(), "the test still runs")


class MesonsLines(unittest.TestCase):
    def test_each_ending_is_read_once(self) -> None:
        job = mock.Mock(spec=Job, pid=0)
        job.new_lines.side_effect = [
            [
                "  1/115 qosgate:meta / all tests are built                OK               0.20s",
                " 16/115 qosgate:unit+qosgate:threads / threads            FAIL            12.05s   exit status 201",
                ">>> MALLOC_PERTURB_=1 /usr/bin/python3 test.py",
                "Ok:                 5   ",
            ],
            [
                "17/115 cluster rules   TIMEOUT  600.01s   killed by signal 15 SIGTERM",
                "18/115 base  INTERRUPT  1.00s",
                "19/115 qosgate:unit - qosgate:rules  OK  1.00s",
            ],
        ]
        names = ("all tests are built", "threads", "rules", "cluster rules", "base")
        run = TestRun("build", [invented(name, "unit") for name in names], job)

        first, second = run.new_endings(), run.new_endings()

        self.assertEqual([(e.name, e.result, e.seconds) for e in first],
                         [("all tests are built", "OK", 0.2), ("threads", "FAIL", 12.05)])  # fmt: skip
        self.assertEqual([(e.name, e.result) for e in second], [("cluster rules", "TIMEOUT"), ("rules", "OK")])


class KeptDurations(unittest.TestCase):
    def test_the_next_run_knows_them(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "made" / "durations.json"
            first = Durations(file)
            first.keep_test("build", "cluster rules", 12.5)
            first.save()

            second = Durations(file)

            self.assertEqual(second.of_test("build", "cluster rules", ["cluster"]), 12.5)
            self.assertFalse(second.is_rough)
            second.of_test("build-sanitize", "cluster rules", ["cluster"])
            self.assertTrue(second.is_rough)

    def test_a_broken_file_is_none(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            for text in ("", "[1]", '{"a": "b"}', "{"):
                file = Path(directory) / "durations.json"
                file.write_text(text)

                self.assertGreater(Durations(file).of_phase("bench"), 0, text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
