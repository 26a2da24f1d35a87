// SPDX-License-Identifier: GPL-2.0-or-later
//
// The objections to deleting QOSs: who uses them, and what would happen.
#pragma once

#include "qos/qos_json.hpp"

#include "qosgate/slurmdb/qos_uses.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::cli {

/// Whether the command that found the objections has the option --force.
enum class Force : std::uint8_t { is_possible, is_given, is_no_option };

/// The uses of QOSs that are to be deleted.
class Objections {
  public:
    explicit Objections(slurmdb::QosUses uses) : uses_(std::move(uses)) {}

    [[nodiscard]] bool empty() const;

    /// Whether nothing may be deleted.
    [[nodiscard]] bool forbid(bool is_forced) const;

    /// Why nothing is deleted: one line per use, what would happen with --force, and what to do instead.
    /// Codes: conflict if something uses them, unavailable if this is not known.
    [[nodiscard]] Error error(Force force) const;

    /// What --force deletes, and the consequences.
    [[nodiscard]] std::string warning() const;

    [[nodiscard]] const slurmdb::QosUses& uses() const noexcept { return uses_; }

  private:
    [[nodiscard]] bool is_unknown() const { return !uses_.slurmctld_failure.empty(); }
    [[nodiscard]] std::string use_lines() const;
    [[nodiscard]] std::string outcome_lines(bool can_be_forced) const;
    [[nodiscard]] std::string cure_lines() const;
    [[nodiscard]] std::vector<const slurmdb::QosUseKind*> kinds() const; ///< each once

    slurmdb::QosUses uses_;
};

/// {"uses":[{"qos":…,"kind":"job","by":["4","7"],"can_be_forced":…}],"slurmctld":null}
Json to_json(const Objections& objections);

/// The commands that end the uses, without duplicates. sacctmgr accepts them in this order: an association
/// loses a default QOS before, or together with, the QOS itself. Steps that need a person are comments.
std::vector<std::string> cure_commands(const slurmdb::QosUses& uses);

/// "sacctmgr -i modify user ana where cluster=c account=astro partition='' set CHANGE". `names`: of accounts,
/// or of users of one account; `first`: the association of the first.
std::string modify_command(const std::string& names, const model::AssociationName& first,
                           std::string_view change);

} // namespace qg::cli
