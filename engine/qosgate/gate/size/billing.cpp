// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/billing.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/usage.hpp"

#include <algorithm>
#include <charconv>

namespace qg::gate {
namespace {

/// The MiB in one unit of a weight.
double mib_per_unit(char suffix) {
    switch (suffix) {
    case 'K':
    case 'k': return 1.0 / 1024;
    case 'G':
    case 'g': return 1024.0;
    case 'T':
    case 't': return 1024.0 * 1024;
    case 'P':
    case 'p': return 1024.0 * 1024 * 1024;
    default: return 1.0;
    }
}

/// Whether this kind of TRES is added to the sum. Of the others only the largest counts.
bool is_added(model::TresKind kind, model::Billing billing) {
    switch (kind) {
    case model::TresKind::cpu:
    case model::TresKind::mem:
    case model::TresKind::node: return billing == model::Billing::sum;
    case model::TresKind::gres: return billing != model::Billing::largest;
    case model::TresKind::energy:
    case model::TresKind::billing:
    case model::TresKind::license:
    case model::TresKind::bb:
    case model::TresKind::other: break;
    }
    return true;
}

} // namespace

std::uint64_t billing_of(const model::TresCounts& counts, const model::TresCatalogue& catalogue,
                         std::string_view weights, model::Billing billing) {
    if (weights.empty()) {
        const auto cpu = catalogue.find(model::TresKind::cpu);
        return cpu ? model::count_at(counts, *cpu) : 0;
    }
    double sum = 0;
    double largest = 0;
    text::for_each_part(weights, ',', [&](std::string_view part) {
        const auto equals = part.find('=');
        if (equals == std::string_view::npos) return;
        const auto tres = catalogue.find(text::trim(part.substr(0, equals)));
        const std::string_view number = text::trim(part.substr(equals + 1));
        double weight = 0;
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), weight);
        if (!tres || error != std::errc{}) return;
        const bool has_suffix = end != number.data() + number.size();
        const double value = weight * static_cast<double>(model::count_at(counts, *tres)) /
                             (has_suffix ? mib_per_unit(*end) : 1.0);
        if (is_added(catalogue.kind(*tres), billing))
            sum += value;
        else
            largest = std::max(largest, value);
    });
    return saturate(sum + largest);
}

} // namespace qg::gate
