// SPDX-License-Identifier: GPL-2.0-or-later
//
// name_meanings: which local names of a source certainly are `job`, `before`, `options`, `view`, an object
// that these give, or a module. Such values come from the arguments of a rule's functions and from
// require("NAME"). They are followed through `local j = job` and through calls of the source's own local
// functions. A function that is also called with other values, or inside pcall(function ...), or that is
// given away as a value, has arguments that are not known; so has one that is never called. Global functions
// are followed, too, if the source gives the name one value only.
#pragma once

#include "qosgate/policy/lua_tokens.hpp"
#include "qosgate/policy/name_check.hpp"
#include "qosgate/policy/name_scopes.hpp"
#include "qosgate/policy/view_table.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace qg::policy {

/// What a name is.
enum class Meaning : std::uint8_t {
    unset, ///< nothing gives it a value
    anything,
    job,
    before,
    options,
    view,
    gpu,  ///< job.gpu
    list, ///< that job or view gives
    module,
};

/// The meaning of a local name.
struct NameMeaning {
    Meaning meaning = Meaning::unset;
    ViewKind kind = ViewKind::view; ///< of `view`, and of what it gave
    const std::pair<const std::string, ModuleMembers>* module =
        nullptr; ///< of a module: its name and members

    [[nodiscard]] bool is_known() const noexcept { return meaning > Meaning::anything; }
    friend bool operator==(const NameMeaning&, const NameMeaning&) = default;
};

/// The arguments of a rule's function behind this key, in order; also those of the functions of a script for
/// job_submit/lua, as far as they have a meaning.
std::span<const Meaning> arguments_of(std::string_view rule_key) noexcept;

/// A parameter with this name is that object, whoever calls its function.
struct ParameterName {
    std::string_view name;
    Meaning meaning;
};

/// The name by which rules call such an argument.
std::string_view word_for(Meaning meaning) noexcept;

/// The meaning of each declaration of `scopes`. Cost: linear.
std::vector<NameMeaning> find_meanings(std::span<const Token> tokens, const NameScopes& scopes,
                                       const CodeFacts& facts);
/// The same, with other names than those of a module.
std::vector<NameMeaning> find_meanings(std::span<const Token> tokens, const NameScopes& scopes,
                                       const CodeFacts& facts, std::span<const ParameterName> names);

} // namespace qg::policy
