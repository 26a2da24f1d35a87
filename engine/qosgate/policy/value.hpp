// SPDX-License-Identifier: GPL-2.0-or-later
//
// Value: one value that Lua and C++ exchange.
#pragma once

#include "qosgate/base/units.hpp"

#include <cstdint>
#include <string>
#include <string_view>

struct lua_State;

namespace qg::policy {

/// A scalar. Trivial, so a longjmp may skip it; `text` is borrowed from the job or from Lua's stack.
struct Value {
    enum class Kind : std::uint8_t {
        nothing,
        flag,
        integer,
        unlimited, ///< math.huge
        text,
        other, ///< anything else: a table, a function, a fraction
    };
    Kind kind = Kind::nothing;
    std::int64_t integer = 0; ///< also of a flag: 0 or 1
    std::string_view text;    ///< of `text`; of `other`, what to call it

    static Value of_flag(bool value) noexcept { return {Kind::flag, value ? 1 : 0, {}}; }
    /// Counts beyond 63 bits, which only "infinite" reaches, become unlimited.
    static Value of_count(std::uint64_t value) noexcept;
    static Value of_time(TimeLimit limit) noexcept;
    /// An empty text becomes nil.
    static Value of_text(std::string_view value) noexcept;
    static Value unlimited() noexcept { return {Kind::unlimited, 0, {}}; }

    friend bool operator==(const Value&, const Value&) = default;
};

/// The value as it was written, for messages: `"debug"`, `12`, `nil`, `a table`.
std::string describe(const Value& value);

/// The value at `index` of the stack; a text stays there. Never raises.
Value to_value(lua_State* lua, int index) noexcept;

/// The text at `index`, which a number there becomes; empty for another value. Ownership: Lua's.
std::string_view text_at(lua_State* lua, int index);

/// Pushes a value; `other` is not one that can be pushed and becomes nil. Inside a protected call.
void push_value(lua_State* lua, const Value& value);

} // namespace qg::policy
