# SPDX-License-Identifier: GPL-2.0-or-later
"""A private Slurm cluster in one directory: munge, MariaDB, slurmdbd, slurmctld and N slurmd.

Layers, each using only the ones above it:

=============  ====================================================================
errors         the one exception type, with the exit code it stands for
interrupts     Ctrl-C and its kin: raised, held off or ignored
layout         where everything lives under the directory, and the saved state
processes      finding, watching and ending the processes of one cluster
ports          free loopback ports, held until the daemons have them
programs       Slurm's, munge's and MariaDB's programs on this machine
slurm_conf     slurm.conf and gres.conf from defaults plus the caller's lines
users          invented users (nss_wrapper) and the environment of a cluster
copies         what users of the cluster load and run, where they can reach it
config         every other configuration file
daemons        how each daemon is started and how one knows that it answers
lifecycle      up, start, stop, down, status
=============  ====================================================================
"""
