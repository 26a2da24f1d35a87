// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate completion: scripts with which bash, zsh and fish complete its command line.
#include "common/command.hpp"
#include "shells.hpp"

#include <algorithm>
#include <memory>

namespace qg::cli {
namespace {

constexpr const char* completion_help =
    R"(The script goes to standard output. An installation has put it where the three shells look for it;
without one:

  bash   source <(qosgate completion bash)      in ~/.bashrc
  zsh    source <(qosgate completion zsh)       in ~/.zshrc, behind compinit
  fish   qosgate completion fish | source       in ~/.config/fish/config.fish

Commands and options are completed, and behind "--" those of the program that is named there.

Exit status:
  0   written
  64  there is no script for this shell
  74  the output cannot be written

Examples:
  qosgate completion bash > ~/.local/share/bash-completion/completions/qosgate
  qosgate completion fish | source)";

int write_script(const Command& root, const std::string& shell, Output& output) {
    const auto known = std::ranges::find(shells(), shell, &Shell::name);
    output.text() << known->make_script(read_command_tree(root));
    return 0;
}

} // namespace

void add_completion(Command parent, Invocation& invocation) {
    const auto shell = std::make_shared<std::string>();
    Command command = add_command(parent, "completion",
                                  "Write a script that completes command lines in a shell", completion_help);
    std::vector<std::string> names;
    for (const Shell& known : shells())
        names.emplace_back(known.name);
    command.add_option("SHELL", *shell, "The shell").required().one_of(names);
    command.callback([parent, &invocation, shell] {
        invocation.action = [parent, shell](Output& output) -> Result<int> {
            return write_script(parent, *shell, output);
        };
    });
}

} // namespace qg::cli
