#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plans a spec file, shows the plan, asks and applies it: apply_spec.py FILE [--yes]. Needs libqosgate.so."""
import ctypes
import json
import sys

if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--yes"]):
    sys.exit("usage: apply_spec.py FILE [--yes]")
lib = ctypes.CDLL("libqosgate.so.0")
lib.qosgate_free.argtypes = lib.qosgate_close.argtypes = [ctypes.c_void_p]


def call(function, *arguments):
    """The answer of one function; its message ends the program, if it fails."""
    answer = ctypes.c_void_p()
    status = function(*arguments, ctypes.byref(answer))
    text = ctypes.string_at(answer).decode()
    lib.qosgate_free(answer)
    return text if status == 0 else sys.exit(text)


session = ctypes.c_void_p()
call(lib.qosgate_open, 60, ctypes.byref(session))
files = [{"file": sys.argv[1], "text": open(sys.argv[1], encoding="utf-8").read()}]
plan = call(lib.qosgate_plan, session, json.dumps({"files": files}).encode())
print(json.dumps(json.loads(plan), indent=2))
if sys.argv[2:] == ["--yes"] or input("Apply? [y/N] ").lower() in ("y", "yes"):
    print(call(lib.qosgate_apply, session, plan.encode()))
lib.qosgate_close(session)
