-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- A QOS for each department, by the user's Linux group or the account.
--
-- A job without --qos gets the QOS of its department. A QOS of a department is for nobody else.
--
-- To use it: copy this file into qosgate.d/ (as 10-department-qos.lua, say) and adapt the table below. The QOSs must
-- exist, and users need access to them. The groups of a new user are known some seconds after the first job.

local names = require("names")

-- A department is a Linux group, an account, or both: one of them is enough. Who is in several departments may use
-- the QOS of each, and gets the first one. Users of none keep Slurm's own default.
local departments = {
    { group = "physics", qos = "physics" },
    { group = "biology", account = "bio", qos = "biology" },
    { account = "guests", qos = "guests" },
}

-- The QOSs that belong to departments.
local is_for_departments = {}
for _, department in ipairs(departments) do
    is_for_departments[department.qos] = true
end

local function is_in(department, job, view)
    if department.account and department.account == job.account then return true end
    return department.group ~= nil and view.user.in_group(department.group)
end

local function may_use(qos, job, view)
    for _, department in ipairs(departments) do
        if department.qos == qos and is_in(department, job, view) then return true end
    end
    return false
end

rule {
    name = "QOS of the department",
    description = "gives jobs the QOS of the user's department, and keeps it for them",
    mode = "enforce",
    on_error = "deny",
    exempt = { "operators" },
    submit = function(job, view)
        if not job:is_set("qos") then
            for _, department in ipairs(departments) do
                if is_in(department, job, view) then
                    job.qos = department.qos
                    return
                end
            end
        end
        -- The job's own QOS, or the user's default one.
        for _, qos in names.each(job.qos) do
            if is_for_departments[qos] and not may_use(qos, job, view) then
                job:reject("QOS %s is for another department: leave out --qos, or name one of your own", qos)
            end
        end
    end,
}
