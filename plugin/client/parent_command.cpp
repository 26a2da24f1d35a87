// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/parent_command.hpp"

#include "host/host_conf.hpp"
#include "qosgate/slurm/client_refusal.hpp"
#include "qosgate/slurm/host_symbols.hpp"
#include "qosgate/slurm/values.hpp"

#include <unistd.h>

namespace qg::plugin {
bool is_started_by_qosgate() {
    return slurm::host::client_module.find() != nullptr;
}

RulesPlace find_rules_place(const slurm_conf_t& conf) {
    auto* const tried = slurm::host::client_policy.find();
    if (const char* const directory = tried == nullptr ? nullptr : tried())
        return {directory, geteuid(), true};
    return {rules_beside(slurm::view_text(conf.slurm_conf)), trusted_owner(conf)};
}

void report_refusal(const std::vector<ClientLine>& lines) noexcept {
    auto* const refuse = slurm::host::client_refuse.find();
    if (refuse == nullptr) return;
    try {
        refuse(slurm::write_refusal(lines).c_str());
    } catch (...) {
        refuse("");
    }
}

} // namespace qg::plugin
