-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- How many GPUs a user may have at once, by the hour: few by day, when many work, more at night.
--
-- MaxTRESPerUser of a QOS is one number for all users and hours. Here the numbers are in a table that a program may
-- write. The rule looks at submission, and at a change to more GPUs: a job that waits until another hour is not looked
-- at again, and jobs that wait are not counted. For a strict bound use MaxTRESPerUser, too.
--
-- To use it: copy this file into qosgate.d/ (as 30-gpu-caps.lua, say) and data/gpu-caps.csv into qosgate.d/data, and
-- adapt the table there. A line has
--     user          a login name; empty: everybody without a line for that hour
--     from, to      hours from 0 to 24: from 8 to 18 is 8:00 to 17:59; from 18 to 8 goes over midnight
--     gpus          the maximum of GPUs that the user's running jobs and this one have together
-- Hours without a line have no maximum.

local lookup = require("lookup")

local function number_of(row, line, column, most)
    local number = math.tointeger(tonumber(row[column]))
    if not number or number < 0 or number > most then
        error(("gpu-caps.csv, row %d: %s is a whole number from 0 to %d"):format(line, column, most))
    end
    return number
end

-- The maximum by user and hour.
local caps = {}
for line, row in ipairs(data("gpu-caps.csv")) do
    local from, to = number_of(row, line, "from", 24), number_of(row, line, "to", 24)
    local most = number_of(row, line, "gpus", 1000000)
    local by_hour = caps[row.user or "*"] or {}
    caps[row.user or "*"] = by_hour
    for hours = 0, (to - from - 1) % 24 do
        by_hour[(from + hours) % 24] = most
    end
end

-- The GPUs of the running jobs of the job's association: of the user in the job's account.
local function in_use(view)
    local association = view.association()
    return association and association.usage.tres.gpu or 0
end

local function check(job, view)
    if job.gpus == 0 then return end
    local hour = view.now.hour
    local most = lookup.find(caps, job.user, hour)
    if not most then return end
    local used = in_use(view)
    if used + job.gpus > most then
        job:reject(
            "at this hour (%02d:00 to %02d:59) a user may have %d GPUs at once: your jobs have %d, this one asks for %d",
            hour, hour, most, used, job.gpus
        )
    end
end

rule {
    name = "GPUs per user by hour",
    description = "bounds the GPUs of a user by the hour",
    mode = "enforce",
    on_error = "deny",
    exempt = { "operators" },
    submit = check,
    modify = function(job, before, view)
        if job.gpus > before.gpus then check(job, view) end
    end,
}
