-- SPDX-License-Identifier: GPL-2.0-or-later
-- Returns numbers that are no codes of Slurm, and ones below zero.
--: submit --comment=1
--: submit --comment=2
--: submit --comment=99999
--: submit --comment=-5
--: submit --comment=0.5
function slurm_job_submit(job_desc, part_list, submit_uid)
    return tonumber(job_desc.comment)
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
