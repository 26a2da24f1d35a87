// SPDX-License-Identifier: GPL-2.0-or-later
#include "asking_command.hpp"

#include "host_log.hpp"
#include "qosgate/base/text.hpp"

#include <string>

#include <dlfcn.h>

namespace qg::plugin {
namespace {

/// A symbol of the module; null without it.
void* find_in_module(const char* symbol) {
    return dlsym(RTLD_DEFAULT, symbol);
}

} // namespace

bool is_asked_by_qosgate() {
    return find_in_module("qosgate_client_module") != nullptr;
}

std::filesystem::path tried_rules() {
    auto* const tried = reinterpret_cast<const char* (*)()>(find_in_module("qosgate_client_policy"));
    const char* const folder = tried == nullptr ? nullptr : tried();
    return folder == nullptr ? "" : folder;
}

void tell_refusal(const std::vector<ClientLine>& lines) {
    auto* const refuse = reinterpret_cast<void (*)(const char*)>(find_in_module("qosgate_client_refuse"));
    if (refuse == nullptr) return;
    std::string all;
    for (const ClientLine& line : lines)
        all += text::format("{}{}\n", line.is_error ? 'e' : 'i', text::printable(line.text, max_line_length));
    refuse(all.c_str());
}

} // namespace qg::plugin
