// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosRecord to and from Slurm's slurmdb_qos_rec_t. Slurm's special numbers (NO_VAL, INFINITE) and its TRES
// and QOS ids exist on the other side of this file only.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_record.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurmdb/tres_table.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace qg::slurmdb {

/// QOS names by slurmdbd's ids.
using QosNames = std::map<std::uint32_t, std::string>;

/// A record as read from slurmdbd. Ids that `tres` or `names` lack stay visible as numbers.
model::QosRecord from_slurm(const slurmdb_qos_rec_t& record, const TresTable& tres, const QosNames& names);

/// What must be written to turn one record into another: only what differs. Comparable, so that QOSs that
/// change alike can share one call. Rows index the tables in qos_convert.cpp.
struct QosPatch {
    std::map<std::size_t, std::uint32_t> numbers;
    std::map<std::size_t, double> factors;
    std::map<std::size_t, std::string> tres;
    std::optional<std::string> description;
    std::vector<std::string> preempt; ///< "7": the ids to be; or "+7", "-7": those to come and go
    std::optional<std::uint16_t> preempt_mode;
    std::optional<std::uint32_t> flags;

    friend bool operator==(const QosPatch&, const QosPatch&) = default;
};

/// The patch from `before` (without a name: creation) to `after`.
/// Errors: not_found (a Preempt name without id), unsupported (a flag or mode that this release lacks),
/// invalid_input (a TRES without id).
Result<QosPatch> make_patch(const model::QosRecord& before, const model::QosRecord& after,
                            const TresTable& tres, const QosNames& names);

/// A slurmdb_qos_rec_t for a request, with the memory that it points to. Immovable: it points into itself.
class WireQos {
  public:
    /// `name` is empty in a modification, where a condition says which QOSs are meant.
    WireQos(std::string name, QosPatch patch);
    WireQos(const WireQos&) = delete;
    WireQos& operator=(const WireQos&) = delete;

    [[nodiscard]] slurmdb_qos_rec_t* get() noexcept { return &record_; }

  private:
    std::string name_;
    QosPatch patch_;
    slurm::OwnedList preempt_;
    slurmdb_qos_rec_t record_{};
};

} // namespace qg::slurmdb
