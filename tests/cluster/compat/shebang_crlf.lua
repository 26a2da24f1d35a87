#!/usr/bin/lua
-- SPDX-License-Identifier: GPL-2.0-or-later
-- A shebang, line ends of Windows, and escapes that only old Lua takes.
--: submit --comment=a.b
--: submit --comment=acb
function slurm_job_submit(job_desc, part_list, submit_uid)
    if string.find(job_desc.comment, "a%\.b") then
        slurm.log_user("a path like C:\ users\/")
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
