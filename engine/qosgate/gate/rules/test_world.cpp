// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/rules/test_world.hpp"

#include "qosgate/base/check.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/size/client_counts.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/quota/scenario.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::gate {

// ---- the job of a test ---------------------------------------------------------------------------------

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

namespace {

/// The TRES that every cluster has, in Slurm's order, and GPUs.
constexpr std::array<const char*, 6> common_tres{"cpu", "mem", "energy", "node", "billing", "gres/gpu"};

/// The time of a test that gives none: a Monday.
constexpr const char* usual_time = "2026-01-05 12:00";

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

/// The TRES of a test that gives none: the common ones, and those that its job counts.
std::shared_ptr<const model::TresCatalogue> tres_of(const policy::TestJob& job) {
    std::vector<std::string> names(common_tres.begin(), common_tres.end());
    for (const auto& [name, count] : job.counts())
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    return std::make_shared<const model::TresCatalogue>(std::move(names));
}

/// The user is in one account, and may use every QOS.
std::vector<quota::LocalAssociation> usual_associations(const policy::TestJob& job, std::size_t tres_count) {
    quota::LocalAssociation user, root;
    const std::string& otherwise = job.defaults().account;
    user.link.account = job.request().account.value_or(otherwise.empty() ? "account" : otherwise);
    user.user_id = job.request().user_id;
    user.parent = 1;
    root.link.level = model::AssociationLevel::root;
    root.link.account = "root";
    user.link.limits = root.link.limits = model::Limits(tres_count);
    return {user, root};
}

/// The partition that the test names as the default is it.
Result<void> set_default_partition(quota::World& world, const std::string& name) {
    if (name.empty() || world.partitions.empty()) return {};
    bool is_known = false;
    for (auto& partition : world.partitions) {
        auto copy = std::make_shared<model::Partition>(*partition);
        copy->is_default = copy->name == name;
        is_known = is_known || copy->is_default;
        partition = std::move(copy);
    }
    if (is_known) return {};
    return Error{ErrorCode::invalid_input,
                 text::format("partition: there is no partition \"{}\" in given.partitions",
                              text::printable(name, 60))};
}

/// The id of the user of this name.
std::optional<std::uint32_t> find_user(const quota::LocalRecords& records, const std::string& name) {
    for (const quota::UserRecord& user : records.users)
        if (user.name == name) return user.id;
    for (const quota::LocalAssociation& association : records.associations)
        if (association.link.level == model::AssociationLevel::user && association.link.user == name)
            return association.user_id;
    return std::nullopt;
}

/// Users of whom the test says nothing are in no group; the groups of a given user are those that it names,
/// or not known.
void add_usual_users(quota::LocalRecords& records, std::initializer_list<std::uint32_t> users) {
    for (const std::uint32_t id : users)
        if (std::ranges::find(records.users, id, &quota::UserRecord::id) == records.users.end())
            records.users.push_back({.id = id, .groups = std::vector<std::string>{}});
}

Result<std::shared_ptr<const GivenCluster>> make_given(const policy::PolicyTest& test,
                                                       const policy::TestJob& job) {
    const auto now = read_time(test.now.empty() ? usual_time : test.now);
    if (!now) return now.error();
    const DecisionTimes times{.now = *now, .cluster_read_at = *now};
    const auto tres = tres_of(job);
    quota::World otherwise;
    otherwise.records.tres = tres;
    otherwise.records.enforce = {.associations = true, .limits = true, .qos = true};
    auto world = quota::parse_world("{" + test.world + "}", std::move(otherwise));
    if (!world) return world.error();
    if (world->records.tres != tres)
        return Error{ErrorCode::invalid_input, "tres cannot be given: the TRES are those of the job"};
    if (const auto done = set_default_partition(*world, job.defaults().partition); !done) return done.error();
    const std::uint32_t user = job.request().user_id;
    quota::set_job_user(*world, user);
    quota::LocalRecords& records = world->records;
    if (records.associations.empty()) records.associations = usual_associations(job, records.tres->size());
    for (quota::LocalAssociation& association : records.associations)
        if (association.link.level == model::AssociationLevel::user && association.user_id == user &&
            association.link.user.empty())
            association.link.user = job.user().empty() ? usual_user_name : job.user();
    add_usual_users(records, {user, job.request().submit_uid, find_user(records, job.user()).value_or(user)});
    return std::make_shared<const GivenCluster>(
        *std::move(world), times, "write given = { user = { groups = { \"physics\" } } } in the test");
}

/// The request as a client sends it, of the user whose name the test says.
model::JobRequest as_sent(const policy::TestJob& job, const quota::LocalRecords& records) {
    model::JobRequest request = job.request();
    if (!job.user().empty() && !job.names_uid())
        request.user_id = find_user(records, job.user()).value_or(request.user_id);
    if (!job.names_sender()) request.submit_uid = request.user_id;
    if (!job.counts().contains("cpu")) derive_counts(request);
    return request;
}

/// A count of something that the cluster does not count would be lost.
Result<void> check_counts(const policy::TestJob& job, const model::TresCatalogue& tres) {
    for (const auto& [name, count] : job.counts())
        if (!tres.find(name))
            return Error{ErrorCode::invalid_input,
                         text::format("the cluster does not count the TRES \"{}\" of the job: {}",
                                      text::printable(name, 60), text::join(tres.names(), ", "))};
    return {};
}

} // namespace

Result<std::shared_ptr<const GivenCluster>> ScenarioWorld::read_capture(const policy::SourceFile& file) {
    if (last_file_ == &file) return last_;
    auto world = quota::parse_world(file.text);
    if (!world) return world.error().in(file.name);
    if (world->captured_at == 0)
        return Error{ErrorCode::invalid_input,
                     text::format("{}: not a file of 'qosgate capture'", file.name)};
    const DecisionTimes times{.now = world->captured_at, .cluster_read_at = world->captured_at};
    last_ = std::make_shared<const GivenCluster>(*std::move(world), times, "the capture does not have them");
    last_file_ = &file;
    return last_;
}

Result<std::unique_ptr<policy::TestedJob>> ScenarioWorld::read(const policy::PolicyTest& test,
                                                               const policy::TestJob& job) {
    const auto given = test.capture != nullptr ? read_capture(*test.capture) : make_given(test, job);
    if (!given) return given.error();
    const quota::LocalRecords& records = (*given)->quota.records();
    if (test.capture != nullptr && !job.user().empty() && !job.names_uid() && !find_user(records, job.user()))
        return Error{ErrorCode::not_found,
                     text::format("{} has no user \"{}\": name one that it has, or give job.uid, too",
                                  test.capture->name, text::printable(job.user(), 60))};
    if (const auto done = check_counts(job, *records.tres); !done) return done.error();
    TestReading how{.release = release_, .has_account = test.gives_records()};
    model::JobRequest request = as_sent(job, records);
    if (test.is_change) {
        const auto first = policy::TestJob::from(test, policy::TestedAs::before);
        if (!first) return first.error();
        const JobInTest submitted(*first, as_sent(*first, records), *given, how);
        request = as_record(std::move(request), submitted);
        how.is_change = true;
        how.changes_partitions = request.partition != as_record(submitted.request(), submitted).partition;
    }
    std::unique_ptr<policy::TestedJob> tested =
        std::make_unique<JobInTest>(job, std::move(request), *given, how);
    return tested;
}

} // namespace qg::gate
