# SPDX-License-Identifier: GPL-2.0-or-later
"""Random scenarios. A scenario is a JSON record that judge_jobs can set up; it depends only on the seed."""

from __future__ import annotations

import random
from typing import Any

from . import site

Json = dict[str, Any]

# Each is a restart of slurmctld, so scenarios come in blocks of one kind.
CONTROLLERS = tuple(
    {
        "EnforcePartLimits": part_limits,
        "AccountingStorageEnforce": f"associations,limits{accounting},nojobs,nosteps",
    }
    for accounting in (",qos", ",qos,safe", "")
    for part_limits in ("NO", "ANY", "ALL")
    if accounting or part_limits == "NO"
)

# Slurm adds it to a nice value, which may be negative.
NICE_OFFSET = 0x80000000

_PARTITION_FLAGS = ("PartitionTimeLimit", "PartitionMinNodes", "PartitionMaxNodes")
_QOS_FLAGS = ("OverPartQOS", "UsageFactorSafe", "NoDecay", *_PARTITION_FLAGS)


class Dice:
    """A random source with the words that generators use."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def pick(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def number(self, least: int, greatest: int) -> int:
        return self._random.randint(least, greatest)

    def some(self, choices: tuple[str, ...], most: int) -> list[str]:
        """Between one and `most` of the choices."""
        return self._random.sample(choices, self.number(1, min(most, len(choices))))


# What scenarios have beside the rest, if they are asked to.
ODD = "odd"  # what people send by mistake or seldom
PARTS = "parts"  # heterogeneous jobs
RESERVATIONS = "reservations"  # that are too small for the job, or just large enough
CHANGES = "changes"  # of the time limits of running jobs, and of UsageFactor while jobs run
KINDS = (ODD, PARTS, RESERVATIONS, CHANGES)

Kinds = frozenset[str]


def scenarios(seed: int, count: int, jobs: int, release: tuple[int, int], kinds: Kinds = frozenset()) -> list[Json]:
    """`count` scenarios of `jobs` jobs each, those with the same settings of slurmctld in a row, with some of KINDS."""
    return [
        scenario(Dice(f"{seed}/{number}"), CONTROLLERS[number * len(CONTROLLERS) // count], jobs, release, kinds)
        for number in range(count)
    ]


def scenario(
    dice: Dice, controller: dict[str, str], jobs: int, release: tuple[int, int], kinds: Kinds = frozenset()
) -> Json:
    odd = ODD in kinds
    partitions = list(site.PARTITIONS)
    if odd:
        partitions.append(site.EMPTY_PARTITION)
    if RESERVATIONS in kinds:
        partitions.append(site.ANNEX)
    is_full = dice.chance(0.5)
    filler = {
        "client": "sbatch", "user_id": site.UIDS["fil"], "qos": "normal", "partition": "canary",
        "time_limit": 60,
    }  # fmt: skip
    made = {
        "controller": controller,
        "partitions": {name: _partition(dice, name) for name in partitions},
        "qos": {name: _qos(dice, name, odd) for name in site.ALL_QOS},
        "associations": _associations(dice, release),
        "full": is_full,
        "nodes": list(site.NODES),
        "filler": filler,
        "bait": filler | {"licenses": site.NEVER_FREE, "min_nodes": 1, "min_cpus": 1},
    }
    maker = JobMaker(dice, release, kinds)
    if CHANGES in kinds:
        made["running"] = [maker.running_job() | maker.new_time_limit() for _ in range(dice.pick(1, 2, 4))]
        made["later_qos"] = {name: _with_new_factor(dice, qos) for name, qos in made["qos"].items()}
    else:
        made["running"] = [maker.running_job() for _ in range(dice.pick(0, 0, 1, 2, 4))]
    made["held"] = [maker.job("sbatch") for _ in range(dice.pick(0, 0, 1, 3))]
    made["jobs"] = [maker.any_job(is_full) for _ in range(jobs)]
    return made


def _with_new_factor(dice: Dice, qos: Json) -> Json:
    return qos | {"UsageFactor": dice.pick(0.0, 0.5, 1.0, 2.0)} if dice.chance(0.3) else qos


# ---- Limits


def _tres_value(dice: Dice, tres: str) -> int:
    if tres in ("cpu", "billing"):
        return dice.pick(0, 1, 2, 4, 8, 16, 40, 100)
    if tres == "mem":
        return dice.pick(0, 500, 2000, 8000, 64000, 200000)
    if tres == "node":
        return dice.pick(0, 1, 1, 2, 3)
    return dice.pick(0, 1, 2, 4, 6)


def _tres(dice: Dice, minutes: bool = False) -> dict[str, int]:
    factor = dice.pick(1, 10, 60, 600) if minutes else 1
    return {tres: _tres_value(dice, tres) * factor for tres in dice.some(site.TRES, 2)}


def _minimum_tres(dice: Dice) -> dict[str, int]:
    return {
        tres: dice.pick(1, 1, 2, 500 if tres == "mem" else 3) for tres in dice.some(site.TRES, 1)
    }


def _wall(dice: Dice) -> int:
    return dice.pick(0, 5, 30, 60, 60, 600)


def _count(dice: Dice) -> int:
    return dice.pick(0, 1, 1, 2, 5, 30)


def _limits(dice: Dice, kinds: tuple[str, ...], most: int) -> Json:
    """A few limits of these kinds."""
    made: Json = {}
    for kind in dice.some(kinds, most):
        if kind.startswith("MinTRES"):
            made[kind] = _minimum_tres(dice)
        elif "Mins" in kind:
            made[kind] = _tres(dice, minutes=True)
        elif "TRES" in kind:
            made[kind] = _tres(dice)
        elif "Wall" in kind:
            made[kind] = _wall(dice)
        else:
            made[kind] = _count(dice)
    return made


_QOS_KINDS = (
    "GrpTRES", "GrpTRES", "GrpTRESMins", "GrpTRESRunMins", "MaxTRESMinsPerJob", "MaxTRESPerAccount",
    "MaxTRESPerJob", "MaxTRESPerJob", "MaxTRESPerNode", "MaxTRESPerUser", "MinTRESPerJob",
    "MaxTRESRunMinsPerAccount", "MaxTRESRunMinsPerUser",
    "GrpJobs", "GrpSubmitJobs", "GrpWall", "MaxJobsPerUser", "MaxJobsPerAccount", "MaxSubmitJobsPerUser",
    "MaxSubmitJobsPerAccount", "MaxWall", "MaxWall",
)  # fmt: skip
_ASSOCIATION_KINDS = (
    "GrpTRES", "GrpTRESMins", "GrpTRESRunMins", "MaxTRESMinsPerJob", "MaxTRESPerJob", "MaxTRESPerNode",
    "GrpJobs", "GrpSubmitJobs", "GrpWall", "MaxJobs", "MaxSubmitJobs", "MaxWall",
)  # fmt: skip


def _qos(dice: Dice, name: str, odd: bool) -> Json:
    # Without reservations for waiting jobs, backfill tries each of them alone.
    if name == "normal":
        return {"Flags": ["NoReserve"]}
    made = _limits(dice, _QOS_KINDS, 3) if dice.chance(0.85) else {}
    flags = ["NoReserve"] + [flag for flag in _QOS_FLAGS if dice.chance(0.12)]
    if dice.chance(0.5):
        flags.append("DenyOnLimit")
    if name == "q3" and dice.chance(0.3):
        flags.append("RequiresReservation")
    if dice.chance(0.2):
        made["UsageFactor"] = dice.pick(0.0, 0.5, 2.0, 3.0)
        if "UsageFactorSafe" not in flags and dice.chance(0.5):
            flags.append("UsageFactorSafe")
    if dice.chance(0.2):
        made["LimitFactor"] = dice.pick(0.5, 2.0, 3.0)
    if odd and dice.chance(0.05):
        made["UsageThreshold"] = dice.pick(0.01, 0.99)
        flags.append("EnforceUsageThreshold")
    return made | {"Flags": flags}


# From this release on a default QOS must be in the list of permitted QOSs.
_DEFAULT_IS_ALLOWED = (24, 11)


def _associations(dice: Dice, release: tuple[int, int]) -> list[Json]:
    accounts = [{"Account": account} for account in ("root", *(name for name, _ in site.ACCOUNTS))]
    users = [
        {"Account": account, "User": user} for user, account in site.MEMBERS if user in site.USERS
    ]
    for link in accounts + users:
        if link["Account"] != "root" and dice.chance(0.35):
            link.update(_limits(dice, _ASSOCIATION_KINDS, 2))
    # fil's jobs count at the root, so it never gets a limit.
    accounts[0]["QOS"] = list(site.ALL_QOS)
    for link in users:
        link["QOS"] = list(site.ALL_QOS) if dice.chance(0.7) else ["normal", *dice.some(site.JOB_QOS, 2)]
        if dice.chance(0.2):
            link["QOS"] = [dice.pick(*site.JOB_QOS)]
        if dice.chance(0.5):
            default = dice.pick("normal", *site.JOB_QOS)
            if default in link["QOS"] or release < _DEFAULT_IS_ALLOWED:
                link["DefaultQOS"] = default
    return accounts + users


def _partition(dice: Dice, name: str) -> Json:
    made: Json = {
        "qos": dice.pick("", "", *site.PARTITION_QOS, "q1"),
        "max_time": "UNLIMITED",
        "default_time": site_none(),
        "min_nodes": 0,
        "max_nodes": "UNLIMITED",
        "allow_qos": "ALL",
        "deny_qos": "",
        "allow_accounts": "ALL",
        "deny_accounts": "",
        "billing_weights": "",
        "priority_tier": dice.pick(1, 1, 2),
        "def_mem_per_cpu": dice.pick(1000, 1000, 500),
    }
    if dice.chance(0.4):
        made["max_time"] = dice.pick(10, 60, 120, 1440)
    if dice.chance(0.4):
        made["default_time"] = dice.pick(5, 30, 60, 120)
    if dice.chance(0.15):
        made["min_nodes"] = 2
    if dice.chance(0.2):
        made["max_nodes"] = dice.pick(1, 2, 3)
    if dice.chance(0.2):
        made["allow_qos"] = ",".join(dice.some(site.ALL_QOS, 4))
    elif dice.chance(0.15):
        made["deny_qos"] = ",".join(dice.some(site.JOB_QOS, 2))
    if dice.chance(0.15):
        made["allow_accounts"] = ",".join(dice.some(("astro", "stars", "bio"), 2))
    elif dice.chance(0.1):
        made["deny_accounts"] = dice.pick("astro", "stars", "bio")
    if dice.chance(0.3):
        made["billing_weights"] = dice.pick("CPU=1.5,Mem=0.25G", "CPU=2,GRES/gpu=4.5", "Mem=1G,License/foo=2")
    if dice.chance(0.15):
        made["def_mem_per_node"] = dice.pick(2000, 8000)
        del made["def_mem_per_cpu"]
    return made


def site_none() -> int:
    """slurm.conf's DefaultTime=NONE."""
    return 0xFFFFFFFF


# ---- Jobs


class JobMaker:
    """Jobs as clients of one release describe them."""

    def __init__(self, dice: Dice, release: tuple[int, int], kinds: Kinds = frozenset()) -> None:
        self._dice = dice
        self._kinds = kinds
        self._is_odd = ODD in kinds
        self._gres = "gres/" if release >= (23, 11) else "gres:"

    def any_job(self, is_full: bool) -> Json:
        if PARTS in self._kinds and self._dice.chance(0.5):
            return self._het_job()
        client = self._dice.pick("sbatch", "sbatch", "sbatch", "salloc", "salloc", "bare")
        if not is_full and client == "sbatch" and self._dice.chance(0.5):
            client = "salloc"
        job = self.job(client)
        if RESERVATIONS in self._kinds and self._dice.chance(0.5):
            job |= {"reservation": site.SMALL_RESERVATION, "partition": site.ANNEX}
        if not is_full and client != "salloc":
            job["priority"] = 0  # would start; its submission is what is looked at
        return job

    def _het_job(self) -> Json:
        """Parts of one user, most often under the same limits. It is held: its submission is what is looked at."""
        first, *others = (self._part() for _ in range(self._dice.pick(2, 2, 3)))
        for part in others:
            part["user_id"] = first["user_id"]
            for name in ("account", "qos", "partition"):
                if self._dice.chance(0.85):
                    part.pop(name, None)
                    part |= {name: first[name]} if name in first else {}
        return first | {"parts": others}

    def _part(self) -> Json:
        job = self.job("sbatch") | {"priority": 0}
        for name in ("array_inx", "dependency", "begins_in"):
            job.pop(name, None)
        return job

    def new_time_limit(self) -> Json:
        """For a running job: most often a shorter one."""
        minutes = self._dice.pick(None, 5, 7, 20, 45)
        return {} if minutes is None else {"new_time_limit": minutes}

    def running_job(self) -> Json:
        """A job that is likely to run: small, under any QOS."""
        dice = self._dice
        job = self._who() | {
            "client": "salloc", "num_tasks": 1, "min_nodes": 1, "time_limit": dice.pick(10, 30, 60),
        }  # fmt: skip
        job["min_cpus"] = job["num_tasks"] = dice.pick(1, 1, 2, 4)
        job["mem_per_node"] = dice.pick(100, 1000)
        if dice.chance(0.3):
            job["tres_per_node"] = f"{self._gres}gpu:{dice.pick(1, 2)}"
        return job

    def job(self, client: str) -> Json:
        job = self._who() | {"client": client}
        job |= self._bare_size() if client == "bare" else self._sized()
        job |= self._time() | self._memory(job) | self._extras(client)
        if self._is_odd and self._dice.chance(0.1):
            job |= self._odd(client)
        return job

    def _odd(self, client: str) -> Json:
        """What people send by mistake, or seldom: variables that are not set, what does not exist, what counts for nothing."""
        dice = self._dice
        empty = {field: "" for field in ("qos", "account", "partition", "req_nodes")} | {"tres_per_node": self._gres}
        ways: list[Json] = [
            dict([dice.pick(*empty.items())]),
            {"min_nodes": 0},
            {"reservation": dice.pick(site.RESERVATION_OF_OTHERS, "nosuch")},
            {"pn_min_tmp_disk": dice.pick(1, 1_000_000)},
            {"core_spec": dice.pick(0, 1)},
            {"nice": NICE_OFFSET + dice.pick(-10, 10)},
        ]
        if client != "salloc":
            ways += [
                {"array_inx": dice.pick("5-1", "a", "1-", "0-100000", "0,0")},
                {"dependency": dice.pick("afterok:4000000", "afterok", "sometime:1", "singleton")},
            ]
        return dice.pick(*ways)

    def _who(self) -> Json:
        dice = self._dice
        user, account = dice.pick(*(member for member in site.MEMBERS if member[0] in site.USERS))
        who: Json = {"user_id": site.UIDS[user]}
        if dice.chance(0.6):
            who["account"] = account
        if dice.chance(0.02):
            who["account"] = "nosuch"
        if dice.chance(0.75):
            who["qos"] = dice.pick(*site.JOB_QOS, *site.JOB_QOS, "normal", "P1")
        if dice.chance(0.02):
            who["qos"] = "nosuch"
        if dice.chance(0.5):
            who["partition"] = dice.pick("main", "side", "side", "main,side", "side,main")
        if dice.chance(0.01):
            who["partition"] = "nosuch"
        if self._is_odd and dice.chance(0.02):
            who["partition"] = site.EMPTY_PARTITION
        return who

    def _sized(self) -> Json:
        """What sbatch, salloc and srun send for -n, -c, -N, --ntasks-per-node, -O, --gres and the like."""
        dice = self._dice
        size: Json = {}
        tasks = dice.pick(None, 1, 1, 2, 3, 4, 8, 16)
        per_task = dice.pick(None, None, None, 2, 4)
        nodes = dice.pick(None, None, None, (1, 1), (2, 2), (3, 3), (1, 2), (2, 4), (2, None))
        per_node = dice.pick(None, None, None, None, 1, 2)
        if nodes:
            size["min_nodes"] = nodes[0]
            if nodes[1]:
                size["max_nodes"] = nodes[1]
            if tasks is not None:
                tasks = max(tasks, nodes[0])
            elif per_node:
                tasks = nodes[0] * per_node
            elif nodes[0] == nodes[1]:
                tasks = nodes[0]
            if per_node and tasks > per_node * (nodes[1] or len(site.NODES)):
                per_node = None
        elif per_node and tasks:
            size["min_nodes"] = -(-tasks // per_node)
            if size["min_nodes"] > len(site.NODES):
                del size["min_nodes"]
                per_node = None
        if per_node and tasks:
            size["ntasks_per_node"] = per_node
        if tasks is not None:
            size["num_tasks"] = tasks
        if per_task:
            size["cpus_per_task"] = per_task
        size["min_cpus"] = (tasks or 1) * (per_task or 1)
        if dice.chance(0.04):
            size |= {"overcommit": 1, "min_cpus": max(size.get("min_nodes", 1), 1)}
        return size | self._gpus(size)

    def _bare_size(self) -> Json:
        """A client that leaves almost everything to slurmctld, as programs over REST do."""
        dice = self._dice
        size: Json = {}
        if dice.chance(0.5):
            size["num_tasks"] = dice.pick(1, 2, 4)
        if dice.chance(0.3):
            size["cpus_per_task"] = dice.pick(2, 3)
        if dice.chance(0.3):
            size["min_cpus"] = dice.pick(1, 2, 6)
        if dice.chance(0.3):
            size["min_nodes"] = dice.pick(1, 2)
        if dice.chance(0.15):
            size["max_nodes"] = dice.pick(2, 3)
        if dice.chance(0.15):
            size["ntasks_per_node"] = dice.pick(1, 2)
        return size | (self._gpus(size) if dice.chance(0.5) else {})

    def _gpus(self, size: Json) -> Json:
        dice = self._dice
        if dice.chance(0.5):
            return {}
        kind = dice.pick("", "", ":a100", ":h100")
        spelling = f"{self._gres}gpu{kind}:{{}}"
        way = dice.pick("node", "node", "job", "task", "socket", "mixed", "zero", "plain")
        made: Json = {}
        if way == "node":
            made["tres_per_node"] = spelling.format(dice.pick(1, 2, 3))
        elif way == "job":
            made["tres_per_job"] = spelling.format(max(dice.pick(1, 2, 4), size.get("min_nodes", 1)))
        elif way == "task" and size.get("num_tasks"):
            made["tres_per_task"] = spelling.format(1)
        elif way == "socket":
            made["tres_per_socket"] = spelling.format(1)
            made["sockets_per_node"] = dice.pick(1, 2)
        elif way == "mixed":
            made["tres_per_node"] = f"{self._gres}gpu:a100:1,{self._gres}gpu:h100:{dice.pick(1, 2)}"
        elif way == "zero":
            made["tres_per_node"] = spelling.format(0)
        elif way == "plain":
            made["tres_per_node"] = f"{self._gres}gpu"
        if made and way != "zero" and dice.chance(0.1):
            made["cpus_per_tres"] = f"{self._gres}gpu:2"
        if made and way not in ("zero", "mixed") and dice.chance(0.15):
            made["mem_per_tres"] = f"{self._gres}gpu:{dice.pick(100, 1500)}"
        return made

    def _time(self) -> Json:
        dice = self._dice
        limit = dice.pick(None, None, None, 1, 5, 10, 31, 60, 61, 90, 700, "UNLIMITED")
        made: Json = {} if limit is None else {"time_limit": limit}
        if isinstance(limit, int) and limit > 10 and dice.chance(0.06):
            made["time_min"] = limit // 2
        return made

    def _memory(self, job: Json) -> Json:
        dice = self._dice
        if "mem_per_tres" in job or dice.chance(0.4):
            return {}
        way = dice.pick("node", "node", "cpu", "cpu", "all")
        if way == "node":
            return {"mem_per_node": dice.pick(100, 1000, 2500, 9000)}
        if way == "cpu":
            return {"mem_per_cpu": dice.pick(100, 600, 1200)}
        return {"mem_per_node": 0}

    def _extras(self, client: str) -> Json:
        dice = self._dice
        made: Json = {}
        if dice.chance(0.12):
            made["licenses"] = dice.pick("foo:1", "foo:3", "foo", "bar:1,foo:2", "foo:2,foo:1")
        if client != "salloc" and dice.chance(0.15):
            made["array_inx"] = dice.pick("0-1", "1-4", "0-9:3", "1,3,7", "0-5%2", "7")
        if dice.chance(0.08):
            made["shared"] = 0  # --exclusive
        if client != "salloc" and dice.chance(0.06):
            made |= dice.pick({"begins_in": 3600}, {"dependency": "singleton"})
        if dice.chance(0.08):
            made["reservation"] = site.RESERVATION
        return made
