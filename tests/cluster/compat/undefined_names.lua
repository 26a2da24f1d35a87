-- SPDX-License-Identifier: GPL-2.0-or-later
-- Names that do not exist are nil, and such fields, too.
--: submit
--: submit --comment=x
function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.comment ~= null and job_desc.nodes == NULL and default_partition == nil then
        slurm.log_user("comment %s", job_desc.comment)
    end
    job_desc.num_gpus = 3 -- there is no such field
    if job_desc.min_mem_per_gpu then
        return slurm.ERROR
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
