-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The longest time by partition and account.
--
-- Slurm has MaxTime per partition and MaxWall per QOS and account. This rule bounds the time by both together, for
-- example long jobs of one project in one partition.
--
-- To use it: copy this file into qosgate.d/ (as 20-max-time.lua, say) and adapt the table below.

local lookup = require("lookup")
local names = require("names")

-- Minutes by partition and account; "*" is all others. A partition that is not in the table has no bound here.
local max_minutes = {
    long = { astro = 14 * 24 * 60, ["*"] = 7 * 24 * 60 },
    debug = { ["*"] = 30 },
}

rule {
    name = "time by partition and account",
    description = "bounds the time of a job by its partition and account",
    mode = "enforce",
    on_error = "deny",
    exempt = { "operators" },
    submit = function(job)
        for _, partition in names.each(job.partition) do
            local most = lookup.find(max_minutes, partition, job.account)
            -- Without --time it is what the partition gives; math.huge is no limit.
            if most and job.time_limit > most then
                job:reject(
                    "jobs of account %s in partition %s may take %d minutes: use --time=%d or less",
                    job.account, partition, most, most
                )
            end
        end
    end,
}
