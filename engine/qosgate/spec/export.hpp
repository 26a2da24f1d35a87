// SPDX-License-Identifier: GPL-2.0-or-later
//
// export_spec: the live records as a spec file that plans to no change.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/spec/ownership.hpp"
#include "qosgate/spec/plan.hpp"

#include <string>
#include <vector>

namespace qg::spec {

struct ExportOptions {
    std::string owner;                 ///< of the file; see is_owner()
    std::vector<std::string> qos = {}; ///< the QOSs to write; empty: all
};

/// The text of the file. Planned on the same live records it changes nothing but the marks: its owner adopts
/// the fields that are set and that nobody manages. What another owner manages is left out, with a comment.
/// Access names the associations that have a QOS otherwise than from the account above, and those whose own
/// default it is; if associations are hidden from the reader, access is left out, with a comment. Errors:
/// invalid_input (the owner), not_found (a QOS, with the near miss).
Result<std::string> export_spec(const LiveState& live, const ExportOptions& options);

/// The text of a file that brings a deleted QOS back, with the access that `associations` had, each by
/// itself.
std::string spec_for(const model::QosRecord& record,
                     const std::vector<model::AssociationRecord>& associations, const std::string& owner);

/// The records as a spec without an owner, to be read or to become a file: whoever plans it puts
/// "owner: NAME" above. All that is set is there, but for the fields in `left_out`; a comment names who
/// manages what. `associations`: those of the cluster, whose access is written, too; null: no access.
std::string write_records(const std::vector<model::QosRecord>& records,
                          const std::vector<model::AssociationRecord>* associations,
                          const FieldNames& left_out);

} // namespace qg::spec
