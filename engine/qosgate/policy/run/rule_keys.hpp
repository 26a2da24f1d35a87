// SPDX-License-Identifier: GPL-2.0-or-later
//
// rule_keys: the keys of rule { ... }, which values they take, and which of them go together.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/check/declarations.hpp"
#include "qosgate/policy/value.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace qg::policy {

/// The maximum number of elements of a list in a rule's table.
constexpr std::size_t max_list_items = 64;

/// A key's value as it is written. Ownership: borrows.
struct KeyValue {
    Value value; ///< a list is "a table" here
    bool is_list = false;
    std::span<const Value> items = {}; ///< of a list, at most max_list_items + 1
};

/// A function that a rule's table has.
struct GivenFunction {
    bool is_given = false;
    int parameters = 0;
    bool takes_any_number = false; ///< function(...), or a function of a library
};

/// Whether a key's value is a function. The caller keeps such a value itself.
[[nodiscard]] bool is_function_key(std::string_view name) noexcept;

/// Why the function behind a key must not return such a value: "submit returned true: a rule returns nothing;
/// ...".
std::string describe_bad_return(std::string_view function, std::string_view value);

/// Sets one key. Errors: invalid_input for an unknown key, or for a value that it cannot have.
Result<void> set_rule_key(Declarations& into, std::string_view name, const KeyValue& value);

/// The functions that a rule's table has.
struct GivenFunctions {
    GivenFunction submit;
    GivenFunction modify;
    GivenFunction client;
};

/// Decides when the rule runs, after all keys were set. Errors: invalid_input for a rule without a function,
/// for a function that is never run, and for one with more parameters than arguments.
Result<void> set_events(Declarations& into, const GivenFunctions& functions);

} // namespace qg::policy
