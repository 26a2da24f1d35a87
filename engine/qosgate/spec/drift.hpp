// SPDX-License-Identifier: GPL-2.0-or-later
//
// Drift: where the live records are not what the files say.
#pragma once

#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/plan.hpp"

#include <span>
#include <string>
#include <vector>

namespace qg::spec {

/// A field whose value is not the files'.
struct DriftedField {
    std::string qos;
    std::string field;
    std::string wanted; ///< in words; "unset"
    std::string live;
    /// Whether the mark says that the owner manages it already: then somebody changed it since. Else the
    /// files name it and were not applied yet.
    bool is_managed = false;
    friend bool operator==(const DriftedField&, const DriftedField&) = default;
};

struct Drift {
    std::vector<DriftedField> fields;  ///< by QOS, in the order of the schema
    std::vector<std::string> missing;  ///< QOSs that the files name and that do not exist
    std::vector<std::string> leftover; ///< QOSs that pruning would remove
    std::vector<AccessSummary> access; ///< what would have to be granted, revoked and set
    model::NameSet managed_access;     ///< QOSs of `access` for which DriftedField::is_managed is true of it
    /// QOSs of which only the mark of ownership differs. This is no drift.
    std::vector<std::string> unmarked;

    [[nodiscard]] bool found() const {
        return !fields.empty() || !missing.empty() || !leftover.empty() || !access.empty();
    }
    friend bool operator==(const Drift&, const Drift&) = default;
};

/// `plan` was made from the files and the live records, of which `live` are the QOSs.
Drift find_drift(const Plan& plan, std::span<const model::QosRecord> live);

} // namespace qg::spec
