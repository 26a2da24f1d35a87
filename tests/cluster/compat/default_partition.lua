-- SPDX-License-Identifier: GPL-2.0-or-later
-- Fills in the default partition, and says what it did.
--: submit
--: submit -p short
function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.partition == nil then
        for name, part in pairs(part_list) do
            if part.flag_default == 1 then
                job_desc.partition = name
                slurm.log_user("no partition given: using %s", name)
            end
        end
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
