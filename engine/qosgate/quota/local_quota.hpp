// SPDX-License-Identifier: GPL-2.0-or-later
//
// LocalQuota: a QuotaProvider over records held in memory, with a ledger of its own. For offline checks,
// tests and simulation.
#pragma once

#include "qosgate/quota/provider.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace qg::quota {

/// A QOS and who uses how much of it.
struct LocalQos {
    model::Qos qos; ///< `usage` is that of all; user_usage and account_usage are filled in per view
    std::map<std::uint32_t, model::Usage> users;  ///< by user id
    std::map<std::string, model::Usage> accounts; ///< by account name
};

/// One association of a tree.
struct LocalAssociation {
    model::Association link;
    std::uint32_t user_id = 0;         ///< on the user level
    std::optional<std::size_t> parent; ///< index; nothing for the root
    std::optional<std::string> default_qos;
    std::optional<std::vector<std::string>> permitted_qos; ///< nothing: every QOS
};

struct LocalRecords {
    std::shared_ptr<const model::TresCatalogue> tres = model::TresCatalogue::built_in();
    model::Enforce enforce;
    std::vector<LocalQos> qos;
    std::vector<LocalAssociation> associations; ///< a user's first one is that of its default account
    std::vector<std::uint32_t> operators;       ///< user ids; besides root
    model::PrivateData private_data;
};

/// Threads: check() may run concurrently with itself, not with allocate() and release().
class LocalQuota final : public QuotaProvider {
  public:
    explicit LocalQuota(LocalRecords records) : records_(std::move(records)) {}

    [[nodiscard]] Result<model::AccountView> check(const Lookup& lookup) const override;

    /// Books a running job in its QOS, its (first) partition's QOS and its association chain.
    void allocate(const Lookup& lookup, const model::ResolvedJob& job) override;
    void release(const Lookup& lookup, const model::ResolvedJob& job) override;

    [[nodiscard]] const LocalRecords& records() const noexcept { return records_; }

  private:
    template <typename Change>
    void for_each_usage(const Lookup& lookup, Change change);

    LocalRecords records_;
};

} // namespace qg::quota
