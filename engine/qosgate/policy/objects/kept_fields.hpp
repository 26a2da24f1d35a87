// SPDX-License-Identifier: GPL-2.0-or-later
//
// KeptFields: the fields of `job` that rules have read, kept from one job to the next.
//
// Each rule reads `job` through a table of its own. It has the functions of `job`, and the fields that this
// rule has read before: a further read is a look-up of the interpreter alone. What the table does not have,
// the function behind it reads. Before the rules, one loop compares the job's values with those of the last
// job; a rule's table gets those that differ just before the rule runs.
//
// So it is known which fields each rule reads. A rule that did nothing with a job, and keeps nothing from one
// call to the next (field_dependencies.hpp), does nothing again while these fields stay the same: it rests.
#pragma once

#include "qosgate/model/job_details.hpp"
#include "qosgate/policy/value.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

struct lua_State;

namespace qg::policy {

struct FieldSource;
struct FieldSpec;

/// Ownership: references in the registry of its Lua state, which it shares; copies of values.
/// Threads: not thread-safe; the one of its Lua state. Cost of each call: bounded by the constants and the
/// number of rules, whatever users send.
class KeptFields {
  public:
    KeptFields();

    /// The looks at fields that are kept; a rule that looks at further ones never rests.
    static constexpr std::size_t max_looks = 64;
    /// The bytes of a text; a rule that reads a longer one does not rest.
    static constexpr std::size_t max_text = 128;

    /// Takes the table with the functions of `job` that is on top of the stack, and the metatable of `job` at
    /// a stack index; both stay there. Inside a protected call.
    void install(lua_State* lua, int metatable);

    /// There are so many rules. For each of them, whether it may keep something from one call to the next;
    /// empty: no value is kept for the next job, and no rule rests.
    void set_rules(const std::vector<bool>& keeps_state, std::size_t rules);

    /// Makes their tables. Inside a protected call.
    void make_tables(lua_State* lua);

    /// Begins with a job, or with one that has changed. Without `is_counted` its counts and defaults are not
    /// known. Call it before rules run.
    void start_job(const FieldSource& source, bool is_counted) noexcept;

    /// Whether the rule does nothing with the job of start_job(), as an earlier one has shown.
    [[nodiscard]] bool rests(std::size_t rule) const noexcept { return rules_[rule].rests; }

    /// Makes `job` show the table of this rule, which has the values of the job of start_job(). Inside a
    /// protected call.
    void start_rule(lua_State* lua, std::size_t rule);

    /// Takes a look of the rule that runs at a field of the present job. Null: its value cannot be had.
    /// Returns whether there is room for it; keep() must not have it otherwise.
    bool note(const FieldSpec& field, model::FieldUse use, const Value* value) noexcept;

    /// Puts the value on top of the stack, which stays there, into the rule's table at `table`, under the
    /// name at `name`. Call it after note(). Inside a protected call.
    static void keep(lua_State* lua, int table, int name);

    /// The rule that runs has written to the job: until the next start_rule() its table has no values, and
    /// looks are not to be noted. Allocates nothing and raises no error.
    void forget_values(lua_State* lua) noexcept;

    /// The rule that ran did nothing. It rests if it `looked_only_here`: at nothing but what was noted.
    void end_idle_rule(bool looked_only_here) noexcept;

  private:
    /// A set of looks: bit n is looks_[n].
    using Looks = std::uint64_t;
    static_assert(max_looks == 64);
    static constexpr std::uint8_t no_place = UINT8_MAX;

    /// What one or more rules look at, and what the last job has there.
    struct alignas(64) Look { // what most jobs need of it is in one line of the processor's cache
        const FieldSpec* field = nullptr;
        model::FieldUse use = model::FieldUse::read;
        Value::Kind kind = Value::Kind::other; ///< `other`: not known, and so different from any value
        std::uint8_t size = 0;                 ///< of text
        std::int64_t integer = 0;
        std::array<char, max_text> text{};

        [[nodiscard]] bool is_known() const noexcept { return kind != Value::Kind::other; }
        [[nodiscard]] Value value() const noexcept { return {kind, integer, {text.data(), size}}; }
        void set(const Value& value) noexcept;
    };
    struct Rule {
        Looks looks = 0; ///< what it has looked at in any of its runs
        Looks stale = 0; ///< of these, those that its table does not have as they are
        int table = 0;   ///< its reference
        bool may_rest = false;
        bool rests = false;
    };

    [[nodiscard]] static Value read(const Look& look, const FieldSource& source, bool is_counted) noexcept;
    [[nodiscard]] std::uint8_t& place_of(const FieldSpec& field, model::FieldUse use) noexcept;
    void push_table(lua_State* lua, std::size_t rule) const noexcept;
    template <typename Do>
    void for_each_read(Looks looks, Do body) const;

    int functions_ = 0; ///< references: the table of the functions of `job`,
    int metatable_ = 0; ///< the metatable of `job`,
    int names_ = 0;     ///< and a list of the names of all fields, in the order of job_fields(), from 1 on
    bool keeps_values_ = false;
    std::size_t present_ = 0;    ///< the rule that runs
    bool looks_further_ = false; ///< it has looked at more than there is room for
    std::vector<Rule> rules_;
    std::size_t count_ = 0;
    std::array<Look, max_looks> looks_{};
    std::vector<std::uint8_t> places_; ///< in looks_, of each field and use
};

} // namespace qg::policy
