// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/rules/read_job.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/with_result_of.hpp"
#include "qosgate/gate/decide/refusal.hpp"
#include "qosgate/gate/predict/as_started.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace qg::gate {
namespace {

using model::AccountView;
using model::JobRequest;

/// A list of names without empty and repeated parts, each replaced by `own_name(part)`. A list with only
/// empty parts is not changed.
template <typename OwnName>
std::string read_list(const std::string& list, OwnName own_name) {
    const std::string_view one = text::trim(list);
    if (!one.empty() && one.find(',') == std::string_view::npos) return own_name(one); // the usual case
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

/// Without `associations` in AccountingStorageEnforce slurmctld replaces an account that is not the user's by
/// the default account.
std::string read_account(const std::string& account, const AccountView& view) {
    return text::lower(view.account.empty() ? account : view.account);
}

/// Whether a list is one name as it is.
bool is_one_name(const std::string& list, const AccountView& /*view*/) noexcept {
    return !list.empty() && list.find(',') == std::string_view::npos &&
           text::trim(list).size() == list.size();
}

/// The names that slurmctld accepts in several spellings.
struct Name {
    std::optional<std::string> JobRequest::*member;
    std::string (*read)(const std::string& text, const AccountView& view);
    /// True only if read() would return the text itself; costs less.
    bool (*is_as_read)(const std::string& text, const AccountView& view) noexcept;
};
constexpr Name spelled_names[] = {
    {&JobRequest::qos, &read_qos,
     [](const std::string& text, const AccountView& view) noexcept {
         return view.job_qos.flags && text == view.job_qos.name && is_one_name(text, view);
     }},
    {&JobRequest::account, &read_account,
     [](const std::string& text, const AccountView& view) noexcept {
         return text == view.account &&
                std::ranges::none_of(text, [](char letter) { return letter >= 'A' && letter <= 'Z'; });
     }},
    {&JobRequest::partition, &read_names, &is_one_name},
    {&JobRequest::reservation, &read_names, &is_one_name},
};

/// The request as slurmctld reads it, with its spelling of names; null if it is already written so, as is
/// usual.
std::unique_ptr<const JobRequest> as_read(const ResolvedRequest& resolved) {
    const JobRequest& request = resolved.request;
    const AccountView& view = resolved.view();
    std::unique_ptr<JobRequest> read = as_started(request, resolved.context.cluster);
    for (const Name& name : spelled_names) {
        const auto& written = request.*name.member;
        if (!written || name.is_as_read(*written, view)) continue;
        std::string text = name.read(*written, view);
        if (text == *written) continue;
        if (!read) read = std::make_unique<JobRequest>(request);
        (*read).*name.member = std::move(text);
    }
    return read;
}

/// What rules read of the same job with other sizes.
[[gnu::cold]] model::TresCounts count_other(const ResolvedRequest& resolved, const JobRequest& other) {
    const AccountView& view = resolved.view();
    const JobCounter counter(other, view, resolved.context.cluster, resolved.context.release);
    model::ResolvedJob job;
    counter.count_submission(view, job);
    return counter.for_rules(view, job.tres).value_or(job.tres);
}

/// The job with its counts for rules; empty if they equal those for the limits.
std::optional<model::ResolvedJob> count_for_rules(const ResolvedRequest& resolved,
                                                  const JobRequest* count_also = nullptr) {
    auto counts = resolved.counter.for_rules(resolved.view(), resolved.job.tres);
    if (count_also != nullptr) {
        if (!counts) counts = resolved.job.tres;
        const model::TresCounts others = count_other(resolved, *count_also);
        for (std::size_t tres = 0; tres < counts->size(); ++tres)
            (*counts)[tres] = std::max((*counts)[tres], model::count_at(others, tres));
    }
    if (!counts) return std::nullopt;
    std::optional<model::ResolvedJob> job = resolved.job;
    job->tres = *std::move(counts);
    return job;
}

/// The longest MaxTime of the job's partitions; the job may start in any of them.
std::optional<TimeLimit> max_time_of(const AccountView& view) {
    std::optional<TimeLimit> max_time;
    for (const model::PartitionChoice& choice : view.partitions)
        max_time = std::max(max_time.value_or(TimeLimit{0}), choice.partition->max_time);
    return max_time;
}

policy::RuleInput facts_of(const ResolvedRequest& resolved, const model::ResolvedJob& counted,
                           policy::SenderRights& sender) {
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
            .knows_partitions = knows_partitions_of(resolved),
            .knows_cpus = resolved.counter.knows_cpus(),
            .sender = &sender,
            .max_time = max_time_of(view),
            .begun = resolved.context.known.script_clock};
}

/// A job that rules have changed, counted again. Not movable: its parts refer to each other.
class CountedJob {
  public:
    CountedJob(const JobRequest& changed, const ClusterContext& context, policy::SenderRights& sender)
        : request_(changed),
          resolved_(WithResultOf([&] { return resolve_again(request_, context, /*is_change=*/false); })),
          job_for_rules_(count_for_rules(*resolved_)),
          facts_(facts_of(*resolved_, job_for_rules_ ? *job_for_rules_ : resolved_->job, sender)) {}
    CountedJob(const CountedJob&) = delete;
    CountedJob& operator=(const CountedJob&) = delete;

    [[nodiscard]] const policy::RuleInput& facts() const noexcept { return facts_; }

  private:
    JobRequest request_;
    std::optional<ResolvedRequest> resolved_;
    std::optional<model::ResolvedJob> job_for_rules_;
    policy::RuleInput facts_;
};

} // namespace

ReadJob::ReadJob(const ResolvedRequest& resolved, policy::JobEvent event, std::optional<model::Qos>* own_qos,
                 const JobRequest* count_also)
    : resolved_(resolved), read_(as_read(resolved)), job_for_rules_(count_for_rules(resolved, count_also)),
      facts_(facts_of(resolved, job_for_rules_ ? *job_for_rules_ : resolved.job, *this)),
      view_(resolved, event == policy::JobEvent::modify, own_qos) {
    facts_.view = &view_;
    if (event == policy::JobEvent::submit) facts_.recounter = this;
}

/// Whether slurmctld refuses the job for its 0 nodes, in the same way without rules.
bool ReadJob::is_refused_for_no_nodes(const JobRequest& changed) const {
    const JobCounter& counter = resolved_.counter;
    const bool is_early = is_refused_early_without_nodes(resolved_.request);
    const bool keeps_max = changed.max_nodes == read_->max_nodes;
    if (is_early && resolved_.request.max_nodes == 0u && keeps_max) return true;
    if (changed.partition != read_->partition) return false; // its MinNodes may raise them
    return is_early ? counter.may_have_no_nodes() : counter.asks_for_no_nodes() && keeps_max;
}

void ReadJob::restore(std::optional<JobRequest>& changed) const {
    if (!read_) return;
    const bool names_no_node = resolved_.request.min_nodes == 0u;
    const bool is_refused = names_no_node && is_refused_for_no_nodes(changed ? *changed : *read_);
    if (names_no_node && !is_refused && !changed) changed = *read_;
    if (!changed) return;
    const auto restore_if_same = [&](auto member) {
        if (*changed.*member == *read_.*member) *changed.*member = resolved_.request.*member;
    };
    for (const Name& name : spelled_names)
        restore_if_same(name.member);
    if (is_refused) restore_if_same(&JobRequest::min_nodes);
    restore_if_same(&JobRequest::tasks);
    restore_if_same(&JobRequest::max_nodes);
    restore_if_same(&JobRequest::exclusive);
}

Result<std::shared_ptr<const policy::RuleInput>> ReadJob::recount(const JobRequest& changed) {
    const auto job = std::make_shared<const CountedJob>(changed, resolved_.context, *this);
    return std::shared_ptr<const policy::RuleInput>(job, &job->facts());
}

bool ReadJob::ask_if_operator() {
    return resolved_.context.provider.is_operator(resolved_.request.submit_uid);
}

} // namespace qg::gate
