// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/cluster_names.hpp"

#include "job/judged_world.hpp"

#include "qosgate/slurmdb/controller_ping.hpp"
#include "qosgate/slurmdb/library.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <algorithm>
#include <iterator>

#include <unistd.h>

namespace qg::cli {
namespace {

template <typename Items, typename Name>
std::vector<std::string> names_of(const Items& items, Name name) {
    std::vector<std::string> names;
    std::ranges::transform(items, std::back_inserter(names), name);
    std::ranges::sort(names);
    const auto same = std::ranges::unique(names);
    names.erase(same.begin(), same.end());
    return names;
}

} // namespace

policy::ClusterNames names_of_cluster(const quota::World& world) {
    using enum policy::NameKind;
    policy::ClusterNames names;
    const auto set = [&](policy::NameKind kind, std::vector<std::string> all) {
        names.of[static_cast<std::size_t>(kind)] = std::move(all);
    };
    const quota::LocalRecords& records = world.records;
    const bool shows_accounts =
        !records.private_data.accounts || quota::LocalQuota(records).is_operator(getuid());
    if (!records.qos.empty()) set(qos, names_of(records.qos, [](const auto& each) { return each.qos.name; }));
    if (!records.associations.empty() && shows_accounts)
        set(account, names_of(records.associations, [](const auto& each) { return each.link.account; }));
    if (world.partitions.empty()) return names; // PrivateData hides them, or nodes
    set(partition, names_of(world.partitions, [](const auto& each) { return each->name; }));
    if (!world.cluster.names) return names;
    set(feature, world.cluster.names->features.all);
    set(license, names_of(world.cluster.names->licenses, &model::License::name));
    return names;
}

policy::PolicyReport read_names_in_rules(const PolicyDirectory& directory) {
    policy::PolicyReport report;
    const ReaderRights rights(directory);
    if (rights.are_missing()) return report;
    if (const auto sources =
            policy::read_source_directory(directory.path, directory.reader.value_or(geteuid())))
        report.names = policy::find_written_names(*sources);
    return report;
}

Result<std::optional<policy::ClusterNames>> read_cluster_names() {
    const auto path = slurmdb::find_slurm_conf();
    if (!path) return std::optional<policy::ClusterNames>();
    const auto conf = slurmdb::load_slurm_conf(*path);
    if (!conf) return conf.error();
    if (const auto started = slurmdb::Library::start(*conf); !started) return started.error();
    if (!slurmdb::any_controller_answers(*conf)) return Error{ErrorCode::unavailable, "no slurmctld answers"};
    const auto world = capture_world(ClusterNeed::unless_hidden);
    if (!world) return world.error();
    return std::optional(names_of_cluster(*world));
}

} // namespace qg::cli
