// SPDX-License-Identifier: GPL-2.0-or-later
//
// AccessTree: who inherits which QOSs from whom, and what follows from a change.
#pragma once

#include "qosgate/model/association_record.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace qg::spec {

/// The associations of one cluster, those above before those below. Plain accounts have the account above
/// them; a user's association has its account's. What names no parent, or is in a circle, has none.
class AccessTree {
  public:
    explicit AccessTree(std::vector<model::AssociationRecord> records);

    [[nodiscard]] std::size_t size() const noexcept { return records_.size(); }
    [[nodiscard]] const model::AssociationRecord& operator[](std::size_t index) const {
        return records_[index];
    }
    [[nodiscard]] const std::vector<model::AssociationRecord>& records() const noexcept { return records_; }
    /// Smaller than `index`; empty at the top.
    [[nodiscard]] std::optional<std::size_t> parent(std::size_t index) const { return parents_[index]; }

    /// The place of an account's association.
    [[nodiscard]] std::optional<std::size_t> find_account(std::string_view account) const;
    /// The places of a user's associations, in an account and partition; empty: in all.
    [[nodiscard]] std::vector<std::size_t> find_user(const std::string& user, const std::string& account,
                                                     const std::string& partition) const;
    [[nodiscard]] std::vector<std::string> accounts() const;
    [[nodiscard]] std::vector<std::string> users() const;

    /// The record after the one above it became `above`; pass nullptr if there is none.
    [[nodiscard]] model::AssociationRecord inherit(std::size_t index,
                                                   const model::AssociationRecord* above) const;

  private:
    std::vector<model::AssociationRecord> records_;
    std::vector<std::optional<std::size_t>> parents_;
    std::map<std::string, std::size_t, std::less<>> accounts_;
    std::map<std::string, std::vector<std::size_t>, std::less<>> users_;
};

/// The record with a change made as slurmdbd stores it; `above` as it is afterwards, or nullptr. What has no
/// list of its own still inherits, and differs from the one above by the change.
model::AssociationRecord with_change(model::AssociationRecord record, const model::AccessChange& change,
                                     const model::AssociationRecord* above);

/// The record after QOSs were removed; `above` as it is afterwards, or nullptr.
model::AssociationRecord without_qos(model::AssociationRecord record, const model::NameSet& removed,
                                     const model::AssociationRecord* above);

/// Whether an association has a QOS otherwise than from `above`, which may be nullptr.
bool has_itself(const model::AssociationRecord& record, const model::AssociationRecord* above,
                const std::string& qos);

/// "user 'ana' in account 'physics', partition 'gpu'".
std::string describe(const model::AssociationName& name);

} // namespace qg::spec
