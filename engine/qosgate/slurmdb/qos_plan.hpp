// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosPlan: planned changes of QOS records, made from a reading of all of them. Nothing here talks to
// slurmdbd. A plan is compared with a later reading, and made again if others were faster.
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

/// A QOS and its id in slurmdbd.
struct StoredQos {
    std::uint32_t id = 0;
    model::QosRecord record;
};

/// One modification: the present record and the new one. The names are equal.
struct QosUpdate {
    model::QosRecord before;
    model::QosRecord after;
};

/// The QOSs to create, change and remove: all of them or none.
struct QosPlan {
    std::vector<model::QosRecord> created;
    std::vector<QosUpdate> updated; ///< including records that do not change
    std::vector<model::QosRecord> removed;

    /// Whether there is anything to write.
    [[nodiscard]] bool changes_anything() const;
};

/// The record with that name (ASCII case ignored), or nullptr.
const StoredQos* find_qos(std::span<const StoredQos> all, std::string_view name);

/// The error for a name that no QOS has, with the near miss.
Error unknown_qos(std::span<const StoredQos> all, std::string_view name);

/// Errors: already_exists, with the fields that are set in it; invalid_input (a name that is given twice or
/// that Slurm's database mistakes for another).
Result<QosPlan> plan_creation(std::span<const StoredQos> all, std::vector<model::QosRecord> records);

/// Errors: not_found.
Result<QosPlan> plan_update(std::span<const StoredQos> all, std::span<const std::string> names,
                            const model::QosChange& change);

/// Also removes the QOSs from the Preempt of others: slurmdbd leaves their ids there, and they would become
/// valid again when a QOS is created with an old name. Errors: not_found.
Result<QosPlan> plan_removal(std::span<const StoredQos> all, std::span<const std::string> names);

/// The names in the record's Preempt that the plan creates.
model::NameSet new_in_preempt(const model::QosRecord& record, const QosPlan& plan);

/// The records in groups, so that Preempt names only QOSs of earlier groups, or none of these. Of a loop
/// nothing is in any group.
std::vector<std::vector<model::QosRecord>> in_preempt_order(std::vector<model::QosRecord> records);

/// slurmdbd looks for loops only when it changes a record.
/// Errors: invalid_input, naming QOSs that the plan makes preempt themselves, directly or through others. A
/// loop that was there before is none of the plan's.
Result<void> expect_no_preempt_loop(const QosPlan& plan, std::span<const StoredQos> all);

/// Whether all records that the plan touches are equal in `now` and in `then`, from which it was made.
bool has_same_base(const QosPlan& plan, std::span<const StoredQos> then, std::span<const StoredQos> now);

/// The parts of an executed plan that are no longer stored, one sentence each, with the present values.
std::vector<std::string> find_overtaken(const QosPlan& plan, std::span<const StoredQos> now);

} // namespace qg::slurmdb
