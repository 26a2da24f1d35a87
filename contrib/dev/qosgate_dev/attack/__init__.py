# SPDX-License-Identifier: GPL-2.0-or-later
"""contrib/dev/attack: hostile requests against a live slurmctld with rules, and what must hold nevertheless.

==========  ==========================================================
requests    a request as one line, and back
generate    random requests
site        the private cluster, and the rules in force there
target      sends requests, and sees what slurmctld makes of them
properties  what must hold
run         all together: rounds, blame and the smallest request
==========  ==========================================================
"""
