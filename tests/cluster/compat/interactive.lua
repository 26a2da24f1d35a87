-- SPDX-License-Identifier: GPL-2.0-or-later
-- Jobs without a script have a partition of their own.
--: submit
--: submit salloc --time=1
function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.script == nil then
        slurm.log_user("interactive: not today, environment %s", type(job_desc.environment))
        return slurm.ERROR
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
