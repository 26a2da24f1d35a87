-- SPDX-License-Identifier: GPL-2.0-or-later
SITE_NAME = "the " .. 4 / 2 .. " clusters"
return { ... }
