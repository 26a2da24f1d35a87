-- SPDX-License-Identifier: GPL-2.0-or-later
-- Numbers in texts, which read as under Lua 5.1.
--: submit --time=120
--: submit --time=90 -n 3
function slurm_job_submit(job_desc, part_list, submit_uid)
    local hours = job_desc.time_limit / 60
    slurm.log_user("user " .. submit_uid .. " wants " .. hours .. " hours")
    slurm.log_user("%s hours, %d whole ones", hours, hours)
    slurm.log_user(tostring(hours) .. "/" .. table.concat({ 1, hours, 2 ^ 10 }, ","))
    job_desc.comment = hours
    job_desc.admin_comment = "h" .. 6 / 2 .. "x" .. 7 / 2
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
