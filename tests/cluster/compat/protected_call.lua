-- SPDX-License-Identifier: GPL-2.0-or-later
-- Catches its own errors, as some sites do to stay safe.
--: submit --comment=good
--: submit
local function check(job_desc)
    if job_desc.comment:len() > 3 then
        return slurm.ESLURM_ACCESS_DENIED, "a long comment"
    end
    return slurm.SUCCESS
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    local ok, code, why = pcall(check, job_desc)
    if not ok then
        slurm.log_error("check failed")
        slurm.log_user("internal problem, passing")
        return slurm.SUCCESS
    end
    local fine, result = xpcall(function() return 1 + 1 end, function(message) return message end)
    slurm.log_user("%s %s %s", tostring(fine), tostring(result), tostring(why))
    return code
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
