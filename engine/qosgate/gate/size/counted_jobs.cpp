// SPDX-License-Identifier: GPL-2.0-or-later
//
// DecisionView: the numbers of jobs that slurmctld keeps by itself. Jobs are not looked at: a queue may be
// long.
#include "qosgate/gate/rules/copied_records.hpp"
#include "qosgate/gate/rules/decision_view.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

using policy::JobFilter;
using quota::JobCounts;

Error not_counted(std::string_view why) {
    return {ErrorCode::unsupported,
            text::format(
                "view.jobs: {}: slurmctld counts the jobs by {{ qos }}, {{ qos, user }}, "
                "{{ qos, account }}, {{ user }}, {{ user, account }} and {{ account }}, each with state or "
                "without; the user is the job's own, and the account the job's own or, without user and qos, "
                "one above it",
                why)};
}

JobCounts counts_of(const model::Usage& usage) {
    return {.running = usage.jobs, .submitted = usage.submit_jobs};
}

} // namespace

Result<JobCounts> DecisionView::counts_of_qos(const JobFilter& filter) {
    if (!filter.user.empty() && !filter.account.empty()) return not_counted("qos, user and account");
    const auto facts = qos(filter.qos);
    if (!facts) return facts.error();
    if (*facts == nullptr)
        return Error{ErrorCode::not_found,
                     text::format("view.jobs: there is no QOS '{}'", text::printable(filter.qos, 60))};
    const auto record = with_usage(**facts);
    if (!record) return record.error();
    if (!filter.user.empty()) return counts_of((*record)->user_usage);
    return counts_of(filter.account.empty() ? (*record)->usage : (*record)->account_usage);
}

Result<JobCounts> DecisionView::counts_of_association(const JobFilter& filter) {
    const auto chain = associations();
    if (!chain) return chain.error();
    if (!filter.user.empty()) {
        // The first one is the user's own in the job's account.
        if (chain->empty() || !chain->front().partition.empty())
            return not_counted("the user has no association for all partitions in this account");
        return counts_of(chain->front().usage);
    }
    const auto is_named = [&](const model::Association& link) {
        return link.level != model::AssociationLevel::user && text::iequals(link.account, filter.account);
    };
    const auto found = std::ranges::find_if(*chain, is_named);
    if (found != chain->end()) return counts_of(found->usage);
    return not_counted(text::format("account '{}'", text::printable(filter.account, 60)));
}

Result<JobCounts> DecisionView::counts_of_user() {
    auto& counts = read().jobs_of_user;
    if (!counts) {
        const auto done = copy_records([&](const quota::JobRecords& records) {
            counts = records.count_jobs_of_user(quota::bounds_for_rules);
        });
        if (!done) return done.error();
    }
    if (counts->is_complete) return *counts;
    return Error{
        ErrorCode::limit_exceeded,
        text::format("the jobs of a user cannot be counted: at most {} associations of the cluster are "
                     "looked at, and {} of the user",
                     quota::bounds_for_rules.checked, quota::bounds_for_rules.found)};
}

Result<JobCounts> DecisionView::find_counts(const JobFilter& filter) {
    if (!filter.user.empty()) {
        const auto owner = user(policy::WhichUser::owner);
        if (!owner) return owner.error();
        if (filter.user != (*owner)->name)
            return not_counted(text::format("user '{}' is not the job's", text::printable(filter.user, 60)));
    }
    const bool names_own_account = text::iequals(filter.account, job_.view().account);
    if (!filter.account.empty() && (!filter.user.empty() || !filter.qos.empty()) && !names_own_account)
        return not_counted(
            text::format("account '{}' is not the job's", text::printable(filter.account, 60)));
    if (!filter.qos.empty()) return counts_of_qos(filter);
    if (!filter.account.empty()) return counts_of_association(filter);
    if (!filter.user.empty()) return counts_of_user();
    return not_counted("neither qos nor user nor account is given (a value that is nil counts as none)");
}

Result<std::uint64_t> DecisionView::count_jobs(const JobFilter& filter) {
    const auto& states = policy::job_filter_states;
    if (!filter.state.empty() && std::ranges::find(states, filter.state) == states.end())
        return Error{ErrorCode::invalid_input, policy::describe_wrong_state(filter.state)};
    const auto counts = find_counts(filter);
    if (!counts) return counts.error();
    if (filter.state.empty()) return counts->submitted;
    if (filter.state == "running") return counts->running;
    return counts->submitted - std::min(counts->running, counts->submitted);
}

} // namespace qg::gate
