-- SPDX-License-Identifier: GPL-2.0-or-later
DEFAULT_MINUTES = 45
ACCOUNTS = { astro = "small", bio = "normal" }
