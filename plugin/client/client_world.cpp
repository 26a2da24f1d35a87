// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client_world.hpp"

#include "host/running_release.hpp"

#include "qosgate/base/with_result_of.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/slurm/values.hpp"

#include <utility>

#include <pwd.h>
#include <unistd.h>

namespace qg::plugin {

using policy::RuleView;

void ClientWorld::remember() const {
    if (world_ && *world_) likely().note((**world_)->accounting.needed_first());
}

RecentRecordNames ClientWorld::likely() const {
    return {geteuid() == 0 ? "" : runtime_directory(), slurm::view_text(conf_.cluster_name)};
}

const Result<std::unique_ptr<slurm::JobWorld>>& ClientWorld::read(slurm::WorldNames names,
                                                                  const model::JobRequest& job) {
    if (world_) return *world_;
    read_at_ = std::time(nullptr);
    if (const passwd* user = getpwuid(getuid()))
        return world_.emplace(slurm::read_job_world(conf_, user->pw_name, names, likely().names_for(job)));
    return world_.emplace(Error{ErrorCode::not_found, "this host does not know the user"});
}

gate::KnownCluster ClientWorld::known() const {
    return gate::KnownCluster::as_read((**world_)->cluster.get(),
                                       {.now = read_at_, .cluster_read_at = read_at_}, &groups_);
}

Result<RuleView*> ClientView::open() {
    if (view_) return &*view_;
    if (auto made = make_request(options_, command_)) request_ = *std::move(made);
    const auto& world = world_.read(slurm::WorldNames::read, request_);
    if (!world) return Error{world.error().code, "slurmctld does not show this: " + world.error().message};
    request_.user_id = request_.submit_uid = getuid();
    const gate::KnownCluster known = world_.known();
    const gate::ClusterContext context{*known.cluster, (*world)->accounting, running_release(), known};
    resolved_.emplace(WithResultOf([&] { return gate::resolve(request_, context); }));
    catalogue = resolved_->view().tres.get();
    return &view_.emplace(*resolved_, /*is_change=*/false);
}

template <typename Ask>
auto ClientView::ask(Ask ask_view) -> decltype(ask_view(std::declval<RuleView&>())) {
    const auto view = open();
    if (!view) return view.error();
    return ask_view(**view);
}

// The time needs no slurmctld.
Result<std::time_t> ClientView::now() {
    return now_;
}

Result<const std::tm*> ClientView::local_time() {
    if (!local_time_) localtime_r(&now_, &local_time_.emplace());
    return &*local_time_;
}

Result<const policy::ClusterFacts*> ClientView::cluster() {
    return ask([](RuleView& view) { return view.cluster(); });
}
Result<const quota::UserRecord*> ClientView::user(policy::WhichUser which) {
    return ask([&](RuleView& view) { return view.user(which); });
}
Result<std::span<const std::string>> ClientView::groups(std::uint32_t user_id) {
    return ask([&](RuleView& view) { return view.groups(user_id); });
}
Result<const model::Partition*> ClientView::partition(std::string_view name) {
    return ask([&](RuleView& view) { return view.partition(name); });
}
Result<const model::Reservation*> ClientView::reservation(std::string_view name) {
    return ask([&](RuleView& view) { return view.reservation(name); });
}
Result<policy::QosFacts*> ClientView::qos(std::string_view name) {
    return ask([&](RuleView& view) { return view.qos(name); });
}
Result<const model::Qos*> ClientView::with_usage(policy::QosFacts& qos) {
    return ask([&](RuleView& view) { return view.with_usage(qos); });
}
Result<std::span<const std::string>> ClientView::allowed_qos() {
    return ask([](RuleView& view) { return view.allowed_qos(); });
}
Result<std::span<const std::string>> ClientView::accounts() {
    return ask([](RuleView& view) { return view.accounts(); });
}
Result<std::span<const model::Association>> ClientView::associations() {
    return ask([](RuleView& view) { return view.associations(); });
}
Result<std::uint64_t> ClientView::count_jobs(const policy::JobFilter& filter) {
    return ask([&](RuleView& view) { return view.count_jobs(filter); });
}
Result<std::string_view> ClientView::why_not(const model::JobRequest& job, policy::QosFacts& qos) {
    return ask([&](RuleView& view) { return view.why_not(job, qos); });
}

} // namespace qg::plugin
