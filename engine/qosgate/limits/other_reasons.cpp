// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/other_reasons.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace qg::limits {
namespace {

constexpr std::string_view starts_later = "The job starts by itself.";
constexpr std::string_view never_helps = "Waiting does not help.";
constexpr std::string_view not_before_admin = "Waiting helps only when an administrator changes something.";
constexpr std::string_view has_ended = "The job does not wait: it has ended.";
constexpr std::string_view nothing_to_do = "There is nothing to change.";
constexpr std::string_view ask_admin = "Ask your administrator.";
constexpr std::string_view release_it =
    "Find out why it failed ('scontrol show job JOBID'), then type 'scontrol release JOBID'.";

constexpr std::string_view nodes_back = "The job starts when the nodes are back or free.";
constexpr std::string_view other_nodes =
    "Ask for other nodes or features, or use another partition ('sinfo -R' says why nodes are down).";
constexpr std::string_view nodes_down_meaning = "The nodes that could run the job are down, drained, "
                                                "restarting, or kept for partitions of higher priority.";

constexpr std::string_view old_association_limit =
    "A limit of the association (user or account) is reached; current releases name the limit itself.";
constexpr std::string_view old_qos_limit =
    "A limit of the QOS is reached; current releases name the limit itself.";
constexpr std::string_view old_limit_waiting =
    "The job starts when the usage is below the limit again, unless it "
    "is above the limit by itself.";
constexpr std::string_view see_limits = "Ask for less, or for less time.";

constexpr std::string_view power_waiting = "The job starts when enough power is available.";
constexpr std::string_view block_meaning =
    "A block of a Blue Gene computer is not usable (up to Slurm 22.05).";
constexpr std::string_view unknown_to_squeue =
    "squeue does not know the Reason: slurmctld is of another release, or the job's record is damaged.";

constexpr std::array rows{
    // Pending: the scheduler's order
    OtherReason{"None",
                "No Reason is set: Slurm has not looked at the job yet, or has taken an earlier Reason back, "
                "or the job is not pending.",
                "The scheduler gives a pending job a Reason, or starts it, when it next comes to the job.",
                nothing_to_do},
    OtherReason{
        "Priority", "Jobs of higher priority are ahead.",
        "The job starts after them, or earlier in a gap that backfill finds.",
        "A shorter --time or a smaller job fits into gaps sooner ('squeue --start' shows the forecast)."},
    OtherReason{"Resources", "The job is next, but not enough resources are free.",
                "The job starts when running jobs have ended.",
                "A shorter --time or a smaller job may fit sooner ('squeue --start' shows the forecast)."},
    OtherReason{"BeginTime", "The job's start time is in the future: --begin, or the pause after a requeue.",
                starts_later, "To start it earlier: 'scontrol update JobId=JOBID StartTime=now'."},
    OtherReason{"Dependency", "The job waits for another job (--dependency).",
                "The job may start when its dependency is satisfied.",
                "To start it without: 'scontrol update JobId=JOBID Dependency='."},
    OtherReason{"DependencyNeverSatisfied", "The job depends on something that can no longer happen.",
                never_helps, "Cancel the job, or change it: 'scontrol update JobId=JOBID Dependency='."},
    OtherReason{"JobArrayTaskLimit", "As many tasks of this job array run as its % allows.",
                "Each task starts when another one has ended.",
                "To let more run: 'scontrol update JobId=JOBID ArrayTaskThrottle=N'."},
    OtherReason{"Licenses", "Not enough of the licenses that the job asks for are free.",
                "The job starts when the licenses are free.",
                "Ask for fewer ('scontrol show licenses' shows them)."},
    OtherReason{"Cleaning", "The job was requeued, and its last run is still being cleaned up.", starts_later,
                "If it takes long, ask your administrator."},
    OtherReason{"Prolog", "The nodes run their prolog before the job starts.", starts_later, nothing_to_do},
    OtherReason{"SchedDefer",
                "The job had to start at once (--immediate), but this cluster schedules jobs later.",
                never_helps, "Submit it without --immediate."},
    OtherReason{"FedJobLock", "The clusters of the federation have not agreed yet which one starts the job.",
                starts_later, nothing_to_do},
    OtherReason{"MpiPortsBusy", "The nodes have not enough free ports for MPI.",
                "The job starts when other jobs have freed ports.", nothing_to_do},
    OtherReason{"NvidiaImexChannels", "All NVIDIA IMEX channels are in use by other jobs.",
                "The job starts when a channel is free.", nothing_to_do},
    OtherReason{"MaxPoweredUpNodes", "As many nodes are powered up as the cluster allows.",
                "The job starts when nodes are idle or powered down.", "Ask for fewer nodes."},
    OtherReason{"PowerNotAvail", "Not enough power is available for the job (up to Slurm 23.11).",
                power_waiting, "Ask for fewer nodes."},
    OtherReason{"PowerReserved", "The power that the job needs is reserved (up to Slurm 23.11).",
                power_waiting, "Ask for fewer nodes."},
    // Pending: held
    OtherReason{"JobHeldUser", "The job is held by its user.", never_helps, "Type 'scontrol release JOBID'."},
    OtherReason{"JobHeldAdmin", "The job is held by an administrator, or its priority is 0.",
                not_before_admin, ask_admin},
    OtherReason{"JobHoldMaxRequeue", "The job is held: it was requeued too often (MaxBatchRequeue).",
                never_helps, release_it},
    OtherReason{"launch failure limit exceeded requeued held",
                "The job is held: it was requeued too often after it could not be launched.", never_helps,
                release_it},
    OtherReason{"launch failed requeued held", "The job is held: a node could not launch it.", never_helps,
                release_it},
    OtherReason{"user env retrieval failed requeued held",
                "The job is held: a node could not read the user's environment.", never_helps, release_it},
    OtherReason{"job requeued in held state", "The job was requeued and held (scontrol requeuehold).",
                never_helps, "Type 'scontrol release JOBID'."},
    // Pending: nodes and partitions
    OtherReason{"ReqNodeNotAvail",
                "Nodes that the job needs are down, drained, or reserved for a time in which it would run.",
                nodes_back,
                "Ask for other nodes, or for a --time that ends before the reservation ('sinfo -R' and "
                "'scontrol show reservation' show both)."},
    OtherReason{"UnavailableNodes", "These are the nodes that are not available.", nodes_back, other_nodes},
    OtherReason{"May be reserved for other job", "The nodes may be kept free for another job.", nodes_back,
                other_nodes},
    OtherReason{"Reserved for maintenance", "A maintenance reservation holds the nodes.",
                "The job starts after the maintenance.",
                "Ask for a --time that ends before it ('scontrol show reservation' shows when it starts)."},
    OtherReason{"Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions",
                nodes_down_meaning, nodes_back, other_nodes},
    OtherReason{"Nodes required for job are DOWN, DRAINED, REBOOTING or reserved for jobs in higher priority "
                "partitions",
                nodes_down_meaning, nodes_back, other_nodes},
    OtherReason{"BadConstraints", "No nodes can ever give what the job asks for.", never_helps,
                "Ask for features, nodes and sizes that exist in the partition ('sinfo -o \"%N %f %G\"')."},
    OtherReason{"Constraints", "No nodes can give what the job asks for at present.",
                "Waiting helps when nodes with these features are available again.", other_nodes},
    OtherReason{"FrontEndDown", "The front end nodes are down (up to Slurm 24.11).", not_before_admin,
                ask_admin},
    OtherReason{"BlockMaxError", block_meaning, not_before_admin, ask_admin},
    OtherReason{"BlockFreeAction", block_meaning, not_before_admin, ask_admin},
    OtherReason{"PartitionNodeLimit", "The job asks for more or fewer nodes than its partition allows.",
                not_before_admin,
                "Change --nodes, or use another partition ('scontrol show partition' shows MinNodes and "
                "MaxNodes)."},
    OtherReason{"PartitionTimeLimit", "The job asks for more time than its partition allows.",
                not_before_admin, "Ask for less --time, or use another partition ('sinfo -o \"%P %l\"')."},
    OtherReason{"PartitionDown", "The partition takes jobs but starts none (State=DOWN).",
                "The job starts when an administrator sets the partition to UP.", "Use another partition."},
    OtherReason{"PartitionInactive", "The partition takes no jobs and starts none (State=INACTIVE).",
                "The job starts when an administrator sets the partition to UP.", "Use another partition."},
    OtherReason{"PartitionConfig", "The partition does not accept the job as it is.", not_before_admin,
                "Compare the job with 'scontrol show partition', or use another partition."},
    OtherReason{"MaxMemPerLimit", "The job asks for more memory than MaxMemPerNode or MaxMemPerCPU allows.",
                not_before_admin, "Ask for less memory, or for more CPUs or nodes."},
    // Pending: reservations and burst buffers
    OtherReason{"Reservation", "The job's reservation has not started, or is full.",
                "The job starts in its reservation.",
                "To run outside it: 'scontrol update JobId=JOBID Reservation='."},
    OtherReason{"ReservationDeleted", "The job's reservation was deleted; the job is held.", never_helps,
                "Type 'scontrol update JobId=JOBID Reservation=', then 'scontrol release JOBID'."},
    OtherReason{"ReservationInvalid", "The job may not use its reservation (any more); the job is held.",
                never_helps,
                "Use a reservation that you may use ('scontrol show reservation'), then type 'scontrol "
                "release JOBID'."},
    OtherReason{"BurstBufferResources", "The burst buffer has not enough free space.",
                "The job starts when space is free.", "Ask for less space."},
    OtherReason{"BurstBufferStageIn", "The job's files are being copied into the burst buffer.", starts_later,
                nothing_to_do},
    OtherReason{"BurstBufferOperation", "An operation of the burst buffer failed; the job is held.",
                never_helps,
                "See 'scontrol show job JOBID'; mend its cause, then type 'scontrol release JOBID'."},
    // Pending: accounts and QOSs
    OtherReason{"InvalidAccount", "The job's account, or the user's association with it, does not exist.",
                not_before_admin,
                "Use another account: 'scontrol update JobId=JOBID Account=NAME' ('sacctmgr show assoc "
                "user=$USER' lists yours)."},
    OtherReason{
        "InvalidQOS", "The job's QOS does not exist, or its association may not use it.", not_before_admin,
        "Use another QOS: 'scontrol update JobId=JOBID QOS=NAME' ('sacctmgr show assoc user=$USER' lists "
        "yours)."},
    OtherReason{"AccountNotAllowed", "The partition does not accept the job's account.", not_before_admin,
                "Use another account or partition ('scontrol show partition' shows AllowAccounts)."},
    OtherReason{"QOSNotAllowed", "The partition or the association does not accept the job's QOS.",
                not_before_admin, "Use another QOS or partition ('scontrol show partition' shows AllowQos)."},
    OtherReason{"QOSUsageThreshold", "The fair share is below the UsageThreshold of the QOS.",
                "The job starts when past usage has decayed enough.", "Use another QOS or account."},
    OtherReason{"AccountingPolicy", "A limit of an association or a QOS is reached.", old_limit_waiting,
                see_limits},
    OtherReason{"AssociationJobLimit", old_association_limit, old_limit_waiting, see_limits},
    OtherReason{"AssociationResourceLimit", old_association_limit, old_limit_waiting, see_limits},
    OtherReason{"AssociationTimeLimit", old_association_limit, old_limit_waiting, see_limits},
    OtherReason{"QOSJobLimit", old_qos_limit, old_limit_waiting, see_limits},
    OtherReason{"QOSResourceLimit", old_qos_limit, old_limit_waiting, see_limits},
    OtherReason{"QOSTimeLimit", old_qos_limit, old_limit_waiting, see_limits},
    // Ended
    OtherReason{"DeadLine", "The job could not end before its --deadline, so Slurm ended it.", has_ended,
                "Submit again with a later --deadline or less --time."},
    OtherReason{"TimeLimit", "The job reached its time limit.", has_ended, "Submit again with more --time."},
    OtherReason{"OutOfMemory", "The job used more memory than it had asked for.", has_ended,
                "Submit again with more memory (sacct's MaxRSS shows what it used)."},
    OtherReason{"NonZeroExitCode", "The job's script ended with an exit code other than 0.", has_ended,
                "Read the job's output, mend the script, submit again."},
    OtherReason{"RaisedSignal", "A signal ended the job.", has_ended,
                "Read the job's output, mend the program, submit again."},
    OtherReason{"InactiveLimit", "The job's srun or salloc did not answer for longer than InactiveLimit.",
                has_ended, "Submit again; use sbatch for what takes long."},
    OtherReason{"NodeDown", "A node of the job failed.", "Slurm puts the job back into the queue if it may.",
                "If it does not wait any more, submit it again."},
    OtherReason{"JobLaunchFailure", "The job could not be launched: its files, its program or the prolog.",
                has_ended,
                "Check that its working directory and its output file exist and are writable on the nodes."},
    OtherReason{"SystemFailure", "Slurm itself, a node or a file system failed.", has_ended,
                "Submit again; if it comes back, ask your administrator."},
    // Not understood
    OtherReason{"InvalidReason", unknown_to_squeue, "It depends on the job.", ask_admin},
    OtherReason{"InvaildReason", unknown_to_squeue, "It depends on the job.", ask_admin},
};

/// The separators of words in squeue's output; scontrol writes '_' for ' '.
constexpr std::string_view separators = " \t\r\n_(),;";
constexpr std::string_view ends_of_word = " \t\r\n_(),;:";

/// The words of a text. Text from a ':' to the next white space (names of nodes and the like) is left out.
std::vector<std::string_view> words_of(std::string_view shown) {
    constexpr std::string_view white_space = " \t\r\n";
    std::vector<std::string_view> words;
    std::size_t at = 0;
    while ((at = shown.find_first_not_of(separators, at)) != std::string_view::npos) {
        const std::size_t end = std::min(shown.find_first_of(ends_of_word, at), shown.size());
        if (end > at) words.push_back(shown.substr(at, end - at));
        const bool has_details = end < shown.size() && shown[end] == ':';
        at = has_details ? std::min(shown.find_first_of(white_space, end), shown.size()) : end;
    }
    return words;
}

bool begins_with(std::span<const std::string_view> words, std::span<const std::string_view> phrase) {
    return words.size() >= phrase.size() &&
           std::equal(phrase.begin(), phrase.end(), words.begin(),
                      [](std::string_view a, std::string_view b) { return text::iequals(a, b); });
}

} // namespace

bool OtherReason::promises_start() const noexcept {
    return waiting != never_helps && waiting != not_before_admin && waiting != has_ended;
}

std::span<const OtherReason> other_reasons() noexcept {
    return rows;
}

const OtherReason* find_other_reason(std::string_view reason) noexcept {
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const OtherReason& r) { return text::iequals(r.reason, reason); });
    return row == rows.end() ? nullptr : &*row;
}

namespace {

/// Reasons in whose place squeue shows a sentence, with names behind it in parentheses.
constexpr std::pair<std::string_view, std::string_view> sentences[] = {
    {"Job's QOS not permitted to use this partition", "QOSNotAllowed"},
    {"Job's account not permitted to use this partition", "AccountNotAllowed"},
};

/// The same text with the Reasons in the place of their sentences.
std::string without_sentences(std::string_view shown) {
    std::string text(shown);
    for (const auto& [sentence, reason] : sentences) {
        std::size_t at = 0;
        while ((at = text.find(sentence, at)) != std::string::npos) {
            std::size_t end = at + sentence.size();
            if (text.compare(end, 2, " (") == 0) {
                const std::size_t close = text.find(')', end);
                end = close == std::string::npos ? text.size() : close + 1;
            }
            text.replace(at, end - at, reason);
            at += reason.size();
        }
    }
    return text;
}

} // namespace

std::vector<std::string> reasons_in(std::string_view shown_text) {
    const std::string shown = without_sentences(shown_text);
    std::vector<std::pair<std::string_view, std::vector<std::string_view>>> phrases;
    for (const OtherReason& row : rows)
        if (row.reason.find(' ') != std::string_view::npos)
            phrases.emplace_back(row.reason, words_of(row.reason));

    const std::vector<std::string_view> words = words_of(shown);
    std::vector<std::string> reasons;
    std::unordered_set<std::string> seen;
    for (std::size_t at = 0; at < words.size();) {
        const auto rest = std::span(words).subspan(at);
        const auto phrase = std::find_if(phrases.begin(), phrases.end(),
                                         [&](const auto& p) { return begins_with(rest, p.second); });
        std::string reason(phrase == phrases.end() ? rest.front() : phrase->first);
        at += phrase == phrases.end() ? 1 : phrase->second.size();
        if (seen.insert(text::lower(reason)).second) reasons.push_back(std::move(reason));
    }
    return reasons;
}

} // namespace qg::limits
