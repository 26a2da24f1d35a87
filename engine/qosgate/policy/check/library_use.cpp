// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/use_problems.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/lua/lib/message_format.hpp"
#include "qosgate/policy/objects/fields.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace qg::policy {
namespace {

/// What a function of Lua takes. Each letter of `takes` is an argument: s a text or number, n a number, t a
/// table, f a function, v anything; those behind "?" can be left out; "*" is any number more.
struct LuaFunction {
    std::string_view name;
    std::string_view takes;
};

constexpr auto lua_functions = std::to_array<LuaFunction>({
    {"assert", "v?*"},
    {"error", "?vn"},
    {"ipairs", "v"},
    {"next", "v?v"},
    {"pairs", "v"},
    {"pcall", "v?*"},
    {"select", "v?*"},
    {"tonumber", "v?n"},
    {"tostring", "v"},
    {"type", "v"},
    {"math.abs", "n"},
    {"math.ceil", "n"},
    {"math.exp", "n"},
    {"math.floor", "n"},
    {"math.fmod", "nn"},
    {"math.log", "n?n"},
    {"math.max", "n?*"},
    {"math.min", "n?*"},
    {"math.modf", "n"},
    {"math.sqrt", "n"},
    {"math.tointeger", "v"},
    {"math.type", "v"},
    {"math.ult", "nn"},
    {"string.byte", "s?nn"},
    {"string.char", "?*"},
    {"string.find", "ss?nv"},
    {"string.format", "s?*"},
    {"string.gmatch", "ss?n"},
    {"string.gsub", "ssv?n"},
    {"string.len", "s"},
    {"string.lower", "s"},
    {"string.match", "ss?n"},
    {"string.rep", "sn?s"},
    {"string.reverse", "s"},
    {"string.sub", "sn?n"},
    {"string.upper", "s"},
    {"table.concat", "t?snn"},
    {"table.insert", "tv?v"},
    {"table.move", "tnnn?t"},
    {"table.pack", "?*"},
    {"table.remove", "t?n"},
    {"table.sort", "t?f"},
    {"table.unpack", "t?nn"},
});

std::size_t least_of(std::string_view takes) {
    return std::min(takes.find('?'), takes.size());
}

/// The letters of the arguments.
std::string letters_of(std::string_view takes) {
    std::string letters(takes);
    std::erase(letters, '?');
    std::erase(letters, '*');
    return letters;
}

std::string_view taken_by(char letter) {
    switch (letter) {
    case 's': return "a text";
    case 'n': return "a number";
    case 't': return "a table";
    case 'f': return "a function";
    default: return {};
    }
}

/// Whether a literal certainly is none of what the letter stands for.
bool is_refused(LiteralType type, std::string_view text, char letter, bool is_optional) {
    if (type == LiteralType::unknown || letter == 'v') return false;
    if (type == LiteralType::nothing) return !is_optional;
    if (letter == 's') return type != LiteralType::text && type != LiteralType::number;
    if (letter == 't') return type != LiteralType::table;
    if (letter == 'f') return true;
    // A text with digits counts as a number.
    const bool has_digits = type == LiteralType::text &&
                            (text.empty() || text.find_first_of("0123456789") != std::string_view::npos);
    return type != LiteralType::number && !has_digits;
}

std::string count_of(std::size_t count, std::string_view word) {
    return text::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

std::string describe_given(std::size_t count) {
    return count == 0 ? "here is none" : text::format("here {} {}", count == 1 ? "is" : "are", count);
}

UseProblem find_wrong_types(const LuaFunction& function, const WrittenArguments& given) {
    const std::string letters = letters_of(function.takes);
    for (std::size_t i = 0; i < std::min(letters.size(), given.all.size()); ++i) {
        const bool is_optional = i >= least_of(function.takes);
        if (is_refused(given.type(i), given.text(i), letters[i], is_optional))
            return UseProblem::failure(text::format("{}: argument {} is {}, and not {}", function.name, i + 1,
                                                    taken_by(letters[i]), given.show(i)));
    }
    return {};
}

/// A format of string.format that shows more values than there are.
UseProblem find_missing_values(const LuaFunction& function, const WrittenArguments& given) {
    if (function.name != "string.format" || given.all.empty() || given.is_open()) return {};
    const std::size_t places = count_places(given.text(0));
    if (given.all.size() > places) return {};
    return UseProblem::failure(text::format("string.format: the format shows {}, and {}",
                                            count_of(places, "value"), describe_given(given.all.size() - 1)));
}

UseProblem find_wrong_arguments(const LuaFunction& function, const WrittenArguments& given) {
    const std::size_t least = least_of(function.takes);
    if (given.has_fewer_than(least))
        return UseProblem::failure(text::format("{} needs {}, and {}", function.name,
                                                count_of(least, "argument"),
                                                describe_given(given.all.size())));
    if (auto problem = find_wrong_types(function, given); !problem.empty()) return problem;
    if (auto problem = find_missing_values(function, given); !problem.empty()) return problem;
    const std::size_t most = letters_of(function.takes).size();
    if (function.takes.ends_with('*') || !given.has_more_than(most)) return {};
    const std::string message = text::format("{} takes {}, and {}", function.name, count_of(most, "argument"),
                                             describe_given(given.all.size()));
    return function.name == "table.insert" ? UseProblem::failure(message) : UseProblem::warning(message);
}

UseProblem find_wrong_count(std::string_view call, const ModuleMember& member, bool is_shipped,
                            const WrittenArguments& given) {
    if (!member.parameters) return {};
    const bool has_fewer = is_shipped && given.has_fewer_than(*member.parameters);
    if (!has_fewer && !given.has_more_than(*member.parameters)) return {};
    return UseProblem::warning(text::format("{} takes {}, and {}", call,
                                            count_of(*member.parameters, "argument"),
                                            describe_given(given.all.size())));
}

/// Which argument of a function of the module `options` names fields, and how.
struct FieldArgument {
    std::string_view function;
    std::size_t at;
    bool is_list;  ///< several names with commas
    bool is_asked; ///< job:is_set() gets the names, and fails with one that is none
};
constexpr auto field_arguments = std::to_array<FieldArgument>({
    {"required", 1, true, true},
    {"given", 1, true, true},
    {"forbidden", 1, false, true},
    {"option", 0, false, false},
});

/// What is wrong with the name of a field; empty: nothing, or it is none of our matter.
std::string describe_wrong_field(std::string_view name, bool is_asked) {
    const FieldSpec* const field = find_job_field(name);
    if (field == nullptr) return describe_unknown_field(name);
    if (!is_asked || field->is_set != nullptr) return {};
    return text::format("'{}' is not something that a request asks for{}", name, why_no_request(*field));
}

/// A literal name of a field in a call of the module `options`.
UseProblem find_wrong_option_field(std::string_view function, const WrittenArguments& given) {
    const auto argument = std::ranges::find(field_arguments, function, &FieldArgument::function);
    if (argument == field_arguments.end()) return {};
    std::string problem;
    std::string_view rest = given.text(argument->at);
    while (problem.empty() && !rest.empty()) { // spaces are parts of the names there
        const std::string_view name = argument->is_list ? rest.substr(0, rest.find(',')) : rest;
        if (!name.empty()) problem = describe_wrong_field(name, argument->is_asked);
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
    if (problem.empty()) return {};
    const std::string message = text::format("options.{}: {}", function, problem);
    return argument->is_asked ? UseProblem::failure(message) : UseProblem::warning(message);
}

/// MODULE:NAME(...), which gives the module as the first argument. A site's function may be made for that.
UseProblem find_wrong_colon(const std::string& module_name, std::string_view function,
                            const ModuleMember& member, bool is_shipped, const WrittenArguments& given) {
    const bool has_more = member.parameters && given.least() + 1 > *member.parameters;
    if (!is_shipped && !has_more) return {};
    return UseProblem::warning(
        text::format("write {0}.{1}(...), with a dot: with a colon its first argument is the module",
                     module_name, function));
}

} // namespace

UseProblem find_library_problem(const SyntaxTree& tree, NodeId call) {
    const NodeId called = tree.object(call);
    const std::string name = tree.is(called, NodeKind::name)
                                 ? std::string(tree.text(called))
                                 : text::format("{}.{}", tree.text(tree.object(called)), tree.member(called));
    const auto function = std::ranges::find(lua_functions, name, &LuaFunction::name);
    return function == lua_functions.end() ? UseProblem()
                                           : find_wrong_arguments(*function, WrittenArguments(tree, call));
}

UseProblem find_module_problem(const SyntaxTree& tree, NodeId use,
                               const std::pair<const std::string, ModuleMembers>& module) {
    const std::string_view name = tree.member(use);
    if (name.empty()) return {};
    const auto& [module_name, content] = module;
    const bool is_method = tree.is(use, NodeKind::method);
    const bool is_called = is_method || tree.is_called(use);
    if (tree.is_target(use))
        return UseProblem::failure(
            text::format("module '{}' cannot be changed (field '{}')", module_name, name));
    const auto member = content.members.find(name);
    if (member == content.members.end()) {
        // A site's own table may lack an entry, and reading it gives nil.
        if (!is_called && !content.is_shipped) return {};
        std::vector<std::string> known;
        for (const auto& [own, what] : content.members)
            known.push_back(own);
        // A warning, because the file may call it only where there is one.
        return UseProblem::warning(text::format("module '{}' has no '{}'{}{}", module_name,
                                                text::printable(name, 60), text::did_you_mean(name, known),
                                                content.is_shipped ? list_of_names(known) : ""));
    }
    if (!is_called) return {};
    if (!member->second.is_function)
        return UseProblem::warning(text::format("module '{}': '{}' is no function", module_name, name));
    const WrittenArguments given(tree, is_method ? use : tree.parent(use));
    if (is_method) return find_wrong_colon(module_name, name, member->second, content.is_shipped, given);
    if (content.is_shipped && module_name == "options")
        if (auto problem = find_wrong_option_field(name, given); !problem.empty()) return problem;
    return find_wrong_count(text::format("{}.{}", module_name, name), member->second, content.is_shipped,
                            given);
}

} // namespace qg::policy
