// SPDX-License-Identifier: GPL-2.0-or-later
//
// OpenDirectory: a directory that is closed with its owner.
//
//   const OpenDirectory directory(opendir("/etc/slurm"));
//   while (const dirent* entry = directory ? readdir(directory.get()) : nullptr) …
#pragma once

#include <memory>

#include <dirent.h>

namespace qg {

struct CloseDirectory {
    void operator()(DIR* directory) const noexcept { closedir(directory); }
};
using OpenDirectory = std::unique_ptr<DIR, CloseDirectory>;

} // namespace qg
