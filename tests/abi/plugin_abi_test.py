#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What a plugin shows to its host and what it wants from it, as the dynamic linker sees it.

Usage: plugin_abi_test.py PLUGIN TYPE VERSION_NUMBER gate|loader
"""

from __future__ import annotations

import ctypes
import ctypes.util
import re
import subprocess
import sys
import unittest

PLUGIN, TYPE, VERSION, PART = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]

EXPORTS = {
    "job_submit": {
        "plugin_name",
        "plugin_type",
        "plugin_version",
        "init",
        "fini",
        "job_submit",
        "job_modify",
    },
    "cli_filter": {
        "plugin_name",
        "plugin_type",
        "plugin_version",
        "init",
        "fini",
        "cli_filter_p_setup_defaults",
        "cli_filter_p_pre_submit",
        "cli_filter_p_post_submit",
    },
}

# What a loader asks a gate for besides.
FOR_LOADER = {"qosgate_layout", "qosgate_use_release"}

# What any Slurm daemon has, in every release from 22.05 on. A name that is not here may be missing in another
# release or daemon; with immediate binding, which distributions switch on, the plugin would not load there. Such a
# name belongs into engine/qosgate/slurm/host_symbols.hpp.
SLURM_IMPORTS = {
    "slurm_bit_size",
    "slurm_bit_test",
    "slurm_debug",
    "slurm_debug2",
    "slurm_debug3",
    "slurm_error",
    "slurm_free_conf",
    "slurm_free_ctl_conf",
    "slurm_free_job_desc_msg",
    "slurm_free_job_info_msg",
    "slurm_free_license_info_msg",
    "slurm_free_node_info_msg",
    "slurm_free_partition_info_msg",
    "slurm_free_reservation_info_msg",
    "slurm_info",
    "slurm_list_count",
    "slurm_list_find_first_ro",
    "slurm_list_iterator_create",
    "slurm_list_iterator_destroy",
    "slurm_list_next",
    "slurm_load_ctl_conf",
    "slurm_load_jobs",
    "slurm_load_licenses",
    "slurm_load_node",
    "slurm_load_partitions",
    "slurm_load_reservations",
    "slurm_strerror",
    "slurm_verbose",
    "slurm_xfree",
    "slurm_xrecalloc",
    "slurm_xstrdup",
}

# What sbatch, salloc and srun have besides.
CLIENT_IMPORTS = {
    "slurm_free_assoc_mgr_info_msg",
    "slurm_list_append",
    "slurm_list_create",
    "slurm_list_destroy",
    "slurm_load_assoc_mgr_info",
    "slurm_opt_create_job_desc",
    "slurm_option_get",
    "slurm_option_get_next_set",
    "slurm_option_isset",
    "slurm_option_reset",
    "slurm_option_set",
    "slurm_option_table_create",
    "slurm_option_table_destroy",
}

# Symbols with these versions come from the libraries named in LIBRARIES.
VERSIONS = re.compile(r".+@(GLIBC|GLIBCXX|CXXABI|GCC|LUA)_[\w.]+")
OTHER_IMPORTS = re.compile(r"_ZNK?3fmt.*|_ITM_\w+|__gmon_start__|__cxa_finalize")

LIBRARIES = re.compile(r"lib(c|m|stdc\+\+|gcc_s|fmt|lua5\.4|pthread|dl)\.so[.\d]*|ld-linux[\w.-]*|ld64\.so[.\d]*")


def read(*command: str) -> list[str]:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def symbols(option: str) -> set[str]:
    return {line.split()[-1] for line in read("nm", "-D", option, PLUGIN) if line.strip()}


class PluginAbi(unittest.TestCase):
    def test_it_exports_what_slurm_looks_up_and_nothing_else(self) -> None:
        exported = EXPORTS[TYPE.partition("/")[0]]
        self.assertEqual(symbols("--defined-only"), exported | FOR_LOADER if PART == "gate" else exported)

    def test_it_imports_only_what_every_host_has(self) -> None:
        slurms = set() if PART == "loader" else SLURM_IMPORTS | (CLIENT_IMPORTS if TYPE.startswith("cli_filter") else set())
        for name in sorted(symbols("--undefined-only")):
            with self.subTest(name):
                known = name in slurms or VERSIONS.fullmatch(name) or OTHER_IMPORTS.fullmatch(name)
                self.assertTrue(known, f"{name} is not known to be in every host")

    def test_it_never_registers_a_destructor(self) -> None:
        """slurmctld exits while its threads may be inside the plugin."""
        self.assertFalse({name for name in symbols("--undefined-only") if name.startswith("__cxa_atexit")})

    def test_it_needs_no_slurm_library(self) -> None:
        needed = [line.split("[")[1].rstrip("]") for line in read("readelf", "-d", PLUGIN) if "(NEEDED)" in line]
        self.assertTrue(needed)
        for library in needed:
            with self.subTest(library):
                self.assertRegex(library, rf"^({LIBRARIES.pattern})$")

    def test_it_stays_in_memory_and_has_no_search_path(self) -> None:
        dynamic = "\n".join(read("readelf", "-d", PLUGIN))
        # A loader never closes the gate that it uses; one that it does not use shall go.
        self.assertEqual("NODELETE" in dynamic, PART == "loader")
        self.assertNotIn("RPATH", dynamic)
        self.assertNotIn("RUNPATH", dynamic)

    def test_it_is_for_the_release_it_was_built_for(self) -> None:
        # Stands in for the host: every name the plugin imports resolves against the public library, too.
        ctypes.CDLL(ctypes.util.find_library("slurm"), mode=ctypes.RTLD_GLOBAL)
        plugin = ctypes.CDLL(PLUGIN)
        self.assertEqual(ctypes.c_uint32.in_dll(plugin, "plugin_version").value, VERSION)
        name = (ctypes.c_char * (len(TYPE) + 1)).in_dll(plugin, "plugin_type")
        self.assertEqual(name.value.decode(), TYPE)
        self.assertEqual(name.raw[-1], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
