// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate_client.so: what `qosgate check` and `qosgate policy try` load into sbatch, salloc and srun
// (LD_PRELOAD). The client reads its options, script and environment as always; the job that it would then
// send to slurmctld goes to qosgate instead, and the client ends. So no second reader of its options is
// needed, and no job is submitted.
//
// The client is started with a SLURM_CONF that does not exist, so that it cannot submit anything without this
// module. The module puts the right one back, if it certainly stands between the client and libslurm.
#include "common/client_module.hpp"

#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/job_desc_copy.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace qg::cli {
namespace {

int pipe_to_qosgate = -1;
constinit std::optional<std::string> policy; ///< the directory of rules that is tried

/// Sets a variable of the environment to what another one holds, and removes the other.
void restore(const char* name, const char* kept) {
    if (const char* value = std::getenv(kept))
        setenv(name, value, 1);
    else
        unsetenv(name);
    unsetenv(kept);
}

/// Libslurm's functions by which the clients send jobs, or join one; this module has each of them.
constexpr const char* functions[] = {"slurm_submit_batch_job",
                                     "slurm_submit_batch_het_job",
                                     "slurm_allocate_resources_blocking",
                                     "slurm_allocate_het_job_blocking",
                                     "slurm_job_will_run",
                                     "slurm_het_job_will_run",
                                     "slurm_het_job_lookup"};

/// Whether a library behind this module has the function: a client that contains it would not call ours.
bool is_in_library(const char* function) {
    return dlsym(RTLD_NEXT, function) != nullptr;
}

/// Before main(), so that neither the client nor the job's environment has anything of this.
[[gnu::constructor]] void take_over() {
    const char* pipe = std::getenv(client_pipe_variable);
    if (pipe == nullptr || !std::ranges::all_of(functions, is_in_library))
        return;                       // SLURM_CONF stays wrong: the client fails
    prctl(PR_SET_PDEATHSIG, SIGTERM); // nobody is left who reads the job
    pipe_to_qosgate = std::atoi(pipe);
    fcntl(pipe_to_qosgate, F_SETFD, FD_CLOEXEC);
    unsetenv(client_pipe_variable);
    if (const char* directory = std::getenv(client_policy_variable)) {
        policy = directory;
        unsetenv(client_policy_variable);
    }
    restore("LD_PRELOAD", client_preload_variable);
    restore("SLURM_CONF", client_conf_variable);
}

/// libslurm fills it in before it sends a job.
void set_submit_host(job_desc_msg_t& job) {
    static std::array<char, 256> host{};
    if (job.alloc_node != nullptr || gethostname(host.data(), host.size() - 1) != 0) return;
    if (const auto dot = std::string_view(host.data()).find('.'); dot != std::string_view::npos)
        host.at(dot) = '\0';
    job.alloc_node = host.data();
}

/// Sends all that qosgate reads of this client.
bool send(char kind, std::string_view bytes) {
    std::FILE* out = fdopen(pipe_to_qosgate, "w");
    if (out == nullptr) return false;
    const bool is_written =
        std::fputc(kind, out) != EOF && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
    return std::fclose(out) == 0 && is_written;
}

[[noreturn]] void send_and_end(const std::string& descriptions) {
    _exit(send(client_sends_job, descriptions) ? EXIT_SUCCESS : EXIT_FAILURE);
}

[[noreturn]] void send_job(job_desc_msg_t& job) {
    set_submit_host(job);
    send_and_end(slurm::pack_job_desc(job));
}

[[noreturn]] void send_parts(slurm::ListHandle parts) {
    std::string bytes;
    slurm::for_each<job_desc_msg_t>(parts, [&bytes](job_desc_msg_t& part) {
        set_submit_host(part);
        bytes += slurm::pack_job_desc(part);
    });
    send_and_end(bytes);
}

} // namespace
} // namespace qg::cli

extern "C" {

// What qosgate's cli_filter plugin looks up (plugin/client/parent_command.cpp).

/// By this name it sees that the job is judged already.
extern __attribute__((visibility("default"))) const char qosgate_client_module;
const char qosgate_client_module = 1;

/// The directory of rules that it runs; null: the site's.
[[gnu::visibility("default")]] const char* qosgate_client_policy() {
    return qg::cli::policy ? qg::cli::policy->c_str() : nullptr;
}

/// It refuses the job with these words (slurm::write_refusal()); the client ends by itself.
[[gnu::visibility("default")]] void qosgate_client_refuse(const char* text) {
    if (qg::cli::pipe_to_qosgate >= 0) qg::cli::send(qg::cli::client_refuses_job, text);
    qg::cli::pipe_to_qosgate = -1;
}

// What the clients call, instead of libslurm's functions of these names.

[[gnu::visibility("default")]] int slurm_submit_batch_job(job_desc_msg_t* job,
                                                          submit_response_msg_t** /*answer*/) {
    qg::cli::send_job(*job);
}

[[gnu::visibility("default")]] int slurm_submit_batch_het_job(qg::slurm::ListHandle parts,
                                                              submit_response_msg_t** /*answer*/) {
    qg::cli::send_parts(parts);
}

// The headers declare these three with other parameters from 26.05 on. The first is the same, and the others
// are not looked at.
[[gnu::visibility("default")]] void
allocate_job(const job_desc_msg_t* job) asm("slurm_allocate_resources_blocking");
[[gnu::visibility("default")]] void
allocate_parts(qg::slurm::ListHandle parts) asm("slurm_allocate_het_job_blocking");
[[gnu::visibility("default")]] void look_up_job() asm("slurm_het_job_lookup");

void allocate_job(const job_desc_msg_t* job) {
    job_desc_msg_t own = *job; // as libslurm does
    qg::cli::send_job(own);
}

void allocate_parts(qg::slurm::ListHandle parts) {
    qg::cli::send_parts(parts);
}

/// srun asks for the job in which it is to run a step: it sends no job.
void look_up_job() {
    _exit(EXIT_SUCCESS);
}

[[gnu::visibility("default")]] int slurm_job_will_run(job_desc_msg_t* job) {
    qg::cli::send_job(*job);
}

[[gnu::visibility("default")]] int slurm_het_job_will_run(qg::slurm::ListHandle parts) {
    qg::cli::send_parts(parts);
}
}
