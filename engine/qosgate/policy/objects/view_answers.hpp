// SPDX-License-Identifier: GPL-2.0-or-later
//
// How the tables of `view` (view_table.cpp) are read. A row names a getter: a member of the type that an
// object shows, a function of that type, or a function of the view. What the getter gives is the row's type.
#pragma once

#include "qosgate/policy/client_host.hpp"
#include "qosgate/policy/objects/view_table.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace qg::policy::view {

/// What an object shows.
template <typename T>
const T& as(const ViewObject& object) noexcept {
    return *static_cast<const T*>(object.data);
}

/// The kind of the objects that show a type.
// clang-format off
constexpr ViewKind kind_of(const std::tm* /*type*/) noexcept { return ViewKind::now; }
constexpr ViewKind kind_of(const ClusterFacts* /*type*/) noexcept { return ViewKind::cluster; }
constexpr ViewKind kind_of(const quota::UserRecord* /*type*/) noexcept { return ViewKind::user; }
constexpr ViewKind kind_of(const model::Partition* /*type*/) noexcept { return ViewKind::partition; }
constexpr ViewKind kind_of(const QosFacts* /*type*/) noexcept { return ViewKind::qos; }
constexpr ViewKind kind_of(const model::Association* /*type*/) noexcept { return ViewKind::association; }
constexpr ViewKind kind_of(const model::Reservation* /*type*/) noexcept { return ViewKind::reservation; }
constexpr ViewKind kind_of(const model::Usage* /*type*/) noexcept { return ViewKind::usage; }
constexpr ViewKind kind_of(const QosHeadroom* /*type*/) noexcept { return ViewKind::headroom; }
constexpr ViewKind kind_of(const model::QosFlags* /*type*/) noexcept { return ViewKind::flags; }
constexpr ViewKind kind_of(const ClientHost* /*type*/) noexcept { return ViewKind::client; }
// clang-format on

// ---- what a getter gives -------------------------------------------------------------------------------

/// Counts by TRES, of the object that `data` is.
struct TresTable {
    const void* data;
    std::optional<std::uint64_t> (*count)(const void* data, std::size_t tres) noexcept;
};

/// A flag, and why it is false.
struct Verdict {
    std::string_view why_not; ///< empty: it is true
};

/// A text that may be empty; nil is none.
using PossibleText = std::optional<std::string_view>;

/// No more jobs, nodes, … than this; an empty one is math.huge.
struct Maximum {
    std::optional<std::uint64_t> count;
};

// Trivial, and of every type that there is: an empty value is nil.
template <typename T>
ViewAnswer answer(const T& value) noexcept {
    if constexpr (std::same_as<T, bool>)
        return {.value = Value::of_flag(value)};
    else if constexpr (std::unsigned_integral<T>)
        return {.value = Value::of_count(value)};
    else if constexpr (std::same_as<T, TimeLimit>)
        return {.value = Value::of_time(value)};
    else if constexpr (std::same_as<T, Maximum>)
        return {.value = value.count ? Value::of_count(*value.count) : Value::unlimited()};
    else if constexpr (std::same_as<T, Verdict>)
        return {.value = Value::of_flag(value.why_not.empty()), .reason = value.why_not};
    else if constexpr (std::same_as<T, TresTable>)
        return {.object = {ViewKind::tres, value.data, value.count}};
    else if constexpr (std::is_pointer_v<T>)
        return {.object = {kind_of(value), value}};
    else if constexpr (std::convertible_to<T, std::span<const std::string>>)
        return {.names = value};
    else if constexpr (std::same_as<T, PossibleText>)
        return value ? ViewAnswer{.value = {Value::Kind::text, 0, *value}} : ViewAnswer{};
    else if constexpr (std::convertible_to<T, std::string_view>)
        return {.value = Value::of_text(value)};
    else
        return value ? answer(*value) : ViewAnswer{};
}

template <typename T>
constexpr ViewType type_of() noexcept {
    if constexpr (std::is_pointer_v<T> || std::same_as<T, TresTable>)
        return ViewType::object;
    else if constexpr (std::same_as<T, bool> || std::same_as<T, Verdict>)
        return ViewType::flag;
    else if constexpr (std::same_as<T, TimeLimit> || std::same_as<T, std::optional<TimeLimit>>)
        return ViewType::minutes;
    else if constexpr (std::same_as<T, std::vector<std::string>>)
        return ViewType::names;
    else if constexpr (std::same_as<T, std::span<const std::string>>)
        return ViewType::some_names;
    else if constexpr (std::convertible_to<T, PossibleText>)
        return ViewType::text;
    else
        return ViewType::count;
}

// ---- rows ----------------------------------------------------------------------------------------------

/// Asks the view, which may throw; the answer is trivial, so the caller may leave by a longjmp.
template <typename Ask>
ViewAnswer ask(ErrorText& error, Ask ask_view) noexcept {
    try {
        const auto given = ask_view();
        if constexpr (requires { given.error(); }) {
            if (given) return answer(*given);
            error.assign(given.error().message);
        } else
            return answer(given);
    } catch (...) {
        error.assign("out of memory");
    }
    return {};
}

template <typename T, typename Object>
std::type_identity<Object> object_of(T Object::*);
template <typename T, typename Object>
std::type_identity<Object> object_of(T (*)(const Object&));

/// A getter that asks the view may fail.
template <auto get>
ViewAnswer read(RuleView& view, const ViewObject& object, ErrorText& error) noexcept {
    if constexpr (std::invocable<decltype(get), RuleView&, const ViewObject&>)
        return ask(error, [&] { return get(view, object); });
    else
        return answer(std::invoke(get, as<typename decltype(object_of(get))::type>(object)));
}

template <auto call>
ViewAnswer answer_call(RuleView& view, const ViewObject& object, const CallArguments& arguments,
                       ErrorText& error) noexcept {
    return ask(error, [&] { return call(view, object, arguments); });
}

// What getters give.
template <typename T, typename Object>
std::type_identity<std::remove_cv_t<T>> given_by(T Object::*);
template <typename T, typename Object>
std::type_identity<std::remove_cvref_t<T>> given_by(T (*)(const Object&));
template <typename T, typename... Arguments>
std::type_identity<T> given_by(T (*)(RuleView&, const ViewObject&, Arguments...));
template <typename T, typename... Arguments>
std::type_identity<T> given_by(Result<T> (*)(RuleView&, const ViewObject&, Arguments...));
template <auto get>
using GivenBy = typename decltype(given_by(get))::type;

template <typename T>
constexpr ViewKind kind_given() noexcept {
    if constexpr (std::is_pointer_v<T>) return kind_of(T());
    return std::same_as<T, TresTable> ? ViewKind::tres : ViewKind::view;
}

template <auto get>
constexpr ViewField field(std::string_view name, std::string_view description) noexcept {
    using Given = GivenBy<get>;
    return {name, type_of<Given>(), description, &read<get>, kind_given<Given>()};
}

template <auto call>
constexpr ViewFunction function(std::string_view name, std::string_view usage, std::string_view description,
                                ViewCall how, std::int64_t cost) noexcept {
    using Given = GivenBy<call>;
    return {name, usage, description, type_of<Given>(), &answer_call<call>, how, cost, kind_given<Given>()};
}

} // namespace qg::policy::view
