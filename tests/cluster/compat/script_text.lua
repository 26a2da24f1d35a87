-- SPDX-License-Identifier: GPL-2.0-or-later
-- Reads the batch script and its arguments, and changes the script.
--: submit
--: submit --job-name=other
function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.script == nil or job_desc.script == "" then
        slurm.log_user("interactive")
        return slurm.ERROR
    end
    local first = string.match(job_desc.script, "^#!([^\n]*)")
    slurm.log_user("%s, %d lines", first, select(2, string.gsub(job_desc.script, "\n", "\n")))
    slurm.log_user("argc %s argv %s %s", tostring(job_desc.argc), type(job_desc.argv), tostring((job_desc.argv or {})[0]))
    job_desc.script = string.gsub(job_desc.script, "true", "false")
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
