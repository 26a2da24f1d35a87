// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scripts with which a shell completes the command line of this program.
#pragma once

#include "command_tree.hpp"

#include <span>
#include <string>
#include <string_view>

namespace qg::cli {

struct Shell {
    std::string_view name;
    std::string (*make_script)(const CommandHelp& root);
};

/// bash, zsh and fish.
std::span<const Shell> shells();

} // namespace qg::cli
