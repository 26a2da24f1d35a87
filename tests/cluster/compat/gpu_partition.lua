-- SPDX-License-Identifier: GPL-2.0-or-later
-- Looks for GPUs in every spelling.
--: submit
--: submit --gpus=2
--: submit --gres=gpu:1
--: submit --gpus-per-node=1 -N1
--: submit --gpus-per-task=1 -n2
--: submit --gpus-per-socket=1 --sockets-per-node=1
local fields = { "gres", "tres_per_job", "tres_per_node", "tres_per_socket", "tres_per_task" }

local function gpus(job_desc)
    local found = 0
    for _, field in ipairs(fields) do
        local text = job_desc[field]
        if text then
            for part in string.gmatch(text, "[^,]+") do
                local count = string.match(part, "gpu[:=%a]*:?(%d*)")
                if count then
                    found = found + (tonumber(count) or 1)
                end
                slurm.log_user("%s: %s", field, part)
            end
        end
    end
    return found
end

function slurm_job_submit(job_desc, part_list, submit_uid)
    local count = gpus(job_desc)
    slurm.log_user(count .. " GPUs")
    if count > 2 then
        return slurm.ESLURM_ACCESS_DENIED
    end
    if count > 0 then
        job_desc.partition = "short"
        job_desc.features = ""
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
