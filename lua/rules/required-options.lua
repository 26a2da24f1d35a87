-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Options that every job must give, with a help text.
--
-- To use it: copy this file into qosgate.d/ (as 10-required-options.lua, say) and adapt the list below.

local names = require("names")
local options = require("options")

-- One of the fields must be given; the names are those of the fields of job in the guide to rules. With partitions,
-- the entry is only for jobs that name one of them.
local required = {
    { fields = "time_limit", help = "give the time that the job needs, for example --time=2:00:00" },
    { fields = "account", help = "give your project; 'sacctmgr show associations user=$USER' lists yours" },
    {
        fields = "memory_per_node,memory_per_cpu",
        partitions = { "large" },
        help = "jobs here say how much memory they need, see https://hpc.example.org/memory",
    },
}

-- The same as lists and sets, made once.
for _, entry in ipairs(required) do
    entry.list = names.list(entry.fields)
    entry.only_in = entry.partitions and names.set(entry.partitions)
end

local function is_given(job, fields)
    for i = 1, #fields do
        if job:is_set(fields[i]) then return true end
    end
    return false
end

local function names_one_of(job, partitions)
    for _, partition in names.each(job.partition) do
        if partitions[partition] then return true end
    end
    return false
end

rule {
    name = "required options",
    description = "jobs must give some options",
    mode = "enforce",
    on_error = "deny",
    on = { "submit" }, -- for a change, slurmctld has filled in what was not given
    exempt = { "operators" },
    submit = function(job)
        for _, entry in ipairs(required) do
            local is_meant = not entry.only_in or names_one_of(job, entry.only_in)
            if is_meant and not is_given(job, entry.list) then
                options.required(job, entry.fields, entry.help)
            end
        end
    end,
}
