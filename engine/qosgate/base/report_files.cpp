// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/report_files.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>

#include <unistd.h>

namespace qg {
namespace {

std::string_view without_domain(std::string_view host) {
    return host.substr(0, host.find('.'));
}

bool is_of_a_host_name(char letter) {
    return text::is_letter(letter) || text::is_digit(letter) || letter == '-' || letter == '_';
}

} // namespace

std::string standby_report_file_name(std::string_view host) {
    std::string name(without_domain(host));
    std::ranges::replace_if(
        name, [](char letter) { return !is_of_a_host_name(letter); }, '_');
    return text::format("qosgate_standby.{}.json", name);
}

std::string own_host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

bool is_same_host(std::string_view one, std::string_view other) {
    return text::iequals(without_domain(one), without_domain(other));
}

} // namespace qg
