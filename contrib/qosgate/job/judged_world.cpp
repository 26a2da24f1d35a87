// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/judged_world.hpp"

#include "qosgate/base/read_file.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/cluster_quota.hpp"
#include "qosgate/slurm/cluster_reader.hpp"
#include "qosgate/slurmdb/library.hpp"

#include <utility>

#include <unistd.h>

namespace qg::cli {
namespace {

struct LiveRecords {
    std::shared_ptr<const model::Cluster> cluster;
    std::unique_ptr<slurm::ClusterQuota> accounting;
};

/// Whether slurmctld refuses to show nodes or partitions to the caller.
bool is_cluster_hidden(const slurm::AssocRecords& records) {
    const model::PrivateData& hidden = records.conf.private_data;
    return (hidden.partitions || hidden.nodes) && !slurm::is_operator(records, getuid());
}

/// The cluster is empty if it is hidden and not needed.
Result<LiveRecords> read_live_records(ClusterNeed need) {
    const auto path = slurmdb::find_slurm_conf();
    if (!path) return path.error();
    const auto conf = slurmdb::load_slurm_conf(*path);
    if (!conf) return conf.error();
    if (const auto started = slurmdb::Library::start(*conf); !started) return started.error();
    auto accounting = std::make_unique<slurm::ClusterQuota>();
    if (const auto fresh = accounting->sync(); !fresh) return fresh.error();
    if (need == ClusterNeed::unless_hidden && is_cluster_hidden(*accounting->records()))
        return LiveRecords{std::make_shared<const model::Cluster>(), std::move(accounting)};
    auto cluster = slurm::ClusterReader().read();
    if (!cluster) return cluster.error();
    return LiveRecords{*std::move(cluster), std::move(accounting)};
}

} // namespace

Result<JudgedWorld> read_live_world() {
    auto live = read_live_records(ClusterNeed::required);
    if (!live) return live.error();
    return JudgedWorld{std::move(live->cluster),
                       std::move(live->accounting),
                       std::time(nullptr),
                       {},
                       std::make_unique<quota::AskedGroups>(),
                       /*is_live=*/true};
}

Result<quota::World> capture_world(ClusterNeed need) {
    const auto live = read_live_records(need);
    if (!live) return live.error();
    quota::World world{.records = slurm::to_local_records(*live->accounting->records()),
                       .partitions = live->cluster->partitions.all(),
                       .cluster = *live->cluster,
                       .captured_at = std::time(nullptr)};
    world.cluster.partitions = {};
    return world;
}

Result<quota::World> read_world_file(const std::string& file) {
    const std::string name = text::printable(file, 4000);
    constexpr std::size_t max_world = std::size_t{256} << 20u; // some 500,000 associations
    const auto content = read_file(file, max_world);
    if (!content) return content.error();
    auto world = quota::parse_world(*content);
    if (!world) return world.error().in(name);
    if (world->captured_at == 0)
        return Error{ErrorCode::invalid_input, text::format("{}: not a file of 'qosgate capture'", name)};
    return world;
}

JudgedWorld make_judged(quota::World world, GroupSource groups, quota::LocalViews views) {
    auto cluster = std::make_shared<const model::Cluster>(quota::make_cluster(world));
    std::map<std::string, std::uint32_t> users;
    for (const quota::LocalAssociation& association : world.records.associations)
        if (!association.link.user.empty()) users.emplace(association.link.user, association.user_id);
    std::unique_ptr<const quota::UserGroups> groups_of_users;
    if (groups == GroupSource::directory)
        groups_of_users = std::make_unique<quota::AskedGroups>();
    else
        groups_of_users = std::make_unique<quota::RecordedGroups>(
            world.records.users, "the file that 'qosgate capture' wrote does not have them");
    return JudgedWorld{std::move(cluster),
                       std::make_unique<quota::LocalQuota>(std::move(world.records), views),
                       world.captured_at, std::move(users), std::move(groups_of_users)};
}

Result<JudgedWorld> read_captured_world(const std::string& file) {
    auto world = read_world_file(file);
    if (!world) return world.error();
    return make_judged(*std::move(world));
}

Result<report::UserWorld> read_user_world(const std::string& file) {
    auto read = file.empty() ? capture_world(ClusterNeed::unless_hidden) : read_world_file(file);
    if (!read) return read.error();
    return report::make_user_world(*std::move(read));
}

} // namespace qg::cli
