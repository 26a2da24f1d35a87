-- SPDX-License-Identifier: GPL-2.0-or-later
-- A time limit is required; NO_VAL is "not given".
--: submit
--: submit --time=5
--: submit --time=UNLIMITED
local HELP = "see https://hpc.example.org/time"

function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.time_limit == slurm.NO_VAL then
        slurm.user_msg("You must give --time. " .. HELP)
        return slurm.ESLURM_INVALID_TIME_LIMIT
    end
    if job_desc.time_limit == slurm.INFINITE then
        slurm.user_msg("no unlimited jobs")
        return slurm.ERROR
    end
    slurm.log_info("time %d of user %d", job_desc.time_limit, submit_uid)
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
