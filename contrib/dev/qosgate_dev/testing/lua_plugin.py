# SPDX-License-Identifier: GPL-2.0-or-later
"""The script of Slurm's own Lua plugin."""

from __future__ import annotations

from .cluster import Cluster

_SCRIPT = """\
function slurm_job_submit(job_desc, part_list, submit_uid)
{submit}
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
"""


def write_lua_script(cluster: Cluster, submit: str) -> None:
    """Writes job_submit.lua. It accepts all changes of jobs.

    `submit` are the Lua statements for each submission. A job that they do not refuse is accepted.
    """
    script = _SCRIPT.format(submit=submit.rstrip())
    (cluster.layout.etc / "job_submit.lua").write_text(script)
