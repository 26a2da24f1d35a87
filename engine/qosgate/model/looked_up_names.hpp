// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names of a request that slurmctld looks up even if they are empty texts ("--qos=", of a variable that
// is not set): it does not take them as not given, and finds nothing of that name. [limits/README.md 8.6]
#pragma once

#include "qosgate/model/decision.hpp"
#include "qosgate/model/job_request.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qg::model {

struct LookedUpName {
    std::optional<std::string> JobRequest::*field;
    std::string_view option; ///< of the clients
    RejectCode code;         ///< with which slurmctld refuses an empty one
};

/// In the order in which slurmctld looks them up.
inline constexpr std::array looked_up_names{
    LookedUpName{&JobRequest::partition, "--partition", RejectCode::invalid_partition},
    LookedUpName{&JobRequest::account, "--account", RejectCode::invalid_account},
    LookedUpName{&JobRequest::qos, "--qos", RejectCode::invalid_qos},
    LookedUpName{&JobRequest::tres_per_node, "--gres", RejectCode::invalid_tres},
    LookedUpName{&JobRequest::required_nodes, "--nodelist", RejectCode::invalid_node_count},
};

/// Notes that the request gives a name as an empty text. Of other fields that means nothing.
constexpr void note_empty_name(JobRequest& request, std::optional<std::string> JobRequest::*field) noexcept {
    for (std::size_t i = 0; i < looked_up_names.size(); ++i)
        if (looked_up_names[i].field == field)
            request.empty_names = static_cast<std::uint8_t>(request.empty_names | (1u << i));
}

/// The names that the request gives as empty texts, and that no rule has set since: one bit for each row.
[[nodiscard]] constexpr std::uint8_t empty_names_of(const JobRequest& request) noexcept {
    if (request.empty_names == 0) return 0;
    std::uint8_t empty = request.empty_names;
    for (std::size_t i = 0; i < looked_up_names.size(); ++i)
        if ((request.*looked_up_names[i].field).has_value())
            empty = static_cast<std::uint8_t>(empty & ~(1u << i));
    return empty;
}

/// Whether --nodelist is such a name. It names 0 nodes: more if --nodes asks for more.
[[nodiscard]] constexpr bool has_empty_node_list(const JobRequest& request) noexcept {
    static_assert(looked_up_names.back().field == &JobRequest::required_nodes);
    return (empty_names_of(request) & (1u << (looked_up_names.size() - 1))) != 0;
}

} // namespace qg::model
