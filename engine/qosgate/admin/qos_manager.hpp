// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosManager: lists, reads, creates, changes and removes QOSs.
#pragma once

#include "qosgate/admin/client.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/model/qos_fields.hpp"
#include "qosgate/model/qos_record.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::admin {

/// Which QOSs, in which order. By default all, by name.
struct ListOptions {
    /// Names, with * ? [a-z] as in a shell; empty: all. A name without these that no QOS has is an error.
    std::vector<std::string> patterns = {};
    std::uint32_t min_priority = 0;
    std::uint32_t max_priority = std::numeric_limits<std::uint32_t>::max();
    model::NameSet flags = {};    ///< all of these must be set, in the schema's spelling
    std::string sort_by = "Name"; ///< a field's name
    bool is_descending = false;   ///< unset comes last in both orders
    std::size_t offset = 0;       ///< so many of the selected ones are left out
    std::size_t limit = std::numeric_limits<std::size_t>::max();
};

/// The QOSs that were selected.
struct QosPage {
    std::vector<model::QosRecord> records;
    std::size_t total = 0; ///< before offset and limit
};

/// Errors: not_found (a name), invalid_input (the field to sort by).
Result<QosPage> choose(std::span<const slurmdb::StoredQos> all, const ListOptions& options);

/// A plan for what people write: a new description does not change the mark of spec files that the old one
/// has. Errors: those of `plan`; invalid_input: a description with a mark.
Result<slurmdb::QosPlan> with_marks(Result<slurmdb::QosPlan> plan);

/// Whether QOSs may be removed that are in use.
enum class RemovalMode : std::uint8_t { only_unused, also_used };

/// Descriptions are those that people read: the marks of spec files (engine/qosgate/spec/ownership.hpp) are
/// left out, and stay as they are.
/// Threads: those of its client.
class QosManager {
  public:
    /// The client must outlive the manager.
    explicit QosManager(Client& client) : client_(&client) {}

    /// Errors: those of choose() and Connection::ask().
    Result<QosPage> list(const ListOptions& options = {});

    /// Errors: not_found, with the near miss.
    Result<model::QosRecord> get(std::string_view name);

    /// All of them or none. Preempt may name each other.
    /// Errors: already_exists, invalid_input (a name that Slurm could not handle, a mark), those of
    /// QosStore::write().
    Result<void> create(std::vector<model::QosRecord> records);

    /// Makes the same change to all of them, and returns them as they are now. In a QosChange, "Field=value"
    /// sets, "Field=unset" clears, and what it does not name stays. It is applied to what is stored, also if
    /// others change that meanwhile. Errors: not_found, invalid_input (a mark), those of QosStore::write()
    /// and commit_changes().
    Result<std::vector<model::QosRecord>> update(std::span<const std::string> names,
                                                 const model::QosChange& change);

    /// Removes them, each once, also from Preempt of others and from the lists of this cluster's
    /// associations. `also_used`: although jobs or partitions have them (engine/qosgate/slurmdb/qos_uses.hpp
    /// says what happens then). Errors: not_found, conflict (a use that prevents it, by whom; somebody's
    /// default QOS and, before Slurm 24.05, associations of other clusters prevent it with `also_used`, too),
    /// unavailable (also if slurmctld, which knows the jobs, does not answer: not with `also_used`).
    Result<void> remove(const std::vector<std::string>& names, RemovalMode mode = RemovalMode::only_unused);

  private:
    Client* client_;
};

} // namespace qg::admin
