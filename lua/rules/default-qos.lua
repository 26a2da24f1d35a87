-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Default QOS by partition and size.
--
-- Slurm knows one default QOS per user. Where jobs without --qos should rather get one that fits what they ask
-- for, this rule chooses it. A QOS that the user names is never touched.
--
-- To use it: copy this file into qosgate.d/ (as 10-default-qos.lua, say) and adapt the table below. Start with
-- mode = "shadow" at the end of the file: then the log says what would change, and nothing does.

-- For each partition, a list that is read from the top; the first entry that the job fits into decides. An entry
-- may name any of
--     gpus, nodes, cpus   the most that the job may ask for
--     time                the longest time limit, in minutes
-- and what it does not name is not looked at, so an entry with a qos alone fits every job.
-- A partition that is not in the table is left to Slurm's own default.
local by_partition = {
    gpu = {
        { gpus = 1, time = 60, qos = "gpu-short" },
        { gpus = 8, qos = "gpu-normal" },
        { qos = "gpu-large" },
    },
    cpu = {
        { nodes = 1, time = 24 * 60, qos = "cpu-small" },
        { qos = "cpu-normal" },
    },
}

local function fits(job, entry)
    if entry.gpus and job.gpus > entry.gpus then return false end
    if entry.nodes and job.nodes > entry.nodes then return false end
    if entry.cpus and job.cpus > entry.cpus then return false end
    if entry.time then
        -- nil: no limit was asked for and the partition has no default, so it can run for ever.
        -- "No limit" itself is math.huge and compares as one would wish.
        local minutes = job.time_limit or math.huge
        if minutes > entry.time then return false end
    end
    return true
end

-- The QOS for the job in one of its partitions; nil where the table has no opinion.
local function choose(job, partition)
    for _, entry in ipairs(by_partition[partition] or {}) do
        if fits(job, entry) then return entry.qos end
    end
end

rule {
    name = "default QOS by partition and size",
    mode = "enforce",
    on_error = "deny",
    submit = function(job)
        -- job.qos would answer with the user's default QOS here; is_set tells whether the request names one.
        if job:is_set("qos") then return end

        -- A job may name several partitions. They must agree, for there is one QOS only.
        local chosen
        for partition in (job.partition or ""):gmatch("[^,]+") do
            local qos = choose(job, partition)
            if qos == nil or (chosen and chosen ~= qos) then return end
            chosen = qos
        end
        if chosen then job.qos = chosen end
    end,
}
