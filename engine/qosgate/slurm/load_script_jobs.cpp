// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/cluster_messages.hpp"
#include "qosgate/slurm/script_jobs.hpp"

#include <ctime>

namespace qg::slurm {

Result<std::optional<model::ScriptRecords>> load_script_jobs(const MentionedNames& mentioned,
                                                             std::time_t& newer_than,
                                                             const JobBoundsForScripts& bounds) {
    const auto jobs = load_jobs(newer_than, SHOW_ALL | SHOW_LOCAL);
    if (!jobs) return jobs.error();
    if (*jobs == nullptr) return std::optional<model::ScriptRecords>();
    auto records = read_script_jobs(**jobs, mentioned, bounds);
    if (!records) return records.error();
    newer_than = (*jobs)->last_update;
    return std::optional(*std::move(records));
}

Result<bool> hides_records_of_scripts() {
    const auto conf = load_conf(everything);
    if (!conf) return conf.error();
    constexpr auto of_scripts = PRIVATE_DATA_JOBS | PRIVATE_DATA_PARTITIONS | PRIVATE_DATA_RESERVATIONS;
    return *conf == nullptr || ((*conf)->private_data & of_scripts) != 0;
}

} // namespace qg::slurm
