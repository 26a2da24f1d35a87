-- SPDX-License-Identifier: GPL-2.0-or-later
local config = { max_nodes = 1, contact = "help@example.org" }

function config.round(minutes)
    return math.floor(minutes / 30) * 30
end

return config
