// SPDX-License-Identifier: GPL-2.0-or-later
#include "client_options.hpp"

#include "slurm_text.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>

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
    for (const option* row = table; row != nullptr && row->name != nullptr; ++row) {
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
    if (!value.is_set) return slurm_option_reset(options_, name.c_str());
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
        slurm_option_reset(options_, change.name.c_str());
        const bool done = set(change) && is_set(change.name.c_str()) == change.value.is_set;
        _exit(done ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
}

job_desc_msg_t* ClientOptions::describe_job() {
    return slurm_opt_create_job_desc(options_, /*set_defaults=*/true);
}

} // namespace qg::plugin
