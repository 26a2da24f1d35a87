// SPDX-License-Identifier: GPL-2.0-or-later
//
// What was installed, and where: a tree that was moved as a whole is found by where the program lies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace qg::cli {

/// The directories that may have what was built to be installed into `directory` (absolute), the first one
/// first: beside the program, relative to it as at the installation, and `directory` itself.
std::vector<std::filesystem::path> places_of(const std::filesystem::path& directory);

/// For --version: the version and its commit, the branches of Slurm that there are gates for, and the Slurm
/// of this host, a line each. Cost: starts `scontrol --version`.
std::string describe_installation();

} // namespace qg::cli
