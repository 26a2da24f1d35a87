# SPDX-License-Identifier: GPL-2.0-or-later
"""Private clusters that the tests of a run hand on to each other."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

_MODULE = "qosgate_dev.testing.pool"


@contextlib.contextmanager
def cluster_pool() -> Iterator[dict[str, str]]:
    """What tests need in their environment; at the end, all clusters that are left are ended."""
    if importlib.util.find_spec(_MODULE) is None:
        yield {}
        return
    directory = tempfile.mkdtemp(prefix="qosgate-pool.")
    try:
        yield {"QG_CLUSTER_POOL": directory}
    finally:
        # In a group of its own: Ctrl-C must not stop this.
        end = [sys.executable, "-m", _MODULE, "end", directory]
        subprocess.run(end, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True, check=False)
        shutil.rmtree(directory, ignore_errors=True)
