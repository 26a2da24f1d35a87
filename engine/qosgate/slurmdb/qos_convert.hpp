// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosRecord to and from Slurm's slurmdb_qos_rec_t. Slurm's special numbers (NO_VAL, INFINITE) and its TRES
// and QOS ids exist only on the other side of this file.
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

/// A record as read from slurmdbd. Ids that are not in `tres` or `names` stay visible as numbers.
model::QosRecord from_slurm(const slurmdb_qos_rec_t& record, const TresTable& tres, const QosNames& names);

/// The differences that must be written to turn one record into another. Comparable, so that QOSs with the
/// same change can share one call. Rows index the tables in qos_convert.cpp.
struct QosPatch {
    std::map<std::size_t, std::uint32_t> numbers;
    std::map<std::size_t, double> factors;
    std::map<std::size_t, std::string> tres;
    std::optional<std::string> description;
    std::vector<std::string> preempt; ///< "7": the new ids; or "+7", "-7": ids to add and to remove
    std::optional<std::uint16_t> preempt_mode;
    std::optional<std::uint32_t> flags;

    friend bool operator==(const QosPatch&, const QosPatch&) = default;
};

/// The patch from `before` (without a name: creation) to `after`.
/// Errors: not_found (a Preempt name without id), unsupported (a flag or mode that this release does not
/// know), invalid_input (a TRES without id).
Result<QosPatch> make_patch(const model::QosRecord& before, const model::QosRecord& after,
                            const TresTable& tres, const QosNames& names);

/// Errors: unsupported if this release of Slurm does not know a flag or mode of the record.
Result<void> expect_known_words(const model::QosRecord& record);

/// A slurmdb_qos_rec_t for a request, with the memory that it points to. Immovable: it points into itself.
class WireQos {
  public:
    /// `name` is empty in a modification, because a condition selects the QOSs.
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
