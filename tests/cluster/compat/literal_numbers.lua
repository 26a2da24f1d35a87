-- SPDX-License-Identifier: GPL-2.0-or-later
-- Numbers of Slurm written out, and a bare number returned.
--: submit
--: submit --time=60 -N2
--: submit -N1
function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.time_limit == 4294967294 then
        job_desc.time_limit = 10
    end
    if job_desc.min_nodes ~= 4294967294 and job_desc.min_nodes > 1 then
        slurm.log_user("too many nodes: " .. job_desc.min_nodes)
        return 2036
    end
    return 0
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
