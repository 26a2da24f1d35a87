// SPDX-License-Identifier: GPL-2.0-or-later
#include "asking_command.hpp"

#include "host_conf.hpp"
#include "qosgate/slurm/client_refusal.hpp"
#include "qosgate/slurm/values.hpp"

#include <dlfcn.h>
#include <unistd.h>

namespace qg::plugin {
namespace {

/// A symbol of the module; null without it.
void* find_in_module(const char* symbol) noexcept {
    return dlsym(RTLD_DEFAULT, symbol);
}

} // namespace

bool is_asked_by_qosgate() {
    return find_in_module(slurm::client_module_symbol) != nullptr;
}

RulesPlace find_rules_place(const slurm_conf_t& conf) {
    auto* const tried =
        reinterpret_cast<slurm::ClientPolicyFunction*>(find_in_module(slurm::client_policy_symbol));
    if (const char* const directory = tried == nullptr ? nullptr : tried())
        return {directory, geteuid(), true};
    return {rules_beside(slurm::view_text(conf.slurm_conf)), trusted_owner(conf)};
}

void tell_refusal(const std::vector<ClientLine>& lines) noexcept {
    auto* const refuse =
        reinterpret_cast<slurm::ClientRefuseFunction*>(find_in_module(slurm::client_refuse_symbol));
    if (refuse == nullptr) return;
    try {
        refuse(slurm::write_refusal(lines).c_str());
    } catch (...) {
        refuse("");
    }
}

} // namespace qg::plugin
