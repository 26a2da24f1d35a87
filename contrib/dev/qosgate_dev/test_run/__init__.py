# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/test: builds, runs what can fail, shows how far it is, and ends with what failed.

=========  ==========================================================
plan       the phases of a run, in their order
phases     one thing that is built or tested; none of them waits
jobs       the process of a phase, and its output
tests      Meson's tests: which there are, which run now, how they end
changed    which tests a difference can touch
durations  how long all this took the last time
screen     the lines that people see meanwhile
report     what has ended, and the conclusion
=========  ==========================================================
"""
