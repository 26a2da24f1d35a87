-- SPDX-License-Identifier: GPL-2.0-or-later
-- The QOS follows from the time.
--: submit --time=10
--: submit --time=100
--: submit --time=100 --qos=small
local tiers = { { 30, "small" }, { 1000000, "normal" } }

function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.qos ~= nil then
        return slurm.SUCCESS
    end
    for _, tier in ipairs(tiers) do
        if job_desc.time_limit <= tier[1] then
            job_desc.qos = tier[2]
            slurm.log_user("QOS is %s", job_desc.qos)
            break
        end
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
