-- SPDX-License-Identifier: GPL-2.0-or-later
-- Starts programs that list and print files, and one of the site's own.
--: submit
--: submit -p short -t 5
local function read(command)
    local program = io.popen(command)
    local output = program:read("*a")
    program:close()
    return (output:gsub("%s+$", ""))
end

local lists = {}
for name in io.popen("ls -1 @FILES@/*.lua"):lines() do
    lists[#lists + 1] = name
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    slurm.log_info("%d %s", #lists, table.concat(lists, " "))
    slurm.log_info("%s|%s", read("ls @FILES@/deep"), read("ls @FILES@/none 2>/dev/null"))
    slurm.log_info("%s", read("cat @FILES@/allow.txt | head -1"))
    slurm.log_info("%s %s", read("hostname -s"), read("uname -n"))
    local partition = job_desc.partition or "main"
    slurm.log_info("%s", read("sh @FILES@/hours.sh " .. partition .. " | cut -d: -f2"))
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end
