// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/usage_reset.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/permission.hpp"

#include <cstdint>
#include <deque>
#include <optional>

// Exported by libslurm in all releases, declared in no public header. sacctmgr calls it for "set rawusage=0".
extern "C" int slurmdb_send_accounting_update(qg::slurm::ListHandle updates, char* cluster, char* host,
                                              std::uint16_t port, std::uint16_t rpc_version);

namespace qg::slurmdb {
namespace {

/// The message that resets usage. Later releases have one that sets it, with other contents.
template <typename Types>
constexpr std::optional<std::uint16_t> reset_message() {
    if constexpr (requires { Types::SLURMDB_REMOVE_QOS_USAGE; })
        return Types::SLURMDB_REMOVE_QOS_USAGE;
    else
        return std::nullopt;
}

} // namespace

Result<std::string> reset_usage(Connection& connection, std::span<const StoredQos* const> qos,
                                bool check_only) {
    constexpr auto message = reset_message<slurmdb_update_type_t>();
    if (!message)
        return Error{ErrorCode::unsupported,
                     text::format("with this release of Slurm usage is reset by: sacctmgr modify qos {} set "
                                  "rawusage=0",
                                  qos.empty() ? "NAME" : qos.front()->record.name)};
    // slurmctld refuses it, too, but without a word about why.
    if (const auto may = expect_administrator(connection, "reset the usage of QOSs"); !may)
        return may.error();
    slurmdb_cluster_cond_t everything{};
    slurmdb_init_cluster_cond(&everything, false);
    const auto clusters = connection.ask(
        "read the clusters", [&](void* handle) { return slurmdb_clusters_get(handle, &everything); });
    if (!clusters) return clusters.error();

    std::deque<slurmdb_qos_rec_t> records;
    const slurm::OwnedList objects = slurm::make_borrowing_list();
    for (const StoredQos* each : qos) {
        slurmdb_init_qos_rec(&records.emplace_back(), false, 0);
        records.back().id = each->id;
        slurm::append(objects, &records.back());
    }
    slurmdb_update_object_t update{};
    update.objects = objects.get();
    update.type = message.value_or(0);
    const slurm::OwnedList updates = slurm::make_borrowing_list();
    slurm::append(updates, &update);

    const std::string& own = connection.session().conf().cluster_name;
    Result<void> done = Error{ErrorCode::unavailable,
                              text::format("slurmctld of cluster {} is not up: its usage stays", own)};
    slurm::for_each<slurmdb_cluster_rec_t>(clusters->get(), [&](const slurmdb_cluster_rec_t& cluster) {
        const bool is_up =
            cluster.control_host != nullptr && *cluster.control_host != '\0' && cluster.control_port != 0;
        if (!is_up || cluster.name == nullptr || !text::iequals(cluster.name, own)) return;
        done = Result<void>();
        if (!check_only)
            done = connection.tell(
                text::format("tell cluster {} to reset usage", own),
                [&](void*) {
                    return slurmdb_send_accounting_update(updates.get(), cluster.name, cluster.control_host,
                                                          static_cast<std::uint16_t>(cluster.control_port),
                                                          cluster.rpc_version);
                },
                late::commit);
    });
    if (!done) return done.error();
    return own;
}

} // namespace qg::slurmdb
