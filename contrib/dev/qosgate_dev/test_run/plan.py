# SPDX-License-Identifier: GPL-2.0-or-later
"""The phases of a run, in their order, and the time that they still need."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from collections.abc import Callable, Sequence

from qosgate_dev import ROOT
from qosgate_dev.build import EX_UNAVAILABLE

from .phases import Build, Check, MesonTests, Phase, Setting
from .tests import BENCHES, LATE_CHECKS, SOURCE_CHECKS, Test

_ENVIRONMENT = {
    # Private clusters are not optional here: where none can be made, their tests fail.
    "QG_REQUIRE_CLUSTER": "1",
}
# A timeout only ends what hangs.
_TEST_OPTIONS = ("--timeout-multiplier", "4")

# Nothing is measured here, so the optimizer has little to do.
_SANITIZER_OPTIONS = ("-Dtests=enabled", "-Db_lundef=false", "-Doptimization=1", "-Dbenchmarks=disabled")


@dataclasses.dataclass(frozen=True)
class Sanitized:
    """A build with sanitizers, of the programs of some suites and of what they link."""

    directory: str
    suites: Sequence[str]
    options: Sequence[str]
    environment: dict[str, str]


# The small one first: it is ready when the tests of build/ end.
_SANITIZED = (
    Sanitized(
        "build-threads",
        ["threads"],
        ("-Db_sanitize=thread", "-Dslurm=disabled"),
        {"TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1"},
    ),
    Sanitized(
        "build-sanitize",
        ["unit", "bounds"],
        ("-Db_sanitize=address,undefined",),
        {
            # AddressSanitizer keeps 256 MB of freed memory by default, so that each long text lies in fresh pages. That
            # time would count against a rule's bound on CPU time.
            "ASAN_OPTIONS": "detect_leaks=1:halt_on_error=1:strict_string_checks=1:quarantine_size_mb=64",
            "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        },
    ),
)


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What is to run: of build/'s tests those that `choose` returns, and checks by their names."""

    choose: Callable[[list[Test]], list[Test]]
    checks: frozenset[str]
    # Whether all that is built by default is made, or only what the tests need.
    with_defaults: bool = True
    has_tests: bool = True
    sanitizers: bool = False
    werror: bool = False
    # Sources of C++ that changed: each of them has to include what it uses.
    alone: Sequence[str] = ()


class Plan:
    """`phases` come one after the other; those of `beside` begin with the tests of build/."""

    def __init__(self, wanted: Wanted, setting: Setting) -> None:
        werror = f"-Dwerror={'true' if wanted.werror else 'false'}"
        self.beside: list[Phase] = []
        self.phases: list[Phase] = [_packages(setting)]
        self.phases += [_source_check(name, setting) for name in SOURCE_CHECKS if name in wanted.checks]
        if wanted.has_tests or wanted.checks & {*BENCHES}:
            build = Build(
                "build",
                setting,
                ["-Dtests=enabled", "-Dslurm=enabled", werror],
                wanted.choose,
                with_defaults=wanted.with_defaults,
                command="contrib/dev/build",
            )
            build.is_required = True
            tests = MesonTests(build, setting, environment=_ENVIRONMENT, options=_TEST_OPTIONS)
            self.phases += [build, tests] if wanted.has_tests else [build]
            if wanted.alone:
                self.phases.append(_compiled_alone(wanted.alone, build, setting))
        for sanitized in _SANITIZED if wanted.sanitizers else ():
            self._add_sanitized(sanitized, setting, werror)
        self.phases += [_late_check(name, setting) for name in LATE_CHECKS if name in wanted.checks]

    def _add_sanitized(self, sanitized: Sanitized, setting: Setting, werror: str) -> None:
        def choose(tests: list[Test]) -> list[Test]:
            return [test for test in tests if {*sanitized.suites} & {*test.suites}]

        options = [*_SANITIZER_OPTIONS, *sanitized.options, werror]
        programs = f"contrib/dev/test_targets {sanitized.directory} {' '.join(sanitized.suites)}"
        command = f"contrib/dev/build --dir {sanitized.directory} $({programs})"
        build = Build(sanitized.directory, setting, options, choose, with_defaults=False, command=command)
        build.is_beside = True
        self.beside.append(build)
        tests = MesonTests(
            build,
            setting,
            environment={**_ENVIRONMENT, **sanitized.environment},
            options=_TEST_OPTIONS,
            shown_environment=" ".join(f"{name}={value}" for name, value in sanitized.environment.items()),
        )
        self.phases += [build, tests]

    def seconds_left(self) -> float:
        """Of all phases that are not done; those beside the others cost only what they need longer."""
        left = beside = 0.0
        for phase in self.phases:
            if phase.is_done:
                continue
            if phase in self.beside:
                beside += phase.seconds_left()
                left = max(left, beside)
            else:
                left += phase.seconds_left()
        return left


def _packages(setting: Setting) -> Phase:
    command = ["contrib/dev/install_packages", "build", "cluster", "test"]
    phase = Check("packages", setting, command, is_test=False)
    phase.is_required = True
    return phase


def _source_check(name: str, setting: Setting) -> Phase:
    if name == "shellcheck":
        # SC2317 takes what only a trap calls for unreachable.
        return Check(name, setting, ["shellcheck", "-x", "--exclude=SC2317", *_shell_scripts()])
    sources = [file for file in _files_in("engine", "plugin", "contrib", "tests") if file.endswith((".cpp", ".hpp"))]
    return Check(name, setting, ["clang-format", "--dry-run", "-Werror", *sources], why_not=_why_no_clang_format)


def _compiled_alone(files: Sequence[str], build: Build, setting: Setting) -> Phase:
    phase = Check("includes", setting, ["contrib/dev/compile_alone", build.directory, *files], is_test=False)
    phase.needs = build
    return phase


def _late_check(name: str, setting: Setting) -> Phase:
    if name == "bench":
        return Check(name, setting, ["contrib/bench", "--quick"])
    no_tree = "no tree of Debian 13 could be made"
    command = ["contrib/dev/release-test", "trixie", "--packages"]
    return Check(name, setting, command, reasons={EX_UNAVAILABLE: no_tree})


def _shell_scripts() -> list[str]:
    return [file for file in _files_in("contrib", "plugin", "tests", ".ci") if _is_shell_script(file)]


def _files_in(*directories: str) -> list[str]:
    files = [file for directory in directories for file in sorted((ROOT / directory).rglob("*"))]
    return [str(file.relative_to(ROOT)) for file in files if file.is_file()]


def _is_shell_script(file: str) -> bool:
    with (ROOT / file).open("rb") as opened:
        first = opened.readline(200).rstrip()
    return first.startswith(b"#!") and first.endswith(b"sh")


def _why_no_clang_format() -> str:
    """Other releases of it lay some lines out otherwise, so only the one of Debian 12 counts."""
    version = ""
    if shutil.which("clang-format") is not None:
        version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=False).stdout
    if "version 14." in version:
        return ""
    return f"clang-format 14 is not installed ({version.strip() or 'no other either'}): the layout of the sources is not checked"
