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

/// The literal that ends what is joined with ".." here; empty: something else does.
std::string_view last_joined(std::span<const Token> tokens) {
    int depth = 0;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[")) ++depth;
        const Token& next = tokens[i + 1];
        if (depth == 0 && (next.is(")") || next.is(",")))
            return i > 0 && tokens[i].kind == TokenKind::text && tokens[i - 1].is("..") ? tokens[i].text
                                                                                        : std::string_view();
        if (tokens[i].is(")") || tokens[i].is("}") || tokens[i].is("]")) --depth;
    }
    return {};
}

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
        arguments.second.find('+') == std::string_view::npos)
        return {};
    if (arguments.second.find_first_of("wa+") != std::string_view::npos) return no_writing;
    return describe_path(arguments, files);
}

std::string describe_remove(Arguments& arguments, const ScriptFiles* files) {
    arguments.is_sure = true; // whatever the arguments are
    return files_or_none(files).settings().compat_writes_to_log ? "" : no_writing;
}

std::string describe_popen(Arguments& arguments, const ScriptFiles* files) {
    if (arguments.first.empty()) return {};
    std::string bad = describe_bad_program(arguments.first, arguments.is_whole, files_or_none(files));
    return bad.empty() && !arguments.is_whole ? describe_bad_filters(arguments.last) : bad;
}

std::string describe_require(Arguments& arguments, const ScriptFiles* files) {
    if (!arguments.is_whole || arguments.first.empty() || files == nullptr) return {};
    const std::string_view name = arguments.first.substr(0, arguments.first.find('.'));
    // A site may have a module of its own with the name of one in C.
    if (files->has_module(arguments.first) || std::ranges::find(libraries, name) != libraries.end())
        return {};
    if (std::ranges::find(c_modules, name) != c_modules.end())
        return text::format("'{}' is a module in C, which cannot be loaded; write what it does in Lua", name);
    arguments.is_sure = false; // package.preload may have it
    return text::format("there is no module '{}'; copy it to qosgate.d/compat, or name its file in site {{ "
                        "compat_files = {{ ... }} }}. A module in C cannot be loaded: write what it does in "
                        "Lua",
                        arguments.first);
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
    Arguments arguments;
    const auto token = [&](std::size_t i) { return i < tokens.size() ? tokens[i] : Token(); };
    // A format gives the beginning, up to its first "%".
    const bool is_format = token(at).is_name("string") && token(at + 1).is(".") &&
                           token(at + 2).is_name("format") && token(at + 3).is("(");
    if (is_format) at += 4;
    const Token next = token(at + 1);
    if (token(at).is_name() && (next.is(",") || next.is(")"))) {
        arguments.first = values.guess(token(at).text);
        arguments.is_sure = false;
    } else if (token(at).kind == TokenKind::text) {
        arguments.first = token(at).text;
    }
    if (arguments.first.empty()) return arguments;
    arguments.is_whole = !is_format && (next.is(",") || next.is(")"));
    arguments.last = is_format ? arguments.first : last_joined(tokens.subspan(std::min(at, tokens.size())));
    if (is_format) arguments.first = arguments.first.substr(0, arguments.first.find('%'));
    if (arguments.is_whole && next.is(",") && token(at + 2).kind == TokenKind::text)
        arguments.second = token(at + 2).text;
    return arguments;
}

Arguments read_beginning(std::span<const Token> tokens, std::size_t at, const Values& values) {
    if (at >= tokens.size()) return {};
    if (tokens[at].kind == TokenKind::text) return {tokens[at].text, true, {}};
    return tokens[at].is("(") ? read_from(tokens, at + 1, values) : Arguments{};
}

std::span<const Checked> checked_calls() noexcept {
    return checked;
}

} // namespace qg::policy::compat
