// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/judged_job.hpp"

#include "common/client_request.hpp"
#include "policy/policy_directory.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/quota/user_directory.hpp"
#include "qosgate/slurm/queue_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <unistd.h>

namespace qg::cli {
namespace {

/// The rules that a directory has. slurmctld needs none beside slurm.conf, but one that is named must exist.
Result<std::shared_ptr<const policy::Policy>> load_rules(const PolicyDirectory& directory, bool is_named) {
    auto loaded = load_policy_to_try(directory.path);
    if (!loaded && loaded.error().code == ErrorCode::not_found && !is_named) return policy::Policy::none();
    return loaded;
}

/// The primary group of the user; empty: not known.
std::optional<std::uint32_t> group_of(const report::JobUser& user) {
    if (user.id == geteuid()) return getegid();
    quota::SystemDirectory directory;
    const auto found = directory.find_user(user.name);
    if (!found || !*found) return std::nullopt;
    return (*found)->group_id;
}

/// Makes of the parts of a job what slurmctld hands to plugins.
void receive_parts(std::vector<slurm::JobDescCopy>& parts, const report::JobUser& user,
                   const JudgedWorld& world) {
    constexpr std::uint32_t nobody =
        99; // SLURM_AUTH_NOBODY: since 23.02 clients send it, and slurmctld knows them
    const auto group = group_of(user);
    for (slurm::JobDescCopy& part : parts) {
        if (user.is_named || part.user_id() == nobody) part.set_user(user.id, group);
        if (part.request(user.id).priority != 0u && !world.accounting->is_operator(user.id))
            part.clear_priority();
    }
}

/// What the site's script does with each part, up to the first that it refuses; empty: there is none.
std::vector<TriedScript> try_scripts(std::vector<slurm::JobDescCopy>& parts, const report::JobUser& user,
                                     const JudgedWorld& world, const policy::Policy& policy) {
    std::vector<TriedScript> tried;
    if (policy.script() == nullptr) return tried;
    const std::string why_hidden = find_why_hidden(world);
    for (slurm::JobDescCopy& part : parts) {
        tried.push_back(try_script(*policy.script(), part, user.id, world, why_hidden));
        if (tried.back().is_refused) break;
    }
    return tried;
}

/// Judges the parts of a job, and keeps in them what the site's script writes.
TriedJob try_parts(std::vector<slurm::JobDescCopy>& parts, const report::JobUser& user,
                   const JudgedWorld& world, const policy::Policy& policy) {
    receive_parts(parts, user, world);
    const auto scripts = try_scripts(parts, user, world, policy);
    std::vector<model::JobRequest> requests;
    for (const slurm::JobDescCopy& part : parts)
        requests.push_back(part.request(user.id));
    return try_job(requests, scripts, world, policy);
}

/// Why the words cannot be judged; empty: they can.
std::string find_wrong_use(const std::vector<std::string>& words) {
    if (std::ranges::find(clients, words.front()) != clients.end()) return "";
    return text::format("after '--' comes a command line of sbatch, salloc or srun, not {}: -- sbatch "
                        "--qos=debug job.sh",
                        text::quoted(words.front(), 64));
}

} // namespace

Result<std::optional<JudgedJob>> judge_command_line(const JobQuestion& question, Output& output) {
    const auto misused = [&output](std::string_view why) {
        output.fail("usage", why);
        return std::optional<JudgedJob>();
    };
    if (const std::string wrong = find_wrong_use(question.words); !wrong.empty()) return misused(wrong);
    const auto directory = find_policy_directory(question.directory);
    if (!directory) return directory.error();
    auto policy = load_rules(*directory, !question.directory.empty());
    std::string unread_rules;
    if (!policy && question.rules == RulesNeeded::must_load) return policy.error();
    if (!policy) {
        unread_rules = policy.error().message;
        policy = policy::Policy::none();
    }
    auto asked = ask_client(question.words, question.directory);
    if (!asked && asked.error().code == ErrorCode::invalid_input) return misused(asked.error().message);
    if (!asked) return asked.error();
    auto& parts = asked->parts;
    if (std::ranges::any_of(parts, [](const slurm::JobDescCopy& part) { return !part.clusters().empty(); }))
        return misused(
            "--clusters (or SBATCH_CLUSTERS) names clusters: only jobs for this cluster can be tried");
    const bool is_live = question.world.empty();
    JudgedWorld world;
    if (!asked->refusal || !question.user.empty()) { // else slurmctld has nothing to say
        auto read = is_live ? read_live_world() : read_captured_world(question.world);
        if (!read) return read.error();
        world = *std::move(read);
    }
    const auto user = find_job_user(question.user, world.users);
    if (!user) return user.error();
    if (is_live && world.accounting != nullptr)
        if (const auto may = check_rights_over(*user, *world.accounting, "try jobs of other users"); !may)
            return may.error();
    bool hides_jobs = false;
    TriedJob tried = asked->refusal ? refused_by_client(*std::move(asked->refusal))
                                    : try_parts(parts, *user, world, **policy);
    if (is_live && !asked->refusal) {
        const auto table = slurm::read_job_table();
        if (!table) return table.error();
        refuse_without_room(tried, *table);
        hides_jobs = table->hides_jobs && !world.accounting->is_operator(geteuid());
    }
    const auto is_immediate = [](slurm::JobDescCopy& part) { return part.description().immediate != 0; };
    if (!asked->refusal && std::ranges::any_of(parts, is_immediate)) refuse_what_waits(tried);
    tried.client = question.words.front();
    if (tried.client != "sbatch") end_at_refusal(tried);
    return std::optional(JudgedJob{*user, *directory, *std::move(policy), std::move(unread_rules),
                                   std::move(world), std::move(parts), std::move(tried), hides_jobs});
}

} // namespace qg::cli
