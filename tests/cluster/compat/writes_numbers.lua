-- SPDX-License-Identifier: GPL-2.0-or-later
-- Writes numbers, also as texts, and with fractions.
--: submit --time=77 -n2
--: submit -N2
function slurm_job_submit(job_desc, part_list, submit_uid)
    job_desc.time_limit = "25"
    job_desc.min_nodes = 1
    job_desc.max_nodes = 1.7
    job_desc.num_tasks = 2
    job_desc.cpus_per_task = 1
    job_desc.priority = 0
    job_desc.requeue = 0
    job_desc.shared = slurm.JOB_SHARED_OK
    job_desc.nice = slurm.NICE_OFFSET + 7
    job_desc.begin_time = 4000000000
    job_desc.contiguous = 0
    job_desc.time_min = 5
    job_desc.ntasks_per_node = slurm.NO_VAL16
    slurm.log_user("%s %s", tostring(job_desc.time_limit), tostring(job_desc.max_nodes))
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
