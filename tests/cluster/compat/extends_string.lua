-- SPDX-License-Identifier: GPL-2.0-or-later
-- Adds functions to the libraries and calls them as methods.
--: submit -A bio
--: submit -A astro
function string.starts(text, start)
    return string.sub(text, 1, string.len(start)) == start
end

function string:split(separator)
    local parts = {}
    self:gsub("([^" .. separator .. "]+)", function(part) table.insert(parts, part) end)
    return parts
end

table.contains = function(list, wanted)
    for _, value in pairs(list) do
        if value == wanted then return true end
    end
    return false
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    local allowed = ("astro:physics"):split(":")
    if job_desc.account:starts("b") or not table.contains(allowed, job_desc.account) then
        slurm.log_user("account %s may not submit", job_desc.account)
        return slurm.ESLURM_INVALID_ACCOUNT
    end
    slurm.log_user("%d accounts", table.getn(allowed))
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
