// SPDX-License-Identifier: GPL-2.0-or-later
//
// The request to slurmctld for QOSs, associations and users.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurm/accounting_records.hpp"
#include "qosgate/slurm/assoc_records.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/load_records.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace qg::slurm {

inline constexpr std::uint32_t every_kind =
    ASSOC_MGR_INFO_FLAG_ASSOC | ASSOC_MGR_INFO_FLAG_USERS | ASSOC_MGR_INFO_FLAG_QOS;

/// What is asked for. An empty list of names stands for all.
struct AssocRequest {
    std::uint32_t flags = 0;                ///< ASSOC_MGR_INFO_FLAG_*
    std::vector<std::string> users = {};    ///< and the associations of these and of accounts
    std::vector<std::string> accounts = {}; ///< only associations in these; case is ignored
    std::vector<std::string> qos = {};      ///< exact names
};

/// Asks for it. Errors: unavailable, with Slurm's error text, or if slurmctld has no QOSs of all. Cost: one
/// RPC, up to MessageTimeout. slurmctld looks at each association, and packs those that it sends.
inline Result<OwnedAssocInfo> load_assoc_info(AssocRequest asked) {
    const auto borrow = [](std::vector<std::string>& names) {
        OwnedList list = names.empty() ? OwnedList() : make_borrowing_list();
        for (std::string& name : names)
            append(list, name.data());
        return list;
    };
    const OwnedList users = borrow(asked.users);
    const OwnedList accounts = borrow(asked.accounts);
    const OwnedList qos = borrow(asked.qos);
    auto message =
        load<OwnedAssocInfo>("reading the QOS and association records", [&](assoc_mgr_info_msg_t** answer) {
            assoc_mgr_info_request_msg_t wanted{};
            wanted.user_list = users.get();
            wanted.acct_list = accounts.get();
            wanted.qos_list = qos.get();
            wanted.flags = asked.flags;
            return slurm_load_assoc_mgr_info(&wanted, answer);
        });
    const bool asks_for_all_qos = (asked.flags & ASSOC_MGR_INFO_FLAG_QOS) != 0 && asked.qos.empty();
    if (message && (*message == nullptr || (asks_for_all_qos && (*message)->qos_list == nullptr)))
        return Error{ErrorCode::unavailable, "slurmctld has no QOS records yet"};
    return message;
}

/// The settings for accounting in slurm.conf.
inline AccountingConf accounting_conf_of(const slurm_conf_t& conf) {
    return {read_enforce(conf.accounting_storage_enforce), read_private_data(conf.private_data),
            conf.slurm_user_id};
}

} // namespace qg::slurm
