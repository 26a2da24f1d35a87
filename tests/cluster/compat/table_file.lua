-- SPDX-License-Identifier: GPL-2.0-or-later
-- A table read with io.lines when the script is loaded, and all ways to read a file.
--: submit -t 100
--: submit -t 130
--: submit -p short -t 100
local limits = {}
for line in io.lines("@FILES@/limits.csv") do
    local partition, minutes = line:match("^([^,]+),(%d+)$")
    if partition then limits[partition] = tonumber(minutes) end
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    local limit = limits[job_desc.partition or "main"]
    if limit and job_desc.time_limit > limit then
        job_desc.time_limit = limit
        slurm.log_user("time limit set to %d", limit)
    end
    local file = assert(io.open("@FILES@/limits.csv"))
    slurm.log_info("%s|%s|%s|%s", file:read("*l"), file:read(5), file:read("*n"), file:read("*a"):gsub("\n", "/"))
    slurm.log_info("%s %s %d %s", tostring(file:read("*l")), file:read("*a"), file:seek("set", 2), io.type(file))
    file:close()
    slurm.log_info("%s %s", io.type(file), select(2, io.open("@FILES@/nothing")))
    slurm.log_info("%s", tostring(pcall(io.lines, "@FILES@/nothing")))
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end
