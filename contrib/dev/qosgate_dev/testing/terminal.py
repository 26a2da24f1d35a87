# SPDX-License-Identifier: GPL-2.0-or-later
"""A command on a terminal of a given width, for tests of what people see there. Usage: terminal.py COLUMNS COMMAND ..."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import sys
import termios


def on_terminal(columns: int, *command: str) -> list[str]:
    """The command line that runs a command on a terminal; what it writes there is on standard output."""
    return [sys.executable, __file__, str(columns), *command]


def main() -> int:
    columns, *command = sys.argv[1:]
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
        os.execvp(command[0], command)
    try:
        while part := os.read(terminal, 65536):
            sys.stdout.buffer.write(part.replace(b"\r\n", b"\n"))
    except OSError:  # the child has closed it
        pass
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
