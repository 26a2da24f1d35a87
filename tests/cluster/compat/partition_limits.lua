-- SPDX-License-Identifier: GPL-2.0-or-later
-- Compares a time with the partition's.
--: submit -p short --time=61
--: submit -p short --time=60
--: submit --time=100
function slurm_job_submit(job_desc, part_list, submit_uid)
    local name = job_desc.partition
    if not name then
        for key, value in next, part_list do
            if value.flag_default ~= 0 then name = key end
        end
    end
    local part = part_list[name]
    if part.max_time ~= slurm.INFINITE and job_desc.time_limit > part.max_time then
        slurm.log_user("at most %d minutes in %s", part.max_time, part.name)
        return slurm.ESLURM_INVALID_TIME_LIMIT
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
