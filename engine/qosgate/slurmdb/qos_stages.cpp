// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_stages.hpp"

#include "qosgate/slurm/compat.hpp"

namespace qg::slurmdb {

std::vector<model::QosRecord> intermediate_records(const model::QosRecord& before,
                                                   const model::QosRecord& after) {
    const bool changes = slurm::mixes_up_run_minutes &&
                         before.max_tres_run_mins_per_account != after.max_tres_run_mins_per_account;
    if (!changes || after.max_tres_run_mins_per_account != before.max_tres_run_mins_per_user) return {after};
    model::QosRecord aside = before;
    ++aside.max_tres_run_mins_per_user["cpu"];
    model::QosRecord written = aside;
    written.max_tres_run_mins_per_account = after.max_tres_run_mins_per_account;
    return {aside, written, after};
}

} // namespace qg::slurmdb
