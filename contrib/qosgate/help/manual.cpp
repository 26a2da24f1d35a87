// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate manual: the manual pages of all commands, as files.
#include "common/command.hpp"
#include "manual_page.hpp"

#include "qosgate/base/text.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

namespace qg::cli {
namespace {

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
