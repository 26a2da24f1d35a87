// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate policy try -- sbatch ARGS...
#include "command.hpp"
#include "judged_world.hpp"
#include "policy_folder.hpp"
#include "policy_load.hpp"
#include "sbatch_request.hpp"
#include "tried_job.hpp"

#include "qosgate/base/text.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pwd.h>
#include <unistd.h>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

constexpr int exit_refused = 1;

struct TryOptions {
    std::string user;
    std::string folder;
    std::string world;
    std::vector<std::string> words;
};

/// Whose job it is.
struct JobUser {
    std::uint32_t id = 0;
    std::string name; ///< empty: this host does not know the user
    bool is_named = false;
};

Result<JobUser> find_user(const std::string& named, const JudgedWorld& world) {
    if (named.empty()) {
        const passwd* caller = getpwuid(getuid());
        return JobUser{getuid(), caller ? caller->pw_name : "", false};
    }
    if (const auto found = world.users.find(named); found != world.users.end())
        return JobUser{found->second, named, true};
    if (const passwd* user = getpwnam(named.c_str())) return JobUser{user->pw_uid, user->pw_name, true};
    if (const auto number = text::parse_unsigned(named); number && *number < 0xffffffffu)
        return JobUser{static_cast<std::uint32_t>(*number), "", true};
    return Error{ErrorCode::not_found,
                 text::format("{} has no user {}",
                              world.users.empty() ? "this host" : "neither the file of --world nor this host",
                              text::quoted(named, 64))};
}

/// A user may try only jobs of their own: the answer tells limits and usage.
Result<void> check_rights(const JobUser& user, const JudgedWorld& world) {
    if (user.id == getuid() || world.accounting->is_operator(getuid())) return {};
    return Error{ErrorCode::permission_denied,
                 "only root, SlurmUser and operators may try jobs of other users: leave --user out"};
}

/// The rules that a directory has. slurmctld needs none beside slurm.conf, but one that is named must exist.
Result<std::shared_ptr<const policy::Policy>> load_rules(const PolicyFolder& folder, bool is_named) {
    auto loaded = load_policy_to_try(folder.path);
    if (!loaded && loaded.error().code == ErrorCode::not_found && !is_named) return policy::Policy::none();
    return loaded;
}

/// A request as slurmctld hands it to plugins.
model::JobRequest as_received(const slurm::JobDescCopy& part, std::uint32_t sender,
                              const JudgedWorld& world) {
    model::JobRequest request = part.request(sender);
    constexpr std::uint32_t nobody =
        99; // SLURM_AUTH_NOBODY: since 23.02 clients send it, and slurmctld knows them
    if (request.user_id == nobody) request.user_id = sender;
    if (request.priority != 0u && !world.accounting->is_operator(sender)) request.priority.reset();
    return request;
}

/// The requests of the parts of a job. Ownership: borrow the parts.
std::vector<model::JobRequest> requests_of(std::vector<slurm::JobDescCopy>& parts, const JobUser& user,
                                           const JudgedWorld& world) {
    std::vector<model::JobRequest> requests;
    for (slurm::JobDescCopy& part : parts) {
        if (user.is_named) part.set_user(user.id);
        requests.push_back(as_received(part, user.id, world));
    }
    return requests;
}

void print(const TriedJob& job, const JobUser& user, const PolicyFolder& folder, const policy::Policy& policy,
           std::ostream& out) {
    out << text::format(
        "Job of {} ({}), limits = \"{}\", rules of {}\n", user.name.empty() ? "user" : user.name, user.id,
        policy::to_string(policy.settings().limits), text::printable(folder.path.string(), 4000));
    print(job, policy, out);
}

ordered_json to_json(const TriedJob& job, const JobUser& user, const PolicyFolder& folder,
                     const policy::Policy& policy) {
    ordered_json answer = to_json(job, policy);
    answer["uid"] = user.id;
    answer["user"] = user.name.empty() ? ordered_json() : ordered_json(user.name);
    answer["folder"] = folder.path.string();
    answer["policy"] = text::format("{:016x}", policy.hash());
    answer["limits"] = policy::to_string(policy.settings().limits);
    return answer;
}

int fail(Output& output, const Error& error, int status) {
    output.fail(status == exit_usage ? "usage" : to_string(error.code), error.message);
    return status;
}

Result<int> try_policy(const TryOptions& options, Output& output) {
    if (options.words.front() != "sbatch")
        return fail(output,
                    {ErrorCode::invalid_input,
                     text::format("after '--' comes a command line of sbatch, not {}: qosgate policy try -- "
                                  "sbatch --qos=debug job.sh",
                                  text::quoted(options.words.front(), 64))},
                    exit_usage);
    const auto folder = find_policy_folder(options.folder);
    if (!folder) return folder.error();
    const auto policy = load_rules(*folder, !options.folder.empty());
    if (!policy) return policy.error();
    auto parts = ask_sbatch(options.words);
    if (!parts && parts.error().code == ErrorCode::invalid_input)
        return fail(output, parts.error(), exit_usage);
    if (!parts) return parts.error();
    for (const slurm::JobDescCopy& part : *parts)
        if (!part.clusters().empty())
            return fail(
                output,
                {ErrorCode::invalid_input,
                 "--clusters (or SBATCH_CLUSTERS) names clusters: only jobs for this cluster can be tried"},
                exit_usage);
    const bool is_live = options.world.empty();
    const auto world = is_live ? read_live_world() : read_captured_world(options.world);
    if (!world) return world.error();
    const auto user = find_user(options.user, *world);
    if (!user) return user.error();
    if (const auto may = check_rights(*user, *world); is_live && !may) return may.error();
    const auto requests = requests_of(*parts, *user, *world);
    const TriedJob job = try_job(requests, *world, **policy);
    if (output.json())
        output.write(to_json(job, *user, *folder, **policy));
    else
        print(job, *user, *folder, **policy, output.text());
    return job.decisive().status() == TriedStatus::accepted ? 0 : exit_refused;
}

} // namespace

void add_policy_try(CLI::App& policy, Invocation& invocation) {
    auto options = std::make_shared<TryOptions>();
    CLI::App* command = add_command(
        policy, "try", "Say what would become of a job now, and what each rule does with it",
        "Put '--' and a command line of sbatch after it. Nothing is submitted. sbatch itself reads the\n"
        "command line, the script with its #SBATCH lines and the SBATCH_* variables, and the site's\n"
        "cli_filter; what it would send to slurmctld is judged here: by the rules of a directory, and by\n"
        "the limits, usage and partitions that slurmctld has at this moment. If a rule reads groups, this\n"
        "host's directory service is asked for them.\n\n"
        "It shows what each rule changed, said and took, what the user would read, and whether the job\n"
        "would be accepted, refused, or would wait, and for which limit. slurmctld checks more than limits\n"
        "and partitions, and other plugins may refuse the job, too; that is not judged.\n\n"
        "The rules are those in the directory now, also if slurmctld has not put them in force, because\n"
        "their tests fail, for example: 'qosgate status' says so.\n\n"
        "--user judges the job as that user's, for root, SlurmUser and operators. sbatch still runs as\n"
        "you: it reads your variables, and files that you may read. For other users PrivateData in\n"
        "slurm.conf may hide limits and usage: then only what slurmctld shows you is judged. If it hides\n"
        "nodes or partitions, only root, SlurmUser and operators can try jobs.\n\n"
        "--world judges against a file that 'qosgate capture' wrote, at the time it was written. slurmctld\n"
        "is not asked, and everybody may try jobs of every user, by the names that the file has.\n\n"
        "Exit status:\n"
        "  0   the job would be accepted, though it may wait, even for ever: what the user reads says so\n"
        "  1   it would be refused; or slurmctld would not take or start it because of its nodes or names\n"
        "  64  the command line is wrong, or sbatch refuses its own\n"
        "  65  the rules or the file of --world do not load\n"
        "  66  there is no such directory or user\n"
        "  69  slurmctld cannot be reached; slurm.conf, a file or sbatch cannot be used\n"
        "  74  the output cannot be written\n"
        "  77  not permitted\n\n"
        "With --json:\n"
        "  status      \"accepted\", \"refused\", or \"blocked\" (slurmctld refuses it or never starts it,\n"
        "              for another reason than limits: blocked_by says why)\n"
        "  error       what sbatch says at the end; null: the job is not refused\n"
        "  user_reads  the lines that sbatch prints\n"
        "  parts       the job, or the parts of a heterogeneous job: status, refused_by (\"rules\",\n"
        "              \"qosgate\" or \"slurmctld\"), reason, pending_reason, blocked_by, unchecked (why\n"
        "              limits were not judged), account, partition, qos, message, and rules: name, file,\n"
        "              mode, has_run, instructions, microseconds, events (kind, text, detail)\n"
        "  uid, user, folder, policy (hash of the rules), limits (the setting)\n"
        "An error is {\"error\": {\"code\": ..., \"message\": ...}}.\n\n"
        "Examples:\n"
        "  qosgate policy try -- sbatch --qos=debug -n4 job.sh\n"
        "  qosgate policy try --policy ./qosgate.d -- sbatch --gres=gpu:2 --wrap=true\n"
        "  qosgate policy try --world monday.json --user 1017 -- sbatch -N4 --wrap=true\n"
        "  sudo qosgate policy try --user ana --json -- sbatch job.sh | jq '.parts[].rules'");
    command->add_option("--user", options->user, "Whose job it is, a name or a number; default: yours");
    command->add_option("--policy", options->folder,
                        "The directory of rules; default: qosgate.d beside slurm.conf");
    command->add_option("--world", options->world,
                        "A file of 'qosgate capture' to judge against; default: slurmctld now");
    command->add_option("COMMAND", options->words, "sbatch and its arguments, after '--'")->required();
    add_json_flag(*command, invocation);
    command->callback([&invocation, options] {
        invocation.action = [options](Output& output) { return try_policy(*options, output); };
    });
}

} // namespace qg::cli
