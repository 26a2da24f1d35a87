// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/unknown_name.hpp"

#include "qosgate/base/text.hpp"

namespace qg::policy {
namespace {

constexpr std::string_view list_begin = " (there are: ";

} // namespace

std::string list_of_names(std::span<const std::string> names) {
    return text::format("{}{})", list_begin, text::join(names, ", "));
}

std::string without_lists(std::string_view message) {
    std::string rest;
    for (;;) {
        const std::size_t begin = message.find(list_begin);
        rest += message.substr(0, begin);
        if (begin == std::string_view::npos) return rest;
        const std::size_t end = message.find(')', begin);
        if (end == std::string_view::npos) return rest;
        message.remove_prefix(end + 1);
    }
}

} // namespace qg::policy
