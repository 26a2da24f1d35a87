# SPDX-License-Identifier: GPL-2.0-or-later
"""The story of contrib/demo, and the stage that it plays on."""
