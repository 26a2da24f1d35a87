-- SPDX-License-Identifier: GPL-2.0-or-later
-- Numbers of Slurm where Lua wants a text or a place in one: user nobody is refused.
--: submit --time=90
--: submit as nobody --time=90
--: submit as nobody --comment=match
--: submit as nobody --comment=concat
--: submit as nobody --comment=length
local function count(...)
    return arg.n .. " of " .. #arg
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    local how = job_desc.comment
    slurm.log_user("%s %s %s", table.concat({ submit_uid, "x" }, ","), string.rep(submit_uid, 2), #tostring(submit_uid))
    slurm.log_user(count(submit_uid, job_desc.time_limit) .. (" %s"):format(string.sub(submit_uid, 1, 5 / 2)))
    slurm.log_user("%s", string.gsub("uid U", "U", submit_uid))
    local found = string.find(submit_uid, "^655")
    if how == "match" then
        found = string.match(tostring(submit_uid), "^65534$")
    elseif how == "concat" then
        found = table.concat({ submit_uid, "x" }, ",") == "65534,x"
    elseif how == "length" then
        found = string.len(submit_uid) == 5 and string.find("1000,65534", submit_uid, 1, true)
    end
    if found then
        slurm.log_user("nobody cannot submit")
        return slurm.ERROR
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
