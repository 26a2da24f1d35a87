-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- One QOS out of several for a job, by what their limits leave.
--
--   local route = require("route")
--   local qos, why = route.choose(job, view, { candidates = { "debug", "normal", "long" } })
--   if qos then job.qos = qos else job:reject("no QOS takes this job: %s", why) end

local M = {}

-- How often an amount can be taken from what is left; nil is left if it is unlimited.
local function share(left, amount)
    if not left or amount == 0 then return math.huge end
    return amount == math.huge and 0 or left / amount
end

-- The same for all TRES of the job, each `factor` times.
local function share_of_tres(left, job, factor)
    local least = math.huge
    for name, amount in pairs(left) do
        local asked = job.tres[name]
        least = math.min(least, share(amount, asked == 0 and 0 or asked * factor))
    end
    return least
end

-- For how many jobs like this one the limits of a QOS leave room, not rounded; math.huge: for any number.
---@param job qosgate.Job
---@param qos qosgate.view.qos
---@return number
function M.room(job, qos)
    local left = qos:headroom()
    -- Without --time it is the default of the partition; nil: the job has no partition.
    local minutes = job.time_limit or 0
    return math.min(
        share(left.jobs, 1),
        share(left.submit_jobs, job.array_tasks),
        share(left.wall_minutes, minutes),
        share_of_tres(left.tres, job, 1),
        share_of_tres(left.tres_minutes, job, minutes),
        share_of_tres(left.tres_run_minutes, job, minutes)
    )
end

-- Each puts the candidates in the order in which they are tried: a candidate with a higher value comes first.
local value_for = {
    first_fit = function() return 0 end,
    highest_priority = function(_, qos) return qos.Priority end,
    most_headroom = M.room,
}

-- The candidates that exist, in the order in which they are tried.
local function in_order(job, view, candidates, value_of)
    local order = {}
    for _, name in ipairs(candidates) do
        local qos = view.qos(name)
        if qos then
            local value, at = value_of(job, qos), #order + 1
            while at > 1 and order[at - 1].value < value do
                at = at - 1
            end
            table.insert(order, at, { qos = qos, value = value })
        end
    end
    return order
end

local max_candidates = 16

-- Raises an error, with the line of the rule, unless there is a list of names.
local function check(view, options)
    local list = type(options) == "table" and options.candidates
    if not view or type(list) ~= "table" or #list == 0 or #list > max_candidates then
        error(
            'write route.choose(job, view, { candidates = { "short", "long" } }), with 1 to '
                .. max_candidates
                .. " names of QOSs",
            3
        )
    end
end

-- The name of the QOS, out of options.candidates, in which the job would be accepted and start, as far as limits
-- decide. If there are several, options.choose says which: "first_fit" (the first of the list, the default),
-- "highest_priority" (by Priority), "most_headroom" (where the most jobs like this one have room). Nil and the reason
-- of the first candidate that was tried: there is none.
---@param job qosgate.Job
---@param view qosgate.view
---@param options { candidates: string[], choose: "first_fit"|"highest_priority"|"most_headroom"|nil }
---@return string?
---@return string? why there is none
function M.choose(job, view, options)
    check(view, options)
    local choose = options.choose or "first_fit"
    local value_of = value_for[choose]
    if not value_of then
        error("choose = '" .. choose .. "' is unknown (first_fit, highest_priority, most_headroom)", 2)
    end
    local why
    for _, candidate in ipairs(in_order(job, view, options.candidates, value_of)) do
        local fits, reason = candidate.qos:fits(job)
        if fits then return candidate.qos.name end
        why = why or "QOS " .. candidate.qos.name .. ": " .. reason
    end
    return nil, why or "there is none of them"
end

return M
