// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a command of the program consists of. A command adds itself, its options and its help to its parent,
// and leaves in the Invocation what is to be done once the command line is read:
//
//   void add_frob(CLI::App& parent, Invocation& invocation) {
//       auto options = std::make_shared<FrobOptions>();
//       CLI::App* command = add_command(parent, "frob", "One sentence.", "Examples:\n  qosgate frob x");
//       command->add_option("NAME", options->name, "…")->required();
//       add_json_flag(*command, invocation);
//       command->callback([&invocation, options] {
//           invocation.action = [options](Output& output) { return frob(*options, output); };
//       });
//   }
//
// A new command is one file, one declaration below, one row in main.cpp's table (or in its noun's file) and
// one line in meson.build.
#pragma once

#include "output.hpp"

#include "qosgate/base/result.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace qg::cli {

/// What a command does; its result is the exit status of a success (0, or another that its help names).
using Action = std::function<Result<int>(Output&)>;

/// What the command line asks for.
struct Invocation {
    Action action;
    bool json = false;
};

/// Adds a command with its help; `examples` is shown below the options.
inline CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& summary,
                             const std::string& examples) {
    CLI::App* command = parent.add_subcommand(name, summary);
    command->footer(examples);
    return command;
}

/// Adds --json.
inline void add_json_flag(CLI::App& command, Invocation& invocation) {
    command.add_flag("--json", invocation.json, "Write one JSON object, also for an error");
}

/// Nouns and verbs of the top level.
void add_eval(CLI::App& app, Invocation& invocation);
void add_reason(CLI::App& app, Invocation& invocation);
void add_qos(CLI::App& app, Invocation& invocation);
void add_status(CLI::App& app, Invocation& invocation);

/// The verbs of `qosgate qos`. All but `fields` talk to slurmdbd; in a build without Slurm they say so.
void add_qos_fields(CLI::App& qos, Invocation& invocation);
void add_qos_records(CLI::App& qos, Invocation& invocation);
void add_qos_list(CLI::App& qos, Invocation& invocation);
void add_qos_get(CLI::App& qos, Invocation& invocation);
void add_qos_create(CLI::App& qos, Invocation& invocation);
void add_qos_update(CLI::App& qos, Invocation& invocation);
void add_qos_delete(CLI::App& qos, Invocation& invocation);

} // namespace qg::cli
