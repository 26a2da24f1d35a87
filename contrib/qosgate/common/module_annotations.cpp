// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/module_annotations.hpp"

#include "qosgate/base/text.hpp"

#include <string>
#include <string_view>

namespace qg::cli {
namespace {

constexpr std::string_view function_begin = "function M.";

/// A line of a comment as editors read it: of "-- text" the text, of "---@param ..." all.
std::string annotation(std::string_view comment) {
    if (comment.starts_with("---")) return text::format("{}\n", comment);
    comment.remove_prefix(comment.starts_with("-- ") ? 3 : 2);
    return text::format("---{}\n", comment);
}

/// The functions of a module, each with the comment above it.
void print_functions(std::ostream& out, const policy::ShippedModule& module) {
    std::string comment;
    for (const std::string_view line : text::split(module.text, '\n', /*keep_empty=*/true)) {
        if (line.starts_with("--")) {
            comment += annotation(line);
            continue;
        }
        if (line.starts_with(function_begin))
            out << comment
                << text::format("function {}.{} end\n", module.name, line.substr(function_begin.size()));
        comment.clear();
    }
}

} // namespace

void print_modules(std::ostream& out, std::span<const policy::ShippedModule> modules) {
    for (const policy::ShippedModule& module : modules) {
        out << text::format("---@class qosgate.{0}\nlocal {0} = {{}}\n", module.name);
        print_functions(out, module);
        out << '\n';
    }
    out << "---A module of lib/, or one that qosgate has.\n";
    for (const policy::ShippedModule& module : modules)
        out << text::format("---@overload fun(name: \"{0}\"): qosgate.{0}\n", module.name);
    out << "---@param name string\n---@return table\nfunction require(name) end\n";
}

} // namespace qg::cli
