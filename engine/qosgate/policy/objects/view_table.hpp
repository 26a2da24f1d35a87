// SPDX-License-Identifier: GPL-2.0-or-later
//
// view_table: the meaning of `view.<name>` in a rule. One table for each kind of object holds the names,
// types and meanings of its fields, and how they are read. Bindings, messages, the check of names and
// contrib/doc/rules-view.md follow these tables.
#pragma once

#include "qosgate/base/enumerators.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/objects/rule_view.hpp"
#include "qosgate/policy/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace qg::policy {

/// The kinds of objects.
enum class ViewKind : std::uint8_t {
    view,
    now,
    cluster,
    user,
    partition,
    qos,
    association,
    reservation,
    usage,
    headroom,
    flags,
    client,
    tres, ///< counts by the names of the catalogue; it has no table
};

inline constexpr std::size_t view_kind_count = count_enumerators<ViewKind>();

enum class ViewType : std::uint8_t {
    text,
    count,   ///< a whole number, math.huge for "no limit"
    minutes, ///< the same
    flag,
    names,      ///< a list of texts; nil if it is empty
    some_names, ///< a list of texts, which may be empty
    object,     ///< one of the kinds
};

/// Whether a value of this type is a list.
constexpr bool is_list(ViewType type) noexcept {
    return type == ViewType::names || type == ViewType::some_names;
}

/// What an object of Lua shows. Trivial, so a longjmp may skip it. Ownership: borrows from the RuleView.
struct ViewObject {
    ViewKind kind = ViewKind::view;
    const void* data = nullptr; ///< the kind's own type, as its table says
    /// Of `tres`: the count of one TRES; empty: none.
    std::optional<std::uint64_t> (*count)(const void* data, std::size_t tres) noexcept = nullptr;
};

/// The value of a field. Trivial likewise.
struct ViewAnswer {
    Value value = {};                        ///< of a scalar
    std::span<const std::string> names = {}; ///< of a list
    ViewObject object = {};                  ///< of an object
    std::string_view reason = {};            ///< a second value; empty: there is none
};

/// One line of a table.
struct ViewField {
    std::string_view name;
    ViewType type;
    std::string_view description;
    /// Sets `error` if there is no answer.
    ViewAnswer (*read)(RuleView& view, const ViewObject& object, ErrorText& error) noexcept;
    /// Of an object.
    ViewKind kind = ViewKind::view;
    bool is_limit = false; ///< a limit that may be unset
};

/// Whether the value may be nil: each description says so, but those of limits.
bool may_be_nil(const ViewField& field) noexcept;

/// How a function is called.
enum class ViewCall : std::uint8_t {
    with_name,    ///< view.qos(name)
    with_nothing, ///< view.association()
    on_itself,    ///< qos:headroom()
    with_job,     ///< qos:fits(job)
    with_filter,  ///< view.jobs{ qos = "gpu" }
};

/// What it is called with. Trivial.
struct CallArguments {
    std::string_view name = {};
    const model::JobRequest* job = nullptr;
    JobFilter filter = {};
};

/// One of a kind's functions.
struct ViewFunction {
    std::string_view name;
    std::string_view usage; ///< "view.user.coordinates(account)"
    std::string_view description;
    ViewType type;
    /// Sets `error` if there is no answer.
    ViewAnswer (*call)(RuleView& view, const ViewObject& object, const CallArguments& arguments,
                       ErrorText& error) noexcept;
    ViewCall how = ViewCall::with_name;
    std::int64_t cost = 20; ///< in instructions
    /// Of an object.
    ViewKind kind = ViewKind::view;
};

bool may_be_nil(const ViewFunction& function) noexcept;

/// The fields of a kind, in the order they are documented.
std::span<const ViewField> view_fields(ViewKind kind) noexcept;

/// Likewise.
std::span<const ViewFunction> view_functions(ViewKind kind) noexcept;

/// The field of this name; null: there is none.
const ViewField* find_view_field(ViewKind kind, std::string_view name) noexcept;
const ViewFunction* find_view_function(ViewKind kind, std::string_view name) noexcept;

/// What messages and tostring call an object of the kind: "view.cluster".
const char* name_of(ViewKind kind) noexcept;

/// "unknown field 'agee' of view.cluster; did you mean age? (there are: ...)".
std::string describe_unknown_view_field(ViewKind kind, std::string_view name);

} // namespace qg::policy
