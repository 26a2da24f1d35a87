// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/lua/writable_env.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>

namespace qg::policy {
namespace {

constexpr std::size_t max_name = 100;

bool is_name(std::string_view name) noexcept {
    const auto is_letter = [](char c) { return text::is_letter(c) || c == '_'; };
    return !name.empty() && name.size() <= max_name && is_letter(name.front()) &&
           std::ranges::all_of(name, [&](char c) { return is_letter(c) || text::is_digit(c); });
}

/// Variables of the loader, of Slurm, and those that name programs, libraries or startup files.
bool is_never_written(std::string_view name) {
    constexpr std::array<std::string_view, 9> beginnings{"LD_",   "SLURM", "SBATCH", "SALLOC", "SRUN",
                                                         "SPANK", "BASH_", "PYTHON", "PERL"};
    constexpr std::array<std::string_view, 16> names{
        "ENV",     "IFS",   "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PS4",          "HOME",
        "SHELL",   "USER",  "LOGNAME",   "RUBYLIB",  "RUBYOPT",        "NODE_OPTIONS", "JAVA_TOOL_OPTIONS",
        "ZDOTDIR", "CDPATH"};
    const auto is_begin = [name](std::string_view begin) { return name.starts_with(begin); };
    return std::ranges::any_of(beginnings, is_begin) || std::ranges::find(names, name) != names.end() ||
           name.find("PATH") != name.npos || name.find("PRELOAD") != name.npos;
}

bool fits(std::string_view pattern, std::string_view name) noexcept {
    if (!pattern.ends_with('*')) return pattern == name;
    return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

} // namespace

std::string why_not_writable(std::string_view pattern) {
    const std::string_view name = pattern.substr(0, pattern.size() - (pattern.ends_with('*') ? 1 : 0));
    if (!is_name(name))
        return text::format("{} is no name of a variable: write names like \"SITE_PROJECT\" or \"OMP_*\"",
                            text::quoted(pattern, 60));
    if (is_never_written(name))
        return text::format("rules never write {}: it steers Slurm, or which programs run",
                            text::quoted(pattern, 60));
    return {};
}

void check_variable(std::string_view setting, std::string_view name, std::string_view value,
                    ErrorText& error) noexcept {
    try {
        bool is_allowed = false;
        text::for_each_part(
            setting, ',', [&](std::string_view pattern) { is_allowed = is_allowed || fits(pattern, name); });
        if (!is_name(name))
            error.assign(text::format("job.env: {} is no name of a variable", text::quoted(name, 60)));
        else if (is_never_written(name))
            error.assign(
                text::format("job.env.{}: rules never write this variable: it steers Slurm, or which "
                             "programs run",
                             name));
        else if (!is_allowed)
            error.assign(text::format("job.env.{0} cannot be changed: site.lua does not name it: add "
                                      "writable_env = {{ \"{0}\" }} to site{{}}",
                                      name));
        else if (value.size() > max_variable_bytes || value.find('\0') != value.npos)
            error.assign(text::format("job.env.{}: the value is a text of at most {} bytes without NUL", name,
                                      max_variable_bytes));
    } catch (...) {
        error.assign("out of memory");
    }
}

} // namespace qg::policy
