-- SPDX-License-Identifier: GPL-2.0-or-later
-- Asks id and getent who submits.
--: submit
--: submit as root -t 5
local function read(command)
    local program = io.popen(command)
    local output = program:read("*a")
    program:close()
    return (output:gsub("%s+$", ""))
end

local function in_group(user, group)
    for name in read("id -Gn " .. user):gmatch("%S+") do
        if name == group then return true end
    end
    return false
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    local user = read(string.format("id -nu %d", submit_uid))
    slurm.log_info("%s %s %s", user, read("/usr/bin/id -u " .. user .. " 2>/dev/null"), read("id -gn " .. user))
    slurm.log_info("%s %s", read("id " .. user), read("getent passwd " .. submit_uid))
    slurm.log_info("%s|%s", read("getent group root"), read("id -Gn " .. user):match("%S+"))
    slurm.log_info("%s", read("getent passwd '" .. user .. "'"):match("^[^:]*:[^:]*:[^:]*:[^:]*:[^:]*:([^:]*)"))
    slurm.log_info("%s %s", tostring(in_group(user, "root")), tostring(in_group(user, "no-such-group")))
    slurm.log_info("[%s]", read("id -nu 98765 2>/dev/null"))
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end
