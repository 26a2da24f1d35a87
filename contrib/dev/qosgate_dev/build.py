# SPDX-License-Identifier: GPL-2.0-or-later
"""Configures a build directory if necessary, then builds in it."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from qosgate_dev import ROOT
from qosgate_dev.test_targets import targets_of

EX_USAGE = 64
EX_UNAVAILABLE = 69

EPILOG = """\
examples:
  build                                 into build/, with the options it has
  build -Dwerror=true                   the same with warnings as errors
  build --dir build-gcc13 -Db_lto=true  a second build beside it
  build --configure-only                no compiling yet

Without TARGET it makes the plugins, the command and the library, and no programs of
tests or benchmarks; `ninja` alone makes those of tests, too (with Meson before 1.7).
A directory that exists is configured again only where a -D option has another
value there, or a meson.build has changed. Options not named keep what they have.
exit codes: 0 done, 1 configuring or building failed, 64 wrong usage, 69 no meson
"""


class Parser(argparse.ArgumentParser):
    """Exits with the usage code of sysexits.h."""

    def error(self, message: str) -> NoReturn:
        self.exit(EX_USAGE, f"build: {message}; 'build --help' shows how\n")


def main(arguments: list[str]) -> int:
    parser = Parser(
        prog="build",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--dir", default="build", metavar="DIR", help="in the source tree (build)")
    parser.add_argument("-D", action="append", default=[], metavar="OPTION=VALUE", dest="options")
    parser.add_argument("--configure-only", action="store_true", help="do not build")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="what to build (what is installed)")
    asked = parser.parse_args(arguments)
    for option in asked.options:
        if "=" not in option:
            parser.error(f"-D{option}: not OPTION=VALUE")
    for program in ("meson", "ninja"):
        if shutil.which(program) is None:
            print(
                f"build: {program}: not found: sudo contrib/dev/install_packages build",
                file=sys.stderr,
            )
            return EX_UNAVAILABLE

    directory = ROOT / asked.dir
    ninja = ["ninja", "-C", str(directory)]
    # Ninja configures an old directory anew, so that it knows tests and files that are new in meson.build.
    if not all(map(succeeds, filter(None, (configure(directory, asked.options), [*ninja, "build.ninja"])))):
        return 1
    if asked.configure_only:
        return 0
    targets = asked.targets or targets_of(directory, (), with_defaults=True)
    return 0 if succeeds([*ninja, *targets]) else 1


def succeeds(command: list[str]) -> bool:
    """Runs it; says so if it fails."""
    if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode == 0:
        return True
    print(f"build: failed: {shlex.join(command)}", file=sys.stderr)
    return False


def configure(directory: Path, options: list[str]) -> list[str]:
    """The meson command that is needed first; empty if none is."""
    flags = [f"-D{option}" for option in options]
    if not (directory / "build.ninja").exists():
        # Left by a setup that was interrupted.
        wipe = ["--wipe"] if (directory / "meson-private").exists() else []
        return ["meson", "setup", *wipe, *flags, str(directory), str(ROOT)]
    if options and not options_hold(directory, options):
        return ["meson", "configure", *flags, str(directory)]
    return []


def options_hold(directory: Path, options: list[str]) -> bool:
    """Whether the build directory has these values already."""
    try:
        records = json.loads((directory / "meson-info/intro-buildoptions.json").read_text())
    except (OSError, ValueError):
        return False
    values = {record["name"]: record["value"] for record in records}
    for option in options:
        name, _, wanted = option.partition("=")
        value = values.get(name)
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, list):
            value = ",".join(value)
        if str(value) != wanted:
            return False
    return True


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
