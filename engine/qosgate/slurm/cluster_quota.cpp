// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/cluster_quota.hpp"

#include "qosgate/slurm/accounting_records.hpp"
#include "qosgate/slurm/load.hpp"

namespace qg::slurm {
namespace {

constexpr const char* no_records = "no QOS records fetched yet";

AccountingConf accounting_conf_of(const slurm_conf_t& conf) {
    return {read_enforce(conf.accounting_storage_enforce), read_private_data(conf.private_data),
            conf.slurm_user_id};
}

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
    return load_records(/*only_user=*/nullptr);
}

Result<void> ClusterQuota::sync(const slurm_conf_t& conf, const std::string& user) {
    conf_ = accounting_conf_of(conf);
    return load_records(user.c_str());
}

/// `only_user`: null for all.
Result<void> ClusterQuota::load_records(const char* only_user) {
    const OwnedList users = only_user == nullptr ? OwnedList() : make_borrowing_list();
    if (users != nullptr) append(users, const_cast<char*>(only_user)); // NOLINT: it is only read
    const auto message =
        load<OwnedAssocInfo>("reading the QOS and association records", [&](assoc_mgr_info_msg_t** answer) {
            assoc_mgr_info_request_msg_t wanted{};
            wanted.user_list = users.get();
            wanted.flags = ASSOC_MGR_INFO_FLAG_ASSOC | ASSOC_MGR_INFO_FLAG_USERS | ASSOC_MGR_INFO_FLAG_QOS;
            return slurm_load_assoc_mgr_info(&wanted, answer);
        });
    if (!message) return message.error();
    if (*message == nullptr || (*message)->qos_list == nullptr)
        return Error{ErrorCode::unavailable, "slurmctld has no QOS records yet"};
    records_.publish(std::make_shared<const AssocRecords>(
        read_assoc_records(**message, conf_.value_or(AccountingConf{}))));
    return {};
}

} // namespace qg::slurm
