// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/set_limit.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"

#include <string_view>

namespace qg::limits {
namespace {

std::string assignment(const SetLimit& limit, std::string_view value) {
    return text::format("{}={}{}", limit.facts->name, limit.tres.empty() ? "" : limit.tres + "=", value);
}

std::string amount(const SetLimit& limit, std::uint64_t value) {
    return format_limit_value(limit.facts->limit, limit.tres, value);
}

} // namespace

std::string SetLimit::text() const {
    return assignment(*this, amount(*this, value));
}

std::string SetLimit::unset_text() const {
    return assignment(*this, "-1");
}

std::string SetLimit::value_text() const {
    return (facts->sense == model::LimitSense::minimum ? "at least " : "") + amount(*this, value);
}

std::string SetLimit::used_text() const {
    return used ? amount(*this, *used) : std::string();
}

std::string SetLimit::left_text() const {
    return used ? amount(*this, left()) : std::string();
}

std::vector<SetLimit> find_set_limits(const model::Limits& limits, const model::TresCatalogue& tres) {
    std::vector<SetLimit> set;
    if (!limits.has_any()) return set;
    for (const model::LimitFacts& facts : model::limit_facts) {
        if (const auto* count = std::get_if<model::CountLimit>(&facts.limit)) {
            if (const auto value = limits.get(*count)) set.push_back({.facts = &facts, .value = *value});
            continue;
        }
        const auto limit = std::get<model::TresLimit>(facts.limit);
        for (std::size_t at = 0; limits.has_any(limit) && at < tres.size(); ++at)
            if (const auto value = limits.get(limit, at))
                set.push_back({.facts = &facts, .tres = tres.name(at), .value = *value});
    }
    return set;
}

} // namespace qg::limits
