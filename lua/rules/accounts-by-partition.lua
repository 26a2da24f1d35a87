-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Which accounts may use which partitions.
--
-- AllowAccounts of a partition needs a reconfiguration for every change. Here the table may also be a file that a
-- program writes: with qosgate.d/data/partitions.json as {"gpu": ["astro", "bio"]}, write
--     local allowed = data("partitions.json")
--
-- To use it: copy this file into qosgate.d/ (as 10-accounts-by-partition.lua, say) and adapt the table below.

local names = require("names")

-- The accounts of a partition. A partition that is not in the table is open for all.
local allowed = {
    gpu = { "astro", "bio" },
    large = { "astro" },
}
local whom_to_ask = "help@example.org"

-- The lists as sets, made once.
local sets = {}
for partition, accounts in pairs(allowed) do
    sets[partition] = names.set(accounts)
end

rule {
    name = "accounts by partition",
    description = "some partitions are for some accounts",
    mode = "enforce",
    on_error = "deny",
    exempt = { "operators" },
    submit = function(job)
        for _, partition in names.each(job.partition) do
            local accounts = sets[partition]
            if accounts and not (job.account and accounts[job.account]) then
                job:reject(
                    "partition %s is not for account %s: use another one with --account or --partition, or ask %s",
                    partition, job.account or "(none)", whom_to_ask
                )
            end
        end
    end,
}
