# SPDX-License-Identifier: GPL-2.0-or-later
"""What only developers of qosgate run; the commands in contrib/dev start it.

=============  ====================================================================
cluster        a private Slurm cluster in one directory
testing        a private cluster as a test sees it
demo           the story of contrib/demo
bench          times of both plugins inside a slurmctld
differential   verdicts of the engine compared with those of a slurmctld
build          configures and builds
test_targets   what a suite of tests needs to be built
compile_alone  whether a file includes what it uses
test_run       contrib/test: builds, runs all tests, says how far it is
=============  ====================================================================
"""

import os
import sys
from pathlib import Path

# The top of the source tree.
ROOT = Path(__file__).resolve().parents[3]

# The commands of contrib/dev use the Python that runs already. Where python3 is a script that chooses one, such as
# pyenv's, a start of it costs more than most of these commands.
os.environ["QG_PYTHON"] = sys.executable or "python3"
