-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Jobs that ask for GPUs name the type.
--
-- Slurm compares a limit of one type (MaxTRESPerUser=gres/gpu:a100=2) only with jobs that name it: a job with --gpus=2
-- starts on nodes with a100 all the same, and so a user may have six of two. Where jobs must name the type, such limits
-- hold.
--
-- To use it: copy this file into qosgate.d/ (as 10-gpu-type.lua, say) and adapt the values below.

local names = require("names")

local types = { "a100", "v100" }         -- the types of GPUs, as gres.conf has them
local partitions = names.set { "gpu-long" } -- only in these partitions; nil: in all

local function names_no_type(job)
    if not job:is_set("gpu") then return false end
    for _, gpu in ipairs(job.gpu_requests) do
        if not gpu.type then return true end
    end
    return false
end

local function is_meant(job)
    if not partitions then return true end
    for _, partition in names.each(job.partition) do
        if partitions[partition] then return true end
    end
    return false
end

local function check(job)
    if not (names_no_type(job) and is_meant(job)) then return end
    job:reject(
        "name the type of the GPUs: --gpus=%s:%d, for example (types: %s)",
        types[1], job.gpu.count, table.concat(types, ", ")
    )
end

rule {
    name = "type of GPUs",
    description = "rejects jobs that ask for GPUs and do not name their type",
    mode = "enforce",
    on_error = "deny",
    exempt = { "operators" },
    submit = check,
    -- A job that was submitted without a type may change in other ways.
    modify = function(job, before)
        if not (names_no_type(before) and is_meant(before)) then check(job) end
    end,
}
