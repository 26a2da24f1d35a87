// SPDX-License-Identifier: GPL-2.0-or-later
//
// cli_filter/qosgate: the symbols that sbatch, salloc, srun and scrontab look up, and nothing else. A client
// loads the plugin only if plugin_version equals its own release, micro number included; otherwise nobody can
// submit. The plugin gives advice: whatever fails here, the submission goes on as without it.
#include "child_process.hpp"
#include "client_judge.hpp"
#include "qosgate/base/text.hpp"

#include <slurm/slurm.h>
#include <slurm/slurm_version.h>
#include <slurm/spank.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace qg::plugin;

constexpr std::size_t max_line_length = 2000;

void say(bool is_error, const std::string& line) {
    const std::string shown = qg::text::printable(line, max_line_length);
    if (is_error)
        slurm_error("%s", shown.c_str());
    else
        slurm_info("%s", shown.c_str());
}

/// Told with -v. Some clients raise the level of their log only later.
void say_no_opinion(const ClientOptions& options, const std::string& why) {
    if (options.is_set("verbose")) say(false, "qosgate: this job is not judged here: " + why);
}

/// Why there is nothing to judge; empty: there is.
std::string find_exempt(const ClientOptions& options, std::string_view client) {
    if (client == "srun" && (std::getenv("SLURM_JOB_ID") != nullptr || options.is_set("jobid")))
        return "a step of a job has no limits of its own";
    if (client == "srun" && options.is_set("no-allocate")) return "there is no job";
    if (options.is_set("clusters")) return "it is for another cluster";
    return "";
}

int filter(ClientOptions options, int part) {
    const ClientCommand command{program_invocation_short_name, part};
    if (const std::string why = find_exempt(options, command.name); !why.empty()) {
        say_no_opinion(options, why);
        return SLURM_SUCCESS;
    }
    const auto bytes = run_in_child(default_client_timeout, [&](const auto& allow) {
        return to_bytes(judge_client_job(options, command, allow));
    });
    const auto answer = bytes ? parse_answer(*bytes) : std::nullopt;
    if (!answer || !answer->no_opinion.empty()) {
        say_no_opinion(options, answer ? answer->no_opinion : "slurmctld did not answer in time");
        return SLURM_SUCCESS;
    }
    for (const std::string& line : answer->lines)
        say(answer->is_bad_news, line);
    if (answer->is_refused) return SLURM_ERROR;
    for (const auto& [option, value] : answer->options)
        if (!options.set(option, value))
            say(false,
                qg::text::format("the site's rules set --{}, which this client does not take", option));
    return SLURM_SUCCESS;
}

} // namespace

#define QG_EXPORT __attribute__((visibility("default")))

extern "C" {

extern QG_EXPORT const char plugin_name[];
extern QG_EXPORT const char plugin_type[];
extern QG_EXPORT const std::uint32_t plugin_version;

const char plugin_name[] = "qosgate: rules and explained limits, before a job is sent";
const char plugin_type[] = "cli_filter/qosgate";
const std::uint32_t plugin_version = SLURM_VERSION_NUMBER;

QG_EXPORT int init() {
    return SLURM_SUCCESS;
}

QG_EXPORT int fini() {
    return SLURM_SUCCESS;
}

QG_EXPORT int cli_filter_p_setup_defaults(void* /*options*/, bool /*early*/) {
    return SLURM_SUCCESS;
}

/// Called for each part of a job when its options are read, before the client checks them.
QG_EXPORT int cli_filter_p_pre_submit(void* options, int part) {
    try {
        return filter(ClientOptions(options), part);
    } catch (...) {
        return SLURM_SUCCESS;
    }
}

QG_EXPORT void cli_filter_p_post_submit(int /*part*/, std::uint32_t /*job*/, std::uint32_t /*step*/) {}

} // extern "C"
