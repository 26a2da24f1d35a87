// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/controller_quota.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/with_result_of.hpp"
#include "qosgate/slurm/accounting_records.hpp"
#include "qosgate/slurm/values.hpp"
#include "records/controller_records.hpp"
#include "records/controller_users.hpp"

#include <algorithm>

namespace qg::plugin {
namespace {

/// The state of slurmctld's records. Needs the assoc, qos and tres locks.
std::optional<RecordsState> read_state(const AssocMgr& manager) {
    const bool is_known = slurm::qos_records_are_stable && manager.after_max_qos_id != nullptr &&
                          manager.running_cache != nullptr && *manager.running_cache == 0;
    if (!is_known) return std::nullopt;
    return RecordsState{*manager.qos_list, *manager.root_assoc, slurm_list_count(*manager.qos_list),
                        *manager.after_max_qos_id, *manager.tres_names};
}

} // namespace

template <typename T, typename Use>
Result<T> ControllerQuota::with_records(const quota::Lookup& lookup, Use use) const {
    if (!manager_) return manager_.error();
    const AssocMgrReadLock lock(*manager_);
    if (*manager_->qos_list == nullptr || *manager_->tres_names == nullptr)
        return manager_->keeps_accounts
                   ? Error{ErrorCode::unavailable, "slurmctld has no QOS records yet"}
                   : Error{ErrorCode::not_found,
                           "this slurmctld has no slurmdbd, and so no QOS and no account"};
    return use(ControllerRecords(*manager_, cache_, cache_.generation(read_state(*manager_)), lookup));
}

Result<model::AccountView> ControllerQuota::check(const quota::Lookup& lookup) const {
    return with_records<model::AccountView>(lookup, [&lookup](const ControllerRecords& records) {
        return Result<model::AccountView>(WithResultOf([&] { return quota::build_view(records, lookup); }));
    });
}

Result<void> ControllerQuota::read(const quota::Lookup& lookup, quota::RecordsReader& reader) const {
    return with_records<void>(lookup, [&reader](const ControllerRecords& records) {
        reader.read(records);
        return Result<void>();
    });
}

bool ControllerQuota::is_operator(std::uint32_t user_id) const {
    if (is_slurm_user(user_id)) return true;
    if (!manager_) return false;
    const AssocMgrReadLock lock(*manager_);
    return has_operator_rights(*manager_, user_id);
}

std::optional<model::Enforce> ControllerQuota::enforced() const noexcept {
    if (!manager_ || !manager_->keeps_accounts) return std::nullopt;
    return slurm::read_enforce(__atomic_load_n(manager_->enforce, __ATOMIC_RELAXED));
}

bool ControllerQuota::may_change(std::uint32_t user_id, std::uint32_t owner, std::string_view account) const {
    if (user_id == owner || is_slurm_user(user_id)) return true;
    if (!manager_) return true; // not known: then the rules decide
    const AssocMgrReadLock lock(*manager_);
    if (has_operator_rights(*manager_, user_id)) return true;
    return std::ranges::any_of(coordinated_accounts(*manager_, user_id),
                               [account](std::string_view name) { return text::iequals(name, account); });
}

} // namespace qg::plugin
