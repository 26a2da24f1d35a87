// SPDX-License-Identifier: GPL-2.0-or-later
#include "client_options.hpp"

#include <memory>

// Exported by the library that the clients use, declared in no public header; the same in all releases.
extern "C" {
bool slurm_option_isset(void* options, const char* name);
char* slurm_option_get(void* options, const char* name);
int slurm_option_set(void* options, const char* name, const char* value, bool early);
bool slurm_option_reset(void* options, const char* name);
job_desc_msg_t* slurm_opt_create_job_desc(void* options, bool set_defaults);
void slurm_xfree(void** block);
}

namespace qg::plugin {
namespace {

struct TextDeleter {
    void operator()(char* text) const noexcept {
        void* block = text;
        slurm_xfree(&block);
    }
};

} // namespace

bool ClientOptions::is_set(const char* option) const {
    return slurm_option_isset(options_, option);
}

std::optional<std::string> ClientOptions::get(const char* option) const {
    if (!is_set(option)) return std::nullopt; // the values of others are not meant for people
    const std::unique_ptr<char, TextDeleter> value(slurm_option_get(options_, option));
    if (value == nullptr) return std::nullopt;
    return std::string(value.get());
}

bool ClientOptions::set(const std::string& option, const std::optional<std::string>& value) {
    if (!value) return slurm_option_reset(options_, option.c_str());
    return slurm_option_set(options_, option.c_str(), value->c_str(), /*early=*/false) == 0;
}

job_desc_msg_t* ClientOptions::describe_job() {
    return slurm_opt_create_job_desc(options_, /*set_defaults=*/true);
}

} // namespace qg::plugin
