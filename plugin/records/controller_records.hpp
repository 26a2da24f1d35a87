// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurmctld's records, seen from one job.
#pragma once

#include "qosgate/quota/view_builder.hpp"
#include "records/assoc_mgr.hpp"
#include "records/qos_lookup.hpp"
#include "records/records_cache.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::plugin {

/// Qos::user_usage and Qos::account_usage are filled if the QOS limits users or accounts; otherwise nothing
/// reads them.
/// Ownership: borrows; lives no longer than the locks on the records.
class ControllerRecords final : public quota::JobRecords {
  public:
    /// Finds the job's association as slurmctld does, and the user. slurmctld must have records.
    ControllerRecords(const AssocMgr& manager, RecordsCache& cache, Generation generation,
                      const quota::Lookup& lookup);

    [[nodiscard]] std::shared_ptr<const model::TresCatalogue> tres() const override;
    [[nodiscard]] model::Enforce enforce() const override { return enforce_; }
    [[nodiscard]] model::PrivateData private_data() const override;
    [[nodiscard]] quota::JobOwner owner() const override { return {user_name_, account_}; }
    [[nodiscard]] std::vector<model::Association> name_associations() const override;
    /// The user's usage is also its share of the others'.
    [[nodiscard]] std::vector<model::Association> copy_associations() const override;
    [[nodiscard]] std::vector<model::Association> copy_associations_with_usage() const override;
    [[nodiscard]] bool has_same_association(const std::string& partition) const override;
    [[nodiscard]] bool has_qos(std::uint32_t qos) const override { return record(qos) != nullptr; }
    [[nodiscard]] std::string_view qos_name(std::uint32_t qos) const override;
    [[nodiscard]] model::Qos copy_qos(std::uint32_t id) const override;
    [[nodiscard]] model::Qos copy_qos_with_usage(std::uint32_t id) const override;
    [[nodiscard]] bool is_within_limits(const model::AccountView& view,
                                        std::span<const std::uint32_t> qos) const override;
    [[nodiscard]] std::vector<std::string> permitted_names() const override;
    /// Only some of them if the user has very many associations.
    [[nodiscard]] quota::UserAccounts accounts(quota::AccountBounds bounds) const override;
    [[nodiscard]] quota::JobCounts count_jobs_of_user(quota::AccountBounds bounds) const override;
    [[nodiscard]] std::string default_account() const override;
    [[nodiscard]] bool is_operator(std::uint32_t user_id) const override;
    [[nodiscard]] quota::UserRecord copy_user(std::uint32_t user_id) const override;
    [[nodiscard]] std::vector<std::string_view> coordinated_accounts(std::uint32_t user_id) const override;

    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const override;
    [[nodiscard]] std::optional<std::uint32_t> association_default() const override;
    [[nodiscard]] std::optional<std::uint32_t> root_default() const override;
    [[nodiscard]] bool has_association() const override { return association_ != nullptr; }
    [[nodiscard]] bool is_permitted(std::uint32_t qos) const override;
    /// Cost: reads the ids up to the second permitted one.
    [[nodiscard]] std::optional<std::uint32_t> only_permitted() const override;
    [[nodiscard]] model::QosFlags flags(std::uint32_t qos) const override;
    [[nodiscard]] std::uint32_t priority(std::uint32_t qos) const override;
    [[nodiscard]] bool is_partition_qos(std::uint32_t qos) const override;

  private:
    [[nodiscard]] const slurmdb_assoc_rec_t* of_account(const std::string& account) const;
    [[nodiscard]] const slurmdb_assoc_rec_t* of_default_account();
    [[nodiscard]] const slurmdb_assoc_rec_t* look_up_default_account();
    [[nodiscard]] model::Qos copy_qos(std::uint32_t id, model::LimitSet also_against) const;
    /// The record of a QOS, or null. The last one is cached.
    [[nodiscard]] const slurmdb_qos_rec_t* record(std::uint32_t qos) const;
    [[nodiscard]] bitstr_t* valid_qos() const noexcept;

    const AssocMgr& manager_;
    RecordsCache& cache_;
    Generation generation_;
    const quota::Lookup& lookup_;
    QosList qos_list_;
    model::Enforce enforce_;
    const slurmdb_assoc_rec_t* association_ = nullptr; ///< null: none
    std::string_view user_name_;
    std::string_view account_; ///< the account that is used
    mutable const slurmdb_qos_rec_t* last_ = nullptr;
};

} // namespace qg::plugin
