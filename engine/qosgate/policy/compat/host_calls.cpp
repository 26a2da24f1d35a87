// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/host_calls.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/host_programs.hpp"
#include "qosgate/policy/compat/script_io.hpp"

#include <algorithm>
#include <array>

namespace qg::policy::compat {
namespace {

/// Modules in C that sites have used.
constexpr std::array<std::string_view, 8> c_modules{"posix", "redis", "cjson",  "socket",
                                                    "lfs",   "ssl",   "luasql", "lsqlite3"};

/// Modules that are there without a file.
constexpr std::array<std::string_view, 8> libraries{"_G", "debug",   "io",     "math",
                                                    "os", "package", "string", "table"};

/// Those of qosgate.d alone if there are none.
const ScriptFiles& files_or_none(const ScriptFiles* files) {
    static const SourceDirectory no_sources;
    static const Settings no_settings;
    static const ScriptFiles nothing(no_sources, no_settings);
    return files == nullptr ? nothing : *files;
}

std::string describe_path(Arguments& arguments, const ScriptFiles* files) {
    if (!arguments.is_whole || arguments.first.empty()) return {};
    const auto found = files_or_none(files).find(arguments.first);
    return found.place == ScriptFiles::Place::outside ? describe_outside(arguments.first) : std::string();
}

std::string describe_open(Arguments& arguments, const ScriptFiles* files) {
    const bool to_log = files_or_none(files).settings().compat_writes_to_log;
    if (to_log && (arguments.second.starts_with('w') || arguments.second.starts_with('a')) &&
        arguments.second.find('+') == std::string::npos)
        return {};
    if (arguments.second.find_first_of("wa+") != std::string::npos) {
        arguments.is_sure = arguments.is_sure && !arguments.first.empty();
        return no_writing;
    }
    return describe_path(arguments, files);
}

std::string describe_remove(Arguments& arguments, const ScriptFiles* files) {
    arguments.is_sure = true; // whatever the arguments are
    return files_or_none(files).settings().compat_writes_to_log ? "" : no_writing;
}

std::string describe_popen(Arguments& arguments, const ScriptFiles* files) {
    if (arguments.first.empty()) return {};
    return arguments.is_whole ? describe_bad_program(arguments.first, files_or_none(files))
                              : describe_bad_beginning(arguments.first, arguments.last, files_or_none(files));
}

/// What to do if the script does without a module.
std::string without_it(std::string module) {
    std::ranges::replace(module, '.', '/');
    return text::format("; if the script does without it, write the line error(\"none\") into "
                        "qosgate.d/compat/{}.lua",
                        text::printable(module, 100));
}

std::string describe_require(Arguments& arguments, const ScriptFiles* files) {
    if (!arguments.is_whole || arguments.first.empty() || files == nullptr) return {};
    const std::string_view name = std::string_view(arguments.first).substr(0, arguments.first.find('.'));
    // A site may have a module of its own with the name of one in C.
    if (files->has_module(arguments.first) || std::ranges::find(libraries, name) != libraries.end())
        return {};
    if (std::ranges::find(c_modules, name) != c_modules.end())
        return text::format("'{}' is a module in C, which cannot be loaded; write what it does in Lua{}",
                            name, without_it(arguments.first));
    arguments.is_sure = false; // package.preload may have it
    return text::format(
        "there is no module '{}'; copy it to qosgate.d/compat, or name its file in "
        "site{{}}, in compat_files = {{ ... }}. A module in C cannot be loaded: write what it does in "
        "Lua{}",
        arguments.first, without_it(arguments.first));
}

constexpr auto checked = std::to_array<Checked>({
    {{"io", "open", ""}, &describe_open},
    {{"io", "lines", ""}, &describe_path},
    {{"io", "popen", ""}, &describe_popen},
    {{"os", "remove", ""}, &describe_remove},
    {{"os", "rename", ""}, &describe_remove},
    {{"", "dofile", ""}, &describe_path},
    {{"", "loadfile", ""}, &describe_path},
    {{"", "require", ""}, &describe_require},
});

} // namespace

std::string full_name(const Withheld& what) {
    return text::format("{}{}{}", what.library, *what.library == '\0' ? "" : ".", what.name);
}

std::size_t token_count(const Withheld& what) noexcept {
    return *what.library == '\0' ? 1 : 3;
}

bool does_name(std::span<const Token> tokens, std::size_t at, const Withheld& what) {
    const bool is_member = at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is(":"));
    const bool is_declared = at > 0 && tokens[at - 1].is("function");
    if (is_member || is_declared || at + 2 >= tokens.size()) return false;
    if (*what.library == '\0') {
        const Token& next = tokens[at + 1];
        return tokens[at].is_name(what.name) && (next.is("(") || next.kind == TokenKind::text);
    }
    return tokens[at].is_name(what.library) && tokens[at + 1].is(".") && tokens[at + 2].is_name(what.name);
}

Arguments read_from(std::span<const Token> tokens, std::size_t at, const Values& values) {
    const ShownText first = values.read(tokens, at);
    Arguments arguments{first.beginning, first.is_whole, {}, first.is_sure, first.end};
    const auto token = [&](std::size_t i) { return i < tokens.size() ? tokens[i] : Token(); };
    if (first.next == 0 || !token(first.next).is(",") || token(first.next + 1).kind != TokenKind::text)
        return arguments;
    const Token behind = token(first.next + 2);
    if (behind.is(",") || behind.is(")")) arguments.second = read_literal(token(first.next + 1)).value_or("");
    return arguments;
}

Arguments read_beginning(std::span<const Token> tokens, std::size_t at, const Values& values) {
    if (at >= tokens.size()) return {};
    if (tokens[at].kind == TokenKind::text) return {read_literal(tokens[at]).value_or(""), true, {}};
    return tokens[at].is("(") ? read_from(tokens, at + 1, values) : Arguments{};
}

std::optional<Arguments> read_protected_call(std::span<const Token> tokens, std::size_t at,
                                             const Withheld& what, const Values& values) {
    if (at < 2 || !tokens[at - 1].is("(")) return std::nullopt;
    const bool has_handler = tokens[at - 2].is_name("xpcall");
    if (!has_handler && !tokens[at - 2].is_name("pcall")) return std::nullopt;
    const bool is_global = *what.library == '\0';
    std::size_t behind = at + (is_global ? 1 : 3);
    const bool is_named = is_global ? tokens[at].is_name(what.name) : does_name(tokens, at, what);
    if (!is_named || behind >= tokens.size() || !tokens[behind].is(",")) return std::nullopt;
    if (has_handler) { // a name, or a member
        for (++behind; behind < tokens.size() && (tokens[behind].is_name() || tokens[behind].is("."));)
            ++behind;
        if (behind >= tokens.size() || !tokens[behind].is(",")) return std::nullopt;
    }
    Arguments arguments = read_from(tokens, behind + 1, values);
    arguments.is_sure = false;
    return arguments;
}

std::span<const Checked> checked_calls() noexcept {
    return checked;
}

} // namespace qg::policy::compat
