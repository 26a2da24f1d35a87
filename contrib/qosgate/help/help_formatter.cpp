// SPDX-License-Identifier: GPL-2.0-or-later
#include "help_formatter.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <vector>

namespace qg::cli {
namespace {

using Options = std::vector<const CLI::Option*>;

constexpr std::size_t summary_column = 30;

/// "  --json                      Write one JSON object"; a longer name gets a line of its own.
std::string line_of(const std::string& name, const std::string& summary) {
    std::string line = "  " + name;
    if (line.size() >= summary_column && !summary.empty()) line += "\n" + std::string(summary_column, ' ');
    line.resize(std::max(line.size(), summary_column), ' ');
    for (const char c : summary) {
        line += c;
        if (c == '\n') line += std::string(summary_column, ' ');
    }
    return line + "\n";
}

bool is_list(const CLI::Option& option) {
    return option.get_expected_max() >= CLI::detail::expected_max_vector_size;
}

std::string names_of(const std::set<CLI::Option*>& options) {
    std::string names;
    for (const CLI::Option* option : options)
        names += " " + option->get_name();
    return names;
}

/// What stands behind the name: " SECONDS=10", " TEXT ... REQUIRED".
std::string value_of(const CLI::Option& option) {
    if (!option.get_option_text().empty()) return " " + option.get_option_text();
    std::string value;
    if (option.get_type_size() != 0) {
        if (const std::string type = option.get_type_name(); !type.empty()) value += " " + type;
        if (!option.get_default_str().empty()) value += "=" + option.get_default_str();
        if (is_list(option)) value += " ...";
        if (option.get_required()) value += " REQUIRED";
    }
    if (!option.get_excludes().empty()) value += " Excludes:" + names_of(option.get_excludes());
    return value;
}

std::string lines_of(const std::string& title, const Options& options, bool is_positional) {
    std::string lines = options.empty() ? "" : "\n" + title + ":\n";
    for (const CLI::Option* option : options)
        lines += line_of(option->get_name(is_positional, !is_positional) + value_of(*option),
                         option->get_description());
    return lines;
}

Options arguments_of(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands(std::function<bool(const CLI::App*)>());
}

std::string lists_of(const CLI::App& app, bool has_help_options) {
    const Options options = app.get_options([&](const CLI::Option* option) {
        const bool is_of_help = option == app.get_help_ptr() || option == app.get_help_all_ptr();
        return option->nonpositional() && !option->get_group().empty() && (has_help_options || !is_of_help);
    });
    return lines_of("Positionals", arguments_of(app), true) + lines_of("Options", options, false);
}

std::string usage_of(const CLI::App& app, const std::string& name) {
    std::string usage = text::format("Usage: {} [OPTIONS]", name);
    for (const CLI::Option* option : arguments_of(app)) {
        const std::string word = option->get_name(/*positional=*/true) + (is_list(*option) ? "..." : "");
        usage += option->get_required() ? " " + word : " [" + word + "]";
    }
    return usage + (commands_of(app).empty() ? "" : " SUBCOMMAND") + "\n";
}

/// A command among the others in --help-all: without its footer and blank lines, and indented.
std::string describe_briefly(const CLI::App& app) {
    std::string lines = app.get_description() + "\n" + lists_of(app, /*has_help_options=*/false);
    if (!commands_of(app).empty()) lines += "\nSubcommands:\n";
    for (const CLI::App* command : commands_of(app))
        lines += line_of(command->get_name(), command->get_description());
    std::string brief = app.get_name() + "\n";
    for (std::size_t at = 0, end = 0; at < lines.size(); at = end + 1) {
        end = lines.find('\n', at);
        if (end > at) brief += text::format("  {}\n", std::string_view(lines).substr(at, end - at));
    }
    return brief;
}

std::string list_commands(const CLI::App& app, bool is_whole) {
    std::string lines = commands_of(app).empty() ? "" : "\nSubcommands:\n";
    for (const CLI::App* command : commands_of(app))
        lines += is_whole ? describe_briefly(*command) + "\n"
                          : line_of(command->get_name(), command->get_description());
    return lines;
}

} // namespace

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
    if (mode == CLI::AppFormatMode::Sub) return describe_briefly(*app);
    const std::string footer = app->get_footer();
    return app->get_description() + "\n" + usage_of(*app, name) + lists_of(*app, /*has_help_options=*/true) +
           list_commands(*app, mode == CLI::AppFormatMode::All) + "\n" +
           (footer.empty() ? "" : footer + "\n");
}

} // namespace qg::cli
