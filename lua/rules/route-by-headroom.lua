-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A job without --qos runs in the QOS that leaves the most room for it.
--
-- To use it: copy this file into qosgate.d/ (as 20-route-by-headroom.lua, say) and adapt the table below. Start with
-- mode = "shadow" at the end of the file: then the log shows what would change, but nothing changes.

local route = require("route")

-- The QOSs to choose from; of those with equal room the first. A QOS that the user may not use is passed over.
-- choose may also be "first_fit" or "highest_priority".
local options = { candidates = { "short", "normal", "long" }, choose = "most_headroom" }

rule {
    name = "route by headroom",
    description = "gives jobs without --qos the QOS with the most room for them",
    mode = "enforce",
    on_error = "deny",
    on = { "submit" },
    submit = function(job, view)
        -- job.qos would be the user's default QOS here; is_set tells whether the request names one.
        if job:is_set("qos") then return end
        -- Where the job would start in none of them, Slurm's own default stays.
        local qos = route.choose(job, view, options)
        if qos then job.qos = qos end
    end,
}
