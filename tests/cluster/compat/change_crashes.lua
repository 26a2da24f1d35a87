-- SPDX-License-Identifier: GPL-2.0-or-later
-- Fails at some changes: Slurm accepts these.
--: update comment=fine
--: update_fails comment=bad
function slurm_job_submit(job_desc, part_list, submit_uid)
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    if job_desc.comment == "bad" then
        job_rec.no_such_field:len()
    end
    return slurm.SUCCESS
end

return slurm.SUCCESS
