// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/site_rules.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace qg::gate {
namespace {

using model::AccountView;
using model::JobRequest;

/// A list of names without empty and repeated parts, each as `own_name(part)`. One of nothing else stays.
template <typename OwnName>
std::string read_list(const std::string& list, OwnName own_name) {
    std::set<std::string> seen;
    std::string names;
    text::for_each_part(list, ',', [&](std::string_view part) {
        if (part.empty()) return;
        const auto [name, is_new] = seen.insert(own_name(part));
        if (!is_new) return;
        if (!names.empty()) names += ',';
        names += *name;
    });
    return names.empty() ? list : names;
}

/// Case matters in these names.
std::string read_names(const std::string& list, const AccountView& /*view*/) {
    return read_list(list, [](std::string_view part) { return std::string(part); });
}

std::string read_qos(const std::string& list, const AccountView& view) {
    return read_list(list, [&view](std::string_view part) {
        if (view.job_qos.flags && text::iequals(view.job_qos.name, part)) return view.job_qos.name;
        const auto named = [part](const model::Qos& qos) { return text::iequals(qos.name, part); };
        const auto found = std::ranges::find_if(view.qos, named);
        return found == view.qos.end() ? text::lower(part) : found->name;
    });
}

/// Without `associations` in AccountingStorageEnforce an account that is not the user's becomes the default.
std::string read_account(const std::string& account, const AccountView& view) {
    return text::lower(view.account.empty() ? account : view.account);
}

/// The names that slurmctld takes in more spellings than one.
struct Name {
    std::optional<std::string> JobRequest::*member;
    std::string (*read)(const std::string& text, const AccountView& view);
};
constexpr Name names[] = {
    {&JobRequest::qos, &read_qos},
    {&JobRequest::account, &read_account},
    {&JobRequest::partition, &read_names},
    {&JobRequest::reservation, &read_names},
};

/// The request as slurmctld reads its names; nothing where it is written so.
std::optional<JobRequest> as_read(const JobRequest& request, const AccountView& view) {
    std::optional<JobRequest> read;
    for (const Name& name : names) {
        const auto& written = request.*name.member;
        if (!written) continue;
        std::string text = name.read(*written, view);
        if (text == *written) continue;
        if (!read) read = request;
        *read.*name.member = std::move(text);
    }
    return read;
}

/// The job with what it at least comes to; nothing where that is as it was counted for limits.
std::optional<model::ResolvedJob> at_least(const Resolved& resolved) {
    auto counts = resolved.counter->at_least(resolved.view(), resolved.job.tres);
    if (!counts) return std::nullopt;
    std::optional<model::ResolvedJob> job = resolved.job;
    job->tres = *std::move(counts);
    return job;
}

policy::JobFacts facts_of(const Resolved& resolved, const model::ResolvedJob& counted,
                          bool knows_partitions) {
    const AccountView& view = resolved.view();
    const std::string_view partition = view.partitions.empty()
                                           ? std::string_view()
                                           : std::string_view(view.partitions.front().partition->name);
    return {.counted = counted,
            .catalogue = *view.tres,
            .user_name = view.user_name,
            .account = view.account,
            .partition = partition,
            .qos = view.job_qos.name,
            .knows_accounts = resolved.known || resolved.has_no_accounts(),
            .knows_partitions = knows_partitions,
            .knows_cpus = resolved.counter->knows_cpus()};
}

} // namespace

policy::Outcome run_site_rules(const policy::Policy& policy, const JobRequest& request,
                               const Resolved& resolved, bool knows_partitions) {
    const std::optional<JobRequest> read = as_read(request, resolved.view());
    const std::optional<model::ResolvedJob> least = at_least(resolved);
    policy::Outcome outcome = policy.run(read ? *read : request,
                                         facts_of(resolved, least ? *least : resolved.job, knows_partitions));
    if (read && outcome.changed)
        for (const Name& name : names)
            if (*outcome.changed.*name.member == *read.*name.member)
                *outcome.changed.*name.member = request.*name.member;
    return outcome;
}

} // namespace qg::gate
