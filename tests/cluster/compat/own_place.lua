-- SPDX-License-Identifier: GPL-2.0-or-later
-- Looks for its own directory when it is loaded, and says where in the file it refuses.
--: submit
--: submit -p short --comment=refuse
--: update comment=refuse

local directory = debug.getinfo(1).source:match("^@(.*/)")
local name = debug.getinfo(1, "S").short_src:match("[^/]+$")

local function refuse()
    local caller = debug.getinfo(2, "l")
    slurm.log_user("%s:%d: refused, and the directory is %s", name, caller.currentline, directory and "known" or "not known")
    return slurm.ERROR
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.comment ~= "refuse" then return slurm.SUCCESS end
    local code = refuse()
    return code
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm_job_submit(job_desc, part_list, modify_uid)
end
