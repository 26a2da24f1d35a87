// SPDX-License-Identifier: GPL-2.0-or-later
//
// ResolvedJob: the job as slurmctld's limit code will see it, every default filled in (limits/README.md 6).
#pragma once

#include "qosgate/base/units.hpp"
#include "qosgate/model/tres.hpp"

#include <cstdint>
#include <optional>

namespace qg::model {

/// What a job asks for, counted. TRES are those of one array task.
struct ResolvedJob {
    TresCounts tres;                     ///< what the submit stage sees, in the view's catalogue order
    std::optional<TresCounts> allocated; ///< what the chosen nodes come to; nothing: the same as `tres`
    std::optional<TimeLimit> time_limit; ///< -t or DefaultTime; nothing: none known to the limit code
    std::uint32_t array_tasks = 1;       ///< 0: not known, because --array cannot be read
    bool is_update = false;              ///< the check made for a change of an existing job

    /// TRES and time that an operator set after submission; later stages skip their limits
    /// (limits/README.md 4.4).
    std::vector<bool> operator_set_tres; ///< empty: none
    bool operator_set_time = false;
};

} // namespace qg::model
