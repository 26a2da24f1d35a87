// SPDX-License-Identifier: GPL-2.0-or-later
#include "asking_command.hpp"

#include "qosgate/slurm/client_refusal.hpp"

#include <dlfcn.h>

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

std::filesystem::path tried_rules() {
    auto* const tried =
        reinterpret_cast<slurm::ClientPolicyFunction*>(find_in_module(slurm::client_policy_symbol));
    const char* const folder = tried == nullptr ? nullptr : tried();
    return folder == nullptr ? "" : folder;
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
