-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Values by the size and time of a job.
--
--   local buckets = require("buckets")
--   local bucket = buckets.choose(job, {
--       { gpus = 1, time = 60, qos = "short" }, -- at most one GPU and one hour
--       { qos = "normal" },                     -- all others
--   })
--   if bucket then job.qos = bucket.qos end

local M = {}

-- The fields that a bucket may bound.
local sizes = { "nodes", "cpus", "memory", "gpus", "tasks", "array_tasks" }

-- Whether the job is within all bounds of the bucket. Bounds that it does not set are not checked.
---@param job qosgate.Job
---@param bucket table
---@return boolean
function M.fits(job, bucket)
    for _, field in ipairs(sizes) do
        if bucket[field] and (job[field] or 1) > bucket[field] then return false end
    end
    -- Without --time it is the default of the partition; nil: the job has no partition.
    -- "No limit" is math.huge, so the comparison works.
    return not bucket.time or (job.time_limit or math.huge) <= bucket.time
end

-- The first bucket of the list that the job fits into; nil: none.
---@param job qosgate.Job
---@param list table[]
---@return table?
function M.choose(job, list)
    for _, bucket in ipairs(list) do
        if M.fits(job, bucket) then return bucket end
    end
    return nil
end

return M
