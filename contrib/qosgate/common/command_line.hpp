// SPDX-License-Identifier: GPL-2.0-or-later
//
// The command line as the commands describe it. CLI11 reads it, and only command_line.cpp, main.cpp and help/
// include CLI11: its headers cost more to compile than most commands.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace qg::cli {

/// One option or argument of a command. A handle: copies mean the same option, which its command owns.
class Option {
  public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    /// The command line is wrong without it.
    Option required() const;
    /// The command line is wrong with both.
    Option excludes(Option other) const;
    /// Only numbers from `lowest` to `highest`.
    Option range(std::uint64_t lowest, std::uint64_t highest) const;
    /// Only these words.
    Option one_of(const std::vector<std::string>& words) const;
    /// Only what `check` has nothing against: it returns the objection, or an empty text.
    Option check(const std::function<std::string(const std::string&)>& check) const;
    /// What help shows for the value: before the range, or instead of everything behind the name.
    Option type_name(const std::string& name) const;
    Option option_text(const std::string& text) const;
    /// Help shows the variable's value of now as the default.
    Option capture_default_str() const;
    /// Whether one use takes several values, as a list does unless this says no.
    Option allow_extra_args(bool allow) const;

  private:
    CLI::Option* option_;
};

/// One command while it is described. A handle: copies mean the same command, which the program owns.
class Command {
  public:
    explicit Command(CLI::App& app) : app_(&app) {}

    /// An option ("--name" or "-n,--name") or argument ("NAME") that is stored in `value`, which has to live
    /// until the command line was read. command_line.cpp lists the types of values.
    template <typename Value>
    Option add_option(const std::string& names, Value& value, const std::string& summary);
    Option add_flag(const std::string& names, bool& value, const std::string& summary);
    /// The option with this name; there has to be one.
    Option get_option(const std::string& name) const;

    Command add_subcommand(const std::string& name, const std::string& summary);
    /// The command line is wrong without so many subcommands.
    void require_subcommand(int number);
    /// Words that mean nothing are no error.
    void allow_extras();
    /// What help shows below the options.
    void footer(const std::string& text);
    [[nodiscard]] std::string footer() const;
    /// Its words: "qos-list".
    [[nodiscard]] std::string name() const;
    /// Runs when the command line names this command and is right.
    void callback(std::function<void()> action);

    [[nodiscard]] CLI::App& app() const { return *app_; }

  private:
    CLI::App* app_;
};

/// For a callback: the arguments, each right by itself, are wrong together.
[[noreturn]] void refuse_arguments(const std::string& message);

} // namespace qg::cli
