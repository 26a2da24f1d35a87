-- SPDX-License-Identifier: GPL-2.0-or-later
-- An allow-list in a file, read for each job, and a flag file that need not exist.
--: submit
--: submit -p short
--: submit -p short,main
--: submit as root -t 5
--: submit as root -p short
local function allowed(user, partition)
    local file, why = io.open("@FILES@/allow.txt", "r")
    if file == nil then
        slurm.log_error("%s", why)
        return false
    end
    for line in file:lines() do
        local name, partitions = line:match("^(%w+)%s+(%S+)")
        if name == user then
            for one in partitions:gmatch("[^,]+") do
                if one == partition then
                    file:close()
                    return true
                end
            end
        end
    end
    file:close()
    return false
end

local function exists(path)
    local file = io.open(path)
    if file then file:close() end
    return file ~= nil
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    local user = submit_uid == 0 and "root" or "ana"
    slurm.log_info("flag %s, no flag %s", tostring(exists("@FILES@/flag")), tostring(exists("@FILES@/none")))
    for partition in (job_desc.partition or "main"):gmatch("[^,]+") do
        if not allowed(user, partition) then
            slurm.log_user("%s may not use partition %s", user, partition)
            return slurm.ESLURM_ACCESS_DENIED
        end
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end
