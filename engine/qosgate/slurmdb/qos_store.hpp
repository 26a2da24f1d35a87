// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosStore: reads and writes the QOS records of slurmdbd. Writes belong into a Transaction on the same
// connection and are read back before they count as done: slurmdbd ignores some values in silence, and the
// client library reconnects in silence when slurmdbd restarted meanwhile, which loses what was not committed.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_record.hpp"
#include "qosgate/slurmdb/connection.hpp"
#include "qosgate/slurmdb/qos_convert.hpp"
#include "qosgate/slurmdb/tres_table.hpp"

#include <cstdint>
#include <span>
#include <string>
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

/// Whether to write, or only to find out what would keep a write from being made (a dry run).
enum class WriteMode : std::uint8_t { write, check_only };

/// The QOS records of the cluster database. Threads: those of its connection.
class QosStore {
  public:
    /// Reads which TRES there are. The connection must outlive the store.
    static Result<QosStore> open(Connection& connection);

    [[nodiscard]] const model::TresCatalogue& catalogue() const noexcept { return tres_.catalogue(); }

    /// All QOSs, sorted by name.
    Result<std::vector<StoredQos>> read_all();

    /// Adds all records in one call. Preempt may name only QOSs that exist already.
    /// Errors: already_exists, not_found (a Preempt name), invalid_input, permission_denied, unavailable,
    /// conflict (slurmdbd did not store what was asked).
    Result<void> create(std::span<const model::QosRecord> records, WriteMode mode);

    /// Changes records, those that change alike in one call.
    /// Errors: not_found, conflict (a record is no longer as `before` says, or was not stored as asked),
    /// invalid_input, permission_denied, unavailable.
    Result<void> modify(std::span<const QosUpdate> updates, WriteMode mode);

    /// Removes QOSs by name, and takes them out of other QOSs' Preempt. Associations are slurmdbd's business,
    /// which does it wrong in some releases: see slurm::removes_qos_from_associations. Errors: not_found,
    /// permission_denied, unavailable.
    Result<void> remove(std::span<const std::string> names, WriteMode mode);

  private:
    QosStore(Connection& connection, TresTable tres) : connection_(connection), tres_(std::move(tres)) {}

    /// One modification and the QOSs that it is for.
    struct Change {
        QosPatch patch;
        std::vector<std::string> names;
    };

    Result<std::vector<Change>> group(std::span<const QosUpdate> updates, const QosNames& names) const;
    Result<void> write(const std::vector<Change>& changes);
    Result<void> confirm(std::span<const model::QosRecord> wanted);

    Connection& connection_;
    TresTable tres_;
};

/// The record of that name (ASCII case ignored), or nullptr.
const StoredQos* find_qos(std::span<const StoredQos> all, std::string_view name);

/// The error for a name that no QOS has, with the near miss.
Error unknown_qos(std::span<const StoredQos> all, std::string_view name);

} // namespace qg::slurmdb
