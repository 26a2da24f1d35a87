// SPDX-License-Identifier: GPL-2.0-or-later
//
// How values are printed when a test fails: BOOST_TEST(a == b) prints both, whatever they are. Every test
// includes this file first (see tests/meson.build). Enumerators print their names, containers and optionals
// their contents. A struct that is compared needs a line with its fields:
//
//   template <>
//   inline constexpr auto fields_of<model::Memory> =
//       std::tuple(field("mib", &model::Memory::mib), field("per_cpu", &model::Memory::per_cpu));
#pragma once

#include "qosgate/base/enumerators.hpp"
#include "qosgate/base/error.hpp"
#include "qosgate/gate/size/job_size.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/limits/violation.hpp"
#include "qosgate/model/partition.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/policy/rule.hpp"
#include "qosgate/policy/settings.hpp"

#include <array>
#include <bit>
#include <chrono>
#include <concepts>
#include <memory>
#include <optional>
#include <ostream>
#include <ranges>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <boost/test/tools/assertion.hpp>

namespace qg::test {

template <typename Struct, typename Value>
struct Field {
    std::string_view name;
    Value Struct::*member;
};
template <typename Struct, typename Value>
constexpr Field<Struct, Value> field(std::string_view name, Value Struct::*member) {
    return {name, member};
}

/// The fields of a struct that tests compare.
template <typename T>
inline constexpr auto fields_of = nullptr;

template <>
inline constexpr auto fields_of<Error> = std::tuple(field("code", &Error::code),
                                                    field("message", &Error::message));
template <>
inline constexpr auto fields_of<model::Memory> = std::tuple(field("mib", &model::Memory::mib),
                                                            field("per_cpu", &model::Memory::per_cpu));
template <>
inline constexpr auto
    fields_of<model::FieldDifference> = std::tuple(field("before", &model::FieldDifference::before),
                                                   field("after", &model::FieldDifference::after));
template <>
inline constexpr auto fields_of<limits::Owner> = std::tuple(field("kind", &limits::Owner::kind),
                                                            field("index", &limits::Owner::index));
template <>
inline constexpr auto fields_of<limits::Violation> =
    std::tuple(field("limit", &limits::Violation::limit), field("owner", &limits::Violation::owner),
               field("tres", &limits::Violation::tres), field("asked", &limits::Violation::asked),
               field("limit_value", &limits::Violation::limit_value), field("used", &limits::Violation::used),
               field("relation", &limits::Violation::relation), field("reason", &limits::Violation::reason));
template <>
inline constexpr auto fields_of<gate::JobSize> = std::tuple(field("nodes", &gate::JobSize::nodes),
                                                            field("max_nodes", &gate::JobSize::max_nodes),
                                                            field("tasks", &gate::JobSize::tasks),
                                                            field("cpus", &gate::JobSize::cpus));
template <>
inline constexpr auto fields_of<policy::RuleInfo> =
    std::tuple(field("name", &policy::RuleInfo::name), field("file", &policy::RuleInfo::file),
               field("mode", &policy::RuleInfo::mode), field("on_error", &policy::RuleInfo::on_error));
template <>
inline constexpr auto
    fields_of<policy::Settings> = std::tuple(field("limits", &policy::Settings::limits),
                                             field("contact", &policy::Settings::contact),
                                             field("rule_instructions", &policy::Settings::rule_instructions),
                                             field("rule_memory_mib", &policy::Settings::rule_memory_mib),
                                             field("rule_time", &policy::Settings::rule_time));

template <typename T>
concept Struct = !std::is_null_pointer_v<std::remove_cv_t<decltype(fields_of<T>)>>;

template <typename T>
concept Enumeration = std::is_enum_v<T> && !std::convertible_to<T, std::underlying_type_t<T>>;

template <typename T>
concept Text = std::convertible_to<const T&, std::string_view>;

template <typename T>
concept Container = std::ranges::forward_range<const T> && !Text<T> && !std::is_array_v<T> &&
                    !std::same_as<std::ranges::range_value_t<const T>, T>;

template <typename T, template <typename...> typename Template>
inline constexpr bool is_a = false;
template <template <typename...> typename Template, typename... Arguments>
inline constexpr bool is_a<Template<Arguments...>, Template> = true;

/// Types that Boost.Test cannot print, or prints only in part.
template <typename T>
concept Printed = Struct<T> || Enumeration<T> || Container<T> || std::same_as<T, limits::Release> ||
    std::same_as<T, std::nullopt_t> || is_a<T, std::optional> || is_a<T, std::variant> ||
    is_a<T, std::pair> || is_a<T, std::chrono::duration> || is_a<T, std::shared_ptr>;

/// The spellings of an enumeration's values 0, 1, 2, ...
template <Enumeration T, std::size_t... values>
constexpr std::array<std::string_view, sizeof...(values)> spellings_of(std::index_sequence<values...>) {
    return {spelling_of<static_cast<T>(values)>()...};
}

template <typename T>
void print(std::ostream& out, const T& value);

template <Enumeration T>
void print_enumerator(std::ostream& out, T value) {
    static constexpr auto names = spellings_of<T>(std::make_index_sequence<64>());
    const auto number = static_cast<std::uint64_t>(value);
    const std::string_view name = number < names.size() ? names[number] : "(";
    if (name.starts_with('('))
        out << +static_cast<std::underlying_type_t<T>>(value);
    else
        out << name.substr(name.rfind(':') + 1);
}

template <Struct T>
void print_fields(std::ostream& out, const T& value) {
    const char* separator = "{";
    const auto print_one = [&](const auto& field) {
        out << std::exchange(separator, ", ") << field.name << "=";
        print(out, value.*field.member);
    };
    std::apply([&](const auto&... fields) { (print_one(fields), ...); }, fields_of<T>);
    out << '}';
}

template <Container T>
void print_elements(std::ostream& out, const T& values) {
    const char* separator = "";
    out << '{';
    for (const auto& value : values) {
        out << std::exchange(separator, ", ");
        print(out, static_cast<const std::ranges::range_value_t<T>&>(value));
    }
    out << '}';
}

template <typename T>
void print(std::ostream& out, const T& value) {
    if constexpr (Struct<T>)
        print_fields(out, value);
    else if constexpr (Enumeration<T>)
        print_enumerator(out, value);
    else if constexpr (Text<T>)
        out << '"' << std::string_view(value) << '"';
    else if constexpr (Container<T>)
        print_elements(out, value);
    else if constexpr (std::same_as<T, bool>)
        out << (value ? "true" : "false");
    else if constexpr (std::same_as<T, limits::Release>) {
        const auto number = std::bit_cast<std::uint32_t>(value);
        out << value.branch() << '.' << (number & 0xffu);
    } else if constexpr (std::same_as<T, std::nullopt_t> || std::same_as<T, std::monostate>)
        out << "nothing";
    else if constexpr (is_a<T, std::optional>)
        value ? print(out, *value) : print(out, std::nullopt);
    else if constexpr (is_a<T, std::variant>)
        std::visit([&](const auto& held) { print(out, held); }, value);
    else if constexpr (is_a<T, std::pair>) {
        print(out, value.first);
        out << ": ";
        print(out, value.second);
    } else if constexpr (is_a<T, std::chrono::duration>)
        out << std::chrono::duration<double>(value).count() << " s";
    else if constexpr (is_a<T, std::shared_ptr>)
        out << value.get();
    else
        out << value;
}

} // namespace qg::test

namespace boost::test_tools {

namespace tt_detail {

template <typename T>
requires qg::test::Printed<T>
struct print_log_value<T> {
    void operator()(std::ostream& out, const T& value) { qg::test::print(out, value); }
};

} // namespace tt_detail

namespace assertion::op {

/// Whole containers: Boost.Test has this overload too, but prints neither side.
template <typename Left, typename Right, typename LeftValue, typename RightValue>
requires qg::test::Container<Left> && qg::test::Container<Right>
    assertion_result compare_collections(const Left& left, const Right& right,
                                         boost::type<EQ<LeftValue, RightValue>>*, mpl::false_) {
    assertion_result result(left == right);
    if (!result)
        result.message() << '[' << tt_detail::print_helper(left) << " != " << tt_detail::print_helper(right)
                         << ']';
    return result;
}

} // namespace assertion::op

} // namespace boost::test_tools
