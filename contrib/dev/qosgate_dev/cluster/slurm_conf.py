# SPDX-License-Identifier: GPL-2.0-or-later
"""slurm.conf and gres.conf: our defaults, overridden line by line by the caller's.

The rules, which `cluster --help` repeats:
  * a key that the caller sets replaces ours;
  * the caller's PartitionName lines replace our partition;
  * the caller's NodeName lines replace our nodes, and each of those nodes gets what the lines leave
    out: address, port, CPUs, memory and GPUs as by default;
  * the directories of the caller's PluginDir, but for Slurm's own, are copied (copies.py);
  * every other line is passed on as it is.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable
from pathlib import Path

from .errors import EX_USAGE, ClusterError
from .layout import Layout, Node, State

DEFAULT_CLUSTER_NAME = "qosgate"
DEFAULT_PARTITION = "main"

# Each of these defines the processors of a node, so each replaces our CPUs=.
_PROCESSOR_KEYS = frozenset(
    ["cpus", "procs", "boards", "sockets", "socketsperboard", "corespersocket", "threadspercore"]
)


@dataclasses.dataclass(frozen=True)
class Hardware:
    """The defaults of a node for NodeName lines."""

    cpus: int = 64
    memory_mib: int = 256000
    gpus: int = 8
    gpu_type: str = ""

    @property
    def gres(self) -> str:
        """The nodes' Gres= value; empty without GPUs."""
        if self.gpus == 0:
            return ""
        return ":".join(filter(None, ["gpu", self.gpu_type, str(self.gpus)]))


@dataclasses.dataclass
class ExtraLines:
    """The caller's lines, sorted by what they replace.

    `keys` are lower case. `nodes` maps node names to their attributes as written, in order.
    """

    keys: set[str]
    settings: list[str]
    partitions: list[str]
    nodes: dict[str, dict[str, str]]

    def value(self, key: str) -> str | None:
        """The caller's value of a key, if set."""
        for line in self.settings:
            if _key(line) == key.lower():
                return line.partition("=")[2].strip()
        return None

    def replace(self, key: str, value: str) -> None:
        """Sets a key that the caller has set to another value."""
        self.settings = [f"{key}={value}" if _key(line) == key.lower() else line for line in self.settings]


def _key(line: str) -> str:
    return re.split(r"[=\s]", line, maxsplit=1)[0].lower()


def parse_extra_lines(text: str, replacements: dict[str, str]) -> ExtraLines:
    """Sorts the caller's slurm.conf lines; every @NAME@ in `replacements` becomes its value.

    Comments and empty lines are dropped, continued lines (a backslash at the end) joined.
    Errors: ClusterError for a node list that cannot be expanded.
    """
    for name, value in replacements.items():
        text = text.replace(name, value)
    extra = ExtraLines(set(), [], [], {})
    node_defaults: dict[str, str] = {}
    for raw in re.sub(r"\\\n", " ", text).splitlines():
        line = raw.split("#", 1)[0].strip()
        if not line:
            continue
        key = _key(line)
        if key == "nodename":
            attributes = _attributes(line)
            names = attributes.pop(next(iter(attributes)))
            if names.upper() == "DEFAULT":
                node_defaults.update(attributes)
                continue
            for name in expand_names(names):
                extra.nodes[name] = node_defaults | attributes
        elif key == "partitionname":
            extra.partitions.append(line)
        else:
            extra.keys.add(key)
            extra.settings.append(line)
    return extra


def _attributes(line: str) -> dict[str, str]:
    found = re.findall(r'(\w+)\s*=\s*("[^"]*"|\S+)', line)
    return dict(found)


def expand_names(names: str) -> list[str]:
    """The node names in a list such as `node[1-3,7],big1`; leading zeros are kept.

    Errors: ClusterError for what is not such a list.
    """
    expanded: list[str] = []
    for item in re.split(r",(?![^\[]*\])", names):
        found = re.fullmatch(r"([\w-]+)(?:\[([\d,-]+)\])?", item)
        if found is None:
            raise ClusterError(
                f"NodeName={names}: {item!r} is not a name such as node1 or node[1-4,7]", EX_USAGE
            )
        prefix, ranges = found.groups()
        if ranges is None:
            expanded.append(prefix)
            continue
        for part in ranges.split(","):
            first, _, last = part.partition("-")
            numbers = range(int(first), int(last or first) + 1)
            expanded.extend(f"{prefix}{number:0{len(first)}}" for number in numbers)
    return expanded


def compose(
    layout: Layout, state: State, hardware: Hardware, licenses: str, extra: ExtraLines, owner: str
) -> str:
    """The text of slurm.conf. `owner` is the user the daemons run as."""
    attributes = {node.name: _node_attributes(node, hardware, extra) for node in state.nodes}
    tres = _tracked_resources(attributes.values(), licenses)
    defaults = _settings(layout, state, licenses, tres, owner)
    kept = [f"{key}={value}" for key, value in defaults if key.lower() not in extra.keys]
    nodes = [
        f"NodeName={name} " + " ".join(f"{key}={value}" for key, value in values.items())
        for name, values in attributes.items()
    ]
    partitions = extra.partitions or [
        f"PartitionName={DEFAULT_PARTITION} Nodes=ALL Default=YES MaxTime=UNLIMITED State=UP"
    ]
    return "\n".join([*kept, *extra.settings, *nodes, *partitions]) + "\n"


def _node_attributes(node: Node, hardware: Hardware, extra: ExtraLines) -> dict[str, str]:
    given = extra.nodes.get(node.name, {})
    given_keys = {key.lower() for key in given}
    defaults = {"RealMemory": str(hardware.memory_mib)}
    if not given_keys & _PROCESSOR_KEYS:
        defaults["CPUs"] = str(hardware.cpus)
    if hardware.gres:
        defaults["Gres"] = hardware.gres
    own = {"NodeAddr": "127.0.0.1", "Port": str(node.port)}
    kept = {key: value for key, value in defaults.items() if key.lower() not in given_keys}
    mine = {key.lower() for key in own}
    return own | kept | {key: value for key, value in given.items() if key.lower() not in mine}


def _tracked_resources(nodes: Iterable[dict[str, str]], licenses: str) -> str:
    """AccountingStorageTRES: every kind of generic resource and license of the cluster."""
    tracked: dict[str, None] = {}
    for name, kind, _ in itertools.chain.from_iterable(map(_generic_resources, nodes)):
        tracked[f"gres/{name}"] = None
        if kind:
            tracked[f"gres/{name}:{kind}"] = None
    for item in filter(None, licenses.split(",")):
        tracked[f"license/{item.partition(':')[0]}"] = None
    return ",".join(tracked)


def _generic_resources(attributes: dict[str, str]) -> list[tuple[str, str, int]]:
    """(name, type, count) of each part of a node's Gres= value, such as gpu:a100:4,gpu:h100:2.

    Errors: ClusterError for a part without a plain count.
    """
    value = next((value for key, value in attributes.items() if key.lower() == "gres"), "")
    found = []
    for part in filter(None, value.split(",")):
        match = re.fullmatch(r"(\w+)(?::([\w.-]+))??(?::(\d+))?(?:\(.*\))?", part)
        if match is None:
            raise ClusterError(
                f"Gres={value}: {part!r} is not <name>:<count> or <name>:<type>:<count>", EX_USAGE
            )
        found.append((match[1], match[2] or "", int(match[3] or 1)))
    return found


def _settings(
    layout: Layout, state: State, licenses: str, tres: str, owner: str
) -> list[tuple[str, str]]:
    # No plugin that is its kind's default is named: later releases dropped those called "none".
    settings = [
        ("ClusterName", DEFAULT_CLUSTER_NAME),
        ("SlurmctldHost", "localhost(127.0.0.1)"),
        ("SlurmctldPort", str(state.slurmctld_port)),
        ("SlurmUser", owner),
        ("SlurmdUser", owner),
        # Every listening socket on the loopback address, which etc/hosts gives this host's name.
        ("CommunicationParameters", "NoCtldInAddrAny,NoInAddrAny"),
        ("AuthInfo", f"socket={layout.munge_socket}"),
        ("SlurmctldPidFile", str(layout.run / "slurmctld.pid")),
        ("SlurmdPidFile", str(layout.run / "slurmd-%n.pid")),
        ("SlurmctldLogFile", str(layout.log / "slurmctld.log")),
        ("SlurmdLogFile", str(layout.log / "slurmd-%n.log")),
        ("StateSaveLocation", str(layout.controller_state)),
        ("SlurmdSpoolDir", str(layout.spool / "%n")),
        ("SlurmctldDebug", "verbose"),
        ("SlurmdDebug", "info"),
        ("AccountingStorageType", "accounting_storage/slurmdbd"),
        ("AccountingStorageHost", "127.0.0.1"),
        ("AccountingStoragePort", str(state.slurmdbd_port)),
        # Clients of slurmdbd look for munge's socket here, not in AuthInfo.
        ("AccountingStoragePass", str(layout.munge_socket)),
        ("AccountingStorageEnforce", "associations,limits,qos"),
        ("SchedulerParameters", "sched_interval=1,bf_interval=1,batch_sched_delay=0"),
        ("SelectType", "select/cons_tres"),
        ("SelectTypeParameters", "CR_CPU_Memory"),
        # Without it a job that asks for no memory gets all that its nodes have.
        ("DefMemPerCPU", "1000"),
        ("PriorityType", "priority/multifactor"),
        ("ProctrackType", "proctrack/linuxproc"),
        ("MailProg", "/bin/true"),
        # Nodes claim processors and memory this machine does not have.
        ("SlurmdParameters", "config_overrides"),
        ("ReturnToService", "2"),
        # Each node gets its messages directly: forwarded ones would reuse one munge credential,
        # which the nodes' common munged takes for a replay.
        ("TreeWidth", "65533"),
        ("MessageTimeout", "10"),
        ("KillWait", "2"),
    ]
    if tres:
        settings.append(("AccountingStorageTRES", tres))
    kinds = dict.fromkeys(
        item.removeprefix("gres/").partition(":")[0]
        for item in tres.split(",")
        if item.startswith("gres/")
    )
    if kinds:
        settings.append(("GresTypes", ",".join(kinds)))
    if licenses:
        settings.append(("Licenses", licenses))
    return settings


def compose_gres(layout: Layout, state: State, hardware: Hardware, extra: ExtraLines) -> str:
    """The text of gres.conf; makes the ordinary files that stand for the devices."""
    lines = ["AutoDetect=off"]
    for node in state.nodes:
        directory = layout.gpu / node.name
        used: dict[str, int] = {}
        for name, kind, count in _generic_resources(_node_attributes(node, hardware, extra)):
            first = used.get(name, 0)
            used[name] = first + count
            if count == 0:
                continue
            _make_devices(directory, name, range(first, first + count))
            kind_part = f" Type={kind}" if kind else ""
            last = first + count - 1
            numbers = f"[{first}-{last}]" if count > 1 else str(first)
            files = f"{directory}/{name}{numbers}"
            lines.append(f"NodeName={node.name} Name={name}{kind_part} File={files}")
    return "\n".join(lines) + "\n"


def _make_devices(directory: Path, name: str, numbers: Iterable[int]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        (directory / f"{name}{number}").touch()
