-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Default QOS by partition and size.
--
-- Slurm has one default QOS per user. This rule gives jobs without --qos a QOS that fits what they ask for. It
-- never changes a QOS that the user names.
--
-- To use it: copy this file into qosgate.d/ (as 10-default-qos.lua, say) and adapt the table below. Start with
-- mode = "shadow" at the end of the file: then the log shows what would change, but nothing changes.

local buckets = require("buckets")
local names = require("names")

-- For each partition a list of entries. The first entry that the job fits into gives the QOS. An entry may set
--     gpus, nodes, cpus   the maximum that the job asks for
--     time                the maximum time limit, in minutes
-- Values that it does not set are not checked, so an entry with only a qos fits every job.
-- In a partition that is not in the table, Slurm's own default stays.
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

rule {
    name = "default QOS by partition and size",
    description = "gives jobs without --qos one that fits what they ask for",
    mode = "enforce",
    on_error = "deny",
    on = { "submit" }, -- what rules write at a change is not applied
    submit = function(job)
        -- job.qos would be the user's default QOS here; is_set tells whether the request names one.
        if job:is_set("qos") then return end

        -- A job may name several partitions. They must agree, because it has only one QOS.
        local chosen
        for _, partition in names.each(job.partition) do
            local entry = buckets.choose(job, by_partition[partition] or {})
            if entry == nil or (chosen and chosen ~= entry.qos) then return end
            chosen = entry.qos
        end
        if chosen then job.qos = chosen end
    end,
}
