// SPDX-License-Identifier: GPL-2.0-or-later
#include "command_tree.hpp"

#include <CLI/App.hpp>

namespace qg::cli {
namespace {

OptionHelp read_option(const CLI::Option& option) {
    OptionHelp help;
    for (const std::string& name : option.get_snames())
        help.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        help.names.push_back("--" + name);
    if (help.names.empty()) {
        help.value = option.get_name(/*positional=*/true);
        std::string rest = option.get_option_text(); // "[FIELD=VALUE ...] REQUIRED"
        rest = rest.substr(0, rest.find(" REQUIRED"));
        if (!rest.empty()) help.value += " " + rest;
    } else if (option.get_items_expected_max() > 0) {
        const std::string type = option.get_type_name();    // "SECONDS:UINT in [1 - 3600]"
        const std::string& text = option.get_option_text(); // "CODE", instead of the type
        help.value = text.empty() ? type.substr(0, type.find(':')) : text;
    }
    help.summary = option.get_description();
    help.preset = option.get_default_str();
    help.is_required = option.get_required();
    help.is_repeatable = option.get_items_expected_max() > 1 && option.get_option_text().empty();
    return help;
}

CommandHelp read_command(const CLI::App& command, const std::string& path) {
    CommandHelp help{path, command.get_description(), command.get_footer(), {}};
    for (const CLI::Option* option : command.get_options())
        help.options.push_back(read_option(*option));
    for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; }))
        help.commands.push_back(read_command(*child, path + " " + child->get_name()));
    return help;
}

void add_all(const CommandHelp& command, std::vector<const CommandHelp*>& all) {
    all.push_back(&command);
    for (const CommandHelp& child : command.commands)
        add_all(child, all);
}

} // namespace

CommandHelp read_command_tree(const Command& command) {
    return read_command(command.app(), command.app().get_name());
}

std::vector<const CommandHelp*> all_commands(const CommandHelp& root) {
    std::vector<const CommandHelp*> all;
    add_all(root, all);
    return all;
}

} // namespace qg::cli
