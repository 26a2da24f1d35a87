// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/command_line.hpp"

#include <CLI/CLI.hpp>

#include <utility>

namespace qg::cli {

Option Option::required() const {
    option_->required();
    return *this;
}

Option Option::excludes(Option other) const {
    option_->excludes(other.option_);
    return *this;
}

Option Option::range(std::uint64_t lowest, std::uint64_t highest) const {
    option_->check(CLI::Range(lowest, highest));
    return *this;
}

Option Option::one_of(const std::vector<std::string>& words) const {
    option_->check(CLI::IsMember(words));
    return *this;
}

Option Option::check(const std::function<std::string(const std::string&)>& check) const {
    option_->check(check);
    return *this;
}

Option Option::type_name(const std::string& name) const {
    option_->type_name(name);
    return *this;
}

Option Option::option_text(const std::string& text) const {
    option_->option_text(text);
    return *this;
}

Option Option::capture_default_str() const {
    option_->capture_default_str();
    return *this;
}

Option Option::allow_extra_args(bool allow) const {
    option_->allow_extra_args(allow);
    return *this;
}

template <typename Value>
Option Command::add_option(const std::string& names, Value& value, const std::string& summary) {
    return Option(*app_->add_option(names, value, summary));
}

template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, std::uint32_t&, const std::string&);
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&);

Option Command::add_flag(const std::string& names, bool& value, const std::string& summary) {
    return Option(*app_->add_flag(names, value, summary));
}

Option Command::get_option(const std::string& name) const {
    return Option(*app_->get_option(name));
}

Command Command::add_subcommand(const std::string& name, const std::string& summary) {
    return Command(*app_->add_subcommand(name, summary));
}

void Command::require_subcommand(int number) {
    app_->require_subcommand(number);
}

void Command::allow_extras() {
    app_->allow_extras();
}

void Command::footer(const std::string& text) {
    app_->footer(text);
}

std::string Command::footer() const {
    return app_->get_footer();
}

std::string Command::name() const {
    std::string name = app_->get_name();
    for (const CLI::App* noun = app_->get_parent(); noun->get_parent() != nullptr; noun = noun->get_parent())
        name = noun->get_name() + "-" + name;
    return name;
}

void Command::callback(std::function<void()> action) {
    app_->callback(std::move(action));
}

void refuse_arguments(const std::string& message) {
    throw CLI::ValidationError(message);
}

} // namespace qg::cli
