# SPDX-License-Identifier: GPL-2.0-or-later
"""The one exception of this package; the numbers are those of sysexits.h."""

EX_FAILED = 1
EX_USAGE = 64
EX_NOINPUT = 66
EX_UNAVAILABLE = 69
EX_CANTCREAT = 73


class ClusterError(Exception):
    """What went wrong, where, and what to do; `exit_code` is what the command line returns."""

    def __init__(self, message: str, exit_code: int = EX_FAILED) -> None:
        super().__init__(message)
        self.exit_code = exit_code
