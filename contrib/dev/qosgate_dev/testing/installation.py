# SPDX-License-Identifier: GPL-2.0-or-later
"""An installation of this build into a directory that stands for the root, and programs that use it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

from .cluster import HANG_SECONDS

BUILD = Path(os.environ.get("QG_BUILD_ROOT", "build")).absolute()


def run(*command: str | Path, **environment: str) -> str:
    """The output of a command that must succeed; a failure shows all it printed."""
    result = subprocess.run(
        list(map(str, command)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANG_SECONDS,
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


def compiler() -> list[str]:
    """The C++ compiler of this build, as words of a command."""
    targets = json.loads((BUILD / "meson-info/intro-targets.json").read_text())
    groups = [group for target in targets for group in target["target_sources"] if group.get("language") == "cpp"]
    return list(groups[0]["compiler"])


class Installation:
    """What `meson install` makes in `destdir`: everything, or what has one of the `tags`."""

    def __init__(self, destdir: Path, *tags: str) -> None:
        some = ["--tags", ",".join(tags)] if tags else []
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", *some, "--destdir", destdir)
        self.destdir = destdir
        self.prefix = destdir / option("prefix").lstrip("/")

    def flags(self, package: str) -> list[str]:
        """What pkg-config answers once the files are where its own file says."""
        found = self.prefix / option("libdir") / f"pkgconfig/{package}.pc"
        text = found.read_text().replace(f"prefix={option('prefix')}\n", f"prefix={self.prefix}\n")
        moved = self.destdir / "pkgconfig"
        moved.mkdir(exist_ok=True)
        (moved / found.name).write_text(text)
        answer = run("pkg-config", "--cflags", "--libs", package, PKG_CONFIG_PATH=str(moved))
        return shlex.split(answer)

    def compile(self, source: Path, *flags: str) -> Path:
        """A program of one file, by the compiler of this build."""
        program = self.destdir / source.stem
        before = flags[: flags.index("-x") + 2] if "-x" in flags else ()
        run(*compiler(), *before, source, *flags[len(before) :], "-o", program)
        return program
