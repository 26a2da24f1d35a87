// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/test_world.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/with_result_of.hpp"
#include "qosgate/quota/scenario.hpp"

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

namespace qg::gate {
namespace {

/// "2026-07-20 22:30" in the time zone of this process.
Result<std::time_t> read_time(const std::string& text) {
    std::tm parts{};
    const char* end = strptime(text.c_str(), "%Y-%m-%d %H:%M", &parts);
    parts.tm_isdst = -1;
    if (end == nullptr || *end != '\0')
        return Error{ErrorCode::invalid_input,
                     text::format("now cannot be \"{}\": write \"2026-07-20 22:30\"", text::printable(text))};
    return std::mktime(&parts);
}

/// The user is in one account, and may use every QOS.
std::vector<quota::LocalAssociation> usual_associations(const policy::TestedJob& job,
                                                        std::size_t tres_count) {
    quota::LocalAssociation user, root;
    user.link.account = job.facts.account.empty() ? "account" : std::string(job.facts.account);
    user.user_id = job.request.user_id;
    user.parent = 1;
    root.link.level = model::AssociationLevel::root;
    root.link.account = "root";
    user.link.limits = root.link.limits = model::Limits(tres_count);
    return {user, root};
}

} // namespace

Result<policy::RuleView*> ScenarioWorld::make_view(const policy::PolicyTest& test,
                                                   const policy::TestedJob& job) {
    DecisionTimes times;
    if (!test.now.empty()) {
        const auto now = read_time(test.now);
        if (!now) return now.error();
        times = {.now = *now, .cluster_read_at = *now};
    }
    // Counts are in the order of the TRES that the test counts.
    const auto tres = std::make_shared<const model::TresCatalogue>(job.facts.catalogue);
    quota::World otherwise;
    otherwise.records.tres = tres;
    otherwise.records.enforce = {.associations = true, .limits = true, .qos = true};
    auto world = quota::parse_world("{" + test.world + "}", std::move(otherwise));
    if (!world) return world.error();
    quota::set_job_user(*world, job.request.user_id);
    quota::LocalRecords& records = world->records;
    if (records.tres != tres)
        return Error{ErrorCode::invalid_input, "tres cannot be given: the TRES are those of the job"};
    if (records.associations.empty()) records.associations = usual_associations(job, tres->size());
    for (quota::LocalAssociation& association : records.associations)
        if (association.link.level == model::AssociationLevel::user)
            association.link.user = job.facts.user_name;
    cluster_ = quota::make_cluster(*world);
    view_.reset();
    job_.reset();
    groups_ = std::make_unique<quota::RecordedGroups>(
        records.users, "write given = { user = { groups = { \"physics\" } } } in the test");
    quota_ = std::make_unique<quota::LocalQuota>(std::move(records));
    const ClusterContext context{cluster_, *quota_, release_,
                                 KnownCluster::as_read(&cluster_, times, groups_.get())};
    job_.emplace(WithResultOf([&] { return resolve(job.request, context); }));
    return &view_.emplace(*job_, test.is_change);
}

} // namespace qg::gate
