-- SPDX-License-Identifier: GPL-2.0-or-later
-- Memory in both units.
--: submit
--: submit --mem=100
--: submit --mem-per-cpu=10
--: submit --mem=1G -n2
function slurm_job_submit(job_desc, part_list, submit_uid)
    local per_node, per_cpu = job_desc.min_mem_per_node, job_desc.min_mem_per_cpu
    slurm.log_user("node %s cpu %s", tostring(per_node), tostring(per_cpu))
    if per_node == nil and per_cpu == nil then
        job_desc.min_mem_per_cpu = 5
        slurm.log_user("now %s %s", tostring(job_desc.min_mem_per_cpu), tostring(job_desc.min_mem_per_node))
    elseif per_node and per_node > 500 then
        job_desc.min_mem_per_node = 400
    end
    if job_desc.pn_min_memory == slurm.NO_VAL64 then
        return slurm.ERROR
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
