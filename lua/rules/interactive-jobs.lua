-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Interactive jobs have a partition and a time of their own.
--
-- A user waits at a terminal for the job of salloc or srun. Such jobs go to a partition that is kept free for them,
-- unless the user names another one, and they are short.
--
-- To use it: copy this file into qosgate.d/ (as 20-interactive-jobs.lua, say) and adapt the values below.

local names = require("names")

local partition = "interactive" -- for interactive jobs that name no partition
local qos = nil                 -- with this QOS, unless the user names one; nil: do not change the QOS
local default_minutes = 60      -- without --time
local max_minutes = 8 * 60      -- the maximum in that partition
local is_only_for_them = true   -- no batch jobs there

rule {
    name = "interactive jobs",
    description = "sends jobs of salloc and srun to a partition of their own",
    mode = "enforce",
    on_error = "allow", -- a job that does not move does no harm
    on = { "submit" },
    submit = function(job)
        if not job.interactive then
            if is_only_for_them and names.has(job.partition, partition) then
                job:reject("partition %s is for interactive jobs (salloc, srun): use another one for sbatch", partition)
            end
            return
        end
        if not job:is_set("partition") then job.partition = partition end
        if not names.has(job.partition, partition) then return end
        if qos and not job:is_set("qos") then job.qos = qos end
        if not job:is_set("time_limit") then
            job.time_limit = default_minutes
            job:note("no --time given: set to %d minutes", default_minutes)
        elseif job.time_limit > max_minutes then
            job:reject("interactive jobs may take %d minutes: use sbatch for longer ones", max_minutes)
        end
    end,
}
