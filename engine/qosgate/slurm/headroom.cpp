// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/headroom.hpp"

#include "qosgate/base/unrolled.hpp"
#include "qosgate/model/qos_flags.hpp"
#include "qosgate/quota/limit_headroom.hpp"
#include "qosgate/slurm/accounting_records.hpp"
#include "qosgate/slurm/limit_rows.hpp"
#include "qosgate/slurm/usage_view.hpp"
#include "qosgate/slurm/values.hpp"

#include <iterator>
#include <optional>

namespace qg::slurm {
namespace {

using model::LimitScope;
using model::ResourceBounds;
namespace headroom = quota::headroom;

/// The usage of other jobs in a QOS. That of the user and of the account is looked up when the first limit
/// needs it: slurmctld keeps it in lists.
class UsageInQos {
  public:
    UsageInQos(const slurmdb_qos_rec_t& qos, std::uint32_t user_id, std::string_view account)
        : usage_(qos.usage), user_id_(user_id), account_(account) {}

    UsageView operator()(LimitScope scope) {
        if (usage_ == nullptr) return {};
        switch (scope) {
        case LimitScope::job:
        case LimitScope::node: return {};
        case LimitScope::user:
            if (!of_user_) of_user_ = usage_of_user(*usage_, user_id_);
            return of_one(*of_user_);
        case LimitScope::account:
            if (!of_account_) of_account_ = usage_of_account(*usage_, account_);
            return of_one(*of_account_);
        case LimitScope::group: return view_usage(*usage_);
        }
        return {};
    }

  private:
    [[nodiscard]] UsageView of_one(const slurmdb_used_limits_t* used) const {
        return used == nullptr ? UsageView{} : view_usage(*used, usage_->tres_cnt);
    }

    const slurmdb_qos_usage_t* usage_;
    std::uint32_t user_id_;
    std::string_view account_;
    std::optional<const slurmdb_used_limits_t*> of_user_;
    std::optional<const slurmdb_used_limits_t*> of_account_;
};

/// The usage of other jobs in an association.
class UsageInAssociation {
  public:
    explicit UsageInAssociation(const slurmdb_assoc_rec_t& association) : usage_(association.usage) {}

    UsageView operator()(LimitScope scope) const {
        return scope != LimitScope::group || usage_ == nullptr ? UsageView{} : view_usage(*usage_);
    }

  private:
    const slurmdb_assoc_usage_t* usage_;
};

/// The value of a limit in a record; null: the record does not set it.
template <typename Record>
const std::uint64_t* find_limit(const rows::TresRow<Record>& row, const Record& record) {
    return is_set(record.*row.text) ? record.*row.values : nullptr;
}
template <typename Record>
const std::uint32_t* find_limit(const rows::CountRow<Record>& row, const Record& record) {
    return is_count(record.*row.value) ? &(record.*row.value) : nullptr;
}

// Not inlined: they are called for each limit. `used(scope)` returns the usage.
template <typename Used>
[[gnu::noinline]] bool is_within_limits(const ResourceBounds& bounds, const headroom::Meaning& meaning,
                                        const std::uint64_t* values, Used& used) {
    const auto find_value = [values](std::size_t tres) {
        return is_count(values[tres]) ? std::optional(values[tres]) : std::nullopt;
    };
    return headroom::has_room_for_tres(bounds, meaning, find_value, used(meaning.scope));
}
template <typename Used>
[[gnu::noinline]] bool is_within_limits(const ResourceBounds& bounds, const headroom::Meaning& meaning,
                                        const std::uint32_t* limit, Used& used) {
    return headroom::has_room(bounds, meaning, std::uint64_t{*limit}, used(meaning.scope));
}

/// Whether the job is within each limit of a table that the record sets.
template <const auto& table, typename Record, typename Used>
bool all_within_limits(const ResourceBounds& bounds, const Record& record, bool is_users, Used& used) {
    return all_of_indices<std::size(table)>([&]<std::size_t i>() {
        constexpr auto row = table[i];
        if (row.of_users_alone && !is_users) return true;
        const auto* const limit = find_limit(row, record);
        if (limit == nullptr) [[likely]]
            return true;
        return is_within_limits(bounds, headroom::meaning_of(row.limit), limit, used);
    });
}

} // namespace

bool Headroom::suffices_for(const slurmdb_qos_rec_t& qos) const {
    constexpr std::uint32_t usage_factor_safe = model::qos_flag_bit(&model::QosFlags::usage_factor_safe);
    if (read_factor(qos.limit_factor) || (static_cast<std::uint32_t>(qos.flags) & usage_factor_safe) != 0)
        return false;
    UsageInQos used(qos, user_id_, account_);
    return all_within_limits<rows::qos_tres>(bounds_, qos, /*is_users=*/true, used) &&
           all_within_limits<rows::qos_count>(bounds_, qos, /*is_users=*/true, used);
}

bool Headroom::suffices_for(const slurmdb_assoc_rec_t& association) const {
    const UsageInAssociation used(association);
    const bool is_users = is_set(association.user);
    return all_within_limits<rows::assoc_tres>(bounds_, association, is_users, used) &&
           all_within_limits<rows::assoc_count>(bounds_, association, is_users, used);
}

} // namespace qg::slurm
