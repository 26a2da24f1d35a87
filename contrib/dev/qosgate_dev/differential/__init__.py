# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the engine's verdicts with those of a live slurmctld, on random configurations and jobs.

`contrib/dev/differential --help` runs it; contrib/doc/differential.md says what is compared and how to read it.
"""
