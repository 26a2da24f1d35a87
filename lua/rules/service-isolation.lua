-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A service runs only in its own partition and QOS, and nobody else runs there.
--
-- A web portal or a nightly backup submits jobs as a user, or in an account, of its own. This rule keeps its jobs away
-- from the others, and the others away from its nodes.
--
-- To use it: copy this file into qosgate.d/ (as 10-service-isolation.lua, say) and adapt the table below.

local names = require("names")

-- The jobs of a service are those of its users and of its accounts. It has a partition, a QOS, or both; several
-- services may share one. Who is in several services belongs to the first one.
local services = {
    { name = "the web portal", accounts = { "portal" }, partition = "portal", qos = "portal" },
    { name = "the backup", users = { "backup" }, qos = "backup" },
}

-- The fields that a service may have, and what users call them.
local fields = { partition = "partition", qos = "QOS" }

-- Made once: sets of names, and which services own a partition or QOS.
local owners = { partition = {}, qos = {} }
for _, service in ipairs(services) do
    service.is_user, service.is_account = names.set(service.users or {}), names.set(service.accounts or {})
    for field in pairs(fields) do
        local place = service[field]
        if place then
            owners[field][place] = owners[field][place] or {}
            owners[field][place][service] = true
        end
    end
end

-- The service of a job; nil: none.
local function service_of(job)
    for _, service in ipairs(services) do
        if service.is_user[job.user or ""] or service.is_account[job.account or ""] then return service end
    end
    return nil
end

local function check(job, field, word, own)
    for _, place in names.each(job[field]) do
        if own and own[field] and place ~= own[field] then
            job:reject("jobs of %s run only in %s %s, not in %s", own.name, word, own[field], place)
        end
        local of_services = owners[field][place]
        if of_services and not (own and of_services[own]) then
            job:reject("%s %s is only for a service: name another one with --%s", word, place, field)
        end
    end
end

rule {
    name = "service isolation",
    description = "services have partitions and QOSs of their own",
    mode = "enforce",
    on_error = "deny",
    exempt = { "operators" },
    submit = function(job)
        local own = service_of(job)
        if own and own.partition and not job:is_set("partition") then job.partition = own.partition end
        if own and own.qos and not job:is_set("qos") then job.qos = own.qos end
        check(job, "partition", fields.partition, own)
        check(job, "qos", fields.qos, own)
    end,
}
