# SPDX-License-Identifier: GPL-2.0-or-later
"""Random requests: few options each, with values that slurmctld may read otherwise than we do."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping

from .requests import LIBSLURM, SBATCH, Request, Words

Dice = random.Random
Values = Callable[[Dice], str]

# Of each field: 0 and 1, what people ask for, what no node has, what means "nothing said", and what does not fit.
_BEYOND = ("40", "1000")
_ODD_16 = ("INFINITE", "NO_VAL", "65533", "32768", "70000")
_ODD_32 = ("INFINITE", "NO_VAL", "4294967293", "2147483648", "4294967298")
_ODD_64 = ("INFINITE", "NO_VAL", "18446744073709551613", "9223372036854775808", "9223372036854775818")


def _count(*typical: str, odd: tuple[str, ...] = _ODD_32) -> Values:
    def value(dice: Dice) -> str:
        some = dice.choices((("0",), ("1",), typical, _BEYOND, odd), weights=(6, 5, 10, 1, 2))[0]
        return dice.choice(some)

    return value


def _one_of(*values: str) -> Values:
    return lambda dice: dice.choice(values)


_USUAL_GRES = ("gpu", "gpu:1", "gpu:2", "gpu:3", "gpu:a100:1", "gpu:a100:2", "gpu:v100:1")
_ODD_GRES = (
    "gpu:0", "gpu:a100", "gpu:", "gpu:a100:0", "gpu:9", "gpu:nosuch:1", "GPU:2", "gpu:A100:1", "gpu:-1", "gpu:1K",
    "gpu:18446744073709551615", "gpu:18446744073709551616", "gpu:4294967297", "gpu:2147483649", "gpu:+1", "gpu:0x2",
    "gpu:a100:1,{}gpu:v100:1", "gpu:1,{}gpu:a100:1", "gpu:a100:1,{}gpu:1", "gpu:2,{}gpu:0", "gpu:1;{}gpu:2", "gpu:1|gpu:2",
    "gpu:[1-2]", ",gpu:2", "gpu:2,", " gpu:2", "gpu: 2", "gpu:2 ", "gpu=2", "nosuch:1", "gpu:a100:2:1", "gpu:2(S:0)",
    "gpu:1.5", "gpu:2,none", "none",
)  # fmt: skip


def _gres(usual: str, *odd: str) -> Values:
    """Counts of GPUs, each with one of the prefixes: sbatch sends no others than Slurm's release has."""

    def value(dice: Dice) -> str:
        prefix = dice.choice(odd) if odd and dice.random() < 0.1 else usual
        return prefix + dice.choice(_USUAL_GRES if dice.random() < 0.8 else _ODD_GRES).format(prefix)

    return value


def _after(prefix: str, values: Values) -> Values:
    return lambda dice: prefix + values(dice)


def _hostile(*usual: str) -> Values:
    """Texts that somebody reads: usual ones, long ones, and those that terminals and parsers take for something else."""
    odd = (
        "repeat(65536,x)", "repeat(30000,a&)", "repeat(500,[)", "repeat(2000,;)", "repeat(2000,|)", "repeat(9000,a\\x2c)",
        "\\x01\\x1b[31m", "\\u202eevil\\u202c", "a\\x0ab=c", ";|[]", "[", "]", "a*", "a*0", "a*4294967297", "(a|b", "a&&b",
        "%s%n", " ", "A", "a ", " a",
    )  # fmt: skip

    def value(dice: Dice) -> str:
        return dice.choice(usual if dice.random() < 0.6 else odd)

    return value


_GPUS = {
    "tres_per_node": _gres("gres:", "gres/", ""),
    "tres_per_job": _gres("gres:", "gres/"),
    "tres_per_task": _gres("gres:", "gres/"),
    "tres_per_socket": _gres("gres:", "gres/"),
}
_FOR_GPUS = {
    "cpus_per_tres": _after("gres:gpu:", _count("2", "9", odd=_ODD_64)),
    "mem_per_tres": _after("gres:gpu:", _count("10", "100", "5000", odd=_ODD_64)),
    "ntasks_per_tres": _count("2", odd=_ODD_16),
    "sockets_per_node": _count("1", "2", odd=_ODD_16),
}
# What adds tasks and sockets to GPUs that are asked for by these.
_FILLS = ("pn_min_cpus", "min_cpus", "cpus_per_task", "ntasks_per_node", "ntasks_per_socket", "ntasks_per_core", "min_nodes")
# What slurmctld wants to know for some ways to ask for GPUs.
_NEEDED = {"tres_per_socket": "sockets_per_node", "tres_per_task": "num_tasks"}
_SIZE = {
    "min_nodes": _count("1", "2"),
    "max_nodes": _count("1", "2"),
    "num_tasks": _count("2", "4", "8"),
    "cpus_per_task": _count("2", "4", odd=_ODD_16),
    "min_cpus": _count("2", "8", "16"),
    "pn_min_cpus": _count("2", "8", odd=_ODD_16),
    "pn_min_memory": _count("10", "3000", "9000", odd=_ODD_64),
    "mem_per_cpu": _count("10", "1000", "9000", odd=_ODD_64),
    "ntasks_per_node": _count("2", "4", odd=_ODD_16),
    "overcommit": _count("1", odd=("255", "254", "2")),
}
# What nodes and their processors look like.
_SHAPE = {
    "max_cpus": _count("2", "8", "16"),
    "ntasks_per_socket": _count("2", odd=_ODD_16),
    "ntasks_per_core": _count("2", odd=_ODD_16),
    "ntasks_per_board": _count("2", odd=_ODD_16),
    "boards_per_node": _count("1", odd=_ODD_16),
    "sockets_per_board": _count("2", odd=_ODD_16),
    "cores_per_socket": _count("2", "16", odd=_ODD_16),
    "threads_per_core": _count("1", "2", odd=_ODD_16),
    "plane_size": _count("2", odd=_ODD_16),
    "task_dist": _count("2", "3", "4", "8192"),
}
_PLACES = {
    "shared": _count("2", "3", odd=_ODD_16),
    "core_spec": _count("2", "32768", "32769", odd=_ODD_16),
    "contiguous": _count("1", odd=_ODD_16),
    "time_limit": _count("10", "60", "90"),
    "time_min": _count("5", "30"),
    "req_switch": _count("1"),
    "partition": _one_of(
        "main", "debug", "gpu", "main,debug", "debug,gpu", ",debug", "debug,", "gpu,main,gpu", "nosuch", "DEBUG",
        *("threads", "defaults", "mixed", "tight", "scarce", "nothing") * 4, "main,threads", "mixed,defaults", "main,tight",
        "tight,scarce", "drained", "inactive,main", "debug,drained", "inactive,drained",
    ),
    "reservation": _one_of("plain", "of_gpu", "of_drained", "plain,of_gpu", "plain,plain", ",of_gpu", "nosuch", ""),
    "qos": _one_of("normal", "gpu", "gpu", "GPU", "gpu,normal", " gpu", "nosuch", ""),
    "req_nodes": _one_of(
        "node1", "node2", "node[1-2]", "node1,node1", "node[2-1]", "node9", "node3", "node[2-3]", "node1,node3", "node4,node2",
    ),
    "exc_nodes": _one_of("node1", "node[1-2]", "node[1-3]", ""),
    "bitflags": _count("2", "64", "16384", odd=_ODD_64),
}
_TEXTS = {
    "features": _hostile("", "a", "node1"),
    "prefer": _hostile("", "a"),
    "comment": _hostile("x"),
    "name": _hostile("x"),
    "licenses": _hostile("", "nosuch:1"),
    "dependency": _hostile("", "singleton"),
    "tres_bind": _hostile("gres:gpu:closest"),
    "tres_freq": _hostile("gpu:low"),
    "cluster_features": _hostile("a"),
    "network": _hostile("x"),
    "wckey": _hostile("x"),
}
_FIELDS = _GPUS | _FOR_GPUS | _SIZE | _SHAPE | _PLACES | _TEXTS
_ARRAYS = _one_of("0", "1-2", "0-3%2", "0-1,1", "3", "0-3:2", "1-", "2-1", "0-0", "0,0")

# A change that fails for these is made in part: slurmctld stores others before.
_LATE = {
    "features": _one_of("nosuch", "a"),
    "deadline": _one_of("1", "4102444800"),
    "contiguous": _one_of("1"),
    "nice": _one_of("0"),
    "priority": _one_of("100"),
    "site_factor": _one_of("5"),
}

_NODES = _one_of("1", "2", "0", "0-1", "1-1", "1-2", "2-2", "0-0", "0-2", "2-1", "1k")
_OPTIONS = {
    "-N": _NODES,
    "-n": _count("2", "4"),
    "-c": _count("2", "4"),
    "--mem=": _count("10", "3000", "9000"),
    "--mem-per-cpu=": _count("10", "1000", "9000"),
    "--mem-per-gpu=": _count("10", "1000", "5000"),
    "--gres=": _gres("", "gres:", "gres/"),
    "--gpus=": _one_of("1", "2", "3", "a100:1", "a100:1,v100:1", "0", "nosuch:1", "2,", "a100:0"),
    "--gpus-per-node=": _one_of("1", "2", "a100:2", "0", "a100:1,v100:1"),
    "--gpus-per-task=": _one_of("1", "2", "a100:1", "0"),
    "--gpus-per-socket=": _one_of("1", "2", "0"),
    "--sockets-per-node=": _count("1", "2"),
    "--cpus-per-gpu=": _count("2", "16"),
    "--ntasks-per-node=": _count("2", "4"),
    "--ntasks-per-socket=": _count("2"),
    "--ntasks-per-gpu=": _count("2"),
    "--mincpus=": _count("2", "8"),
    "--exclusive": _one_of("", "=user", "=mcs"),
    "--oversubscribe": _one_of(""),
    "-S": _one_of("0", "1", "40"),
    "--thread-spec=": _one_of("0", "1"),
    "-O": _one_of(""),
    "-B": _one_of("1", "2:8", "2:16:1", "1:1:2"),
    "--ntasks-per-core=": _count("1", "2"),
    "--threads-per-core=": _count("1", "2"),
    "--hint=": _one_of("compute_bound", "memory_bound", "nomultithread", "nomultithread", "multithread"),
    "-m": _one_of("plane=3", "plane=1", "block", "cyclic:block"),
    "--gres-flags=": _one_of("enforce-binding", "enforce-binding", "disable-binding"),
    "--contiguous": _one_of(""),
    "--use-min-nodes": _one_of(""),
    "--spread-job": _one_of(""),
    "--array=": _ARRAYS,
    "-p": _PLACES["partition"],
    "-q": _one_of("normal", "gpu", "GPU"),
    "-t": _one_of("0", "10", "90", "UNLIMITED"),
    "-w": _one_of("node1", "node[1-2]", "node3", "node[3-4]", "node1,node3"),
    "--reservation=": _PLACES["reservation"],
    "-C": _hostile("a"),
}
_SCONTROL = {
    "NumNodes": _NODES,
    "NumTasks": _count("2", "4"),
    "NumCPUs": _one_of("1", "2", "8", "0", "1-8", "40"),
    "CPUs/Task": _count("2", "4"),
    "MinCPUsNode": _count("2", "8"),
    "MinMemoryNode": _count("10", "3000", "9000"),
    "MinMemoryCPU": _count("10", "1000", "9000"),
    "Gres": _gres("", "gres:", "gres/"),
    "TresPerNode": _gres("gres:"),
    "ReqSockets": _count("1", "2"),
    "ReqCores": _count("1", "2"),
    "ReqThreads": _count("1", "2"),
    "NtasksPerN:B:S:C": _one_of("1:0:0:0", "0:0:0:0", "2:0:2:*"),
    "OverSubscribe": _one_of("YES", "NO", "0", "1"),
    "Shared": _one_of("0", "1"),
    "CoreSpec": _one_of("0", "1", "40"),
    "ThreadSpec": _one_of("0", "1"),
    "Contiguous": _one_of("yes", "0"),
    "Partition": _PLACES["partition"],
    "ReservationName": _PLACES["reservation"],
    "NodeList": _PLACES["req_nodes"],
    "QOS": _one_of("normal", "gpu", "GPU"),
    "TimeLimit": _one_of("0", "10", "90", "UNLIMITED"),
    "Features": _hostile("a", ""),
    "Nice": _one_of("0", "-5"),
    "Deadline": _one_of("now", "2099-01-01"),
}


def requests(seed: int) -> Iterator[Request]:
    """Without end; the same seed gives the same ones."""
    dice = Dice(seed)
    while True:
        yield _over_libslurm(dice) if dice.random() < 0.8 else _by_sbatch(dice)


def _over_libslurm(dice: Dice) -> Request:
    kind = dice.choices(("job", "change", "het", "array"), weights=(10, 5, 1, 1))[0]
    parts = [_job_fields(dice) for _ in range(2 if kind == "het" else 1)]
    if kind == "array":
        parts[0] += (f"array_inx={_ARRAYS(dice)}",)
    change: Words = ()
    if kind == "change":
        change = _job_fields(dice)
        if dice.random() < 0.2:
            change += _some(dice, _LATE, 1)
    return Request(LIBSLURM, tuple(parts), change)


def _job_fields(dice: Dice) -> Words:
    gpus = dice.choice((0, 0, 1, 1, 1, 2))
    names = dice.sample(list(_GPUS), gpus)
    names += [_NEEDED[name] for name in names if name in _NEEDED and dice.random() < 0.8]
    names += ["min_nodes", "max_nodes"] if dice.random() < 0.2 else []
    names += dice.sample(_FILLS, dice.choice((1, 2))) if set(names) & set(_NEEDED) and dice.random() < 0.5 else []
    for table, counts in (
        (_FOR_GPUS, (0, 0, 1, 1, 2) if gpus else (0,) * 9 + (1,)),
        (_SIZE, (0, 1, 2, 3, 4)),
        (_PLACES, (0, 0, 1, 1, 2)),
        (_SHAPE, (0, 0, 0, 1, 2)),
        (_TEXTS, (0,) * 9 + (1,)),
    ):
        names += dice.sample(list(table), dice.choice(counts))
    return tuple(f"{name}={_FIELDS[name](dice)}" for name in dict.fromkeys(names or ["num_tasks"]))


def _by_sbatch(dice: Dice) -> Request:
    options = _some(dice, _OPTIONS, dice.choice((1, 2, 3, 4, 5, 6)), "")
    parts = [options]
    if dice.random() < 0.1:
        parts.append(_some(dice, _OPTIONS, 2, ""))
    change = _some(dice, _SCONTROL, dice.choice((1, 1, 2, 3))) if dice.random() < 0.3 else ()
    return Request(SBATCH, tuple(parts), change)


def _some(dice: Dice, table: Mapping[str, Values], count: int, between: str = "=") -> Words:
    """Words for so many different rows."""
    names = dice.sample(list(table), min(count, len(table)))
    return tuple(f"{name}{between}{table[name](dice)}" for name in names)
