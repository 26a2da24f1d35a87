-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Lists of names with commas, as in job.partition, job.features and job.licenses.
--
--   local names = require("names")
--   for _, partition in names.each(job.partition) do ... end
--   if names.has(job.partition, "debug") then ... end
--   job.licenses = names.add(job.licenses, "matlab:1")

local M = {}

-- The names in a text, in order. nil has none.
---@param text string?
---@return string[]
function M.list(text)
    if not text then return {} end
    if text ~= "" and not text:find(",", 1, true) then return { text } end -- the usual case
    local found = {}
    for name in text:gmatch("[^,]+") do
        found[#found + 1] = name
    end
    return found
end

-- The lists of short texts that were asked for: most jobs name the same partitions, and every rule asks anew.
local max_length, max_count = 100, 100
local known, count = {}, 0
local none = {}

local function list_of(text)
    if not text then return none end
    local list = M.list(text)
    if #text <= max_length then
        if count == max_count then known, count = {}, 0 end
        known[text], count = list, count + 1
    end
    return list
end

local step = ipairs(none)

-- Goes through the names in a text, in order, without making a list. nil has none.
---@param text string?
---@return fun(list: string[], index: integer): integer?, string?
---@return string[]
---@return integer
function M.each(text)
    return step, known[text] or list_of(text), 0
end

-- Whether the text has the name.
---@param text string?
---@param name string
---@return boolean
function M.has(text, name)
    for _, other in M.each(text) do
        if other == name then return true end
    end
    return false
end

-- The text with the name at its end, unless it has it already.
---@param text string?
---@param name string
---@return string
function M.add(text, name)
    if M.has(text, name) then return text end
    if text == nil or text == "" then return name end
    return text .. "," .. name
end

-- A list as a set: names.set { "a", "b" } is { a = true, b = true }.
---@param list string[]
---@return table<string, true>
function M.set(list)
    local found = {}
    for _, name in ipairs(list) do
        found[name] = true
    end
    return found
end

return M
