// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the tables of `view` share (view_table.cpp, view_partitions.cpp, view_records.cpp).
#pragma once

#include "qosgate/policy/objects/view_table.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace qg::policy::view {

/// What an object shows.
template <typename T>
const T& as(const ViewObject& object) noexcept {
    return *static_cast<const T*>(object.data);
}

/// Asks the view, which may throw; the answer is trivial, so the caller may leave by a longjmp.
template <typename Ask>
auto ask(ErrorText& error, Ask ask_view) noexcept -> std::optional<std::decay_t<decltype(*ask_view())>> {
    try {
        const auto answer = ask_view();
        if (answer) return *answer;
        error.assign(answer.error().message);
    } catch (...) {
        error.assign("out of memory");
    }
    return std::nullopt;
}

inline ViewAnswer number(std::uint64_t value) noexcept {
    return {.value = Value::of_count(value)};
}
inline ViewAnswer number(const std::optional<std::uint64_t>& value) noexcept {
    return value ? number(*value) : ViewAnswer{};
}
inline ViewAnswer text(std::string_view value) noexcept {
    return {.value = Value::of_text(value)};
}
inline ViewAnswer flag(bool value) noexcept {
    return {.value = Value::of_flag(value)};
}

/// The tables of the kinds that show records of partitions, QOSs, associations and reservations; null for
/// other kinds.
struct KindTable {
    ViewKind kind;
    const char* name;
    std::span<const ViewField> fields;
    std::span<const ViewFunction> functions = {};
};
const KindTable* find_record_table(ViewKind kind) noexcept;
std::span<const ViewField> partition_fields() noexcept;

// The functions of `view` that find records.
ViewAnswer find_partition(RuleView& view, const ViewObject& object, const CallArguments& arguments,
                          ErrorText& error) noexcept;
ViewAnswer find_qos(RuleView& view, const ViewObject& object, const CallArguments& arguments,
                    ErrorText& error) noexcept;
ViewAnswer list_allowed_qos(RuleView& view, const ViewObject& object, const CallArguments& arguments,
                            ErrorText& error) noexcept;
ViewAnswer list_accounts(RuleView& view, const ViewObject& object, const CallArguments& arguments,
                         ErrorText& error) noexcept;
ViewAnswer find_association(RuleView& view, const ViewObject& object, const CallArguments& arguments,
                            ErrorText& error) noexcept;
ViewAnswer count_jobs(RuleView& view, const ViewObject& object, const CallArguments& arguments,
                      ErrorText& error) noexcept;
ViewAnswer find_reservation(RuleView& view, const ViewObject& object, const CallArguments& arguments,
                            ErrorText& error) noexcept;

} // namespace qg::policy::view
