// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosPlan: what is to become of QOS records, made from a reading of all of them. Nothing here talks to
// slurmdbd: a plan is made, judged against a later reading, and made anew where others were faster.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/model/qos_record.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::slurmdb {

/// A QOS and the number under which slurmdbd keeps it.
struct StoredQos {
    std::uint32_t id = 0;
    model::QosRecord record;
};

/// One modification: what the record is now, and what it is to be. The names are equal.
struct QosUpdate {
    model::QosRecord before;
    model::QosRecord after;
};

/// What is to be created, changed and removed, all of it or nothing.
struct QosPlan {
    std::vector<model::QosRecord> created;
    std::vector<QosUpdate> updated; ///< also those that stay as they are
    std::vector<model::QosRecord> removed;

    /// Whether there is anything to write.
    [[nodiscard]] bool changes_anything() const;
};

/// The record of that name (ASCII case ignored), or nullptr.
const StoredQos* find_qos(std::span<const StoredQos> all, std::string_view name);

/// The error for a name that no QOS has, with the near miss.
Error unknown_qos(std::span<const StoredQos> all, std::string_view name);

/// Errors: already_exists, with what is set in it; invalid_input (a name given twice, or one that Slurm's
/// database takes for another; Preempt of a QOS that is made at the same time).
Result<QosPlan> plan_creation(std::span<const StoredQos> all, std::vector<model::QosRecord> records);

/// Errors: not_found.
Result<QosPlan> plan_update(std::span<const StoredQos> all, std::span<const std::string> names,
                            const model::QosChange& change);

/// Takes the QOSs out of the Preempt of others besides: slurmdbd leaves their ids there, where they would
/// come to life again with a QOS that is created under an old name. Errors: not_found.
Result<QosPlan> plan_removal(std::span<const StoredQos> all, std::span<const std::string> names);

/// Whether all records that the plan touches are in `now` as they are in `then`, which it was made from.
bool has_same_base(const QosPlan& plan, std::span<const StoredQos> then, std::span<const StoredQos> now);

/// What of a plan that was carried out does not stand any more, one sentence each, with the values that do.
std::vector<std::string> find_overtaken(const QosPlan& plan, std::span<const StoredQos> now);

} // namespace qg::slurmdb
