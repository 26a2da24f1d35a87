// SPDX-License-Identifier: GPL-2.0-or-later
//
// The options of sbatch, salloc, srun and scrontab as a cli_filter plugin gets them. Their struct is private
// to Slurm and differs between releases; libslurm's own functions read and write it (slurm/README.md 6).
#pragma once

#include "qosgate/policy/client_host.hpp"

#include <slurm/slurm.h>

#include <map>
#include <optional>
#include <string>

namespace qg::plugin {

/// The options that a client has, by their long names.
using OptionForms = std::map<std::string, policy::OptionForm, std::less<>>;

/// Ownership: borrows the options. Threads: the client's only one.
class ClientOptions {
  public:
    explicit ClientOptions(void* options) noexcept : options_(options) {}

    /// Whether the script, the environment or the command line gave the option, or an earlier filter.
    [[nodiscard]] bool is_set(const char* option) const;

    /// The value of an option that is set; empty if it is not, or if this client does not have it.
    [[nodiscard]] std::optional<std::string> get(const char* option) const;

    /// The client's own options, without those of SPANK plugins.
    [[nodiscard]] OptionForms forms() const;

    /// Sets an option as the command line does, or puts it back to its default. False: the client does not
    /// take it. A number must be one: with other texts Slurm ends the client.
    bool set(const policy::OptionChange& change);

    /// Whether set() would do it, and the client go on. It is tried in a process of its own. Cost: one fork.
    [[nodiscard]] bool takes(const policy::OptionChange& change);

    /// The job description that Slurm makes of the options, before the client has checked them and has
    /// counted tasks and nodes; null if it cannot. It changes the options a little, and writes errors: call
    /// it in a process that ends. Ownership: Slurm's, and parts of it are the options'; it is never freed.
    [[nodiscard]] job_desc_msg_t* describe_job();

  private:
    void* options_;
};

} // namespace qg::plugin
