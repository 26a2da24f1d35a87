// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/unknown_name.hpp"

#include "qosgate/base/text.hpp"

namespace qg::policy {
namespace {

constexpr std::string_view list_begin = " (there are: ";
constexpr std::string_view pointer = " (all names: qosgate policy api)";
constexpr std::size_t max_listed = 20;

std::string without(std::string_view message, std::string_view beginning) {
    std::string rest;
    for (;;) {
        const std::size_t begin = message.find(beginning);
        rest += message.substr(0, begin);
        if (begin == std::string_view::npos) return rest;
        const std::size_t end = message.find(')', begin);
        if (end == std::string_view::npos) return rest;
        message.remove_prefix(end + 1);
    }
}

} // namespace

std::string list_of_names(std::span<const std::string> names) {
    return text::format("{}{})", list_begin, names.empty() ? "none" : text::join(names, ", "));
}

std::string_view pointer_to_names() noexcept {
    return pointer;
}

std::string list_or_pointer(std::span<const std::string> names) {
    return names.size() > max_listed ? std::string(pointer) : list_of_names(names);
}

std::string without_lists(std::string_view message) {
    return without(without(message, list_begin), pointer);
}

} // namespace qg::policy
