// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/permission.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/errors.hpp"

#include <unistd.h>

namespace qg::slurmdb {

Result<void> expect_administrator(Connection& connection, std::string_view what) {
    const SlurmConf& conf = connection.session().conf();
    std::string user = current_user();
    if (geteuid() == 0 || user == conf.slurm_user) return {};

    const slurm::OwnedList names = slurm::make_borrowing_list();
    slurm::append(names, user.data());
    slurmdb_assoc_cond_t of_user{};
    of_user.user_list = names.get();
    slurmdb_user_cond_t condition{};
    condition.assoc_cond = &of_user;
    const auto list = connection.ask("read your AdminLevel",
                                     [&](void* handle) { return slurmdb_users_get(handle, &condition); });
    if (!list) return list.error();
    bool may = false;
    slurm::for_each<slurmdb_user_rec_t>(list->get(), [&](const slurmdb_user_rec_t& record) {
        may = may || (record.name != nullptr && text::iequals(record.name, user) &&
                      record.admin_level >= SLURMDB_ADMIN_SUPER_USER);
    });
    if (may) return {};
    return describe_failure(conf, what, ESLURM_ACCESS_DENIED);
}

} // namespace qg::slurmdb
