-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Options that jobs must not give.
--
-- To use it: copy this file into qosgate.d/ (as 10-forbidden-options.lua, say) and adapt the list below.

local options = require("options")

-- The names are those of the fields of job in the guide to rules.
local forbidden = {
    { field = "nodelist", help = "the scheduler chooses the nodes; to avoid a broken one, write to help@example.org" },
    { field = "exclusive", help = "ask for the CPUs that you need" },
}

rule {
    name = "forbidden options",
    description = "jobs must not give some options",
    mode = "enforce",
    on_error = "deny",
    on = { "submit" }, -- for a change, slurmctld has filled in what was not given
    exempt = { "operators" },
    submit = function(job)
        for _, entry in ipairs(forbidden) do
            options.forbidden(job, entry.field, entry.help)
        end
    end,
}
