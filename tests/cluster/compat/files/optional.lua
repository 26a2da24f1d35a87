-- SPDX-License-Identifier: GPL-2.0-or-later
-- Says that this module is not there.
error("none")
