// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/cluster_quota.hpp"

#include "qosgate/slurm/assoc_messages.hpp"

namespace qg::slurm {
namespace {

constexpr const char* no_records = "no QOS records fetched yet";

} // namespace

Result<model::AccountView> ClusterQuota::check(const quota::Lookup& lookup) const {
    const auto records = records_.get();
    if (records == nullptr) return Error{ErrorCode::unavailable, no_records};
    return view_of(*records, lookup);
}

Result<void> ClusterQuota::read(const quota::Lookup& lookup, quota::RecordsReader& reader) const {
    const auto records = records_.get();
    if (records == nullptr) return Error{ErrorCode::unavailable, no_records};
    read_records(*records, lookup, reader);
    return {};
}

bool ClusterQuota::is_operator(std::uint32_t user_id) const {
    const auto records = records_.get();
    return user_id == 0 || (records != nullptr && slurm::is_operator(*records, user_id));
}

Result<void> ClusterQuota::sync() {
    const auto conf = load_conf(conf_ ? conf_seen_ : everything);
    if (!conf) return conf.error();
    if (*conf != nullptr) {
        conf_ = accounting_conf_of(**conf);
        conf_seen_ = (*conf)->last_update;
    }
    const auto message = load_assoc_info({.flags = every_kind});
    if (!message) return message.error();
    records_.publish(std::make_shared<const AssocRecords>(
        read_assoc_records(**message, conf_.value_or(AccountingConf{}))));
    return {};
}

} // namespace qg::slurm
