# SPDX-License-Identifier: GPL-2.0-or-later
"""The directories of rules that are measured, and the script of Slurm's Lua plugin."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from qosgate_dev import ROOT

PARTITION = "main"

# Everyone refuses one QOS in one partition; no measured job has it.
FORBIDDEN_QOS = "forbidden"
REFUSED_BY_LUA = "refused by the Lua script"


def lua_submit(words: str) -> str:
    """What a script's slurm_job_submit() does; refused jobs are told `words`."""
    return f"""\
    if job_desc.qos == "{FORBIDDEN_QOS}" and job_desc.partition == "{PARTITION}" then
        slurm.log_user("{words}")
        return slurm.ERROR
    end
"""


def refused_by(policy: str) -> str:
    """What a user reads whose job a directory of rules refuses."""
    return f"refused by qosgate, {policy}"


def _rule(policy: str, more: str = "") -> str:
    return f"""\
rule {{
    name = "forbidden QOS",
    submit = function(job, view)
        if job.qos == "{FORBIDDEN_QOS}" and job.partition == "{PARTITION}" then
            job:reject("{refused_by(policy)}")
        end
{more}    end,
}}
"""


_LOOK_AT_HEADROOM = """\
        local qos = view.qos(job.qos)
        if qos.MaxWall and job.time_limit > qos.MaxWall then job:warn("longer than the QOS allows") end
        local room = qos:headroom()
        if room.jobs and room.jobs < 1 then job:warn("no more jobs of the QOS can start") end
        if room.tres.cpu and job.cpus > room.tres.cpu then job:warn("no room for so many CPUs") end
"""

# These rules of lua/rules need data, groups or accounts that the measured cluster does not have.
_NOT_MEASURED = frozenset({"department-qos.lua", "gpu-caps.lua", "service-isolation.lua"})

# With the others of lua/rules and the one above: twenty.
_MORE_RULES = (
    """\
local reserved = { admin = true, maintenance = true, benchmark = true }
rule {
    name = "reserved names",
    submit = function(job)
        if job.name and reserved[job.name:lower()] then job:reject("the name %s is reserved", job.name) end
    end,
}
""",
    """\
rule {
    name = "tasks are a multiple of the nodes",
    submit = function(job)
        if job.nodes > 1 and job.tasks % job.nodes ~= 0 then
            job:warn("%d tasks do not divide by %d nodes", job.tasks, job.nodes)
        end
    end,
}
""",
    """\
rule {
    name = "no whole nodes for small jobs",
    submit = function(job)
        if job.exclusive and job.cpus < 4 then job:reject("--exclusive with %d CPUs", job.cpus) end
    end,
}
""",
    """\
rule {
    name = "long jobs are submitted by day",
    submit = function(job, view)
        if job.time_limit > 1440 and view.now.hour < 8 then job:note("a long job at night") end
    end,
}
""",
)


def _one(directory: Path) -> None:
    (directory / "bench.lua").write_text(_rule("one"))


def _twenty(directory: Path) -> None:
    (directory / "bench.lua").write_text(_rule("twenty"))
    for number, rule in enumerate(_MORE_RULES):
        (directory / f"more{number}.lua").write_text(rule)
    for file in (ROOT / "lua/rules").glob("*.lua"):
        if file.name not in _NOT_MEASURED:
            shutil.copy(file, directory)


def _headroom(directory: Path) -> None:
    (directory / "bench.lua").write_text(_rule("headroom", _LOOK_AT_HEADROOM))


def _script(directory: Path) -> None:
    script = directory / "compat/job_submit.lua"
    script.parent.mkdir(mode=0o755)
    script.write_text(
        "function slurm_job_submit(job_desc, part_list, submit_uid)\n"
        f"{lua_submit(refused_by('script'))}"
        "    return slurm.SUCCESS\nend\n\n"
        "function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)\n"
        "    return slurm.SUCCESS\nend\n"
    )


# By name: what writes the directory of rules. "none" has none.
POLICIES: Mapping[str, Callable[[Path], None] | None] = {
    "none": None,
    "one": _one,
    "twenty": _twenty,
    "headroom": _headroom,
    "script": _script,
}
