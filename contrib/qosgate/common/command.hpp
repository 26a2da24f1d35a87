// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a command of the program consists of. A command adds itself, its options and its help to its parent,
// and stores in the Invocation what to do when the command line has been read:
//
//   void add_frob(Command parent, Invocation& invocation) {
//       auto options = std::make_shared<FrobOptions>();
//       Command command = add_command(parent, "frob", "One sentence.", "Examples:\n  qosgate frob x");
//       command.add_option("NAME", options->name, "…").required();
//       add_json_flag(command, invocation);
//       command.callback([&invocation, options] {
//           invocation.action = [options](Output& output) { return frob(*options, output); };
//       });
//   }
//
// A new command is its file, qos_frob.cpp for a verb of `qosgate qos`, and its line in meson.build.
#pragma once

#include "common/command_line.hpp"
#include "common/output.hpp"

#include "qosgate/base/result.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace qg::cli {

/// What a command does. It returns the exit status of a success (0, or another one that its help names).
using Action = std::function<Result<int>(Output&)>;

/// What the command line requests.
struct Invocation {
    Action action;
    bool json = false;
};

/// Adds a command with its help; `examples` is shown below the options.
Command add_command(Command parent, const std::string& name, const std::string& summary,
                    const std::string& examples);

/// The members of a command's answer in lines for its help, made from its schema in contrib/schemas. The
/// command is named as the schema is: "qos-list".
std::string_view json_help(std::string_view command);

/// Adds these lines to the command's help, which is complete otherwise, below a title.
void add_answer_help(Command command, std::string_view title);

/// Adds --json, and its answer to the help.
void add_json_flag(Command command, Invocation& invocation);

/// One command, as meson.build lists them.
struct CommandRow {
    std::string_view noun; ///< the noun of a verb; empty: the top level
    const char* name;
    void (*add)(Command parent, Invocation& invocation); ///< null: it needs Slurm, and this build has none
};

/// Adds the commands below a noun, or with "" those of the top level, in the order of the list.
void add_commands(Command parent, std::string_view noun, Invocation& invocation);

} // namespace qg::cli
