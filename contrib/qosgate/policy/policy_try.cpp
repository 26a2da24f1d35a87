// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate policy try -- sbatch|salloc|srun ARGS...
#include "common/command.hpp"
#include "job/judged_job.hpp"

#include "qosgate/base/text.hpp"

#include <nlohmann/json.hpp>

#include <memory>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

void print_judged(const JudgedJob& job, std::ostream& out) {
    out << text::format("Job of {} ({}), limits = \"{}\", rules of {}\n", job.user_name(), job.user.id,
                        policy::to_string(job.policy->settings().limits),
                        text::printable(job.directory.path.string(), 4000));
    print(job.tried, *job.policy, out);
}

ordered_json judged_to_json(const JudgedJob& job) {
    ordered_json answer = to_json(job.tried, *job.policy);
    answer["uid"] = job.user.id;
    answer["user"] = job.user.name.empty() ? ordered_json() : ordered_json(job.user.name);
    answer["directory"] = job.directory.path.string();
    answer["policy"] = text::format_hash(job.policy->hash());
    answer["limits"] = policy::to_string(job.policy->settings().limits);
    return answer;
}

Result<int> try_policy(const JobQuestion& question, Output& output) {
    const auto job = judge_command_line(question, output);
    if (!job) return job.error();
    if (!*job) return exit_usage;
    if (output.json())
        output.write(judged_to_json(**job));
    else
        print_judged(**job, output.text());
    return exit_status((*job)->tried);
}

} // namespace

void add_policy_try(Command policy, Invocation& invocation) {
    auto options = std::make_shared<JobQuestion>();
    Command command = add_command(
        policy, "try", "Predict what happens to a job now, and what each rule does with it",
        "Put '--' and a command line of sbatch, salloc or srun after it. Nothing is submitted or run. The\n"
        "client itself reads the command line, the script with its #SBATCH lines, its variables and the\n"
        "site's cli_filter; what it would send to slurmctld is judged here: by the rules of a directory, and "
        "by\n"
        "the limits, usage and partitions that slurmctld has at this moment. If a rule reads groups, this\n"
        "host's directory service is asked for them.\n\n"
        "The site's script compat/job_submit.lua runs before the rules. If it reads what is not known here,\n"
        "the job is judged without it, and the answer says so.\n\n"
        "It shows what the script and each rule changed, said and took, what the user would read, and "
        "whether the job\n"
        "would be accepted, refused, or would wait, and for which limit. slurmctld checks more than limits\n"
        "and partitions, and other plugins may refuse the job, too; that is not judged.\n\n"
        "Where the clients have qosgate's plugin, the client runs the directory's rules for clients and its\n"
        "script cli_filter.lua, too, as you and with what slurmctld shows you, also with --user and --world. "
        "It\n"
        "runs none if anybody but root and you can write to the directory: a line says so.\n\n"
        "The rules are those in the directory now, also if slurmctld has not put them in force, because\n"
        "their tests fail, for example: 'qosgate status' says so.\n\n"
        "--user judges the job as that user's, for root, SlurmUser and operators. The client still runs as\n"
        "you: it reads your variables, and files that you may read. For other users PrivateData in\n"
        "slurm.conf may hide limits and usage: then only what slurmctld shows you is judged. If it hides\n"
        "nodes or partitions, only root, SlurmUser and operators can try jobs.\n\n"
        "--world judges against a file that 'qosgate capture' wrote, at the time it was written. slurmctld\n"
        "is not asked, and everybody may try jobs of every user, by the names that the file has.\n\n"
        "Exit status:\n"
        "  0   the job would be accepted, though it may wait: what the user reads says so\n"
        "  1   it would be refused, or it would wait for ever as it is\n"
        "  64  the command line is wrong, or the client refuses its options\n"
        "  65  the rules or the file of --world do not load\n"
        "  66  there is no such directory or user\n"
        "  69  slurmctld cannot be reached; slurm.conf, a file or the client cannot be used\n"
        "  74  the output cannot be written\n"
        "  77  not permitted\n\n"
        "Examples:\n"
        "  qosgate policy try -- sbatch --qos=debug -n4 job.sh\n"
        "  qosgate policy try --policy ./qosgate.d -- sbatch --gres=gpu:2 --wrap=true\n"
        "  qosgate policy try --world monday.json --user 1017 -- sbatch -N4 --wrap=true\n"
        "  sudo qosgate policy try --user ana --json -- sbatch job.sh | jq '.parts[].rules'");
    command.add_option("--user", options->user, "Whose job it is, a name or a number; default: yours");
    command.add_option("--policy", options->directory,
                       "The directory of rules; default: qosgate.d beside slurm.conf");
    command.add_option("--world", options->world,
                       "A file of 'qosgate capture' to judge against; default: slurmctld now");
    command.add_option("COMMAND", options->words, "The client and its arguments, after '--'").required();
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return try_policy(*options, output); };
    });
}

} // namespace qg::cli
