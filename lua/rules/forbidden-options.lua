-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Options that jobs must not give, neither when they are submitted nor in a change.
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
    exempt = { "operators" },
    submit = function(job)
        for _, entry in ipairs(forbidden) do
            options.forbidden(job, entry.field, entry.help)
        end
    end,
    -- slurmctld has filled in what was not given, so only what a change adds counts.
    modify = function(job, before)
        for _, entry in ipairs(forbidden) do
            if not before:is_set(entry.field) then options.forbidden(job, entry.field, entry.help) end
        end
    end,
}
