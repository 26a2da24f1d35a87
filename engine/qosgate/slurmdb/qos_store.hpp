// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosStore: reads and writes the QOS records of slurmdbd. Writes belong into a Transaction on the same
// connection, and are read back before they count as done: slurmdbd silently ignores some values, and the
// client library silently reconnects after slurmdbd was restarted, which loses uncommitted writes. Several
// administrators at once: commit.hpp.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_record.hpp"
#include "qosgate/slurmdb/connection.hpp"
#include "qosgate/slurmdb/qos_convert.hpp"
#include "qosgate/slurmdb/qos_plan.hpp"
#include "qosgate/slurmdb/tres_table.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace qg::slurmdb {

/// Whether to write, or only to find out what would prevent the write (a dry run).
enum class WriteMode : std::uint8_t { write, check_only };

/// The QOS records of the cluster database. Threads: those of its connection.
class QosStore {
  public:
    /// Reads the list of TRES. The connection must outlive the store.
    static Result<QosStore> open(Connection& connection);

    [[nodiscard]] const model::TresCatalogue& catalogue() const noexcept { return tres_.catalogue(); }

    /// The same store as seen from another connection, which must outlive it.
    [[nodiscard]] QosStore on(Connection& other) const { return {other, tres_}; }

    /// All QOSs, sorted by name. Within a transaction: as they were at its first read, plus its own writes.
    Result<std::vector<StoredQos>> read_all();

    /// Writes a plan that was made from `all`, QOSs with the same change in one call, and reads it back
    /// within the transaction. Waits while another transaction holds a record. Preempt may name QOSs that the
    /// plan creates; then a PreemptAnnouncement follows the commit.
    /// Errors: not_found (a Preempt name), invalid_input (also a text that the database cannot hold),
    /// unsupported, permission_denied, unavailable, conflict (slurmdbd did not store the requested values).
    Result<void> write(const QosPlan& plan, std::span<const StoredQos> all, WriteMode mode);

    /// Of QOSs that are created in one transaction, slurmdbd tells slurmctld Preempt before it knows the new
    /// ids. This writes Preempt of the records once more, in a new transaction. `all` is as stored.
    /// Errors: those of write().
    Result<void> announce_preempt(std::span<const model::QosRecord> records, std::span<const StoredQos> all);

  private:
    QosStore(Connection& connection, TresTable tres) : connection_(&connection), tres_(std::move(tres)) {}

    /// One modification and its QOSs.
    struct Change {
        QosPatch patch;
        std::vector<std::string> names;
    };

    Result<std::vector<Change>> group(std::span<const QosUpdate> updates, const QosNames& names) const;
    Result<void> create(std::span<const model::QosRecord> records, QosNames& names, WriteMode mode);
    Result<void> modify(const std::vector<Change>& changes);
    Result<void> remove(std::span<const model::QosRecord> records);
    Result<void> confirm(const QosPlan& plan);

    Connection* connection_;
    TresTable tres_;
};

} // namespace qg::slurmdb
