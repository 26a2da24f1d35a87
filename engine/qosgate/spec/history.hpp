// SPDX-License-Identifier: GPL-2.0-or-later
//
// History: what each apply found and did, so that it can be undone (revert.hpp).
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/spec/plan.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qg::spec {

/// One apply.
struct HistoryRecord {
    std::string time;  ///< as the caller writes it
    std::string actor; ///< who applied it
    Plan plan;         ///< with the records before and after
    /// Associations that store something about a QOS that the plan removes; as they were.
    std::vector<model::AssociationRecord> lost_access;
    /// The associations of the plan's `access` and of `lost_access` as the apply leaves them, by name. Older
    /// files have none.
    std::vector<model::AssociationRecord> left_access = {};
    /// Texts of the caller's about temporary access. Older files have none.
    std::vector<std::string> made_permanent = {}; ///< that lost its end, because the plan's files name it
    std::vector<std::string> ended = {};          ///< that the plan takes away
    bool is_open = false;                         ///< whether the plan was carried out is not known
    std::uint64_t undoes = 0; ///< the number of the entry that it undoes; 0: it is no rollback
    friend bool operator==(const HistoryRecord&, const HistoryRecord&) = default;
};

/// What must be kept about an apply of `plan`, before it is carried out on `live`.
HistoryRecord make_history(const Plan& plan, const LiveState& live, std::string time, std::string actor);

/// As a file: format, version and sum as in plan_to_text().
std::string history_to_text(const HistoryRecord& record);

/// Errors: as plan_from_text().
Result<HistoryRecord> history_from_text(std::string_view text, std::string_view cluster);

/// Whether all that the apply did is there.
bool is_in_force(const HistoryRecord& record, const LiveState& live);

} // namespace qg::spec
