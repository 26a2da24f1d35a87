// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/rules/decision_view.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/with_result_of.hpp"
#include "qosgate/gate/answer/answer.hpp"
#include "qosgate/gate/decide/effort.hpp"
#include "qosgate/gate/predict/forecast.hpp"
#include "qosgate/gate/rules/copied_records.hpp"
#include "qosgate/quota/user_groups.hpp"

#include <algorithm>

namespace qg::gate {
namespace {

constexpr const char* unknown_cluster = "the cluster is not known yet, because slurmctld has just started; "
                                        "submit the job again in a moment";
constexpr const char* changed_partitions =
    "slurmctld has just changed its partitions; submit the job again in a moment";

Error not_known(const char* what) {
    return {ErrorCode::unavailable, what};
}

/// The first thing that blocks a job, from the lines that users read.
std::string first_reason(const DetailedForecast& forecast, const ResolvedRequest& job) {
    const auto lines = forecast_lines(forecast, job);
    const bool has_title = lines.size() > 1 && lines[0].ends_with(':');
    if (!lines.empty()) return std::string(text::trim(lines[has_title ? 1 : 0]));
    // There are no lines about waiting for a job that begins later.
    const std::string_view reason =
        forecast.is_refused() ? forecast.summary.reason : forecast.summary.pending_reason;
    return reason.empty() ? "it would not start" : std::string(reason);
}

policy::ClusterFacts facts_of(const KnownCluster& known) {
    policy::ClusterFacts facts;
    facts.cluster = known.cluster;
    facts.age = static_cast<std::uint64_t>(
        std::max<std::time_t>(known.times.now - known.times.cluster_read_at, 0)); // clocks are set back
    if (const auto standard = known.cluster->partitions.default_partition())
        facts.default_partition = standard->name;
    for (const auto& partition : known.cluster->partitions.all())
        facts.partitions.push_back(partition->name);
    return facts;
}

} // namespace

DecisionView::Read& DecisionView::read() {
    if (!read_) read_ = std::make_unique<Read>();
    return *read_;
}

Result<std::time_t> DecisionView::now() {
    if (known().times.now == 0) return not_known("the time of this decision is not known");
    return known().times.now;
}

Result<const std::tm*> DecisionView::local_time() {
    const auto seconds = now();
    if (!seconds) return seconds.error();
    auto& parts = read().local_time;
    if (!parts) {
        std::tm local{};
        if (localtime_r(&*seconds, &local) == nullptr) return not_known("the time has no date");
        parts = local;
    }
    return &*parts;
}

Result<const policy::ClusterFacts*> DecisionView::cluster() {
    if (known().cluster == nullptr) return not_known(unknown_cluster);
    auto& facts = read().cluster;
    if (!facts) facts = facts_of(known());
    return &*facts;
}

Result<const quota::UserRecord*> DecisionView::user(policy::WhichUser which) {
    const bool is_owner = which == policy::WhichUser::owner;
    const std::uint32_t id = is_owner ? job_.request.user_id : job_.request.submit_uid;
    auto& record = is_owner || id == job_.request.user_id ? read().owner : read().sender;
    if (!record) {
        const auto done =
            copy_records([&](const quota::JobRecords& records) { record = records.copy_user(id); });
        if (!done) return done.error();
    }
    return &*record;
}

Result<std::span<const std::string>> DecisionView::groups(std::uint32_t user_id) {
    if (known().groups == nullptr) return not_known("the groups of users are not known here");
    auto& names = user_id == job_.request.user_id ? read().owner_groups : read().sender_groups;
    if (!names) names.emplace(known().groups->groups_of(user_id));
    if (!*names) return names->error();
    return std::span<const std::string>(**names);
}

Result<const model::Partition*> DecisionView::partition(std::string_view name) {
    if (known().cluster == nullptr) return not_known(unknown_cluster);
    const auto found = known().cluster->partitions.find(name);
    if (found == nullptr && known().may_have_changed) return not_known(changed_partitions);
    return found.get(); // the cluster has it, too
}

Result<const model::Reservation*> DecisionView::reservation(std::string_view name) {
    if (known().cluster == nullptr || !known().cluster->names) return not_known(unknown_cluster);
    const auto& all = known().cluster->names->reservations;
    const auto found = std::ranges::find(all, name, &model::Reservation::name);
    if (found != all.end()) return &*found;
    if (known().may_have_new_reservations)
        return not_known("slurmctld has just changed its reservations; submit the job again in a moment");
    return nullptr;
}

/// A bound on memory, for clusters with very many TRES.
std::size_t DecisionView::max_qos() const noexcept {
    constexpr std::size_t max_counts = std::size_t{1} << 19u;
    constexpr std::size_t rows_of_qos = 20; // of limits and usage
    return std::clamp<std::size_t>(max_counts / (rows_of_qos * job_.view().tres->size()), 8, 128);
}

/// Fills in the QOS of this name, if there is one.
Result<void> DecisionView::copy_qos(std::string_view name, std::optional<policy::QosFacts>& facts) {
    const model::AccountView& view = job_.view();
    const bool is_own = text::iequals(name, view.job_qos.name);
    was_asked_for_own_qos_ = was_asked_for_own_qos_ || is_own;
    if (is_own && own_qos_ != nullptr && *own_qos_) {
        facts.emplace(*std::exchange(*own_qos_, std::nullopt));
        facts->enforces_safe = view.enforce.safe;
        return {};
    }
    return copy_records([&](const quota::JobRecords& records) {
        const auto id = records.find(name);
        if (!id) return;
        facts.emplace(WithResultOf([&] { return records.copy_qos(*id); }));
        facts->enforces_safe = records.enforce().safe;
    });
}

Result<policy::QosFacts*> DecisionView::qos(std::string_view name) {
    constexpr std::size_t max_name = 1024; // of a text in a request
    if (name.size() > max_name) return nullptr;
    auto& all = read().qos;
    auto found =
        std::ranges::find_if(all, [name](const NamedQos& qos) { return text::iequals(qos.name, name); });
    if (found == all.end()) {
        if (all.size() >= max_qos())
            return Error{ErrorCode::limit_exceeded,
                         text::format("the rules of one job read at most {} QOSs", max_qos())};
        std::list<NamedQos> fresh; // until it is known
        auto& facts = fresh.emplace_back(std::string(name), std::nullopt).facts;
        if (const auto done = copy_qos(name, facts); !done) return done.error();
        all.splice(all.end(), fresh);
        found = std::prev(all.end());
    }
    return found->facts ? &*found->facts : nullptr;
}

Result<const model::Qos*> DecisionView::with_usage(policy::QosFacts& facts) {
    model::Qos& qos = facts.qos;
    if (facts.has_all_usage) return &qos;
    const auto done = copy_records([&](const quota::JobRecords& records) {
        const auto id = records.find(qos.name);
        if (id != qos.id) return;
        model::Qos whole = records.copy_qos_with_usage(*id);
        qos.usage = std::move(whole.usage);
        qos.user_usage = std::move(whole.user_usage);
        qos.account_usage = std::move(whole.account_usage);
        facts.has_all_usage = true;
    });
    if (!done) return done.error();
    if (!facts.has_all_usage)
        return Error{
            ErrorCode::unavailable,
            text::format("QOS {} has just been deleted; submit the job again in a moment", qos.name)};
    return &qos;
}

Result<std::span<const std::string>> DecisionView::allowed_qos() {
    auto& names = read().allowed_qos;
    if (!names) {
        const auto done =
            copy_records([&](const quota::JobRecords& records) { names = records.permitted_names(); });
        if (!done) return done.error();
        std::ranges::sort(*names);
    }
    return std::span<const std::string>(*names);
}

Result<std::vector<std::string>> DecisionView::list_accounts() const {
    quota::UserAccounts found;
    const auto done = copy_records(
        [&](const quota::JobRecords& records) { found = records.accounts(quota::bounds_for_rules); });
    if (!done) return done.error();
    if (!found.is_complete)
        return Error{ErrorCode::limit_exceeded,
                     text::format("the accounts of a user cannot be listed: at most {} associations of the "
                                  "cluster are looked at, and {} of the user",
                                  quota::bounds_for_rules.checked, quota::bounds_for_rules.found)};
    std::vector<std::string> names;
    for (model::UserAccount& account : found.all)
        names.push_back(std::move(account.name));
    return quota::sorted(std::move(names));
}

Result<std::span<const std::string>> DecisionView::accounts() {
    auto& names = read().accounts;
    if (!names) names.emplace(list_accounts());
    if (!*names) return names->error();
    return std::span<const std::string>(**names);
}

Result<std::span<const model::Association>> DecisionView::associations() {
    auto& chain = read().associations;
    if (!chain) {
        const auto done = copy_records(
            [&](const quota::JobRecords& records) { chain = records.copy_associations_with_usage(); });
        if (!done) return done.error();
        // It ends there, also if the provider cut it.
        if (!chain->empty()) chain->back().level = model::AssociationLevel::root;
    }
    return std::span<const model::Association>(*chain);
}

Result<std::string_view> DecisionView::why_not(const model::JobRequest& job, policy::QosFacts& qos) {
    if (known().cluster == nullptr) return not_known(unknown_cluster);
    if (known().may_have_changed) return not_known(changed_partitions);
    model::JobRequest request = job;
    request.qos = qos.qos.name;
    const ResolvedRequest resolved = resolve_again(request, job_.context, is_change_);
    if (!resolved.known) return resolved.known.error();
    if (const auto too_large = find_too_large(resolved))
        return Error{ErrorCode::limit_exceeded, "the job is too large to be checked: " + too_large->why};
    qos.why_not.clear();
    if (resolved.view().is_within_limits) return std::string_view();
    const DetailedForecast forecast = predict(resolved, limits::Strictness::as_configured);
    if (forecast.is_refused() || !forecast.starts_somewhere()) qos.why_not = first_reason(forecast, resolved);
    return std::string_view(qos.why_not);
}

} // namespace qg::gate
