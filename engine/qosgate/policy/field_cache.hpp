// SPDX-License-Identifier: GPL-2.0-or-later
//
// FieldCache: the table through which rules read `job`. It has the functions of `job`, and the value of each
// field that some rule has read of the present job: a second read is a look-up of the interpreter alone. What
// the table does not have, the function behind it reads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

struct lua_State;

namespace qg::policy {

/// Ownership: two references in the registry of its Lua state, which it shares.
/// Threads: not thread-safe; the one of its Lua state.
class FieldCache {
  public:
    /// Takes the table on top of the stack, which has the functions, and leaves it there. Inside a protected
    /// call.
    void install(lua_State* lua);

    /// Keeps the value on top of the stack, which stays there, for the field of this index in job_fields().
    /// The table is at `table`, the field's name at `name`. Nil is not kept. Inside a protected call.
    void keep(lua_State* lua, int table, int name, std::size_t field);

    /// Forgets all values. Call it when the job, or what a rule sees of it, is another one. Allocates nothing
    /// and raises no error.
    void clear(lua_State* lua) noexcept {
        if (count_ != 0) forget(lua);
    }

  private:
    void forget(lua_State* lua) noexcept;

    int table_ = 0;
    int names_ = 0; ///< of all fields: a list in the order of job_fields(), from 1 on
    std::size_t count_ = 0;
    std::array<std::uint8_t, 128> kept_{}; ///< the fields, `count_` of them
};

} // namespace qg::policy
