-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Short GPU jobs go to the debug partition.
--
-- A job that wants one or two GPUs for a few minutes need not wait behind training runs of days. This rule sends
-- it to the partition kept for that, and tells the user so.
--
-- To use it: copy this file into qosgate.d/ (as 20-short-gpu-jobs.lua, say) and adapt the values below. With
-- mode = "shadow" at the end of the file the log shows what would be moved, and nothing is.

local from = { gpu = true } -- jobs of these partitions are looked at
local to = "debug"          -- and go here
local to_qos = nil          -- with this QOS, unless the user names one; nil: leave the QOS alone
local max_gpus = 2          -- for at most so many GPUs
local max_nodes = 1         -- on at most so many nodes
local max_minutes = 30      -- for at most this long

-- Whether the user has tied the job to a place, so that moving it would break it.
local function is_tied(job)
    return job:is_set("reservation") or job:is_set("nodelist") or job.is_het_part
end

rule {
    name = "short GPU jobs to debug",
    mode = "enforce",
    on_error = "allow", -- a job that stays where it was is no harm
    submit = function(job)
        -- One partition only: a list is a choice of the user's own. The lookup of nil would be an error.
        if not job.partition or not from[job.partition] then return end
        if is_tied(job) then return end
        if job.gpus < 1 or job.gpus > max_gpus or job.nodes > max_nodes then return end

        -- nil is no time limit at all, math.huge is --time=UNLIMITED: neither is short.
        local minutes = job.time_limit
        if minutes == nil or minutes > max_minutes then return end

        job.partition = to
        if to_qos and not job:is_set("qos") then job.qos = to_qos end
        job:warn("short GPU job (%d GPUs, %d minutes): sent to partition %s", job.gpus, minutes, to)
    end,
}
