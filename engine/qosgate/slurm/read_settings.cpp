// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/read_settings.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/accounting_records.hpp"
#include "qosgate/slurm/load_records.hpp"
#include "qosgate/slurm/values.hpp"

#include <utility>

namespace qg::slurm {
namespace {

/// Values of AccountingStorageEnforce that no limit depends on. No installed header has their bits.
constexpr std::pair<std::uint16_t, const char*> enforce_others[] = {
    {1u << 2, "wckeys"},
    {1u << 5, "nojobs"},
    {1u << 6, "nosteps"},
};

} // namespace

model::ClusterSettings read_cluster_settings(const slurm_conf_t& conf) {
    model::ClusterSettings settings;
    settings.enforce = read_enforce(conf.accounting_storage_enforce);
    for (const auto& [bit, name] : enforce_others)
        if ((conf.accounting_storage_enforce & bit) != 0) settings.enforce_others.emplace_back(name);
    for (const std::string_view name : text::split(view_text(conf.accounting_storage_tres), ','))
        settings.tres.emplace_back(name);
    settings.scheduler_type = view_text(conf.schedtype);
    settings.priority_type = view_text(conf.priority_type);
    settings.priority_weight_qos = conf.priority_weight_qos;
    settings.uses_raw_priorities = (conf.priority_flags & PRIORITY_FLAGS_NO_NORMAL_QOS) != 0;
    settings.preempt_type = view_text(conf.preempt_type);
    settings.has_gang = (conf.preempt_mode & PREEMPT_MODE_GANG) != 0;
    settings.usage_lasts = conf.priority_decay_hl == 0 && conf.priority_reset_period == PRIORITY_RESET_NONE;
    return settings;
}

Result<model::ClusterSettings> load_cluster_settings() {
    const auto conf = load_conf(everything);
    if (!conf) return conf.error();
    if (*conf == nullptr) return Error{ErrorCode::unavailable, "reading the configuration: it is empty"};
    return read_cluster_settings(**conf);
}

} // namespace qg::slurm
