#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Dependencies point one way: which layer may include which, and who may see whose C headers.

Usage: include_layers.py SOURCE_ROOT
A new edge is a change of the table below, in the commit that needs it.
"""

import re
import sys
from pathlib import Path

# A layer includes itself and the layers listed.
ALLOWED = {
    "base": set(),
    "model": {"base"},
    "limits": {"model", "base"},
    "quota": {"model", "base"},
    "policy": {"limits", "quota", "model", "base"},
    "gate": {"policy", "limits", "quota", "model", "base"},
    # What commands and the exporter show: as pure as the gate, by which it judges.
    "report": {"gate", "policy", "limits", "quota", "model", "base"},
    "slurm": {"quota", "model", "base"},
    # Scripts for Slurm's plugin read and write Slurm's own structs.
    "script": {"policy", "slurm", "quota", "model", "base"},
    "slurmdb": {"slurm", "model", "base"},
    "spec": {"limits", "quota", "model", "base"},
    # What carries a spec out needs both it and slurmdbd.
    "admin": {"spec", "slurmdb", "slurm", "model", "base"},
}

# Headers of C libraries, and the places that may see them.
FOREIGN = {
    r"slurm/": {"engine/qosgate/slurm", "engine/qosgate/script", "engine/qosgate/slurmdb", "plugin", "tests"},
    r"yaml-cpp/": {"engine/qosgate/spec", "tests"},
    r"lua|lauxlib": {"engine/qosgate/policy", "tests"},
    r"nlohmann/": {"contrib", "engine/pch", "engine/qosgate/spec", "engine/qosgate/admin", "tests"},
}

INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def layer_of(path: Path) -> str | None:
    parts = path.parts
    return parts[2] if parts[:2] == ("engine", "qosgate") else None


def problems_of(path: Path, root: Path) -> list[str]:
    found = []
    layer = layer_of(path)
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(1)
        where = f"{path}:{number}: includes {header}"
        if layer and header.startswith("qosgate/"):
            other = header.split("/")[1]
            if other != layer and other not in ALLOWED.get(layer, set()):
                found.append(f"{where}: layer {layer} may not see {other}")
        if layer and not header.startswith("qosgate/") and (root / path.parent / header).exists() and "/" not in header:
            found.append(f'{where}: write "qosgate/{layer}/{header}"')
        for pattern, places in FOREIGN.items():
            if re.match(pattern, header) and not any(str(path).startswith(place) for place in places):
                found.append(f"{where}: only {', '.join(sorted(places))} may see it")
    return found


def main() -> int:
    root = Path(sys.argv[1])
    sources = [
        path.relative_to(root)
        for directory in ("engine", "plugin", "contrib", "tests")
        for path in sorted((root / directory).rglob("*.?pp"))
    ]
    unknown = {layer for path in sources if (layer := layer_of(path)) and layer not in ALLOWED}
    problems = [p for path in sources for p in problems_of(path, root)]
    problems += [f"engine/qosgate/{layer}: not in the table of layers" for layer in sorted(unknown)]
    print("\n".join(problems) or f"{len(sources)} files keep to their layers")
    return 1 if problems or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
