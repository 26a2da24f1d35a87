// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the verbs of `qosgate qos` share: the connection to slurmdbd and its --timeout option, and code that
// carries out and reports a change.
#pragma once

#include "common/command.hpp"
#include "qos/qos_arguments.hpp"

#include "qosgate/admin/client.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/slurmdb/connection.hpp"
#include "qosgate/slurmdb/qos_commit.hpp"
#include "qosgate/slurmdb/qos_store.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace qg::cli {

/// Options of all verbs that talk to slurmdbd.
struct AccessOptions {
    unsigned timeout_seconds = 60;
};

/// Adds --timeout and --json.
void add_access_options(Command command, AccessOptions& options, Invocation& invocation);

/// The library's client, with what a command line adds: --timeout, and late answers as notes.
class QosConnection {
  public:
    /// Reports a late answer of slurmdbd on `output`. Errors: those of admin::Client::open().
    static Result<std::unique_ptr<QosConnection>> open(const AccessOptions& options, Output& output);

    [[nodiscard]] slurmdb::Connection& connection() noexcept { return client_->connection(); }
    [[nodiscard]] slurmdb::QosStore& store() noexcept { return client_->store(); }

  private:
    explicit QosConnection(std::unique_ptr<admin::Client> client) : client_(std::move(client)) {}

    std::unique_ptr<admin::Client> client_;
};

/// Finds out whether an argument is sacctmgr's "set" or "where" rather than the QOS of that name.
/// Errors: invalid_input, with the command to type.
Result<void> check_old_words(std::string_view verb, const std::vector<std::string>& arguments,
                             std::span<const slurmdb::StoredQos> all);

/// The records of the names given, in that order, without marks of ownership in their descriptions.
/// Errors: not_found, with the near miss.
Result<std::vector<model::QosRecord>> select(std::span<const slurmdb::StoredQos> all,
                                             const std::vector<std::string>& names);

/// Carries out the plan that `plan_from` makes, or with `check_only` only finds out what would prevent it.
/// Errors: those of slurmdb::commit_plan().
Result<slurmdb::QosPlan> carry_out(QosConnection& access, const slurmdb::Planner& plan_from,
                                   slurmdb::WriteMode mode, Output& output);

/// Warns of limits that a change makes wrong by themselves: those of zero, minima above maxima and the like.
void warn_of_mistakes(std::span<const slurmdb::QosUpdate> updates, Output& output);

/// Writes what changed: {"created":[{"Name":…,"changes":{…}}],"dry_run":…}, or as lines "  MaxWall: old ->
/// new". Marks of ownership are left out. `done` is the past participle ("created").
/// `more` are further members of the object.
void report_changes(Output& output, std::string_view done, std::span<const slurmdb::QosUpdate> updates,
                    slurmdb::WriteMode mode, const nlohmann::ordered_json& more = {});

} // namespace qg::cli
