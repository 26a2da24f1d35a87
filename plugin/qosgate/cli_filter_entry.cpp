// SPDX-License-Identifier: GPL-2.0-or-later
//
// The gate of cli_filter/qosgate for one branch of Slurm: what the loader calls for sbatch, salloc, srun and
// scrontab. If the gate itself fails, the job is sent as without it; a rule or the site's script can refuse
// it.
#include "client/child_process.hpp"
#include "client/client_judge.hpp"
#include "client/client_script_hooks.hpp"
#include "client/parent_command.hpp"
#include "host/host_conf.hpp"
#include "host/host_log.hpp"
#include "host/running_release.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/host_symbols.hpp"
#include "qosgate/slurm/values.hpp"

#include <slurm/slurm.h>
#include <slurm/slurm_version.h>
#include <slurm/spank.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace {

using namespace qg;
using namespace qg::plugin;

constexpr std::string_view scrontab = "scrontab";

void say(bool is_error, const std::string& line) {
    const std::string shown = qg::text::printable(line, max_line_length);
    if (is_error)
        slurm_error("%s", shown.c_str());
    else
        slurm_info("%s", shown.c_str());
}

/// Told with -v. Most clients raise the level of their log only later; scrontab, whose -v is no option of a
/// job, has done so.
void say_no_opinion(const ClientOptions& options, std::string_view client, const std::string& why) {
    const std::string line = "qosgate: this job is not judged here: " + why;
    if (client == scrontab)
        slurm_verbose("%s", qg::text::printable(line, max_line_length).c_str());
    else if (options.is_set("verbose"))
        say(/*is_error=*/false, line);
}

/// The client, by its own options: its file may have another name. Empty: another program.
std::string_view find_client() {
    namespace host = qg::slurm::host;
    constexpr std::pair<qg::slurm::HostSymbol<void>, std::string_view> clients[] = {
        {host::sbatch_options, "sbatch"},
        {host::salloc_options, "salloc"},
        {host::srun_options, "srun"},
        {host::scrontab_options, scrontab}};
    for (const auto& [symbol, name] : clients)
        if (symbol.find() != nullptr) return name;
    return "";
}

/// Whether --clusters (or its variable) names anything but this very cluster.
bool names_other_clusters(const ClientOptions& options) {
    const auto named = options.get("clusters");
    if (!named) return false;
    const slurm_conf_t* conf = host_conf();
    return conf == nullptr ||
           !qg::text::iequals(qg::text::trim(*named), qg::slurm::view_text(conf->cluster_name));
}

/// Why there is nothing to judge; empty: there is.
std::string find_exempt(const ClientOptions& options, std::string_view client) {
    if (client.empty()) return "this is not sbatch, salloc, srun or scrontab";
    if (client == "srun" && (std::getenv("SLURM_JOB_ID") != nullptr || options.is_set("jobid")))
        return "a step of a job has no limits of its own";
    if (client == "srun" && options.is_set("no-allocate")) return "there is no job";
    if (names_other_clusters(options)) return "--clusters (or its variable) names other clusters";
    if (client == scrontab && getuid() == 0) return "a crontab of root may be for another user";
    if (options.is_set("uid")) return "it is for another user";
    return "";
}

const char* why_no_answer(ChildEnd end) {
    return end == ChildEnd::late ? "slurmctld did not answer in time" : "the judging process failed";
}

/// With --no-allocate srun would run programs at once, whoever set it: a command that was to say what becomes
/// of a job must not.
bool would_run_at_once(const ClientOptions& options, std::string_view client) {
    if (!is_started_by_qosgate() || client != "srun" || !options.is_set("no-allocate")) return false;
    say(/*is_error=*/true,
        "qosgate: srun --no-allocate runs a program without a job: there is nothing to judge");
    return true;
}

int filter(ClientOptions options, int part) {
    const ClientCommand command{find_client(), part};
    if (would_run_at_once(options, command.name)) return SLURM_ERROR;
    if (const std::string why = find_exempt(options, command.name); !why.empty()) {
        say_no_opinion(options, command.name, why);
        return SLURM_SUCCESS;
    }
    static bool was_late = false; // limits of the other parts of the job would be waited for as long
    const std::string_view why_no_limits =
        is_started_by_qosgate() ? "the qosgate command that asks judges it"
        : was_late              ? "slurmctld did not answer in time for another part of this job"
                                : "";
    const ChildResult result = run_in_child(default_client_timeout, [&](ChildLine& line) {
        return to_bytes(judge_client_job(options, command, why_no_limits, line));
    });
    was_late = was_late || result.end == ChildEnd::late;
    const auto answer = parse_answer(result.bytes);
    if (!answer || !answer->no_opinion.empty())
        say_no_opinion(options, command.name, answer ? answer->no_opinion : why_no_answer(result.end));
    if (!answer) return SLURM_SUCCESS;
    for (const ClientLine& line : answer->lines)
        say(line.is_error, line.text);
    if (answer->is_refused) {
        report_refusal(answer->lines);
        return SLURM_ERROR;
    }
    for (const policy::OptionChange& change : answer->options)
        options.set(change); // the child has tried it
    return would_run_at_once(options, command.name) ? SLURM_ERROR : SLURM_SUCCESS;
}

/// The script has said why in its own way.
int refuse_by_script() {
    report_refusal({});
    return SLURM_ERROR;
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

/// The loader's call, before init().
QG_EXPORT void qosgate_use_release(std::uint32_t number) {
    release_number = number;
}

QG_EXPORT int init() {
    return SLURM_SUCCESS;
}

QG_EXPORT int fini() {
    return SLURM_SUCCESS;
}

/// Called before the options of the environment, the script and the command line are read.
QG_EXPORT int cli_filter_p_setup_defaults(void* options, bool early) {
    try {
        return script_sets_defaults(options, find_client(), early) ? SLURM_SUCCESS : refuse_by_script();
    } catch (...) {
        return SLURM_SUCCESS;
    }
}

/// Called for each part of a job when its options are read, before the client checks them.
QG_EXPORT int cli_filter_p_pre_submit(void* options, int part) {
    try {
        if (!script_allows(options, find_client(), part)) return refuse_by_script();
        return filter(ClientOptions(options), part);
    } catch (...) {
        return SLURM_SUCCESS;
    }
}

QG_EXPORT void cli_filter_p_post_submit(int part, std::uint32_t job, std::uint32_t step) {
    try {
        script_sees_submitted(part, job, step);
    } catch (...) {
        return;
    }
}

} // extern "C"
