// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate check -- sbatch|salloc|srun ARGS...: what would become of a job, for its user.
#include "common/command.hpp"
#include "common/default_release.hpp"
#include "job/judged_job.hpp"
#include "job/wrong_counters.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/nodes/host_names.hpp"
#include "qosgate/limits/binding.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/limits/explain.hpp"
#include "qosgate/slurm/queue_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

/// What may decide about the job and was not judged; empty: everything was.
std::string find_unjudged(const JudgedJob& job) {
    if (job.tried.decisive().client_refusal) return "";
    std::vector<std::string> unjudged;
    if (!job.unread_rules.empty())
        unjudged.push_back("the site's rules cannot be read here, and may refuse or change the job: " +
                           job.unread_rules);
    if (const std::string_view why = job.tried.why_script_not_run(); !why.empty())
        unjudged.push_back(text::format(
            "the site's job_submit.lua is not run here, and may refuse or change the job: {}", why));
    if (job.tried.hides_limits())
        unjudged.emplace_back(
            "PrivateData hides limits, of accounts or of a partition, which may keep it waiting");
    if (const std::string_view why = job.tried.groups_not_judged(); !why.empty()) unjudged.emplace_back(why);
    if (job.hides_jobs && job.tried.decisive().is_let_in())
        unjudged.emplace_back("PrivateData hides jobs, so whether slurmctld's table of jobs (MaxJobCount) "
                              "has room is not known");
    return text::join(unjudged, "; ");
}

/// The counters behind the limits for which some part is refused or waits.
std::vector<LimitCounter> pick_counters(const TriedJob& job, const report::UserWorld& world) {
    std::vector<LimitCounter> counters;
    for (const TriedPart& part : job.parts) {
        const model::Forecast& forecast = part.decision.forecast;
        model::JobRequest request = part.request;
        request.account = part.account;
        request.partition = part.partition;
        request.qos = part.qos;
        const gate::ResolvedRequest resolved =
            gate::resolve(request, {*world.cluster, *world.accounting, default_release()});
        const model::AccountView& view = resolved.view();
        for (std::size_t at = 0; at < view.partitions.size(); ++at)
            for (const limits::BindingLimit& limit :
                 limits::find_binding_limits(view, at, default_release())) {
                if (limit.reason != forecast.reason && limit.reason != forecast.pending_reason) continue;
                const std::string tres = limit.tres ? view.tres->name(*limit.tres) : std::string();
                counters.push_back({.whose = report::find_counted_jobs(
                                        limit.limit, limit.owner, limit.tres, view, request.user_id,
                                        world.accounting->records(), world.cluster->partitions.all()),
                                    .used = limit.used,
                                    .name = text::format("{} in {}", limits::subject_of(limit.limit, tres),
                                                         limits::owner_name(limit.owner, view))});
            }
    }
    return counters;
}

/// What keeps the job from starting though no job has it.
Result<std::vector<std::string>> find_wrong_counters_of(const TriedJob& job) {
    const bool is_of_limit = std::ranges::any_of(job.parts, [](const TriedPart& part) {
        const model::Forecast& forecast = part.decision.forecast;
        return !part.client_refusal && (!limits::find_reason(forecast.reason).empty() ||
                                        !limits::find_reason(forecast.pending_reason).empty());
    });
    if (!is_of_limit) return std::vector<std::string>();
    return find_wrong_counters([&](const report::UserWorld& world) { return pick_counters(job, world); });
}

/// The nodes of --nodelist on which nothing starts at present, a sentence each; the first ten. Those that
/// slurmctld does not show the caller are not among them.
std::vector<std::string> find_stopped_nodes(const TriedJob& job) {
    constexpr std::size_t max_names = 1000;
    constexpr std::size_t max_shown = 10;
    std::set<std::string> names;
    for (const TriedPart& part : job.parts)
        if (part.request.required_nodes && part.is_let_in())
            for (const std::string& name : gate::first_hosts(*part.request.required_nodes, max_names).names)
                names.insert(name);
    std::vector<std::string> shown;
    if (names.empty()) return shown;
    const auto obstacles = slurm::read_obstacles();
    if (!obstacles) return shown;
    for (const model::StoppedNode& node : obstacles->nodes)
        if (names.contains(node.name) && shown.size() < max_shown)
            shown.push_back(text::format(
                "node {} of --nodelist is {}{}: the job waits until it is back", node.name, node.state,
                node.reason.empty() ? "" : " (" + text::printable(node.reason, 200) + ")"));
    return shown;
}

Result<int> check_job(const JobQuestion& question, Output& output) {
    const auto job = judge_command_line(question, output);
    if (!job) return job.error();
    if (!*job) return exit_usage;
    const std::string unjudged = find_unjudged(**job);
    const auto wrong_counters = or_warning(find_wrong_counters_of((*job)->tried), output);
    const std::vector<std::string> stopped_nodes = find_stopped_nodes((*job)->tried);
    if (output.json()) {
        ordered_json answer = answer_json((*job)->tried);
        answer["uid"] = (*job)->user.id;
        answer["user"] = (*job)->user.name.empty() ? ordered_json() : ordered_json((*job)->user.name);
        answer["not_judged"] = unjudged.empty() ? ordered_json() : ordered_json(unjudged);
        answer["stopped_nodes"] = stopped_nodes;
        answer["wrong_counters"] = wrong_counters;
        output.write(answer);
    } else {
        print_answer((*job)->tried, output.text());
        for (const std::string& sentence : stopped_nodes)
            output.text() << "But " << sentence << ".\n";
        for (const std::string& sentence : wrong_counters)
            output.text() << "But " << text::printable(sentence, 4000) << ".\n";
        if (!unjudged.empty()) output.text() << "Not judged: " << text::printable(unjudged, 4000) << ".\n";
    }
    return exit_status((*job)->tried);
}

} // namespace

void add_check(Command app, Invocation& invocation) {
    auto options = std::make_shared<JobQuestion>();
    options->rules = RulesNeeded::if_known;
    Command command = add_command(
        app, "check", "Predict what happens to a job, without submitting it",
        "Put '--' and a command line of sbatch, salloc or srun after it. Nothing is submitted or run. The\n"
        "client itself reads the command line, the script with its #SBATCH lines, its variables and the\n"
        "site's cli_filter. What it would send to slurmctld is judged here, by the limits, usage and\n"
        "partitions that slurmctld has at this moment, and by the site's rules, if you may read them.\n\n"
        "The answer is advice: slurmctld decides when the job is submitted, and checks more than limits and\n"
        "partitions. What the job asks for and nobody looked at, the last sentence names. What PrivateData "
        "in\n"
        "slurm.conf hides from you is not judged.\n\n"
        "Where the clients have qosgate's plugin, the site's rules for clients and its script\n"
        "cli_filter.lua run as always, and may refuse the job before it is sent.\n\n"
        "Inside a job srun runs a step of that job: there is nothing to judge.\n\n"
        "Exit status:\n"
        "  0   the job would be accepted, though it may wait: the answer says so\n"
        "  1   it would be refused, or it would wait for ever as it is\n"
        "  64  the command line is wrong, or the client refuses its options\n"
        "  66  there is no such user\n"
        "  69  slurmctld cannot be reached; slurm.conf or the client cannot be used\n"
        "  74  the output cannot be written\n"
        "  77  not permitted: only root, SlurmUser and operators may check jobs of others\n\n"
        "Examples:\n"
        "  qosgate check -- sbatch --qos=debug -n4 job.sh\n"
        "  qosgate check -- salloc --gres=gpu:2 --time=8:00:00\n"
        "  qosgate check --json -- srun -N4 hostname | jq .status");
    command.add_option("--user", options->user, "Whose job it is, a name or a number; default: yours");
    command.add_option("COMMAND", options->words, "The client and its arguments, after '--'").required();
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return check_job(*options, output); };
    });
}

} // namespace qg::cli
