// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate completion: scripts with which bash, zsh and fish complete its command line.
#include "command_tree.hpp"
#include "common/command.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace qg::cli {
namespace {

struct Shell {
    std::string_view name;
    std::string (*make_script)(const CommandHelp& root);
};

/// A script in which @NAME@ stands for a part that is made from the commands.
struct Part {
    std::string_view name;
    std::string text;
};

std::string fill(std::string_view script, std::span<const Part> parts) {
    std::string filled(script);
    for (const Part& part : parts)
        if (const std::size_t at = filled.find(part.name); at != std::string::npos)
            filled.replace(at, part.name.size(), part.text);
    return filled;
}

/// In single quotes, in which `escape` stands for a single quote.
std::string quote(std::string_view text, std::string_view escape) {
    std::string quoted = "'";
    for (const char character : text) {
        if (character == '\'')
            quoted += escape;
        else
            quoted += character == '\n' ? ' ' : character;
    }
    return quoted + "'";
}

std::string quote_for_sh(std::string_view text) {
    return quote(text, R"('\'')");
}

/// Each command below another, as a pattern list: 'qosgate qos'|'qosgate qos list'
std::string list_paths(const CommandHelp& root, std::string_view separator) {
    std::vector<std::string> paths;
    for (const CommandHelp* command : all_commands(root))
        if (command != &root) paths.push_back(quote_for_sh(command->path));
    return text::join(paths, separator);
}

constexpr std::string_view bash_script =
    R"(# bash completion for qosgate; it is made by 'qosgate completion bash'
_qosgate() {
    local current=${COMP_WORDS[COMP_CWORD]} path=qosgate words='' index
    COMPREPLY=()
    for ((index = 1; index < COMP_CWORD; index++)); do
        if [[ ${COMP_WORDS[index]} == -- ]]; then
            # What follows is the command line of another program.
            if declare -F _command_offset >/dev/null; then _command_offset $((index + 1)); fi
            return
        fi
        case "$path ${COMP_WORDS[index]}" in
        @PATHS@) path+=" ${COMP_WORDS[index]}" ;;
        esac
    done
    case $path in
@WORDS@    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o bashdefault -o default -F _qosgate qosgate
)";

std::string make_bash_script(const CommandHelp& root) {
    std::string words;
    for (const CommandHelp* command : all_commands(root)) {
        std::vector<std::string> names;
        for (const CommandHelp& child : command->commands)
            names.push_back(child.name());
        for (const OptionHelp& option : command->options)
            names.insert(names.end(), option.names.begin(), option.names.end());
        words += text::format("    {}) words={} ;;\n", quote_for_sh(command->path),
                              quote_for_sh(text::join(names, " ")));
    }
    const Part parts[] = {{"@PATHS@", list_paths(root, " | ")}, {"@WORDS@", words}};
    return fill(bash_script, parts);
}

constexpr std::string_view zsh_script = R"(#compdef qosgate
# zsh completion for qosgate; it is made by 'qosgate completion zsh'
_qosgate() {
    local at=qosgate word
    local -i index
    local -a names options
    for ((index = 2; index < CURRENT; index++)); do
        word=$words[index]
        if [[ $word == -- ]]; then
            # What follows is the command line of another program.
            shift $index words
            ((CURRENT -= index))
            _normal
            return
        fi
        case "$at $word" in
        (@PATHS@) at+=" $word" ;;
        esac
    done
    case $at in
@WORDS@    esac
    if [[ $words[CURRENT] == -* ]]; then
        _describe -o option options
    elif (($#names)); then
        _describe command names
    else
        _files
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _qosgate "$@"
else
    compdef _qosgate qosgate
fi
)";

/// "name:what it does", as _describe reads it.
std::string describe_for_zsh(std::string_view name, std::string_view summary) {
    return quote_for_sh(text::format("{}:{}", name, summary));
}

std::string make_zsh_script(const CommandHelp& root) {
    std::string words;
    for (const CommandHelp* command : all_commands(root)) {
        std::vector<std::string> commands;
        std::vector<std::string> options;
        for (const CommandHelp& child : command->commands)
            commands.push_back(describe_for_zsh(child.name(), child.summary));
        for (const OptionHelp& option : command->options)
            for (const std::string& name : option.names)
                options.push_back(describe_for_zsh(name, option.summary));
        words +=
            text::format("    ({})\n        names=({})\n        options=({})\n        ;;\n",
                         quote_for_sh(command->path), text::join(commands, " "), text::join(options, " "));
    }
    const Part parts[] = {{"@PATHS@", list_paths(root, "|")}, {"@WORDS@", words}};
    return fill(zsh_script, parts);
}

constexpr std::string_view fish_script =
    R"(# fish completion for qosgate; it is made by 'qosgate completion fish'
function __qosgate_path
    set -l path qosgate
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    for word in $words[2..-1]
        if test "$word" = --
            echo other
            return
        end
        if contains -- "$path $word" @PATHS@
            set path "$path $word"
        end
    end
    echo $path
end
function __qosgate_is
    test (__qosgate_path) = "$argv[1]"
end
# What follows -- is the command line of another program.
function __qosgate_other
    set -l words (commandline --tokenize --cut-at-cursor --current-process) (commandline --current-token)
    set -l first (math (contains --index -- -- $words) + 1)
    complete --do-complete "$words[$first..-1]"
end
complete -c qosgate -n '__qosgate_is other' -f -a '(__qosgate_other)'
@WORDS@)";

std::string quote_for_fish(std::string_view text) {
    std::string escaped;
    for (const char character : text)
        escaped += character == '\\' ? "\\\\" : std::string(1, character);
    return quote(escaped, R"(\')");
}

std::string make_fish_script(const CommandHelp& root) {
    std::string words;
    for (const CommandHelp* command : all_commands(root)) {
        const std::string here = text::format(
            "complete -c qosgate -n {}", quote_for_fish(text::format("__qosgate_is \"{}\"", command->path)));
        for (const CommandHelp& child : command->commands)
            words += text::format("{} -f -a {} -d {}\n", here, child.name(), quote_for_fish(child.summary));
        for (const OptionHelp& option : command->options) {
            if (option.names.empty()) continue;
            words += here;
            for (const std::string& name : option.names)
                words += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            words +=
                text::format("{} -d {}\n", option.value.empty() ? "" : " -r", quote_for_fish(option.summary));
        }
    }
    const Part parts[] = {{"@PATHS@", list_paths(root, " ")}, {"@WORDS@", words}};
    return fill(fish_script, parts);
}

constexpr std::array<Shell, 3> all_shells{
    {{"bash", make_bash_script}, {"zsh", make_zsh_script}, {"fish", make_fish_script}}};

/// bash, zsh and fish.
std::span<const Shell> shells() {
    return all_shells;
}

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
