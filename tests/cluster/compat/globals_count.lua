-- SPDX-License-Identifier: GPL-2.0-or-later
-- Globals live from call to call.
--: submit
--: submit
--: submit -n2
total = 0

function slurm_job_submit(job_desc, part_list, submit_uid)
    total = total + 1
    last = current
    current = job_desc.num_tasks
    slurm.log_user("call %d; tasks before: %s", total, tostring(last))
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
