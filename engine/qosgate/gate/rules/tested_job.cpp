// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/rules/tested_job.hpp"

#include "qosgate/base/check.hpp"
#include "qosgate/policy/objects/fields.hpp"

#include <string_view>
#include <utility>

namespace qg::gate {
namespace {

ClusterContext context_of(const GivenCluster& given, limits::Release release) {
    return {given.cluster, given.quota, release,
            KnownCluster::as_read(&given.cluster, given.times, &given.groups)};
}

/// As the gate resolves a job of this kind. At a change it is one task: its test gives no array.
ResolvedRequest resolve_tested(const model::JobRequest& request, const GivenCluster& given,
                               const TestReading& how) {
    const ClusterContext context = context_of(given, how.release);
    if (!how.is_change) return resolve(request, context);
    return resolve(request, context,
                   {.requester = request.submit_uid, .names_partitions = how.changes_partitions});
}

std::string_view or_else(std::string_view first, std::string_view second) {
    return first.empty() ? second : first;
}

} // namespace

JobInTest::JobInTest(const policy::TestJob& job, model::JobRequest request,
                     std::shared_ptr<const GivenCluster> given, const TestReading& how)
    : written_(job), request_(std::move(request)), given_(std::move(given)), has_account_(how.has_account),
      resolved_(resolve_tested(request_, *given_, how)),
      read_(resolved_, how.is_change ? policy::JobEvent::modify : policy::JobEvent::submit),
      said_(as_said(read_.facts())), facts_(with_defaults(read_.facts(), said_)) {
    if (facts_.recounter != nullptr) facts_.recounter = this;
}

model::ResolvedJob JobInTest::as_said(const policy::RuleInput& counted) const {
    const model::ResolvedJob& first = read_.facts().counted;
    model::ResolvedJob job = counted.counted;
    for (const auto& [name, count] : written_.counts())
        if (const auto tres = counted.catalogue.find(name); tres && job.tres[*tres] == first.tres[*tres])
            job.tres[*tres] = count;
    if (written_.array_tasks() && job.array_tasks == first.array_tasks)
        job.array_tasks = *written_.array_tasks();
    if (written_.defaults().time_limit && job.time_limit == first.time_limit && !request_.time_limit)
        job.time_limit = written_.defaults().time_limit;
    return job;
}

policy::RuleInput JobInTest::with_defaults(const policy::RuleInput& counted,
                                           const model::ResolvedJob& said) const {
    const policy::TestDefaults& defaults = written_.defaults();
    return {.counted = said,
            .catalogue = counted.catalogue,
            .user_name = or_else(written_.user(), or_else(counted.user_name, usual_user_name)),
            .account = or_else(defaults.account, has_account_ ? counted.account : std::string_view()),
            .partition = or_else(defaults.partition, counted.partition),
            .qos = or_else(defaults.qos, counted.qos),
            .knows_accounts = counted.knows_accounts,
            .knows_partitions = counted.knows_partitions,
            .knows_cpus = counted.knows_cpus || written_.counts().contains("cpu"),
            .sender = counted.sender,
            .max_time = counted.max_time,
            .view = counted.view,
            .recounter = counted.recounter};
}

/// The facts of a job that rules have changed. Not movable: its parts refer to each other.
class JobInTest::Recounted {
  public:
    Recounted(const JobInTest& job, std::shared_ptr<const policy::RuleInput> counted)
        : counted_(std::move(counted)), said_(job.as_said(*counted_)),
          facts_(job.with_defaults(*counted_, said_)) {}
    Recounted(const Recounted&) = delete;
    Recounted& operator=(const Recounted&) = delete;

    [[nodiscard]] const policy::RuleInput& facts() const noexcept { return facts_; }

  private:
    const std::shared_ptr<const policy::RuleInput> counted_;
    const model::ResolvedJob said_;
    const policy::RuleInput facts_;
};

Result<std::shared_ptr<const policy::RuleInput>> JobInTest::recount(const model::JobRequest& changed) {
    auto counted = read_.recount(changed);
    if (!counted) return counted.error();
    const auto job = std::make_shared<const Recounted>(*this, *std::move(counted));
    return std::shared_ptr<const policy::RuleInput>(job, &job->facts());
}

model::JobRequest as_record(model::JobRequest request, const JobInTest& submitted) {
    for (const char* const name : {"account", "partition", "qos", "time_limit"}) {
        const policy::FieldSpec* const field = policy::find_job_field(name);
        QG_CHECK(field != nullptr);
        if (field->is_set(request)) continue;
        policy::ErrorText error;
        const policy::Value got = field->read({submitted.request(), submitted.facts()}, error);
        // What is not known here, and what no request can ask for, stays a default.
        if (error.empty()) static_cast<void>(write_field(*field, request, got));
    }
    return request;
}

} // namespace qg::gate
