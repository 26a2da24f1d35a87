// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/lint_reading.hpp"

#include "common/cluster_names.hpp"
#include "common/default_release.hpp"
#include "job/judged_world.hpp"
#include "policy/policy_directory.hpp"

#include "qosgate/slurm/read_settings.hpp"
#include "qosgate/slurmdb/library.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <unistd.h>

namespace qg::cli {
namespace {

report::LintAssociation to_lint(const quota::LocalAssociation& association) {
    return {.level = association.link.level,
            .account = association.link.account,
            .user = association.link.user,
            .partition = association.link.partition,
            .parent = association.parent,
            .default_qos = association.default_qos,
            .qos = association.permitted_qos,
            .limits = association.link.limits};
}

} // namespace

Result<report::LintInput> read_lint_input(QosConnection& access) {
    auto world = capture_world(ClusterNeed::required);
    if (!world) return world.error();
    const policy::ClusterNames names = names_of_cluster(*world);
    const quota::LocalQuota accounting(std::move(world->records));
    if (!accounting.is_operator(getuid()))
        return Error{ErrorCode::permission_denied,
                     "only root, SlurmUser and operators can check a cluster: others may not see all of it"};
    auto settings = slurm::load_cluster_settings();
    if (!settings) return settings.error();
    const auto stored = access.store().read_all();
    if (!stored) return stored.error();
    report::LintInput input{.cluster = world->cluster.name,
                            .settings = *std::move(settings),
                            .tres = accounting.records().tres,
                            .qos = {},
                            .associations = {},
                            .partitions = {},
                            .nodes = world->cluster.nodes,
                            .default_memory = world->cluster.default_memory,
                            .release = default_release()};
    for (const slurmdb::StoredQos& qos : *stored)
        input.qos.push_back(qos.record);
    std::ranges::transform(accounting.records().associations, std::back_inserter(input.associations),
                           to_lint);
    for (const auto& partition : world->partitions)
        input.partitions.push_back(*partition);
    // scontrol may have changed what slurmctld reads when it starts again.
    if (const auto path = slurmdb::find_slurm_conf()) {
        const auto text = slurmdb::read_slurm_conf_text(*path);
        if (!text) return text.error();
        input.named_in_conf = report::find_qos_in_conf(*text);
    }
    if (const auto directory = find_policy_directory("")) {
        policy::PolicyReport report = read_names_in_rules(*directory);
        policy::compare_names(report, names);
        input.unknown_in_rules = std::move(report.findings);
    }
    return input;
}

} // namespace qg::cli
