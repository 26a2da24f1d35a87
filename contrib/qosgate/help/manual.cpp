// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate manual: the manual pages of all commands, as files.
#include "command_tree.hpp"
#include "common/command.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

namespace qg::cli {
namespace {

/// Text that roff shows as it is.
std::string escape(std::string_view text) {
    std::string escaped;
    bool begins_line = true;
    for (const char character : text) {
        // A line that begins so is a request.
        if (begins_line && (character == '.' || character == '\'')) escaped += "\\&";
        begins_line = character == '\n';
        switch (character) {
        case '\\': escaped += "\\e"; break;
        case '-': escaped += "\\-"; break;
        case '\'': escaped += "\\(aq"; break;
        case '`': escaped += "\\(ga"; break;
        case '^': escaped += "\\(ha"; break;
        case '~': escaped += "\\(ti"; break;
        default: escaped += character;
        }
    }
    return escaped;
}

std::string bold(std::string_view text) {
    return "\\fB" + escape(text) + "\\fR";
}

std::string italic(std::string_view text) {
    return "\\fI" + escape(text) + "\\fR";
}

/// As it stands, in a font of fixed width.
std::string keep_lines(std::string_view lines) {
    return ".nf\n.ft CR\n" + escape(lines) + "\n.ft\n.fi\n";
}

std::string section(std::string_view title) {
    return text::format(".SH \"{}\"\n", escape(title));
}

bool is_indented(std::string_view line) {
    return line.starts_with(' ');
}

/// A paragraph whose lines are words, not a table or commands.
std::string format_paragraph(std::string_view paragraph) {
    const auto lines = text::split(paragraph, '\n');
    const bool is_prose =
        std::ranges::none_of(lines, is_indented) && std::ranges::none_of(lines, [](std::string_view line) {
            return line.find("  ") != std::string_view::npos;
        });
    return ".PP\n" + (is_prose ? escape(paragraph) + "\n" : keep_lines(paragraph));
}

/// "Exit status:" above lines that are indented.
bool has_title(std::string_view paragraph) {
    const std::size_t end = paragraph.find('\n');
    return end != std::string_view::npos && end > 0 && paragraph[end - 1] == ':' &&
           is_indented(paragraph.substr(end + 1));
}

std::string format_text(std::string_view text) {
    std::string page;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find("\n\n"), text.size());
        const std::string_view paragraph = text.substr(0, end);
        text.remove_prefix(std::min(end + 2, text.size()));
        if (paragraph.empty()) continue;
        if (has_title(paragraph)) {
            const std::size_t line = paragraph.find('\n');
            std::string title(paragraph.substr(0, line - 1));
            std::ranges::transform(title, title.begin(), [](char letter) {
                return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
            });
            page += section(title) + keep_lines(paragraph.substr(line + 1));
        } else {
            page += format_paragraph(paragraph);
        }
    }
    return page;
}

/// The text above the first paragraph with a title, and the rest.
std::pair<std::string_view, std::string_view> split_text(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find("\n\n", at), text.size());
        if (has_title(text.substr(at, end - at))) break;
        at = std::min(end + 2, text.size());
    }
    return {text.substr(0, at), text.substr(at)};
}

std::string format_synopsis(const CommandHelp& command) {
    std::string line = bold(command.path) + " [" + italic("OPTIONS") + "]";
    if (!command.commands.empty()) line += " " + italic("COMMAND") + " ...";
    for (const OptionHelp& option : command.options) {
        if (!option.names.empty()) continue;
        const std::string value = italic(option.value) + (option.is_repeatable ? " ..." : "");
        line += option.is_required ? " " + value : " [" + value + "]";
    }
    return section("SYNOPSIS") + line + "\n";
}

std::string format_options(const CommandHelp& command) {
    std::string page;
    for (const OptionHelp& option : command.options) {
        std::vector<std::string> names;
        for (const std::string& name : option.names)
            names.push_back(bold(name));
        std::string shown = text::join(names, ", ");
        if (!option.value.empty()) shown += (shown.empty() ? "" : " ") + italic(option.value);
        const std::string preset = option.preset.empty() ? "" : " (default: " + option.preset + ")";
        page += ".TP\n" + shown + "\n" + escape(option.summary + preset) + "\n";
    }
    return page.empty() ? "" : section("OPTIONS") + page;
}

/// "qosgate-qos-list"
std::string name_of_page(const CommandHelp& command) {
    std::string name = command.path;
    std::ranges::replace(name, ' ', '-');
    return name;
}

std::string format_commands(const CommandHelp& command) {
    std::string page;
    for (const CommandHelp& child : command.commands)
        page += ".TP\n" + bold(child.name()) + "\n" + escape(child.summary) + "; see " +
                bold(name_of_page(child)) + "(1)\n";
    return page.empty() ? "" : section("COMMANDS") + page;
}

std::string format_see_also(const CommandHelp& command, const CommandHelp& root) {
    std::vector<std::string> pages;
    for (const CommandHelp* other : all_commands(root)) {
        const bool is_parent = command.path.starts_with(other->path + " ");
        if (is_parent) pages.push_back(bold(name_of_page(*other)) + "(1)");
    }
    for (const char* of_slurm : {"squeue", "sacctmgr", "slurm.conf"})
        pages.push_back(
            text::format("{}({})", bold(of_slurm), std::string_view(of_slurm) == "slurm.conf" ? 5 : 1));
    return section("SEE ALSO") + text::join(pages, ", ") + "\n";
}

/// The page as man(1) reads it, in roff with the macros of man(7). `root` is the program: its page says where
/// the others are.
std::string make_manual_page(const CommandHelp& command, const CommandHelp& root) {
    std::string title = text::format(".TH \"{}\" 1 \"\" \"qosgate {}\" \"qosgate\"\n",
                                     escape(name_of_page(command)), QG_VERSION);
    const auto [above, sections] = split_text(command.text);
    const std::string description =
        escape(command.summary) + (command.summary.ends_with('.') ? "" : ".") + "\n" + format_text(above);
    return title + section("NAME") + escape(name_of_page(command)) + " \\- " + escape(command.summary) +
           "\n" + format_synopsis(command) + section("DESCRIPTION") + description + format_commands(command) +
           format_options(command) + format_text(sections) + format_see_also(command, root);
}

namespace fs = std::filesystem;

constexpr const char* manual_help =
    R"(Each command has a page, NAME.1. An installation has them where man(1) looks for them.

Exit status:
  0   written
  64  the command line is wrong
  69  a file cannot be written

Examples:
  qosgate manual . && man ./qosgate-why.1
  qosgate manual ~/.local/share/man/man1)";

Result<int> write_pages(const Command& program, const fs::path& directory) {
    const CommandHelp root = read_command_tree(program);
    for (const CommandHelp* command : all_commands(root)) {
        const fs::path path = directory / (name_of_page(*command) + ".1");
        errno = 0;
        std::ofstream file(path, std::ios::binary);
        if (file << make_manual_page(*command, root) << std::flush) continue;
        return Error{ErrorCode::unavailable, text::format("{}: {}", path.string(), std::strerror(errno))};
    }
    return 0;
}

} // namespace

void add_manual(Command parent, Invocation& invocation) {
    const auto directory = std::make_shared<std::string>();
    Command command = add_command(parent, "manual", "Write the manual pages of all commands", manual_help);
    command.add_option("DIRECTORY", *directory, "Where to write them; it exists").required();
    command.callback([parent, &invocation, directory] {
        invocation.action = [parent, directory](Output&) { return write_pages(parent, *directory); };
    });
}

} // namespace qg::cli
