# SPDX-License-Identifier: GPL-2.0-or-later
"""The steps of contrib/demo, and the code that runs and shows them."""
