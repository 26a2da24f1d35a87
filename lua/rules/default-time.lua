-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Default time limits by partition and size.
--
-- Slurm has one DefaultTime per partition. This rule gives jobs without --time a limit that fits what they ask for, and
-- tells the user. It never changes a time that the user gives.
--
-- To use it: copy this file into qosgate.d/ (as 10-default-time.lua, say) and adapt the table below.

local buckets = require("buckets")
local names = require("names")

-- For each partition a list of entries. The first entry that the job fits into gives the minutes.
local by_partition = {
    debug = { { minutes = 15 } },
    cpu = {
        { nodes = 1, minutes = 4 * 60 },
        { minutes = 60 }, -- a large job that ends early leaves many nodes
    },
}

rule {
    name = "default time",
    description = "gives jobs without --time a limit by partition and size",
    mode = "enforce",
    on_error = "allow", -- Slurm's own default stays
    on = { "submit" },
    submit = function(job)
        if job:is_set("time_limit") then return end
        -- Of several partitions the shortest time counts, because all of them allow it.
        local minutes
        for _, partition in names.each(job.partition) do
            local entry = buckets.choose(job, by_partition[partition] or {})
            if entry == nil then return end
            if minutes == nil or entry.minutes < minutes then minutes = entry.minutes end
        end
        if minutes == nil then return end
        job.time_limit = minutes
        job:note("no --time given: set to %d minutes", minutes)
    end,
}
