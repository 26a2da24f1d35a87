// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/qos_record.hpp"

#include "qosgate/model/qos_fields.hpp"
#include "qosgate/model/tres.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

namespace qg::model {
namespace {

/// The position of a TRES in Slurm's order: the built-in ones first, then all others.
std::size_t rank_of(std::string_view name) noexcept {
    static const auto built_in = TresCatalogue::built_in();
    const auto names = built_in->names();
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

} // namespace

bool TresOrder::operator()(std::string_view a, std::string_view b) const noexcept {
    return std::pair(rank_of(a), a) < std::pair(rank_of(b), b);
}

std::ostream& operator<<(std::ostream& out, const QosRecord& record) {
    std::string_view separator;
    for (const QosField& field : qos_fields()) {
        if (!is_set(field, record)) continue;
        out << std::exchange(separator, " ") << field.name << '=' << format_field(field, record);
    }
    return out;
}

} // namespace qg::model
