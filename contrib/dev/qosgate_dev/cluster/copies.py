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
    """The directories of the caller's PluginDir that are not Slurm's own; in `extra`, their copies replace them."""
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
    """Makes the copies of these directories have the plugins that they have now.

    Errors: ClusterError for a directory that is not there.
    """
    for number, name in enumerate(plugin_dirs, start=1):
        if not Path(name).is_dir():
            raise ClusterError(
                f"PluginDir: {name}: no such directory: build what is in it first, or correct the line", EX_NOINPUT
            )
        plugins = {path.name: path for path in Path(name).glob("*.so")}
        place = _place(layout, number)
        place.mkdir(mode=0o755, parents=True, exist_ok=True)
        for path in place.iterdir():
            if path.name not in plugins:
                path.unlink()
        for path in plugins.values():
            _copy(path, place)


def copy_program(layout: Layout, program: Path) -> Path:
    """The copy of a program, or of what it loads, which every user of the cluster can run."""
    layout.programs.mkdir(mode=0o755, exist_ok=True)
    return _copy(program, layout.programs)


def copy_command(layout: Layout, build: Path) -> Path:
    """The copy of the command `qosgate`, with its module beside it."""
    copy_program(layout, build / "contrib/qosgate/qosgate_client.so")
    return copy_program(layout, build / "contrib/qosgate/qosgate")


def _place(layout: Layout, number: int) -> Path:
    return layout.plugins / str(number)


def _copy(source: Path, directory: Path) -> Path:
    """A copy that is still the same stays. A process that runs the former copy, or has loaded it, keeps that.

    Errors: ClusterError if it cannot be made.
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
