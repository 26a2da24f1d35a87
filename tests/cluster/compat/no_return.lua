-- SPDX-License-Identifier: GPL-2.0-or-later
-- A function that returns nothing, or no number, has no objection.
--: submit
--: submit --comment=text
--: submit --comment=number
function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.comment == "text" then return "no" end
    if job_desc.comment == "number" then return "2000" end
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
