// SPDX-License-Identifier: GPL-2.0-or-later
//
// The manual page of a command, made from its help.
#pragma once

#include "command_tree.hpp"

#include <string>

namespace qg::cli {

/// "qosgate-qos-list"
std::string name_of_page(const CommandHelp& command);

/// The page as man(1) reads it, in roff with the macros of man(7). `root` is the program: its page says where
/// the others are.
std::string make_manual_page(const CommandHelp& command, const CommandHelp& root);

} // namespace qg::cli
