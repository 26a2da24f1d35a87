-- SPDX-License-Identifier: GPL-2.0-or-later
-- Reads and sets variables.
--: submit --export=NONE,FOO=bar
--: submit --export=FOO=
--: submit --export=NONE
function slurm_job_submit(job_desc, part_list, submit_uid)
    local foo = job_desc.environment["FOO"]
    slurm.log_user("FOO is %s, none is %s", tostring(foo), tostring(job_desc.environment.NO_SUCH_THING))
    job_desc.environment["FOO"] = "set by the script"
    job_desc.environment.ADDED = 4 / 2
    slurm.log_user("%s %s", job_desc.environment.FOO, job_desc.environment.ADDED)
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
