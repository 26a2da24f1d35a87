// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate_sbatch.so: what `qosgate policy try` loads into sbatch (LD_PRELOAD). sbatch reads its options,
// script and environment as always; the job that it would then send to slurmctld goes to qosgate instead, and
// sbatch ends. So no second reader of sbatch's options is needed, and no job is submitted.
//
// sbatch is started with a SLURM_CONF that does not exist, so that it cannot submit anything without this
// module. The module puts the right one back, if it certainly stands between sbatch and libslurm.
#include "sbatch_module.hpp"

#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/job_desc_copy.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

namespace qg::cli {
namespace {

int pipe_to_qosgate = -1;

/// Sets a variable of the environment to what another one holds, and removes the other.
void restore(const char* name, const char* kept) {
    if (const char* value = std::getenv(kept))
        setenv(name, value, 1);
    else
        unsetenv(name);
    unsetenv(kept);
}

/// Whether a library behind this module has the function: a sbatch that contains it would not call ours.
bool is_in_library(const char* function) {
    return dlsym(RTLD_NEXT, function) != nullptr;
}

/// Before main(), so that neither sbatch nor the job's environment has anything of this.
[[gnu::constructor]] void take_over() {
    const char* pipe = std::getenv(sbatch_pipe_variable);
    if (pipe == nullptr || !is_in_library("slurm_submit_batch_job") ||
        !is_in_library("slurm_submit_batch_het_job"))
        return; // SLURM_CONF stays wrong: sbatch fails
    pipe_to_qosgate = std::atoi(pipe);
    fcntl(pipe_to_qosgate, F_SETFD, FD_CLOEXEC);
    unsetenv(sbatch_pipe_variable);
    restore("LD_PRELOAD", sbatch_preload_variable);
    restore("SLURM_CONF", sbatch_conf_variable);
}

/// libslurm fills it in before it sends a job.
void set_submit_host(job_desc_msg_t& job) {
    static std::array<char, 256> host{};
    if (job.alloc_node != nullptr || gethostname(host.data(), host.size() - 1) != 0) return;
    if (const auto dot = std::string_view(host.data()).find('.'); dot != std::string_view::npos)
        host.at(dot) = '\0';
    job.alloc_node = host.data();
}

[[noreturn]] void send(const std::string& bytes) {
    std::FILE* out = fdopen(pipe_to_qosgate, "w");
    const bool is_sent =
        out != nullptr && std::fwrite(bytes.data(), bytes.size(), 1, out) == 1 && std::fclose(out) == 0;
    _exit(is_sent ? EXIT_SUCCESS : EXIT_FAILURE);
}

[[noreturn]] void send_job(job_desc_msg_t& job) {
    set_submit_host(job);
    send(slurm::pack_job_desc(job));
}

[[noreturn]] void send_parts(slurm::ListHandle parts) {
    std::string bytes;
    slurm::for_each<job_desc_msg_t>(parts, [&bytes](job_desc_msg_t& part) {
        set_submit_host(part);
        bytes += slurm::pack_job_desc(part);
    });
    send(bytes);
}

} // namespace
} // namespace qg::cli

// What sbatch calls, instead of libslurm's functions of these names.
extern "C" {

[[gnu::visibility("default")]] int slurm_submit_batch_job(job_desc_msg_t* job,
                                                          submit_response_msg_t** /*answer*/) {
    qg::cli::send_job(*job);
}

[[gnu::visibility("default")]] int slurm_submit_batch_het_job(qg::slurm::ListHandle parts,
                                                              submit_response_msg_t** /*answer*/) {
    qg::cli::send_parts(parts);
}

[[gnu::visibility("default")]] int slurm_job_will_run(job_desc_msg_t* job) {
    qg::cli::send_job(*job);
}

[[gnu::visibility("default")]] int slurm_het_job_will_run(qg::slurm::ListHandle parts) {
    qg::cli::send_parts(parts);
}
}
