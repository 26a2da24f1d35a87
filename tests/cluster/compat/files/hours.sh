# SPDX-License-Identifier: GPL-2.0-or-later
# A site's own program, which the script other_programs.lua starts.
echo "$1:$((${#1} * 10))"
