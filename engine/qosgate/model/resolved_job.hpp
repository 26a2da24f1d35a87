// SPDX-License-Identifier: GPL-2.0-or-later
//
// ResolvedJob: the job as slurmctld's limit code will see it, with every default filled in (limits/README.md
// 6).
#pragma once

#include "qosgate/base/units.hpp"
#include "qosgate/model/tres.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace qg::model {

/// What a job requests, in numbers. TRES are those of one array task.
struct ResolvedJob {
    TresCounts tres;                     ///< as the submit stage sees it, in the view's catalogue order
    std::optional<TresCounts> allocated; ///< on the chosen nodes; empty: the same as `tres`
    std::optional<TimeLimit> time_limit; ///< -t or DefaultTime; empty: the limit code knows none
    std::optional<TimeLimit> time_min;   ///< --time-min; empty: the scheduler never cuts the job's time to it
    std::uint32_t array_tasks = 1;       ///< 0: not known, because --array cannot be read
    bool is_update = false;              ///< the check made for a change of an existing job

    /// TRES and time that an operator set after submission; later stages skip their limits
    /// (limits/README.md 4.4).
    std::vector<bool> operator_set_tres; ///< empty: none
    bool operator_set_time = false;

    /// Values that result from a partition that is hidden from the reader of the answer: limits on them are
    /// not shown.
    std::vector<bool> hidden_tres; ///< empty: none
    bool is_time_hidden = false;
};

} // namespace qg::model
