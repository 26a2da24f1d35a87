# SPDX-License-Identifier: GPL-2.0-or-later
"""What MariaDB's transactions wait for, asked through the client library that slurmdbd uses."""

from __future__ import annotations

import contextlib
import ctypes
from pathlib import Path

_WAITING = b"SELECT 1 FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'"


def has_lock_wait(socket: Path) -> bool:
    """Whether a transaction waits for a row that another one has changed. Errors: RuntimeError."""
    library = ctypes.CDLL("libmariadb.so.3")
    text, handle = ctypes.c_char_p, ctypes.c_void_p
    library.mysql_init.restype = handle
    library.mysql_real_connect.restype = handle
    library.mysql_real_connect.argtypes = [handle, text, text, text, text, ctypes.c_uint, text, ctypes.c_ulong]
    library.mysql_store_result.restype = handle
    library.mysql_num_rows.restype = ctypes.c_uint64
    library.mysql_error.restype = text
    with contextlib.ExitStack() as stack:
        server = handle(library.mysql_init(None))
        stack.callback(library.mysql_close, server)

        def check(is_done: object) -> None:
            if not is_done:
                raise RuntimeError(f"{socket}: {library.mysql_error(server).decode()}")

        check(library.mysql_real_connect(server, None, b"root", None, None, 0, bytes(socket), 0))
        check(library.mysql_query(server, _WAITING) == 0)
        result = handle(library.mysql_store_result(server))
        check(result)
        stack.callback(library.mysql_free_result, result)
        return library.mysql_num_rows(result) > 0
