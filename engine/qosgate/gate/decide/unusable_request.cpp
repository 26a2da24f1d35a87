// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/decide/unusable_request.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/answer.hpp"
#include "qosgate/gate/decide/refusal.hpp"
#include "qosgate/gate/partitions/completed_request.hpp"
#include "qosgate/gate/partitions/in_partition.hpp"
#include "qosgate/gate/partitions/partition_rules.hpp"
#include "qosgate/gate/size/ranges.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace qg::gate {
namespace {

using model::JobRequest;

/// Whether slurmctld would look for so many nodes that nobody has, one by one.
bool excludes_too_many(const JobRequest& request) {
    constexpr std::uint32_t max_nodes = 65536; // more than any cluster has
    if (request.excluded_nodes.empty() && request.has_all_excluded) return false;
    const model::DetailValue list = request.details.get(model::JobDetail::excluded_nodes);
    return list.kind == model::DetailValue::Kind::too_long || count_nodes(list.text) > max_nodes;
}

struct Fatal {
    bool (*is_asked)(const JobRequest& request);
    std::string_view change; ///< the user need not read how slurmctld can be ended
};

/// Those of slurm/README.md 2.6 that all releases have.
constexpr Fatal fatal[] = {
    {[](const JobRequest& request) { return request.tasks_per_socket == 0u; },
     "--ntasks-per-socket=0 is no count: ask for at least 1, or leave it out"},
    {excludes_too_many, "--exclude names more than 65536 nodes: name fewer"},
};

void refuse(model::Decision& decision, Refusal refusal, const LoggedJob& job,
            const policy::Settings& settings) {
    decision.reject = refusal.code;
    log_limits(decision, job, "refused", "", refusal.lines);
    std::ranges::move(refusal.lines, std::back_inserter(decision.message));
    append_contact(decision.message, settings);
}

void refuse(model::Decision& decision, model::RejectCode code, std::string line, const LoggedJob& job,
            const policy::Settings& settings) {
    refuse(decision, {code, {std::move(line)}}, job, settings);
}

void refuse_too_large(model::Decision& decision, std::string_view cannot, const TooLarge& found,
                      const LoggedJob& job, const policy::Settings& settings) {
    std::string line = text::format("{}: {}", cannot, found.why);
    if (!found.advice.empty()) line += "; " + found.advice;
    refuse(decision, model::RejectCode::text_too_long, std::move(line), job, settings);
}

/// What a change sets; a new job has everything.
model::UpdateParts parts_of(const LoggedJob& job) {
    return job.change == nullptr ? model::UpdateParts::all() : job.change->parts;
}

bool has_enforcing_rule(const LoggedJob& job, const Site& site) {
    const auto event = job.change == nullptr ? policy::JobEvent::submit : policy::JobEvent::modify;
    return site.policy != nullptr && site.policy->has_enforcing_rule_at(event, parts_of(job));
}

/// Whether the rules or the limits of the site bind this sender.
bool binds_sender(const LoggedJob& job, const Site& site) {
    if (has_enforcing_rule(job, site)) return true;
    return site.settings().limits == policy::Level::enforce && job.view.enforce.limits &&
           !site.context.provider.is_operator(job.request.submit_uid);
}

} // namespace

[[gnu::cold]] void answer_too_large(model::Decision& decision, const TooLarge& found, const LoggedJob& job,
                                    const Site& site, bool enforces_limits) {
    const bool may_break_limits = enforces_limits && job.view.enforce.limits && !found.slurmctld_refuses;
    if (may_break_limits && !site.context.provider.is_operator(job.request.submit_uid))
        return refuse_too_large(decision, "the limits of this job cannot be checked", found, job,
                                site.settings());
    log_limits(decision, job, "unchecked", "", std::span(&found.why, 1));
}

[[gnu::cold]] model::Decision answer_unread(const ResolvedRequest& resolved, const LoggedJob& job,
                                            const Site& site) {
    model::Decision decision;
    const TooLarge found = find_too_large(resolved).value_or(TooLarge{});
    if (has_enforcing_rule(job, site))
        refuse_too_large(decision, "the site's rules cannot be applied to this job", found, job,
                         site.settings());
    else
        answer_too_large(decision, found, job, site,
                         site.enforces_limits() && parts_of(job).has(model::UpdatePart::limits));
    return decision;
}

[[gnu::cold]] bool refuse_without_partition(model::Decision& decision, const ResolvedRequest& asked,
                                            const LoggedJob& job, const policy::Settings& settings) {
    if (!names_no_partition(asked)) return false;
    auto refusal = check_partition(asked.partitions.unknown, list_open_partitions(asked));
    if (!refusal) refusal = check_empty_names(asked.request, asked.view(), asked.context.release);
    if (refusal) refuse(decision, *std::move(refusal), job, settings);
    return refusal.has_value();
}

bool refuse_hidden_cpus(model::Decision& decision, const ResolvedRequest& asked, const LoggedJob& job,
                        const Site& site) {
    if (site.policy == nullptr || !site.policy->has_enforcing_rule_at(policy::JobEvent::modify)) return false;
    const model::Cluster& cluster = asked.context.cluster;
    const auto original = job.change == nullptr
                              ? std::nullopt
                              : with_undivided_memory(asked.request, job.change->before, cluster);
    if (!asks_beyond_tasks(asked.request) && !(original && asks_beyond_tasks(*original))) return false;
    for (const auto& partition : asked.partitions.found) {
        if (!hides_cpus(asked.request, *partition, cluster) &&
            !(original && hides_cpus(*original, *partition, cluster)))
            continue;
        refuse(decision, model::RejectCode::access_denied,
               text::format("with more memory per CPU than MaxMemPerCPU of partition {} slurmctld hides how "
                            "many CPUs this job asks for, which the site's rules then cannot check: ask for "
                            "less memory per CPU (--mem-per-cpu), or for no more CPUs than the tasks need",
                            partition->name),
               job, site.settings());
        return true;
    }
    return false;
}

[[gnu::cold]] bool refuse_unknown_partition(model::Decision& decision, const LoggedJob& job,
                                            const Site& site) {
    const JobRequest& request = job.request;
    const bool is_new = job.change == nullptr;
    if (!is_new && job.change->before.reservation == request.reservation &&
        job.change->before.has_default_partition == request.has_default_partition)
        return false;
    const bool only_start_decides = gets_partition_at_start(request, site.context.cluster);
    const bool may_change =
        is_new ? may_get_partition_of_reservation(request) : names_reservations_only(request);
    const bool may_be_new =
        (site.known.may_have_new_reservations || site.known.cluster == nullptr) && may_change;
    if ((!only_start_decides && !may_be_new) || !binds_sender(job, site)) return false;
    if (only_start_decides)
        refuse(
            decision, model::RejectCode::access_denied,
            text::format("slurmctld may start this job in the partition of whichever of its reservations has "
                         "room, which the site's rules and limits cannot check: name {}",
                         is_new ? "a partition with --partition, or one reservation" : "one reservation"),
            job, site.settings());
    else
        refuse(
            decision, model::RejectCode::try_again,
            "the partition of this job's reservation cannot be checked yet: name a partition, or try again "
            "in a moment",
            job, site.settings());
    return true;
}

[[gnu::cold]] std::string_view look_for_fatal(const JobRequest& request) {
    for (const Fatal& each : fatal)
        if (each.is_asked(request)) return each.change;
    return {};
}

[[gnu::cold]] void refuse_fatal(model::Decision& decision, std::string_view change, const LoggedJob& job,
                                const policy::Settings& settings) {
    refuse(decision, model::RejectCode::access_denied, std::string(change), job, settings);
}

} // namespace qg::gate
