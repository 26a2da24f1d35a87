# SPDX-License-Identifier: GPL-2.0-or-later
"""Copies of plugins and programs in the cluster's directory.

Its invented users load and run them. They may be unable to reach a checkout, for example one in a home directory.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from . import programs
from .errors import EX_CANTCREAT, EX_NOINPUT, ClusterError
from .layout import Layout
from .slurm_conf import ExtraLines


def take_plugin_dirs(layout: Layout, extra: ExtraLines) -> tuple[str, ...]:
    """Puts the places of copies into the PluginDir of `extra`, but for Slurm's own directory.

    Returns the directories to be copied, for refresh_plugins().
    """
    value = extra.value("PluginDir")
    if value is None:
        return ()
    slurms_own = programs.slurm_plugin_dir().resolve()
    taken: list[str] = []
    places: list[str] = []
    for name in filter(None, value.split(":")):
        directory = Path(name).absolute()
        if directory.resolve() == slurms_own:
            places.append(name)
        else:
            taken.append(str(directory))
            places.append(str(_place(layout, len(taken))))
    extra.replace("PluginDir", ":".join(places))
    return tuple(taken)


def refresh_plugins(layout: Layout, plugin_dirs: tuple[str, ...]) -> None:
    """Copies the plugins (*.so) of these directories, and what they open in the directory qosgate, to their places; removes
    copies of what is no longer there.

    Errors: ClusterError for a directory that is not there, or a copy that cannot be made.
    """
    for number, name in enumerate(plugin_dirs, start=1):
        if not Path(name).is_dir():
            raise ClusterError(
                f"PluginDir: {name}: no such directory: build what is in it first, or correct the line", EX_NOINPUT
            )
        for part in ("", "qosgate"):
            plugins = {path.name: path for path in (Path(name) / part).glob("*.so")}
            place = _place(layout, number) / part
            if part and not plugins:
                shutil.rmtree(place, ignore_errors=True)
                continue
            place.mkdir(mode=0o755, parents=True, exist_ok=True)
            for path in place.iterdir():
                if path.is_file() and path.name not in plugins:
                    path.unlink()
            for path in plugins.values():
                _copy(path, place)


def copy_program(layout: Layout, program: Path) -> Path:
    """Copies a program, or what it loads, to where every user of the cluster can run it; returns the copy.

    Errors: ClusterError.
    """
    layout.programs.mkdir(mode=0o755, exist_ok=True)
    return _copy(program, layout.programs)


def copy_command(layout: Layout, build: Path) -> Path:
    """Copies the command `qosgate` and the module that it loads from beside itself; returns the copy of the command.

    Errors: ClusterError.
    """
    copy_program(layout, build / "contrib/qosgate/qosgate_client.so")
    return copy_program(layout, build / "contrib/qosgate/qosgate")


def _place(layout: Layout, number: int) -> Path:
    return layout.plugins / str(number)


def _copy(source: Path, directory: Path) -> Path:
    """Copies a file into the directory, unless the copy there has its size and time; returns the copy.

    The new copy is another file: a process that runs the former one, or has loaded it, keeps that.
    Errors: ClusterError.
    """
    target = directory / source.name
    new = source.stat()
    if target.exists():
        old = target.stat()
        if (old.st_size, old.st_mtime_ns) == (new.st_size, new.st_mtime_ns):
            return target
    aside = target.with_name(f"{target.name}.new")
    try:
        shutil.copy2(source, aside)
        aside.chmod(0o755)
        return aside.replace(target)
    except OSError as error:
        raise ClusterError(f"{target}: no copy of {source}: {error.strerror}", EX_CANTCREAT) from error
