# SPDX-License-Identifier: GPL-2.0-or-later
"""Files that a running daemon reads: it sees them as they were, or as they are to be, never something between."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def write_whole(path: Path, text: str) -> None:
    """Replaces a file in one step; its mode stays. What is half written stands beside its directory, not in it."""
    with tempfile.TemporaryDirectory(dir=path.parents[1]) as aside:
        new = Path(aside) / path.name
        new.write_text(text)
        if path.exists():
            shutil.copymode(path, new)
        os.replace(new, path)


def change_together(directory: Path, files: dict[str, str]) -> None:
    """Writes files, by their names in a directory, all in one step: the changed copy takes the directory's place."""
    with tempfile.TemporaryDirectory(dir=directory.parent) as aside:
        changed = Path(aside) / directory.name
        shutil.copytree(directory, changed, symlinks=True)
        for name, text in files.items():
            (changed / name).write_text(text)
        _exchange(changed, directory)


def replace_directory(directory: Path, files: dict[str, str]) -> None:
    """A directory with these files, by their names in it, takes the place of the old one, all in one step."""
    with tempfile.TemporaryDirectory(dir=directory.parent) as aside:
        new = Path(aside) / directory.name
        new.mkdir(mode=0o755)
        for name, text in files.items():
            path = new / name
            path.parent.mkdir(mode=0o755, exist_ok=True)
            path.write_text(text)
        if directory.exists():
            _exchange(new, directory)
        else:
            new.rename(directory)


def _exchange(one: Path, other: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), str(one))
