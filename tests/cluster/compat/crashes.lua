-- SPDX-License-Identifier: GPL-2.0-or-later
-- Fails for some jobs: Slurm accepts these.
--: submit --comment=fine
--: fails
--: fails --comment=call
--: fails --comment=compare
--: fails --comment=nil
function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.comment:sub(1, 4) == "call" then
        undefined_function(job_desc)
    elseif job_desc.comment == "compare" and job_desc.partition < 5 then
        return slurm.ERROR
    elseif job_desc.comment == "nil" then
        job_desc.qos = nil
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
