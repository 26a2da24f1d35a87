-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Short GPU jobs go to the debug partition.
--
-- A job that needs one or two GPUs for a few minutes should not wait behind training jobs of several days. This
-- rule moves it to a partition for short jobs, and tells the user.
--
-- To use it: copy this file into qosgate.d/ (as 20-short-gpu-jobs.lua, say) and adapt the values below. With
-- mode = "shadow" at the end of the file the log shows which jobs would move, but none does.

local from = { gpu = true } -- move jobs of these partitions
local to = "debug"          -- to this partition
local to_qos = nil          -- with this QOS, unless the user names one; nil: do not change the QOS
local max_gpus = 2          -- maximum of GPUs
local max_nodes = 1         -- maximum of nodes
local max_minutes = 30      -- maximum time limit

-- Whether the job depends on its partition or nodes, so that it must not move.
local function is_tied(job)
    return job:is_set("reservation") or job:is_set("nodelist") or job.is_het_part
end

rule {
    name = "short GPU jobs to debug",
    description = "moves short jobs with few GPUs to a partition of their own",
    mode = "enforce",
    on_error = "allow", -- a job that does not move does no harm
    on = { "submit" }, -- what rules write at a change is not applied
    submit = function(job)
        -- Only jobs with one partition: a list is the user's own choice. The look-up of nil would be an error.
        if not job.partition or not from[job.partition] then return end
        if is_tied(job) then return end
        if job.gpus < 1 or job.gpus > max_gpus or job.nodes > max_nodes then return end

        -- Without --time it is the default of the partition. nil (no partition) and math.huge are not short.
        local minutes = job.time_limit
        if minutes == nil or minutes > max_minutes then return end

        job.partition = to
        if to_qos and not job:is_set("qos") then job.qos = to_qos end
        job:warn("short GPU job (%d GPUs, %d minutes): sent to partition %s", job.gpus, minutes, to)
    end,
}
