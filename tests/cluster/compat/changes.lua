-- SPDX-License-Identifier: GPL-2.0-or-later
-- Looks at changes: who makes them, what the job was before, and what it would be.
--: update timelimit=20
--: update timelimit=50
--: update timelimit=200
--: update as root timelimit=200
--: update partition=short
--: update comment=hello name=x
--: update qos=small
function slurm_job_submit(job_desc, part_list, submit_uid)
    job_desc.time_limit = 30
    job_desc.comment = "before"
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    slurm.log_info("%s asks %s for %s", modify_uid, job_rec.name, tostring(job_desc.time_limit))
    if modify_uid == 0 then
        return slurm.SUCCESS
    end
    if job_desc.time_limit ~= slurm.NO_VAL and job_desc.time_limit > job_rec.time_limit then
        if job_desc.time_limit > 100 then
            slurm.log_info("too long")
            return slurm.ESLURM_INVALID_TIME_LIMIT
        end
        job_desc.time_limit = job_rec.time_limit + 1
        job_desc.comment = "was " .. job_rec.comment
    end
    if job_desc.partition and job_desc.partition ~= job_rec.partition then
        slurm.log_info("from %s to %s", job_rec.partition, job_desc.partition)
        return slurm.ESLURM_ACCESS_DENIED
    end
    return slurm.SUCCESS
end

return slurm.SUCCESS
