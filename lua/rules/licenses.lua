-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Adds the licenses that a job needs for a program or a file system.
--
-- Users forget --licenses, and then more jobs start than there are licenses. This rule adds licenses by the features
-- and partitions that a job asks for.
--
-- To use it: copy this file into qosgate.d/ (as 30-licenses.lua, say) and adapt the tables below. The licenses must
-- exist: 'scontrol show licenses' lists them.

local names = require("names")

local by_feature = { scratch = "scratch_io:1" } -- for --constraint=scratch
local by_partition = { cad = "cad:1" }          -- for --partition=cad

-- The name of a license without its count.
local function name_of(license)
    return license:match("^[^:]+")
end

-- cad:0 asks for none.
local function asks_for(job, license)
    local counts = job.license_counts
    return counts and (counts[name_of(license)] or 0) > 0
end

local function add(job, license)
    if asks_for(job, license) then return end
    job:add("licenses", license)
    job:note("license added: %s", license)
end

rule {
    name = "licenses",
    description = "adds licenses by feature and partition",
    mode = "enforce",
    on_error = "deny",
    on = { "submit" }, -- what rules write at a change is not applied
    submit = function(job)
        -- The names alone: a feature may be a part of an expression, "fast&scratch*2".
        if job:is_set("feature_names") then
            for _, feature in ipairs(job.feature_names) do
                if by_feature[feature] then add(job, by_feature[feature]) end
            end
        end
        for _, partition in names.each(job.partition) do
            if by_partition[partition] then add(job, by_partition[partition]) end
        end
    end,
}
