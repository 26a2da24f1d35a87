// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client_options.hpp"

#include "client/spank_options.hpp"
#include "host/slurm_text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <getopt.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// Exported by the library that the clients use, declared in no public header; the same in all releases.
extern "C" {
bool slurm_option_isset(void* options, const char* name);
char* slurm_option_get(void* options, const char* name);
int slurm_option_set(void* options, const char* name, const char* value, bool early);
bool slurm_option_reset(void* options, const char* name);
struct option* slurm_option_table_create(void* options, char** letters);
void slurm_option_table_destroy(struct option* table);
job_desc_msg_t* slurm_opt_create_job_desc(void* options, bool set_defaults);
}

namespace qg::plugin {
namespace {

/// Options of which a client takes only one.
constexpr std::array<std::string_view, 3> exclusive_options[] = {{"mem", "mem-per-cpu", "mem-per-gpu"},
                                                                 {"cpus-per-gpu", "cpus-per-task", ""},
                                                                 {"ntasks-per-gpu", "ntasks-per-node", ""}};

/// The exit status of a trial that went well. Setters of Slurm may end the process themselves, also with 0.
constexpr int taken = 77;

} // namespace

bool ClientOptions::is_set(const char* option) const {
    return slurm_option_isset(options_, option);
}

std::optional<std::string> ClientOptions::get(const char* option) const {
    if (!is_set(option)) return std::nullopt; // the values of others are not meant for people
    const SlurmText value(slurm_option_get(options_, option));
    if (value == nullptr) return std::nullopt;
    return std::string(value.get());
}

OptionForms ClientOptions::forms() const {
    char* letters = nullptr;
    option* const table = slurm_option_table_create(options_, &letters);
    const SlurmText owned(letters);
    OptionForms forms;
    const auto foreign = spank_options();
    const auto is_foreign = [&foreign](std::string_view name) {
        return std::ranges::any_of(foreign, [name](const SpankPlugin& plugin) {
            return std::ranges::find(plugin.options, name) != plugin.options.end();
        });
    };
    for (const option* row = table; row != nullptr && row->name != nullptr; ++row) {
        if (is_foreign(row->name)) continue; // Slurm's functions do not know them
        const bool stands_alone = row->has_arg == no_argument;
        forms.emplace(row->name, stands_alone                        ? policy::OptionForm::alone
                                 : row->has_arg == optional_argument ? policy::OptionForm::value_possible
                                                                     : policy::OptionForm::with_value);
    }
    slurm_option_table_destroy(table);
    return forms;
}

bool ClientOptions::set(const policy::OptionChange& change) {
    const auto& [name, value] = change;
    // Some setters add to what is there; and what excludes the option is put back, so that the client does
    // not end.
    if (!slurm_option_reset(options_, name.c_str())) return false;
    if (!value.is_set) return true;
    for (const auto& group : exclusive_options)
        if (std::ranges::find(group, name) != std::end(group))
            for (const std::string_view other : group)
                if (!other.empty() && other != name && is_set(other.data()))
                    slurm_option_reset(options_, other.data());
    const char* const text = value.text ? value.text->c_str() : nullptr;
    return slurm_option_set(options_, name.c_str(), text, /*early=*/false) == 0;
}

bool ClientOptions::takes(const policy::OptionChange& change) {
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(EXIT_FAILURE);
        // Slurm says yes to options that are read only before the script, and ignores them.
        const bool done = set(change) && is_set(change.name.c_str()) == change.value.is_set;
        _exit(done ? taken : EXIT_FAILURE);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == taken;
}

job_desc_msg_t* ClientOptions::describe_job() {
    return slurm_opt_create_job_desc(options_, /*set_defaults=*/true);
}

} // namespace qg::plugin
