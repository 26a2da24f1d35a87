// SPDX-License-Identifier: GPL-2.0-or-later
//
// Texts that Slurm's library hands over to its caller.
#pragma once

#include <memory>

// Exported by all releases, declared in no public header.
extern "C" void slurm_xfree(void** block);

namespace qg::plugin {

struct TextDeleter {
    void operator()(char* text) const noexcept {
        void* block = text;
        slurm_xfree(&block);
    }
};

/// Owns such a text.
using SlurmText = std::unique_ptr<char, TextDeleter>;

} // namespace qg::plugin
