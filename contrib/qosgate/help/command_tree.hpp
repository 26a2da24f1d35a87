// SPDX-License-Identifier: GPL-2.0-or-later
//
// The commands of the program with their help, as plain values: completion scripts and manual pages are made
// from them.
#pragma once

#include "common/command_line.hpp"

#include <string>
#include <vector>

namespace qg::cli {

struct OptionHelp {
    std::vector<std::string> names; ///< "-h", "--help"; empty: it stands without a name
    std::string value;              ///< "SECONDS"; empty: it takes none
    std::string summary;
    std::string preset; ///< the value without the option; empty: the summary says it
    bool is_required = false;
    bool is_repeatable = false;
};

struct CommandHelp {
    std::string path; ///< "qosgate qos list"
    std::string summary;
    std::string text; ///< what stands below the options
    std::vector<OptionHelp> options;
    std::vector<CommandHelp> commands = {};

    /// "list"
    [[nodiscard]] std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

/// The command and all below it.
CommandHelp read_command_tree(const Command& command);

/// The command and all below it, each before those below it.
std::vector<const CommandHelp*> all_commands(const CommandHelp& root);

} // namespace qg::cli
