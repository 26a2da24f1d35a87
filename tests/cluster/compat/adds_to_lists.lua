-- SPDX-License-Identifier: GPL-2.0-or-later
-- Adds to what the user asked for.
--: submit
--: submit --licenses=matlab:1 --exclude=node2 --gres=gpu:0
function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.exc_nodes then
        job_desc.exc_nodes = job_desc.exc_nodes .. ",node1"
    end
    job_desc.licenses = nil or ""
    if job_desc.gres then
        job_desc.gres = "gpu:1,tape"
        slurm.log_user(job_desc.gres .. " " .. job_desc.tres_per_node)
        job_desc.gres = ""
    end
    job_desc.comment = (job_desc.comment and job_desc.comment .. "," or "") .. "seen"
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
