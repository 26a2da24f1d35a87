-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- The size of jobs by partition: large ones belong in one, small ones in another.
--
-- Slurm has MinNodes and MaxNodes of a partition. This rule also bounds CPUs and memory, tells the user which partition
-- fits, and with mode = "warn" rejects nothing.
--
-- To use it: copy this file into qosgate.d/ (as 20-partition-size.lua, say) and adapt the table below. A range
-- of nodes counts with its lower end for a minimum of nodes (as it was asked for, also if its tasks need more), else
-- with its upper end. A job without --nodes may get
-- more nodes than it needs: of such jobs a maximum here is no strict bound.

local names = require("names")

-- min and max are what one job may ask for: nodes, cpus, gpus, or memory in MiB. use: where other jobs go.
local by_partition = {
    large = { min = { nodes = 8 }, use = "cpu" },
    small = { max = { nodes = 1, cpus = 16 }, use = "cpu" },
}

local function fewest(job, field)
    if field == "nodes" and job.max_nodes then return job.min_nodes or 1 end
    return job[field]
end

local function check(job, partition, bounds)
    for field, least in pairs(bounds.min or {}) do
        if fewest(job, field) < least then
            job:reject(
                "partition %s is for jobs with at least %d %s, this one asks for %d: use --partition=%s",
                partition, least, field, fewest(job, field), bounds.use
            )
        end
    end
    for field, most in pairs(bounds.max or {}) do
        if job[field] > most then
            job:reject(
                "partition %s is for jobs with at most %d %s, this one asks for %d: use --partition=%s",
                partition, most, field, job[field], bounds.use
            )
        end
    end
end

rule {
    name = "size by partition",
    description = "large and small jobs have partitions of their own",
    mode = "enforce",
    on_error = "deny",
    exempt = { "operators" },
    submit = function(job)
        for _, partition in names.each(job.partition) do
            if by_partition[partition] then check(job, partition, by_partition[partition]) end
        end
    end,
}
