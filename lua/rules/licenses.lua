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

-- How many the job asks for; nil: it does not name the license. cad:0 asks for none.
local function count_of(job, license)
    local counts = job.license_counts
    return counts and counts[name_of(license)]
end

local function add(job, license)
    local count = count_of(job, license)
    if count and count > 0 then return end
    if count then
        job:reject("this job needs the license %s: ask for at least one, with --licenses=%s", name_of(license), license)
    end
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
