// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/admin/capacity.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/cluster_messages.hpp"
#include "qosgate/slurmdb/controller_ping.hpp"
#include "qosgate/slurmdb/deadline.hpp"

namespace qg::admin {
namespace {

/// Adds what Slurm writes as "cpu=64,mem=256000M,node=1,gres/gpu=8".
void add_counts(const char* list, const model::TresCatalogue& catalogue, model::TresLimits& counts) {
    if (list == nullptr) return;
    for (const std::string_view part : text::split(list, ',')) {
        const auto one = model::parse_tres_list(catalogue, part);
        if (!one) continue; // slurmdbd does not know this TRES
        for (const auto& [name, count] : *one)
            counts[name] += count.value_or(0);
    }
}

} // namespace

Capacity read_capacity(const slurmdb::Session& session, const model::TresCatalogue& catalogue) {
    const slurmdb::Deadline deadline(session.time_limit());
    if (!slurmdb::any_controller_answers(session.conf())) return {};
    const auto nodes = slurm::load_nodes();
    const auto partitions = slurm::load_partitions(slurm::everything);
    const auto licenses = slurm::load_licenses(slurm::everything);
    if (!nodes || !partitions || !licenses || *nodes == nullptr || *partitions == nullptr) return {};
    Capacity capacity;
    model::TresLimits& cluster = capacity[""];
    for (std::uint32_t i = 0; i < (*nodes)->record_count; ++i) {
        const node_info_t& node = (*nodes)->node_array[i];
        if (node.name == nullptr) continue; // hidden
        add_counts(node.tres_fmt_str, catalogue, cluster);
        ++cluster["node"];
    }
    for (std::uint32_t i = 0; *licenses != nullptr && i < (*licenses)->num_lic; ++i) {
        const slurm_license_info_t& license = (*licenses)->lic_array[i];
        const auto tres =
            catalogue.find(std::string("license/") + (license.name == nullptr ? "" : license.name));
        if (tres) cluster[catalogue.name(*tres)] += license.total;
    }
    for (std::uint32_t i = 0; i < (*partitions)->record_count; ++i) {
        const partition_info_t& partition = (*partitions)->partition_array[i];
        if (partition.name != nullptr)
            add_counts(partition.tres_fmt_str, catalogue, capacity[partition.name]);
    }
    return capacity;
}

} // namespace qg::admin
