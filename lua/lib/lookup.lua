-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Tables with several keys, as partition x account, with "*" for all others.
--
--   local lookup = require("lookup")
--   local max_nodes = { gpu = { astro = 8, ["*"] = 2 }, ["*"] = { ["*"] = 16 } }
--   local most = lookup.find(max_nodes, partition, job.account)
--   local by_key = lookup.index(data("limits.csv"), "partition", "account") -- once, at the top of the file

local M = {}

local function find(t, count, key, ...)
    if count == 0 or t == nil then return t end
    if key ~= nil then
        local found = find(t[key], count - 1, ...)
        if found ~= nil then return found end
    end
    return find(t["*"], count - 1, ...)
end

-- The value for the keys. Where a table has no such key, or no value behind it, its entry "*" counts;
-- earlier keys are more important. nil: there is none.
---@param t table?
---@param key any
---@param ... any
---@return any
function M.find(t, key, ...)
    if t == nil or (t["*"] == nil and (key == nil or t[key] == nil)) then return nil end -- the usual case
    return find(t, 1 + select("#", ...), key, ...)
end

-- The rows of a list by the values of their columns: lookup.index(rows, "partition", "account") has
-- rows[i] at [rows[i].partition][rows[i].account]. A row with an empty field counts as "*" there.
-- Two rows with the same keys are an error.
---@param rows table[]
---@param ... string the names of the columns
---@return table
function M.index(rows, ...)
    local columns = { ... }
    local all = {}
    for number, row in ipairs(rows) do
        local at = all
        for i = 1, #columns - 1 do
            local key = row[columns[i]] or "*"
            at[key] = at[key] or {}
            at = at[key]
        end
        local last = row[columns[#columns]] or "*"
        if at[last] then error(("row %d has the same keys as a row before it"):format(number), 2) end
        at[last] = row
    end
    return all
end

return M
