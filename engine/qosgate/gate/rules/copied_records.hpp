// SPDX-License-Identifier: GPL-2.0-or-later
//
// How DecisionView copies something from the records of a provider.
#pragma once

#include "qosgate/gate/rules/decision_view.hpp"

namespace qg::gate {

/// Copies something from the records of a provider.
template <typename Copy>
class Copying final : public quota::RecordsReader {
  public:
    explicit Copying(Copy& copy) : copy_(copy) {}
    void read(const quota::JobRecords& records) override { copy_(records); }

  private:
    Copy& copy_;
};

template <typename Copy>
Result<void> DecisionView::copy_records(Copy copy) const {
    quota::Lookup lookup;
    lookup.user_id = job_.request.user_id;
    if (job_.request.account) lookup.account = *job_.request.account;
    lookup.partitions = job_.partitions.found;
    // Counts are in the order of the TRES that the job was counted with.
    bool is_same = false;
    const auto checked = [&](const quota::JobRecords& records) {
        const auto tres = records.tres();
        is_same = tres == job_.view().tres || *tres == *job_.view().tres;
        if (is_same) copy(records);
    };
    Copying reader(checked);
    auto done = job_.context.provider.read(lookup, reader);
    if (!done || is_same) return done;
    return Error{ErrorCode::unavailable,
                 "the TRES of the cluster have just changed; submit the job again in a moment"};
}

} // namespace qg::gate
