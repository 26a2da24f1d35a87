-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Lists of names with commas, as in job.partition, job.features and job.licenses.
--
--   local names = require("names")
--   for _, partition in ipairs(names.list(job.partition)) do ... end
--   if names.has(job.partition, "debug") then ... end
--   job.licenses = names.add(job.licenses, "matlab:1")

local M = {}

-- The names in a text, in order. nil has none.
function M.list(text)
    if not text then return {} end
    if text ~= "" and not text:find(",", 1, true) then return { text } end -- the usual case
    local found = {}
    for name in text:gmatch("[^,]+") do
        found[#found + 1] = name
    end
    return found
end

-- Whether the text has the name.
function M.has(text, name)
    for _, other in ipairs(M.list(text)) do
        if other == name then return true end
    end
    return false
end

-- The text with the name at its end, unless it has it already.
function M.add(text, name)
    if M.has(text, name) then return text end
    if text == nil or text == "" then return name end
    return text .. "," .. name
end

-- A list as a set: names.set { "a", "b" } is { a = true, b = true }.
function M.set(list)
    local found = {}
    for _, name in ipairs(list) do
        found[name] = true
    end
    return found
end

return M
