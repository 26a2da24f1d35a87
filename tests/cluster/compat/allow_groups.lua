-- SPDX-License-Identifier: GPL-2.0-or-later
-- Tells which partitions the owner of the job may use: AllowGroups hides some.
--: submit
--: submit as root
--: submit as root --uid=ana
--: submit -p bens
--: update comment=yes
local function names_of(part_list)
    local names = {}
    for name in pairs(part_list) do names[#names + 1] = name end
    table.sort(names)
    return table.concat(names, " ")
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    slurm.log_user("%s", names_of(part_list))
    slurm.log_info("%s %s", type(part_list.bens), tostring(part_list.anas ~= nil))
    if part_list[job_desc.partition or "main"] == nil then job_desc.partition = "main" end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    slurm.log_info("%s", names_of(part_list))
    return slurm.SUCCESS
end
