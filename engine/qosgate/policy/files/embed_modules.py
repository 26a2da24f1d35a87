#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a C++ file that holds Lua modules: embed_modules.py OUTPUT MODULE.lua..."""

import sys
from pathlib import Path

HEAD = """\
// Made by embed_modules.py.
#include "qosgate/policy/files/modules.hpp"

namespace qg::policy {
namespace {

constexpr ShippedModule modules[] = {
"""
ROW = """\
    {{"{name}", "qosgate/lib/{name}.lua", R"~~~~({text})~~~~"}},
"""
TAIL = """\
};

} // namespace

std::span<const ShippedModule> shipped_modules() noexcept {
    return modules;
}

} // namespace qg::policy
"""


def main() -> None:
    rows = [ROW.format(name=path.stem, text=path.read_text()) for path in sorted(map(Path, sys.argv[2:]))]
    Path(sys.argv[1]).write_text(HEAD + "".join(rows) + TAIL)


if __name__ == "__main__":
    main()
